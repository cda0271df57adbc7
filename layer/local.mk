# SPDX-License-Identifier: MIT
# layer: libtracelayer.so, the runtime that shims call into. See doc/internals.md.

# What knows nothing of generated code, so that tests can put doubles around it.
noinst_LTLIBRARIES += libtl_core.la
libtl_core_la_CFLAGS = $(AM_CFLAGS) -fexceptions -fvisibility=hidden
libtl_core_la_SOURCES = \
	%D%/calls/calls.h %D%/program/program.h %D%/process/process.h %D%/write/write.h \
	%D%/buffers/arena.h %D%/buffers/arena.c %D%/buffers/arena_messages.h %D%/buffers/arena_messages.c \
	%D%/buffers/buffers.h %D%/buffers/blocked.h \
	%D%/buffers/buffer.h %D%/buffers/buffer.c \
	%D%/buffers/chunk_reader.h %D%/buffers/chunk_reader.c \
	%D%/buffers/unfinished.h %D%/buffers/unfinished.c \
	%D%/buffers/chunks.h %D%/buffers/chunks.c \
	%D%/buffers/current_chunk.h %D%/buffers/current_chunk.c \
	%D%/buffers/free_list.h \
	%D%/buffers/lane_numbers.h %D%/buffers/lane_numbers.c \
	%D%/buffers/producers.h %D%/buffers/producers.c \
	%D%/buffers/rings.h %D%/buffers/rings.c %D%/buffers/ring_flush.c \
	%D%/calls/call_thread.h %D%/calls/call_record.h %D%/calls/call_record.c \
	%D%/calls/call_tracing.h %D%/calls/call_tracing.c \
	%D%/calls/captured_memory.h %D%/calls/captured_memory.c \
	%D%/calls/hooked_path.c \
	%D%/calls/open_calls.h %D%/calls/open_calls.c \
	%D%/calls/parameters.h %D%/calls/parameters.c \
	%D%/calls/recorded_path.c \
	%D%/calls/slow_path.h %D%/calls/slow_path.c \
	%D%/calls/eh_reader.h %D%/calls/eh_reader.c \
	%D%/calls/eh_frame.h %D%/calls/eh_frame.c \
	%D%/calls/stack_frames.h %D%/calls/stack_frames.c \
	%D%/calls/stack_memory.h %D%/calls/stack_memory.c \
	%D%/calls/stack_libraries.h %D%/calls/stack_libraries.c \
	%D%/calls/stack_numbers.h %D%/calls/stack_numbers.c \
	%D%/calls/stack_walk.h %D%/calls/stack_walk.c \
	%D%/calls/signal_frame.h %D%/calls/signal_frame.c \
	%D%/calls/unwind_rules.h %D%/calls/unwind_rules.c %D%/calls/unwind_step.c %D%/calls/unwind_expressions.c \
	%D%/buffers/event_lanes.h %D%/buffers/event_lanes.c \
	%D%/buffers/upcalls.h %D%/buffers/upcalls.c \
	%D%/buffers/clock.h %D%/buffers/clock.c \
	%D%/base/environment.h %D%/base/environment.c \
	%D%/program/context.h %D%/program/context.c \
	%D%/program/context_file.c \
	%D%/program/context_request.c \
	%D%/program/program_control.c \
	%D%/program/marks.h %D%/program/marks.c \
	%D%/program/roctx.h %D%/program/roctx.c \
	%D%/write/recording_control.h %D%/write/recording_control.c \
	%D%/device/background.h %D%/device/background.c \
	%D%/device/clock_fit.h %D%/device/clock_fit.c \
	%D%/device/device.h %D%/device/device_api.h %D%/device/device_lanes.h %D%/device/device_lanes.c \
	%D%/device/device_thread.h %D%/device/spare_stack.h \
	%D%/calls/hook.h %D%/calls/inside_hook.h %D%/calls/hook_thread.h %D%/base/base.h %D%/base/spin_lock.h %D%/base/spin_lock.c %D%/base/libc/sanitizer.h %D%/calls/hook.c \
	%D%/device/watch.h %D%/device/watch.c %D%/device/work.h %D%/device/work.c \
	%D%/device/command_slice.h %D%/device/command_slice.c \
	%D%/device/device_queue.h %D%/device/device_queues.c \
	%D%/device/device_texts.h %D%/device/device_texts.c %D%/device/kernel_facts.h %D%/device/kernel_facts.c \
	%D%/device/queue_depth.h %D%/device/queue_depth.c \
	%D%/device/queue_lanes.h %D%/device/queue_lanes.c \
	%D%/calls/event.h %D%/calls/event.c \
	%D%/process/seccomp_filter.h %D%/process/seccomp_filter.c \
	%D%/program/xpti_events.h %D%/program/xpti_events.c \
	%D%/base/signal_handler.h %D%/base/signal_handler.c \
	%D%/process/exec_image.h %D%/process/exec_image.c \
	%D%/buffers/label_memory.h %D%/buffers/label_memory.c \
	%D%/calls/longjmp.h %D%/calls/longjmp.c \
	%D%/base/futex.h %D%/base/membarrier.h %D%/base/membarrier.c \
	%D%/base/start_page.h %D%/base/first_call.h %D%/base/first_call.c \
	%D%/base/once.h %D%/base/once.c %D%/base/shared_table.h \
	%D%/base/bounded_lock.h %D%/base/bounded_lock.c \
	%D%/buffers/pool.h %D%/buffers/pool.c \
	%D%/process/preload.h %D%/process/preload.c \
	%D%/base/run_report.h %D%/base/run_report.c \
	%D%/calls/request.h %D%/calls/request.c \
	%D%/buffers/process_state.h %D%/buffers/process_state.c \
	%D%/resolve/api_table.h %D%/resolve/api_table.c \
	%D%/resolve/late_relocation.h %D%/resolve/late_relocation.c \
	%D%/resolve/recording.h %D%/resolve/recording.c \
	%D%/process/process_parts.h %D%/process/process_parts.c \
	%D%/process/process_start.c \
	%D%/process/process_fork.h %D%/process/process_fork.c \
	%D%/process/process_exit.h %D%/process/process_exit.c \
	%D%/base/message.h %D%/base/message.c \
	%D%/buffers/strings.h %D%/buffers/strings.c \
	%D%/calls/thread.h %D%/calls/thread.c \
	%D%/process/tool_libraries.h %D%/process/tool_libraries.c \
	%D%/calls/traced_path.c \
	%D%/calls/tracers.h %D%/calls/tracers.c %D%/calls/dispatch_table.h \
	%D%/calls/table_changes.h %D%/calls/table_changes.c \
	%D%/calls/tracer_callbacks.h %D%/calls/tracer_callbacks.c \
	%D%/calls/tracer_frames.h %D%/calls/tracer_frames.c \
	%D%/calls/call_view.c \
	%D%/base/library_walk.h %D%/base/library_walk.c \
	%D%/resolve/real_function.h
libtl_core_la_SOURCES += %D%/calls/generic_call.h %D%/calls/generic_call.c common/signature.h common/interposer_library.h
libtl_core_la_LIBADD = libtl_generic.la

# The generic entry, and what it calls on each recorded call: these functions leave vector registers alone.
noinst_LTLIBRARIES += libtl_generic.la
libtl_generic_la_CFLAGS = $(AM_CFLAGS) -O2 -fexceptions -fvisibility=hidden -mgeneral-regs-only
libtl_generic_la_SOURCES = %D%/calls/generic_begin.c %D%/calls/generic_entry.S
EXTRA_DIST += %D%/calls/generic_entry_x86_64.S %D%/calls/generic_entry_aarch64.S

# From chunks to the trace file. Links with libdeflate.
noinst_LTLIBRARIES += libtl_writer.la
libtl_writer_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libtl_writer_la_SOURCES = \
	%D%/write/process_facts.h %D%/write/process_facts.c \
	%D%/write/block.h %D%/write/block.c \
	%D%/base/credentials.h %D%/base/credentials.c \
	%D%/buffers/lanes.h %D%/buffers/lanes.c \
	%D%/write/sink.h %D%/write/sink.c \
	%D%/write/ahead.h %D%/write/ahead.c %D%/write/encoded_blocks.c %D%/write/record_blocks.c \
	%D%/base/raw_thread.h %D%/base/raw_thread.c \
	%D%/write/writer_state.h %D%/write/writer_drain.c %D%/write/writer_losses.c \
	%D%/write/writer_messages.c %D%/write/writer_thread.c \
	%D%/write/writer.h %D%/write/writer.c
libtl_writer_la_LIBADD = libtl_gzip.la

# What libtracelayer.so has of a C library for itself: in no test program.
noinst_LTLIBRARIES += libtl_libc.la
libtl_libc_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden -fno-builtin
libtl_libc_la_SOURCES = %D%/base/libc/libc.h %D%/base/libc/own_libc.h %D%/base/libc/libc_bytes.c %D%/base/libc/libc_calls.c %D%/base/libc/libc_mutex.c %D%/base/libc/libc_texts.c \
	%D%/base/libc/kernel.h %D%/base/libc/kernel_x86_64.h %D%/base/libc/kernel_aarch64.h

# The real functions, dlsym, closures.
noinst_LTLIBRARIES += libtl_resolve.la
libtl_resolve_la_CFLAGS = $(AM_CFLAGS) $(LIBFFI_CFLAGS) -fvisibility=hidden
libtl_resolve_la_SOURCES = \
	%D%/resolve/resolve.h %D%/resolve/closure.h %D%/resolve/closure.c %D%/resolve/shared_ffi.h %D%/resolve/shared_ffi.c \
	%D%/resolve/call_origin.h %D%/resolve/call_origin.c \
	%D%/resolve/function_tables.h %D%/resolve/function_tables.c %D%/resolve/dlsym.h %D%/resolve/dlsym.c %D%/resolve/dlsym_lookup.h \
	%D%/resolve/dlsym_real.c %D%/resolve/dlsym_search.c %D%/resolve/dlsym_zel.c \
	%D%/resolve/loader_tables.h %D%/resolve/loader_tables.c \
	%D%/base/loaded_libraries.h %D%/base/loaded_libraries.c %D%/base/libc/elf_image.h %D%/base/libc/elf_image.c \
	%D%/resolve/object_lookup.h %D%/resolve/object_lookup.c \
	%D%/resolve/loaded_interposers.h %D%/resolve/loaded_interposers.c \
	%D%/resolve/library_roles.h %D%/resolve/library_roles.c \
	%D%/resolve/dladdr.c %D%/resolve/preceding_library.c \
	%D%/resolve/asked_versions.h %D%/resolve/asked_versions.c \
	%D%/resolve/own_references.h %D%/resolve/own_references.c \
	%D%/resolve/mpi_tables.h %D%/resolve/mpi_tables.c %D%/resolve/mpi_world.h %D%/resolve/mpi_world.c %D%/resolve/profiling_names.h %D%/resolve/profiling_names.c \
	%D%/resolve/call_slots.h %D%/resolve/call_slots.c \
	%D%/resolve/deep_bound.h %D%/resolve/deep_bound.c \
	%D%/resolve/function_identity.h %D%/resolve/function_identity.c \
	%D%/resolve/shim_names.h %D%/resolve/shim_names.c \
	%D%/base/cache_near.h \
	%D%/resolve/newer_loader.h %D%/resolve/newer_loader.c \
	%D%/resolve/real_function.h %D%/resolve/real_function.c

# Device lanes of OpenCL, of Level Zero and of CUDA.
opencl_lanes = \
	%D%/device/opencl/opencl.h \
	%D%/device/opencl/opencl_call.h \
	%D%/device/opencl/opencl_collect.h %D%/device/opencl/opencl_collect.c \
	%D%/device/opencl/opencl_commands.h %D%/device/opencl/opencl_commands.c \
	%D%/device/opencl/opencl_devices.h %D%/device/opencl/opencl_devices.c \
	%D%/device/opencl/opencl_driver_functions.h %D%/device/opencl/opencl_driver_functions.c \
	%D%/device/opencl/opencl_enqueue_table.h \
	%D%/device/opencl/opencl_enqueues.h %D%/device/opencl/opencl_enqueues.c \
	%D%/device/opencl/opencl_events.h %D%/device/opencl/opencl_events.c \
	%D%/device/opencl/opencl_hooks.c \
	%D%/device/opencl/opencl_kernels.h %D%/device/opencl/opencl_kernels.c \
	%D%/device/opencl/opencl_memory.h %D%/device/opencl/opencl_memory.c \
	%D%/device/opencl/opencl_queue_hooks.h %D%/device/opencl/opencl_queue_hooks.c \
	%D%/device/opencl/opencl_queues.h %D%/device/opencl/opencl_queues.c \
	%D%/device/opencl/opencl_waiting.h \
	%D%/device/opencl/opencl_waits.h %D%/device/opencl/opencl_waits.c
ze_lanes = \
	%D%/device/ze/ze.h \
	%D%/device/ze/ze_append.h %D%/device/ze/ze_append.c \
	%D%/device/ze/ze_command_facts.h %D%/device/ze/ze_command_facts.c \
	%D%/device/ze/ze_capture.h %D%/device/ze/ze_capture.c \
	%D%/device/ze/ze_collect.h %D%/device/ze/ze_collect.c \
	%D%/device/ze/ze_counters.h %D%/device/ze/ze_counters.c \
	%D%/device/ze/ze_devices.h %D%/device/ze/ze_devices.c \
	%D%/device/ze/ze_driver_functions.h %D%/device/ze/ze_driver_functions.c \
	%D%/device/ze/ze_events.h %D%/device/ze/ze_events.c \
	%D%/device/ze/ze_execute_hooks.h %D%/device/ze/ze_execute_hooks.c \
	%D%/device/ze/ze_executions.h %D%/device/ze/ze_executions.c \
	%D%/device/ze/ze_graph.h %D%/device/ze/ze_graph.c \
	%D%/device/ze/ze_hooks.c \
	%D%/device/ze/ze_mutable.h %D%/device/ze/ze_mutable.c \
	%D%/device/ze/ze_kernels.h %D%/device/ze/ze_kernels.c \
	%D%/device/ze/ze_lists.h %D%/device/ze/ze_lists.c \
	%D%/device/ze/ze_memory.h %D%/device/ze/ze_memory.c \
	%D%/device/ze/ze_objects.h \
	%D%/device/ze/ze_queues.h %D%/device/ze/ze_queues.c \
	%D%/device/ze/ze_own.h %D%/device/ze/ze_own.c \
	%D%/device/ze/ze_recordings.h %D%/device/ze/ze_recordings.c

cuda_lanes = \
	%D%/device/cuda/cuda.h %D%/device/cuda/cuda_hooks.c \
	%D%/device/cuda/cuda_activity.h %D%/device/cuda/cuda_activity.c %D%/device/cuda/cupti_abi.h \
	%D%/device/cuda/cuda_command_table.h \
	%D%/device/cuda/cuda_clock.h %D%/device/cuda/cuda_clock.c \
	%D%/device/cuda/cuda_collect.h %D%/device/cuda/cuda_collect.c \
	%D%/device/cuda/cuda_commands.h %D%/device/cuda/cuda_commands.c \
	%D%/device/cuda/cuda_contexts.h %D%/device/cuda/cuda_contexts.c \
	%D%/device/cuda/cuda_driver_functions.h %D%/device/cuda/cuda_driver_functions.c \
	%D%/device/cuda/cuda_ends.h %D%/device/cuda/cuda_ends.c \
	%D%/device/cuda/cuda_kernels.h %D%/device/cuda/cuda_kernels.c \
	%D%/device/cuda/cuda_memory.h %D%/device/cuda/cuda_memory.c \
	%D%/device/cuda/cuda_per_thread.h %D%/device/cuda/cuda_per_thread.c \
	%D%/device/cuda/cuda_streams.h %D%/device/cuda/cuda_streams.c \
	%D%/device/cuda/cuda_waits.h %D%/device/cuda/cuda_waits.c

vulkan_lanes = \
	%D%/device/vulkan/vulkan.h %D%/device/vulkan/vulkan_hooks.c \
	%D%/device/vulkan/vulkan_collect.h %D%/device/vulkan/vulkan_collect.c \
	%D%/device/vulkan/vulkan_contents.h %D%/device/vulkan/vulkan_contents.c \
	%D%/device/vulkan/vulkan_devices.h %D%/device/vulkan/vulkan_devices.c \
	%D%/device/vulkan/vulkan_functions.h %D%/device/vulkan/vulkan_functions.c \
	%D%/device/vulkan/vulkan_memory.h %D%/device/vulkan/vulkan_memory.c \
	%D%/device/vulkan/vulkan_signals.h %D%/device/vulkan/vulkan_signals.c \
	%D%/device/vulkan/vulkan_stamps.h %D%/device/vulkan/vulkan_stamps.c \
	%D%/device/vulkan/vulkan_submits.h %D%/device/vulkan/vulkan_submits.c \
	%D%/device/vulkan/vulkan_waits.h %D%/device/vulkan/vulkan_waits.c

# The library itself: it enters other people's programs, so it needs libc only, exports the shims and its own interface and nothing else, binds
# its own calls to itself, and stays. In every process that it enters, each mapping counts: so code and constants share one.
lib_LTLIBRARIES += libtracelayer.la
libtracelayer_la_CPPFLAGS = $(AM_CPPFLAGS)
libtracelayer_la_CFLAGS = $(AM_CFLAGS) -fexceptions -fvisibility=hidden
libtracelayer_la_SOURCES = %D%/process/device_apis.c %D%/device/handles.h %D%/device/handles.c $(opencl_lanes) $(ze_lanes) $(cuda_lanes) $(vulkan_lanes) \
	%D%/process/confine.c %D%/process/driver_exit.c %D%/process/process_end.c %D%/process/setid.c %D%/process/asan_options.c %D%/calls/exceptions.c %D%/program/zel_tracer.h %D%/program/zel_tracer.c
nodist_libtracelayer_la_SOURCES = apis/builtin_apis.c
libtracelayer_la_LIBADD = libtl_libc.la libtl_late.la libtl_core.la libtl_resolve.la libtl_writer.la libtl_format.la
libtracelayer_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined -static-libgcc -Wl,--wrap=syscall -Wl,--wrap=prctl \
	-Wl,-Bsymbolic -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,defs -Wl,-z,noseparate-code \
	-Wl,--exclude-libs,libffi.a:libdeflate.a -Wl,--version-script=layer/libtracelayer.map \
	$(TL_ARCHIVES)
libtracelayer_la_DEPENDENCIES = $(libtracelayer_la_LIBADD) layer/libtracelayer.map
CLEANFILES += layer/libtracelayer.map

# What programs, shims and tools link with has a version. Shims, and the C library's functions that the library stands in for, must have none: programs
# ask for those in the versions of the API's library or of the C library. All else is hidden by -fvisibility, but what comes from libgcc and from the linker.
layer/libtracelayer.map: %D%/exports %D%/local.mk
	$(AM_V_GEN)$(MKDIR_P) layer && { \
		echo 'TRACELAYER_0 {'; echo 'global:'; sed -n -e '/^tl_/s/$$/;/p' $(srcdir)/%D%/exports; echo 'local: _Unwind_*; __start_*; __stop_*;'; echo '};'; \
	} >$@.tmp && mv $@.tmp $@
# For tests that link objects of their own, which are not hidden: the same exports, without versions.
layer/libtracelayer-plain.map: $(apis_exports) apis/ze_tracing.exports %D%/exports %D%/local.mk
	$(AM_V_GEN)$(MKDIR_P) layer && { \
		echo '{'; echo 'global:'; \
		sed -e '/^#/d' -e '/^$$/d' -e 's/$$/;/' $(srcdir)/%D%/exports $(apis_exports) apis/ze_tracing.exports; \
		echo 'local: *;'; echo '};'; \
	} >$@.tmp && mv $@.tmp $@
CLEANFILES += layer/libtracelayer-plain.map
EXTRA_DIST += %D%/exports

# The loaders' own layers. Each lies alone in a folder that can be named in LD_LIBRARY_PATH, two below libtracelayer.so, which it opens: in
# the build folder as where it is installed. Not libtool's: it would install an archive and links beside them.
doorsdir = $(pkglibdir)
doors = level-zero/libze_tracing_layer.so.1 opencl/libtracelayer_opencl_layer.so
built_doors = .libs/tracelayer/level-zero/libze_tracing_layer.so.1 .libs/tracelayer/opencl/libtracelayer_opencl_layer.so
door_link = -shared $(SANITIZE) $(CFLAGS) $(LDFLAGS) -static-libgcc \
	-Wl,-Bsymbolic -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,defs $(TL_PORTABLE_LIBS)

noinst_LTLIBRARIES += libtl_ze_layer.la libtl_cl_layer.la
libtl_ze_layer_la_CPPFLAGS = $(AM_CPPFLAGS)
libtl_ze_layer_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libtl_ze_layer_la_SOURCES = %D%/doors/doors.h %D%/doors/runtime_library.h %D%/doors/runtime_library.c %D%/doors/ze_layer.h %D%/doors/ze_layer.c
nodist_libtl_ze_layer_la_SOURCES = apis/ze_layer.c
libtl_cl_layer_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libtl_cl_layer_la_SOURCES = %D%/doors/doors.h %D%/doors/runtime_library.h %D%/doors/runtime_library.c %D%/doors/cl_layer.h %D%/doors/cl_layer.c
nodist_libtl_cl_layer_la_SOURCES = apis/cl_layer.c

.libs/tracelayer/level-zero/libze_tracing_layer.so.1: libtl_ze_layer.la libtracelayer.la
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) -o $@ -Wl,-soname,$(@F) \
		-Wl,--whole-archive .libs/libtl_ze_layer.a -Wl,--no-whole-archive $(door_link)
.libs/tracelayer/opencl/libtracelayer_opencl_layer.so: libtl_cl_layer.la libtracelayer.la
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) -o $@ -Wl,-soname,$(@F) \
		-Wl,--whole-archive .libs/libtl_cl_layer.a -Wl,--no-whole-archive $(door_link)

all-local: $(built_doors)
install-exec-local: install-doors
uninstall-local: uninstall-doors
clean-local: clean-doors
.PHONY: install-doors uninstall-doors clean-doors
install-doors: $(built_doors)
	for door in $(doors); do \
		$(MKDIR_P) "$(DESTDIR)$(doorsdir)/$${door%/*}" && \
		$(INSTALL_PROGRAM) .libs/tracelayer/$$door "$(DESTDIR)$(doorsdir)/$$door" || exit 1; \
	done
uninstall-doors:
	for door in $(doors); do rm -f "$(DESTDIR)$(doorsdir)/$$door"; done
clean-doors:
	rm -rf .libs/tracelayer

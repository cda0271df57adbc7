# layer: libtracelayer.so, the runtime that shims call into. See doc/internals.md.

# What knows nothing of generated code, so that tests can put doubles around it.
noinst_LTLIBRARIES += libtl_core.la
libtl_core_la_CFLAGS = $(AM_CFLAGS) -fexceptions -fvisibility=hidden
libtl_core_la_SOURCES = \
	%D%/arena.h %D%/arena.c \
	%D%/buffer.h %D%/buffer.c \
	%D%/call.h %D%/call.c \
	%D%/chain.h %D%/chain.c \
	%D%/clock.h %D%/clock.c \
	%D%/config.h %D%/config.c \
	%D%/context.h %D%/context.c \
	%D%/context_file.c \
	%D%/context_request.c \
	%D%/mark.h %D%/mark.c \
	%D%/control.h %D%/control.c \
	%D%/device/background.h %D%/device/background.c \
	%D%/device/clock_fit.h %D%/device/clock_fit.c \
	%D%/device/device.h %D%/device/device.c \
	%D%/device/hook.h %D%/device/inside.h %D%/device/lock.h %D%/sanitizer.h %D%/device/hook.c \
	%D%/device/watch.h %D%/device/watch.c %D%/device/work.h %D%/device/work.c \
	%D%/event.h %D%/event.c \
	%D%/filter.h %D%/filter.c \
	%D%/guest.h %D%/guest.c \
	%D%/handler.h %D%/handler.c \
	%D%/image.h %D%/image.c \
	%D%/labels.h %D%/labels.c \
	%D%/left.h %D%/left.c \
	%D%/once.h %D%/once.c \
	%D%/pen.h %D%/pen.c \
	%D%/pool.h %D%/pool.c \
	%D%/preload.h %D%/preload.c \
	%D%/report.h %D%/report.c \
	%D%/request.h %D%/request.c \
	%D%/runtime.h %D%/runtime.c \
	%D%/say.h %D%/say.c \
	%D%/strings.h %D%/strings.c \
	%D%/thread.h %D%/thread.c \
	%D%/tools.h %D%/tools.c \
	%D%/traced.c \
	%D%/tracer.h %D%/tracer.c %D%/dispatch.h \
	%D%/view.c \
	%D%/walk.h %D%/walk.c \
	%D%/resolve.h

# From chunks to the trace file. Links with zlib.
noinst_LTLIBRARIES += libtl_writer.la
libtl_writer_la_CFLAGS = $(AM_CFLAGS) $(ZLIB_CFLAGS) -fvisibility=hidden
libtl_writer_la_SOURCES = \
	%D%/about.h %D%/about.c \
	%D%/block.h %D%/block.c \
	%D%/credentials.h %D%/credentials.c \
	%D%/lanes.h %D%/lanes.c \
	%D%/sink.h %D%/sink.c \
	%D%/spool.h %D%/spool.c \
	%D%/thread_raw.h %D%/thread_raw.c \
	%D%/writer.h %D%/writer.c
libtl_writer_la_LIBADD = libtl_gzip.la

# What libtracelayer.so has of a C library for itself: in no test program.
noinst_LTLIBRARIES += libtl_libc.la
libtl_libc_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden -fno-builtin
libtl_libc_la_SOURCES = %D%/libc/own.h %D%/libc/bytes.c %D%/libc/calls.c %D%/libc/mutex.c %D%/libc/texts.c \
	%D%/libc/kernel.h %D%/libc/kernel_x86_64.h %D%/libc/kernel_aarch64.h

# The real functions, dlsym, closures.
noinst_LTLIBRARIES += libtl_resolve.la
libtl_resolve_la_CFLAGS = $(AM_CFLAGS) $(LIBFFI_CFLAGS) -fvisibility=hidden
libtl_resolve_la_SOURCES = \
	%D%/closure.h %D%/closure.c \
	%D%/dlsym.h %D%/dlsym.c \
	%D%/doors.h %D%/doors.c \
	%D%/elf.h %D%/elf.c \
	%D%/known.h %D%/known.c \
	%D%/names.h %D%/names.c \
	%D%/near.h \
	%D%/newer.h %D%/newer.c \
	%D%/resolve.h %D%/resolve.c

# Device lanes of OpenCL and of Level Zero.
opencl_lanes = \
	%D%/device/opencl.h %D%/device/opencl.c \
	%D%/device/opencl_collect.c \
	%D%/device/opencl_commands.h %D%/device/opencl_commands.c \
	%D%/device/opencl_devices.c \
	%D%/device/opencl_events.c \
	%D%/device/opencl_kernels.c \
	%D%/device/opencl_memory.c \
	%D%/device/opencl_queues.c
ze_lanes = \
	%D%/device/ze.h %D%/device/ze.c \
	%D%/device/ze_append.c \
	%D%/device/ze_capture.c \
	%D%/device/ze_collect.c \
	%D%/device/ze_device.c \
	%D%/device/ze_events.c \
	%D%/device/ze_execute.c \
	%D%/device/ze_graph.c \
	%D%/device/ze_mutable.c \
	%D%/device/ze_objects.c \
	%D%/device/ze_own.c

# The library itself: it enters other people's programs, so it needs libc only, exports the shims and its own interface and nothing else, binds
# its own calls to itself, and stays.
lib_LTLIBRARIES += libtracelayer.la
libtracelayer_la_CPPFLAGS = $(AM_CPPFLAGS)
libtracelayer_la_CFLAGS = $(AM_CFLAGS) -fexceptions -fvisibility=hidden
libtracelayer_la_SOURCES = %D%/builtin.c %D%/device/apis.c %D%/device/handles.h %D%/device/handles.c $(opencl_lanes) $(ze_lanes) \
	%D%/confine.c %D%/ends.c %D%/setid.c %D%/unwind.c %D%/zel.h %D%/zel.c
nodist_libtracelayer_la_SOURCES = apis/ze_tracing.c
libtracelayer_la_LIBADD = libtl_libc.la libtl_shims.la libtl_tables.la libtl_core.la libtl_resolve.la libtl_writer.la libtl_format.la
libtracelayer_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -no-undefined -static-libgcc -Wl,--wrap=syscall -Wl,--wrap=prctl \
	-Wl,-Bsymbolic -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,defs \
	-Wl,--exclude-libs,libffi.a:libz.a -Wl,--version-script=layer/libtracelayer.map \
	-Wl,--push-state,-Bstatic,-l:libffi.a,-l:libz.a,--pop-state
libtracelayer_la_DEPENDENCIES = $(libtracelayer_la_LIBADD) layer/libtracelayer.map
CLEANFILES += layer/libtracelayer.map

layer/libtracelayer.map: apis/ze.exports apis/cl.exports apis/ze_tracing.exports %D%/exports
	$(AM_V_GEN)$(MKDIR_P) layer && { \
		echo '{'; echo 'global:'; \
		sed -e '/^#/d' -e '/^$$/d' -e 's/$$/;/' $(srcdir)/%D%/exports apis/ze.exports apis/cl.exports apis/ze_tracing.exports; \
		echo 'local: *;'; echo '};'; \
	} >$@.tmp && mv $@.tmp $@
EXTRA_DIST += %D%/exports

# The loaders' own layers. Each lies alone in a folder that can be named in LD_LIBRARY_PATH, two below libtracelayer.so, which it opens: in
# the build folder as where it is installed. Not libtool's: it would install an archive and links beside them.
doorsdir = $(pkglibdir)
doors = level-zero/libze_tracing_layer.so.1 opencl/libtracelayer_opencl_layer.so
built_doors = .libs/tracelayer/level-zero/libze_tracing_layer.so.1 .libs/tracelayer/opencl/libtracelayer_opencl_layer.so
door_link = -shared $(SANITIZE) $(CFLAGS) $(LDFLAGS) -static-libgcc \
	-Wl,-Bsymbolic -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,defs

noinst_LTLIBRARIES += libtl_ze_layer.la libtl_cl_layer.la
libtl_ze_layer_la_CPPFLAGS = $(AM_CPPFLAGS)
libtl_ze_layer_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libtl_ze_layer_la_SOURCES = %D%/doors/library.h %D%/doors/library.c %D%/doors/ze_layer.h %D%/doors/ze_layer.c
nodist_libtl_ze_layer_la_SOURCES = apis/ze_layer.c
libtl_cl_layer_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libtl_cl_layer_la_SOURCES = %D%/doors/library.h %D%/doors/library.c %D%/doors/cl_layer.h %D%/doors/cl_layer.c
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

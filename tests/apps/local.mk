# SPDX-License-Identifier: MIT
# tests/apps: the programs under test. cl_ programs use OpenCL, ze_ and zel_ programs Level Zero.

# What tests compile themselves, in forms of their own.
test_files += %D%/expect.h %D%/context_forms.c %D%/nntrace_forms.c %D%/profiler_forms.c %D%/profiler_other.c %D%/profiler_other.h
test_files += %D%/Calls.java %D%/java_calls.c %D%/curl.json %D%/filtered.c %D%/jit_calls.c %D%/jit_calls.h %D%/jit_calls.json \
	%D%/jit_calls.lua %D%/mpi.json %D%/mpi_calls.c %D%/mpi_handles.c %D%/mpi_meets.c %D%/mpi_ring.F90 %D%/mpi_sends.c %D%/mpi_spawns.c %D%/job_stencil.py %D%/job_known.py %D%/pq.json %D%/toy_sum.c %D%/toy_sum.h %D%/toy_sum.json %D%/toy_threads.c
test_files += %D%/kill_callee.json

check_PROGRAMS += %D%/cl_vector_add %D%/cl_threads %D%/cl_hostile %D%/cl_callbacks %D%/cl_none \
	%D%/cl_errno
%C%_cl_vector_add_SOURCES = %D%/cl_vector_add.c %D%/cl_app.h
%C%_cl_vector_add_LDADD = -lOpenCL -lpthread
%C%_cl_threads_SOURCES = %D%/cl_threads.c %D%/cl_app.h
%C%_cl_threads_LDADD = -lOpenCL -lpthread
%C%_cl_hostile_SOURCES = %D%/cl_hostile.c %D%/cl_app.h
%C%_cl_hostile_LDADD = -lOpenCL
%C%_cl_callbacks_SOURCES = %D%/cl_callbacks.c %D%/cl_app.h
%C%_cl_callbacks_LDADD = -lOpenCL -lpthread
%C%_cl_none_SOURCES = %D%/cl_none.c %D%/cl_app.h
%C%_cl_none_LDADD = -lOpenCL
%C%_cl_errno_SOURCES = %D%/cl_errno.c %D%/cl_app.h
%C%_cl_errno_LDADD = -lOpenCL -lpthread

check_PROGRAMS += %D%/job_calls
%C%_job_calls_LDADD = -lOpenCL

check_PROGRAMS += %D%/trace_file
%C%_trace_file_LDADD = -lOpenCL -lpthread

check_PROGRAMS += %D%/clock_brackets
%C%_clock_brackets_SOURCES = %D%/clock_brackets.c
%C%_clock_brackets_LDADD = libbench_callee.la
%C%_clock_brackets_LDFLAGS = $(AM_LDFLAGS) -no-install

check_LTLIBRARIES += %D%/clock_double.la
%C%_clock_double_la_SOURCES = %D%/clock_double.c
%C%_clock_double_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)
%C%_clock_double_la_LIBADD = -ldl

check_PROGRAMS += %D%/late_calls
%C%_late_calls_SOURCES = %D%/late_calls.c
%C%_late_calls_LDADD = -lOpenCL -lpthread

check_PROGRAMS += %D%/ends_ways %D%/ends_signals %D%/ends_many %D%/ends_within
%C%_ends_within_SOURCES = %D%/ends_within.c %D%/cl_app.h
%C%_ends_within_LDADD = -lOpenCL -lpthread
%C%_ends_many_LDADD = -lOpenCL -lpthread
%C%_ends_ways_LDADD = -lOpenCL -lpthread
%C%_ends_signals_LDADD = -lOpenCL -lpthread

check_PROGRAMS += %D%/confined %D%/cramped %D%/limits
%C%_confined_LDADD = -lOpenCL -lpthread
%C%_cramped_LDADD = -lOpenCL
%C%_limits_LDADD = libtl_format.la

check_PROGRAMS += %D%/ze_vector_add %D%/ze_events %D%/ze_dlopen %D%/ze_ddi %D%/ze_chain \
	%D%/ze_calls %D%/ze_sysman %D%/ze_unwind
ZE_APP_SOURCES = %D%/ze_app.c %D%/ze_count.c %D%/ze_app.h
ZE_APP_LIBS = -lze_loader -lpthread
%C%_ze_vector_add_SOURCES = %D%/ze_vector_add.c $(ZE_APP_SOURCES)
%C%_ze_vector_add_LDADD = $(ZE_APP_LIBS)
%C%_ze_events_SOURCES = %D%/ze_events.c $(ZE_APP_SOURCES)
%C%_ze_events_LDADD = $(ZE_APP_LIBS)
# Not linked with the loader: of what ze_app.c offers it uses the counting only.
%C%_ze_dlopen_SOURCES = %D%/ze_dlopen.c %D%/ze_count.c %D%/ze_app.h
%C%_ze_dlopen_LDADD = -ldl -lpthread
%C%_ze_ddi_SOURCES = %D%/ze_ddi.c $(ZE_APP_SOURCES)
%C%_ze_ddi_LDADD = $(ZE_APP_LIBS)
%C%_ze_chain_SOURCES = %D%/ze_chain.c $(ZE_APP_SOURCES)
%C%_ze_chain_LDADD = $(ZE_APP_LIBS)
%C%_ze_calls_SOURCES = %D%/ze_calls.c $(ZE_APP_SOURCES)
%C%_ze_calls_LDADD = $(ZE_APP_LIBS)
%C%_ze_sysman_SOURCES = %D%/ze_sysman.c $(ZE_APP_SOURCES)
%C%_ze_sysman_LDADD = $(ZE_APP_LIBS)
%C%_ze_unwind_SOURCES = %D%/ze_unwind.c %D%/ze_unwind_throw.cc $(ZE_APP_SOURCES)
%C%_ze_unwind_CFLAGS = $(AM_CFLAGS) -fexceptions
%C%_ze_unwind_LDADD = $(ZE_APP_LIBS) -ldl

check_PROGRAMS += %D%/ze_device
%C%_ze_device_SOURCES = %D%/ze_device.c $(ZE_APP_SOURCES)
%C%_ze_device_LDADD = $(ZE_APP_LIBS) -ldl

check_PROGRAMS += %D%/ze_reads
%C%_ze_reads_SOURCES = %D%/ze_reads.c tests/drivers/ze_recent.h $(ZE_APP_SOURCES)
%C%_ze_reads_LDADD = $(ZE_APP_LIBS)

check_PROGRAMS += %D%/ze_recent
%C%_ze_recent_SOURCES = %D%/ze_recent.c tests/drivers/ze_recent.h $(ZE_APP_SOURCES)
%C%_ze_recent_LDADD = libze_recent.la $(ZE_APP_LIBS)

check_PROGRAMS += %D%/cl_linked %D%/cl_found %D%/cl_extension
%C%_cl_linked_SOURCES = %D%/cl_linked.c %D%/cl_work.h
%C%_cl_linked_LDADD = -lOpenCL -ldl
%C%_cl_found_SOURCES = %D%/cl_found.c %D%/cl_work.h
%C%_cl_found_LDADD = -ldl
%C%_cl_extension_SOURCES = %D%/cl_extension.c
%C%_cl_extension_LDADD = -lOpenCL -lpthread

check_LTLIBRARIES += %D%/cl_plugin.la
%C%_cl_plugin_la_SOURCES = %D%/cl_plugin.c %D%/cl_work.h
%C%_cl_plugin_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)
%C%_cl_plugin_la_LIBADD = -lOpenCL -ldl

check_LTLIBRARIES += %D%/cl_early.la %D%/cl_interposer.la
%C%_cl_early_la_SOURCES = %D%/cl_early.c %D%/cl_work.h
%C%_cl_early_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)
%C%_cl_interposer_la_SOURCES = %D%/cl_interposer.c
%C%_cl_interposer_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)

check_PROGRAMS += %D%/cl_device %D%/cl_device_answers %D%/cl_device_hostile %D%/cl_device_ends
%C%_cl_device_SOURCES = %D%/cl_device.c %D%/cl_device.h %D%/cl_app.h
%C%_cl_device_LDADD = -lOpenCL -lpthread
%C%_cl_device_answers_SOURCES = %D%/cl_device_answers.c %D%/cl_device.h %D%/cl_app.h
%C%_cl_device_answers_LDADD = -lOpenCL -lpthread
%C%_cl_device_hostile_SOURCES = %D%/cl_device_hostile.c %D%/cl_device.h %D%/cl_app.h
%C%_cl_device_hostile_LDADD = -lOpenCL -lpthread
%C%_cl_device_ends_SOURCES = %D%/cl_device_ends.c %D%/cl_device.h %D%/cl_app.h
%C%_cl_device_ends_LDADD = -lOpenCL -ldl -lpthread
check_PROGRAMS += %D%/cl_awaited %D%/cl_questions
%C%_cl_awaited_SOURCES = %D%/cl_awaited.c %D%/cl_ended.h %D%/cl_device.h %D%/cl_app.h
%C%_cl_awaited_LDADD = -lOpenCL -lpthread
%C%_cl_questions_SOURCES = %D%/cl_questions.c %D%/cl_ended.h %D%/cl_device.h %D%/cl_app.h
%C%_cl_questions_LDADD = -lOpenCL -lpthread

check_PROGRAMS += %D%/tool_calls %D%/tool_objects
%C%_tool_calls_SOURCES = %D%/tool_calls.c
%C%_tool_calls_LDADD = -lOpenCL -ldl -lpthread
%C%_tool_objects_SOURCES = %D%/tool_objects.c $(ZE_APP_SOURCES)
%C%_tool_objects_CPPFLAGS = $(AM_CPPFLAGS) -DCL_TARGET_OPENCL_VERSION=300
%C%_tool_objects_LDADD = $(ZE_APP_LIBS) -lOpenCL
%C%_tool_objects_LDFLAGS = $(AM_LDFLAGS) -rdynamic

check_LTLIBRARIES += %D%/tool_plugin.la
%C%_tool_plugin_la_SOURCES = %D%/tool_plugin.c
%C%_tool_plugin_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)
%C%_tool_plugin_la_LIBADD = -lOpenCL

check_PROGRAMS += %D%/zel_contract %D%/zel_every
%C%_zel_contract_SOURCES = %D%/zel_contract.h %D%/zel_contract.c %D%/zel_contract_calls.c %D%/zel_contract_errors.c \
	%D%/zel_contract_threads.c %D%/zel_contract_unwinding.c %D%/ze_unwind_throw.cc $(ZE_APP_SOURCES)
%C%_zel_contract_CFLAGS = $(AM_CFLAGS) -fexceptions -pthread
%C%_zel_contract_LDADD = $(ZE_APP_LIBS) -ldl
%C%_zel_every_SOURCES = %D%/zel_every.c %D%/ze_calls.c $(ZE_APP_SOURCES)
nodist_%C%_zel_every_SOURCES = %D%/zel_functions.def
%C%_zel_every_CPPFLAGS = $(AM_CPPFLAGS) -Dmain=ze_calls_main -I$(top_builddir)/%D%
%C%_zel_every_LDADD = $(ZE_APP_LIBS)
%D%/zel_every-zel_every.$(OBJEXT): %D%/zel_functions.def
%D%/zel_functions.def: apis/ze_tracing.exports
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(SED) -n -e '/^#/q' -e 's/^zelTracer\(.*\)RegisterCallback$$/EACH(\1)/p' apis/ze_tracing.exports >$@
CLEANFILES += %D%/zel_functions.def

# Loaders other than the installed one, in miniature, and who comes at them from elsewhere: a tool's constructor, a loader that is linked in.
ZE_MODULE_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)

check_LTLIBRARIES += %D%/ze_linked.la %D%/zel_early.la
%C%_ze_linked_la_SOURCES = %D%/ze_linked.c
%C%_ze_linked_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
%C%_ze_linked_la_LDFLAGS = $(ZE_MODULE_LDFLAGS)
%C%_ze_linked_la_LIBADD = -ldl
%C%_zel_early_la_SOURCES = %D%/zel_early.c
%C%_zel_early_la_CFLAGS = $(AM_CFLAGS)
%C%_zel_early_la_LDFLAGS = $(ZE_MODULE_LDFLAGS)
%C%_zel_early_la_LIBADD = -ldl

check_PROGRAMS += %D%/ze_newer
%C%_ze_newer_SOURCES = %D%/ze_newer.c
%C%_ze_newer_CFLAGS = $(AM_CFLAGS) -fPIE
%C%_ze_newer_LDFLAGS = $(AM_LDFLAGS) -pie -Wl,-z,dynamic-undefined-weak
%C%_ze_newer_LDADD = -ldl

check_PROGRAMS += %D%/control_calls
%C%_control_calls_SOURCES = %D%/control_calls.c
%C%_control_calls_LDADD = -lOpenCL -ldl -lpthread

check_PROGRAMS += %D%/contexts %D%/cl_requests %D%/cl_sizes
%C%_cl_requests_SOURCES = %D%/cl_requests.c %D%/cl_app.h
%C%_cl_requests_LDADD = -lOpenCL -lpthread
%C%_cl_sizes_SOURCES = %D%/cl_sizes.c %D%/cl_app.h
%C%_cl_sizes_LDADD = -lOpenCL
%C%_contexts_SOURCES = %D%/contexts.c
%C%_contexts_LDADD = -lOpenCL -lpthread

check_PROGRAMS += %D%/nntrace_rows
%C%_nntrace_rows_SOURCES = %D%/nntrace_rows.c
%C%_nntrace_rows_LDADD = -ldl

check_PROGRAMS += %D%/agree
%C%_agree_SOURCES = %D%/agree.c %D%/cl_app.h
%C%_agree_LDADD = -lOpenCL -lpthread -ldl

check_LTLIBRARIES += libkill_callee.la libkill_shims.la
libkill_callee_la_SOURCES = %D%/kill_callee.c %D%/kill_callee.h
libkill_callee_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -rpath $(abs_builddir)
nodist_libkill_shims_la_SOURCES = %D%/kill_shims.c %D%/kill_tables.c
libkill_shims_la_SOURCES =
libkill_shims_la_CPPFLAGS = $(AM_CPPFLAGS) -DTL_SHIM_LIBRARY -I$(srcdir)/%D%
libkill_shims_la_CFLAGS = -std=gnu11 $(TL_WARNINGS) -O2 -fexceptions -fvisibility=hidden -fno-stack-protector
libkill_shims_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)
libkill_shims_la_LIBADD = libtracelayer.la
# The library refuses shims that are older than it. So if there are some, a plain `make` renews them.
all-local: $(wildcard libkill_shims.la)

check_PROGRAMS += %D%/kill_target
%C%_kill_target_SOURCES = %D%/kill_target.c
%C%_kill_target_CFLAGS = $(AM_CFLAGS) -pthread
%C%_kill_target_LDADD = libkill_callee.la -lpthread
%C%_kill_target_LDFLAGS = $(AM_LDFLAGS) -no-install

kill_emitted = %D%/kill_shims.c %D%/kill_tables.c
CLEANFILES += $(kill_emitted) %D%/kill_callbacks.h %D%/kill.exports %D%/kill_model.json
if HAVE_TRACEGEN
BUILT_SOURCES += $(kill_emitted)
endif
%D%/kill.exports: tracegen$(EXEEXT) %D%/kill_callee.json %D%/kill_callee.h
	$(AM_V_GEN)$(MKDIR_P) %D% && \
		./tracegen$(EXEEXT) model --api $(srcdir)/%D%/kill_callee.json -o %D%/kill_model.json -- -I$(srcdir)/%D% && \
		./tracegen$(EXEEXT) emit --model %D%/kill_model.json -o %D%
$(kill_emitted): %D%/kill.exports
	@test -f $@ || { rm -f %D%/kill.exports && $(MAKE) $(AM_MAKEFLAGS) %D%/kill.exports; }
	@touch $@

check_PROGRAMS += %D%/cl_profile
%C%_cl_profile_SOURCES = %D%/cl_profile.c
%C%_cl_profile_LDADD = -lOpenCL -ldl -lpthread

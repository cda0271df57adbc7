# SPDX-License-Identifier: MIT
# tests: see doc/internals.md. Each owner keeps one block.

# --- whole programs, test applications, viewers
EXTRA_DIST += tests/lib/lib.sh tests/lib/sanitizers.sh tests/lib/check_trace.py tests/lib/device_lanes.py tests/lib/check_names.py tests/lib/whole.sh
TESTS += tests/whole/whole_programs.sh tests/whole/whole_threads.sh tests/whole/sanitized.sh tests/whole/driver_calls.sh
EXTRA_DIST += tests/whole/whole_programs.sh tests/whole/whole_threads.sh tests/whole/sanitized.sh tests/whole/driver_calls.sh
TESTS += tests/whole/viewers.sh tests/whole/viewers_tracing.sh
EXTRA_DIST += tests/whole/viewers.sh tests/whole/viewers_tracing.sh tests/whole/viewers/browser.py tests/whole/viewers/speedscope.py tests/whole/viewers/tight.py tests/whole/viewers/touching.py \
	tests/whole/viewers/tracing.py tests/whole/viewers/view.py
check_PROGRAMS += %D%/apps/cl_vector_add %D%/apps/cl_threads %D%/apps/cl_hostile %D%/apps/cl_callbacks %D%/apps/cl_none \
	%D%/apps/cl_errno
%C%_apps_cl_vector_add_SOURCES = %D%/apps/cl_vector_add.c %D%/apps/cl_app.h
%C%_apps_cl_vector_add_LDADD = -lOpenCL -lpthread
%C%_apps_cl_threads_SOURCES = %D%/apps/cl_threads.c %D%/apps/cl_app.h
%C%_apps_cl_threads_LDADD = -lOpenCL -lpthread
%C%_apps_cl_hostile_SOURCES = %D%/apps/cl_hostile.c %D%/apps/cl_app.h
%C%_apps_cl_hostile_LDADD = -lOpenCL
%C%_apps_cl_callbacks_SOURCES = %D%/apps/cl_callbacks.c %D%/apps/cl_app.h
%C%_apps_cl_callbacks_LDADD = -lOpenCL -lpthread
%C%_apps_cl_none_SOURCES = %D%/apps/cl_none.c %D%/apps/cl_app.h
%C%_apps_cl_none_LDADD = -lOpenCL
%C%_apps_cl_errno_SOURCES = %D%/apps/cl_errno.c %D%/apps/cl_app.h
%C%_apps_cl_errno_LDADD = -lOpenCL -lpthread

# make stress: the tests that know a longer form, in it.
STRESS_TESTS = tests/whole/whole_programs.sh tests/whole/whole_threads.sh tests/format/args_fuzz.sh tests/format/chrome_fuzz.sh \
	tests/calls/stress_tracers.sh
stress:
	$(AM_V_at)STRESS=1 FUZZ_SECONDS=60 TEST_LIMIT=7200; export STRESS FUZZ_SECONDS TEST_LIMIT; $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(STRESS_TESTS)'

# --- settings, output files, the writer, Chrome JSON
TESTS += environment_test chrome_test output_test writer_test tests/format/chrome_fuzz.sh
check_PROGRAMS += environment_test chrome_test output_test writer_test
environment_test_SOURCES = %D%/base/environment_test.c layer/base/environment.c layer/base/environment.h layer/base/message.c layer/base/message.h
environment_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
environment_test_LDADD = libtl_format.la $(CHECK_LIBS)
chrome_test_SOURCES = %D%/format/chrome_test.c %D%/lib/args_table.h
chrome_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS)
chrome_test_LDADD = libtl_tables.la libtl_format.la $(CHECK_LIBS) $(JANSSON_LIBS)
output_test_SOURCES = %D%/common/output_test.c
output_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
output_test_LDADD = libtl_writer.la libtl_format.la $(CHECK_LIBS) $(ZLIB_LIBS)
writer_test_SOURCES = %D%/write/writer_test.c %D%/lib/control_doubles.c layer/base/bounded_lock.c layer/base/bounded_lock.h layer/base/message.c layer/base/message.h
writer_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS)
writer_test_LDADD = libtl_writer.la libtl_format.la $(CHECK_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS)
TESTS += tests/write/trace_file.sh
check_PROGRAMS += %D%/apps/trace_file
%C%_apps_trace_file_LDADD = -lOpenCL -lpthread
EXTRA_DIST += tests/lib/fuzz.sh tests/format/chrome_fuzz.sh tests/format/fuzz_chrome.c tests/write/trace_file.sh
TESTS += tests/write/stress_writer.sh
STRESS_TESTS += tests/write/stress_writer.sh
EXTRA_DIST += tests/write/stress_writer.sh tests/write/stress_writer.c

# --- the core of the layer: buffers, clock, calls, threads
core_doubles = %D%/lib/core_doubles.c %D%/lib/core_doubles.h
core_libs = libtl_core.la libtl_format.la $(CHECK_LIBS)
TESTS += buffer_test
check_PROGRAMS += buffer_test
buffer_test_SOURCES = %D%/buffers/buffer_test.c %D%/lib/core_records.h $(core_doubles)
buffer_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
buffer_test_LDADD = $(core_libs)
TESTS += event_test
check_PROGRAMS += event_test
event_test_SOURCES = %D%/calls/event_test.c %D%/lib/encoded.h $(core_doubles)
event_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS)
event_test_LDADD = $(core_libs) $(JANSSON_LIBS)
# Device work: its clocks' fit, and what it looks like.
TESTS += clock_fit_test device_work_test %D%/device/device_trace.sh
EXTRA_DIST += %D%/device/device_trace.sh %D%/device/device_trace.py
check_PROGRAMS += clock_fit_test device_work_test
clock_fit_test_SOURCES = %D%/device/clock_fit_test.c %D%/lib/random.h layer/device/clock_fit.c layer/device/clock_fit.h
clock_fit_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
clock_fit_test_LDADD = $(CHECK_LIBS) -lm
TESTS += handles_test
check_PROGRAMS += handles_test
handles_test_SOURCES = %D%/device/handles_test.c layer/device/handles.c layer/device/handles.h
handles_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
handles_test_LDADD = $(CHECK_LIBS) -lpthread
device_work_test_SOURCES = %D%/device/device_work_test.c %D%/lib/encoded.h %D%/lib/random.h $(core_doubles)
device_work_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS)
device_work_test_LDADD = $(core_libs) $(JANSSON_LIBS)
device_work_test_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=realloc
TESTS += clock_test
check_PROGRAMS += clock_test
clock_test_SOURCES = %D%/buffers/clock_test.c $(core_doubles)
clock_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
clock_test_LDADD = $(core_libs)
TESTS += clock_slew_test
check_PROGRAMS += clock_slew_test
clock_slew_test_SOURCES = %D%/buffers/clock_slew_test.c
clock_slew_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
clock_slew_test_LDADD = libtl_format.la $(CHECK_LIBS)
STRESS_TESTS += clock_slew_test tests/buffers/clock.sh
TESTS += tests/buffers/clock.sh
EXTRA_DIST += tests/buffers/clock.sh tests/buffers/clock.py
check_PROGRAMS += %D%/apps/clock_brackets
%C%_apps_clock_brackets_SOURCES = %D%/apps/clock_brackets.c
%C%_apps_clock_brackets_LDADD = libbench_callee.la
%C%_apps_clock_brackets_LDFLAGS = $(AM_LDFLAGS) -no-install
check_LTLIBRARIES += %D%/apps/clock_double.la
%C%_apps_clock_double_la_SOURCES = %D%/apps/clock_double.c
%C%_apps_clock_double_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)
%C%_apps_clock_double_la_LIBADD = -ldl
TESTS += call_test
check_PROGRAMS += call_test
call_test_SOURCES = %D%/calls/call_test.c %D%/lib/toy_calls.h $(core_doubles)
call_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -fexceptions
call_test_LDADD = $(core_libs)
TESTS += longjmp_test
check_PROGRAMS += longjmp_test
longjmp_test_SOURCES = %D%/calls/longjmp_test.c %D%/lib/toy_calls.h %D%/lib/random.h $(core_doubles)
longjmp_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -fexceptions
longjmp_test_LDADD = $(core_libs)
TESTS += hook_test device_test
check_PROGRAMS += hook_test device_test
device_test_SOURCES = %D%/device/device_test.c $(core_doubles)
device_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
device_test_LDADD = $(core_libs)
hook_test_SOURCES = %D%/device/hook_test.c %D%/lib/toy_calls.h $(core_doubles)
hook_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -fexceptions
hook_test_LDADD = $(core_libs)
TESTS += exception_test
check_PROGRAMS += exception_test
exception_test_SOURCES = %D%/calls/exception_test.cc %D%/calls/exception_shims.c $(core_doubles)
exception_test_CFLAGS = $(AM_CFLAGS) -fexceptions
exception_test_CXXFLAGS = $(AM_CXXFLAGS) $(SANITIZE)
exception_test_LDADD = libtl_core.la libtl_format.la
check_PROGRAMS += %D%/apps/late_calls
%C%_apps_late_calls_SOURCES = %D%/apps/late_calls.c
%C%_apps_late_calls_LDADD = -lOpenCL -lpthread
TESTS += %D%/calls/core_tsan.sh %D%/resolve/library.sh %D%/calls/late_calls.sh %D%/buffers/places.sh
EXTRA_DIST += %D%/calls/core_tsan.sh %D%/resolve/library.sh %D%/calls/late_calls.sh %D%/buffers/places.sh

# --- our thread, our exit handlers and what other libraries replace
TESTS += libc_bytes_test
check_PROGRAMS += libc_bytes_test
libc_bytes_test_SOURCES = %D%/base/libc_bytes_test.c
libc_bytes_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -fno-builtin
libc_bytes_test_LDADD = $(CHECK_LIBS)
TESTS += %D%/base/libc_static.sh %D%/base/libc_calls.sh %D%/process/setid.sh %D%/base/libc_programs.sh
EXTRA_DIST += %D%/base/libc_static.sh %D%/base/libc_static.py %D%/base/libc_calls.sh %D%/process/setid.sh %D%/base/libc_programs.sh %D%/base/libc/calls.c %D%/base/libc/mpi.c \
	%D%/base/libc/reach.c %D%/base/libc/rights.c %D%/base/libc/tls.c %D%/base/libc/watcher.c

# --- the ways a process ends or multiplies
STRESS_TESTS += tests/process/ends_signals.sh tests/process/ends_many.sh
TESTS += %D%/process/ends_ways.sh %D%/process/ends_follow.sh %D%/process/ends_signals.sh %D%/process/ends_many.sh %D%/process/ends_tools.sh
EXTRA_DIST += %D%/process/ends_ways.sh %D%/process/ends_follow.sh %D%/process/ends_signals.sh %D%/process/ends_counts.py %D%/process/ends_many.sh %D%/process/ends_tools.sh
check_PROGRAMS += %D%/apps/ends_ways %D%/apps/ends_signals %D%/apps/ends_many
%C%_apps_ends_many_LDADD = -lOpenCL -lpthread
%C%_apps_ends_ways_LDADD = -lOpenCL -lpthread
%C%_apps_ends_signals_LDADD = -lOpenCL -lpthread

# --- small and strange surroundings
TESTS += %D%/process/exec_image.sh %D%/process/confine.sh %D%/process/cramped.sh %D%/process/surroundings.sh
EXTRA_DIST += %D%/process/exec_image.sh %D%/process/confine.sh %D%/process/cramped.sh %D%/process/surroundings.sh
check_PROGRAMS += %D%/apps/confined %D%/apps/cramped %D%/apps/limits
%C%_apps_confined_LDADD = -lOpenCL -lpthread
%C%_apps_cramped_LDADD = -lOpenCL
%C%_apps_limits_LDADD = libtl_format.la

# --- the command
TESTS += tests/cli/summary.sh tests/cli/summary_device.sh tests/callbacks/summary_live.sh tests/house/docs.sh tests/cli/run.sh tests/cli/signals.sh tests/house/install.sh tests/house/setup.sh
EXTRA_DIST += tests/cli/summary.sh tests/cli/summary_device.sh tests/callbacks/summary_live.sh tests/cli/summary_device.py tests/house/docs.sh tests/cli/run.sh tests/cli/signals.sh tests/house/install.sh tests/house/setup.sh

# --- arguments, emitted code
TESTS += args_test tests/format/args_fuzz.sh tests/gen/emit_shims.sh tests/gen/emit_layer.sh
check_PROGRAMS += args_test
args_test_SOURCES = %D%/format/args_test.c %D%/lib/args_table.h %D%/lib/sandbox.h
args_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS)
args_test_LDADD = libtl_format.la $(CHECK_LIBS) $(JANSSON_LIBS)
EXTRA_DIST += tests/format/args_fuzz.sh tests/format/fuzz_args.c tests/lib/fuzz_records.h tests/lib/random.h tests/gen/emit_shims.sh tests/gen/emit_layer.sh \
	tests/gen/emit/odd.h tests/gen/emit/odd.c tests/gen/emit/odd.json tests/gen/emit/odd_test.cc tests/gen/emit/runtime.h tests/gen/emit/runtime.c \
	tests/gen/emit/zlib_test.c tests/gen/emit/sqlite_test.c

# --- the record format: its reader, APIs' descriptions, export
TESTS += describe_test
check_PROGRAMS += describe_test
describe_test_SOURCES = %D%/format/describe_test.c %D%/lib/args_table.h
describe_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
describe_test_LDADD = libtl_reader.la libtl_tables.la libtl_format.la $(CHECK_LIBS)
TESTS += record_reader_test
check_PROGRAMS += record_reader_test
record_reader_test_SOURCES = %D%/format/record_reader_test.c %D%/lib/args_table.h %D%/lib/trace_builder.h layer/buffers/clock.h layer/buffers/clock.c
record_reader_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
record_reader_test_LDADD = libtl_reader.la libtl_format.la $(CHECK_LIBS)
TESTS += %D%/cli/export.sh %D%/format/record_reader_fuzz.sh
STRESS_TESTS += %D%/format/record_reader_fuzz.sh
EXTRA_DIST += %D%/cli/export.sh %D%/format/record_reader_fuzz.sh %D%/format/fuzz_record_reader.c
check_PROGRAMS += trace_maker
trace_maker_SOURCES = %D%/format/trace_maker.c %D%/lib/trace_builder.h %D%/lib/args_table.h
trace_maker_LDADD = libtl_reader.la libtl_format.la

# ---- Level Zero test bed: a software device behind Debian's stock loader (drivers/ze_driver.h), and programs that use it
ZE_DRIVER_SOURCES = %D%/drivers/ze_device.h %D%/drivers/ze_driver.h %D%/drivers/ze_functions.def \
	%D%/drivers/ze_entry.c %D%/drivers/ze_clock.c %D%/drivers/ze_properties.c %D%/drivers/ze_memory.c \
	%D%/drivers/ze_event.c %D%/drivers/ze_image.c %D%/drivers/ze_kernels.c %D%/drivers/ze_module.c %D%/drivers/ze_list.c \
	%D%/drivers/ze_run.c %D%/drivers/ze_queue.c %D%/drivers/ze_sysman.c %D%/drivers/ze_recent.c %D%/drivers/ze_recent.h
ZE_DRIVER_CFLAGS = $(AM_CFLAGS) -fexceptions -pthread
# Two of the same, so that two drivers can be loaded at once. Never unloaded: their threads may still be running.
ZE_DRIVER_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir) -pthread -Wl,-Bsymbolic -Wl,-z,nodelete \
	-export-symbols-regex '^(ze[st]?Get[A-Za-z]*ProcAddrTable|test_ze_[a-z_]*)$$'

check_LTLIBRARIES += %D%/drivers/ze_driver_a.la %D%/drivers/ze_driver_b.la
%C%_drivers_ze_driver_a_la_SOURCES = $(ZE_DRIVER_SOURCES)
%C%_drivers_ze_driver_a_la_CFLAGS = $(ZE_DRIVER_CFLAGS)
%C%_drivers_ze_driver_a_la_LDFLAGS = $(ZE_DRIVER_LDFLAGS)
%C%_drivers_ze_driver_b_la_SOURCES = $(ZE_DRIVER_SOURCES)
%C%_drivers_ze_driver_b_la_CPPFLAGS = $(AM_CPPFLAGS) -DZE_DRIVER_INSTANCE='"b"'
%C%_drivers_ze_driver_b_la_CFLAGS = $(ZE_DRIVER_CFLAGS)
%C%_drivers_ze_driver_b_la_LDFLAGS = $(ZE_DRIVER_LDFLAGS)

check_PROGRAMS += %D%/apps/ze_vector_add %D%/apps/ze_events %D%/apps/ze_dlopen %D%/apps/ze_ddi %D%/apps/ze_chain \
	%D%/apps/ze_calls %D%/apps/ze_sysman %D%/apps/ze_unwind
ZE_APP_SOURCES = %D%/apps/ze_app.c %D%/apps/ze_count.c %D%/apps/ze_app.h
ZE_APP_LIBS = -lze_loader -lpthread
%C%_apps_ze_vector_add_SOURCES = %D%/apps/ze_vector_add.c $(ZE_APP_SOURCES)
%C%_apps_ze_vector_add_LDADD = $(ZE_APP_LIBS)
%C%_apps_ze_events_SOURCES = %D%/apps/ze_events.c $(ZE_APP_SOURCES)
%C%_apps_ze_events_LDADD = $(ZE_APP_LIBS)
# Not linked with the loader: of what ze_app.c offers it uses the counting only.
%C%_apps_ze_dlopen_SOURCES = %D%/apps/ze_dlopen.c %D%/apps/ze_count.c %D%/apps/ze_app.h
%C%_apps_ze_dlopen_LDADD = -ldl -lpthread
%C%_apps_ze_ddi_SOURCES = %D%/apps/ze_ddi.c $(ZE_APP_SOURCES)
%C%_apps_ze_ddi_LDADD = $(ZE_APP_LIBS)
%C%_apps_ze_chain_SOURCES = %D%/apps/ze_chain.c $(ZE_APP_SOURCES)
%C%_apps_ze_chain_LDADD = $(ZE_APP_LIBS)
%C%_apps_ze_calls_SOURCES = %D%/apps/ze_calls.c $(ZE_APP_SOURCES)
%C%_apps_ze_calls_LDADD = $(ZE_APP_LIBS)
%C%_apps_ze_sysman_SOURCES = %D%/apps/ze_sysman.c $(ZE_APP_SOURCES)
%C%_apps_ze_sysman_LDADD = $(ZE_APP_LIBS)
%C%_apps_ze_unwind_SOURCES = %D%/apps/ze_unwind.c %D%/apps/ze_unwind_throw.cc $(ZE_APP_SOURCES)
%C%_apps_ze_unwind_CFLAGS = $(AM_CFLAGS) -fexceptions
%C%_apps_ze_unwind_LDADD = $(ZE_APP_LIBS) -ldl
TESTS += ze_driver_test %D%/drivers/ze_driver.sh %D%/program/ze_trace.sh %D%/device/device_ze.sh
check_PROGRAMS += %D%/apps/ze_device
%C%_apps_ze_device_SOURCES = %D%/apps/ze_device.c $(ZE_APP_SOURCES)
%C%_apps_ze_device_LDADD = $(ZE_APP_LIBS) -ldl
EXTRA_DIST += %D%/device/device_ze.sh %D%/device/device_ze.py
# What a program reads from its events.
TESTS += %D%/device/device_ze_reads.sh
check_PROGRAMS += %D%/apps/ze_reads
%C%_apps_ze_reads_SOURCES = %D%/apps/ze_reads.c %D%/drivers/ze_recent.h $(ZE_APP_SOURCES)
%C%_apps_ze_reads_LDADD = $(ZE_APP_LIBS)
EXTRA_DIST += %D%/device/device_ze_reads.sh
# Functions that Debian's headers lack: libze_recent.so offers the software device's, as a newer loader would.
TESTS += %D%/device/device_ze_recent.sh
check_LTLIBRARIES += libze_recent.la
libze_recent_la_SOURCES = %D%/drivers/ze_recent_calls.c %D%/drivers/ze_recent.h
libze_recent_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -rpath $(abs_builddir)
libze_recent_la_LIBADD = -ldl
check_PROGRAMS += %D%/apps/ze_recent
%C%_apps_ze_recent_SOURCES = %D%/apps/ze_recent.c %D%/drivers/ze_recent.h $(ZE_APP_SOURCES)
%C%_apps_ze_recent_LDADD = libze_recent.la $(ZE_APP_LIBS)
EXTRA_DIST += %D%/device/device_ze_recent.sh
check_PROGRAMS += ze_driver_test
ze_driver_test_SOURCES = %D%/drivers/ze_driver_test.c $(ZE_APP_SOURCES) %D%/drivers/ze_driver.h
ze_driver_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -pthread
ze_driver_test_LDADD = $(ZE_APP_LIBS) -ldl $(CHECK_LIBS)
EXTRA_DIST += %D%/drivers/ze_driver.sh %D%/program/ze_trace.sh
# --- the real functions: an OpenCL driver (drivers/icd.h), and programs that find their functions in every way there is
RESOLVE_ICD_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir) -pthread
RESOLVE_ICD_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden -pthread
RESOLVE_ICD_SOURCES = %D%/drivers/icd.h %D%/drivers/icd_driver.h %D%/drivers/icd_functions.def %D%/drivers/icd_report.c \
	%D%/drivers/icd_object.c %D%/drivers/icd_device.c %D%/drivers/icd_memory.c %D%/drivers/icd_event.c %D%/drivers/icd_queue.c \
	%D%/drivers/icd_enqueue.c %D%/drivers/icd_program.c
check_LTLIBRARIES += %D%/drivers/icd_a.la %D%/drivers/icd_b.la %D%/drivers/icd_table.la
%C%_drivers_icd_a_la_SOURCES = $(RESOLVE_ICD_SOURCES)
%C%_drivers_icd_a_la_CFLAGS = $(RESOLVE_ICD_CFLAGS)
%C%_drivers_icd_a_la_LDFLAGS = $(RESOLVE_ICD_LDFLAGS)
%C%_drivers_icd_b_la_SOURCES = $(RESOLVE_ICD_SOURCES)
%C%_drivers_icd_b_la_CPPFLAGS = $(AM_CPPFLAGS) -DICD_SECOND
%C%_drivers_icd_b_la_CFLAGS = $(RESOLVE_ICD_CFLAGS)
%C%_drivers_icd_b_la_LDFLAGS = $(RESOLVE_ICD_LDFLAGS)
%C%_drivers_icd_table_la_SOURCES = $(RESOLVE_ICD_SOURCES)
%C%_drivers_icd_table_la_CPPFLAGS = $(AM_CPPFLAGS) -DICD_TABLE_BY_NAME
%C%_drivers_icd_table_la_CFLAGS = $(RESOLVE_ICD_CFLAGS)
%C%_drivers_icd_table_la_LDFLAGS = $(RESOLVE_ICD_LDFLAGS)

check_PROGRAMS += %D%/apps/cl_linked %D%/apps/cl_found %D%/apps/cl_extension
%C%_apps_cl_linked_SOURCES = %D%/apps/cl_linked.c %D%/apps/cl_work.h
%C%_apps_cl_linked_LDADD = -lOpenCL -ldl
%C%_apps_cl_found_SOURCES = %D%/apps/cl_found.c %D%/apps/cl_work.h
%C%_apps_cl_found_LDADD = -ldl
%C%_apps_cl_extension_SOURCES = %D%/apps/cl_extension.c
%C%_apps_cl_extension_LDADD = -lOpenCL -lpthread
check_LTLIBRARIES += %D%/apps/cl_plugin.la
%C%_apps_cl_plugin_la_SOURCES = %D%/apps/cl_plugin.c %D%/apps/cl_work.h
%C%_apps_cl_plugin_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)
%C%_apps_cl_plugin_la_LIBADD = -lOpenCL -ldl
check_LTLIBRARIES += %D%/apps/cl_early.la %D%/apps/cl_interposer.la
%C%_apps_cl_early_la_SOURCES = %D%/apps/cl_early.c %D%/apps/cl_work.h
%C%_apps_cl_early_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)
%C%_apps_cl_interposer_la_SOURCES = %D%/apps/cl_interposer.c
%C%_apps_cl_interposer_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)
TESTS += %D%/resolve/resolve_cl.sh %D%/resolve/resolve_platforms.sh %D%/resolve/resolve_ze.sh
EXTRA_DIST += %D%/resolve/resolve_cl.sh %D%/resolve/resolve_platforms.sh %D%/resolve/resolve_ze.sh
TESTS += icd_test
check_PROGRAMS += icd_test
icd_test_SOURCES = %D%/drivers/icd_test.c
icd_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
icd_test_LDADD = -lOpenCL $(CHECK_LIBS)
TESTS += real_function_test
check_PROGRAMS += real_function_test
real_function_test_SOURCES = %D%/resolve/real_function_test.c layer/resolve/real_function.h layer/resolve/real_function.c layer/resolve/library_roles.h layer/resolve/library_roles.c layer/resolve/shim_names.h layer/resolve/shim_names.c layer/base/loaded_objects.h layer/base/loaded_objects.c \
	layer/resolve/closure.h layer/resolve/closure.c layer/resolve/elf.h layer/resolve/elf.c
real_function_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(LIBFFI_CFLAGS) -pthread
real_function_test_LDADD = $(CHECK_LIBS) -l:libffi.a -ldl -lpthread
# --- device lanes of OpenCL
check_PROGRAMS += %D%/apps/cl_device %D%/apps/cl_device_answers %D%/apps/cl_device_hostile %D%/apps/cl_device_ends
%C%_apps_cl_device_SOURCES = %D%/apps/cl_device.c %D%/apps/cl_device.h %D%/apps/cl_app.h
%C%_apps_cl_device_LDADD = -lOpenCL -lpthread
%C%_apps_cl_device_answers_SOURCES = %D%/apps/cl_device_answers.c %D%/apps/cl_device.h %D%/apps/cl_app.h
%C%_apps_cl_device_answers_LDADD = -lOpenCL -lpthread
%C%_apps_cl_device_hostile_SOURCES = %D%/apps/cl_device_hostile.c %D%/apps/cl_device.h %D%/apps/cl_app.h
%C%_apps_cl_device_hostile_LDADD = -lOpenCL -lpthread
%C%_apps_cl_device_ends_SOURCES = %D%/apps/cl_device_ends.c %D%/apps/cl_device.h %D%/apps/cl_app.h
%C%_apps_cl_device_ends_LDADD = -lOpenCL -ldl -lpthread
TESTS += %D%/device/device_cl.sh %D%/device/device_cl_ends.sh %D%/device/device_cl_real.sh %D%/device/device_tsan.sh
EXTRA_DIST += %D%/device/device_cl.sh %D%/device/device_cl_ends.sh %D%/device/device_cl_real.sh %D%/device/device_tsan.sh %D%/device/device_cl_common.sh %D%/device/device_cl.py %D%/device/device_cl_pyopencl.py
# --- tracegen: models, descriptors, checks
TESTS += model_test %D%/gen/tracegen.sh
check_PROGRAMS += model_test
model_test_SOURCES = %D%/gen/model_test.c $(tracegen_model)
model_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(LIBCLANG_CFLAGS) $(JANSSON_CFLAGS)
model_test_LDADD = $(CHECK_LIBS) $(LIBCLANG_LIBS) $(JANSSON_LIBS) libtl_format.la
EXTRA_DIST += %D%/gen/tracegen.sh
TESTS += %D%/gen/gen_sanitized.sh %D%/resolve/tail_calls.sh
EXTRA_DIST += %D%/gen/gen_sanitized.sh %D%/resolve/tail_calls.sh
# --- tracers: models, the public interface, stress
TESTS += %D%/house/models.sh
EXTRA_DIST += %D%/house/models.sh models/tracer.pml models/chunks.pml models/background.pml
TESTS += tracer_test
check_PROGRAMS += tracer_test
tracer_test_SOURCES = %D%/calls/tracer_test.c $(core_doubles)
tracer_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -fexceptions
tracer_test_LDADD = $(core_libs)
check_PROGRAMS += stress_tracers
stress_tracers_SOURCES = %D%/calls/stress_tracers.cc $(core_doubles)
stress_tracers_CFLAGS = $(AM_CFLAGS) -fexceptions
stress_tracers_CXXFLAGS = $(AM_CXXFLAGS) $(SANITIZE)
stress_tracers_LDADD = libtl_core.la libtl_format.la
TESTS += %D%/calls/stress_tracers.sh
EXTRA_DIST += %D%/calls/stress_tracers.sh
# --- tools: loading them, and those in callbacks/
TESTS += %D%/process/tool_libraries.sh %D%/callbacks/tools_ours.sh %D%/callbacks/tools_threads.sh
EXTRA_DIST += %D%/process/tool_libraries.sh %D%/callbacks/tools_ours.sh %D%/callbacks/tools_threads.sh %D%/callbacks/tools_threads.c %D%/process/tool_probe.c
check_PROGRAMS += %D%/apps/tool_calls %D%/apps/tool_objects
%C%_apps_tool_calls_SOURCES = %D%/apps/tool_calls.c
%C%_apps_tool_calls_LDADD = -lOpenCL -ldl -lpthread
%C%_apps_tool_objects_SOURCES = %D%/apps/tool_objects.c $(ZE_APP_SOURCES)
%C%_apps_tool_objects_CPPFLAGS = $(AM_CPPFLAGS) -DCL_TARGET_OPENCL_VERSION=300
%C%_apps_tool_objects_LDADD = $(ZE_APP_LIBS) -lOpenCL
%C%_apps_tool_objects_LDFLAGS = $(AM_LDFLAGS) -rdynamic
check_LTLIBRARIES += %D%/apps/tool_plugin.la
%C%_apps_tool_plugin_la_SOURCES = %D%/apps/tool_plugin.c
%C%_apps_tool_plugin_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)
%C%_apps_tool_plugin_la_LIBADD = -lOpenCL
# --- the doors: Level Zero's tracing interface behind each of them
check_PROGRAMS += %D%/apps/zel_contract %D%/apps/zel_every
%C%_apps_zel_contract_SOURCES = %D%/apps/zel_contract.h %D%/apps/zel_contract.c %D%/apps/zel_contract_calls.c %D%/apps/zel_contract_errors.c \
	%D%/apps/zel_contract_threads.c %D%/apps/zel_contract_unwinding.c %D%/apps/ze_unwind_throw.cc $(ZE_APP_SOURCES)
%C%_apps_zel_contract_CFLAGS = $(AM_CFLAGS) -fexceptions -pthread
%C%_apps_zel_contract_LDADD = $(ZE_APP_LIBS) -ldl
%C%_apps_zel_every_SOURCES = %D%/apps/zel_every.c %D%/apps/ze_calls.c $(ZE_APP_SOURCES)
nodist_%C%_apps_zel_every_SOURCES = %D%/apps/zel_functions.def
%C%_apps_zel_every_CPPFLAGS = $(AM_CPPFLAGS) -Dmain=ze_calls_main -I$(top_builddir)/%D%/apps
%C%_apps_zel_every_LDADD = $(ZE_APP_LIBS)
%D%/apps/zel_every-zel_every.$(OBJEXT): %D%/apps/zel_functions.def
%D%/apps/zel_functions.def: apis/ze_tracing.exports
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(SED) -n -e '/^#/q' -e 's/^zelTracer\(.*\)RegisterCallback$$/EACH(\1)/p' apis/ze_tracing.exports >$@
CLEANFILES += %D%/apps/zel_functions.def
check_PROGRAMS += loader_tables_test
loader_tables_test_SOURCES = %D%/doors/loader_tables_test.c
loader_tables_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
loader_tables_test_LDADD = $(CHECK_LIBS) -ldl
TESTS += loader_tables_test %D%/resolve/layers.sh %D%/doors/zel_preload.sh %D%/doors/zel_layer.sh
EXTRA_DIST += %D%/resolve/layers.sh %D%/doors/zel_preload.sh %D%/doors/zel_layer.sh %D%/doors/zel_doors.sh
# Loaders other than the installed one, in miniature, and who comes at them from elsewhere: a tool's constructor, a loader that is linked in.
ZE_MODULE_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)
check_LTLIBRARIES += %D%/apps/ze_linked.la %D%/apps/zel_early.la
# Not libtool's, which would name it for its file.
check_DATA = %D%/newer/libze_loader.so.1
%D%/newer/libze_loader.so.1: %D%/drivers/ze_newer.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -shared $(AM_LDFLAGS) \
		$(LDFLAGS) -Wl,-soname,$(@F) -o $@ $(srcdir)/%D%/drivers/ze_newer.c -ldl
CLEANFILES += %D%/newer/libze_loader.so.1
%C%_apps_ze_linked_la_SOURCES = %D%/apps/ze_linked.c
%C%_apps_ze_linked_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
%C%_apps_ze_linked_la_LDFLAGS = $(ZE_MODULE_LDFLAGS)
%C%_apps_ze_linked_la_LIBADD = -ldl
%C%_apps_zel_early_la_SOURCES = %D%/apps/zel_early.c
%C%_apps_zel_early_la_CFLAGS = $(AM_CFLAGS)
%C%_apps_zel_early_la_LDFLAGS = $(ZE_MODULE_LDFLAGS)
%C%_apps_zel_early_la_LIBADD = -ldl
check_PROGRAMS += %D%/apps/ze_newer
%C%_apps_ze_newer_SOURCES = %D%/apps/ze_newer.c
%C%_apps_ze_newer_CFLAGS = $(AM_CFLAGS) -fPIE
%C%_apps_ze_newer_LDFLAGS = $(AM_LDFLAGS) -pie -Wl,-z,dynamic-undefined-weak
%C%_apps_ze_newer_LDADD = -ldl
TESTS += %D%/doors/zel_loaders.sh %D%/gen/ze_headers.sh
EXTRA_DIST += %D%/doors/zel_loaders.sh %D%/gen/ze_headers.sh %D%/drivers/ze_newer.c
# --- real programs on PoCL, every call of theirs counted by a layer of the loader's own (whole_counter.c)
TESTS += %D%/whole/whole_real.sh
STRESS_TESTS += tests/whole/whole_real.sh tests/whole/whole_names.sh
EXTRA_DIST += %D%/whole/whole_real.sh %D%/whole/whole_counter.sh %D%/whole/whole_pyopencl.py
check_PROGRAMS += whole_jansson
whole_jansson_SOURCES = %D%/whole/whole_jansson.c
whole_jansson_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
whole_jansson_LDADD = $(JANSSON_LIBS) $(ZLIB_LIBS)
check_LTLIBRARIES += %D%/whole_counter.la
%C%_whole_counter_la_SOURCES = %D%/whole/whole_counter.c
%C%_whole_counter_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)
# The slots of the loader's table, in its order, as the preprocessor sees them.
%D%/whole_slots.h: %D%/local.mk
	$(AM_V_GEN)$(MKDIR_P) %D% && echo '#include <CL/cl_icd.h>' | $(CC) -E -DCL_TARGET_OPENCL_VERSION=300 $(CPPFLAGS) -P - | \
		awk '/^} *cl_icd_dispatch/ { inside = 0 } /^typedef struct _cl_icd_dispatch/ { inside = 1; next } \
			inside && sub(/;$$/, "") { print "SLOT(" $$NF ", " n++ + 0 ")" }' >$@.new && mv $@.new $@
%D%/whole/whole_counter.lo: %D%/whole_slots.h
CLEANFILES += %D%/whole_slots.h
TESTS += %D%/whole/whole_names.sh
EXTRA_DIST += %D%/whole/whole_names.sh %D%/whole/whole_names.py
check_PROGRAMS += whole_names
whole_names_SOURCES = %D%/whole/whole_names.c $(ZE_APP_SOURCES)
whole_names_LDADD = $(ZE_APP_LIBS)
# --- encoders behind format/encode/encoder.h
TESTS += encoder_test
check_PROGRAMS += encoder_test
encoder_test_SOURCES = %D%/format/encoder_test.c %D%/lib/args_table.h
encoder_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS)
encoder_test_LDADD = libtl_format.la $(CHECK_LIBS) $(JANSSON_LIBS)
TESTS += pftrace_test
check_PROGRAMS += pftrace_test pftrace_make
pftrace_test_SOURCES = %D%/format/pftrace_test.c %D%/lib/args_table.h
pftrace_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
pftrace_test_LDADD = libtl_format.la $(CHECK_LIBS)
pftrace_make_SOURCES = %D%/format/pftrace_make.c %D%/lib/args_table.h
pftrace_make_LDADD = libtl_format.la
TESTS += %D%/format/pftrace.sh %D%/format/pftrace_fuzz.sh
STRESS_TESTS += tests/format/pftrace.sh tests/format/pftrace_fuzz.sh
EXTRA_DIST += %D%/format/pftrace.sh %D%/format/pftrace.py %D%/format/pftrace.proto %D%/format/pftrace_fuzz.sh %D%/format/fuzz_pftrace.c
# --- recording paused, resumed and written out while programs run
TESTS += %D%/write/recording_control.sh
EXTRA_DIST += %D%/write/recording_control.sh %D%/write/recording_control_app.sh
check_PROGRAMS += %D%/apps/control_calls
%C%_apps_control_calls_SOURCES = %D%/apps/control_calls.c
%C%_apps_control_calls_LDADD = -lOpenCL -ldl -lpthread
TESTS += ring_test %D%/buffers/ring.sh
EXTRA_DIST += %D%/buffers/ring.sh
check_PROGRAMS += ring_test
ring_test_SOURCES = %D%/buffers/ring_test.c %D%/lib/core_records.h $(core_doubles)
ring_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
ring_test_LDADD = $(core_libs)

# --- trace contexts
check_PROGRAMS += %D%/apps/contexts %D%/apps/cl_requests
%C%_apps_cl_requests_SOURCES = %D%/apps/cl_requests.c %D%/apps/cl_app.h
%C%_apps_cl_requests_LDADD = -lOpenCL -lpthread
%C%_apps_contexts_SOURCES = %D%/apps/contexts.c
%C%_apps_contexts_LDADD = -lOpenCL -lpthread
TESTS += %D%/program/contexts.sh %D%/program/context_forms.sh
EXTRA_DIST += %D%/program/contexts.sh %D%/program/context_forms.sh %D%/apps/context_forms.c %D%/apps/expect.h
check_PROGRAMS += stress_contexts
stress_contexts_SOURCES = %D%/program/stress_contexts.c $(core_doubles)
stress_contexts_CFLAGS = $(AM_CFLAGS) -fexceptions
stress_contexts_LDADD = libtl_core.la libtl_format.la
TESTS += %D%/program/stress_contexts.sh %D%/whole/examples.sh %D%/program/requests.sh
STRESS_TESTS += tests/program/stress_contexts.sh
EXTRA_DIST += %D%/program/stress_contexts.sh %D%/whole/examples.sh %D%/program/requests.sh
# --- marks of layers and phases (tracelayer/nntrace.h)
TESTS += %D%/program/nntrace.sh %D%/cli/systrace.sh
check_PROGRAMS += %D%/apps/nntrace_rows
%C%_apps_nntrace_rows_SOURCES = %D%/apps/nntrace_rows.c
%C%_apps_nntrace_rows_LDADD = -ldl
TESTS += %D%/program/nntrace_rows.sh
EXTRA_DIST += %D%/program/nntrace_rows.sh %D%/program/nntrace_rows.py
check_PROGRAMS += %D%/apps/agree
%C%_apps_agree_SOURCES = %D%/apps/agree.c %D%/apps/cl_app.h
%C%_apps_agree_LDADD = -lOpenCL -lpthread -ldl
TESTS += %D%/program/agree.sh
EXTRA_DIST += %D%/program/agree.sh %D%/program/agree.py
EXTRA_DIST += %D%/cli/systrace.sh %D%/cli/systrace.py %D%/cli/phases_calls.py %D%/program/nntrace.sh %D%/apps/nntrace_forms.c
# --- death: what tracelayer recover makes of it
TESTS += places_test %D%/buffers/kill.sh %D%/cli/recover.sh
STRESS_TESTS += tests/buffers/kill.sh
EXTRA_DIST += %D%/buffers/kill.sh %D%/buffers/kill.py %D%/cli/recover.sh %D%/apps/kill_callee.json
check_PROGRAMS += places_test
places_test_SOURCES = %D%/common/places_test.c
places_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
places_test_LDADD = libtl_format.la $(CHECK_LIBS)
check_LTLIBRARIES += libkill_callee.la libkill_shims.la
libkill_callee_la_SOURCES = %D%/apps/kill_callee.c %D%/apps/kill_callee.h
libkill_callee_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -rpath $(abs_builddir)
nodist_libkill_shims_la_SOURCES = %D%/apps/kill_shims.c %D%/apps/kill_tables.c
libkill_shims_la_SOURCES =
libkill_shims_la_CPPFLAGS = $(AM_CPPFLAGS) -DTL_SHIM_LIBRARY -I$(srcdir)/%D%/apps
libkill_shims_la_CFLAGS = -std=gnu11 $(TL_WARNINGS) -O2 -fexceptions -fvisibility=hidden -fno-stack-protector
libkill_shims_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)
libkill_shims_la_LIBADD = libtracelayer.la
check_PROGRAMS += %D%/apps/kill_target
%C%_apps_kill_target_SOURCES = %D%/apps/kill_target.c
%C%_apps_kill_target_CFLAGS = $(AM_CFLAGS) -pthread
%C%_apps_kill_target_LDADD = libkill_callee.la -lpthread
%C%_apps_kill_target_LDFLAGS = $(AM_LDFLAGS) -no-install
kill_emitted = %D%/apps/kill_shims.c %D%/apps/kill_tables.c
CLEANFILES += $(kill_emitted) %D%/apps/kill_callbacks.h %D%/apps/kill.exports %D%/apps/kill_model.json
BUILT_SOURCES += $(kill_emitted)
%D%/apps/kill.exports: tracegen$(EXEEXT) %D%/apps/kill_callee.json %D%/apps/kill_callee.h
	$(AM_V_GEN)$(MKDIR_P) %D%/apps && \
		./tracegen$(EXEEXT) model --api $(srcdir)/%D%/apps/kill_callee.json -o %D%/apps/kill_model.json -- -I$(srcdir)/%D%/apps && \
		./tracegen$(EXEEXT) emit --model %D%/apps/kill_model.json -o %D%/apps
$(kill_emitted): %D%/apps/kill.exports
	@test -f $@ || { rm -f %D%/apps/kill.exports && $(MAKE) $(AM_MAKEFLAGS) %D%/apps/kill.exports; }
	@touch $@
check_PROGRAMS += stress_events
stress_events_SOURCES = %D%/calls/stress_events.c $(core_doubles)
stress_events_CFLAGS = $(AM_CFLAGS) -fexceptions
stress_events_LDADD = libtl_core.la libtl_format.la
TESTS += %D%/calls/stress_events.sh
STRESS_TESTS += tests/calls/stress_events.sh tests/write/recording_control.sh tests/buffers/ring.sh
EXTRA_DIST += %D%/calls/stress_events.sh

# --- the profiler: its header; the command
TESTS += %D%/program/profiler.sh %D%/cli/profile.sh
check_PROGRAMS += %D%/apps/cl_profile
%C%_apps_cl_profile_SOURCES = %D%/apps/cl_profile.c
%C%_apps_cl_profile_LDADD = -lOpenCL -ldl -lpthread
EXTRA_DIST += %D%/program/profiler.sh %D%/cli/profile.sh %D%/cli/profile.py %D%/apps/profiler_forms.c %D%/apps/profiler_other.c %D%/apps/profiler_other.h

# --- xpti: the dispatcher, linked and through a table; a C++ program; subscribers
xpti_rpath = -Wl,-rpath,$(abs_builddir)/.libs/tracelayer/xpti
TESTS += xpti_test xpti_table_test
check_PROGRAMS += xpti_test xpti_table_test
xpti_test_SOURCES = %D%/xpti/xpti_test.c %D%/lib/sandbox.h %D%/xpti/xpti_slow.h
xpti_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
xpti_test_LDFLAGS = $(AM_LDFLAGS) $(xpti_rpath)
xpti_test_LDADD = $(xpti_library) $(CHECK_LIBS)
xpti_table_test_SOURCES = %D%/xpti/xpti_test.c
nodist_xpti_table_test_SOURCES = xpti/table.h
xpti_table_test_CPPFLAGS = $(AM_CPPFLAGS) -DXPTI_TABLE -DXPTI_TEST_LIBRARY='"$(abs_builddir)/$(xpti_library)"'
xpti_table_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
xpti_table_test_LDADD = $(CHECK_LIBS)
tests/xpti/xpti_table_test-xpti_test.$(OBJEXT): xpti/table.h
TESTS += xpti_proxy_test
check_PROGRAMS += xpti_proxy_test
xpti_proxy_test_SOURCES = %D%/xpti/xpti_test.c
xpti_proxy_test_CPPFLAGS = $(AM_CPPFLAGS) -DXPTI_PROXY -DXPTI_TEST_LIBRARY='"$(abs_builddir)/$(xpti_library)"'
xpti_proxy_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
xpti_proxy_test_LDADD = libtracelayer-xptiproxy.a $(CHECK_LIBS)
TESTS += xpti_cxx_test
check_PROGRAMS += xpti_cxx_test
xpti_cxx_test_SOURCES = %D%/xpti/xpti_cxx_test.cc
# The dispatcher's objects have tables of functions, and no C++ types behind them.
xpti_cxx_test_CXXFLAGS = $(AM_CXXFLAGS) -std=gnu++17 -Wall -Wextra $(CHECK_CFLAGS) $(SANITIZE) -fno-sanitize=vptr
xpti_cxx_test_LDFLAGS = $(AM_LDFLAGS) $(xpti_rpath)
xpti_cxx_test_LDADD = $(xpti_library) $(CHECK_LIBS)
TESTS += xpti_cxx_proxy_test
check_PROGRAMS += xpti_cxx_proxy_test
xpti_cxx_proxy_test_SOURCES = $(xpti_cxx_test_SOURCES)
xpti_cxx_proxy_test_CPPFLAGS = $(xpti_proxy_test_CPPFLAGS)
xpti_cxx_proxy_test_CXXFLAGS = $(xpti_cxx_test_CXXFLAGS)
xpti_cxx_proxy_test_LDADD = libtracelayer-xptiproxy.a $(CHECK_LIBS)
TESTS += %D%/xpti/xpti.sh %D%/xpti/xpti_subscribers.sh %D%/xpti/xpti_proxy.sh %D%/xpti/xpti_loading.sh %D%/xpti/xpti_fuzz.sh %D%/xpti/xpti_stress.sh
TESTS += xpti_corners_test
check_PROGRAMS += xpti_corners_test
xpti_corners_test_SOURCES = %D%/xpti/xpti_corners_test.c %D%/xpti/xpti_slow.h
xpti_corners_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
xpti_corners_test_LDFLAGS = $(AM_LDFLAGS) $(xpti_rpath)
xpti_corners_test_LDADD = $(xpti_library) $(CHECK_LIBS)
TESTS += %D%/xpti/xpti_corners.sh
EXTRA_DIST += %D%/xpti/xpti_corners.sh
# the example, its program and its subscribers
TESTS += %D%/xpti/xpti_example.sh
EXTRA_DIST += %D%/xpti/xpti_example.sh
# tracelayer-xpti-bench
TESTS += %D%/xpti/xpti_bench.sh
EXTRA_DIST += %D%/xpti/xpti_bench.sh
STRESS_TESTS += tests/xpti/xpti_stress.sh tests/xpti/xpti_bench.sh tests/xpti/xpti_fuzz.sh
EXTRA_DIST += %D%/xpti/xpti.sh %D%/xpti/xpti_subscribers.sh %D%/xpti/xpti_proxy.sh %D%/xpti/xpti_nothing.c %D%/xpti/xpti_loading.sh %D%/xpti/xpti_fuzz.sh %D%/xpti/fuzz_xpti.c %D%/xpti/xpti_stress.sh %D%/xpti/xpti_stress.c %D%/xpti/xpti_subscriber.c %D%/xpti/xpti_app.c %D%/xpti/xpti_steps.c %D%/xpti/xpti_first.c

# --- xpti: streams in the trace
TESTS += %D%/xpti/xpti_timeline.sh
STRESS_TESTS += tests/xpti/xpti_timeline.sh
EXTRA_DIST += %D%/xpti/xpti_timeline.sh %D%/xpti/xpti_timeline.py %D%/xpti/xpti_timeline_app.c %D%/xpti/xpti_timeline_stress.c

# --- phases
TESTS += tests/cli/phases.sh tests/cli/phases_fuzz.sh
EXTRA_DIST += tests/cli/phases.sh tests/cli/phases_fuzz.sh tests/cli/fuzz_phases.c tests/cli/phases_inputs.py tests/cli/phases_progress.py tests/cli/phases_memory.py tests/cli/phases_model.py tests/cli/nnapi
STRESS_TESTS += tests/cli/phases.sh tests/cli/phases_fuzz.sh

# --- stacks: large programs that nobody here wrote, for scripts/check stacks. Each is as TESTS are, and may need packages of the group stacks.
STACK_TESTS = tests/whole/stack_mpi.sh tests/whole/stack_everyday.sh tests/whole/stack_java.sh tests/whole/stack_postgres.sh tests/whole/stack_chromium.sh tests/whole/stack_pyopencl.sh \
	tests/whole/stack_luajit.sh tests/whole/stack_opencl.sh tests/whole/stack_fake.sh tests/whole/stack_tsan.sh tests/whole/stack_bench.sh
EXTRA_DIST += $(STACK_TESTS) tests/lib/stack.sh tests/apps/mpi_calls.c tests/apps/mpi.json tests/apps/jit_calls.c tests/apps/jit_calls.h tests/apps/jit_calls.json \
	tests/apps/jit_calls.lua tests/apps/toy_sum.h tests/apps/toy_sum.c tests/apps/toy_sum.json tests/apps/toy_threads.c tests/apps/pq.json \
	tests/apps/Calls.java tests/apps/java_calls.c tests/apps/curl.json tests/apps/filtered.c
.PHONY: check-stacks
check-stacks:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(STACK_TESTS)'

# SPDX-License-Identifier: MIT
# tests of layer/calls
check_scripts += %D%/landing_pads.sh %D%/late_calls.sh %D%/prologues.sh
stress_scripts += %D%/alternate_stack.sh %D%/stacks.sh
deep_stress_scripts += %D%/stress_events.sh %D%/stress_tracers.sh %D%/torture.sh
test_files += %D%/stacks.py tests/apps/stack_calls.cc %D%/torture.py %D%/torture_main.cc %D%/torture_inside.cc %D%/torture_runtime.c

unit_tests += call_test
call_test_SOURCES = %D%/call_test.c tests/lib/assert_often.h tests/lib/toy_calls.h $(core_doubles)
call_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -fexceptions
call_test_LDADD = $(core_libs)

unit_tests += event_test
event_test_SOURCES = %D%/event_test.c tests/lib/encoded.h $(core_doubles)
event_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS)
event_test_LDADD = $(core_libs) $(JANSSON_LIBS)

unit_tests += exceptions_test
exceptions_test_SOURCES = %D%/exceptions_test.cc %D%/exception_shims.c $(core_doubles)
exceptions_test_CFLAGS = $(AM_CFLAGS) -fexceptions
exceptions_test_CXXFLAGS = $(AM_CXXFLAGS) $(SANITIZE)
exceptions_test_LDADD = libtl_core.la libtl_format.la

unit_tests += hook_test
hook_test_SOURCES = %D%/hook_test.c tests/lib/toy_calls.h $(core_doubles)
hook_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -fexceptions
hook_test_LDADD = $(core_libs)

unit_tests += longjmp_test
stress_units += longjmp_test
longjmp_test_SOURCES = %D%/longjmp_test.c tests/lib/toy_calls.h tests/lib/random.h $(core_doubles)
longjmp_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -fexceptions
longjmp_test_LDADD = $(core_libs)

unit_tests += tracers_test
tracers_test_SOURCES = %D%/tracers_test.c $(core_doubles)
tracers_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -fexceptions
tracers_test_LDADD = $(core_libs)

check_PROGRAMS += stress_events
stress_events_SOURCES = %D%/stress_events.c $(core_doubles)
stress_events_CFLAGS = $(AM_CFLAGS) -fexceptions
stress_events_LDADD = libtl_core.la libtl_format.la

check_PROGRAMS += stress_tracers
stress_tracers_SOURCES = %D%/stress_tracers.cc $(core_doubles)
stress_tracers_CFLAGS = $(AM_CFLAGS) -fexceptions
stress_tracers_CXXFLAGS = $(AM_CXXFLAGS) $(SANITIZE)
stress_tracers_LDADD = libtl_core.la libtl_format.la

# SPDX-License-Identifier: MIT
# tests of layer/device
stress_scripts += %D%/opencl/cl_lanes.sh
check_scripts += %D%/lanes_agree.sh
long_scripts += %D%/opencl/cl_real.sh
check_scripts += %D%/opencl/cl_ends.sh %D%/opencl/cl_extensions.sh %D%/opencl/cl_priority.sh %D%/opencl/cl_awaited.sh
deep_scripts += %D%/work_tsan.sh %D%/opencl/cl_tsan.sh
check_scripts += %D%/ze/ze_counters.sh %D%/ze/ze_lanes.sh %D%/ze/ze_reads.sh %D%/ze/ze_recent.sh
test_files += %D%/lanes_agree.py %D%/opencl/cl_common.sh %D%/opencl/cl_passing.c %D%/opencl/cl_lanes.py %D%/opencl/cl_two_queues.py %D%/opencl/cl_priority.py %D%/opencl/cl_extensions.py \
	%D%/opencl/cl_command_buffer.py %D%/ze/ze_lanes.py

unit_tests += clock_fit_test
clock_fit_test_SOURCES = %D%/clock_fit_test.c tests/lib/assert_often.h tests/lib/random.h layer/device/clock_fit.c layer/device/clock_fit.h
clock_fit_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
clock_fit_test_LDADD = $(CHECK_LIBS) -lm

unit_tests += device_test
device_test_SOURCES = %D%/device_test.c $(core_doubles)
device_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
device_test_LDADD = $(core_libs)

unit_tests += handles_test
handles_test_SOURCES = %D%/handles_test.c layer/device/handles.c layer/device/handles.h
handles_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
handles_test_LDADD = $(CHECK_LIBS) -lpthread

unit_tests += vk_signals_test
vk_signals_test_SOURCES = %D%/vk_signals_test.c
vk_signals_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
vk_signals_test_LDADD = $(CHECK_LIBS)

unit_tests += work_test
work_test_SOURCES = %D%/work_test.c tests/lib/assert_often.h tests/lib/encoded.h tests/lib/random.h $(core_doubles)
work_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS)
work_test_LDADD = $(core_libs) $(JANSSON_LIBS)
work_test_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=realloc

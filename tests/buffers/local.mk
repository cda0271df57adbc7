# SPDX-License-Identifier: MIT
# tests of layer/buffers
deep_scripts += %D%/buffer_tsan.sh
check_scripts += %D%/arena.sh
stress_scripts += %D%/clock.sh %D%/kill.sh %D%/ring.sh
test_files += %D%/clock.py %D%/kill.py

unit_tests += buffer_test
stress_units += buffer_test
buffer_test_SOURCES = %D%/buffer_test.c tests/lib/assert_often.h tests/lib/core_records.h $(core_doubles)
buffer_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
buffer_test_LDADD = $(core_libs)

unit_tests += ring_test
ring_test_SOURCES = %D%/ring_test.c tests/lib/assert_often.h tests/lib/core_records.h $(core_doubles)
ring_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
ring_test_LDADD = $(core_libs)

unit_tests += clock_test
clock_test_SOURCES = %D%/clock_test.c tests/lib/assert_often.h $(core_doubles)
clock_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
clock_test_LDADD = $(core_libs)

deep_stress_scripts += %D%/clock_slew.sh
check_PROGRAMS += clock_slew_test
clock_slew_test_SOURCES = %D%/clock_slew_test.c
clock_slew_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
clock_slew_test_LDADD = libtl_format.la $(CHECK_LIBS)

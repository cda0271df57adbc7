# SPDX-License-Identifier: MIT
# tests of xpti: the dispatcher, linked and through a table and by the static proxy; streams in the trace; the benchmark
check_scripts += %D%/example.sh
check_scripts += %D%/dispatcher/library.sh %D%/dispatcher/subscribers.sh %D%/dispatcher/loading.sh %D%/dispatcher/corners.sh
check_scripts += %D%/proxy/proxy.sh
stress_scripts += %D%/timeline/timeline.sh
deep_stress_scripts += %D%/dispatcher/fuzz.sh %D%/dispatcher/stress.sh %D%/bench/bench.sh
stack_scripts += %D%/stack_sycl.sh %D%/stack_xpti_original.sh %D%/stack_sycl_pocl.sh %D%/stack_sycl_dpctl.sh
test_files += %D%/sycl_program.py %D%/sycl_steps.py %D%/pti_view.py %D%/dispatcher/xpti_logger.c %D%/dispatcher/xpti_places.c
test_files += %D%/dispatcher/fuzz_xpti.c %D%/dispatcher/xpti_app.c %D%/dispatcher/xpti_first.c %D%/dispatcher/xpti_steps.c \
	%D%/dispatcher/xpti_stress.c %D%/dispatcher/xpti_subscriber.c %D%/proxy/xpti_nothing.c
test_files += %D%/timeline/timeline.py %D%/timeline/xpti_timeline_app.c %D%/timeline/xpti_timeline_stress.c

xpti_rpath = -Wl,-rpath,$(abs_builddir)/.libs/tracelayer/xpti
xpti_test_define = -DXPTI_TEST_LIBRARY='"$(abs_builddir)/$(xpti_library)"'

unit_tests += xpti_test
stress_units += xpti_test
xpti_test_SOURCES = %D%/dispatcher/xpti_test.c %D%/dispatcher/xpti_slow.h tests/lib/assert_often.h tests/lib/sandbox.h
xpti_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
xpti_test_LDFLAGS = $(AM_LDFLAGS) $(xpti_rpath)
xpti_test_LDADD = $(xpti_library) $(CHECK_LIBS)

unit_tests += xpti_table_test
xpti_table_test_SOURCES = %D%/dispatcher/xpti_test.c
nodist_xpti_table_test_SOURCES = xpti/table.h
xpti_table_test_CPPFLAGS = $(AM_CPPFLAGS) -DXPTI_TABLE $(xpti_test_define)
xpti_table_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
xpti_table_test_LDADD = $(CHECK_LIBS)
%D%/dispatcher/xpti_table_test-xpti_test.$(OBJEXT): xpti/table.h

unit_tests += xpti_proxy_test
xpti_proxy_test_SOURCES = %D%/dispatcher/xpti_test.c
xpti_proxy_test_CPPFLAGS = $(AM_CPPFLAGS) -DXPTI_PROXY $(xpti_test_define)
xpti_proxy_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
xpti_proxy_test_LDADD = libtracelayer-xptiproxy.a $(CHECK_LIBS)

unit_tests += xpti_cxx_test
xpti_cxx_test_SOURCES = %D%/dispatcher/xpti_cxx_test.cc
# The dispatcher's objects have tables of functions, and no C++ types behind them.
xpti_cxx_test_CXXFLAGS = $(AM_CXXFLAGS) -std=gnu++17 -Wall -Wextra $(CHECK_CFLAGS) $(SANITIZE) -fno-sanitize=vptr
xpti_cxx_test_LDFLAGS = $(AM_LDFLAGS) $(xpti_rpath)
xpti_cxx_test_LDADD = $(xpti_library) $(CHECK_LIBS)

unit_tests += xpti_cxx_proxy_test
xpti_cxx_proxy_test_SOURCES = $(xpti_cxx_test_SOURCES)
xpti_cxx_proxy_test_CPPFLAGS = $(xpti_proxy_test_CPPFLAGS)
xpti_cxx_proxy_test_CXXFLAGS = $(xpti_cxx_test_CXXFLAGS)
xpti_cxx_proxy_test_LDADD = libtracelayer-xptiproxy.a $(CHECK_LIBS)

unit_tests += xpti_corners_test
xpti_corners_test_SOURCES = %D%/dispatcher/xpti_corners_test.c %D%/dispatcher/xpti_slow.h
xpti_corners_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
xpti_corners_test_LDFLAGS = $(AM_LDFLAGS) $(xpti_rpath)
xpti_corners_test_LDADD = $(xpti_library) $(CHECK_LIBS)

# SPDX-License-Identifier: MIT
# bench: side-by-side benchmarks. `make bench` prints a table of ratios and leaves it in bench.txt; see bench/bench.
#
# A part is a script that bench/bench sources; it prints rows. To add one: BENCH_PARTS, and what it runs to check_PROGRAMS.
BENCH_PARTS = %D%/call.sh %D%/generic.sh %D%/start.sh %D%/encode.sh %D%/summary.sh %D%/report.sh %D%/lttng.sh %D%/uftrace.sh %D%/whole.sh %D%/programs.sh %D%/device.sh %D%/tracers.sh %D%/phases.sh %D%/profiler.sh %D%/top.sh %D%/annotations.sh %D%/xpti.sh
bench_programs = bench_call bench_limit bench_threads bench_encode bench_start bench_nothing bench_tracers bench_device bench_phases_trace bench_profiler
bench_libraries = libbench_callee.la libbench_shims.la libbench_limit.la libbench_xpti_limit.la
# What the parts take from the tests: Level Zero's software device.
bench_test_bed = tests/drivers/ze_driver_a.la
# And what else is built: tracegen, which makes an interposer for the measured calls.
bench_made = tracegen$(EXEEXT) %D%/bench_model.json

check_PROGRAMS += $(bench_programs)
check_LTLIBRARIES += $(bench_libraries)
bench_harness = %D%/harness.c %D%/harness.h
bench_library_ldflags = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)

# The measured calls go into a library of their own, and their shims, made by tracegen as any user's are, into another.
libbench_callee_la_SOURCES = %D%/callee.c %D%/callee.h %D%/plain.h
libbench_callee_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -rpath $(abs_builddir)
nodist_libbench_shims_la_SOURCES = %D%/bench_shims.c %D%/bench_tables.c
libbench_shims_la_SOURCES =
libbench_shims_la_CPPFLAGS = $(AM_CPPFLAGS) -DTL_SHIM_LIBRARY -I$(srcdir)/%D%
libbench_shims_la_CFLAGS = -std=gnu11 $(TL_WARNINGS) -O2 -fexceptions -fvisibility=hidden -fno-stack-protector
libbench_shims_la_LDFLAGS = $(bench_library_ldflags)
libbench_shims_la_LIBADD = libtracelayer.la

libbench_limit_la_SOURCES = %D%/limit.c %D%/limit.h $(bench_harness)
libbench_limit_la_CFLAGS = $(AM_CFLAGS) -O2
libbench_limit_la_LDFLAGS = $(bench_library_ldflags)
libbench_limit_la_LIBADD = -ldl
# With the proxy, which finds the dispatcher that the environment names.
libbench_xpti_limit_la_SOURCES = %D%/xpti_limit.c $(libtracelayer_xptiproxy_a_SOURCES)
libbench_xpti_limit_la_CFLAGS = $(AM_CFLAGS) -O2 -fexceptions
libbench_xpti_limit_la_LDFLAGS = $(bench_library_ldflags)
libbench_xpti_limit_la_LIBADD = -ldl

bench_call_SOURCES = %D%/bench_call.c $(bench_harness)
bench_call_CFLAGS = $(AM_CFLAGS) -O2
bench_call_LDADD = libbench_callee.la
bench_call_LDFLAGS = $(AM_LDFLAGS) -no-install
bench_limit_SOURCES = %D%/bench_limit.c $(bench_harness)
bench_limit_CFLAGS = $(AM_CFLAGS) -O2 -pthread
bench_limit_LDADD = libbench_callee.la -lpthread
bench_limit_LDFLAGS = $(AM_LDFLAGS) -no-install
bench_threads_SOURCES = %D%/bench_threads.c $(bench_harness)
bench_threads_CFLAGS = $(AM_CFLAGS) -O2 -pthread
bench_threads_LDADD = libbench_callee.la -lpthread
bench_threads_LDFLAGS = $(AM_LDFLAGS) -no-install
bench_encode_SOURCES = %D%/bench_encode.c $(bench_harness)
nodist_bench_encode_SOURCES = %D%/bench_tables.c
bench_encode_CFLAGS = $(AM_CFLAGS) -O2
bench_encode_LDADD = libtl_format.la libtl_gzip.la libbench_callee.la $(GZIP_LIBS) -ldl
bench_encode_LDFLAGS = $(AM_LDFLAGS) -no-install
bench_start_SOURCES = %D%/bench_start.c $(bench_harness)
bench_start_LDADD = -lm
bench_phases_trace_SOURCES = %D%/phases_trace.c
bench_profiler_SOURCES = %D%/bench_profiler.c $(bench_harness)
bench_profiler_CFLAGS = $(AM_CFLAGS) -O2
bench_profiler_LDADD = -ldl -lpthread
bench_profiler_LDFLAGS = $(AM_LDFLAGS) -no-install
bench_nothing_SOURCES = %D%/nothing.c
bench_tracers_SOURCES = %D%/bench_tracers.c %D%/limit.h
bench_tracers_CFLAGS = $(AM_CFLAGS) -O2
bench_tracers_LDADD = -lze_loader -ldl -lpthread
bench_device_SOURCES = %D%/bench_device.c $(bench_harness)
bench_device_CFLAGS = $(AM_CFLAGS) -O2
bench_device_LDADD = -lOpenCL

bench_emitted = %D%/bench_shims.c %D%/bench_tables.c
CLEANFILES += $(bench_emitted) %D%/bench_callbacks.h %D%/bench.exports %D%/bench_model.json bench.txt
if HAVE_TRACEGEN
BUILT_SOURCES += $(bench_emitted)
endif
%D%/bench.exports: tracegen$(EXEEXT) %D%/callee.json %D%/callee.h
	$(AM_V_GEN)$(MKDIR_P) %D% && \
		./tracegen$(EXEEXT) model --api $(srcdir)/%D%/callee.json -o %D%/bench_model.json -- -I$(srcdir)/%D% && \
		./tracegen$(EXEEXT) emit --model %D%/bench_model.json -o %D%
%D%/bench_model.json: %D%/bench.exports
$(bench_emitted): %D%/bench.exports
	@test -f $@ || { rm -f %D%/bench.exports && $(MAKE) $(AM_MAKEFLAGS) %D%/bench.exports; }
	@touch $@

EXTRA_DIST += %D%/bench %D%/callee.json $(BENCH_PARTS) %D%/peer_lttng.h

BENCH_ENVIRONMENT = top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' CC='$(CC)' BENCH_PARTS='$(BENCH_PARTS)'
bench: all $(bench_programs) $(bench_libraries) $(bench_test_bed) $(bench_made)
	@$(BENCH_ENVIRONMENT) bash $(srcdir)/%D%/bench | tee bench.txt
	@! grep -q '  failed' bench.txt

# That each part runs through; how fast is no matter for a test.
long_scripts += %D%/bench_test.sh

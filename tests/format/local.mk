# SPDX-License-Identifier: MIT
# tests of format
stress_scripts += %D%/encode/pftrace.sh
check_scripts += %D%/file/odd_types.sh
deep_stress_scripts += %D%/args/args_fuzz.sh %D%/encode/chrome_fuzz.sh %D%/encode/deflate_fuzz.sh %D%/encode/pftrace_fuzz.sh %D%/file/record_reader_fuzz.sh
test_files += %D%/args/fuzz_args.c %D%/encode/fuzz_chrome.c %D%/encode/fuzz_deflate.c %D%/encode/fuzz_pftrace.c %D%/encode/pftrace.py \
	%D%/encode/pftrace.proto %D%/file/fuzz_record_reader.c tests/lib/hostile_trace.h

unit_tests += args_test
args_test_SOURCES = %D%/args/args_test.c tests/lib/args_table.h tests/lib/sandbox.h
args_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS)
args_test_LDADD = libtl_format.la $(CHECK_LIBS) $(JANSSON_LIBS)

unit_tests += capture_plan_test
capture_plan_test_SOURCES = %D%/args/capture_plan_test.c tests/lib/args_table.h tests/lib/random.h
capture_plan_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
capture_plan_test_LDADD = libtl_tables.la libtl_format.la $(CHECK_LIBS)

unit_tests += chrome_test
chrome_test_SOURCES = %D%/encode/chrome_test.c tests/lib/args_table.h tests/lib/assert_often.h
chrome_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS)
chrome_test_LDADD = libtl_tables.la libtl_format.la $(CHECK_LIBS) $(JANSSON_LIBS)

unit_tests += deflate_test
deflate_test_SOURCES = %D%/encode/deflate_test.c
deflate_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(ZLIB_CFLAGS)
deflate_test_LDADD = libtl_gzip.la $(CHECK_LIBS) $(GZIP_LIBS) $(ZLIB_LIBS)

unit_tests += crc32_test
crc32_test_SOURCES = %D%/encode/crc32_test.c
crc32_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(ZLIB_CFLAGS)
crc32_test_LDADD = libtl_gzip.la $(CHECK_LIBS) $(GZIP_LIBS) $(ZLIB_LIBS)

unit_tests += encoder_test
encoder_test_SOURCES = %D%/encode/encoder_test.c tests/lib/args_table.h
encoder_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS)
encoder_test_LDADD = libtl_format.la $(CHECK_LIBS) $(JANSSON_LIBS)

unit_tests += pftrace_test
pftrace_test_SOURCES = %D%/encode/pftrace_test.c tests/lib/args_table.h
pftrace_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
pftrace_test_LDADD = libtl_format.la $(CHECK_LIBS)

unit_tests += describe_test
describe_test_SOURCES = %D%/file/describe_test.c tests/lib/args_table.h
describe_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
describe_test_LDADD = libtl_reader.la libtl_tables.la libtl_format.la $(CHECK_LIBS) $(ZLIB_LIBS)

unit_tests += record_reader_test
record_reader_test_SOURCES = %D%/file/record_reader_test.c tests/lib/args_table.h tests/lib/trace_builder.h \
	layer/buffers/clock.h layer/buffers/clock.c
record_reader_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
record_reader_test_LDADD = libtl_reader.la libtl_format.la $(CHECK_LIBS)

check_PROGRAMS += pftrace_make
pftrace_make_SOURCES = %D%/encode/pftrace_make.c tests/lib/args_table.h
pftrace_make_LDADD = libtl_format.la

check_PROGRAMS += trace_maker
trace_maker_SOURCES = %D%/file/trace_maker.c tests/lib/trace_builder.h tests/lib/args_table.h
trace_maker_LDADD = libtl_reader.la libtl_format.la
CLEANFILES += fuzz_encoders.*

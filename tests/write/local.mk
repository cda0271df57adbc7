# SPDX-License-Identifier: MIT
# tests of layer/write
long_scripts += %D%/trace_file.sh %D%/ahead.sh
stress_scripts += %D%/recording_control.sh
deep_stress_scripts += %D%/stress_writer.sh
test_files += %D%/recording_control_app.sh %D%/stress_writer.c

unit_tests += writer_test
stress_units += writer_test
writer_test_SOURCES = %D%/writer_test.c tests/lib/assert_often.h tests/lib/control_doubles.c layer/base/bounded_lock.c layer/base/bounded_lock.h \
	layer/base/message.c layer/base/message.h
writer_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS)
writer_test_LDADD = libtl_writer.la libtl_format.la $(CHECK_LIBS) $(JANSSON_LIBS) $(GZIP_LIBS) $(ZLIB_LIBS)

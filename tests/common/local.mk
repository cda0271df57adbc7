# SPDX-License-Identifier: MIT
# tests of common
unit_tests += output_test
output_test_SOURCES = %D%/output_test.c
output_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
output_test_LDADD = libtl_writer.la libtl_format.la $(CHECK_LIBS) $(GZIP_LIBS) $(ZLIB_LIBS)

unit_tests += places_test
places_test_SOURCES = %D%/places_test.c
places_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
places_test_LDADD = libtl_format.la $(CHECK_LIBS)

unit_tests += launcher_test
launcher_test_SOURCES = %D%/launcher_test.c
launcher_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
launcher_test_LDADD = libtl_format.la $(CHECK_LIBS)

# SPDX-License-Identifier: MIT
# tests of layer/base
check_scripts += %D%/libc/libc_calls.sh %D%/libc/libc_programs.sh %D%/libc/libc_static.sh
stack_scripts += %D%/libc/stack_libc_mpich.sh
test_files += %D%/libc/libc_static.py %D%/libc/calls.c %D%/libc/mpi.c %D%/libc/reach.c %D%/libc/rights.c %D%/libc/tls.c \
	%D%/libc/watcher.c %D%/libc/same_and_whole.sh

unit_tests += environment_test
environment_test_SOURCES = %D%/environment_test.c layer/base/environment.c layer/base/environment.h layer/base/message.c \
	layer/base/message.h
environment_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
environment_test_LDADD = libtl_format.la $(CHECK_LIBS)

unit_tests += libc_bytes_test
libc_bytes_test_SOURCES = %D%/libc/libc_bytes_test.c tests/lib/assert_often.h
libc_bytes_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -fno-builtin
libc_bytes_test_LDADD = $(CHECK_LIBS)

# SPDX-License-Identifier: MIT
# tests of layer/resolve
check_scripts += %D%/cl_functions.sh %D%/cl_platforms.sh %D%/ze_functions.sh %D%/tail_calls.sh %D%/unnamed_loader.sh %D%/dladdr.sh %D%/asked_versions.sh %D%/late_relocation.sh %D%/waiting_interposers.sh %D%/own_pointers.sh %D%/bypassed_loader.sh %D%/function_identity.sh %D%/deep_bound.sh %D%/default_scope.sh

unit_tests += real_function_test
real_function_test_SOURCES = %D%/real_function_test.c layer/resolve/real_function.h layer/resolve/real_function.c \
	layer/resolve/library_roles.h layer/resolve/library_roles.c layer/resolve/own_references.h layer/resolve/own_references.c layer/resolve/mpi_world.h layer/resolve/mpi_world.c layer/resolve/profiling_names.h layer/resolve/profiling_names.c layer/resolve/call_slots.h layer/resolve/call_slots.c layer/resolve/function_identity.h layer/resolve/function_identity.c layer/resolve/asked_versions.h layer/resolve/asked_versions.c layer/resolve/shim_names.h layer/resolve/shim_names.c \
	layer/base/library_walk.h layer/base/library_walk.c layer/resolve/closure.h layer/resolve/closure.c \
	layer/resolve/function_tables.h layer/resolve/function_tables.c format/args/checked_copy.c \
	layer/base/loaded_libraries.h layer/base/loaded_libraries.c layer/base/libc/elf_image.h layer/base/libc/elf_image.c
real_function_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(LIBFFI_CFLAGS) -pthread
real_function_test_LDADD = $(CHECK_LIBS) $(TL_ARCHIVES) -ldl -lpthread

unit_tests += loader_tables_test
loader_tables_test_SOURCES = %D%/loader_tables_test.c
loader_tables_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
loader_tables_test_LDADD = $(CHECK_LIBS) -ldl

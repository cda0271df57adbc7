# SPDX-License-Identifier: MIT
# tests of gen (tracegen), and of the code that it emits
stress_scripts += %D%/emit_shims.sh %D%/emit_layer.sh
check_scripts += %D%/tracegen.sh %D%/any_library.sh %D%/bit_fields.sh %D%/libraries.sh %D%/interposer.sh %D%/ze_headers.sh
check_scripts += %D%/debug_info.sh
deep_scripts += %D%/gen_sanitized.sh
long_stack_scripts += %D%/stack_ze_newest.sh
test_files += %D%/libraries.list %D%/libraries.py
test_files += %D%/compare_models.py %D%/model_part.py %D%/fuzz_debug_info.c
check_scripts += %D%/results.sh
check_scripts += %D%/flag_sets.sh
check_scripts += %D%/without_libclang.sh
check_scripts += %D%/objects.sh
long_scripts += %D%/copies.sh
check_scripts += %D%/descriptor_keys.sh
test_files += %D%/emit/odd.h %D%/emit/odd.c %D%/emit/odd.json %D%/emit/odd_test.cc %D%/emit/runtime.h %D%/emit/runtime.c \
	%D%/emit/zlib_test.c %D%/emit/sqlite_test.c %D%/emit/.clang-format

unit_tests += model_test
model_test_SOURCES = %D%/model_test.c
model_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(LIBCLANG_CFLAGS) $(JANSSON_CFLAGS) $(LIBELF_CFLAGS)
model_test_LDADD = libtl_model.a $(CHECK_LIBS) $(JANSSON_LIBS) $(LIBELF_LIBS) libtl_format.la

# Loads a library, and looks its functions up.
check_PROGRAMS += library_load
library_load_SOURCES = %D%/library_load.c
CLEANFILES += libraries.md

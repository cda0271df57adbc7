# SPDX-License-Identifier: MIT
# tests/lib: what tests share. Headers that C tests include are in those tests' _SOURCES.
test_files += %D%/within %D%/lib.sh %D%/sanitizers.sh %D%/fuzz.sh %D%/whole.sh %D%/stack.sh %D%/root.sh %D%/count_calls.sh %D%/count_calls.c %D%/hosts.sh %D%/slurm.sh %D%/job.sh %D%/kept_venv.sh %D%/next_release.sh %D%/sycl.sh %D%/cuda_header.sh %D%/ze_loader.sh
test_files += %D%/check_names.py %D%/check_trace.py %D%/device_lanes.py
clean-local: clean-pocl-cache
.PHONY: clean-pocl-cache
clean-pocl-cache:
	rm -rf pocl_cache
check_PROGRAMS += count_slices
count_slices_SOURCES = %D%/count_slices.cc
count_slices_CXXFLAGS = $(AM_CXXFLAGS) -std=c++17 $(SIMDJSON_CFLAGS)
count_slices_LDADD = $(SIMDJSON_LIBS)
test_files += %D%/fuzz_records.h %D%/random.h %D%/passing.h %D%/silent_command.h

# The layer's core, and its writer, with sanitizers: built once for all tests that want them, which make check does not run
# (sanitizers.sh). ThreadSanitizer
# knows neither compiler barriers nor membarrier, so callers' pins are fences there (TL_PIN_SEQ_CST). -w: gcc says that it does
# not follow fences; what they order are atomics here, which it does follow. The ordinary build shows the warnings.
sanitized_core = $(libtl_core_la_SOURCES) $(libtl_generic_la_SOURCES) $(libtl_format_la_SOURCES) $(libtl_common_la_SOURCES)
sanitized_writer = $(libtl_writer_la_SOURCES) $(libtl_gzip_la_SOURCES)
sanitized_flags = -std=gnu11 -g -w -fPIC -fexceptions -DTL_PIN_SEQ_CST
tsan_flags = $(sanitized_flags) -fsanitize=thread
asan_flags = $(sanitized_flags) -fsanitize=address,undefined -fno-sanitize-recover=undefined
sanitized_libraries =
check_DATA += layer/libtracelayer-plain.map
# What only longer forms want.
stressed_libraries =
EXTRA_LIBRARIES += libtl_core_tsan.a libtl_writer_tsan.a libtl_roof_tsan.a libtl_core_asan.a libtl_writer_asan.a
if TSAN
sanitized_libraries += libtl_core_tsan.a libtl_writer_tsan.a libtl_roof_tsan.a
endif
if ASAN
sanitized_libraries += libtl_core_asan.a
stressed_libraries += libtl_writer_asan.a
endif
libtl_core_tsan_a_SOURCES = $(sanitized_core)
libtl_core_tsan_a_CFLAGS = $(tsan_flags)
libtl_core_tsan_a_CCASFLAGS = $(AM_CCASFLAGS)
libtl_writer_tsan_a_SOURCES = $(sanitized_writer)
libtl_writer_tsan_a_CFLAGS = $(tsan_flags)
libtl_core_asan_a_SOURCES = $(sanitized_core)
libtl_core_asan_a_CFLAGS = $(asan_flags)
libtl_core_asan_a_CCASFLAGS = $(AM_CCASFLAGS)
libtl_writer_asan_a_SOURCES = $(sanitized_writer)
libtl_writer_asan_a_CFLAGS = $(asan_flags)
# What else libtracelayer.so has, but for the functions in libc's place and what is generated of APIs.
libtl_roof_tsan_a_SOURCES = $(libtl_resolve_la_SOURCES) $(libtracelayer_la_SOURCES)
nodist_libtl_roof_tsan_a_SOURCES = $(nodist_libtracelayer_la_SOURCES)
libtl_roof_tsan_a_CPPFLAGS = $(AM_CPPFLAGS)
libtl_roof_tsan_a_CFLAGS = $(tsan_flags) $(LIBFFI_CFLAGS)

#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_cuda_tsan.sh: CUDA's device lanes under ThreadSanitizer, on the software driver. The program is opened by another one: what is preloaded would be
# called before the sanitizer is there. The shims and the driver have no sanitizer.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/sanitizers.sh"
. "$top_srcdir/tests/lib/cuda_header.sh"
works thread || skip_all "ThreadSanitizer does not work on this machine"
plan 10
cuda_software "$kept" 10
cd "$tmp" || exit 99

archives=$top_builddir/.libs
library_build()
{
	need_sanitized libtl_core_tsan.a libtl_writer_tsan.a libtl_roof_tsan.a &&
		${CC:-cc} -fsanitize=thread -shared -Wl,--whole-archive "$top_builddir/libtl_core_tsan.a" "$top_builddir/libtl_writer_tsan.a" \
			"$top_builddir/libtl_roof_tsan.a" "$archives/libtl_late.a" \
			-Wl,--no-whole-archive -Wl,-Bsymbolic -Wl,-z,nodelete -Wl,--version-script="$top_builddir/layer/libtracelayer-plain.map" -Wl,-soname,libtracelayer.so.0 \
			-Wl,--exclude-libs,libffi.a:libdeflate.a -l:libffi.a -l:libdeflate.a -o libtracelayer.so.0 && ln -s libtracelayer.so.0 libtracelayer.so
}
shims_build()
{
	"$top_builddir/tracegen" emit --api "$top_srcdir/gen/apis/cuda.json" -o . -- -I"$top_srcdir/gen/apis" -I"$include" &&
		${CC:-cc} -std=gnu11 -O0 -fPIC -fexceptions -fvisibility=hidden -I"$top_srcdir/include" -I"$include" -I"$top_srcdir/gen/apis" -DTL_SHIM_LIBRARY \
			-shared -o libcuda-shims.so cuda_shims.c cuda_tables.c -L. -ltracelayer -Wl,-rpath,"$tmp"
}
program_build()
{
	cat >opener.c <<'END_OF_C'
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	static const char *const libraries[] = {"./libcuda-shims.so", "libcuda.so.1", "./liblanes.so"};
	void *last = NULL;

	for (int i = 0; i < 3; i++)
		if (!(last = dlopen(libraries[i], RTLD_NOW | RTLD_GLOBAL)))
			return puts(dlerror()), 3;
	return ((int (*)(int, char **))dlsym(last, "lanes_main"))(argc, argv);
}
END_OF_C
	${CC:-cc} -g -O1 -fsanitize=thread -Dmain=lanes_main -shared -fPIC -o liblanes.so "$drivers/cuda_lanes.c" -pthread &&
		${CC:-cc} -g -O1 -fsanitize=thread -o opener opener.c
}
ok "the library builds with -fsanitize=thread" library_build || exit 1
ok "so do shims for it" shims_build || exit 1
ok "so does the program" program_build || exit 1

# A report is an exit code of its own.
runs()
{
	rm -f "$1.json"
	TSAN_OPTIONS=exitcode=66:${TSAN_OPTIONS-} TRACELAYER_OUTPUT=$tmp/$1.json timeout 120 ./opener "$1" 2>&1 && grep -q '"cat":"device,operator"' "$1.json"
}
ok "commands of each kind: no report, and lanes" runs work
ok "captures beside another thread's work: no report, and lanes" runs capture
ok "contexts that come and go: no report, and lanes" runs contexts
ok "threads, with streams that come and go: no report, and lanes" runs threads
ok "one stream after the other: no report, and lanes" runs streams
# The end looks at calls that other threads make meanwhile, in memory that these write to: that is known, and not the lanes'.
printf 'race:%s\n' tl_open_clear tl_record_copy_words tl_piece_stack >known
export TSAN_OPTIONS=suppressions=$tmp/known CUDA_DRIVER_SLOW=500
ok "threads that submit and wait beside the end: no report, and lanes" runs beside

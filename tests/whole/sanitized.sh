#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that their makers built with a sanitizer: it stands before libc's functions, and asks dlsym for
# them before any constructor has run.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99

library=$top_builddir/.libs/libtracelayer.so
cat >"$tmp/app.c" <<'END'
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
int main(void)
{
	cl_uint count = 0;
	cl_int result = clGetPlatformIDs(0, NULL, &count);
	printf("%d %d\n", result, count > 0);
	return 0;
}
END

# A sanitizer wants to be the first library, which what is preloaded never lets it be.
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0

plan 6
for kind in address thread; do
	ok "a program can be built with -fsanitize=$kind" \
		${CC:-cc} -fsanitize=$kind "$tmp/app.c" -o "$tmp/$kind" -lOpenCL
	is "$(LD_PRELOAD=$library TRACELAYER_OUTPUT=$tmp/$kind.json "$tmp/$kind" 2>&1)" "0 1" \
		"it runs with us as without us ($kind)"
	is "$(grep -c '"name":"clGetPlatformIDs"' "$tmp/$kind.json")" 1 "and its call is in the trace ($kind)"
done

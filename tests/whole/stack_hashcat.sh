#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_hashcat.sh: hashcat's benchmark on PoCL: it finds OpenCL with dlopen and dlsym, compiles a large kernel, tunes itself and measures. It notices
# nothing, and each of its calls is in the trace.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
. "$top_srcdir/tests/lib/whole.sh"
need_library
. "$top_srcdir/tests/whole/cl_counter.sh"
export TRACELAYER_DEVICE=0	# device lanes ask the driver, too, and are no calls
plan 7

normalise() { sed -E 's/ *[0-9.]+ [kMGT]?H\/s.*//; /^(Started|Stopped): /d'; }
real_program "hashcat's benchmark" hashcat -b -m 0 --force --runtime 1
like "$(cat "$tmp/bare.out")" '^exit code 0$' "which runs here"

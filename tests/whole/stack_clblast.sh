#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_clblast.sh: CLBlast's own test of axpy on PoCL: hundreds of kernels. (CLBlast's client is in no Debian package.) It notices nothing, and each of
# its calls is in the trace.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
. "$top_srcdir/tests/lib/whole.sh"
need_library
. "$top_srcdir/tests/whole/cl_counter.sh"
export TRACELAYER_DEVICE=0	# device lanes ask the driver, too, and are no calls
plan 7

real_program "CLBlast's test of axpy" clblast_test_xaxpy
like "$(cat "$tmp/bare.out")" '^exit code 0$' "which runs here"

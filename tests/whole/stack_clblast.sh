#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_clblast.sh: CLBlast's own test of axpy, hundreds of kernels, and two of its tuners, which compile and measure variants of a kernel, on PoCL. (Its
# client is in no Debian package.) They notice nothing, and each of their calls is in the trace.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
. "$top_srcdir/tests/lib/whole.sh"
need_library
. "$top_srcdir/tests/whole/cl_counter.sh"
command -v clblast_tuner_invert >/dev/null ||
	{ echo "Bail out! clblast_tuner_invert is missing; ./scripts/install-packages stacks installs it (clblast-utils)"; exit 99; }
export TRACELAYER_DEVICE=0	# device lanes ask the driver, too, and are no calls
plan 23

real_program "CLBlast's test of axpy" clblast_test_xaxpy
like "$(cat "$tmp/bare.out")" '^exit code 0$' "which runs here"

# What it measured, and which variant was best, differs from run to run, in what it prints and in the file that it leaves.
normalise() { sed -E 's/[0-9]+(\.[0-9]+)? ms//g; s/[0-9]+\.[0-9]+//g; s/ +/ /g; /[Bb]est[ _]parameters/d'; }
real_program "CLBlast's tuner of inversion" clblast_tuner_invert -runs 1
like "$(cat "$tmp/bare.out")" '^exit code 0$' "which runs here"
like "$(cat "$tmp/bare.out")" 'results match' "and finds what it reckoned right"
real_program "CLBlast's tuner of dot products" clblast_tuner_xdot -runs 1
like "$(cat "$tmp/bare.out")" '^exit code 0$' "which runs here"
like "$(cat "$tmp/bare.out")" 'results match' "and finds what it reckoned right"

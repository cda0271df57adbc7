#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_oclgrind.sh: oclgrind, an OpenCL device in software that reports each wrong call. Behind Debian's loader it is a second driver: programs notice nothing,
# and each call is in the trace. Started as `oclgrind ./app`, it stands in the loader's place, and has nothing to say of what the layer asks it for device lanes.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
. "$top_srcdir/tests/lib/whole.sh"
need_library
. "$top_srcdir/tests/whole/cl_counter.sh"
command -v oclgrind >/dev/null || skip_all "this machine has no oclgrind; ./scripts/install-packages stacks installs it, where the system has it"
tracelayer=$(cd "$top_builddir" && pwd)/tracelayer
driver=/usr/lib/oclgrind/liboclgrind-rt-icd.so
program="/usr/bin/python3 $top_srcdir/tests/whole/cl_pyopencl.py"
normalise() { sed -E 's/0x[0-9a-f]+/pointer/g'; }
plan 18

OCL_ICD_VENDORS=$driver TRACELAYER_DEVICE=0 real_program "clinfo, oclgrind as the driver" clinfo
like "$(cat "$tmp/bare.out")" 'Oclgrind Simulator' "which finds it"
# shellcheck disable=SC2086
OCL_ICD_VENDORS=$driver TRACELAYER_DEVICE=0 real_program "PyOpenCL, oclgrind as the driver" $program

# The program makes one wrong call itself.
# shellcheck disable=SC2086
{
	say_and_end bare oclgrind --check-api $program
	say_and_end traced oclgrind --check-api env LD_PRELOAD="$libtracelayer:/usr/lib/oclgrind/liboclgrind-rt.so" TRACELAYER_OUTPUT="$tmp/checked.json" $program
}
like "$(cat "$tmp/bare.err")" 'Function: clSetKernelArg' "oclgrind --check-api reports the program's wrong call"
same "$tmp/bare.err" "$tmp/traced.err" "and no other, traced with device lanes"
same "$tmp/bare.out" "$tmp/traced.out" "the program prints the same, and ends the same"
is "$("$python" "$check_trace" --names "$tmp/checked.json" 2>&1 | awk '$1 == "saxpy"')" "saxpy 1" "its kernel is on the device's lane"
# shellcheck disable=SC2086
like "$("$tracelayer" run -o "$tmp/none.json" oclgrind $program 2>&1)" "no call reached libtracelayer.so: .*/liboclgrind-rt.so comes before it" \
	"where oclgrind's library comes first, a line says so"

#!/bin/bash
# SPDX-License-Identifier: MIT
# PoCL on arm64: programs say the same, and end the same, with and without tracelayer, and each command is on its lane, as many as a layer of the loader's own
# counts. The part of tests/device/opencl/cl_real.sh that needs no ltrace, PyOpenCL or clpeak.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
. "$top_srcdir/tests/lib/whole.sh"
. "$top_srcdir/tests/whole/cl_counter.sh"
. "$top_srcdir/tests/device/opencl/cl_common.sh"
need_library
plan 9

is "$(uname -m)" aarch64 "this is arm64"
# The driver compiles a kernel once and keeps it; from then on runs are alike.
"$apps/cl_device" >/dev/null
for door in preload layer; do
	unnoticed "every command, $door" $door "$apps/cl_device"
	lanes "every command, $door: each is on its lane, with the times that the program read" --commands "$(commands traced)" --times "$tmp/traced.out"
done
for program in answers hostile; do
	unnoticed "cl_device_$program" preload "$apps/cl_device_$program"
	lanes "cl_device_$program: each command is on its lane" --commands "$(commands traced)"
done

#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_opencv.sh: OpenCV's filters on OpenCL (cv2.UMat), on PoCL. They give traced what they give bare, each call is in the trace by the count of a layer of the
# loader's own, and the kernels are on the device's lanes.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
. "$top_srcdir/tests/lib/whole.sh"
need_library
. "$top_srcdir/tests/whole/cl_counter.sh"
/usr/bin/python3 -c 'import cv2' 2>/dev/null ||
	skip_all "this machine has no OpenCV for Python; ./scripts/install-packages stacks installs it (python3-opencv), where the system has it"
plan 10
# One worker: OpenCV's Canny kernels race between work-groups. With two workers on a Xeon, 48 of 300 results differed in one process that nobody traced; with one
# worker, none did.
export OPENCV_OPENCL_DEVICE=:CPU: OPENCV_OPENCL_CACHE_ENABLE=0 POCL_CACHE_DIR=$tmp/home/pocl POCL_MAX_PTHREAD_COUNT=1
program="/usr/bin/python3 -B $top_srcdir/tests/whole/opencv_program.py"
# What is compiled in the first run is taken from PoCL's cache later.
mkdir "$POCL_CACHE_DIR"
normalise() { sed '/warnings\{0,1\} generated/d; /^\[ERROR/s/.*: //; s/0x[0-9a-f]*/pointer/g'; }

# shellcheck disable=SC2086
TRACELAYER_DEVICE=0 real_program "OpenCV" $program
like "$(cat "$tmp/bare.out")" '^True ' "which uses OpenCL here"
# shellcheck disable=SC2086
in_folder lanes env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="$tmp/lanes.json" $program
ok "traced with device lanes, it gives the same" diff "$tmp/bare.out" "$tmp/lanes.out"
# Each launch is a kernel on a lane.
launches_and_kernels()
{
	"$python" - "$tmp/lanes.json" <<-'PYTHON'
	import json, sys
	slices = [event for event in json.load(open(sys.argv[1])) if event["ph"] == "X"]
	print(sum(event["name"] == "clEnqueueNDRangeKernel" for event in slices),
	      sum(event.get("args", {}).get("kind") == "kernel" for event in slices))
	PYTHON
}
like "$(launches_and_kernels)" '^([1-9][0-9]+) \1$' "each launch is a kernel on the device's lane"
is "$("$python" "$check_trace" "$tmp/lanes.json" 2>&1)" "" "and the trace is sound"

#!/bin/bash
# SPDX-License-Identifier: MIT
# Large programs that use OpenCL: ffmpeg's filters. Nothing is noticed, and each call is in the trace, by the count of a layer of the loader's own. tests/whole/cl_real_programs.sh has clinfo, clpeak, PyOpenCL and hashcat,
# stack_clblast.sh CLBlast.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/whole.sh"
. "$top_srcdir/tests/whole/cl_counter.sh"
need ffmpeg ffmpeg
plan 16
export POCL_MAX_PTHREAD_COUNT=2

# filters WHAT OPTION…: one result: the loader's layer counts what is in the trace.
filters()
{
	local what=$1; shift
	TRACELAYER_DEVICE=0 layer_counted "$what" "$tmp/counted.json" ffmpeg -hide_banner -nostats -loglevel error -init_hw_device opencl=gpu:0.0 \
		-filter_hw_device gpu -f lavfi -i testsrc=size=320x240:rate=10:duration=2 "${inputs[@]}" "$@" -f framemd5 -fflags +bitexact frames
}
inputs=()

# ffmpeg: each frame goes to the device, through a filter, and back.
film() # FILTER: four results
{
	foreign "ffmpeg, $1" "200 cl.*" ffmpeg -hide_banner -nostats -loglevel error -init_hw_device opencl=gpu:0.0 -filter_hw_device gpu -f lavfi \
		-i testsrc=size=320x240:rate=10:duration=2 -vf "format=yuv420p,hwupload,$1,hwdownload,format=yuv420p" -f framemd5 -fflags +bitexact frames
	filters "ffmpeg, $1" -vf "format=yuv420p,hwupload,$1,hwdownload,format=yuv420p"
}
film avgblur_opencl=4
film unsharp_opencl
film transpose_opencl

# Two inputs, and two filters after each other.
inputs=(-f lavfi -i testsrc2=size=160x120:rate=10:duration=2)
graph='[0:v]format=yuv420p,hwupload,boxblur_opencl[a];[1:v]format=yuv420p,hwupload[b];[a][b]overlay_opencl=20:20,sobel_opencl,hwdownload,format=yuv420p'
foreign "ffmpeg, two inputs" "300 cl.*" ffmpeg -hide_banner -nostats -loglevel error -init_hw_device opencl=gpu:0.0 -filter_hw_device gpu -f lavfi \
	-i testsrc=size=320x240:rate=10:duration=2 "${inputs[@]}" -filter_complex "$graph" -f framemd5 -fflags +bitexact frames
filters "ffmpeg, two inputs" -filter_complex "$graph"

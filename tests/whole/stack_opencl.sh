#!/bin/bash
# SPDX-License-Identifier: MIT
# Large programs that use OpenCL: ffmpeg's filters. tests/whole/cl_real_programs.sh has clinfo, clpeak, PyOpenCL and hashcat,
# stack_clblast.sh CLBlast.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
need ffmpeg ffmpeg
plan 12
export POCL_MAX_PTHREAD_COUNT=2

# ffmpeg: each frame goes to the device, through a filter, and back.
film() { # FILTER
	foreign "ffmpeg, $1" "200 cl.*" ffmpeg -hide_banner -nostats -loglevel error -init_hw_device opencl=gpu:0.0 -filter_hw_device gpu -f lavfi \
		-i testsrc=size=320x240:rate=10:duration=2 -vf "format=yuv420p,hwupload,$1,hwdownload,format=yuv420p" -f framemd5 -fflags +bitexact frames
}
film avgblur_opencl=4
film unsharp_opencl
film transpose_opencl

# Two inputs, and two filters after each other.
foreign "ffmpeg, two inputs" "300 cl.*" ffmpeg -hide_banner -nostats -loglevel error -init_hw_device opencl=gpu:0.0 -filter_hw_device gpu -f lavfi \
	-i testsrc=size=320x240:rate=10:duration=2 -f lavfi -i testsrc2=size=160x120:rate=10:duration=2 -filter_complex \
	'[0:v]format=yuv420p,hwupload,boxblur_opencl[a];[1:v]format=yuv420p,hwupload[b];[a][b]overlay_opencl=20:20,sobel_opencl,hwdownload,format=yuv420p' \
	-f framemd5 -fflags +bitexact frames

# SPDX-License-Identifier: MIT
# programs.sh: OpenCL programs that nobody here wrote, with and without tracelayer. A part of bench/bench. Those that are not here are named.

section "Programs on PoCL, recording to a file, with ÷ without; $whole_pairs pairs"

# program_row TEXT PACKAGE COMMAND...: a row, if the command is there. Its first run lets the driver compile the kernels.
program_row()
{
	local text=$1 package=$2
	shift 2
	if ! "$@" >/dev/null 2>>"$work/errors"; then
		note "$text does not run here: apt-get install $package"
		return
	fi
	whole_row "$text" "$@"
}

python=/usr/bin/python3
test -x $python || python=python3
programs_kept=${XDG_CACHE_HOME:-$HOME/.cache}/tracelayer-stacks
programs_film="-hide_banner -loglevel error -init_hw_device opencl=gpu:0.0 -filter_hw_device gpu -f lavfi -i testsrc=size=640x480:rate=25:duration=4"
program_row "clinfo" clinfo clinfo
# shellcheck disable=SC2086
program_row "ffmpeg, unsharp_opencl, 100 frames" ffmpeg ffmpeg -nostdin $programs_film \
	-vf format=yuv420p,hwupload,unsharp_opencl,hwdownload,format=yuv420p -f null -
program_row "CLBlast's test of axpy" clblast-tests clblast_test_xaxpy
program_row "gpyfft's tests of callbacks" python3-gpyfft $python -m pytest -p no:cacheprovider -q --pyargs gpyfft.test.test_callback
program_row "hashcat -I" hashcat hashcat -I
if test -d "$programs_kept/tinygrad-0.14.0"; then
	program_row "tinygrad: a matrix product, 10 steps of a regression" clang-14 env PYTHONPATH="$programs_kept/tinygrad-0.14.0" PYTHONDONTWRITEBYTECODE=1 \
		DEV=CL CC=clang-14 CACHELEVEL=0 $python "$top_srcdir/tests/whole/tinygrad_program.py"
else
	note "tinygrad is not here: ./scripts/check stacks keeps it"
fi
program_row "mpi4py and PyOpenCL, 2 ranks" "python3-mpi4py python3-pyopencl" env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
	mpirun.openmpi --oversubscribe -n 2 $python "$top_srcdir/tests/whole/mpi_opencl.py"

# SPDX-License-Identifier: MIT
# programs.sh: OpenCL programs that nobody here wrote, with and without tracelayer. A part of bench/bench. Those that are not here are named.

section "Programs on PoCL, recording to a file, with ÷ without; $whole_pairs pairs or more"

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
program_row "CLBlast's tuner of inversion" clblast-utils env -C "$work" clblast_tuner_invert -runs 1
program_row "gpyfft's tests of callbacks" python3-gpyfft $python -m pytest -p no:cacheprovider -q --pyargs gpyfft.test.test_callback
program_row "hashcat -I" hashcat hashcat -I
if test -d "$programs_kept/tinygrad-0.14.0"; then
	program_row "tinygrad: a matrix product, 10 steps of a regression" clang-14 env PYTHONPATH="$programs_kept/tinygrad-0.14.0" PYTHONDONTWRITEBYTECODE=1 \
		DEV=CL CC=clang-14 CACHELEVEL=0 $python "$top_srcdir/tests/whole/tinygrad_program.py"
else
	note "tinygrad is not here: ./scripts/check stacks keeps it"
fi
programs_tests=$(ls -d "$programs_kept"/pyopencl-*.tar.gz 2>/dev/null | tail -n 1)
if test -n "$programs_tests" && tar -xzf "$programs_tests" -C "$work" --strip-components=1 --wildcards '*/test/test_enqueue_copy.py' 2>>"$work/errors"; then
	program_row "PyOpenCL's own tests of copies" python3-pyopencl env PYTHONDONTWRITEBYTECODE=1 $python -m pytest -p no:cacheprovider -q \
		"$work/test/test_enqueue_copy.py"
else
	note "PyOpenCL's own tests are not here: ./scripts/check stacks keeps them"
fi
mkdir -p "$work/darktable"
printf 'P6 320 240 255\n' >"$work/darktable/in.ppm"
head -c 230400 "$top_srcdir/configure" >>"$work/darktable/in.ppm"
program_row "darktable-cli" darktable env HOME="$work/darktable" darktable-cli "$work/darktable/in.ppm" "$work/darktable/out.ppm" --out-ext ppm --core \
	--configdir "$work/darktable/config" --cachedir "$work/darktable/cache" --library :memory:
program_row "mpi4py and PyOpenCL, 2 ranks" "python3-mpi4py python3-pyopencl" env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
	mpirun.openmpi --oversubscribe -n 2 $python "$top_srcdir/tests/whole/mpi_opencl.py"

# john: one that has OpenCL's formats, which Debian's has not; JOHN names it. No password is found, so that each run does the same.
programs_john=${JOHN:-john}
if "$programs_john" --list=formats --format=opencl 2>>"$work/errors" | grep -q raw-SHA256-opencl; then
	seq -f 'word%g' 20000 >"$work/words"
	echo "user:$(printf none | sha256sum | cut -d' ' -f1)" >"$work/hashes"
	program_row "john the ripper, raw-SHA256-opencl, 20,000 words" john env LWS=64 GWS=1024 "$programs_john" --format=raw-SHA256-opencl \
		--pot="$work/john.pot" --session="$work/john" --wordlist="$work/words" "$work/hashes"
else
	note "john the ripper has no formats of OpenCL here (Debian's has none): name one that has, JOHN=.../run/john"
fi

# run_row TEXT COUNT VARIABLE=VALUE tracelayer run … PROGRAM…: a row; COUNT words behind the variable are tracelayer's. The traces are $work/run.%p.json.
run_row()
{
	local text=$1 count=$2
	shift 2
	# What `run` makes of headers, and the driver of kernels, is kept from the first run on.
	env "$@" >/dev/null 2>>"$work/errors"
	rm -f "$work"/run.*.json
	"$top_builddir/bench_start" --awake "--seconds=$whole_seconds" $whole_pairs --arguments "$count" env "$@" 2>>"$work/errors" >"$work/line"
	test -s "$work/line" || { printf '  %-58s  failed: %s\n' "$text" "$(tail -n 1 "$work/errors")"; return; }
	whole_line "$text" "$(cat "$work/line")" "$work"/run.*.json
	rm -f "$work"/run.*.json
}

section "Programs on Mesa's Vulkan for processors, run --api vulkan ÷ bare, with run itself; $whole_pairs pairs or more"
programs_lavapipe=$(ls /usr/share/vulkan/icd.d/lvp_icd*.json 2>/dev/null | head -n 1)
programs_vulkan=("VK_ICD_FILENAMES=$programs_lavapipe" "$top_builddir/tracelayer" run --quiet -o "$work/run.%p.json" --api vulkan --)
if test -e "$programs_lavapipe" && command -v vulkaninfo >/dev/null; then
	run_row "vulkaninfo" 8 "${programs_vulkan[@]}" vulkaninfo
else
	note "Vulkan is not here: apt-get install vulkan-tools mesa-vulkan-drivers"
fi
if test -e "$programs_lavapipe" && command -v ffmpeg >/dev/null; then
	run_row "ffmpeg, avgblur_vulkan, 100 frames" 8 "${programs_vulkan[@]}" ffmpeg -nostdin -hide_banner -loglevel error -init_hw_device vulkan=v:0 \
		-filter_hw_device v -f lavfi -i testsrc=size=320x240:rate=25:duration=4 -vf format=rgba,hwupload,avgblur_vulkan,hwdownload,format=rgba -f null -
fi

section "SYCL on Intel's OpenCL for processors, run --xpti ÷ bare, with run itself; $whole_pairs pairs or more"
programs_sycl=$(ls -d "$programs_kept"/sycl-*/bin/python 2>/dev/null | tail -n 1)
if test -n "$programs_sycl"; then
	programs_sycl_lib=${programs_sycl%/bin/python}/lib
	run_row "dpctl and dpnp: a product, 200 small tasks" 7 "OCL_ICD_FILENAMES=$programs_sycl_lib/libintelocl.so" "$top_builddir/tracelayer" run --quiet \
		-o "$work/run.%p.json" --xpti -- "$programs_sycl" "$top_srcdir/tests/xpti/sycl_program.py"
	# What the runtime itself does for XPTI: its own dispatcher, what `run --xpti` turns on, and a subscriber whose callbacks return at once.
	run_row "its limit: XPTI with callbacks that do nothing" 4 "OCL_ICD_FILENAMES=$programs_sycl_lib/libintelocl.so" UR_ENABLE_LAYERS=UR_LAYER_TRACING \
		XPTI_TRACE_ENABLE=1 XPTI_FRAMEWORK_DISPATCHER="$programs_sycl_lib/libxptifw.so.1" XPTI_SUBSCRIBERS="$top_builddir/.libs/libbench_xpti_limit.so" \
		"$programs_sycl" "$top_srcdir/tests/xpti/sycl_program.py"
else
	note "SYCL's runtime is not here: ./scripts/check stacks keeps it"
fi

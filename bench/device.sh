# SPDX-License-Identifier: MIT
# device.sh: what device lanes cost a program that enqueues an empty kernel and waits for it, again and again. A part of bench/bench.
#
# This is the worst case: commands that do nothing, and a wait for each. In a round each configuration is one process of bench_device, in shuffled order. First the
# driver runs with its defaults, and its threads and the program's have cores of their own: most of the time is the kernel's, to wake one thread for the other. Then the
# driver has one thread, and all threads (the driver's, the program's, tracelayer's) share one core, where any work delays the others.

device_turns=101 device_count=100 device_rest=3000
test -z "$short" || { device_turns=3 device_count=10 device_rest=100; }

# device_run PLACES HOW
device_run()
{
	local where=() how=()
	test "$1" = apart || where=(env POCL_MAX_PTHREAD_COUNT=1 taskset -c 0)
	test "$2" = bare || how=(env LD_PRELOAD="$layer" TRACELAYER_OUTPUT=/dev/null)
	test "$2" != calls || how+=(TRACELAYER_DEVICE=0)
	"${where[@]}" "${how[@]}" "$top_builddir/bench_device" $device_turns $device_count $device_rest "$1"
}

# device_row PLACES TEXT NAME BASE [WANTED]
device_row()
{
	paste "$work/device.$1.$3" "$work/device.$1.$4" | awk '{ print $1 / 1000, $2 / 1000 }' >"$work/rows"
	ratio_row "$2" "$work/rows" "us${5:+; wanted: $5}"
}

# device_rows PLACES TEXT
device_rows()
{
	local round=0 name
	section "$2"
	while test $((round += 1)) -le "$rounds"; do
		for name in $(shuffled bare calls lanes); do
			device_run "$1" "$name" >>"$work/device.$1.$name" 2>>"$work/errors"
		done
	done
	device_row "$1" "calls and device lanes ÷ calls alone (--device=0)" lanes calls "1.05 or less"
	device_row "$1" "calls and device lanes ÷ not traced" lanes bare
	device_row "$1" "calls alone ÷ not traced" calls bare
}

if device_run apart bare >/dev/null 2>&1; then
	device_rows apart "Enqueue an empty kernel and wait for it, on the first OpenCL device: PoCL as it comes, its threads on another core"
	device_rows together "The same: PoCL with one thread, everything on one core"
else
	section "Enqueue an empty kernel and wait for it, on the first OpenCL device"
	note "there is no OpenCL device here: apt-get install pocl-opencl-icd"
fi

# device.sh: what device lanes cost a program that enqueues an empty kernel and waits for it, again and again. A part of bench/bench.
#
# The worst that there is: commands that do nothing, each waited for. In a round each configuration is one process of bench_device, in shuffled order.

device_turns=101 device_count=100 device_rest=3000
test -z "$short" || { device_turns=3 device_count=10 device_rest=100; }

device_run()
{
	set -- "$1" env POCL_MAX_PTHREAD_COUNT=1 taskset -c 0
	case $1 in
	bare) "${@:2}" "$top_builddir/bench_device" $device_turns $device_count $device_rest ;;
	calls) "${@:2}" env LD_PRELOAD="$layer" TRACELAYER_OUTPUT=/dev/null TRACELAYER_DEVICE=0 \
		"$top_builddir/bench_device" $device_turns $device_count $device_rest ;;
	lanes) "${@:2}" env LD_PRELOAD="$layer" TRACELAYER_OUTPUT=/dev/null \
		"$top_builddir/bench_device" $device_turns $device_count $device_rest ;;
	esac
}

# device_row TEXT NAME BASE [WANTED]
device_row()
{
	paste "$work/device.$2" "$work/device.$3" >"$work/rows"
	ratio_row "$1" "$work/rows" "ns${4:+; wanted: $4}"
}

section "Enqueue an empty kernel and wait for it, on the first OpenCL device: PoCL with one thread, all on one core"
if device_run bare >/dev/null 2>&1; then
	device_round=0
	while test $((device_round += 1)) -le "$rounds"; do
		for device_name in $(shuffled bare calls lanes); do
			device_run "$device_name" >>"$work/device.$device_name" 2>>"$work/errors"
		done
	done
	device_row "calls and device lanes ÷ calls alone (--device=0)" lanes calls "1.05 or less"
	device_row "calls and device lanes ÷ not traced" lanes bare
	device_row "calls alone ÷ not traced" calls bare
else
	note "there is no OpenCL device here: apt-get install pocl-opencl-icd"
fi

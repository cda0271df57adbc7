# SPDX-License-Identifier: MIT
# cl_common.sh: sourced after lib.sh by the tests of OpenCL's device lanes: a program is run bare and by one of the doors, and must notice
# nothing; what the trace says its devices did is compared with what the program and the test driver say (tests/device/opencl/cl_lanes.py).

apps=$top_builddir/tests/apps
drivers=$(cd "$top_builddir" && pwd)/tests/drivers/.libs
libtracelayer=$(cd "$top_builddir" && pwd)/.libs/libtracelayer.so
check_lanes=$top_srcdir/tests/device/opencl/cl_lanes.py
check_trace=$top_srcdir/tests/lib/check_trace.py

# Doors. Where the trace goes is in TRACELAYER_OUTPUT.
bare() { env -u TRACELAYER_OUTPUT "$@"; }
preload() { env LD_PRELOAD="$libtracelayer" "$@"; }
layer() { env OPENCL_LAYERS="$(dirname "$libtracelayer")/tracelayer/opencl/libtracelayer_opencl_layer.so" "$@"; }
both() { layer env LD_PRELOAD="$libtracelayer" "$@"; }

# Processor time that the children of this shell took so far, in ms, in `used`. (In a pipe or $() the children are another shell's.)
processor_time()
{
	times >"$tmp/times"
	used=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); n += t[1] * 60000 + t[2] * 1000 } print int(n) }' "$tmp/times")
}

# run NAME DOOR COMMAND…: leaves $tmp/NAME.out, .err, .log and .misuse; .said is the output without times. How long it took is in wall[NAME], and its processor
# time in busy[NAME], both in ms.
declare -A wall busy
run()
{
	local name=$1 door=$2 started before used; shift 2
	rm -f "$tmp/$name".*
	: >"$tmp/$name.log"; : >"$tmp/$name.misuse"
	processor_time
	before=$used started=$(date +%s%N)
	# In a shell of its own, which keeps its remarks about signals to itself.
	(
		TEST_ICD_LOG=$tmp/$name.log TEST_ICD_MISUSE=$tmp/$name.misuse TRACELAYER_OUTPUT=$tmp/$name.json \
			"$door" timeout -k 5 60 "$@" >"$tmp/$name.out" 2>"$tmp/$name.err" </dev/null
		echo "exit code $?" >>"$tmp/$name.out"
	) 2>/dev/null
	wall[$name]=$((($(date +%s%N) - started) / 1000000))
	processor_time
	busy[$name]=$((used - before))
	sed -E 's/^(TIMES .*[^0-9])( [0-9]+){4}$/\1/' "$tmp/$name.out" >"$tmp/$name.said"
}

# What the driver was left with: references by kind of object.
references() { sed -n 's/^= \([a-z]*\) [0-9]* /\1 /p' "$tmp/$1.log"; }

# How many commands the program enqueued, by its own count, and by the driver's.
commands() { sed -n 's/^commands //p' "$tmp/$1.out"; }
logged() { grep -c '^+' "$tmp/$1.log"; }

# Programs are alike: they say and end the same, and use the driver as well.
alike()
{
	diff -a "$tmp/bare.said" "$tmp/traced.said" && diff -a "$tmp/bare.err" "$tmp/traced.err" && diff "$tmp/bare.misuse" "$tmp/traced.misuse"
}

# prompt WHAT: one result, of the runs before. The traced one takes two seconds more of processor time at most, and waits for two seconds more at most. For each ms of
# processor time it may wait for ten until it gets the processor, as others use it, too.
prompt()
{
	diag "$1: bare ${wall[bare]} ms (${busy[bare]} ms of processor time), traced ${wall[traced]} ms (${busy[traced]} ms)"
	ok "$1: two seconds later at most" test $((busy[traced] - busy[bare])) -lt 2000 -a $((wall[traced] - wall[bare])) -lt $((2000 + 10 * busy[traced]))
}

# unnoticed WHAT DOOR COMMAND…: one result.
unnoticed()
{
	local what=$1 door=$2; shift 2
	run bare bare "$@"
	run traced "$door" "$@"
	ok "$what: says the same, ends the same ($(grep '^exit code' "$tmp/bare.out")), and the driver sees no misuse" alike
}

# nothing_kept WHAT: one result, of the runs before. Queues go when their threads do, and commands may hold kernels a little longer.
nothing_kept()
{
	is "$(references traced)" "$(references bare)" "$1: the driver is left with the same references"
}

# lanes WHAT OPTIONS…: one result, of the run before. What is measured is shown.
lanes()
{
	local what=$1; shift
	lanes_look "$@"
	lanes_tell "$what" $?
}
lanes_look() { "$python" "$check_lanes" --sound "$@" "$tmp/traced.json" >"$tmp/lanes.out" 2>&1; }
# lanes_tell WHAT STATUS: the result of a look.
lanes_tell()
{
	local what=$1 status=$2
	diag "$what: $(grep -E '^[0-9]+ slices|^of ' "$tmp/lanes.out" | paste -sd';')"
	ok "$what" sh -c 'test "$1" = 0 || { cat "$2"; false; }' - "$status" "$tmp/lanes.out"
}

#!/bin/bash
# SPDX-License-Identifier: MIT
# Times in a trace are those of CLOCK_MONOTONIC, to a microsecond: a program reads that clock right before and behind its calls. With STRESS=1 for ten
# minutes, else for some seconds. clock_slew_test checks what slews do at every instant.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
app=$top_builddir/tests/apps/clock_brackets
shims=$top_builddir/.libs/libbench_shims.so
double=$top_builddir/tests/apps/.libs/clock_double.so
seconds=8
test -z "${STRESS:-}" || seconds=800
plan 8

# brackets DOUBLE SECONDS [few]: run the program with that double of the clock.
brackets()
{
	_double=$1
	shift
	rm -f "$tmp/t.json"
	env CLOCK_DOUBLE="$_double" LD_PRELOAD="$double:$top_builddir/.libs/libtracelayer.so:$shims" TRACELAYER_OUTPUT="$tmp/t.json" \
		"$app" "$1" "$tmp/brackets" ${2:+"$2"}
}

# right ENDS WHAT SOURCE COMMAND…: two results: the command ends well, and the times of its run are right. In one run of three: where others use the processors, each of
# our readings of two clocks may have been interrupted for a while.
right()
{
	local status ends=$1 what=$2 source=$3 found
	shift 3
	for _ in 1 2 3; do
		"$@"
		status=$?
		$python "$top_srcdir/tests/buffers/clock.py" "$tmp/t.json" "$tmp/brackets" "$source" >"$tmp/said" 2>&1
		found=$?
		diag "$(cat "$tmp/said")"
		test $status = 0 -a $found != 0 || break
	done
	is $status 0 "$ends"
	is $found 0 "$what"
}

case $(cat /sys/devices/system/clocksource/clocksource0/current_clocksource 2>/dev/null) in
tsc | kvm-clock | hyperv_clocksource_tsc_page | xen | arch_sys_counter)
	right "a program that reads the clock ends well" "its calls' times are right within a microsecond" counter brackets none "$seconds"
	right "so does one whose clock is slewed by 500 ppm" "its calls' times are right, too" counter brackets slew "$seconds"
	right "so does one that records so little that it has no writer" "its calls' times are right, since it takes pairs of clocks itself" counter \
		brackets slew 6 few
	;;
*)
	skip 6 "this machine's kernel does not keep time by the processor's counter"
	;;
esac
# A kernel that keeps time by something else than the counter: so says a file that lies over the kernel's, for one program.
named=/sys/devices/system/clocksource/clocksource0/current_clocksource
echo hpet >"$tmp/hpet"
over='mount --bind "$0" "$1" && shift && exec "$@"'
if unshare -rm sh -c "$over" "$tmp/hpet" $named true 2>/dev/null; then
	rm -f "$tmp/t.json"
	right "so does one on a machine whose counter is not to be trusted" "its calls' times are CLOCK_MONOTONIC's own" clock_gettime \
		unshare -rm sh -c "$over" "$tmp/hpet" $named env LD_PRELOAD="$libtracelayer:$shims" TRACELAYER_OUTPUT="$tmp/t.json" "$app" 3 "$tmp/brackets"
else
	skip 2 "on this machine nothing can be mounted, not even for one program"
fi

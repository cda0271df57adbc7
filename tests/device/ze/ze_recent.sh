#!/bin/bash
# SPDX-License-Identifier: MIT
# Functions of Level Zero that are newer than Debian's headers: their commands are on the device's lanes, and the program reads what it reads untraced. The software device has
# them (tests/drivers/ze_recent.h), libze_recent.so offers them, as a newer loader would; and their shims are made here, by tracegen, unless the library was built
# with headers that have them.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
plan 23

app=$top_builddir/tests/apps/ze_recent
ZE_ENABLE_ALT_DRIVERS=$(cd "$top_builddir" && pwd)/tests/drivers/.libs/ze_driver_a.so
export ZE_ENABLE_ALT_DRIVERS

shims()
{
	"$top_builddir/tracegen" emit "$top_srcdir/tests/drivers/ze_recent.h" -o "$tmp" &&
		${CC:-cc} -std=c11 -O2 -fPIC -fexceptions -fvisibility=hidden -I"$top_srcdir/include" -I"$top_srcdir/tests/drivers" -shared -DTL_SHIM_LIBRARY \
			-o "$tmp/libze_recent-shims.so" "$tmp/ze_recent_shims.c" "$tmp/ze_recent_tables.c" -L"$top_builddir/.libs" -ltracelayer \
			-Wl,-rpath,"$(cd "$top_builddir/.libs" && pwd)"
}
bare() { rm -f "$tmp/bare.log"; TEST_ZE_LOG=$tmp/bare.log timeout 60 "$app" "$@" >"$tmp/bare" 2>&1; }
traced()
{
	rm -f "$tmp"/t.* "$tmp/log"
	LD_PRELOAD=$libtracelayer:$extra TRACELAYER_OUTPUT=$tmp/t.json TEST_ZE_LOG=$tmp/log timeout 60 "$app" "$@" >"$tmp/out" 2>&1
}
check() { "$python" -B "$top_srcdir/tests/device/ze/ze_lanes.py" "$@" >"$tmp/check" 2>&1; }
slices() { "$python" -c 'import json, sys
print(sum(eval(sys.argv[2], {}, {"n": e["name"], "a": e["args"]}) for e in json.load(open(sys.argv[1])) if e["ph"] == "X" and e["cat"].startswith("device")))' "$tmp/t.json" "$1"; }

extra=
if ! nm -D "$libtracelayer" | grep -q ' T zeCommandListAppendGraphExt$'; then
	ok "shims for newer functions" shims
	extra=$tmp/libze_recent-shims.so
else
	pass "shims for newer functions are built in"
fi

# --- what the program reads
export TEST_ZE_CLOCK_STEADY=1
for what in work graph; do
	bare $what 3
	is "$?" 0 "$what: the program works without us"
	traced $what 3
	is "$?" 0 "$what: and with us"
	same "$tmp/out" "$tmp/bare" "$what: and reads the same"
done
unset TEST_ZE_CLOCK_STEADY

# --- lanes
bare work 2
traced work 2
is "$?" 0 "the device's own clock"
ok "each command that the device executed is on a lane" check counts "$tmp/t.json" "$tmp/bare.log" || diag "$(cat "$tmp/check")"
ok "none before it was submitted, none after it was waited for, and arrows that say so" check calls "$tmp/t.json" || diag "$(cat "$tmp/check")"
ok "the trace is sound" "$python" -B "$top_srcdir/tests/lib/check_trace.py" "$tmp/t.json"
is "$(slices 'n == "spin@arguments" and "times" not in a and a["global"] == "24x1x1" and a["local"] == "8x1x1"')" 24 "launches with arguments have their sizes and times"
is "$(slices 'n == "host function" and "times" not in a')" 16 "host functions their times"
is "$(slices 'n == "spin@list" and "times" not in a')" 10 "so do kernels of lists that an immediate list executes, time after time"
is "$(slices 'n == "spin@first" and "times" not in a'), $(slices 'n == "spin@first" and a.get("times") == "host"')" "16, 6" \
	"and commands that may change, unless they have no event and may get one"
is "$(slices 'n == "spin@second"'), $(slices 'n == "spin@first" and a["global"] == "32x1x1" and a["local"] == "16x1x1"')" "2, 2" "other kernels and sizes are shown"
# Whether the one in the middle is read before the next one takes its event is a matter of time.
told=$(slices 'n == "spin@counter" and "times" not in a') untold=$(slices 'n == "spin@counter" and a.get("times") == "host"')
is "$((told + untold)), $((told >= 4))" "6, 1" \
	"events that count tell their times, if they have some, unless they stand for another command by then"
is "$(slices 'n == "spin@counter" and a.get("times") == "global"')" 6 "others lie between global timestamps"
check waits "$tmp/t.json" zeDeviceSynchronize
ok "zeDeviceSynchronize has waited for what the device had" test "$(cat "$tmp/check")" -ge 40 || diag "$(cat "$tmp/check")"
check waits "$tmp/t.json" zeEventHostSynchronize
ok "and who waits for the event behind lists has waited for them" test "$(cat "$tmp/check")" -ge 14 || diag "$(cat "$tmp/check")"
traced graph 3
is "$(slices 'n == "graph" and "times" not in a'), $(slices 'n == "spin@captured"')" "9, 0" "a graph is one command, and what is captured is none"
is "$(slices 'n == "spin@outside" and "times" not in a')" 15 "what comes behind a capture is as before"
is "$(slices 'n == "spin@copied"'), $(slices 'n == "spin@copied" and "times" not in a'), $(slices '"unfinished" in a')" "24, 12, 0" \
	"copies of lists are shown, with the times that the program's events have"

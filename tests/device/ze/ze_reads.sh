#!/bin/bash
# SPDX-License-Identifier: MIT
# What a Level Zero program reads from its events is what it reads untraced, bit for bit: of every kind of pool and event, on every kind of list, by both doors.
# The software device's clock is steady (tests/drivers/ze_driver.h), so that two runs read the same.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
plan 21

app=$top_builddir/tests/apps/ze_reads
layer=$top_builddir/.libs/tracelayer/level-zero
ZE_ENABLE_ALT_DRIVERS=$(cd "$top_builddir" && pwd)/tests/drivers/.libs/ze_driver_a.so
export ZE_ENABLE_ALT_DRIVERS TEST_ZE_CLOCK_STEADY=1

bare() { timeout 120 "$app" "$@" >"$tmp/bare" 2>&1; }
preloaded() { rm -f "$tmp"/t.*; LD_PRELOAD=$libtracelayer TRACELAYER_OUTPUT=$tmp/t.json timeout 120 "$app" "$@" >"$tmp/out" 2>&1; }
layered()
{
	rm -f "$tmp"/t.*
	ZE_ENABLE_TRACING_LAYER=1 LD_LIBRARY_PATH=$layer TRACELAYER_OUTPUT=$tmp/t.json timeout 120 "$app" "$@" >"$tmp/out" 2>&1
}
# slices EXPRESSION…: how many slices of the device each is true of.
slices() { "$python" -c 'import json, sys
work = [e for e in json.load(open(sys.argv[1])) if e["ph"] == "X" and e["cat"].startswith("device")]
print(*(sum(eval(what, {}, {"e": e, "a": e["args"]}) for e in work) for what in sys.argv[2:]))' "$tmp/t.json" "$@"; }

# --- all of them
bare events
is "$?" 0 "the program works without us"
cp "$tmp/bare" "$tmp/again"
bare events
same "$tmp/again" "$tmp/bare" "and reads the same each time"
ok "ticks that its kernels took" grep -q '+20046/' "$tmp/bare"
for door in preloaded layered; do
	$door events
	is "$?" 0 "$door: it ends well"
	same "$tmp/out" "$tmp/bare" "$door: and reads the same"
	# (Copies take the same ticks again with this clock: as if they had not been executed again.)
	read -r unfinished own global host < <(slices '"unfinished" in a and e["name"] == "spin"' \
		'e["name"] == "spin" and "times" not in a and a["end"] - a["start"] == 20046' \
		'e["name"] == "spin" and a.get("times") == "global"' 'e["name"] == "spin" and a.get("times") == "host"')
	is "$unfinished" 0 "$door: no kernel is called unfinished"
done
ok "kernels whose events tell their times have these" test "$own" -gt 100
ok "in lists that keep the order, others lie between global timestamps" test "$global" -gt 20
ok "and the rest say that their times are the host's" test "$host" -gt 20

# --- a tool that makes events inside its callbacks, by the loader's own layer and by ours
ZE_ENABLE_TRACING_LAYER=1 bare tool
is "$?" 0 "a tool's events, without us"
is "$(grep -c 'the tool: 0 0 [0-9]*+63' "$tmp/bare")" 30 "have the times of its kernels"
layered tool
is "$?" 0 "the same by our layer"
same "$tmp/out" "$tmp/bare" "has the same times"
is "$(slices 'e["name"] == "spin"' 'e["name"] == "spin" and "unfinished" in a')" "30 0" "and all kernels are on their lane"
export ZE_ENABLE_TRACING_LAYER=1
preloaded tool
same "$tmp/out" "$tmp/bare" "and so beside the loader's layer, when we are preloaded"
unset ZE_ENABLE_TRACING_LAYER

# --- by chance
seeds=${STRESS:+60}
seeds=${seeds:-3}
for ((seed = 1; seed <= seeds; seed++)); do
	bare random $((seed * 7919)) 400
	for door in preloaded layered; do
		$door random $((seed * 7919)) 400 && cmp -s "$tmp/out" "$tmp/bare" || echo "$((seed * 7919))" >>"$tmp/wrong.$door"
	done
done
for door in preloaded layered; do
	is "$(cat "$tmp/wrong.$door" 2>/dev/null)" "" "$door: $seeds programs of 400 steps by chance read the same"
done
ok "the trace is sound" "$python" -B "$top_srcdir/tests/lib/check_trace.py" "$tmp/t.json"

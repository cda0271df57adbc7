#!/bin/bash
# SPDX-License-Identifier: MIT
# Each command of Level Zero that a call waited for has an arrow to that call, also where it had ended before the program made the call, or even before
# the call that submitted it returned. On the software device.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
plan 8

apps=$top_builddir/tests/apps
ZE_ENABLE_ALT_DRIVERS=$(cd "$top_builddir" && pwd)/tests/drivers/.libs/ze_driver_a.so
export ZE_ENABLE_ALT_DRIVERS
traced() { rm -f "$tmp/t.json"; LD_PRELOAD=$libtracelayer TRACELAYER_OUTPUT=$tmp/t.json timeout 60 "$@" >"$tmp/out" 2>&1; }
# Commands, arrows to them, arrows from them.
arrows()
{
	"$python" -B - "$tmp/t.json" <<-'END'
	import json, sys
	events = json.load(open(sys.argv[1]))
	work = sum(event["ph"] == "X" and event["cat"].startswith("device") for event in events)
	def arrows(name): return sum(event["ph"] == "s" and event["name"] == name for event in events)
	print(work, arrows("submitted"), arrows("awaited"))
	END
}

traced "$apps/ze_awaited"
is "$?" 0 "commands end before the program waits"
commands=$(sed -n 's/^commands //p' "$tmp/out")
is "$(arrows)" "$commands $commands $commands" "each of them has been waited for"
"$python" -B "$top_srcdir/tests/device/ze/ze_lanes.py" calls "$tmp/t.json" >"$tmp/check" 2>&1
is "$?" 0 "none before it was submitted, none after it was waited for" || diag "$(cat "$tmp/check")"

# Some of these commands end before their call returns.
traced "$apps/ze_vector_add" -t 1 -n 40
is "$?" 0 "short commands"
is "$(arrows)" "240 240 240" "each of them has been waited for"

# Nothing waits for them for a while: the oldest are shown without an arrow, and none is missing.
traced "$apps/ze_awaited" many
is "$?" 0 "thousands of commands before a wait"
read -r work submitted awaited <<<"$(arrows)"
is "$work $submitted" "2000 2000" "each is there"
ok "at least the last 512 have been waited for" test "$awaited" -ge 512 || diag "$awaited"

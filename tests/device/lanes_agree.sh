#!/bin/bash
# SPDX-License-Identifier: MIT
# lanes_agree.sh: what traces of whole programs say of devices' work hangs together (lanes_agree.py): arrows, lanes, and counters against slices.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
plan 6

apps=$top_builddir/tests/apps
ZE_ENABLE_ALT_DRIVERS=$(cd "$top_builddir" && pwd)/tests/drivers/.libs/ze_driver_a.so
export ZE_ENABLE_ALT_DRIVERS

hangs_together() { "$python" -B "$top_srcdir/tests/device/lanes_agree.py" "$@"; }
# sound [COMMANDS] -- PROGRAM…
sound()
{
	local commands=
	test "$1" = -- || { commands=$1; shift; }
	shift
	rm -f "$tmp"/t.*
	timeout 60 "$tracelayer" run -o "$tmp/t.json" -- "$@" >"$tmp/said" 2>&1 || { cat "$tmp/said"; return 1; }
	hangs_together "$tmp/t.json" $commands
}
# The same by way of the record format.
exported()
{
	rm -f "$tmp"/t.*
	timeout 60 "$tracelayer" run -o "$tmp/t.tlt" -- "$@" >"$tmp/said" 2>&1 || { cat "$tmp/said"; return 1; }
	"$tracelayer" export "$tmp/t.tlt" -o "$tmp/t.json" && hangs_together "$tmp/t.json"
}

ok "OpenCL, four commands" sound 4 -- "$apps/cl_vector_add"
ok "OpenCL, queues of all kinds and several threads" sound -- "$apps/cl_device"
ok "and from records" exported "$apps/cl_device"
ok "Level Zero, three threads" sound -- "$apps/ze_vector_add" -t 3
ok "Level Zero, events" sound -- "$apps/ze_events"
ok "and from records" exported "$apps/ze_events"

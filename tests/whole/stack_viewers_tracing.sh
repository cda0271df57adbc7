#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_viewers_tracing.sh: what chrome://tracing makes of device work: commands on lanes of their own, none of them dropped, counters, and arrows from
# each submitting call to its command and from the command to the call that waited for it. The viewer is Chrome's own page, in a headless Chromium; Debian
# has it among Go's sources, whose `go tool trace` uses it.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
apps=$top_builddir/tests/apps
viewers=$top_srcdir/tests/whole/viewers
here=$(cd "$top_builddir" && pwd)
plan 13

page=$(find /usr/share/go-*/src -name trace_viewer_full.html 2>/dev/null | tail -n 1)
test -n "$page" || { echo "Bail out! there is no trace_viewer_full.html; ./scripts/install-packages installs it (golang-src)"; exit 99; }
need_chromium

. "$viewers/viewer.sh"
viewer "$python" "$viewers/tracing.py" "$(dirname "$page")"

# What the trace holds, in the words of tracing.py. To the viewer, instants are slices without a length.
holds()
{
	"$python" - "$tmp/t.json" <<-'END'
	import json, sys
	events = json.load(open(sys.argv[1]))
	slices = [(e["pid"], e["tid"]) for e in events if e["ph"] in "Xi"]
	arrows = sum(e["ph"] == "s" for e in events)
	counters = {(e["pid"], e["name"], series) for e in events if e["ph"] == "C" for series in e["args"]}
	print("%d lanes, %d slices, %d arrows, %d counters" % (len(set(slices)), len(slices), arrows, len(counters)))
	END
}

# drawn DESCRIPTION
drawn()
{
	local said status
	said=$(show "$tmp/t.json")
	status=$?
	is "$status $said" "0 $(holds)" "$1"
}

traced "$tmp/t.json" timeout 60 "$apps/cl_vector_add" >/dev/null
drawn "an OpenCL program's calls, commands, arrows and counters are drawn"
is "$(holds | cut -d, -f3)" " 8 arrows" "each of its four commands has an arrow that leads to it and one that leads away"

traced "$tmp/t.json" timeout 60 "$apps/cl_device" >/dev/null
drawn "threads that use queues in and out of order"
like "$(holds)" "^[1-9][0-9]* lanes" "they have lanes"

ZE_ENABLE_ALT_DRIVERS=$here/tests/drivers/.libs/ze_driver_a.so \
	traced "$tmp/t.json" timeout 60 "$apps/ze_vector_add" -t 3 >/dev/null
drawn "Level Zero commands of three threads"

(cd "$top_srcdir/examples" && ${CC:-cc} -I../include -o "$tmp/task-graph" task-graph-lcs.c task-graph.c "$here/libtracelayer-xptiproxy.a" -ldl -lpthread)
rm -f "$tmp/t.json"
timeout 60 "$here/tracelayer" run --xpti -o "$tmp/t.json" -- "$tmp/task-graph" >/dev/null 2>&1
drawn "an XPTI stream's tasks, and arrows along their dependencies"
is "$(holds | cut -d, -f3)" " 120 arrows" "one for each dependency in each run"

# The test itself can fail.
sed 's/"from_id"/"from"/' "$tmp/t.json" >"$tmp/odd.json"
like "$(show "$tmp/odd.json")" "which no edge joins" "an arrow where there is no edge is found out"
events='{"ph":"M","pid":7,"tid":8,"name":"thread_name","args":{"name":"t"}},
{"ph":"X","pid":7,"tid":8,"name":"call","cat":"opencl","ts":1.000,"dur":5.000,"args":{"correlation":1}},
{"ph":"X","pid":7,"tid":9,"name":"kernel","cat":"device","ts":3.000,"dur":5.000,"args":{"correlation":1}},
{"ph":"X","pid":7,"tid":9,"name":"kernel","cat":"device","ts":9.000,"dur":5.000,"args":{"correlation":2}}'
# arrow FROM TO: the times of its ends
arrow()
{
	echo "[$events,{\"ph\":\"s\",\"pid\":7,\"tid\":8,\"name\":\"a\",\"cat\":\"device\",\"id\":1,\"ts\":$1,\"args\":{}}," \
		"{\"ph\":\"f\",\"bp\":\"e\",\"pid\":7,\"tid\":9,\"name\":\"a\",\"cat\":\"device\",\"id\":1,\"ts\":$2,\"args\":{}}]" >"$tmp/t.json"
	show "$tmp/t.json"
}
like "$(arrow 2.000 3.000)" "^2 lanes, 3 slices, 1 arrows" "an arrow from a call to its command is right"
like "$(arrow 2.000 9.000)" "correlation 1.*correlation 2" "one to another call's command is found out"
like "$(arrow 2.000 20.000)" "arrow" "and one to nowhere"
sed 's/"tid":9,"name":"kernel","cat":"device","ts":3.000/"tid":9,"name":"kernel","cat":"device","ts":5.000/' "$tmp/t.json" >"$tmp/crossed.json"
said=$(show "$tmp/crossed.json")
is $? 1 "commands of one lane that overlap are found out"

"$top_builddir/tracelayer" profile -f -F 200 -o "$tmp/t.json" -- timeout 60 "$apps/cl_profile" turns 3 2>/dev/null
said=$(show "$tmp/t.json")
like "$? $said" '^0 [0-9]{2,} samples$' "samples of a profile are there with their stacks"
viewer_end

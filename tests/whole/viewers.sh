#!/bin/bash
# SPDX-License-Identifier: MIT
# viewers.sh: a viewer that people use draws what was recorded: each call a slice on its thread's lane, with its name, its
# start and its end, and the import has nothing to complain of. The viewer is speedscope, in a headless Chromium.
#
# speedscope comes from the npm registry into the build folder, once. TRACELAYER_OFFLINE=1: do without.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
speedscope_version=1.25.0
apps=$top_builddir/tests/apps
viewers=$top_srcdir/tests/whole/viewers
here=$(cd "$top_builddir" && pwd)
speedscope=$here/tests/whole/viewers/node_modules/speedscope
need_chromium
plan 15

if ! test -e "$speedscope/dist/release/index.html"; then
	mkdir -p "$here/tests/whole/viewers"
	# A registry that does not answer may do so the second time. Newer versions of Node.js leave a cache in TMPDIR.
	install() { NODE_DISABLE_COMPILE_CACHE=1 timeout 100 npm install --no-save --no-audit --no-fund --ignore-scripts --prefix "$here/tests/whole/viewers" "speedscope@$speedscope_version"; }
	if ! install >"$tmp/npm" 2>&1 && ! install >"$tmp/npm" 2>&1; then
		test "${TRACELAYER_OFFLINE-}" != 1 || { skip 15 "this machine is offline, and speedscope is not installed"; exit 0; }
		why=$(grep -m 1 -iE 'no such|error' "$tmp/npm")
		echo "Bail out! npm could not install speedscope (${why:-no end after twice 100 s});" \
			"install npm, or set TRACELAYER_OFFLINE=1 to do without this test"
		exit 99
	fi
fi

. "$viewers/viewer.sh"
# What is drawn is compared as speedscope exports it. The fewer pixels, the less has the processor to do, which plays the graphics card.
viewer "$python" "$viewers/speedscope.py" --size 320x240 "$speedscope"

# How many lanes have slices. Which engines a program uses at once, and so how many of theirs, may be chance.
lanes() { "$python" -c 'import json, sys; print(len({e["tid"] for e in json.load(open(sys.argv[1])) if e["ph"] == "X"}))' "$1"; }

# drawn DESCRIPTION [LANES]: the trace is drawn whole, and it has so many lanes; as many as have slices where no number is given.
drawn()
{
	local said status lanes=${2:-$(lanes "$tmp/t.json")}
	said=$(show "$tmp/t.json" 2>&1)
	status=$?
	is "$status $said" "0 $lanes lanes, $(events "$tmp/t.json") slices" "$1"
}

traced "$tmp/t.json" timeout 60 clinfo >/dev/null
drawn "clinfo on PoCL is drawn whole" 1

traced "$tmp/t.json" timeout 60 "$apps/cl_vector_add" >/dev/null
drawn "an OpenCL program is drawn whole, its device's work beside it" 2

ZE_ENABLE_ALT_DRIVERS=$here/tests/drivers/.libs/ze_driver_a.so \
	traced "$tmp/t.json" timeout 60 "$apps/ze_vector_add" -t 3 >/dev/null
drawn "a Level Zero program with three threads, and its device, are drawn whole"

traced "$tmp/t.json" timeout 60 "$apps/cl_threads" -t 8 -i 400 >/dev/null
drawn "eight threads at once are drawn whole, each on its own lane" 9

traced "$tmp/t.json" timeout 60 "$apps/cl_callbacks" >/dev/null
ok "a program whose callbacks make calls has calls inside calls" "$python" - "$tmp/t.json" <<'END'
import json, sys
calls = [e for e in json.load(open(sys.argv[1])) if e["ph"] == "X"]
sys.exit(not any(a is not b and a["tid"] == b["tid"] and a["ts"] < b["ts"] < a["ts"] + a["dur"] for a in calls for b in calls))
END
drawn "they are drawn whole, inside each other" 2

# Two machines' processes of equal numbers.
for rank in 0 1; do
	PMI_RANK=$rank traced "$tmp/$rank.tlt" timeout 60 "$apps/cl_vector_add" >/dev/null
done
"$python" -B "$top_srcdir/tests/cli/export/timeline.py" host "$tmp/0.tlt" "$tmp/2.tlt" nodeb 2 0.3
"$top_builddir/tracelayer" export -f "$tmp/0.tlt" "$tmp/1.tlt" "$tmp/2.tlt" -o "$tmp/t.json"
drawn "a timeline of three processes is drawn whole, with a lane for each thread of each" 6

traced "$tmp/t.json" timeout 60 "$apps/cl_hostile" names >/dev/null
drawn "hostile kernel names are drawn whole" 1

"$python" "$viewers/tight.py" 24 1 >"$tmp/t.json"
drawn "calls a nanosecond apart, on a machine that has been up for 24 days, are drawn whole" 1
"$python" "$viewers/tight.py" 365 10 >"$tmp/t.json"
drawn "calls ten nanoseconds apart, on a machine that has been up for a year, are drawn whole" 1

"$python" "$viewers/touching.py" 5 >"$tmp/t.json"
drawn "calls that touch, all alike, are drawn whole" 1
"$python" "$viewers/touching.py" 5 plain >"$tmp/t.json"
show "$tmp/t.json" >"$tmp/said" 2>&1
is $? 1 "which they would not be without a fourth decimal"

"$top_builddir/tracelayer" profile -o "$tmp/p.speedscope.json" -- timeout 60 "$apps/cl_profile" turns 3 2>/dev/null
said=$(show "$tmp/p.speedscope.json" 2>&1)
like "$? $said" '^0 [0-9]+ lanes, [0-9]{2,} slices$' "a profile in speedscope's own format is drawn whole"

# The test itself can fail.
cat >"$tmp/crossed.json" <<'END'
[{"ph":"M","pid":7,"tid":8,"name":"process_name","args":{"name":"p"}},
{"ph":"M","pid":7,"tid":8,"name":"thread_name","args":{"name":"t"}},
{"ph":"X","pid":7,"tid":8,"name":"a","ts":1.000,"dur":5.000,"args":{}},
{"ph":"X","pid":7,"tid":8,"name":"b","ts":3.000,"dur":5.000,"args":{}}]
END
said=$(show "$tmp/crossed.json" 2>&1)
is $? 1 "slices that cross are found out"
like "$said" '^the page said: ' "by the viewer's own warning"
viewer_end

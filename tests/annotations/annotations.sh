#!/bin/bash
# SPDX-License-Identifier: MIT
# annotations.sh: what a program tells ITT is in the trace: tasks, regions, frames, markers, metadata, counters; and what it tells ROCTX, by each way to
# find ROCTX. stack_itt.sh and stack_nvtx.sh run programs from outside.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
top_srcdir=$(cd "$top_srcdir" && pwd)
plan 26
collector=$PWD/.libs/libtracelayer-annotations.so
apps=$top_srcdir/tests/annotations
check_trace=$top_srcdir/tests/lib/check_trace.py
cd "$tmp" || exit 99

ok "the program is built" ${CC:-cc} -Wall -Wextra -I"$top_srcdir" -o itt_program "$apps/itt_program.c" -ldl
is "$("$tracelayer" run -o %p.json -- ./itt_program "$collector" 2>err; echo $?)" 0 "the program finds what ITT promises"
# The process that had the lower number was the parent.
ok "each task, region, frame, marker, metadata and counter is in the trace, and what the child did in its own" "$python" "$apps/itt_each.py" $(ls -v ./*.json)
for trace in ./*.json; do ok "the trace is sound" "$python" "$check_trace" "$trace"; done
is "$(INTEL_LIBITTNOTIFY64=/other/tool.so "$tracelayer" run -o other.json -- true 2>&1 | grep -c 'INTEL_LIBITTNOTIFY64=/other/tool.so: what the program tells ITT goes there')" \
	1 "a collector that the user has named keeps its place"
is "$("$tracelayer" run --quiet -- sh -c 'echo ${NVTX_INJECTION64_PATH##*/} ${INTEL_LIBITTNOTIFY64##*/}')" \
	"libtracelayer-annotations.so libtracelayer-annotations.so" "run names the library for both interfaces"
is "$("$tracelayer" run --annotations=no --quiet -- sh -c 'echo $NVTX_INJECTION64_PATH $INTEL_LIBITTNOTIFY64')" "" "--annotations=no: it does not"

ok "another program is built" ${CC:-cc} -Wall -Wextra -I"$top_srcdir" -o itt_pairs "$apps/itt_pairs.c" -ldl -lpthread
pairs() { rm -f pairs.json; "$tracelayer" run -o pairs.json -- ./itt_pairs "$collector" "$1" 2>err; }
is "$(pairs all; "$python" "$apps/itt_pairs.py" pairs.json 2>&1)" "" "events are paired by thread, with no end they are marks; a pause, a frame's second begin and a second key change nothing else"
ok "the trace is sound" "$python" "$check_trace" pairs.json
pairs open
of_lanes='"tid":\([0-9]*\).*'
is "$(grep -c '"ph":"X".*"name":"many"' pairs.json) $(grep '"ph":"X".*"name":"many"' pairs.json | sed "s/.*$of_lanes/\1/" | sort -u | wc -l)" "1024 1024" \
	"1024 ranges at once are slices, each on a lane"
is "$(grep '"ph":"i".*"name":"many".*"duration_ns"' pairs.json | sed "s/.*$of_lanes/\1/" | sort | uniq -c | while read -r count lane; do
	echo "$count $(grep -c "\"name\":\"thread_name\".*\"tid\":$lane,.*ITT: solver (ranges)" pairs.json)"; done)" "76 1" "the others are marks on a lane of their domain"
is "$(pairs types)" "65535 0 1001" "65535 types of events have numbers"
is "$(grep -c 'more than 65535 types of ITT events' err) $(grep -c '"ph":"X".*"name":"type 65534"' pairs.json)" "1 1" "one line tells of the others"
is "$(pairs same)" "0 0 0 0" "an event, a string, a domain or a counter that two threads make at once is one"

# Only annotations, and the settings leave nothing of them.
of_settings() { "$tracelayer" run -o none.json "$1" -- ./itt_pairs "$collector" open 2>&1 | grep 'no trace'; }
like "$(of_settings --paused)" "no trace: recording was paused all the time" "annotations alone, paused: run says that"
like "$(of_settings --level=operator)" "the program called NVTX, ITT or XPTI, but every call is filtered out" "on a level without them: run says that"

# ROCTX: its functions are shims, and the ranges are those that the program would have without them.
build_roctx()
{
	${CC:-cc} -Wall -Wextra -I"$top_srcdir/include" -shared -fPIC -Wl,-soname,libroctx64.so.4 -o libroctx64.so.4 "$apps/roctx_library.c" &&
		${CC:-cc} -Wall -Wextra -I"$top_srcdir/include" -o roctx_opens "$apps/roctx_program.c" -ldl -lpthread &&
		${CC:-cc} -DLINKED -Wall -Wextra -I"$top_srcdir/include" -o roctx_linked "$apps/roctx_program.c" "$tmp/libroctx64.so.4" \
			-Wl,-rpath,"$tmp" -ldl -lpthread
}
ok "programs with ROCTX are built" build_roctx
# Name, lane without its thread, whether it is unfinished.
ranges()
{
	"$python" - "$1" <<-'END'
		import json, sys
		events = json.load(open(sys.argv[1]))
		lanes = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
		print("; ".join(sorted("%s %s%s%s" % (event["ph"], event["name"], " in ranges" if "(ranges" in lanes[event["tid"]] else "",
			" unfinished" if "unfinished" in event["args"] else "") for event in events if "annotation,roctx" in str(event.get("cat")))))
	END
}
both="X first in ranges; X inner; X left open by its thread unfinished; X left open unfinished; X outer; X second in ranges; i mark"
for program in "./roctx_linked" "./roctx_opens $tmp/libroctx64.so.4"; do
	rm -f r.json
	is "$("$tracelayer" run -o r.json -- $program 2>/dev/null)" "$($program)" "${program%% *}: prints the same"
	is "$(ranges r.json)" "$both" "${program%% *}: each range and mark"
	ok "${program%% *}: the trace is sound" "$python" "$check_trace" r.json
done
is "$("$tracelayer" run -o n.json --quiet -- ./roctx_opens /nonexistent.so; ls n.json 2>/dev/null)" "$(./roctx_opens /nonexistent.so)" "without ROCTX, a program finds none"

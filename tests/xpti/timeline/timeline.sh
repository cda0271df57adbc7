#!/bin/bash
# SPDX-License-Identifier: MIT
# XPTI streams in the trace: programs that notify, run by `tracelayer run --xpti`, with the subscriber alone, through the static proxy and beside other
# subscribers. Each trace is read strictly, and everything that was notified of is looked for.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
here=$(cd "$top_builddir" && pwd)
tracelayer=$here/tracelayer
libtracelayer=$here/.libs/libtracelayer.so
timeline=$here/.libs/libtracelayer-xpti-timeline.so
dispatcher=$here/.libs/libtracelayer-xpti.so
by_soname=$here/.libs/tracelayer/xpti
top_srcdir=$(cd "$top_srcdir" && pwd)
for file in "$timeline" "$dispatcher"; do
	test -f "$file" || { echo "Bail out! $file is missing; run make first"; exit 99; }
done
unset XPTI_SUBSCRIBERS XPTI_TRACE_ENABLE XPTI_FRAMEWORK_DISPATCHER LD_LIBRARY_PATH
cc="${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -g -I$top_srcdir/include"
cd "$tmp" || exit 99
plan 79

# ---- the library
readelf -dW "$timeline" >dynamic
is "$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' dynamic | grep -v '^ld-linux' | sort | paste -sd' ')" "libc.so.6 libtracelayer.so.0 libxptifw.so" \
	"the subscriber needs libtracelayer.so, a dispatcher and libc"
like "$(cat dynamic)" 'FLAGS_1.*NODELETE' "it is never unloaded"
is "$(nm -D --defined-only "$timeline" | sed 's/.* //' | sort | paste -sd' ')" "xptiTraceFinish xptiTraceInit" "it exports its entry points and nothing else"
ok "a program is built, linked with a dispatcher and with the static proxy" eval "
	$cc -DWITH_OPENCL -DCL_TARGET_OPENCL_VERSION=300 '$top_srcdir/tests/xpti/timeline/xpti_timeline_app.c' -o app -pthread -L'$by_soname' -lxptifw -lOpenCL -Wl,-rpath,'$by_soname' &&
	$cc '$top_srcdir/tests/xpti/timeline/xpti_timeline_app.c' -o proxied -pthread '$here/libtracelayer-xptiproxy.a' -ldl &&
	$cc -shared -fPIC -DNAME='\"other\"' '$top_srcdir/tests/xpti/dispatcher/xpti_subscriber.c' -o other.so"

# run WHAT…: by tracelayer run --xpti. The trace is t.json; what is said is in out and err.
run() { rm -f t*.json; timeout 60 "$tracelayer" run --xpti -o t.json ./app "$@" >out 2>err; }
# One Python looks at all traces. In subshells there are no descriptors of a coprocess, but there are copies of them.
coproc LOOK { exec "$python" -B "$top_srcdir/tests/xpti/timeline/timeline.py" 2>&1; }
look_process=$LOOK_PID
exec 7>&"${LOOK[1]}" 8<&"${LOOK[0]}"
eval "exec ${LOOK[1]}>&- ${LOOK[0]}<&-"
# told EXPRESSION WANTED DESCRIPTION: of t.json, or of $trace.
look()
{
	local line
	printf '%s\n' "${trace:-t.json}" "$1" >&7
	while read -r -t 100 -u 8 line; do
		case $line in "exit "*) return "${line#exit }" ;; esac
		printf '%s\n' "$line"
	done
	echo "no answer"
	return 124
}
told() { is "$(look "$1")" "$2" "$3"; }
strict() { ok "$1" look ""; }

# ---- what is shown
run graph
is "$?" 0 "a program that makes a graph and runs it"
is "$(cat err)" "tracelayer: trace: t.json (22 events)" "one line tells of the trace"
strict "its trace is strict, and slices nest"
told lanes "['app (app N)']" "its stream is a lane"
told '[(i.kind, i.name) for i in instants]' \
	"[('graph_create', 'the graph'), ('node_create', 'load'), ('node_create', 'add'), ('node_create', 'store'), ('edge_create', 'input'), ('edge_create', 'input'), ('edge_create', 'sum'), ('edge_create', 'sum')]" \
	"graph, nodes and edges are instants"
told '{k: v for k, v in instant("load").args.items() if k not in ("id",)} == {"source": "graph.c:10", "instance": 1, "type": "node_create", "kernel": "vector \"add\"", "below": -7, "large": 1 << 40, "half": "0.5", "yes": True, "raw": "01ff", "metadata.source": "mine"}' \
	True "with the place in the code, and their metadata as arguments, numbers as numbers"
told '[instant("sum")[k] for k in ("from", "to")], instant("sum").args["from_id"] == instant("add").args["id"]' "(['add', 'store'], True)" "an edge tells its ends"
told '[(s.name, s.args["instance"], s.args["source"], s.args["parent"]) for s in slices]' \
	"[('load', 1, 'graph.c:10', 'the graph'), ('add', 1, 'graph.c:11', 'the graph'), ('store', 1, 'graph.c:12', 'the graph'), ('load', 2, 'graph.c:10', 'the graph'), ('add', 2, 'graph.c:11', 'the graph'), ('store', 2, 'graph.c:12', 'the graph')]" \
	"tasks are slices, with the place in the code and the event that they are part of"
told 'joined("name")' "[('add', 'store'), ('add', 'store'), ('load', 'add'), ('load', 'add')]" "edges are arrows, from source to target, once for each run"
told 'all(a == b for a, b in joined("instance"))' True "of the same round"
told 'sorted({s.name for s in starts})' "['input', 'sum']" "and have the edges' names"
run spawn
told 'joined("name"), joined("instance")' "([('parent', 'child'), ('parent', 'child')], [(1, 1), (1, 2)])" "an arrow leaves a run that has not ended, from inside of it"

run kinds
strict "every kind of trace point: the trace is strict"
told '[(s.kind, s.name) for s in slices if s.name != "something"]' \
	"[('function', 'by name alone'), ('function', 'on the stack'), ('function', 'on the floor'), ('function_with_args', 'called with arguments'), ('mem_alloc', 'mem_alloc')]" \
	"functions without an event have the name that they are told with"
told '[s.kind for s in of("something")]' "['region', 'task', 'barrier', 'lock', 'transfer', 'thread', 'wait', 'function', 'mem_release']" "pairs are slices"
told '[(s.args["bytes"], s.args["address"]) for s in slices if s.kind.startswith("mem")]' "[(4096, '0x10000'), (4096, '0x10000')]" "memory has its size and address"
told '[(i.kind, i.args["type"], i.args.get("message")) for i in instants]' "[('signal', 'signal', None), ('diagnostics', 'diagnostics', 'something is odd'), ('unknown', 60, None)]" \
	"what has no end is an instant, also if nobody knows the type"
run strange
is "$? $(cat err)" "0 tracelayer: trace: t.json (8 events)" "pointers to nothing, and to what is no text, harm nobody"
strict "and the trace is strict"
run user_defined
told 'len(slices), {s.name for s in slices}, {s.args["type"] for s in slices}' "(1000, {'mine'}, {'0x182'})" "user-defined types that end are slices"
told 'len(instants), {i.args["type"] for i in instants}, {"unfinished" in i.args for i in instants}' "(1000, {'0x184'}, {False})" "those that never do are instants"
told 'sum(s.begin < i.begin < s.end for s, i in zip(slices, sorted(instants, key=lambda i: i.begin)))' 1000 "at the time at which they were told"
run driver
told '[(s.begin < c.begin and c.end < s.end, c.name) for s in slices for c in calls]' "[(True, 'clGetPlatformIDs')]" "driver calls are in the same trace, in the time of the task that made them"
told '[s.lane.startswith("app (app ") and c.lane == "app" for s in slices for c in calls]' "[True]" "on lanes of their own"
summary=$("$tracelayer" summary t.json)
like "$(printf '%s\n' "$summary" | sed -n '/host calls/,/^$/p')" '^host calls: 1 in 1 function' "tracelayer summary takes the driver's call for one"
like "$(printf '%s\n' "$summary" | sed -n '/own events/,$p')" '^ask  *1 ' "and the task for the program's own event"
OCL_ICD_VENDORS=$here/tests/drivers/.libs/icd_a.so run submit
strict "a program whose tasks give work to a device: its trace is strict"
told 'sorted((around(s).name, "overlapping" in around(s).lane, next(c.name for c in calls if c.begin <= e.begin < c.end)) for s in starts for e in ends if s.id == e.id and s.name == "submits")' \
	"[('inner', False, 'clEnqueueMarkerWithWaitList'), ('outer', False, 'clEnqueueBarrierWithWaitList'), ('outer', False, 'clEnqueueMarkerWithWaitList'), ('second', True, 'clEnqueueBarrierWithWaitList'), ('second', True, 'clEnqueueMarkerWithWaitList')]" \
	"an arrow leads from the innermost task to each call that gives work to the device, also where tasks interleave"
told 'sum(s.name == "submits" for s in starts), sum(s.name == "submitted" for s in starts), sum(s.name == "clFlush" for s in calls)' "(5, 7, 1)" \
	"none to a call outside of tasks, in a task that another thread ends, or without work"

# ---- what is not balanced
run unbalanced
strict "begins and ends that interleave, and that lack each other: slices nest"
told 'sorted((s.name, s.args["instance"], "overlapping" in s.lane) for s in slices)' "[('a', 2, False), ('a', 5, False), ('b', 2, True), ('c', 1, False), ('c', 3, False), ('c', 4, False)]" \
	"what interleaves goes to a lane beside"
told '[(s.name, s.kind) for s in slices if s.args.get("unfinished")], [(i.name, i.args["instance"]) for i in instants if i.args.get("unmatched")]' "([('c', 'region')], [('a', 1)])" \
	"a begin without an end is unfinished, an end without a begin an instant"
run chain
strict "each task begins before the one before it ends: slices nest"
told 'len(slices), len(instants), len(lanes) <= 5' "(200, 0, True)" "all are slices, on a few lanes"
run deep
strict "2000 begins at once: slices nest"
told 'len(slices) + sum("unfinished" in i.args for i in instants), sum("unmatched" in i.args for i in instants) == sum("unfinished" in i.args for i in instants) > 0' "(2000, True)" \
	"those that there is no room for are instants, and so are their ends"

# ---- streams and ends
run late
strict "streams that begin late, and end early: slices nest"
told lanes "['app (app N)', 'second (app N)']" "each is a lane"
told '[(s.lane[:3], s.args["instance"], "unfinished" in s.args) for s in slices]' "[('app', 1, False), ('sec', 2, False), ('sec', 4, True), ('app', 3, False)]" \
	"a stream's end ends what it has open, and nothing of another"
run unloaded
is "$?" 0 "a framework that is finalized and begun again"
told 'sorted((s.args["instance"], "unfinished" in s.args) for s in slices)' "[(1, False), (2, False), (3, False), (11, True), (12, True), (13, True)]" "all is in the trace"
for way in open_at_exit open_at__exit; do
	run $way
	told '[(s.name, "unfinished" in s.args) for s in slices]' "[('inner', True), ('outer', True)]" "$way: what is open when the process ends is unfinished"
	strict "$way: slices nest"
done
run killed
is "$? $(tail -n 1 err)" "137 tracelayer: trace: t.json (100 events, 100 recovered)" "a process that is killed leaves all that had ended"
strict "its trace is strict"

# ---- threads
# Times are compared to 100 ns, though a pair of clocks may be read while others use the processors: they have to be right in one run of five.
for _ in 1 2 3 4 5; do
	run nested
	test "$(look 'log()[1]')" = 0 && break
done
strict "four threads: slices nest"
told 'log()' "(1200, 0)" "each task begins and ends when the program says"
told 'len(lanes), len({s.lane for s in slices}), sorted({s.kind for s in slices})' "(1, 4, ['function', 'task'])" "each thread has a lane"
run handed_over 8
strict "threads that end what others began: slices nest"
told 'len(slices), sorted(s.args["instance"] for s in slices) == [t * 1000 + i for t in range(8) for i in range(1, 101)], len(instants)' "(800, True, 0)" "each begin has found its end"
run many
told 'len(slices), len({s.lane for s in slices})' "(200, 200)" "200 threads, one after the other, have a lane each"
run edges
is "$?" 0 "more edges than are kept"
told 'len(starts), [(around(s).args["source"], around(e).args["source"]) for s, e in zip(starts, ends)]' "(1, [('edges.c:39999', 'edges.c:40000')])" "the oldest are forgotten"

# ---- forks
rm -f t*.json
timeout 60 "$tracelayer" run --xpti -o t.%p.json ./app forks >out 2>err
like "$(cat err)" '^tracelayer: 3 traces: ' "children have traces of their own"
number=0
for trace in $(grep -l '"instance":100' t.*.json) $(grep -L '"instance":100' t.*.json); do
	if test $((number++)) = 0; then
		told '[(s.args["instance"], "unfinished" in s.args) for s in slices], len(instants)' "([(100, False), (1, False)], 0)" "the parent's is whole"
	else
		told '[s.args["instance"] for s in slices], [i.args.get("unmatched") for i in instants], lanes' "([2], [True], ['app (app N)'])" \
			"child $((number - 1)) has its own events, and nothing of what its parent began"
	fi
done
trace=

# ---- without the command
rm -f t*.json
XPTI_SUBSCRIBERS=libtracelayer-xpti-timeline.so TRACELAYER_OUTPUT=$tmp/t.json timeout 60 ./app graph >out 2>err
is "$? $(cat err)" "0 " "the subscriber alone, named without a folder: nothing is said"
strict "there is a trace, without tracelayer being preloaded"
told 'len(slices), len(instants), len(starts)' "(6, 8, 4)" "with all of the stream"
rm -f t.json
XPTI_SUBSCRIBERS=$timeline TRACELAYER_OUTPUT=$tmp/t.json timeout 60 ./app open_at_exit
told '[(s.name, "unfinished" in s.args) for s in slices]' "[('inner', True), ('outer', True)]" "also with what is open when the process ends"
rm -f t.json
for setting in TRACELAYER_LEVEL=none TRACELAYER_LEVEL=operator TRACELAYER_START=paused; do
	env "$setting" XPTI_SUBSCRIBERS="$timeline" TRACELAYER_OUTPUT="$tmp/t.json" timeout 60 ./app graph >out 2>err
	is "$? $(cat err) $(ls t.json 2>&1)" "0  ls: cannot access 't.json': No such file or directory" "$setting: no trace, and nothing is said"
done
env LD_PRELOAD="$libtracelayer" TRACELAYER_XPTI=1 TRACELAYER_OUTPUT="$tmp/t.json" timeout 60 ./proxied graph
told 'len(slices), len(starts)' "(6, 4)" "TRACELAYER_XPTI=1 with the library preloaded does what --xpti does; through the static proxy, too"

# ---- the command's environment
rm -f t.json
XPTI_SUBSCRIBERS=$tmp/other.so timeout 60 "$tracelayer" run --xpti -o t.json ./app graph >out 2>err
is "$? $(grep -c '^other init app' out) $(cat err)" "0 1 tracelayer: trace: t.json (22 events)" "a subscriber of the user's is loaded beside ours"
rm -f t.json
XPTI_FRAMEWORK_DISPATCHER=/nonexistent timeout 60 "$tracelayer" run --xpti -o t.json ./proxied user_defined >out 2>err
like "$(cat err)" 'dispatcher /nonexistent' "a dispatcher that the user names is kept"
XPTI_TRACE_ENABLE=0 timeout 60 "$tracelayer" run --xpti -o t.json ./app graph >out 2>err
is "$(head -n 1 err)" "tracelayer: --xpti: XPTI_TRACE_ENABLE=0 turns XPTI off, so no stream will be recorded; unset it" "where the user has turned XPTI off, that is said"

# ---- other formats
for what in handed_over unbalanced; do
	rm -f t.*
	timeout 60 "$tracelayer" run --xpti -o t.tlt ./app $what >out 2>err
	"$tracelayer" export -o t.json t.tlt 2>err2 && "$tracelayer" export -o t.pftrace t.tlt 2>err2
	mkdir -p proto && protoc --python_out=proto -I"$top_srcdir/tests/format/encode" pftrace.proto
	ok "$what: Perfetto's format has the same as JSON, each lane's slices nested" "$python" "$top_srcdir/tests/format/encode/pftrace.py" proto t.pftrace t.json
done

# ---- all at once
sources="$top_srcdir/tests/xpti/timeline/xpti_timeline_stress.c $top_srcdir/format/args/checked_copy.c $top_srcdir/format/args/passed_copy.c $top_srcdir/common/text.c"
for file in $(sources_of libtl_xpti_timeline_la xpti | grep xpti/); do sources="$sources $top_srcdir/$file.c"; done
rounds=20000
test -z "$STRESS" || rounds=400000
build() { $cc -I"$top_srcdir" "${@:2}" $sources -o "$tmp/$1" -pthread; }
. "$top_srcdir/tests/lib/sanitizers.sh"
ok "threads begin, end, interleave and hand over at random, while streams end: all is told once, and nests" eval "build plain -g0 && timeout 200 ./plain 4 $rounds"
if works thread; then
	ok "without a data race" eval "build tsan -O0 -g1 -fsanitize=thread && timeout 300 ./tsan 4 $((rounds / 4))"
else
	skip 1 "ThreadSanitizer does not work on this machine"
fi
if works address,undefined; then
	ok "without a wrong access" eval "build asan -O0 -g1 -fsanitize=address,undefined &&
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1 timeout 300 ./asan 4 $((rounds / 4))"
else
	skip 1 "AddressSanitizer does not work on this machine"
fi
exec 7>&- 8<&-
wait "$look_process"

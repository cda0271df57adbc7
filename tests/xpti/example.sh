#!/bin/bash
# SPDX-License-Identifier: MIT
# examples/task-graph*: a library that is instrumented with XPTI through the static proxy, a program that runs it on 4 threads, and two subscribers: they build as
# they say, and tell what happened.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
tracelayer=$(cd "$top_builddir" && pwd)/tracelayer
top_srcdir=$(cd "$top_srcdir" && pwd)
dispatcher=$(cd "$top_builddir" && pwd)/.libs/libtracelayer-xpti.so
proxy=$(cd "$top_builddir" && pwd)/libtracelayer-xptiproxy.a
for file in "$dispatcher" "$proxy"; do
	test -f "$file" || { echo "Bail out! $file is missing; run make first"; exit 99; }
done
unset XPTI_SUBSCRIBERS XPTI_TRACE_ENABLE XPTI_FRAMEWORK_DISPATCHER
cd "$tmp" || exit 99

# build OUTPUT SOURCE… [FLAG…]: as the sources' first lines say.
build()
{
	_output=$1; shift
	(cd "$top_srcdir/examples" && ${CC:-cc} -Wall -Wextra -Werror -I"$top_srcdir/include" -o "$tmp/$_output" "$@")
}

# watched SUBSCRIBERS COMMAND…
watched() { XPTI_FRAMEWORK_DISPATCHER=$dispatcher XPTI_SUBSCRIBERS=$1 timeout 60 "${@:2}" >out 2>err; }

# told EXPRESSION: of the text subscriber's lines, (milliseconds, thread, what) in `lines`; `tasks`: (thread, run, name, begin, end) by places in lines.
told()
{
	"$python" - "$1" <<-'END'
	import re, sys
	lines = [(float(m[1]), int(m[2]), m[3]) for m in (re.match(r" *([\d.]+) ms  thread (\d+)  (.*)", l) for l in open("err")) if m]
	begun, tasks = {}, []
	for place, (_, thread, what) in enumerate(lines):
	    m = re.match(r"(begin|end  ) task (\d+): (.*)", what)
	    if m and m[1] == "begin":
	        assert thread not in begun, "a task in a task"
	        begun[thread] = (m[2], m[3], place)
	    elif m:
	        run, name, begin = begun.pop(thread)
	        assert (run, name) == (m[2], m[3]), "another task ends"
	        tasks.append((thread, run, name, begin, place))
	assert not begun
	edges = [m.groups() for m in (re.match(r"edge (.*) -> (.*)", l[2]) for l in lines) if m]
	def count(start): return sum(l[2].startswith(start) for l in lines)
	def place(start): return next(i for i, l in enumerate(lines) if l[2].startswith(start))
	def last(start): return max(i for i, l in enumerate(lines) if l[2].startswith(start))
	print(eval(sys.argv[1]))
	END
}

plan 32

# ---- what doc/xpti.md shows of it
sed -n 's/^    //p' "$top_srcdir/doc/xpti.md" | grep -v '^ *\.\.\.$' >shown
missing=
# The examples' lines end at 100 columns, the page's do not: white space does not count.
code=$(cat "$top_srcdir"/examples/task-graph*.c | tr -s ' \t\n' '   ')
while IFS= read -r line; do
	case $code in *"$line"*) ;; *) missing="$missing$line;" ;; esac
done < <(sed -n -e 's/^\$ \(cc .*\)/\1/p' -e '/[;{]$/s/^ *//p' shown)
is "$missing" "" "every command that builds it, and all code in doc/xpti.md, is in the examples"
is "$(grep -c -e '^    XPTI_SCOPED_NOTIFY' -e '^    xptiRegisterCallback' -e '^\$ cc' shown)" 5 "... which is not nothing"

# ---- building
ok "the program and the library build with a header and the static proxy" build task-graph task-graph-lcs.c task-graph.c "$proxy" -ldl -lpthread
ok "the text subscriber builds with the header alone" build text.so -shared -fPIC task-graph-text.c
ok "the statistics subscriber, too" build statistics.so -shared -fPIC task-graph-statistics.c

# ---- what the program computes
"$python" - >wanted <<'END'
import random
random.seed(7)
a, b = ("".join(random.choice("abcd") for _ in range(n)) for n in (700, 500))
open("a.txt", "w").write(a)
open("b.txt", "w").write(b)
row = [0] * (len(b) + 1)
for x in a:
    diagonal = 0
    for j, y in enumerate(b):
        above = row[j + 1]
        row[j + 1] = diagonal + 1 if x == y else max(above, row[j])
        diagonal = above
print(f"{len(a)} and {len(b)} bytes have {row[-1]} in common")
END
timeout 60 ./task-graph a.txt b.txt >out 2>err
same out wanted "without a dispatcher, the program computes what it is there for"
is "$(cat err)" "" "... and nothing is said"
watched "" ./task-graph a.txt b.txt
same out wanted "with a dispatcher that nobody subscribes to, as well"
is "$(cat err)" "" "... and nothing is said"

# ---- the text subscriber
watched ./text.so ./task-graph a.txt b.txt
same out wanted "with the text subscriber, as well"
is "$(told '[count(x) for x in ("graph ", "node ", "edge ", "begin run", "end   run", "begin task", "end   task")]')" "[1, 36, 60, 2, 2, 72, 72]" \
	"it tells of the graph, its nodes and edges, of two runs and all tasks"
is "$(told 'count("begin wait") == count("end   wait") and count("stream xpti.framework, version 1.0"), count("stream task_graph, version 1.0"), lines[-1][2]')" \
	"(1, 1, 'stream task_graph ends')" "... of waits that end, and of the stream's beginning and end"
is "$(told 'sorted({(run, name) for _, run, name, _, _ in tasks}) == sorted((str(r), f"block {x}.{y}") for r in (1, 2) for x in range(6) for y in range(6))')" \
	True "each task is executed in each run"
is "$(told '[e < b for run in "12" for x, y in edges for _, r, n, _, e in tasks if (r, n) == (run, x) for _, s, m, b, _ in tasks if (s, m) == (run, y)].count(True)')" \
	120 "each after those that it depends on"
is "$(told 'all(len({t for t, r, *_ in tasks if r == run}) <= 4 for run in "12") and len({l[1] for l in lines}) <= 7')" True "on no more than 4 threads"
is "$(told 'all(place(f"begin run {r}") < b and e < last(f"end   run {r}") for _, r, _, b, e in tasks)')" True "within their run"
line=$(grep -n 'block->task = graph_add(' "$top_srcdir/examples/task-graph-lcs.c" | cut -d: -f1)
is "$(grep -c "node block .*, task-graph-lcs.c:$line, .*graph lcs" err)" 36 "a node's place is where it was added; its metadata are told"
like "$(cat err)" 'node block 5.5, .*number 36(,|$)' "... its number, too"

# ---- the statistics subscriber
watched ./statistics.so ./task-graph a.txt b.txt
same out wanted "with the statistics subscriber, as well"
like "$(cat err)" '^task_graph: 36 nodes, 60 edges, [0-9.]+ us from' "it counts nodes and edges"
is "$(awk '$1 == "block" && $3 == 2 && $4 >= $6 + $7 - 0.2 && $4 <= $6 + $7 + 0.2 && $6 <= $5 && $5 <= $7 { n++ } END { print n }' err)" 36 \
	"each task was executed twice, and its times fit together"
is "$(awk '$1 == "block" { print $4 }' err | sort -c -rn && echo sorted)" sorted "the longest come first"
is "$(awk '$1 == "block" { total += $4 } $1 == "thread" { on = 1 } on && $1 + 0 { tasks += $2; busy += $3 } END { print tasks, busy - total < 5 && total - busy < 5 }' err)" \
	"72 1" "threads have executed them, and were as busy as tasks took"

# ---- both
watched ./text.so,./statistics.so ./task-graph a.txt b.txt
is "$(told 'count("end   task")') $(grep -c '^block' err)" "72 36" "both subscribers together are told the same"
XPTI_TRACE_ENABLE=0 watched ./text.so,./statistics.so ./task-graph a.txt b.txt
is "$(cat out err)" "$(cat wanted)" "XPTI_TRACE_ENABLE=0: neither is told anything"

# ---- the timeline
XPTI_FRAMEWORK_DISPATCHER= "$tracelayer" run --xpti -o t.json -- ./task-graph a.txt b.txt >out 2>err
same out wanted "on the timeline, as well"
# seen EXPRESSION: of the trace's events, e; tasks: by run, name -> begin, end, lane
seen()
{
	"$python" - "$1" <<-'END'
	import json, sys
	e = json.load(open("t.json"))
	tasks = {(x["args"]["instance"], x["name"]): (x["ts"], x["ts"] + x["dur"], x["tid"]) for x in e if x["ph"] == "X" and x["name"].startswith("block")}
	ends = {"s": {}, "f": {}}
	for x in e:
	    if x["ph"] in ends:
	        ends[x["ph"]][x["id"]] = [k for k, (b, t, lane) in tasks.items() if lane == x["tid"] and b - 1 <= x["ts"] <= t + 1]
	arrows = {(s, f) for n in ends["s"] for s in ends["s"][n] for f in ends["f"][n]}
	want = {((r, f"block {i}.{j}"), (r, f"block {k}.{l}")) for r in (1, 2) for i in range(6) for j in range(6) for k, l in ((i + 1, j), (i, j + 1)) if k < 6 and l < 6}
	print(eval(sys.argv[1]))
	END
}
is "$(seen 'len(tasks)')" 72 "each execution of a task is a slice"
is "$(seen 'len(ends["s"]), len(ends["f"]), want <= arrows')" "(120, 120, True)" "arrows lead from each to those that depend on it"
is "$(seen '[any(b <= t[0] and t[1] <= d for b, d in [(x["ts"] - 1, x["ts"] + x["dur"] + 1) for x in e if x["ph"] == "X" and x["name"] == "graph_run"]) for t in tasks.values()].count(True)')" \
	72 "within that of a run"

# ---- the library and its subscriber clean up
echo 'int main(void) { return 0; }' >empty.c
if ${CC:-cc} -fsanitize=address,undefined empty.c -o empty 2>/dev/null && ASAN_OPTIONS=detect_leaks=1 ./empty 2>/dev/null; then
	ok "they build with sanitizers" eval 'build task-graph -fsanitize=address,undefined task-graph-lcs.c task-graph.c "$proxy" -ldl -lpthread &&
		build statistics.so -fsanitize=address,undefined -shared -fPIC task-graph-statistics.c'
	ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1 watched ./statistics.so ./task-graph a.txt b.txt
	is "$? $(cat out)" "0 $(cat wanted)" "nothing is used after it was freed, nor never freed"
	is "$(grep -c -e '^block' err) $(grep -c -e Sanitizer -e 'runtime error' err)" "36 0" "... and nothing else is said"
else
	skip 3 "AddressSanitizer does not work on this machine"
fi

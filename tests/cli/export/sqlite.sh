#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer export -o trace.sqlite: the database has what the trace has, counted in other ways; the queries of doc/sqlite.md run, and answer what
# `tracelayer summary` does; every kind of input; hostile names; messages about what can't be done.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
need_command
need_library
command -v sqlite3 >/dev/null || { echo "Bail out! sqlite3 is missing; ./scripts/install-packages installs it"; exit 99; }
"$python" -c 'import pyopencl' || { echo "Bail out! PyOpenCL is missing; ./scripts/install-packages installs it (python3-pyopencl)"; exit 99; }
plan 41

cd "$tmp" || exit 99
export HOME=$tmp
export_to() { "$tracelayer" export "$@"; }
ask() { sqlite3 -batch "$1" "$2"; }

# ---- a real program
# Some 300 kernels: each view goes through all of them. Three functions have 300 calls, the next one has 200.
cat >kernels.py <<'END'
import numpy, pyopencl
context = pyopencl.create_some_context(interactive=False)
queue = pyopencl.CommandQueue(context, properties=pyopencl.command_queue_properties.PROFILING_ENABLE)
twice = pyopencl.Program(context, "kernel void twice(global int *at) { at[get_global_id(0)] *= 2; }").build().twice
numbers = numpy.arange(64, dtype=numpy.int32)
memory = pyopencl.Buffer(context, pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=numbers)
for round in range(300):
    twice(queue, (64,), (8,), memory)
    if round % 3: queue.finish()
pyopencl.enqueue_copy(queue, numbers, memory)
END
ok "PyOpenCL is traced" "$tracelayer" run --quiet -o t.tlt -- "$python" kernels.py
export_to t.tlt -o t.sqlite >said 2>&1
is "$? $(cat said)" "0 " "a database is made of it"
is "$(stat -c %a t.sqlite)" 600 "for its user alone"
is "$(ask t.sqlite 'PRAGMA integrity_check; PRAGMA foreign_key_check; PRAGMA user_version; PRAGMA application_id')" "ok
3
1953259897" "which is sound"
export_to t.tlt -o t.json >said 2>&1
"$python" - t.json >want <<'END'
import collections, json, sys
calls, commands, arrows, counters = collections.Counter(), collections.Counter(), 0, 0
for event in json.load(open(sys.argv[1])):
    if event["ph"] == "X" and "kind" in event.get("args", {}) and "device" in event["cat"]:
        commands[event["name"]] += 1
    elif event["ph"] == "X":
        calls[event["name"]] += 1
    arrows += event["ph"] == "f"
    counters += len(event["args"]) if event["ph"] == "C" else 0
for name, count in sorted(calls.items()):
    print(f"{name}|{count}")
for name, count in sorted(commands.items()):
    print(f"{name}|{count}")
print(arrows)
print(counters)
END
ask t.sqlite 'SELECT name, count(*) FROM call GROUP BY name ORDER BY name; SELECT name, count(*) FROM command GROUP BY name ORDER BY name;
	SELECT count(*) FROM arrow; SELECT count(*) FROM counter' >got
same got want "calls, commands, arrows and counters are those of the JSON"
"$tracelayer" summary --csv --table=calls t.tlt | tr -d '\r' | sed 1d | cut -d, -f1,2,3,4 | tr , '|' | sort >want
ask t.sqlite 'SELECT name, calls, failed, total_ns FROM functions' | sort >got
same got want "the view of functions is the table of tracelayer summary"
"$tracelayer" summary --csv --table=queues t.tlt | tr -d '\r' | sed 1d | "$python" -c 'import csv, sys
for row in csv.reader(sys.stdin): print("|".join(row[1:4]))' >want
is "$(ask t.sqlite 'SELECT commands, span_ns, busy_ns FROM queues')" "$(cat want)" "and that of queues, too"
is "$(ask t.sqlite "SELECT count(*) FROM submission WHERE call_name = 'clEnqueueNDRangeKernel' AND delay_ns >= 0")" "$(ask t.sqlite "SELECT count(*) FROM command WHERE kind = 'kernel'")" \
	"each kernel has the call that submitted it"
is "$(ask t.sqlite "SELECT count(*) FROM arrow WHERE name = 'submitted' AND from_thread <> to_thread AND to_ns >= from_ns")" "$(ask t.sqlite "SELECT count(*) FROM arrow WHERE name = 'submitted'")" \
	"arrows lead from a thread to a queue, forward in time"
is "$(ask t.sqlite 'SELECT sum(duration_ns) FROM gap') $(ask t.sqlite 'SELECT sum(span_ns - busy_ns) FROM queues')" "$(ask t.sqlite 'SELECT sum(span_ns - busy_ns) FROM queues') $(ask t.sqlite 'SELECT sum(duration_ns) FROM gap')" \
	"gaps are what a queue was not busy"
like "$(ask t.sqlite "SELECT typeof(json_extract(arguments, '\$.num_entries')), json_extract(arguments, '\$.result') FROM call WHERE name = 'clGetPlatformIDs' LIMIT 1")" \
	'^integer\|CL_SUCCESS$' "arguments are JSON, with whole numbers"
program=$(basename "$(readlink -f "$python")")
is "$(ask t.sqlite "SELECT name, json_extract(metadata, '\$.program') FROM process")" "$program|$program" "the process has its name and the trace's metadata"

# ---- the page's queries
sed -n '/^```sql$/,/^```$/{/^```/!p;/^```$/s/.*/;;/p}' "$top_srcdir/doc/sqlite.md" >queries
is "$(grep -c '^;;$' queries)" 10 "doc/sqlite.md has ten queries"
"$python" - queries <<'END'
import sys
for number, query in enumerate(open(sys.argv[1]).read().split(";;\n")[:-1]):
    open(f"query.{number}", "w").write(query)
END
for number in 0 1 2 3 4 5 6 7 8 9; do
	printf '.output answer.%s\n.read query.%s\n.output ran.%s\n.print ran\n' $number $number $number
done >all
sqlite3 -batch -bail t.sqlite <all 2>errors
for number in 0 1 2 3 4 5 6 7 8 9; do
	is "$(cat "ran.$number" 2>&1) $(grep -c -i error "answer.$number")" "ran 0" "query $((number + 1)) runs: $(wc -l <"answer.$number") rows" || diag "$(cat errors)"
done
is "$(wc -l <answer.0) $(wc -l <answer.9) $(test -s answer.1 && test -s answer.3 && echo some)" "5 0 some" "and they find what there is"
"$tracelayer" summary --exact --csv --table=calls t.tlt | tr -d '\r' | sort -t, -k2,2nr | head -n 3 | "$python" -c 'import csv, sys
for row in csv.reader(sys.stdin): print("|".join((row[0], row[1], row[7], row[8])))' | sort >want
head -n 3 answer.5 | sort >got
same got want "percentiles by SQL are those of tracelayer summary"

# ---- kinds of input
counts() { ask "$1" 'SELECT (SELECT count(*) FROM call), (SELECT count(*) FROM command), (SELECT count(*) FROM arrow), (SELECT count(*) FROM process)'; }
"$tracelayer" run --quiet -o u.tlt -- clinfo >/dev/null 2>&1
"$tracelayer" run --quiet -o v.tlt -- clinfo -l >/dev/null 2>&1
export_to u.tlt -o u.json; gzip -k u.json
export_to u.tlt -o u.sqlite && export_to u.json -o j.sqlite && export_to u.json.gz -o z.sqlite && export_to - -o p.sqlite <u.json && export_to v.tlt -o v.sqlite
like "$(counts u.sqlite)" '^[1-9][0-9]*\|0\|0\|1$' "a trace without commands"
is "$(counts j.sqlite) $(counts z.sqlite) $(counts p.sqlite)" "$(counts u.sqlite) $(counts u.sqlite) $(counts u.sqlite)" "JSON, compressed JSON and standard input give the same"
export_to v.tlt u.tlt -o both.sqlite
is "$(ask both.sqlite 'SELECT count(*) FROM process') $(ask both.sqlite 'SELECT count(*) FROM call')" \
	"2 $(($(ask v.sqlite 'SELECT count(*) FROM call') + $("$tracelayer" summary --csv --table=calls u.tlt | tr -d '\r' | awk -F, 'NR > 1 { n += $2 } END { print n }')))" "two traces are two processes in one database"
export_to t.tlt --name='clFinish' -o part.sqlite
is "$(ask part.sqlite 'SELECT DISTINCT name FROM call')" clFinish "a part can be selected"
"$tracelayer" run --quiet --job="$tmp/J" -- clinfo >/dev/null 2>&1
export_to J -o job.sqlite
is "$(ask job.sqlite 'SELECT count(*) FROM process')" 1 "the folder of a job"

# ---- what other tools write
cat >other.json <<'END'
[{"ph":"M","name":"process_name","pid":"p","tid":0,"args":{"name":"Robert'); DROP TABLE call;--"}},
{"ph":"X","name":"a\"'\u0000<b>","cat":"c,failed","pid":"p","tid":"t","ts":1,"dur":2.5,"args":{"n":1,"x":0.5,"list":[1,2],"deep":{"y":3}}},
{"ph":"B","name":"outer","pid":"p","tid":"t","ts":10},{"ph":"B","name":"inner","pid":"p","tid":"t","ts":11},
{"ph":"E","pid":"p","tid":"t","ts":12},{"ph":"E","pid":"p","tid":"t","ts":14},{"ph":"E","pid":"p","tid":"t","ts":15},
{"ph":"B","name":"open","pid":"p","tid":"t","ts":16},
{"ph":"i","name":"now","pid":"p","tid":"t","ts":17},{"ph":"C","name":"c","pid":"p","ts":18,"args":{"v":3,"w":"no number"}},
{"ph":"s","id":1,"name":"f","pid":"p","tid":"t","ts":1},{"ph":"t","id":1,"name":"f","pid":"p","tid":"u","ts":2},{"ph":"f","id":1,"name":"f","pid":"p","tid":"t","ts":3},
{"ph":"f","id":2,"name":"f","pid":"p","tid":"t","ts":3},{"ph":"?"},{"no":"event"}]
END
export_to other.json -o o.sqlite
is "$(ask o.sqlite "SELECT name FROM process WHERE name IS NOT NULL; SELECT start_ns, duration_ns, failed, arguments FROM call WHERE categories IS NOT NULL")" \
	"Robert'); DROP TABLE call;--
1000|2500|1|{\"n\":1,\"x\":0.5,\"list\":[1,2],\"deep\":{\"y\":3}}" "names are no SQL; arguments stay what they are"
is "$(ask o.sqlite "SELECT name, start_ns, duration_ns FROM call WHERE categories IS NULL ORDER BY start_ns; SELECT name, duration_ns FROM event ORDER BY start_ns")" \
	"outer|10000|4000
inner|11000|1000
open|
now|" "beginnings and ends become slices; what has no end has no duration"
is "$(ask o.sqlite "SELECT from_ns, to_ns FROM arrow ORDER BY from_ns; SELECT series, value FROM counter")" "1000|2000
2000|3000
v|3.0" "arrows go over their steps; one without a beginning is left out"

# ---- commands of one queue at the same time
cat >overlap.json <<'END'
[{"ph":"M","pid":1,"name":"thread_name","tid":7,"args":{"name":"queue 1, d"}},{"ph":"M","pid":1,"name":"thread_name","tid":8,"args":{"name":"queue 1 (2), d"}},
{"ph":"X","pid":1,"name":"k","cat":"device,operator","tid":7,"ts":1,"dur":10,"args":{"kind":"kernel","queue":1,"device":"d"}},
{"ph":"X","pid":1,"name":"k","cat":"device,operator","tid":8,"ts":4,"dur":20,"args":{"kind":"kernel","queue":1,"device":"d"}},
{"ph":"X","pid":1,"name":"k","cat":"device,operator","tid":8,"ts":30,"dur":5,"args":{"kind":"kernel","queue":1,"device":"d"}}]
END
export_to overlap.json -o overlap.sqlite
is "$(ask overlap.sqlite 'SELECT name, commands, span_ns, busy_ns FROM queues')" "queue 1, d|3|34000|28000" "the time of commands that overlap counts once"

# ---- calls in each other
"$python" - <<'END'
import json
def call(name, start, end):
    return {"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": start, "dur": end - start}
json.dump([call("in", 2, 5), call("mid", 2, 5), call("out", 2, 5), call("all", 0, 9), call("next", 9, 12)], open("same.json", "w"))
json.dump([call(name, 10 * i + start, 10 * i + end) for i in range(40000) for name, start, end in (("in", 2, 3), ("out", 1, 5))], open("many.json", "w"))
END
export_to same.json -o same.sqlite
is "$(ask same.sqlite 'SELECT inner_name, outer_name FROM nested ORDER BY "inner"' | paste -sd' ')" "in|mid mid|out out|all" "of calls at the same nanosecond the later one is around, and each has one around it"
export_to many.json -o many.sqlite
is "$(timeout 30 sqlite3 many.sqlite 'SELECT inner_name, outer_name, count(*) FROM nested GROUP BY 1, 2')" "in|out|40000" "40,000 calls in others are found at once, not by all calls before them"

# ---- what can't be done
is "$(export_to v.tlt -o t.sqlite 2>&1; ls t.1.sqlite)" "tracelayer: t.sqlite: that name is taken; written to t.1.sqlite (-f overwrites)
t.1.sqlite" "a name that is taken gets a number"
mkfifo pipe.sqlite
is "$(export_to t.tlt -o pipe.sqlite 2>&1 <>pipe.sqlite; echo $?)" "tracelayer: pipe.sqlite: a database must be a file; give a name with -o
2" "a pipe can be no database"
head -c 3000 t.json >cut.json
is "$(export_to cut.json -o cut.sqlite 2>/dev/null; echo $?) $(ask cut.sqlite 'PRAGMA integrity_check')" "3 ok" "a trace that ends early: what is there, and exit code 3"
echo nonsense >bad.json
is "$(export_to bad.json -o bad.sqlite 2>/dev/null; echo $?) $(ls bad.sqlite* 2>/dev/null)" "1 " "what is no trace leaves nothing behind"
like "$(bash -c 'ulimit -f 100; trap "" XFSZ; exec "$@"' - "$tracelayer" export t.tlt -o large.sqlite 2>&1; ls large* 2>&1)" \
	"^tracelayer: large.sqlite: .*; no database was left there; free some space" "a disk that is full is said, and nothing is left"

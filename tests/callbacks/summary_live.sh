#!/bin/bash
# SPDX-License-Identifier: MIT
# The summary of device work three ways, of one run on PoCL, and one on the Level Zero test driver: by the tool while the program runs, from its trace, and from its records.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
plan 16

top_builddir=$(cd "$top_builddir" && pwd)
tracelayer=$top_builddir/tracelayer app=$top_builddir/tests/apps/cl_device
cd "$tmp" || exit 99

compare()
{
	"$python" - "$@" <<-'END'
	import json, sys
	def tables(file):
	    return {t["table"] if "process" not in t["table"] else "host calls": t["rows"] for t in json.load(open(file))["tables"]}
	live, trace = tables(sys.argv[1]), tables(sys.argv[2])
	what = sys.argv[3]
	def key(row):
	    return next(row[k] for k in ("kernel", "transfer", "command", "queue") if k in row)
	if what == "commands":
	    for table in "kernels", "transfers", "other commands":
	        a, b = ({key(r): r for r in t[table]} for t in (live, trace))
	        assert a.keys() == b.keys() and a, (table, a.keys() ^ b.keys())
	        for name, row in a.items():
	            for column, value in row.items():
	                near = 1 + 0.017 * b[name][column] if column in ("median_ns", "p99_ns") else 0
	                assert value == b[name][column] or near and abs(value - b[name][column]) <= near, (table, name, column, value, b[name][column])
	elif what == "queues":
	    a, b = ({key(r): r for r in t["queues"]} for t in (live, trace))
	    assert a.keys() == b.keys() and len(a) == 4, (a.keys(), b.keys())
	    for name, row in a.items():
	        for column in "commands", "span_ns", "busy_ns", "idle_ns", "gaps", "longest_gap_ns":
	            assert row[column] == b[name][column], (name, column, row, b[name])
	else:	# what a queue waited for: calls' bounds are converted at different moments
	    a, b = ({(r["queue"], r["waited_for"]): r for r in t["idle time"]} for t in (live, trace))
	    gaps = {r["queue"]: r["gaps"] for r in trace["queues"]}
	    idle = {r["queue"]: r["idle_ns"] for r in trace["queues"]}
	    for pair in a.keys() | b.keys():
	        x, y = (t[pair]["total_ns"] if pair in t else 0 for t in (a, b))
	        assert abs(x - y) <= 1000 * gaps[pair[0]] + 0.001 * idle[pair[0]], (pair, x, y)
	    for queue in idle:
	        assert sum(r["total_ns"] for r in a.values() if r["queue"] == queue) == idle[queue], queue
	        assert sum(r["total_ns"] for r in b.values() if r["queue"] == queue) == idle[queue], queue
	    assert not any(why == "(unknown)" for _, why in list(a) + list(b)), sorted(a)
	END
}

commands_in()
{
	"$python" - "$1" <<-'END'
	import collections, json, sys
	tables = {t["table"]: t["rows"] for t in json.load(open(sys.argv[1]))["tables"]}
	print(sum(r["count"] for t in ("kernels", "transfers", "other commands") for r in tables.get(t, [])))
	END
}

timeout 120 "$tracelayer" run -o t.json --tool summary=format=json,file=live.json -- "$app" -n 20 >said 2>err
is $? 0 "a program with four queues and two threads"
"$tracelayer" summary --json t.json >trace.json; is $? 0 "has a summary"
is "$(commands_in trace.json)" "$(sed -n 's/^commands \([0-9]*\).*/\1/p' said)" "with as many commands as it enqueued"
ok "the tool counted the same commands, to the nanosecond" compare live.json trace.json commands
ok "and the same queues" compare live.json trace.json queues
ok "which waited for the same calls" compare live.json trace.json waits
ok "and events take the memory that the trace's end says" "$python" - t.json trace.json <<-'END'
	import json, sys
	end = next(e["args"] for e in json.load(open(sys.argv[1])) if e["name"] == "tracelayer_end")
	memory = next(t["rows"][0] for t in json.load(open(sys.argv[2]))["tables"] if t["table"] == "event memory")
	assert end["event_bytes"] == memory["bytes"], (end, memory)
	assert abs(end["device_ns"] - memory["device_ns"]) <= 1, (end, memory)
END
is "$("$tracelayer" summary --json --by=thread --table=groups t.json | "$python" -c 'import json, sys; print(sum(r["commands"] > 0 and r["thread"] != "-" for r in json.load(sys.stdin)["tables"][0]["rows"]))')" 2 \
	"by thread: the two that submitted"

export ZE_ENABLE_ALT_DRIVERS=$top_builddir/tests/drivers/.libs/ze_driver_a.so
timeout 60 "$tracelayer" run -o z.json --tool summary=format=json,file=live_z.json -- "$top_builddir/tests/apps/ze_vector_add" -t 5 >/dev/null 2>&1
"$tracelayer" summary --json z.json >trace_z.json
ok "Level Zero, from threads that have ended: the same commands" compare live_z.json trace_z.json commands
ok "and the same calls that the queue waited for" compare live_z.json trace_z.json waits

timeout 120 "$tracelayer" run -o r.tlt -- "$app" -n 5 >/dev/null 2>&1
"$tracelayer" export -o r.json r.tlt >/dev/null 2>&1
of_file() { for by in function thread queue process request; do "$tracelayer" summary --csv --exact --by=$by "$1" 2>&1; done; }
is "$(of_file r.tlt)" "$(of_file r.json)" "records have the summary of the JSON that they become"

got=$(timeout 120 "$tracelayer" run --level=none --summary -- "$app" -n 2 2>&1 >said); is $? 0 "without a trace"
like "$got" '^kernels: [1-9][0-9]*$' "--summary has the kernels"
like "$got" '^queues: 4$' "and the queues"
is "$(echo *.[0-9]*.json)" "*.[0-9]*.json" "and there is no file"
unlike "$(timeout 120 "$tracelayer" run --level=none --device=0 --summary -- "$app" -n 1 2>&1)" '^(kernels|queues):' "without device lanes there are none"

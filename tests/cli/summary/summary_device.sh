#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer summary of device work: kernels, transfers, queues, what idle queues waited for, and all of it by thread, queue, process and request.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
plan 42

summary() { "$tracelayer" summary "$@"; }
random() { "$python" "$top_srcdir/tests/cli/summary/summary_device.py" "$@"; }

# --- random traces, whose answers were told nanosecond by nanosecond
for seed in 1 2 3; do
	mkdir "$tmp/$seed"
	random make "$tmp/$seed" "$seed" || exit 99
done
in_all()	# BY FILE…
{
	for seed in 1 2 3; do
		random check "$tracelayer" "$tmp/$seed" "$@" || return 1
	done
}
for by in function thread queue process request; do
	ok "every number is right by $by" in_all $by trace.json
	ok "and from gzip and the object form" in_all $by trace.json.gz
	ok "and from files that one process split its trace into" in_all $by split.0.json split.1.json
done

# --- a trace to be told by hand
"$python" - "$tmp" <<-'END'
	import json, sys
	def call(name, ts, dur, tid=7, pid=7, cat="opencl,runtime", **args):
	    return {"ph": "X", "pid": pid, "tid": tid, "name": name, "cat": cat, "ts": ts, "dur": dur, "args": args}
	def command(name, kind, ts, dur, correlation, lane=9001, pid=7, **args):
	    return call(name, ts, dur, lane, pid, "device,operator", kind=kind, queue=1, device="GPU", correlation=correlation, **args)
	def lane(tid, name):
	    return {"ph": "M", "pid": 7, "tid": tid, "name": "thread_name", "args": {"name": name}}
	events = [lane(9001, "GPU queue 1"), lane(9002, "GPU queue 1 (2)"),
	    call("clEnqueueWriteBuffer", 0, 10, correlation=1), command("write buffer", "write", 5, 20, 1, bytes=4096, peer="host"),
	    call("clEnqueueNDRangeKernel", 12, 3, correlation=2, request=3), command("saxpy", "kernel", 25, 50, 2),
	    call("clFinish", 16, 64),
	    call("clEnqueueNDRangeKernel", 100, 5, correlation=3),
	    command("saxpy", "kernel", 110, 40, 3), command("dot", "kernel", 120, 40, 3, 9002),
	    call("clEnqueueReadBuffer", 200, 100, correlation=4), command("read buffer", "read", 210, 80, 4, bytes=4096, peer="host"),
	    {"ph": "C", "pid": 7, "name": "queue 1 depth", "cat": "device,operator", "tid": 7, "ts": 3, "args": {"commands": 1}},
	    {"ph": "M", "pid": 7, "tid": 0, "name": "tracelayer_end", "args": {"events": 10, "lost": 0, "event_bytes": 640}}]
	def write(name, events):
	    json.dump(events, open(f"{sys.argv[1]}/{name}.json", "w"))
	write("hand", events)
	# A framework's own events: a slice and a pair on a thread, and work on a lane of its own.
	write("own", events + [{"ph": "M", "pid": 7, "tid": 9900, "name": "thread_sort_index", "args": {"sort_index": 3}}, lane(9900, "NPU"),
	    call("prepare", 80, 20, cat="context,request", request=3),
	    {"ph": "B", "pid": 7, "tid": 7, "name": "layer", "cat": "context,runtime", "ts": 160},
	    {"ph": "E", "pid": 7, "tid": 7, "name": "layer", "cat": "context,runtime", "ts": 190},
	    call("conv1", 30, 10, 9900, cat="context,operator", kind="kernel"), call("conv2", 60, 10, 9900, cat="context,operator")])
	# Values that nobody measured.
	write("odd", events + [dict(e, ts=ts, dur=dur, args=dict(e["args"], bytes=many, queue=many, correlation=many, request=many))
	    for e in events if e["ph"] == "X" for ts, dur, many in ((1e300, 1, 2**63), (-1e300, 1e300, -1), (5, -7, 1e300), ("x", None, [1]))])
	write("unfinished", events + [command("stuck", "kernel", 290, 10, 9, unfinished=True)])
	# Another tool's slices of a category that is ours by name.
	write("foreign", [{"ph": "X", "pid": "p", "tid": "GPU", "ts": 1, "dur": 2, "name": "gemm", "cat": "device", "args": {"kind": 7}},
	    {"ph": "X", "pid": "p", "tid": "GPU", "ts": 5, "dur": 2, "name": "gemm"}])
END
text=$(summary "$tmp/hand.json")
like "$text" '^saxpy +2 +90\.00 us +39\.1 % +45\.00 us +40\.00 us +40\.00 us +50\.00 us +50\.00 us$' "kernels: times and the share of device time"
like "$text" '^read device to host +1 .* 4\.0 KiB +0\.051 GB/s +0\.051 GB/s$' "transfers: bytes and bandwidth"
like "$text" '^GPU queue 1 +5 +285\.0 us +200\.0 us +70\.2 % +85\.00 us +2 +50\.00 us +\(program\) +70\.6 %$' \
	"queues: what overlaps is busy once, and what it waited for most"
is "$(summary --csv --table=waits "$tmp/hand.json" | tr -d '\r' | cut -d, -f2-5)" "waited_for,gaps,total_ns,share_of_idle
(program),2,60000,0.705882
clEnqueueReadBuffer,1,10000,0.117647
(device),1,5000,0.058824
clFinish,1,5000,0.058824
clEnqueueNDRangeKernel,1,5000,0.058824" "idle time, by the calls that the queue waited for; one table alone"
is "$(grep -E '^(host calls|kernels|transfers|queues|idle time|event memory)[:, ]' <<<"$text" | sed 's/[:,(].*//; s/ *$//' | paste -sd,)" \
	"host calls,kernels,transfers,queues,idle time,event memory" "the tables have headings"
is "$(summary --json --by=request --table=groups "$tmp/hand.json" | "$python" -c 'import json, sys; print([(r["request"], r["span_ns"], r["calls"], r["commands"], r["device_ns"], r["bytes"]) for r in json.load(sys.stdin)["tables"][0]["rows"]])')" \
	"[('-', 300000, 4, 4, 180000, 8192), ('3', 63000, 1, 1, 50000, 0)]" "a request has its calls, and the work that they caused"

csv=$(summary --csv "$tmp/own.json" | tr -d '\r')
like "$csv" '^prepare,1,0,20000,0\.400000,' "a program's own events have a table of their own"
like "$csv" '^layer,1,0,30000,0\.600000,' "pairs, too"
is "$(summary "$tmp/own.json" | grep '^host calls')" "$(grep '^host calls' <<<"$text")" "and are no host calls"
like "$csv" '^GPU queue 1,prepare,1,20000,' "but a queue may have waited for one"
all=$(summary --csv --table=waits "$tmp/own.json")
is "$(summary --csv --table=waits --queue='GPU*' "$tmp/own.json")" "$(grep -v '^NPU' <<<"$all")" "what a queue waited for may be a call that is not selected"
is "$(summary --csv --table=waits --exact --queue='GPU*' "$tmp/own.json")" "$(grep -v '^NPU' <<<"$all")" "if each call is kept, too"
is "$(summary --table=queues --queue='GPU*' "$tmp/own.json" | sed 's/  .*//' | paste -sd,)" "queues: 1,,queue,GPU queue 1" "queues without a command that is selected are left out"
like "$csv" '^NPU,2,40000,20000,0\.500000,20000,1,20000,\(unknown\),' "and a lane that it made for a device is a queue"
is "$(summary --csv --table=kernels "$tmp/own.json" | cut -d, -f1,2 | tr -d '\r' | paste -sd' '); $(grep -c '^conv1,1,' <<<"$csv")" "kernel,count saxpy,2 dot,1; 1" \
	"what the program calls a kernel is none of the driver's"
like "$(summary "$tmp/unfinished.json" 2>&1 >/dev/null)" '^tracelayer: 1 device command had not ended when the trace did' "commands that had not ended are told of"
like "$(summary --csv "$tmp/foreign.json")" '^gemm,2,0,4000,' "slices of other tools are calls"

is "$(for by in function thread queue process request; do summary --json --by=$by "$tmp/odd.json" | "$python" -c 'import json, sys
print(all(v >= 0 for t in json.load(sys.stdin)["tables"] for r in t["rows"] for v in r.values() if isinstance(v, (int, float))))'; done | sort -u)" \
	True "times and numbers that can't be are no times and numbers in the tables"

# --- what can't be
is "$(summary --by=queue "$tmp/foreign.json" 2>&1 >/dev/null)" \
	"tracelayer: --by=queue: the trace has no device commands; see --device in tracelayer-run(1)" "no queues: one line"
is "$(summary --by=request "$tmp/foreign.json" 2>&1 >/dev/null)" \
	"tracelayer: --by=request: the trace has no requests; a program sets them as tracelayer-contexts(7) says" "no requests: one line"
like "$(summary --by=kernel "$tmp/hand.json" 2>&1; echo "exit $?")" '^exit 2$' "no such grouping: exit 2"
like "$(summary --table=groups "$tmp/hand.json" 2>&1)" '^tracelayer summary: --table=groups: no groups by default; add --by=' "a table that there can't be: one line"
like "$(summary --table=x "$tmp/hand.json" 2>&1)" 'no such table; give groups, calls, events, kernels, transfers, others, queues, waits or memory$' "no such table: which there are"
like "$(summary --csv "$tmp/hand.json")" '^640,230000,2783' "event memory for each millisecond of work"
is "$(summary --csv --longer-than=1ns "$tmp/hand.json" | grep -c '^bytes,device_ns')" 0 "not of a part: the memory is known of the whole alone"
"$tracelayer" export --longer-than=1ns "$tmp/hand.json" -o "$tmp/part.json"
is "$(summary --csv "$tmp/part.json" | grep -c '^bytes,device_ns')" 0 "a part that was exported does not say how large the whole was"
"$tracelayer" report --longer-than=1ns "$tmp/hand.json" -o "$tmp/part.html"
is "$(grep -c '"event memory"' "$tmp/part.html")" 0 "and the page of a part neither"

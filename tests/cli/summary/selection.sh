#!/bin/bash
# SPDX-License-Identifier: MIT
# The options that select a part of a trace: each command takes the same part, of .tlt and of JSON. A script of its own counts what is right.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
command -v sqlite3 >/dev/null || { echo "Bail out! sqlite3 is missing; ./scripts/install-packages installs it"; exit 99; }
app=$(cd "$top_builddir" && pwd)/tests/apps/cl_requests
cd "$tmp" || exit 99
export TZ=UTC
timeout 100 "$app" >out 2>&1 || skip_all "OpenCL does not work on this machine"
plan 104

timeout 100 "$tracelayer" run --quiet -o %p.tlt -- "$app" >out 2>&1
mv "$(ls -S [0-9]*.tlt | head -n 1)" t.tlt # the child's is the smaller one
"$tracelayer" export t.tlt -o t.json 2>out

# wanted EXPRESSION: how many calls and commands, and their time, of those for which the expression of the event e is true.
wanted()
{
	"$python" - "$1" <<-'END'
	import fnmatch, json, sys
	every = json.load(open("t.json"))
	facts = next(x["args"] for x in every if x["name"] == "tracelayer")
	lanes = {x["tid"]: x["args"]["name"] for x in every if x["name"] == "thread_name"}
	ns = lambda text: round(text * 1000)
	result = []
	for device in (False, True):
	    chosen = []
	    for x in every:
	        words = x.get("cat", "").split(",")
	        if x["ph"] != "X" or ("device" in words) != device or (not device and "context" in words):
	            continue
	        e = {"name": x["name"], "device": device, "failed": "failed" in words, "request": x["args"].get("request", 0), "queue": x["args"].get("queue"),
	             "lane": lanes.get(x["tid"], ""), "start": ns(x["ts"]) - facts["monotonic_ns"], "end": ns(x["ts"]) + ns(x["dur"]) - facts["monotonic_ns"],
	             "has": lambda globs, text: any(fnmatch.fnmatchcase(text, glob) for glob in globs.split(","))}
	        if eval(sys.argv[1], e):
	            chosen.append(ns(x["dur"]))
	    result += [len(chosen), sum(chosen)]
	print(*result)
	END
}
# The same of the tables of kernels, transfers and others, and that of calls.
summary_has()
{
	"$tracelayer" summary --json "$@" 2>/dev/null | "$python" -c '
import json, sys
tables = {table["table"]: table["rows"] for table in json.load(sys.stdin)["tables"]}
commands = [row for name in ("kernels", "transfers", "others") for row in tables.get(name, [])]
calls = tables.get("host calls", [])
print(sum(row["calls"] for row in calls), sum(row["total_ns"] for row in calls), sum(row["count"] for row in commands), sum(row["total_ns"] for row in commands))'
}
sqlite_has()
{
	rm -f part.sqlite
	"$tracelayer" export "$@" -o part.sqlite 2>out
	sqlite3 -batch -separator ' ' part.sqlite 'SELECT * FROM (SELECT count(*), ifnull(sum(duration_ns), 0) FROM call), (SELECT count(*), ifnull(sum(duration_ns), 0) FROM command)'
}
# How many slices a page has is in its counts of rows.
report_has()
{
	"$tracelayer" report "$@" -f -o part.html 2>out
	grep -oE '"rows":\[[0-9,]*\]' part.html | tr -c '0-9\n' '\n' | awk '{ sum += $1 } END { print sum + 0 }'
}

# each WORDS EXPRESSION OPTION…
each()
{
	local words=$1 want
	want=$(wanted "$2")
	shift 2
	diag "$*: $want"
	is "$(summary_has "$@" t.tlt)" "$want" "$words: summary of .tlt"
	is "$(summary_has "$@" t.json)" "$want" "... of JSON"
	is "$(summary_has --exact "$@" t.tlt)" "$want" "... with each call in memory"
	is "$(summary_has "$@" - <t.tlt)" "$want" "... from standard input"
	"$tracelayer" export -f "$@" t.tlt -o part.json 2>out
	is "$(summary_has part.json)" "$want" "export"
	is "$(sqlite_has "$@" t.tlt)" "$want" "... to a database"
	is "$(sqlite_has "$@" t.json)" "$want" "... of JSON"
	is "$(report_has "$@" t.tlt)" "$(report_has "$@" t.json)" "report: the same of .tlt and JSON"
}
each "names" 'has("clEnq*,first", name)' --name='clEnq*,first'
each "a queue" 'queue == 1' --queue=1
each "a device" 'device' --device='*'
each "no such device" 'False' --device=nobody
each "a queue and its thread" 'queue == 1 or (has("cl_requests", lane) and not device)' --queue=1 --thread=cl_requests
each "a request" 'request == 1' --request=1
each "failures" 'failed' --failed
each "what took long" 'end - start >= 20000' --longer-than=20us
first=$("$python" -c '
import json
every = json.load(open("t.json"))
facts = next(x["args"] for x in every if x["name"] == "tracelayer")
x = min((x for x in every if x["ph"] == "X" and x["name"] == "clEnqueueNDRangeKernel"), key=lambda x: x["ts"])
start = round(x["ts"] * 1000)
print(start - facts["monotonic_ns"], start - facts["monotonic_ns"] + round(x["dur"] * 1000), "%d.%09d" % divmod(start, 10**9), facts["realtime_ns"])')
read -r from to clock began <<<"$first"
each "the time of a call" "start <= $to and end >= $from" --time=@clEnqueueNDRangeKernel
each "from a call on" "end >= $from" --time=@clEnqueueNDRangeKernel:
each "the trace's clock" "end >= $from" --time="=$clock:"
middle=$((began / 1000000000 + 1)) # the next full second
each "a date" "start <= $((middle * 1000000000 - began))" --time=":$(date -d "@$middle" +%Y-%m-%dT%H:%M:%S)"

same_part() { "$tracelayer" diff --csv "$@" t.tlt t.json 2>/dev/null | tr -d '\r' | cut -d, -f2,3 | sed 1d | awk -F, '/^[0-9]/ { a += $1; b += $2 } END { print a + 0, b + 0 }'; }
read -r calls _ commands _ <<<"$(wanted 'request == 1')"
is "$(same_part --request=1)" "$((calls + commands)) $((calls + commands))" "diff compares what is selected"
"$tracelayer" summary --save=t.sum t.tlt >out 2>&1
is "$("$tracelayer" diff --failed t.sum t.tlt 2>&1; echo $?)" "tracelayer: t.sum: sums have all calls; to select some, give the trace itself
1" "of a sum nothing can be selected"
for command in summary report "export -o part.json"; do
	is "$("$tracelayer" $command --time=@nothing t.tlt 2>&1; echo $?)" "tracelayer: --time: the trace has no slice or mark named nothing; \`tracelayer summary\` lists the names
2" "${command%% *}: a name that is not there"
done
is "$("$tracelayer" summary --time=:2001-01-01T00:00:00 t.tlt 2>&1; echo $?)" "tracelayer: --time: it ends before it begins; change the end
2" "a date before the trace"
is "$("$tracelayer" diff --csv --table=calls --top=2 t.tlt t.json 2>&1 | tr -d '\r' | cut -d, -f1)" "$("$tracelayer" diff --csv --table=calls t.tlt t.json | tr -d '\r' | cut -d, -f1 | head -n 3)" \
	"diff --top: the first rows, in diff's own order"
is "$("$tracelayer" diff --csv --columns=gb_per_s,median_a_ns --top=1 t.tlt t.json 2>&1; echo $?)" "tracelayer: gb_per_s: no table here has such a column; give a column's title, or its name in --csv
2" "diff --columns: a column that is not there"

#!/bin/bash
# SPDX-License-Identifier: MIT
# The programs in examples/: they build as they say, and do what they say.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command

# build NAME LIBRARIES…: as its first lines say.
build()
{
	${CC:-cc} -Wall -Wextra -Werror -I"$top_srcdir/include" -o "$tmp/$1" "$top_srcdir/examples/$1.c" "${@:2}"
}

# look FILE EXPRESSION: of the events e (a list) and names (thread names by tid).
look()
{
	"$python" - "$1" "$2" <<-'END'
	import json, sys
	e = json.load(open(sys.argv[1]))
	names = {x["tid"]: x["args"]["name"] for x in e if x["name"] == "thread_name"}
	def on(lane): return [x for x in e if x["ph"] in "XBEi" and names[x["tid"]] == lane]
	print(eval(sys.argv[2]))
	END
}

plan 26
top_srcdir=$(cd "$top_srcdir" && pwd)
cd "$tmp" || exit 99

# ---- trace-context
ok "trace-context: builds with a header alone" build trace-context -ldl
is "$(./trace-context)" "0 events" "... runs without tracelayer, and logs nothing"
is "$(test -e glow-trace.json; echo $?)" 1 "... nor leaves a file"
ok "... runs under it" "$tracelayer" run -o t.json -- ./trace-context
is "$(look glow-trace.json '[x["name"] for x in on("Device")]')" "['functionName', 'functionName', 'conv1', 'relu1']" "... the device's events are on its lane"
is "$(look glow-trace.json '[(x["ph"], x["name"]) for x in on("lane 1213")]')" "[('B', 'operator'), ('E', 'operator')]" "... others where they were put"
is "$(look glow-trace.json 'sorted(x["name"] for x in on("main") if x["ph"] == "X")')" "['inner', 'kept', 'operator', 'operator', 'request', 'stage2']" "... the host's on its thread's"
# The device is slow: 0.2 ms from slot to slot, in ticks of 4 ns.
is "$(look glow-trace.json '[x["dur"] >= 199 and x["ts"] > 1000 and x["dur"] < 1e6 for x in on("Device") if x["ph"] == "X"]')" "[True, True]" \
	"... its ticks are the host's time"
is "$(look t.json 'sorted(x["name"] for x in e if x.get("cat", "").startswith("context"))' | tr , '\n' | grep -c .)" 19 "... the process's trace has them, too"

# Every function and macro that the page's table names is in the example.
missing=
table=$(sed -n '/^.Sh FROM GLOW/,/^.El/p' "$top_srcdir/doc/tracelayer-contexts.7")
for name in $(printf '%s\n' "$table" | grep -oE '\b(tl|TL)_[A-Za-z_]+'); do
	grep -q "\b$name\b" "$top_srcdir/examples/trace-context.c" "$top_srcdir/examples/tracing-compare.c" || missing="$missing $name"
done
is "$missing" "" "every call in the man page's table is in an example"
# And every call of the document is in the table.
missing=
for name in createTraceEvent TraceContext STANDARD setTraceContext getTraceContext getTraceEvents autoInstrument dumpTraceEvents TraceEvent push_back \
	TraceEvent::now logTraceEvent ScopedTraceBlock TRACE_EVENT_BEGIN _END TRACE_EVENT_SCOPE TRACE_EVENT_SCOPE_NAMED NONE REQUEST RUNTIME OPERATOR \
	DEBUG TraceEventNode glow-dump-debug-traces tracing-compare; do
	printf '%s\n' "$table" | grep '^.It' | grep -qF -- "$name" || missing="$missing $name"
done
is "$missing" "" "... and every call of Glow's document in the table"

# ---- the page's own example
sed -n '/^.Bd -literal/,/^.Ed/p' "$top_srcdir/doc/tracelayer-contexts.7" | sed '1d;$d' >work.c
ok "the man page's example builds" ${CC:-cc} -Wall -Wextra -Werror -I"$top_srcdir/include" -o work work.c -ldl
"$tracelayer" run -o work-calls.json -- ./work >out 2>&1
is "$(look work.json '[x["name"] for x in e if x["ph"] == "X"]')" "['work']" "... and does what it is there for"

# ---- labels
ok "labels: builds with a header alone" build labels -DTRACELAYER_PROFILING -lOpenCL -lpthread -ldl
timeout 120 ./labels own >own.txt
is $? 0 "... runs"
like "$(cat own.txt)" '^[0-9.]+% worker$' "... and profiles itself"
timeout 120 "$tracelayer" profile -o p.folded -- ./labels >out 2>&1
like "$(cat p.folded)" '^worker;step;compute;clFinish [0-9]+$' "... from outside its calls are seen, too"
ok "... without profiling it builds all the same" build labels -lOpenCL -lpthread

# ---- tracing-compare
rm -f glow-trace.json
ok "tracing-compare: builds with the library" build tracing-compare -DTRACELAYER_LINKED -L"${libtracelayer%/*}" -ltracelayer \
	-Wl,-rpath,"${libtracelayer%/*}" -lOpenCL -lpthread
# Each device's work lies within what the host did: to 100 us, in one run of five, as others may use the processors while a device's clock is read.
# PoCL 3.1 names the devices pthread-... and basic-..., PoCL 6 cpu-... and cpu-minimal-....
devices='^[01] \(pthread\|basic\|cpu\)-'
within='[h["ts"] - 100 <= d["ts"] and d["ts"] + d["dur"] <= h["ts"] + h["dur"] + 100 for i in "01" for h in on(i + " host") if h["name"] == "compute" for n in names.values() if n[0] == i and "-" in n for d in on(n)]'
for _ in 1 2 3 4 5; do
	rm -f glow-trace.json
	POCL_DEVICES="pthread basic" timeout 120 ./tracing-compare >out 2>&1
	code=$?
	if test $code != 0 -o "$(grep -c "$devices" out)" != 2 || ! look glow-trace.json "$within" | grep -q False; then break; fi
done
is $code 0 "... runs"
if test "$(grep -c "$devices" out)" = 2; then
	is "$(grep -c ': as the host computes it$' out)" 2 "... two devices compute the same, which is right"
	is "$(look glow-trace.json 'sorted(n.replace("cpu-minimal", "basic").replace(" cpu", " pthread").split("-")[0] for n in names.values())')" \
		"['0 basic', '0 host', '1 host', '1 pthread']" \
		"... each has its lanes, in one trace"
	is "$(look glow-trace.json '{tuple(x["name"] for x in on(n)) for n in names.values() if "-" in n}')" \
		"{('write a', 'write b', 'multiply', 'add', 'read c')}" "... the device's commands are on its lane, in order"
	is "$(look glow-trace.json "$within")" \
		"[True, True, True, True, True, True, True, True, True, True]" "... within what the host did, by the host's clock"
	is "$(look glow-trace.json '[x["args"]["bytes_per_device_ms"] > 0 for x in e if x["name"] == "tracelayer_context"]')" "[True]" \
		"... and what the events cost is told"
else
	skip 5 "this machine has no PoCL with two devices"
fi
ok "... with the header alone it runs as well" eval 'build tracing-compare -lOpenCL -lpthread -ldl && timeout 120 ./tracing-compare none.json && test ! -e none.json'

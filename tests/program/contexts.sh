#!/bin/bash
# SPDX-License-Identifier: MIT
# Trace contexts (tracelayer/trace_context.h): a framework's own events, in a file of their own and in the process's trace.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
app=$top_builddir/tests/apps/contexts
plan 23

# Without tracelayer: nothing, and no harm.
"$app" "$tmp/none.json" >"$tmp/out" 2>&1
is $? 0 "without tracelayer: the program runs"
is "$(cat "$tmp/out")" "B 0 E 0 I 0 X 0" "... and nothing is logged"
ok "... nor dumped" test ! -e "$tmp/none.json"

traced "$tmp/t.json" "$app" "$tmp/own.json" >"$tmp/out" 2>&1
is $? 0 "with it: the program runs"
# 100 requests: each prepare twice, each odd one an instant, each a checkpoint; request, handle, compute, load, multiply.
is "$(cat "$tmp/out")" "B 100 E 100 I 150 X 500" "... and each event is in the context once"

# look FILE EXPRESSION: of the events e (a list) and names (thread names by tid).
look()
{
	"$python" - "$1" "$2" <<-'END'
	import collections, json, sys
	e = json.load(open(sys.argv[1]))
	names = {x["tid"]: x["args"]["name"] for x in e if x["name"] == "thread_name"}
	by = collections.defaultdict(list)
	for x in e: by[x["ph"], x["name"]].append(x)
	def inside(a, b): return b["ts"] <= a["ts"] and a["ts"] + a.get("dur", 0) <= b["ts"] + b["dur"] + 0.0011
	print(eval(sys.argv[2]))
	END
}

is "$(look "$tmp/own.json" 'len([x for x in e if x["ph"] in "BEiX"])')" 850 "the dump is strict JSON, with all of them"
is "$(look "$tmp/own.json" '[x["args"]["name"] for x in e if x["name"] == "process_name"]')" "['framework']" "... under the process's name"
is "$(look "$tmp/own.json" 'sorted((lambda t: all(a <= b for a, b in zip(t, t[1:])) and [1])([x["ts"] for x in e if x["ph"] != "M"]))')" "[1]" \
	"... in the order of their times"
is "$(look "$tmp/own.json" 'sorted(collections.Counter(names.values()).items())')" "[('device 0', 1), ('worker', 4)]" "... lanes have names"
is "$(look "$tmp/own.json" 'set(names[x["tid"]] for x in by["X", "multiply"]) | set(names[x["tid"]] for x in by["i", "checkpoint"])')" \
	"{'device 0'}" "... slots are on the device's lane"
is "$(look "$tmp/own.json" '{x["args"]["model"] for x in by["X", "handle"]}')" "{'a \"large\" one'}" "... the last value of an argument counts"
is "$(look "$tmp/own.json" 'sorted(x["args"]["request"] for x in by["X", "handle"]) == list(range(1, 101))')" True "... each has its request"
like "$(look "$tmp/own.json" 'by["M", "tracelayer_context"][0]["args"]')" "'bytes_per_device_ms': [0-9]+" "... and the cost is told"

is "$(look "$tmp/t.json" 'len([x for x in e if x.get("cat", "").startswith("context") and x["name"] != "event"])')" 850 "the process's trace has each event, once"
is "$(look "$tmp/t.json" '{names[x["tid"]] for x in by["X", "multiply"]}')" "{'device 0'}" "... the device's on its lane"
# clGetPlatformIDs is DEBUG, which these requests are not; the one outside of them stays.
is "$(look "$tmp/t.json" 'len(by["X", "clGetPlatformIDs"])')" 1 "... of the driver's calls within a request those that its context's level has not are left out"

TRACELAYER_LEVEL=runtime traced "$tmp/runtime.json" "$app" "$tmp/own.json" >"$tmp/out" 2>&1
is "$(look "$tmp/runtime.json" 'sorted({x["name"] for x in e if x.get("cat", "").startswith("context") and x["name"] != "event"})')" \
	"['compute', 'handle', 'odd', 'prepare']" "the recording's level chooses among them"
TRACELAYER_CONTEXT_LEVEL=debug traced "$tmp/debug.json" "$app" "$tmp/own.json" >"$tmp/out" 2>&1
is "$(look "$tmp/own.json" 'len(by["i", "even"])')" 50 "TRACELAYER_CONTEXT_LEVEL raises every context's level"

is "$(look "$tmp/debug.json" '(len(by["X", "clGetPlatformIDs"]), len([x for x in by["X", "clGetPlatformIDs"] if any(x["tid"] == r["tid"] and inside(x, r) and x["args"].get("request") == r["args"]["request"] for r in by["X", "request"])]))')" \
	"(301, 300)" "... then all driver calls are there, those within requests marked with them"

# Keys that come twice, and a key of the program's that is the layer's own.
cat >"$tmp/keys.c" <<'END'
#include <tracelayer/trace_context.h>
int main(int argc, char **argv)
{
	struct tl_context *c = tl_context_create(TL_TRACE_STANDARD);
	struct tl_context_arg args[] = {{"k", "1"}, {"k", "2"}, {"k 2", "3"}, {"k", "4"}, {"k 2", "5"}, {"request", "6"}, {"k 3", "7"}};
	struct tl_context_event event = {"keys", 'I', TL_TRACE_RUNTIME, 0, 9, 0, 0, 7, args};

	tl_context_log_event(c, &event);
	event.request = 0;
	event.name = "no request";
	tl_context_log_event(c, &event);
	event.name = "seven, which are nowhere";
	event.args = 0;
	tl_context_log_event(c, &event);
	tl_context_dump(c, argv[argc - 1], 0);
	tl_context_destroy(c);
	return 0;
}
END
ok "a program whose keys come twice is built" ${CC:-cc} -I"$top_srcdir/include" -o "$tmp/keys" "$tmp/keys.c" -ldl
traced "$tmp/t.keys.json" "$tmp/keys" "$tmp/own.keys.json"
# keys FILE: the members of each event's arguments, as they are written.
keys()
{
	"$python" -c 'import json, sys
for e in json.load(open(sys.argv[1]), object_pairs_hook=lambda pairs: pairs):
	if ("ph", "i") in e: print(*("%s=%s" % pair for pair in dict(e).get("args", [])), sep=", ")' "$1"
}
numbered="k=1, k 4=2, k 2=3, k 5=4, k 2 2=5, request 2=6, k 3=7, request=9
k=1, k 4=2, k 2=3, k 5=4, k 2 2=5, request=6, k 3=7"
is "$(keys "$tmp/own.keys.json")" "$numbered" "in the dump a key that comes again has a number behind it"
is "$(keys "$tmp/t.keys.json")" "$numbered" "... in the process's trace, too"

# Programs that read such files ask every event for its time (Glow's utils/trace_parser.py).
is "$(look "$tmp/own.json" '(len([x for x in e if x["ph"] == "M"]) > 2, [x for x in e if "ts" not in x])')" "(True, [])" "each row of a dump has a time, also the names"

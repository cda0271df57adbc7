#!/bin/bash
# SPDX-License-Identifier: MIT
# Requests that threads work on: each request has its driver calls and its device work, recorded at its level, up to `summary --by request`.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
app=$top_builddir/tests/apps/cl_requests
timeout 100 "$app" >"$tmp/out" 2>&1 || skip_all "OpenCL does not work on this machine"

# look FILE EXPRESSION: of X events e, n of them by request, category and name, and the names of lanes.
look()
{
	"$python" - "$1" "$2" <<-'END'
	import collections, json, sys
	every = json.load(open(sys.argv[1]))
	lanes = {x["tid"]: x["args"]["name"] for x in every if x["name"] == "thread_name"}
	e = [x for x in every if x["ph"] == "X"]
	n = collections.Counter((x["args"].get("request", 0), x["cat"].split(",")[0], x["name"]) for x in e)
	print(eval(sys.argv[2]))
	END
}

plan 22
timeout 100 "$tracelayer" run -o "$tmp/%p.json" -- "$app" >"$tmp/out" 2>&1
is $? 0 "the program runs as without us"
# The child's is the smaller one.
parent=$(ls -S "$tmp"/[0-9]*.json | head -n 1)
child=$(ls -S "$tmp"/[0-9]*.json | tail -n 1)

is "$(look "$parent" 'sorted((r, name, count) for (r, cat, name), count in n.items() if cat == "device")')" \
	"[(0, 'outside', 2), (1, 'first', 5), (2, 'second', 3)]" "each kernel is its request's; of a request without OPERATOR there is none"
is "$(look "$parent" '[n[r, "opencl", "clEnqueueNDRangeKernel"] for r in range(6)]')" "[2, 5, 3, 1, 0, 0]" \
	"... and each call, where its request has RUNTIME"
is "$(look "$parent" '[n[r, "opencl", "clGetPlatformIDs"] for r in range(1, 6)]')" "[0, 0, 1, 0, 2]" "... and queries, where it has DEBUG"
is "$(look "$parent" 'n[0, "opencl", "clGetPlatformIDs"]')" 6 "a thread that has left its request is in none"
is "$(look "$parent" 'len({x["tid"] for x in e if x["name"] == "clEnqueueNDRangeKernel" and x["args"].get("request") == 2})')" 2 \
	"a request that is handed to another thread is that thread's, too"
is "$(look "$parent" '[n[r, "context", "request"] for r in range(6)]')" "[0, 0, 2, 0, 0, 1]" "there is a slice for each thread, where the request has REQUEST"
is "$(look "$parent" 'all(any(s["name"] == "request" and s["tid"] == x["tid"] and s["args"]["request"] == x["args"]["request"] and s["ts"] <= x["ts"] and x["ts"] + x["dur"] <= s["ts"] + s["dur"] + 0.001 for s in e) for x in e if x["args"].get("request") in (2, 5) and x["cat"].startswith("opencl"))')" \
	True "... with its calls inside"
is "$(look "$parent" 'sorted((lambda calls: [calls[x["args"]["correlation"]] == x["args"].get("request") for x in e if x["cat"].startswith("device")])({x["args"]["correlation"]: x["args"].get("request") for x in e if x["name"] == "clEnqueueNDRangeKernel" and "correlation" in x["args"]}))')" \
	"[True, True, True, True, True, True, True, True, True, True]" "... a command and the call that submitted it name the same"
is "$(look "$child" 'dict(n) == {(5, "opencl", "clGetPlatformIDs"): 1, (5, "context", "request"): 1}')" True "a forked child goes on with the request"
before=$(look "$parent" 'max(x["ts"] + x["dur"] for x in e if x["name"] == "clGetPlatformIDs" and x["args"].get("request") == 5)')
is "$(look "$child" "[$before <= "'s["ts"] <= x["ts"] and x["ts"] + x["dur"] <= s["ts"] + s["dur"] + 0.001 for s in e if s["name"] == "request" for x in e if x is not s]')" "[True]" \
	"... whose slice begins with the child"

# What events cost, beside the devices' work: both as the end says, and as the events do.
cost='(lambda end, ns: end["event_bytes"] > 0 and abs(end["device_ns"] - ns) < 20 and abs(end["event_bytes_per_device_ms"] - end["event_bytes"] * 1e6 / end["device_ns"]) < 0.01)([x["args"] for x in every if x["name"] == "tracelayer_end"][0], round(1000 * sum(x["dur"] for x in e if x["cat"].startswith("device"))))'
is "$(look "$parent" "$cost")" True "the trace tells how many bytes of events there are for each millisecond of work"

"$tracelayer" summary --by request --json "$parent" >"$tmp/summary.json"
is $? 0 "summary --by request"
like "$("$tracelayer" summary --by request "$parent" | sed -n '/^request /,/^$/p' | head -n 8)" '^1 .* 5 ' "... tells of request 1 with 5 commands"
like "$("$tracelayer" summary --by request "$parent" | sed -n '/^request /,/^$/p' | head -n 8)" '^2 .* 3 ' "... and of request 2 with 3"

rm -f "$tmp"/[0-9]*.json
timeout 100 "$tracelayer" run --level=standard -o "$tmp/u.tlt" --follow=no -- "$app" -u >"$tmp/out" 2>&1
"$tracelayer" export -f -o "$tmp/u.json" "$tmp/u.tlt" >"$tmp/out" 2>&1
is "$(look "$tmp/u.json" '[n[r, "opencl", "clGetPlatformIDs"] for r in range(6)]')" "[0, 0, 0, 0, 0, 0]" \
	"what the process does not record a request does not bring"
timeout 100 "$tracelayer" run -o "$tmp/u.tlt" --follow=no -- "$app" -u >"$tmp/out" 2>&1
"$tracelayer" export -f -o "$tmp/u.json" "$tmp"/u.1.tlt >"$tmp/out" 2>&1
is "$(look "$tmp/u.json" '(n[1, "context", "request"], n[1, "device", "first"], n[1, "opencl", "clEnqueueNDRangeKernel"])')" "(1, 5, 5)" \
	"a request that was not left ends with its thread; .tlt files have requests, too"
is "$(look "$tmp/u.json" "$cost")" True "... whose exports tell what events cost"
"$tracelayer" summary --by request --json "$tmp/u.1.tlt" >"$tmp/out" 2>&1
is $? 0 "... and summary reads them"

# A program of Level Zero that knows nothing of requests: its thread is in one before main.
cat >"$tmp/enter.c" <<'END'
#include <tracelayer/trace_context.h>
static __attribute__((constructor)) void enter(void)
{
	struct tl_context *context = tl_context_create(TL_TRACE_STANDARD);
	tl_context_set_request(context, 9);
	tl_context_enter(context);
}
END
ok "a library can put a program into a request" ${CC:-cc} -shared -fPIC -I"$top_srcdir/include" -o "$tmp/enter.so" "$tmp/enter.c" -ldl
ZE_ENABLE_ALT_DRIVERS=$top_builddir/tests/drivers/.libs/ze_driver_a.so TRACELAYER_OUTPUT=$tmp/ze.json LD_PRELOAD="$libtracelayer $tmp/enter.so" \
	timeout 60 "$top_builddir/tests/apps/ze_chain" >"$tmp/out" 2>&1
is $? 0 "... of Level Zero, on the test driver"
is "$(look "$tmp/ze.json" '(sum(c for (r, cat, name), c in n.items() if cat == "device") > 0, {r for r, cat, name in n}, [x["name"] for x in e if "debug" in x["cat"]])')" \
	"(True, {9}, [])" "... whose calls and commands are all marked, and no queries recorded"

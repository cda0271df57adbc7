#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_sycl.sh: SYCL's real runtime (PyPI: dpctl and dpnp, over Intel's OpenCL for processors) under `tracelayer run --xpti`. The program prints the same; its
# tasks, the calls of the unified runtime, OpenCL's calls and the device's commands are in the trace, and as many of each as belong together.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/sycl.sh"
sycl_plan 21

program=$top_srcdir/tests/xpti/sycl_program.py
cd "$tmp" || exit 99

"$venv/bin/python" "$program" >bare.out 2>bare.err; bare=$?
timeout 100 "$tracelayer" run --xpti -o t.json -- "$venv/bin/python" "$program" >traced.out 2>traced.err; traced=$?
is "$bare" 0 "the program runs here"
is "$traced" "$bare" "traced, it ends as it does bare"
same bare.out traced.out "and prints the same"
ok "its trace is sound" "$python" "$check_trace" t.json

# matching EXPRESSION: how many events of the trace match it.
matching()
{
	"$python" - "$1" <<-'END'
		import json, sys
		events = json.load(open("t.json"))
		events = events["traceEvents"] if isinstance(events, dict) else events
		slices = [dict(event, cat=event.get("cat", ""), args=event.get("args") or {}) for event in events if event["ph"] == "X"]
		print(sum(bool(eval(sys.argv[1], {}, slice)) for slice in slices))
	END
}
kernels=$(matching 'name == "clEnqueueNDRangeKernel"')
ok "OpenCL was given a kernel for each task: $kernels" test "$kernels" -ge 200
is "$(matching 'args.get("kind") == "kernel"')" "$kernels" "each kernel is on the device's lane"
is "$(matching 'name.startswith("urEnqueueKernelLaunch")')" "$kernels" "each has its call of the unified runtime"
is "$(matching 'name.startswith("urEnqueueKernelLaunch") and args.get("result") == 0')" "$kernels" "which says that it went well"
is "$(matching '"xpti,task" in cat and "dpnp::" in name')" "$kernels" "each has its task, by the kernel's name"
is "$(matching '"typeinfo" in name')" 0 "which begins with the kernel's namespace"
copies=$(matching 'name == "clEnqueueMemcpyINTEL"')
is "$(matching '"xpti,task" in cat and name == "memcpy"')" "$copies" "each of $copies copies has its task"
is "$(matching 'name == "USM copy" and args.get("kind") == "copy" and args.get("bytes", 0) > 0')" "$copies" "and each is on the device's lane, with its bytes"
is "$("$python" -c 'import json
events = json.load(open("t.json"))
events = events["traceEvents"] if isinstance(events, dict) else events
names = {e["tid"]: e["args"]["name"].split(" ")[0] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
print(*sorted({names[e["tid"]] for e in events if e["ph"] not in "Msf" and e.get("cat", "").startswith("xpti")}))')" \
	"sycl.debug sycl.experimental.buffer sycl.experimental.mem_alloc ur.call.debug" "each stream that tells something has lanes"
is "$(matching 'name in ("unknown", "<unknown-function>")')" 0 "no call is unknown"
ok "waits are slices" test "$(matching '"xpti,wait" in cat and name.startswith("queue")')" -ge 2
# Arguments of the unified runtime's calls.
is "$(matching 'name.startswith("ur") and "xpti" in cat and not set(args) - {"source", "id", "instance", "parent", "result"}')" 0 \
	"each call of the unified runtime has arguments"
is "$(matching 'name.startswith("urEnqueueKernelLaunch") and 1 <= args.get("workDim", 0) <= 3 and args.get("numArgs", 0) > 0')" "$kernels" \
	"each kernel has its dimensions and number of arguments"
"$python" - >sizes 2>&1 <<-'END'
	import collections, json
	events = json.load(open("t.json"))
	events = events["traceEvents"] if isinstance(events, dict) else events
	sizes = collections.defaultdict(list)
	for event in events:
	    if event["ph"] == "X" and event["name"] in ("urEnqueueUSMMemcpy", "clEnqueueMemcpyINTEL"):
	        sizes[event["name"]].append(int(event["args"]["size"]))
	print("equal" if sizes and sorted(sizes["urEnqueueUSMMemcpy"]) == sorted(sizes["clEnqueueMemcpyINTEL"]) else dict(sizes))
END
is "$(cat sizes)" equal "copies have the same sizes in the unified runtime and in OpenCL"
ok "enums are names, texts are texts" test "$(matching 'args.get("propName") == "UR_DEVICE_INFO_VENDOR"')" -ge 1 -a \
	"$(matching 'name == "urKernelCreate" and "dpnp" in str(args.get("pKernelName"))')" -ge 1
# Arrows: from a task's slice to a call's slice.
"$python" - >arrows 2>&1 <<-'END'
	import bisect, collections, json
	events = json.load(open("t.json"))
	events = events["traceEvents"] if isinstance(events, dict) else events
	arrows, lanes = collections.defaultdict(dict), collections.defaultdict(list)
	for event in events:
	    if event["ph"] in "sf" and event["name"] == "submits":
	        arrows[event["id"]][event["ph"]] = event["tid"], float(event["ts"])
	    if event["ph"] == "X":
	        lanes[event["tid"]].append((float(event["ts"]), float(event["ts"]) + float(event["dur"]), event["name"], event["cat"]))
	for lane in lanes.values():
	    lane.sort()
	def around(place):
	    lane, time = lanes[place[0]], place[1]
	    return next((s for s in reversed(lane[:bisect.bisect_right(lane, (time, float("inf"), "", ""))]) if s[1] >= time), (0, 0, "nothing", "nothing"))
	given = {event["args"]["correlation"]: event for event in events if event["ph"] == "X" and event["cat"].startswith("opencl") and "correlation" in event["args"]}
	done = {event["args"]["correlation"] for event in events if event["ph"] == "X" and event["cat"].startswith("device")}
	ends = collections.Counter(event["ph"] for event in events if event["ph"] in "sf" and event["name"] == "submitted")
	open("through", "w").write("%d %d %d %d" % (len(given), len(done & set(given)), ends["s"], ends["f"]))
	joined = collections.Counter((around(arrow["s"])[3].split(",")[1], around(arrow["s"])[2].split("::")[0], around(arrow["f"])[2]) for arrow in arrows.values())
	print(sum(n for (kind, name, call), n in joined.items() if (kind, name, call) == ("task", "dpnp", "clEnqueueNDRangeKernel")),
	      sum(n for (kind, name, call), n in joined.items() if (kind, call) == ("task", "clEnqueueMemcpyINTEL")),
	      sum(n for (kind, name, call), n in joined.items() if kind != "task"))
END
is "$(cat arrows)" "$kernels $copies 0" "an arrow leads from each task to the call that starts its kernel or copy"
read -r given done starts ends <through
is "$done $starts $ends" "$given $given $given" "and from each of these $given calls another one to the command on the device"

# SPDX-License-Identifier: MIT
# phases_calls.py TRACE TABLE: what tracelayer phases --json --call-tree says of a program without marks is what its calls say, by the layers and phases in their
# categories. Calls lie in no other calls of these here. The application is at work in the first thread. Prints what differs.
import collections, json, re, sys

PARTS = ["PIO", "PTR", "PCO", "PR"]
want = collections.Counter()
calls, first = [], 0
for event in json.load(open(sys.argv[1])):
    stage = re.search(r",NN_(L.)_(P\w+)", event.get("cat", ""))
    if event["ph"] == "X" and stage:
        want[stage[2], stage[1]] += event["dur"] / 1000
        first += event["dur"] / 1000 * (event["tid"] == event["pid"])
        calls.append((event["ts"] / 1000, (event["ts"] + event["dur"]) / 1000))
assert calls
span = max(end for start, end in calls) - min(start for start, end in calls)

run, = json.load(open(sys.argv[2]))
got = run["call_tree_times"]
for phase in ["PI", "PP", "PC", "PE", "PT"] + PARTS:
    for layer in ["LA", "LR", "LI", "LD", "LC"]:
        time = want[phase, layer] + (sum(want[part, layer] for part in PARTS) if phase == "PE" else 0)
        if abs(got[phase][layer] - time) > 0.002:
            print("%s %s: %.4f ms, and not %.4f" % (phase, layer, got[phase][layer], time))
for what, time, there in (("in all", span + sum(want.values()) - first, got["PO"]["LT"]), ("the application's", span - first, got["PO"]["LA"])):
    if abs(there - time) > 0.002:
        print("%s: %.4f ms, and not %.4f" % (what, there, time))
if not want["PC", "LD"] or not want["PP", "LR"] or not sum(want[part, "LD"] for part in PARTS + ["PE"]):
    print("the driver compiled nothing, or executed nothing")

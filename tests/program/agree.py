# SPDX-License-Identifier: MIT
# agree.py TRACE TABLE PROFILE: the timeline of tests/apps/agree.c, what tracelayer phases --json --call-tree makes of it, and the profile of the same run say the
# same within 2 % of the whole. Prints all three for each row, and what differs.
import collections, json, re, sys

WITHIN = 0.02
marks, calls, host, open_marks = {}, collections.Counter(), collections.Counter(), []
for event in json.load(open(sys.argv[1])):
    if event.get("cat") == "nntrace,runtime":
        if event["ph"] == "B":
            open_marks.append((event["name"].split("]")[1], event["ts"]))
        else:
            name, start = open_marks.pop()
            marks[name] = marks.get(name, 0) + (event["ts"] - start) / 1000
    elif event["ph"] == "X" and "NN_LD_" in event.get("cat", ""):
        calls[event["name"]] += event["dur"] / 1000
    elif event["ph"] == "X" and "NN_LR_" in event.get("cat", ""):
        host[event["name"]] += event["dur"] / 1000
whole = marks["agree"]

run, = json.load(open(sys.argv[2]))
times, tree = run["times"], run["call_tree_times"]

# PROFILE: "12.34% name", four blanks deeper for each level.
profile = {}
for line in open(sys.argv[3]):
    row = re.match(r" *(\d+\.\d+)% (.*)$", line)
    if row and row[2] != "other":
        profile[row[2]] = float(row[1]) / 100

wrong = []
def row(what, timeline, table, label=None):
    shares = [timeline / whole, table / whole] + ([profile.get(label, 0)] if label else [])
    print("%-22s timeline %9.3f ms %6.2f %%   phases %9.3f ms %6.2f %%%s" % (what, timeline, 100 * shares[0], table, 100 * shares[1],
          "   profile %6.2f %%" % (100 * shares[2]) if label else ""))
    if max(shares) - min(shares) > WITHIN:
        wrong.append(what)

row("all", whole, tree["PO"]["LT"], "agree")
# Making the context is preparation, wherever it is done.
row("find", marks["find"] - host["clCreateContext"], tree["PI"]["LT"])
row("find, with the context", marks["find"], tree["PI"]["LT"] + tree["PP"]["LT"] - marks["prepare"], "find")
row("prepare", marks["prepare"], tree["PP"]["LT"] - host["clCreateContext"], "prepare")
row("compile", marks["compile"], tree["PC"]["LT"], "compile")
row("execute", marks["execute"], tree["PE"]["LT"], "execute")
row("terminate", marks["terminate"], tree["PT"]["LT"], "terminate")
row("execute, runtime", marks["run"], times["PE"]["LR"], "run")
row("execute, application", marks["execute"] - marks["run"], tree["PE"]["LA"])
row("compile, driver", calls["clBuildProgram"], times["PC"]["LD"])
row("execute, driver", sum(calls.values()) - calls["clBuildProgram"] - calls["clGetPlatformIDs"], times["PE"]["LD"])
row("total of executing", marks["execute"], times["PE"]["LA"])
if wrong:
    print("differ: " + ", ".join(wrong))
sys.exit(bool(wrong))

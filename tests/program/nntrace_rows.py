# SPDX-License-Identifier: MIT
# nntrace_rows.py ROW TABLE TRACE: what tracelayer phases --json says of a row of NNAPI's contract (tests/apps/nntrace_rows.c) is what the contract says of the times
# that stand in the trace: one of ours, in JSON, or ftrace's text. Prints what differs.
import collections, json, re, sys

row, table, path = sys.argv[1:4]

# Marks in the order in which they begin: when, and when they ended, in ms; and by the call tree, what was spent in the innermost one.
begun, ended, stack = [], [], []
tree = collections.Counter()
now = 0
def spend(time):
    global now
    alive = [mark for number, mark in stack if mark]
    if alive:
        tags = [re.search(r"NN_(L.)_(P\w+)", mark).groups() for mark in alive]
        layer = [layer for layer, phase in tags if layer != "LU"][-1]
        phase = [phase for layer, phase in tags if phase != "PU"][-1]
        tree[phase, layer] += time - now
    now = time
def begin(time, mark):
    spend(time)
    if mark.startswith("[SW]"):
        stack[-1][1] = None
    stack.append([len(begun), mark])
    begun.append(time)
    ended.append(None)
def end(time, mark):
    spend(time)
    ended[stack.pop()[0]] = time
if open(path).read(1) == "[":
    for event in json.load(open(path)):
        if event.get("cat") == "nntrace,runtime":
            (begin if event["ph"] == "B" else end)(event["ts"] / 1000, event["name"])
else:
    for line in open(path):
        found = re.search(r" (\d+\.\d+): tracing_mark_write: ([BE])\|\d+\|?(.*)", line)
        if found:
            (begin if found[2] == "B" else end)(float(found[1]) * 1000, found[3])
last = [e - b for b, e in zip(begun, ended)]

# Phase and layer, and what the contract says: total time, of the marks above.
WANT = {
    "baseline": lambda: {"PP LR": last[0]},
    "local": lambda: {"PP LA": last[0], "PP LR": last[1]},
    "switch": lambda: {"PTR LC": begun[1] - begun[0], "PCO LC": last[1]},
    "twice": lambda: {"PTR LC": begun[1] - begun[0], "PCO LC": begun[2] - begun[1], "PR LC": last[2]},
    "subphase": lambda: {"PCO LC": last[1], "PE LR": last[0]},
    "detail": lambda: {"PE LR": last[0]},
    "synchronous": lambda: {"PC LR": last[0] - last[1], "PI LI": last[1]},
    "subtract": lambda: {"PC LI": last[0] - last[1], "PC LR": last[1]},
    "once": lambda: {"PP LR": last[0] - last[1], "PI LR": last[1]},
    "utility": lambda: {"PP LR": last[0]},
}
# What Android's tool takes from calls of these names alone, and not from marks.
SPECIAL = {"PE LR"} if open(path).read(1) != "[" else set()

run, = json.load(open(table))
for key, want in WANT[row]().items():
    phase, layer = key.split()
    got = run["times"][phase][layer] or 0
    if key in SPECIAL:
        want = 0
    if abs(got - want) > 0.002:
        print("%s: %s: %.4f ms, and not %.4f" % (row, key, got, want))
# Own times: without those of the layers below.
if row == "local" and abs(run["self_times"]["PP"]["LA"] - (last[0] - last[1])) > 0.002:
    print("local: PP LA: %s ms of its own" % run["self_times"]["PP"]["LA"])
# By the call tree: each moment once.
PARTS = ["PIO", "PTR", "PCO", "PR"]
for phase in ["PI", "PP", "PC", "PE", "PT"] + PARTS:
    for layer in ["LA", "LR", "LI", "LD", "LC"]:
        want = tree[phase, layer] + (sum(tree[part, layer] for part in PARTS) if phase == "PE" else 0)
        got = run["call_tree_times"][phase][layer]
        if abs(got - want) > 0.002:
            print("%s: by the call tree: %s %s: %.4f ms, and not %.4f" % (row, phase, layer, got, want))
if abs(run["call_tree_times"]["PO"]["LT"] - sum(tree.values())) > 0.002:
    print("%s: the call tree has %.4f ms in all, and not %.4f" % (row, run["call_tree_times"]["PO"]["LT"], sum(tree.values())))

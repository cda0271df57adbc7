#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""timeline.py: what expressions say of traces with XPTI streams. On stdin stand pairs of lines, a trace's name and an expression; or an empty
expression: is the trace sound, by check_trace.py? What is printed of each ends with a line "exit" and a code. One Python reads all of a test's traces,
and each once. Beside a trace lies `out`, what the program printed.

Names in it: `slices`, `instants`, `starts` and `ends` of arrows, each an event with .name, .kind (the XPTI type), .lane (the lane's name), .begin and
.end in nanoseconds, and .args; `calls`, slices that are no stream's; `lanes`, names; `joined(key)`, what each arrow joins: pairs of the slices' key.
"""
import argparse
import json
import os
import re
import sys
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))
import check_trace

SOUND = argparse.Namespace(open=False, counts=None, at_least=None, total=None, lanes=None, names=False)


class Event:
    def __init__(self, event, lanes):
        self.name, self.args, self.id = event["name"], event.get("args", {}), event.get("id")
        self.phase, self.tid, self.lane = event["ph"], event["tid"], lanes.get(event["tid"])
        categories = event["cat"].split(",")
        self.is_xpti, self.kind = categories[0] == "xpti", categories[1]
        self.begin = int(event["ts"].replace(".", ""))
        self.end = self.begin + int(event.get("dur", "0.000").replace(".", ""))

    def __getitem__(self, key):
        return getattr(self, key) if hasattr(self, key) else self.args.get(key)


def around(flow):
    """The innermost slice that encloses an arrow's end."""
    found = [s for s in slices if s.tid == flow.tid and s.begin <= flow.begin < max(s.end, s.begin + 1)]
    return max(found, key=lambda s: (s.begin, -s.end)) if found else None


def joined(key):
    pairs = []
    for start in starts:
        end, = [e for e in ends if e.id == start.id]
        assert start.name == end.name and start.begin <= end.begin
        pairs.append((around(start)[key], around(end)[key]))
    return sorted(pairs)


def read(path):
    """The trace, as the names that expressions use."""
    with open(path) as file:
        trace = json.load(file, parse_float=str)
    names = {e["tid"]: e["args"]["name"] for e in trace if e["ph"] == "M" and e["name"] == "thread_name"}
    events = [Event(e, names) for e in trace if e["ph"] != "M"]
    return {
        "calls": [e for e in events if not e.is_xpti and e.phase == "X"],
        "slices": [e for e in events if e.is_xpti and e.phase == "X"],
        "instants": [e for e in events if e.is_xpti and e.phase == "i"],
        "starts": [e for e in events if e.phase == "s"],
        "ends": [e for e in events if e.phase == "f"],
        "lanes": sorted({re.sub(r"\d+\)$", "N)", e.lane) for e in events if e.is_xpti}),
    }


def of(name):
    return [s for s in slices if s.name == name]


def instant(name):
    return next(i for i in instants if i.name == name)


def log():
    """What xpti_timeline_app said of its slices: each is as long as it may be."""
    told = {int(w[0]): [int(x) for x in w[1:]] for w in (line.split() for line in open("out"))}
    found = {s.args["instance"]: s for s in slices if s.kind == "task"}
    assert sorted(told) == sorted(found), (len(told), len(found))
    wrong = 0
    for instance, (before, begun, ending, after) in told.items():
        s = found[instance]
        # Ticks and nanoseconds agree within some 50 ns.
        wrong += not (before - 100 <= s.begin <= begun + 100 and ending - 100 <= s.end <= after + 100)
    return len(told), wrong


def answer(path, expression):
    """An exit code."""
    if not expression:
        return check_trace.report(check_trace.check(path, SOUND))
    status = os.stat(path)
    # A file that is made anew is another.
    seen = status.st_ino, status.st_size, status.st_mtime_ns
    if known.get(path) != seen:
        globals().update(read(path))
        known.clear()
        known[path] = seen
    print(eval(expression))
    return 0


known = {}
while path := sys.stdin.readline().rstrip("\n"):
    try:
        code = answer(path, sys.stdin.readline().rstrip("\n"))
    except Exception:
        traceback.print_exc()
        code = 1
    sys.stderr.flush()
    print("exit", code, flush=True)

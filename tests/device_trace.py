#!/usr/bin/python3
"""device_trace.py FILE.json [COMMANDS]: what a trace says of devices' work hangs together. Prints what there is.

Arrows leave and reach slices that they belong to; no command is outside of what its calls allow; no lane has two things at once; and the counters of
queues' depth are what counting by hand gives. COMMANDS: how many there should be.
"""
import bisect
import json
import sys
from collections import Counter, defaultdict


def ns(microseconds):
    whole, _, part = microseconds.partition(".")
    return int(whole) * 1000 + int((part + "000")[:3])


def fail(text):
    print(f"device_trace.py: {text}")
    sys.exit(1)


def check(truth, text):
    if not truth:
        fail(text)


class Slice:
    def __init__(self, event):
        self.name, self.args, self.tid = event["name"], event["args"], event["tid"]
        self.start = ns(event["ts"])
        self.end = self.start + ns(event["dur"])
        self.is_work = event["cat"].startswith("device,")

    def __repr__(self):
        return f"{self.name} [{self.start}, {self.end}] {self.args}"


class Lane:
    """Slices by their beginning; those of calls nest."""

    def __init__(self, slices):
        self.slices = sorted(slices, key=lambda s: (s.start, -s.end))
        self.starts = [s.start for s in self.slices]

    def at(self, time):
        """Those that a time lies in, the innermost first."""
        i = bisect.bisect_right(self.starts, time)
        return [s for s in reversed(self.slices[max(0, i - 200):i]) if s.end >= time]


def flows_of(events, phase):
    flows = {}
    for event in events:
        if event["ph"] == phase:
            check(event["id"] not in flows, f"two flows have the number {event['id']}")
            check(event["id"] < 1 << 53, "a flow's number is too large for a double")
            flows[event["id"]] = event
    return flows


def check_lanes(lanes):
    for lane in lanes.values():
        work = [s for s in lane.slices if s.is_work]
        check(not work or len(work) == len(lane.slices), "work of devices on a thread's lane")
        for before, after in zip(work, work[1:]):
            check(before.end <= after.start, f"{before} overlaps {after}")


def check_arrows(events, lanes):
    begins, ends = flows_of(events, "s"), flows_of(events, "f")
    check(begins.keys() == ends.keys(), "a flow has one end")
    seen = Counter()
    for number, begin in begins.items():
        end = ends[number]
        check(begin["name"] == end["name"] and begin["cat"] == end["cat"], f"two names of a flow: {begin}, {end}")
        check(end.get("bp") == "e", "an end that binds to the next slice")
        check(ns(begin["ts"]) <= ns(end["ts"]), f"a flow goes back in time: {begin}, {end}")
        call_end, work_end = (begin, end) if begin["name"] == "submitted" else (end, begin)
        work = [s for s in lanes[work_end["tid"]].at(ns(work_end["ts"])) if s.is_work]
        check(work, f"an arrow's end on a device lane is in no slice: {work_end}")
        calls = lanes[call_end["tid"]].at(ns(call_end["ts"])) if call_end["tid"] in lanes else []
        check(calls and not calls[0].is_work, f"an arrow's end is in no call: {call_end}")
        seen[begin["name"]] += 1
        if begin["name"] == "submitted":
            for one in work:
                own = [c for c in calls if c.args.get("correlation") == one.args.get("correlation")]
                if own:
                    break
            check(own, f"an arrow from a call to work that it did not submit: {calls} to {work}")
            check(one.start >= own[0].start, f"{one} began before {own[0]}")
        else:
            check(any(one.end <= calls[-1].end for one in work), f"{work} ended after {calls}, which waited for it")
    return seen


def check_depth(events, work, submissions):
    samples, edges = defaultdict(list), defaultdict(Counter)
    for event in events:
        if event["ph"] == "C" and event["name"].endswith(" depth"):
            samples[int(event["name"].split()[1])].append((ns(event["ts"]), event["args"]["commands"]))
    for one in work:
        queue = one.args["queue"]
        edges[queue]["submitted"] += 1
        edges[queue]["ended"] += not one.args.get("unfinished", False)
    for queue, counted in edges.items():
        check(queue in samples, f"queue {queue} has no depth")
        line = sorted(samples[queue], key=lambda s: s[0])
        check(all(depth >= 0 for _, depth in line), f"queue {queue} is less than empty")
        check(line[-1][1] == counted["submitted"] - counted["ended"], f"queue {queue} ends with {line[-1][1]} commands")
        # At each sample as many ended commands as slices that are over; a touch of two slices moves an end by a nanosecond.
        ends = sorted(one.end for one in work if one.args["queue"] == queue and not one.args.get("unfinished"))
        begun = sorted(submissions[one.args["correlation"]] for one in work
                       if one.args["queue"] == queue and one.args.get("correlation") in submissions)
        if len(begun) != counted["submitted"]:
            continue
        for time, depth in line:
            low = bisect.bisect_right(begun, time - 1000) - bisect.bisect_right(ends, time + 1)
            high = bisect.bisect_right(begun, time + 1000) - bisect.bisect_left(ends, time - 1)
            check(low <= depth <= high, f"queue {queue} has {depth} commands at {time}, not {low} to {high}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        events = json.load(file, parse_float=str)
    by_tid = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            by_tid[event["tid"]].append(Slice(event))
    lanes = {tid: Lane(slices) for tid, slices in by_tid.items()}
    work = [s for lane in lanes.values() for s in lane.slices if s.is_work]
    calls = [s for lane in lanes.values() for s in lane.slices if not s.is_work]
    check_lanes(lanes)
    arrows = check_arrows(events, lanes)
    check_depth(events, work, {c.args["correlation"]: c.start for c in calls if "correlation" in c.args})
    unfinished = sum(one.args.get("unfinished", False) for one in work)
    print(f"{len(work)} commands, {unfinished} unfinished, {arrows['submitted']} submitted, {arrows['awaited']} awaited, "
          f"{len({one.tid for one in work})} lanes")
    check(arrows["submitted"] == len(work), "a command without a call")
    if len(sys.argv) > 2:
        check(len(work) == int(sys.argv[2]), f"not {sys.argv[2]} commands")


main()

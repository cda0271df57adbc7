#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""lanes_agree.py FILE.json [COMMANDS]: what a trace says of devices' work hangs together. Prints what there is.

Arrows leave and reach slices that they belong to; no command is outside of what its calls allow; no lane has two things at once; and the counters of
queues' depth are what counting by hand gives. COMMANDS: how many there should be.
"""
import bisect
import os
import sys
from collections import Counter, defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from check_trace import nanoseconds
from device_lanes import Lanes


def fail(text):
	print(f"lanes_agree.py: {text}")
	sys.exit(1)


def check(truth, text):
	if not truth:
		fail(text)


def time_of(lanes, event):
	return nanoseconds(lanes.trace, event, "ts")


def around(lanes, event):
	"""The slices that an arrow's end lies in, the innermost last."""
	return lanes.around((event["pid"], event["tid"]), time_of(lanes, event))


def names(slices):
	return ", ".join(map(str, slices))


def flows_of(lanes, phase):
	flows = {}
	for event in lanes.trace.events:
		if event["ph"] == phase:
			check(event["id"] not in flows, f"two flows have the number {event['id']}")
			check(event["id"] < 1 << 53, "a flow's number is too large for a double")
			flows[event["id"]] = event
	return flows


def check_lanes(lanes):
	for slices in lanes.by_place.values():
		work = [s for s in slices if s.is_work]
		check(not work or len(work) == len(slices), "work of devices on a thread's lane")
		for before, after in zip(work, work[1:]):
			check(before.end <= after.start, f"{before} overlaps {after}")


def check_arrows(lanes):
	begins, ends = flows_of(lanes, "s"), flows_of(lanes, "f")
	check(begins.keys() == ends.keys(), "a flow has one end")
	seen = Counter()
	for number, begin in begins.items():
		end = ends[number]
		check(begin["name"] == end["name"] and begin["cat"] == end["cat"], f"two names of a flow: {begin}, {end}")
		check(end.get("bp") == "e", "an end that binds to the next slice")
		check(time_of(lanes, begin) <= time_of(lanes, end), f"a flow goes back in time: {begin}, {end}")
		call_end, work_end = (begin, end) if begin["name"] == "submitted" else (end, begin)
		work = [s for s in around(lanes, work_end) if s.is_work]
		check(work, f"an arrow's end on a device lane is in no slice: {work_end}")
		calls = around(lanes, call_end)
		check(calls and not calls[-1].is_work, f"an arrow's end is in no call: {call_end}")
		seen[begin["name"]] += 1
		if begin["name"] == "submitted":
			for one in work:
				own = [c for c in reversed(calls) if c.correlation == one.correlation]
				if own:
					break
			check(own, f"an arrow from a call to work that it did not submit: {names(calls)} to {names(work)}")
			check(one.start >= own[0].start, f"{one} began before {own[0]}")
		else:
			check(any(one.end <= calls[0].end for one in work), f"{names(work)} ended after {names(calls)}, which waited for it")
	return seen


def check_depth(lanes, submissions):
	samples, edges = defaultdict(list), defaultdict(Counter)
	for event in lanes.trace.events:
		if event["ph"] == "C" and event["name"].endswith(" depth"):
			samples[int(event["name"].split()[1])].append((time_of(lanes, event), event["args"]["commands"]))
	for one in lanes.work:
		queue = one.args["queue"]
		edges[queue]["submitted"] += 1
		edges[queue]["ended"] += not one.unfinished
	for queue, counted in edges.items():
		check(queue in samples, f"queue {queue} has no depth")
		line = sorted(samples[queue], key=lambda s: s[0])
		check(all(depth >= 0 for _, depth in line), f"queue {queue} is less than empty")
		check(line[-1][1] == counted["submitted"] - counted["ended"], f"queue {queue} ends with {line[-1][1]} commands")
		# At each sample as many ended commands as slices that are over; a touch of two slices moves an end by a nanosecond.
		ends = sorted(one.end for one in lanes.work if one.args["queue"] == queue and not one.unfinished)
		begun = sorted(submissions[one.correlation] for one in lanes.work
					   if one.args["queue"] == queue and one.correlation in submissions)
		if len(begun) != counted["submitted"]:
			continue
		for time, depth in line:
			low = bisect.bisect_right(begun, time - 1000) - bisect.bisect_right(ends, time + 1)
			high = bisect.bisect_right(begun, time + 1000) - bisect.bisect_left(ends, time - 1)
			check(low <= depth <= high, f"queue {queue} has {depth} commands at {time}, not {low} to {high}")


def main():
	lanes = Lanes(sys.argv[1])
	check_lanes(lanes)
	arrows = check_arrows(lanes)
	check_depth(lanes, {c.correlation: c.start for c in lanes.calls if c.correlation is not None})
	unfinished = sum(one.unfinished for one in lanes.work)
	print(f"{len(lanes.work)} commands, {unfinished} unfinished, {arrows['submitted']} submitted, {arrows['awaited']} awaited, "
		  f"{len({one.place for one in lanes.work})} lanes")
	check(arrows["submitted"] == len(lanes.work), "a command without a call")
	for error in lanes.trace.errors:
		fail(error)
	if len(sys.argv) > 2:
		check(len(lanes.work) == int(sys.argv[2]), f"not {sys.argv[2]} commands")


main()

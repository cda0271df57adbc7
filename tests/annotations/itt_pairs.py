# SPDX-License-Identifier: MIT
"""
itt_pairs.py TRACE: the trace of itt_pairs.c. Prints each thing that differs from what it should have.
"""
import json
import sys


def members(pairs):
	if len(dict(pairs)) < len(pairs):
		print("a key that comes twice:", pairs)
	return dict(pairs)


with open(sys.argv[1], encoding="utf-8") as file:
	events = json.load(file, object_pairs_hook=members)
lanes = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
slices, marks = {}, {}
for event in events:
	if str(event.get("cat")).startswith("annotation,itt"):
		{"X": slices, "i": marks}[event["ph"]].setdefault(event["name"], []).append(event)


def expect(what, got, wanted):
	if got != wanted:
		print("%s: %s, not %s" % (what, got, wanted))


def times(name):
	return sorted((event["ts"], event["ts"] + event["dur"]) for event in slices.get(name, []))


def at(name):
	return marks[name][0]["ts"]


first, second = times("work")
expect("work of the first thread ends first", first[1] <= at("first work over") <= second[1], True)
outer, inner = times("nest")
expect("the inner nest ends first", inner[1] <= outer[1], True)
expect("starts without an end", (len(marks["tick"]), len(marks["often"]), "tick" in slices, "often" in slices), (3, 5000, False, False))
expect("their lanes", {lanes[event["tid"]].split(" (")[0] for event in marks["tick"] + marks["often"]}, {"ITT"})
expect("lanes of two threads", len({event["tid"] for event in marks["tick"] + marks["often"]}), 2)
expect("their times differ", len({event["ts"] for event in marks["often"]}) > 1000, True)
expect("events around a pause", [begin <= at("resumed") <= end for begin, end in times("paused")], [True])
expect("regions around a pause", [begin <= at("resumed") <= end for begin, end in times("paused region")], [True])
expect("what was while it was paused", ("never" in slices, "never" in marks), (False, False))
expect("pause of offload", len(marks["on the host"]), 1)
expect("frames", [end <= at("frame over") for begin, end in times("frames")], [True])
expect("a frame that begins again after a pause", [at("late frame begins") <= begin for begin, end in times("late frames")], [True])
expect("metadata", slices["task"][0]["args"], {"id": "0x1", "k": "1234567.125, 0.1, -Infinity", "k 2": "0.1, 16777216", "k 3": 1234567.125, "id 2": "own"})
expect("metadata of a track", marks["metadata"][0]["args"], {"scope": "track", "k": "of the track"})
expect("metadata of an overlapped task", slices["overlapped"][0]["args"], {"id": "0x1", "metadata": "3 of four", "metadata 2": "again"})

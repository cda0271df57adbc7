#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""profile.py WHAT...: what `tracelayer profile` wrote.

	shares FOLDED TRUTH	of the samples under "turns", each label has the share that the program says ("NAME: PERCENT"), within 2 points
	within CHROME SECONDS HZ	all samples lie in so many seconds, and are as many as that makes, or fewer on a busy machine
	under LABEL SPEEDSCOPE	the thread that has the label has no sample outside of it
	agree FOLDED SPEEDSCOPE CHROME	all three tell the same stacks with as many samples each
"""

import collections
import json
import sys

OUTSIDE = ("(outside of any label)",)


def folded(path):
	stacks = {}
	for line in open(path):
		stack, count = line.rsplit(" ", 1)
		stacks[tuple(stack.split(";"))] = int(count)
	return stacks


def speedscope(path):
	whole = json.load(open(path))
	frames = [frame["name"] for frame in whole["shared"]["frames"]]
	assert len(set(frames)) == len(frames), "a frame twice"
	stacks = collections.Counter()
	for profile in whole["profiles"]:
		assert (profile["type"], profile["unit"]) == ("sampled", "nanoseconds"), profile["type"]
		assert len(profile["samples"]) == len(profile["weights"])
		assert profile["endValue"] - profile["startValue"] == sum(profile["weights"])
		for stack, weight in zip(profile["samples"], profile["weights"]):
			assert weight % 1000000 == 0
			stacks[tuple(frames[i] for i in stack) or OUTSIDE] += weight // 1000000
	return dict(stacks)


def under(label, path):
	whole = json.load(open(path))
	names = [frame["name"] for frame in whole["shared"]["frames"]]
	threads = [[names[stack[0]] if stack else OUTSIDE[0] for stack in profile["samples"]] for profile in whole["profiles"]]
	having = [outermost for outermost in threads if label in outermost]
	assert len(having) == 1 and set(having[0]) == {label}, [set(outermost) for outermost in threads]


def chrome(path):
	whole = json.load(open(path))
	frames, tids = whole["stackFrames"], {event["tid"] for event in whole["traceEvents"] if event["name"] == "thread_name"}
	stacks = collections.Counter()
	for sample in whole["samples"]:
		assert sample["tid"] in tids and sample["weight"] == 1 and sample["ts"] > 0
		stack, at = [], sample["sf"]
		while at:
			stack.insert(0, frames[at]["name"])
			at = frames[at].get("parent")
		stacks[tuple(stack)] += 1
	return dict(stacks)


def shares(path, truth):
	stacks = {stack: count for stack, count in folded(path).items() if stack[0] == "turns"}
	whole = sum(stacks.values())
	for line in open(truth):
		if line.startswith("tracelayer") or ": " not in line:
			continue
		name, want = line.split(": ")
		got = 100 * sum(count for stack, count in stacks.items() if name in stack) / whole
		print("%s: %.2f for %.2f" % (name, got, float(want)))
		if abs(got - float(want)) > 2:
			sys.exit(1)


def agree(one, two, three):
	want, got, last = folded(one), speedscope(two), chrome(three)
	assert got == want, (want, got)
	want.pop(OUTSIDE, None)
	assert last == want, (want, last)


# Of the thread with most samples: the threads that end its waits may be seen in their calls, too.
def within(path, seconds, hz):
	threads = {}
	for sample in json.load(open(path))["samples"]:
		threads.setdefault(sample["tid"], []).append(sample["ts"] / 1e6)
	times = max(threads.values(), key=len, default=[])
	length, most = float(seconds), float(seconds) * float(hz) + 1
	assert times and max(times) - min(times) <= length, (len(times), max(times) - min(times))
	assert most / 4 < len(times) <= most, (len(times), most)


{"shares": shares, "within": within, "under": under, "agree": agree}[sys.argv[1]](*sys.argv[2:])

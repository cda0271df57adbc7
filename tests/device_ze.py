#!/usr/bin/env python3
"""device_ze.py WHAT TRACE [LOG...]: device lanes of a Level Zero trace, held against the test driver's own log (tests/drivers/ze_driver.h).

	counts TRACE LOG	the lanes have as many commands of each kind as the log of a run without tracelayer
	times TRACE LOG [KERNEL_BITS [BITS [STEPS]]]
				each command with an event's timestamps is one line of the log of the same run, tick for tick, and no
				line is shown twice; commands with global timestamps lie around theirs. Prints how wrong the times are.
				STEPS (anything): the clock steps, so durations may be wrong
	calls TRACE		nothing begins before the call that submitted it, nor ends after the call that waited for it; arrows
				begin and end in such calls; what runs at once is on lanes of its own

Exit code 0 when all holds; otherwise 1, with a line for each thing found (the first ten).
"""

import bisect
import collections
import json
import re
import sys

# The names of slices that are no kernels', and the driver's word for such a command.
NAMES = {
	"read buffer": "copy", "write buffer": "copy", "copy buffer": "copy", "fill buffer": "fill", "read image": "image",
	"write image": "image", "copy image": "image", "barrier": "barrier", "signal event": "signal", "wait for events": "wait",
	"reset event": "reset", "write timestamp": "timestamp", "query timestamps": "query", "prefetch": "prefetch",
}
# What signals no event has global timestamps.
BRACKETED = {"signal event", "wait for events", "reset event", "prefetch"}

problems = []


def found(*what):
	problems.append(" ".join(str(w) for w in what))


def ns(microseconds):
	return int(microseconds.replace(".", ""))


class Trace:
	def __init__(self, path):
		with open(path) as file:
			self.events = json.load(file, parse_float=str, parse_int=lambda n: int(n))
		self.lanes = {e["tid"]: e["args"]["name"] for e in self.events if e["ph"] == "M" and e["name"] == "thread_name"}
		slices = [e for e in self.events if e["ph"] == "X"]
		for e in slices:
			e["from"] = ns(e["ts"])
			e["to"] = e["from"] + ns(e["dur"])
		self.work = [e for e in slices if e["cat"].startswith("device")]
		self.calls = [e for e in slices if not e["cat"].startswith("device")]


Line = collections.namedtuple("Line", "device group engine queue name amount start end start_ns end_ns")


def read_log(path):
	with open(path) as file:
		for text in file:
			f = text.rstrip("\n").split("\t")
			yield Line(*map(int, f[:4]), f[4], *map(int, f[5:]))


def word(name):
	return "copy" if name == "copy region" else name


def counts(trace, log):
	want = collections.Counter(word(line.name) for line in read_log(log))
	got = collections.Counter(NAMES.get(e["name"], e["name"]) for e in trace.work)
	for name in sorted(want | got):
		if want[name] != got[name]:
			found("%s: %d instead of %d" % (name, got[name], want[name]))
	for e in trace.work:
		if e["args"].get("unfinished"):
			found("unfinished:", e)
	print(sum(got.values()), "commands")


def engine_of(trace, e):
	group, engine = re.match(r"\w+ (\d+)\.(\d+), ", trace.lanes[e["tid"]]).groups()
	return int(group), int(engine)


def around(lines, starts, e):
	"""A line of the log that lies within the slice's ticks."""
	at = bisect.bisect_left(starts, e["args"]["start"])
	while at < len(lines) and lines[at].start <= e["args"]["end"]:
		if lines[at].end <= e["args"]["end"] and word(lines[at].name) == NAMES.get(e["name"], e["name"]):
			return lines[at]
		at += 1
	return None


def times(trace, log, kernel_bits="32", global_bits="36", steps=False):
	mask = (1 << int(kernel_bits)) - 1
	wide = (1 << int(global_bits)) - 1
	exact, ordered = {}, collections.defaultdict(list)
	for line in read_log(log):
		exact[line.group, line.engine, line.start & mask, line.end & mask] = line
		ordered[line.group, line.engine].append(line._replace(start=line.start & wide, end=line.end & wide))
	for lines in ordered.values():
		lines.sort(key=lambda line: line.start)
	starts = {engine: [line.start for line in lines] for engine, lines in ordered.items()}
	calls = {c["args"]["correlation"]: c for c in trace.calls if "correlation" in c.get("args", {})}
	errors, used = [], set()
	for e in trace.work:
		engine = engine_of(trace, e)
		if "start" not in e["args"]:
			found("without times:", e)
		elif e["name"] in BRACKETED or engine[0] == 1:
			line = around(ordered[engine], starts[engine], e)
			# Instants have no command within.
			if not line and e["args"]["start"] != e["args"]["end"]:
				found("no such command:", e)
		else:
			key = (*engine, e["args"]["start"], e["args"]["end"])
			line = exact.get(key)
			if not line or word(line.name) != NAMES.get(e["name"], e["name"]):
				found("no such command:", e, line)
			elif key in used:
				found("shown twice:", e)
			else:
				used.add(key)
				# Another one's times, or cut off by a wait that was not for it. (The driver's times are a microsecond wide.)
				lasted = line.end_ns - line.start_ns
				if line.start_ns + 2000 < calls[e["args"]["correlation"]]["from"]:
					found("executed before it was submitted:", e, line)
				elif not steps and abs(e["to"] - e["from"] - lasted) > 2000 + lasted // 100:
					found("lasts %d ns instead of %d:" % (e["to"] - e["from"], lasted), e)
				errors += [abs(e["from"] - line.start_ns), abs(e["to"] - line.end_ns)]
	errors.sort()
	if errors:
		print("%d times: median error %d ns, 99 %% within %d ns, worst %d ns" %
		      (len(errors), errors[len(errors) // 2], errors[len(errors) * 99 // 100], errors[-1]))
	return errors


class Lanes:
	"""Slices by lane, to be found by a time in them."""

	def __init__(self, slices):
		self.slices = collections.defaultdict(list)
		for e in sorted(slices, key=lambda e: e["from"]):
			self.slices[e["tid"]].append(e)
		self.starts = {tid: [e["from"] for e in lane] for tid, lane in self.slices.items()}

	def at(self, tid, time):
		"""Those around that time, the innermost last. None is nested deeper than eight."""
		last = bisect.bisect_right(self.starts.get(tid, []), time)
		return [e for e in self.slices[tid][max(0, last - 8):last] if e["to"] >= time]


def calls(trace):
	by_correlation = {c["args"]["correlation"]: c for c in trace.calls if "correlation" in c.get("args", {})}
	arrows = collections.defaultdict(dict)
	for e in trace.events:
		if e["ph"] in "sf":
			arrows[e["name"], e["id"]][e["ph"]] = e
	for e in trace.work:
		call = by_correlation.get(e["args"].get("correlation"))
		if not call:
			found("submitted by no call:", e)
		elif e["from"] < call["from"]:
			found("before its call:", e, call)
	kinds = collections.Counter()
	hosts, devices = Lanes(trace.calls), Lanes(trace.work)
	for (name, _), pair in arrows.items():
		kinds[name] += 1
		if len(pair) != 2:
			found("half an arrow:", pair)
			continue
		host = pair["s" if name == "submitted" else "f"]
		device = pair["f" if name == "submitted" else "s"]
		around_it = hosts.at(host["tid"], ns(host["ts"]))
		if not around_it:
			found("an arrow from or to nothing:", host)
		for e in devices.at(device["tid"], ns(device["ts"])):
			if name == "awaited" and around_it and e["from"] > around_it[-1]["to"]:
				found("it ends after the wait:", e, around_it[-1])
	if kinds["submitted"] != len(trace.work):
		found("%d arrows to %d commands" % (kinds["submitted"], len(trace.work)))
	last = {}
	for e in sorted(trace.work, key=lambda e: (e["from"], -e["to"])):
		if e["from"] < last.get(e["tid"], 0) and e["to"] > last[e["tid"]]:
			found("overlaps on its lane:", e)
		last[e["tid"]] = max(e["to"], last.get(e["tid"], 0))
	print(dict(kinds))


if __name__ == "__main__":
	what, path, *rest = sys.argv[1:]
	{"counts": counts, "times": times, "calls": calls}[what](Trace(path), *rest)
	for problem in problems[:10]:
		print(problem)
	sys.exit(len(problems) > 0)

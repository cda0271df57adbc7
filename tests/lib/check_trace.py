#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_trace.py [options] TRACE...: is this a trace that every viewer shows as it was meant?

	strict JSON		by RFC 8259: no NaN, no trailing comma, no duplicate key, UTF-8 throughout
	pid and tid		integers from 0 to 2^32 - 1
	ts and dur		microseconds with three decimals, not negative; or four, where a slice touches the one before it
	lanes			on each (pid, tid), two slices either nest or don't touch each other; and on threads they
				stand in the file in the order in which they ended
	metadata		a name for each process and each lane, and tracelayer's own record, before the first slice

Options say what else must hold:

	--counts FILE	lines `NAME N`: these many calls' slices have that name, and no name that FILE lacks occurs
	--at-least FILE	the same, but other names may occur as well
	--total N	slices in all
	--lanes N	lanes with slices
	--names		print `NAME N` for each name of a slice, sorted
	--open		the file may end early, as it does after a crash: an array without its bracket

Exit code 0 when all holds; otherwise 1, with a line on stderr for each thing found (the first twenty).
Written from the description of the format alone, with Python's standard library only.
"""

import argparse
import collections
import functools
import gc
import gzip
import json
import re
import sys

# Millions of events live until the end: to look through them for garbage again and again would take as long as to read them.
gc.disable()

DECIMALS = re.compile(r"[0-9]+\.[0-9]{3}[128]?\Z")


class Trace:
	"""The events of one file, with numbers that were written with a point kept as text."""

	def __init__(self, path, may_end_early):
		self.path = path
		self.errors = []
		opener = gzip.open if path.endswith(".gz") else open
		with opener(path, "rb") as file:
			raw = file.read()
		try:
			text = raw.decode("utf-8")
			if may_end_early and not text.rstrip().endswith("]"):
				text = text.rstrip().rstrip(",") + "]"
			self.events = json.loads(text, parse_float=str, parse_constant=self.constant,
						 object_pairs_hook=self.members)
		except ValueError as error:
			self.events = []
			self.error("not strict JSON: %s" % error)
		if isinstance(self.events, dict):
			self.events = self.events.get("traceEvents", [])
		self.slices = [event for event in self.events if event.get("ph") == "X"]
		self.calls = [event for event in self.slices if not is_of_device(event)]
		# When each slice began and ended.
		self.spans = [span_of(self, event) for event in self.slices]

	def error(self, what):
		self.errors.append("%s: %s" % (self.path, what))

	def constant(self, name):
		raise ValueError("%s is no JSON number" % name)

	def members(self, pairs):
		made = dict(pairs)
		if len(made) != len(pairs):
			self.error("duplicate key in an object with %s" % sorted(key for key, _ in pairs)[:9])
		return made


def nanoseconds(trace, event, key):
	value = event.get(key)
	if not isinstance(value, str) or not DECIMALS.match(value):
		trace.error("%s of %s is %r, not microseconds with three decimals" % (key, event.get("name"), value))
		return 0
	digits = int(value.replace(".", ""))
	# A fourth one moves a slice away from the one before it, which it touches, or gives one that took no time some, by less than half a nanosecond.
	return digits if value[-4] == "." else (digits + 5) // 10


def span_of(trace, event):
	start = nanoseconds(trace, event, "ts")
	return start, start + nanoseconds(trace, event, "dur")


def check_numbers(trace):
	for event in trace.events:
		for key in "pid", "tid":
			value = event.get(key)
			if type(value) is int and 0 <= value < 2 ** 32:
				continue
			if key == "tid" and value is None and event.get("ph") == "M":
				continue
			trace.error("%s of %s is %r" % (key, event.get("name"), value))
	for event in trace.slices:
		if not isinstance(event.get("name"), str) or not event["name"]:
			trace.error("a slice without a name at %s" % event.get("ts"))


def lanes_of(trace):
	lanes = collections.defaultdict(list)
	for event, (start, end) in zip(trace.slices, trace.spans):
		lanes[event.get("pid"), event.get("tid")].append((start, end, event.get("name"), is_told_later(event)))
	return lanes


@functools.lru_cache(maxsize=None)
def first_category(categories):
	return categories.split(",")[0]


def is_told_later(event):
	"""The order of the file says nothing on lanes that several threads tell of."""
	return first_category(str(event.get("cat"))) in ("device", "xpti", "annotation")


def is_of_device(event):
	"""What devices did is told when it is known."""
	return first_category(str(event.get("cat"))) == "device"


def check_lane(trace, lane, slices):
	for before, after in zip(slices, slices[1:]):
		if after[1] < before[1] and not after[3]:
			trace.error("lane %s: %s stands after %s but ended before it" % (lane, after, before))
	opened = []
	for start, end, name, _ in sorted(slices, key=lambda slice: (slice[0], -slice[1])):
		while opened and opened[-1][1] <= start:
			opened.pop()
		if opened and end > opened[-1][1]:
			trace.error("lane %s: %s %d..%d crosses the end of %s %d..%d"
				    % (lane, name, start, end, opened[-1][2], opened[-1][0], opened[-1][1]))
		opened.append((start, end, name))


def check_metadata(trace, lanes):
	seen = set()
	first = True
	for event in trace.events:
		if event.get("ph") == "M":
			seen.add((event.get("name"), event.get("pid"), event.get("tid")))
			if not isinstance(event.get("args"), dict):
				trace.error("metadata %s has no args" % event.get("name"))
		elif event.get("ph") == "X" and first:
			first = False
			if not any(name == "tracelayer" for name, _, _ in seen):
				trace.error("no tracelayer metadata before the first slice")
	for pid in {pid for pid, _ in lanes}:
		if not any(name == "process_name" and pid == of for name, of, _ in seen):
			trace.error("process %s has no name" % pid)
	for lane in lanes:
		if ("thread_name",) + lane not in seen:
			trace.error("lane %s has no name" % (lane,))


def check_counts(trace, path, others_allowed):
	seen = collections.Counter(event.get("name") for event in trace.calls)
	want = {}
	with open(path) as file:
		for line in file:
			name, count = line.split()
			want[name] = int(count)
	for name in sorted(set(want) | (set() if others_allowed else set(seen))):
		if seen[name] != want.get(name, 0):
			trace.error("%s: %d slices, and %d were expected" % (name, seen[name], want.get(name, 0)))


def check_sound(trace):
	"""What must hold for every trace; returns its lanes."""
	check_numbers(trace)
	lanes = lanes_of(trace)
	for lane, slices in sorted(lanes.items(), key=str):
		check_lane(trace, lane, slices)
	check_metadata(trace, lanes)
	return lanes


def check(path, options):
	trace = Trace(path, options.open)
	lanes = check_sound(trace)
	if options.counts:
		check_counts(trace, options.counts, False)
	if options.at_least:
		check_counts(trace, options.at_least, True)
	if options.total is not None and options.total != len(trace.slices):
		trace.error("%d slices, and %d were expected" % (len(trace.slices), options.total))
	if options.lanes is not None and options.lanes != len(lanes):
		trace.error("%d lanes, and %d were expected" % (len(lanes), options.lanes))
	if options.names:
		for name, count in sorted(collections.Counter(event["name"] for event in trace.slices).items()):
			print(name, count)
	return trace.errors


def report(errors):
	"""Say what was found; returns the exit code."""
	for line in errors[:20]:
		print(line, file=sys.stderr)
	if len(errors) > 20:
		print("and %d more" % (len(errors) - 20), file=sys.stderr)
	return 1 if errors else 0


def main():
	parser = argparse.ArgumentParser(description="Check a trace; see the top of this file.")
	parser.add_argument("trace", nargs="+")
	parser.add_argument("--counts")
	parser.add_argument("--at-least")
	parser.add_argument("--total", type=int)
	parser.add_argument("--lanes", type=int)
	parser.add_argument("--names", action="store_true")
	parser.add_argument("--open", action="store_true")
	options = parser.parse_args()
	errors = []
	for path in options.trace:
		errors += check(path, options)
	return report(errors)


if __name__ == "__main__":
	sys.exit(main())

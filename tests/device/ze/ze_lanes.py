#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ze_lanes.py WHAT TRACE [LOG...]: device lanes of a Level Zero trace, held against the test driver's own log (tests/drivers/ze_driver.h).

	counts TRACE LOG	the lanes have as many commands of each kind as the log of a run without tracelayer
	times TRACE LOG [KERNEL_BITS [BITS [STEPS [HOST]]]]
				each command with an event's timestamps is one line of the log of the same run, tick for tick, and no
				line is shown twice; commands with global timestamps lie around theirs. Prints how wrong the times are.
				STEPS (anything): the clock steps, so durations may be wrong. HOST: so many kernels have the host's times, as
				have at most three times as many copies by engines that only copy
	waits TRACE FUNCTION	prints how many commands calls of that function have waited for
	calls TRACE		nothing begins before the call that submitted it, nor ends after the call that waited for it; arrows
				begin and end in such calls; what runs at once is on lanes of its own
	counts,calls,sound TRACE LOG
				counts, calls, and check_trace.py's own checks, of a trace that is read once; prints "WHAT holds" for each that does
	facts TRACE FACT...	prints a line for each; words of a fact are parted by ": ":
		lanes			the names of devices' lanes
		argument NAME KEY	the values of an argument of slices with a name
		identities		if each queue says once which piece of hardware it is, and which
		counter NAME THREADS	of a counter of bytes: its last value, if its peak is a number of 4 KiB that so many threads can have, and
					how many remainders of 4 KiB its values have
		depth			if the first queue was empty, and had one command

Exit code 0 when all holds; otherwise 1, with a line for each thing found (the first twenty).
"""

import bisect
import collections
import re
import sys

import os
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))
import check_trace
from device_lanes import Lanes, arrow_ends

# The names of slices that are no kernels', and the driver's word for such a command.
NAMES = {
	"read buffer": "copy", "write buffer": "copy", "copy buffer": "copy", "fill buffer": "fill", "read image": "image",
	"write image": "image", "copy image": "image", "barrier": "barrier", "signal event": "signal", "wait for events": "wait",
	"reset event": "reset", "write timestamp": "timestamp", "query timestamps": "query", "prefetch": "prefetch", "host function": "host", "graph": "graph",
}
# What signals no event has global timestamps.
BRACKETED = {"signal event", "wait for events", "reset event", "prefetch"}

Line = collections.namedtuple("Line", "device group engine queue name amount start end start_ns end_ns")


def read_log(path):
	with open(path) as file:
		for text in file:
			f = text.rstrip("\n").split("\t")
			yield Line(*map(int, f[:4]), f[4], *map(int, f[5:]))


def word(name):
	return "copy" if name == "copy region" else name


def name_of(e):
	return NAMES.get(e.name, e.name)


def is_of(line, e):
	return word(line.name) == name_of(e)


def by_correlation(lanes):
	return {call.correlation: call for call in lanes.calls if call.correlation is not None}


def counts(lanes, log):
	want = collections.Counter(word(line.name) for line in read_log(log))
	got = collections.Counter(name_of(e) for e in lanes.work)
	for name in sorted(want | got):
		if want[name] != got[name]:
			lanes.error("%s: %d instead of %d" % (name, got[name], want[name]))
	for e in lanes.work:
		if e.unfinished:
			lanes.error("unfinished: %s" % e)
	print(sum(got.values()), "commands")


def engine_of(lanes, e):
	group, engine = re.match(r"\w+ (\d+)\.(\d+)(?: \(\d+\))?, ", lanes.names[e.place]).groups()
	return int(group), int(engine)


def around(lines, starts, e):
	"""A line of the log that lies within the slice's ticks."""
	at = bisect.bisect_left(starts, e.args["start"])
	while at < len(lines) and lines[at].start <= e.args["end"]:
		if lines[at].end <= e.args["end"] and is_of(lines[at], e):
			return lines[at]
		at += 1
	return None


def has_no_times(lanes, e, host):
	"""Its event, which the program made so, can't tell when it ran."""
	if e.args.get("times") != "host":
		return False
	host["copies" if engine_of(lanes, e)[0] == 1 else e.name.split("@")[0]] += 1
	return True


def times(lanes, log, kernel_bits="32", global_bits="36", steps=False, kernels=0):
	mask = (1 << int(kernel_bits)) - 1
	wide = (1 << int(global_bits)) - 1
	exact, ordered = {}, collections.defaultdict(list)
	for line in read_log(log):
		exact[line.group, line.engine, line.start & mask, line.end & mask] = line
		ordered[line.group, line.engine].append(line._replace(start=line.start & wide, end=line.end & wide))
	for lines in ordered.values():
		lines.sort(key=lambda line: line.start)
	starts = {engine: [line.start for line in lines] for engine, lines in ordered.items()}
	calls = by_correlation(lanes)
	errors, used, host = [], set(), collections.Counter()
	for e in lanes.work:
		engine = engine_of(lanes, e)
		if has_no_times(lanes, e, host):
			continue
		if "start" not in e.args:
			lanes.error("without times: %s" % e)
		elif e.name in BRACKETED or "times" in e.args:
			line = around(ordered[engine], starts[engine], e)
			# Instants have no command within.
			if not line and e.args["start"] != e.args["end"]:
				lanes.error("no such command: %s" % e)
		else:
			key = (*engine, e.args["start"], e.args["end"])
			line = exact.get(key)
			if not line or not is_of(line, e):
				lanes.error("no such command: %s, %s" % (e, line))
			elif key in used:
				lanes.error("shown twice: %s" % e)
			else:
				used.add(key)
				# Another one's times, or cut off by a wait that was not for it. (The driver's times are a microsecond wide.)
				lasted = line.end_ns - line.start_ns
				if line.start_ns + 2000 < calls[e.correlation].start:
					lanes.error("executed before it was submitted: %s, %s" % (e, line))
				elif not steps and abs(e.end - e.start - lasted) > 2000 + lasted // 100:
					lanes.error("lasts %d ns instead of %d: %s" % (e.end - e.start, lasted, e))
				errors += [abs(e.start - line.start_ns), abs(e.end - line.end_ns)]
	if host.pop("vector_add", 0) != int(kernels) or host.pop("copies", 0) > 3 * int(kernels) or host:
		lanes.error("not so many have the host's times: %s" % host)
	errors.sort()
	if errors:
		print("%d times: median error %d ns, 99 %% within %d ns, worst %d ns" %
		      (len(errors), errors[len(errors) // 2], errors[len(errors) * 99 // 100], errors[-1]))
	return errors


def calls(lanes, *_):
	submitters = by_correlation(lanes)
	for e in lanes.work:
		call = submitters.get(e.correlation)
		if not call:
			lanes.error("submitted by no call: %s" % e)
		elif e.start < call.start:
			lanes.error("before its call: %s, %s" % (e, call))
	kinds = collections.Counter()
	for (name, _), ends in arrow_ends(lanes).items():
		kinds[name] += 1
		if len(ends) != 2:
			lanes.error("half an arrow: %s" % ends)
			continue
		host, device = (ends[end] for end in ("sf" if name == "submitted" else "fs"))
		around_it = [call for call in lanes.around(*host) if not call.is_work]
		if not around_it:
			lanes.error("an arrow from or to nothing: %s" % (host,))
		for e in lanes.around(*device):
			if e.is_work and name == "awaited" and around_it and e.start > around_it[-1].end:
				lanes.error("it ends after the wait: %s, %s" % (e, around_it[-1]))
	if kinds["submitted"] != len(lanes.work):
		lanes.error("%d arrows to %d commands" % (kinds["submitted"], len(lanes.work)))
	last = {}
	for e in sorted(lanes.work, key=lambda e: (e.start, -e.end)):
		if e.start < last.get(e.place, 0) and e.end > last[e.place]:
			lanes.error("overlaps on its lane: %s" % e)
		last[e.place] = max(e.end, last.get(e.place, 0))
	print(dict(kinds))


def waits(lanes, function):
	ends = (ends["f"] for (name, _), ends in arrow_ends(lanes).items() if name == "awaited")
	print(sum(any(call.name == function for call in lanes.around(*host)) for host in ends))


def several(lanes, log):
	for what, check in (("counts", counts), ("calls", calls), ("sound", lambda lanes, _: check_trace.check_sound(lanes.trace))):
		found = len(lanes.trace.errors)
		check(lanes, log)
		if len(lanes.trace.errors) == found:
			print(what, "holds")


def fact_lanes(lanes):
	return "; ".join(sorted({re.sub(r" \(\d+\)", "", name) for name in lanes.names.values() if "device" in name.split()}))


def fact_argument(lanes, name, key):
	return " ".join(sorted({str(slice.args.get(key)) for slice in lanes.work + lanes.calls if slice.name == name}))


def fact_identities(lanes):
	# Threads collect commands, each in a buffer of its own: the slice need not be the first in the file.
	mine = [e.args for e in lanes.work if e.args["device"] == "tracelayer test device"]
	said = [(args["queue"], (args.get("uuid"), args.get("pci"))) for args in mine if "uuid" in args or "pci" in args]
	once = len({args["queue"] for args in mine}) == len(said) == len(dict(said)) > 1
	return " ".join(map(str, (once, *set(dict(said).values()))))


def samples_of(lanes, name):
	return [list(event["args"].values())[0] for event in sorted(lanes.trace.events, key=lambda event: float(event.get("ts", 0)))
		if event["ph"] == "C" and event["name"] == name]


def fact_counter(lanes, name, threads):
	values = samples_of(lanes, name)
	return "%s %s %s" % (values[-1], max(values) in range(4096, 4096 * int(threads) + 1, 4096), len({value % 4096 for value in values}))


def fact_depth(lanes):
	return str(set(samples_of(lanes, "queue 1 depth")) >= {0, 1})


def facts(lanes, *wanted):
	for fact in wanted:
		what, *rest = fact.split(": ")
		print({"lanes": fact_lanes, "argument": fact_argument, "identities": fact_identities, "counter": fact_counter,
		       "depth": fact_depth}[what](lanes, *rest))


if __name__ == "__main__":
	what, path, *rest = sys.argv[1:]
	lanes = Lanes(path)
	{"counts": counts, "times": times, "calls": calls, "waits": waits, "counts,calls,sound": several, "facts": facts}[what](lanes, *rest)
	sys.exit(check_trace.report(lanes.trace.errors))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cuda_lanes.py WHAT TRACE LOG [NANOSECONDS]: device lanes of a CUDA trace, held against the software driver's own log (CUDA_DRIVER_WORK).

	counts	the lanes have as many commands of each name, and bytes, as the log
	streams	so has each stream
	times	each command of the log lies within its slice, whose ends are no further away than so many nanoseconds; and the driver's times
		that the slice shows are as far apart as the command was long, or a little more

Exit code 0 when all holds; otherwise 1, with a line for each thing found (the first twenty).
"""

import collections
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import check_trace
from device_lanes import Lanes

Line = collections.namedtuple("Line", "stream name bytes start end")


def read_log(path):
	with open(path) as file:
		for text in file:
			stream, name, size, start, end = text.rstrip("\n").split("\t")
			# The log counts the words of a kernel.
			yield Line(int(stream), name, 0 if name in ("add", "spin") else int(size), int(start), int(end))


def differ(lanes, what, got, want):
	for key in sorted(want | got, key=str):
		if want[key] != got[key]:
			lanes.error("%s %s: %d instead of %d" % (what, key, got[key], want[key]))


def counts(lanes, lines):
	differ(lanes, "commands", collections.Counter((e.name, e.args.get("bytes", 0)) for e in lanes.work),
	       collections.Counter((line.name, line.bytes) for line in lines))
	for e in lanes.work:
		if e.unfinished:
			lanes.error("unfinished: %s" % e)
	print(len(lanes.work), "commands")


def streams(lanes, lines):
	def numbers(of):
		return collections.Counter(tuple(sorted(collections.Counter(names).items())) for names in of.values())

	got, want = collections.defaultdict(list), collections.defaultdict(list)
	for e in lanes.work:
		got[e.args["queue"]].append(e.name)
	for line in lines:
		want[line.stream].append(line.name)
	differ(lanes, "streams", numbers(got), numbers(want))


def times(lanes, lines, most):
	slices = sorted(lanes.work, key=lambda e: e.start)
	lines = sorted(lines, key=lambda line: line.start)
	worst = 0
	for e, line in zip(slices, lines):
		wrong = max(abs(e.start - line.start), abs(e.end - line.end))
		worst = max(worst, wrong)
		if e.name != line.name or wrong > int(most):
			lanes.error("%s, %d..%d instead of %d..%d" % (e.name, e.start, e.end, line.start, line.end))
		raw, lasted = e.args["end"] - e.args["start"], line.end - line.start
		if not lasted <= raw <= lasted + int(most):
			lanes.error("%s lasts %d of the driver's ns instead of %d" % (e.name, raw, lasted))
	print("%d commands, wrong by %d ns at most" % (len(lines), worst))


if __name__ == "__main__":
	what, trace, log, *rest = sys.argv[1:]
	lanes = Lanes(trace)
	{"counts": counts, "streams": streams, "times": times}[what](lanes, list(read_log(log)), *rest)
	sys.exit(check_trace.report(lanes.trace.errors))

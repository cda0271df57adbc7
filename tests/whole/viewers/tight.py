#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tight.py DAYS STEP: prints a trace whose calls nest 13 deep, with STEP nanoseconds between any two of their starts and ends, made
on a machine that has been up for so many days. Viewers reckon in floating-point microseconds, which get coarser with time."""

import json
import sys

DEPTH = 12
now, step = int(sys.argv[1]) * 86400 * 10**9, int(sys.argv[2])
events = [json.dumps({"ph": "M", "pid": 7, "tid": 8, "name": name, "args": {"name": "tight"}})
	  for name in ("process_name", "thread_name")]


def call(left):
	"""As the layer does it, a call is written when it ends: inner ones before outer ones."""
	global now
	start = now
	for _ in range(2 if left % 3 else 1):
		now += step
		if left:
			call(left - 1)
	now += step
	events.append('{"ph":"X","pid":7,"tid":8,"name":"f%d","ts":%d.%03d,"dur":%d.%03d,"args":{}}'
		      % (left, *divmod(start, 1000), *divmod(now - start, 1000)))
	now += step


call(DEPTH)
print("[\n%s\n]" % ",\n".join(events))

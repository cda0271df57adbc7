#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""touching.py DAYS [plain]: prints a trace of calls that are all alike, each of which begins at the nanosecond at which the one before it ended, as a
coarse clock makes them; also calls in calls that do. Written as the JSON encoder writes such slices: one that touches the one before begins 0.2 ns later. "plain":
without that."""

import json
import sys

now, moves = int(sys.argv[1]) * 86400 * 10**9 + 123, len(sys.argv) < 3
events = [json.dumps({"ph": "M", "pid": 7, "tid": 8, "name": name, "args": {"name": "touching"}})
	  for name in ("process_name", "thread_name")]


def put(name, start, end, touches):
	touches &= moves
	events.append('{"ph":"X","pid":7,"tid":8,"name":"%s","ts":%d.%03d%s,"dur":%d.%03d%s,"args":{}}'
		      % (name, *divmod(start, 1000), "2" if touches else "", *divmod(end - start - touches, 1000), "8" if touches else ""))


for i in range(50):
	put("same", now, now + 41, i > 0)
	now += 41
for i in range(20):
	put("inner", now, now + 41, True)
	put("inner", now + 41, now + 82, True)
	put("outer", now, now + 123, True)
	now += 123
print("[\n%s\n]" % ",\n".join(events))

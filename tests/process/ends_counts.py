#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""ends_counts.py COUNTS TRACE: the trace has, of each thread, what it had counted when the process began to leave, and at most one call
more than it counted in the end.

COUNTS holds three times 64 bits for each thread: its number, its calls, its calls when the process began to leave. Prints these.
"""
import collections, json, struct, sys

counts, trace = sys.argv[1:]
try:
    with open(trace) as file:
        events = json.load(file)
except FileNotFoundError:
    events = [{"ph": "M", "name": "tracelayer_end"}]  # left before the first call
recorded = collections.Counter(event["tid"] for event in events if event["ph"] == "X" and event["name"] == "clGetPlatformIDs")
data = open(counts, "rb").read()
for tid, counted, left in struct.iter_unpack("=QQQ", data):
    if tid and not left <= recorded[tid] <= counted + 1:
        sys.exit(f"thread {tid}: {left} to {counted} calls, {recorded[tid]} in the trace")
    recorded.pop(tid, None)
if recorded:
    sys.exit(f"threads that were not: {dict(recorded)}")
ends = [event for event in events if event["name"] == "tracelayer_end"]
if len(ends) != 1 or events[-1] is not ends[0]:
    sys.exit(f"{len(ends)} ends, the last event is {events[-1]}")
print(*(left for _, _, left in struct.iter_unpack("=QQQ", data)))

# SPDX-License-Identifier: MIT
"""clock.py TRACE BRACKETS SOURCE: how far the trace's times are from what CLOCK_MONOTONIC was; see clock.sh."""
import json
import sys

NARROW = 500  # nanoseconds: what a wider bracket says is less than we ask for
LIMIT = 1000

trace, brackets, source = sys.argv[1:]
starts, ends, told = {}, {}, None
with open(trace) as lines:
    for line in lines:
        if '"bench_one"' not in line and '"bench_pointer"' not in line and '"name":"tracelayer"' not in line:
            continue
        event = json.loads(line.strip().lstrip("[,").rstrip(",]"))
        if event["name"] == "tracelayer":
            told = event["args"]["source"]
            continue
        # Microseconds with three decimals: exact as decimals, not as floats.
        text = line.split('"ts":')[1]
        ts, dur = text.split(",")[0], text.split('"dur":')[1].split(",")[0]
        number = int(event["args"]["a"])
        starts[number] = int(ts.replace(".", ""))
        ends[number] = starts[number] + int(dur.replace(".", ""))

outside = bound = narrow = 0
with open(brackets) as lines:
    for line in lines:
        number, before, after = map(int, line.split())
        start, end = starts[number], ends[number]
        outside = max(outside, before - start, end - after)
        if after - before <= NARROW:
            narrow += 1
            # Wherever in the bracket the call began, its ts is no farther from it than this.
            bound = max(bound, abs(start - before), abs(after - start))

print(f"{len(starts)} calls, {narrow} in narrow brackets; by {outside} ns outside of one; surely within {bound} ns; source {told}")
assert told == source, told
assert narrow >= 100, "the brackets are too wide"
assert outside < LIMIT and bound < LIMIT

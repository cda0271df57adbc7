# SPDX-License-Identifier: MIT
"""
diff_traces.py FOLDER: writes two traces, a.json and b.json, of calls whose durations are drawn at random (the same in each run), and what `tracelayer diff` must say
of them, want.csv: name, calls, total and median of each, and the verdict by a count of all pairs of durations.
"""
import bisect
import json
import math
import os
import random
import sys

random.seed(7)


def durations(count, middle, spread):
    """Whole nanoseconds, as many as are wanted."""
    return [max(1, round(random.lognormvariate(math.log(middle), spread))) for _ in range(count)]


# What each function's calls take in A and in B.
CASES = {
    "sameNarrow": (durations(400, 50000, 0.02), durations(400, 50000, 0.02)),
    "sameWide": (durations(400, 50000, 1.0), durations(300, 50000, 1.0)),
    "slower": (durations(500, 20000, 0.1), durations(500, 26000, 0.1)),
    "faster": (durations(500, 20000, 0.1), durations(900, 14000, 0.1)),
    "slowerLessThanItVaries": (durations(2000, 20000, 0.8), durations(2000, 23000, 0.8)),
    "tooFew": ([1000, 1100], [9000, 9100]),
    "fiveOfEach": ([1000, 1040, 1080, 1120, 1160], [9000, 9100, 9200, 9300, 9400]),
    "once": ([5000], [80000]),
    "onlyInA": (durations(10, 3000, 0.1), []),
    "onlyInB": ([], durations(10, 3000, 0.1)),
    "longTail": (durations(300, 1000, 0.1), durations(297, 1000, 0.1) + [10**8] * 3),
    "allEqual": ([700] * 50, [700] * 60),
}


def median(values):
    values = sorted(values)
    return values[(len(values) + 1) // 2 - 1]


def place(value):
    """Durations are counted in places of 1/32 of a power of two: equal ones are ties."""
    if value < 64:
        return value
    shift = value.bit_length() - 6
    return value >> shift << shift


def verdict(a, b):
    if not a or not b:
        return ("new" if b else "gone"), None
    a, b = sorted(map(place, a)), sorted(map(place, b))
    wins = sum(bisect.bisect_left(a, x) + (bisect.bisect_right(a, x) - bisect.bisect_left(a, x)) / 2 for x in b)
    both, n = a + b, len(a) + len(b)
    ties = sum(both.count(x) ** 3 - both.count(x) for x in set(both))
    variance = len(a) * len(b) / 12 * (n + 1 - ties / (n * (n - 1)))
    z = (wins - len(a) * len(b) / 2) / math.sqrt(variance) if variance > 0 else 0
    longer = wins / (len(a) * len(b))
    if abs(z) < 2.576 or abs(longer - 0.5) < 0.14:
        return "alike", longer
    return ("slower" if longer > 0.5 else "faster"), longer


def trace(path, which):
    events, time = [], 0
    for name, both in CASES.items():
        for number, duration in enumerate(both[which]):
            event = {"name": name, "ph": "X", "cat": "opencl", "pid": 1, "tid": 1, "ts": time / 1000, "dur": duration / 1000}
            if name == "slower" and number % 100 == 0 and which:
                event["cat"] += ",failed"
            events.append(event)
            time += duration + 100
    with open(path, "w", encoding="ascii") as file:
        json.dump({"traceEvents": events}, file)


folder = sys.argv[1]
trace(os.path.join(folder, "a.json"), 0)
trace(os.path.join(folder, "b.json"), 1)
with open(os.path.join(folder, "want.csv"), "w", encoding="ascii") as want:
    for name, (a, b) in sorted(CASES.items()):
        said, longer = verdict(a, b)
        fields = [name, len(a), len(b), sum(a), sum(b), sum(b) - sum(a), median(a) if a else "", median(b) if b else "", "" if longer is None else f"{longer:.6f}", said]
        want.write(",".join(map(str, fields)) + "\n")

# SPDX-License-Identifier: MIT
"""diff.py WANT: compares the CSV of `tracelayer diff` on standard input with WANT. Medians may be 1.6 % off, which is a place of the histogram."""
import csv
import sys

want = {row[0]: row for row in csv.reader(open(sys.argv[1], encoding="ascii"))}
rows = {row["name"]: row for row in csv.DictReader(sys.stdin)}
for name in sorted(set(want) ^ set(rows)):
    print(name, "is in one of the two only")
for name, (_, calls_a, calls_b, total_a, total_b, total, median_a, median_b, longer, verdict) in want.items():
    row = rows.get(name, {})
    exact = (calls_a, calls_b, total_a, total_b, total, longer, verdict)
    got = tuple(row.get(key) for key in ("calls_a", "calls_b", "total_a_ns", "total_b_ns", "total_difference_ns", "longer", "verdict"))
    if got != exact:
        print(name, "is", got, "and must be", exact)
    for key, value in (("median_a_ns", median_a), ("median_b_ns", median_b)):
        if bool(row.get(key)) != bool(value) or (value and abs(int(row[key]) - int(value)) > int(value) / 60 + 1):
            print(name, key, row.get(key), "and must be", value)
print("compared", len(want))

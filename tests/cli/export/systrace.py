# SPDX-License-Identifier: MIT
# systrace.py FILE: rows of an exported systrace as Android's tool reads them: its two forms of a row, B and E of each thread in balance, in the order of
# time. Prints each row as "tid B mark" or "tid E", or what is wrong.
import re, sys

HEADER = "#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION"
ROW = re.compile(r"^\s*([^ ].{1,15})-(\d+)\s+\(\s*([-0-9]+)\) .* (\d+\.\d+): tracing_mark_write: ([BE].*)$")

lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
assert HEADER in lines, "no header"
open_by = {}
last = 0.0
for number, line in enumerate(lines[lines.index(HEADER) + 2:-1]):
    row = ROW.match(line)
    assert row, "no row: " + line
    task, tid, tgid, time, mark = row.groups()
    assert float(time) >= last, "out of order: " + line
    last = float(time)
    depth = open_by.setdefault(tid, [])
    if mark[0] == "B":
        kind, process, text = mark.split("|", 2)
        assert process == tgid, "another process: " + line
        depth.append(text)
        print(tid, "B", text)
    else:
        assert mark == "E|" + tgid, "no end: " + line
        assert depth, "ends nothing: " + line
        depth.pop()
        print(tid, "E")
for tid, depth in open_by.items():
    for text in depth:
        print(tid, "open", text)

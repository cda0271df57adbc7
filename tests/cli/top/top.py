# SPDX-License-Identifier: MIT
"""
top.py TRACELAYER TARGET: runs the target (top_target.py) under tracelayer, watches it with tracelayer top,
and prints what top saw, as lines that top.sh compares.
"""
import csv
import os
import pty
import re
import subprocess
import sys
import tempfile
import time

tracelayer, target = sys.argv[1:3]
folder = tempfile.mkdtemp()


started = []


def give_up(why):
    for process in started:
        process.kill()
    sys.exit(why)


def wait_for(what, condition):
    until = time.monotonic() + 60
    while not condition():
        if time.monotonic() > until:
            give_up("not seen in 60 s: %s; the last rows are %s" % (what, rows(path)[-6:]))
        time.sleep(0.02)


def rows(path):
    with open(path, newline="") as file:
        return [row for row in csv.DictReader(file) if row["now"] is not None]


def comes_to_rest(what):
    """From now on: an interval without calls, after one with calls. There may have been one before, where the machine is busy."""
    there = len(rows(path))

    def is_at_rest():
        all_rows = rows(path)
        calls = [(number, row["calls_per_s"]) for number, row in enumerate(all_rows) if row["what"] == what]
        return calls and calls[-1][0] >= there and calls[-1][1] == "0" and any(rate != "0" for _, rate in calls)
    return is_at_rest


program = subprocess.Popen([tracelayer, "run", "--quiet", "--ring=16M", "-o", folder + "/t.json", "--session=top-" + folder[-8:], "--",
                            sys.executable, "-B", target], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def step():
    line = program.stdout.readline().strip()
    if not line:
        give_up("the target has ended")
    return line


def go_on():
    program.stdin.write("\n")
    program.stdin.flush()


step()
path = folder + "/rows"
with open(path, "w") as file:
    top = subprocess.Popen([tracelayer, "top", "--batch", "-d", "0.2", "top-" + folder[-8:]], stdout=file)
# top passes over what was there before it came. Its first rows are printed after that.
started += [program, top]
wait_for("rows", lambda: len(rows(path)) > 0)
go_on()
step()
wait_for("an interval without calls", comes_to_rest("total"))


def counted(what, name, column):
    """The sum over all intervals: rates times their lengths."""
    last, total, times = 0.0, 0.0, {}
    for row in rows(path):
        if row["time_s"] not in times:
            times[row["time_s"]] = float(row["time_s"]) - last
            last = float(row["time_s"])
        if row["what"] == what and row["name"] == name:
            total += float(row[column] or 0) * times[row["time_s"]]
    return total


def about(value, wanted):
    # Rates are rounded, and intervals are known to a millisecond.
    return "about %d" % wanted if abs(value - wanted) <= 0.02 * wanted else "%.1f" % value


print("calls", about(counted("total", "", "calls_per_s"), 4000))
print("clGetPlatformIDs", about(counted("function", "clGetPlatformIDs", "calls_per_s"), 3600))
print("clGetPlatformInfo", about(counted("function", "clGetPlatformInfo", "calls_per_s"), 400))
print("failed", about(counted("function", "clGetPlatformInfo", "failed_per_s"), 400))
go_on()
step()
wait_for("a queue that has become idle", comes_to_rest("queue"))
queues = [row for row in rows(path) if row["what"] == "queue"]
print("commands", about(counted("queue", queues[0]["name"], "calls_per_s"), 200),
      all(float(row["share"]) <= 1 and float(row["depth"]) >= 0 for row in queues), any(float(row["share"]) > 0 for row in queues))
go_on()
step()
# Once the call has been open for a whole interval, all of the interval counts.
wait_for("clWaitForEvents", lambda: [row for row in rows(path) if row["name"] == "clWaitForEvents" and row["share"] >= "0.95"])
waits = [row for row in rows(path) if row["what"] == "thread" and row["now"] == "clWaitForEvents"]
print("now", len(waits) > 0 and waits[-1]["share"] >= "0.95")

# A person looks, at a terminal, and leaves.
terminal, end = pty.openpty()
os.environ["TERM"] = "xterm"
subprocess.run(["stty", "rows", "30", "cols", "100"], stdin=end)
before = subprocess.run(["stty", "-g"], stdin=end, stdout=subprocess.PIPE).stdout
screen = subprocess.Popen([tracelayer, "top", "-d", "0.2", "top-" + folder[-8:]], stdin=end, stdout=end)
shown = b""
while b"clWait" not in shown:
    shown += os.read(terminal, 65536)
os.write(terminal, b"q")
while b"\x1b[?1049l" not in shown:
    shown += os.read(terminal, 65536)
code = screen.wait()
after = subprocess.run(["stty", "-g"], stdin=end, stdout=subprocess.PIPE).stdout
print("screen", code, before == after, max(len(line) for line in re.sub("\x1b\\[[0-9;]*m", "", shown.decode().replace("\x1b[H\x1b[J", "\n")).splitlines()) <= 110)
print("threads and functions", b"1 process," in shown and b"in calls" in shown and b"average" in shown)

go_on()
step()
go_on()
print("program", program.wait())
print("top", top.wait())
for name in os.listdir(folder):
    os.unlink(folder + "/" + name)
os.rmdir(folder)

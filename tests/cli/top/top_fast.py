# SPDX-License-Identifier: MIT
"""
top_fast.py TRACELAYER FOLDER: a program makes calls as fast as it can, three of clGetPlatformIDs for one that fails of
clGetPlatformInfo, and notes how many it has made. Prints how what tracelayer top estimates compares. Called with "target" it is that program.
"""
import csv
import ctypes
import subprocess
import sys
import time


def target(notes):
    cl = ctypes.CDLL("libOpenCL.so.1")
    count, platform = ctypes.c_uint(), ctypes.c_void_p()
    cl.clGetPlatformIDs(1, ctypes.byref(platform), None)
    end = time.monotonic() + 60
    calls, now = 0, 0
    with open(notes, "w", buffering=1) as file:
        while now < end:
            for _ in range(500):
                cl.clGetPlatformIDs(0, None, ctypes.byref(count))
                cl.clGetPlatformIDs(0, None, ctypes.byref(count))
                cl.clGetPlatformIDs(0, None, ctypes.byref(count))
                cl.clGetPlatformInfo(platform, 0xDEAD, ctypes.c_size_t(0), None, None)
            calls += 2000
            now = time.monotonic()
            print(now, calls, file=file)


def calls_at(notes, moment):
    before = (0.0, 0)
    for line in open(notes):
        now, calls = line.split()
        if float(now) >= moment:
            return before[1] + (int(calls) - before[1]) * (moment - before[0]) / (float(now) - before[0])
        before = (float(now), int(calls))
    return before[1]


def about(value, wanted):
    return "as it is" if abs(value - wanted) <= 0.15 * wanted else "%g, not %g" % (value, wanted)


def look(tracelayer, folder):
    notes, session = folder + "/notes", "fast-" + str(time.monotonic_ns())
    program = subprocess.Popen([tracelayer, "run", "--quiet", "--ring=4M", "-o", folder + "/fast.tlt", "--session=" + session, "--", sys.executable, "-B", __file__, "target", notes],
                               stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while subprocess.run([tracelayer, "top", "--batch", "--delay=0.1", "--count=1", session], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        if time.monotonic() > until or program.poll() is not None:
            sys.exit("the program is not seen")
    begun = time.monotonic()
    rows = list(csv.DictReader(subprocess.run([tracelayer, "top", "--batch", "--delay=0.5", "--count=6", session], stdout=subprocess.PIPE, text=True).stdout.splitlines()))
    ended = time.monotonic()
    program.terminate()
    program.wait()

    def counted(what, name, column):
        total, last = 0.0, 0.0
        for moment in sorted({float(row["time_s"]) for row in rows}):
            total += sum(float(row[column] or 0) for row in rows if float(row["time_s"]) == moment and row["what"] == what and row["name"] == name) * (moment - last)
            last = moment
        return total

    made = calls_at(notes, ended) - calls_at(notes, begun)
    print("enough", made > 100000)
    print("calls", about(counted("total", "", "calls_per_s"), made))
    print("clGetPlatformIDs", about(counted("function", "clGetPlatformIDs", "calls_per_s"), 0.75 * made))
    print("failed", about(counted("function", "clGetPlatformInfo", "failed_per_s"), 0.25 * made))
    shares = [float(row["share"]) for row in rows if row["what"] == "thread" and row["share"]]
    print("share", 0 < min(shares) and max(shares) <= 1.01)


if sys.argv[1] == "target":
    target(sys.argv[2])
else:
    look(*sys.argv[1:])

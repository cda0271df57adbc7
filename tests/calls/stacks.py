# SPDX-License-Identifier: MIT
# stacks.py TRACE WANTED: compares the stacks in a trace of tests/apps/stack_calls.cc (places in files) with what backtrace() told the program.
# Prints a line for each kind of stack: its name and "same", or what differs.
import json
import os
import sys

FRAMES = 64  # kept at most


def place(text):
    name, _, address = text.rpartition("+")
    place = int(address, 16)
    # The vDSO of qemu-user says of itself that it belongs where it is: the place in it is then an address.
    return name, place % 0x1000 if "vdso" in name and os.uname().machine == "aarch64" else place


def differs(got, wanted):
    # backtrace() goes on to where the C library starts coroutines.
    if len(wanted) == len(got) + 1 and name.startswith("coroutine") and wanted[-1][0].startswith("libc."):
        wanted = wanted[:-1]
    wanted = wanted[:FRAMES]
    if len(got) != len(wanted) or got[0][0] != wanted[0][0] or abs(got[0][1] - wanted[0][1]) > 64:
        return True
    # Where a signal interrupted a function, backtrace()'s address less 1 is not in the instruction.
    return any(g[0] != w[0] or not 0 <= g[1] - w[1] <= (name in ("signal", "fault", "altstack")) for g, w in zip(got[1:], wanted[1:]))


calls = [e for e in json.load(open(sys.argv[1])) if e.get("name") == "clGetPlatformIDs"]
calls.sort(key=lambda e: e["ts"])
lines = [line.split() for line in open(sys.argv[2])]
if len(calls) != len(lines):
    print(len(calls), "calls,", len(lines), "stacks")
for call, line in zip(calls, lines):
    name, wanted = line[0], [place(word) for word in line[1:]]
    got = [place(text) for text in call.get("stack", [])]
    print(name, "same" if got and not differs(got, wanted) else f"differs: {call.get('stack')}, not {line[1:]}")

# SPDX-License-Identifier: MIT
"""
rooms.py TREE: which room uses which, by the #include lines of the sources. Prints each line that is
against the plan of doc/internals.md, and exits with 1 if there is one.

A room is a folder. Its contract is its header of the same name (layer/buffers/buffers.h). Another room
may include the contract and what the contract itself includes, and nothing else. A room uses the rooms
that stand after it in its row, never those before it. Each folder with sources is a room of the plan.
"""
import os
import re
import sys

# From the top to the ground. A room may use all that stand below it in the rows that it is in, and
# what these lists give it besides.
ROWS = [
    # inside the program
    "layer/process layer/program layer/device/opencl layer/device layer/calls layer/write"
    " layer/resolve layer/buffers layer/base layer/base/libc",
    "layer/process layer/program layer/device/ze layer/device",
    "layer/process layer/program layer/device/cuda layer/device",
    "layer/process layer/program layer/device/vulkan layer/device",
    "layer/base format/encode format/args format/file common include",
    # the command
    "cli cli/profile cli/top cli/run cli/report cli/diff cli/summary cli/recover cli/export cli/phases cli/apis cli/control cli/systrace"
    " cli/sqlite cli/symbols cli/tally cli/read cli/outputs cli/live cli/leftovers cli/job cli/basics tables common include",
    "cli/export cli/read cli/outputs format/encode format/args",
    "cli/summary format/encode format/args",
    "cli/symbols format/encode",
    "cli/live format/args",
    "cli/basics format/file common include",
    # the tool libraries
    "callbacks tables common include",
    # the generator
    "gen format/file common include",
    # XPTI
    "xpti/timeline xpti/dispatcher common include",
    # NVTX, ITT and ROCTX
    "annotations common include",
    "xpti/bench xpti/dispatcher",
    "xpti/proxy xpti/dispatcher",
]
# Uses that no row says. The doors are libraries of their own, which reach the runtime by what
# libtracelayer.so exports; so are the timeline and the annotations.
BESIDES = {
    "layer/doors": "layer/resolve layer/program include",
    "xpti/timeline": "layer/program format/args",
    "annotations": "layer/program layer/base",
    "xpti/dispatcher": "format/args",
}
# These may include everything, and are no rooms.
FREE = {"bench", "tests", "examples", "apis", "config.h"}
# Folders inside a room that are no rooms of their own: the public headers, and headers that
# descriptors name.
PARTS = {"include/tracelayer", "gen/apis"}
SOURCE = re.compile(r"\.(c|cc|h|S)$")


def rooms():
    found = set(BESIDES)
    for row in ROWS:
        found |= set(row.split())
    return sorted(found, key=len, reverse=True)


def room_of(path):
    for room in ROOMS:
        if path.startswith(room + "/"):
            return room
    return path.split("/")[0]


def below():
    """What each room may use."""
    uses = {room: {room} for room in ROOMS}
    for row in ROWS:
        names = row.split()
        for at, room in enumerate(names):
            uses[room] |= set(names[at:])
    for room, more in BESIDES.items():
        uses[room] |= set(more.split())
    for _ in ROOMS:
        for room in ROOMS:
            for used in list(uses[room]):
                uses[room] |= uses.get(used, set()) if used != room else set()
    return uses


def includes(tree, path):
    with open(os.path.join(tree, path), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = re.match(r'\s*#\s*include\s*["<]((?:[\w.-]+/)+[\w.-]+)[">]', line)
            if match:
                yield number, match.group(1)


def folders_below(tree, path):
    """Without what tracegen has made: a release's tarball carries it."""
    for folder, folders, files in os.walk(path):
        folders[:] = [name for name in folders if os.path.relpath(os.path.join(folder, name), tree) != "gen/made"]
        yield folder, files


def sources(tree):
    for top in sorted({room.split("/")[0] for room in ROOMS}):
        for folder, files in folders_below(tree, os.path.join(tree, top)):
            for name in sorted(files):
                if SOURCE.search(name):
                    yield os.path.relpath(os.path.join(folder, name), tree)


def strange_folders(tree):
    """Folders with sources that the plan does not know. A build folder is not looked into."""
    for top in sorted(os.listdir(tree)):
        path = os.path.join(tree, top)
        if top.startswith(".") or top in FREE or not os.path.isdir(path):
            continue
        # make distcheck builds in _build/sub.
        if any(os.path.exists(os.path.join(path, below, "config.status")) for below in ("", "sub")):
            continue
        if os.path.exists(os.path.join(path, "configure.ac")):
            continue
        for folder, files in folders_below(tree, path):
            name = os.path.relpath(folder, tree)
            if name not in ROOMS and name not in PARTS and any(map(SOURCE.search, files)):
                yield name


def circles(uses):
    """Pairs of rooms that the plan lets use each other."""
    for room in ROOMS:
        for used in uses[room]:
            if room < used and room in uses.get(used, ()):
                yield room, used


def contract(tree, room):
    """The headers of a room that others may include."""
    header = f"{room}/{room.split('/')[-1]}.h"
    if not os.path.exists(os.path.join(tree, header)):
        return None
    return {header} | {used for _, used in includes(tree, header) if room_of(used) == room}


def cycles(graph):
    """Groups of files that include each other."""
    number, low, stack, found = {}, {}, [], []

    def visit(file):
        number[file] = low[file] = len(number)
        stack.append(file)
        for used in graph.get(file, ()):
            if used not in number:
                visit(used)
                low[file] = min(low[file], low[used])
            elif used in stack:
                low[file] = min(low[file], number[used])
        if low[file] == number[file]:
            group = []
            while True:
                group.append(stack.pop())
                if group[-1] == file:
                    break
            if len(group) > 1:
                found.append(sorted(group))

    sys.setrecursionlimit(10000)
    for file in graph:
        if file not in number:
            visit(file)
    return found


ROOMS = rooms()


def main(tree):
    uses, wrong, graph, names = below(), [], {}, {}
    contracts = {room: contract(tree, room) for room in ROOMS if room != "include"}
    for room, headers in sorted(contracts.items()):
        if headers is None and os.path.isdir(os.path.join(tree, room)):
            wrong.append(f"{room}: no contract: {room}/{room.split('/')[-1]}.h is missing")
    for folder in sorted(strange_folders(tree)):
        wrong.append(f"{folder}: no room of the plan: add it to ROWS in tests/house/rooms.py")
    for one, other in sorted(circles(uses)):
        wrong.append(f"the plan lets {one} and {other} use each other")
    for path in sources(tree):
        names.setdefault(os.path.basename(path), []).append(path)
        room = room_of(path)
        for number, used in includes(tree, path):
            if not os.path.exists(os.path.join(tree, used)):
                continue
            target = room_of(used)
            graph.setdefault(path, []).append(used)
            if target in FREE or target == room or target == "include":
                continue
            where = f"{path}:{number}: includes {used}: "
            if target not in uses.get(room, ()):
                wrong.append(where + f"{room} may not use {target}")
            elif contracts.get(target) and used not in contracts[target]:
                wrong.append(where + f"inside of {target}; its contract does not include it")
    for group in cycles(graph):
        wrong.append("files include each other: " + ", ".join(group))
    for name, paths in sorted(names.items()):
        paths = sorted(path for path in paths if not path.startswith("include/"))
        if len(paths) > 1:
            wrong.append("two files have one name: " + ", ".join(paths))
    for line in wrong:
        print(line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

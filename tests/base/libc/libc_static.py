# SPDX-License-Identifier: MIT
"""Which functions of other libraries can be reached from given functions of a shared library: by its disassembly.

libc_static.py LIBRARY FUNCTION... [-FUNCTION...] [--allow=NAME,...]

An edge goes from a function to each that it calls or jumps to, to each whose address it takes, and to all functions that data which it refers to
point to (tables of functions: what is called through a pointer must have been found somewhere). -FUNCTION is not gone into: who asks
knows why that is never called, or whose it is. --allow=NAME is a function of another library that may be reached. Prints a line for each function of another library, with the way there; exits with 1 if there is one.
x86-64 only.
"""
import bisect
import re
import subprocess
import sys
from collections import deque


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def symbols(library):
    """Of functions and of data: sorted (address, size, name)."""
    functions, objects = [], []
    for line in output("readelf", "-sW", library).splitlines():
        field = line.split()
        if len(field) < 8 or not field[0][:-1].isdigit() or field[6] in ("UND", "ABS"):
            continue
        address, size, kind, name = int(field[1], 16), int(field[2], 0), field[3], field[7].split("@")[0]
        if kind in ("FUNC", "IFUNC"):
            functions.append((address, size, name))
        elif kind == "OBJECT" and size:
            objects.append((address, size, name))
    return sorted(set(functions)), sorted(set(objects))


class Places:
    """Names by address."""

    def __init__(self, symbols):
        self.symbols = symbols
        self.starts = [address for address, _, _ in symbols]

    def at(self, address):
        i = bisect.bisect_right(self.starts, address) - 1
        while i >= 0 and i > bisect.bisect_right(self.starts, address) - 4:
            start, size, name = self.symbols[i]
            if start <= address < start + max(size, 1):
                return start, name
            i -= 1
        return None


def pointers(library, functions, objects):
    """What each piece of data points to: {start of object: {start of function or object}}."""
    found = {}
    for line in output("readelf", "-rW", library).splitlines():
        field = line.split()
        if len(field) < 4 or "RELATIVE" not in field[2]:
            continue
        where, what = int(field[0], 16), int(field[3], 16)
        holder = objects.at(where)
        target = functions.at(what) or objects.at(what)
        if holder and target:
            found.setdefault(holder[0], set()).add(target[0])
    return found


def graph(library):
    """({start: name}, {start: {start or name of an imported function}})."""
    function_list, object_list = symbols(library)
    functions, objects = Places(function_list), Places(object_list)
    names = {start: name for start, _, name in object_list}
    names.update({start: name for start, _, name in function_list})
    edges = pointers(library, functions, objects)
    here = None
    head = re.compile(r"^([0-9a-f]+) <(.*)>:$")
    imported = re.compile(r"<([A-Za-z_][A-Za-z0-9_]*)@(?:plt|[A-Z][A-Za-z0-9_.]*)>")
    direct = re.compile(r"\b(?:call|j[a-z]+)\s+([0-9a-f]+) <")
    taken = re.compile(r"# ([0-9a-f]+) <")
    for line in output("objdump", "-d", "--no-show-raw-insn", "-w", library).splitlines():
        match = head.match(line)
        if match:
            here = None if match[2].endswith("@plt") else functions.at(int(match[1], 16))
            continue
        if not here or "\t" not in line:
            continue
        out = edges.setdefault(here[0], set())
        match = imported.search(line)
        if match:
            out.add(match[1])
            continue
        for pattern in direct, taken:
            for address in pattern.findall(line):
                target = functions.at(int(address, 16)) or objects.at(int(address, 16))
                if target and target[0] != here[0]:
                    out.add(target[0])
    return names, edges


def main():
    library, roots, cut, allowed = sys.argv[1], [], set(), set()
    for word in sys.argv[2:]:
        if word.startswith("--allow="):
            allowed.update(word[8:].split(","))
        elif word.startswith("-"):
            cut.add(word[1:])
        else:
            roots.append(word)
    names, edges = graph(library)

    def plain(name):
        return re.sub(r"\.(constprop|part|isra|cold|lto_priv)\b.*", "", name)

    start = [at for at, name in names.items() if plain(name) in roots]
    if len({plain(names[at]) for at in start}) != len(set(roots)):
        sys.exit("libc_static.py: not all of %s are in %s" % (" ".join(roots), library))
    came, queue, used = dict.fromkeys(start), deque(start), set()
    while queue:
        at = queue.popleft()
        for to in edges.get(at, ()):
            name = plain(names[to]) if isinstance(to, int) else to
            if name in cut:
                used.add(name)
                continue
            if to not in came:
                came[to] = at
                if isinstance(to, int):
                    queue.append(to)
    print("%d functions and tables are within reach" % sum(isinstance(at, int) for at in came))
    for name in sorted(cut - used):
        sys.exit("libc_static.py: %s is not within reach any more" % name)
    bad = sorted(at for at in came if isinstance(at, str) and at not in allowed)
    for name in bad:
        way, at = [name], came[name]
        while at is not None:
            way.append(names[at])
            at = came[at]
        print(" < ".join(way))
    sys.exit(1 if bad else 0)


main()

# SPDX-License-Identifier: MIT
"""page_sizes.py LOG PAGE: what a kernel with pages of PAGE bytes would say to the system calls in a log of qemu's -strace.

qemu-user with -p tells a program of larger pages, and gives it memory in them. But its host has pages of 4 KiB: it does
what such a kernel would refuse, or would do to more memory than was meant. This finds both, and prints a line for each:

    refused     an address, or a place in a file, that is no page's beginning
    neighbours  a range that ends within a page, the rest of which belongs to another mapping, or to what is left of this one

and how many calls it has looked at, by their names. Exit code 1: it has found some.
"""
import collections
import re
import sys

# Another thread's call may stand before the result.
CALL = re.compile(r"(mmap|munmap|mprotect|madvise)\(([^()]*)\)(?: = (\S+))?")


def number(text):
    return 0 if text == "NULL" else int(text, 0)


class Memory:
    def __init__(self, page):
        self.page, self.mapped, self.found, self.counts = page, [], [], collections.Counter()

    def up(self, at):
        return -(-at // self.page) * self.page

    def check_beginning(self, line, *places):
        if any(at % self.page for at in places):
            self.found.append("refused: " + line)

    def check_end(self, line, to):
        """The rest of the last page: nobody may have asked for it."""
        if to % self.page and any(low < self.up(to) and high > to for low, high in self.mapped):
            self.found.append("neighbours: " + line)

    def forget(self, low, high):
        kept = []
        for a, b in self.mapped:
            kept += [(x, y) for x, y in ((a, min(b, low)), (max(a, high), b)) if x < y]
        self.mapped = kept

    def call(self, name, words, result, line):
        self.counts[name] += 1
        at, size = number(words[0]), number(words[1])
        if name == "mmap":
            self.check_beginning(line, number(words[5]), *([at] if "MAP_FIXED" in words[3] else []))
            got = number(result or "0")
            self.forget(got, self.up(got + size))
            self.mapped.append((got, got + size))
            return
        self.check_beginning(line, at)
        if name == "munmap":
            self.forget(at, at + size)
        # Pages that are there already stay as they are.
        if "MADV_POPULATE_WRITE" not in words[-1]:
            self.check_end(line, at + size)


def main():
    memory = Memory(int(sys.argv[2]))
    for line in open(sys.argv[1], errors="replace"):
        for found in CALL.finditer(line):
            if not (found[3] or "").startswith("-"):
                memory.call(found[1], found[2].split(","), found[3], found[0])
    print(*memory.found, sep="\n")
    print(*("%s %d" % count for count in sorted(memory.counts.items())))
    return bool(memory.found)


sys.exit(main())

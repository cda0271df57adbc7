# SPDX-License-Identifier: MIT
"""page_sizes.py LOG PAGE: what a kernel with pages of PAGE bytes would say to the system calls in a log of qemu's.

qemu-user with -p tells a program of larger pages, and gives it memory in them. But its host has pages of 4 KiB: it does
what such a kernel would refuse, or would do to more memory than was meant. This finds both, and prints a line for each:

    refused     an address, or a place in a file, that is no page's beginning
    neighbours  a range that ends within a page, the rest of which belongs to another mapping, or to what is left of this one
    unclear     a line of the log that can't be read, or a result without its call

and how many calls it has looked at, by their names. Exit code 1: it has found some.

The log is that of qemu -d trace:guest_user_syscall,trace:guest_user_syscall_ret. A call has one line when it begins and one
when it has ended, each with the thread that it is of. (-strace writes a call's result behind whatever another thread has
written meanwhile.) A mapping is there from the line with its result on, and gone from the line in which munmap begins, so
that the order of the lines is the order in which threads could use the memory.
"""
import collections
import re
import sys

LINE = re.compile(r"guest_user_syscall(_ret)? cpu=(0x[0-9a-f]+) num=(0x[0-9a-f]+) (.*)")
# arm64's numbers.
NAMES = {215: "munmap", 216: "mremap", 222: "mmap", 226: "mprotect", 233: "madvise"}
EXIT, CLONE, WAIT = 93, 220, 260
MAP_FIXED, MADV_POPULATE_WRITE, CLONE_VM = 0x10 | 0x100000, 23, 0x100
LOWEST_ERROR = (1 << 64) - 4095


class Memory:
    def __init__(self, mapped=()):
        self.mapped = list(mapped)

    def forget(self, low, high):
        kept = []
        for a, b in self.mapped:
            kept += [(x, y) for x, y in ((a, min(b, low)), (max(a, high), b)) if x < y]
        self.mapped = kept

    def put(self, low, high, page_end):
        self.forget(low, page_end)
        self.mapped.append((low, high))

    def is_mapped(self, low, high):
        return any(a < high and b > low for a, b in self.mapped)


class Thread:
    """A thread of qemu's, by its address. A forked child has the same address in its own memory, so that its lines look like those of the thread that forked:
    the newest process of the stack has them until its parent's wait has ended."""
    def __init__(self, memory):
        self.processes, self.waiting, self.calls = [memory], [False], {}


class Log:
    def __init__(self, page):
        self.page, self.found, self.counts = page, [], collections.Counter()
        self.threads, self.starting = {}, []

    def up(self, at):
        return -(-at // self.page) * self.page

    def check_beginning(self, line, *places):
        if any(at % self.page for at in places):
            self.found.append("refused: " + line)

    def check_end(self, memory, line, to):
        """The rest of the last page: nobody may have asked for it."""
        if to % self.page and memory.is_mapped(to, self.up(to)):
            self.found.append("neighbours: " + line)

    def thread(self, address):
        if address not in self.threads:
            self.threads[address] = Thread(self.starting.pop() if self.starting else Memory())
        return self.threads[address]

    def begins(self, address, number, args, line):
        thread = self.thread(address)
        if number == WAIT and len(thread.processes) > 1 and not thread.waiting[-2]:
            thread.waiting[-2] = True
            return
        memory = thread.processes[-1]
        thread.calls[number] = memory, args, line
        if number == CLONE and args[0] & CLONE_VM:
            self.starting.append(memory)
        elif number == EXIT:
            del self.threads[address]
        elif NAMES.get(number) == "munmap":
            memory.forget(args[0], args[0] + args[1])

    def ends(self, address, number, result):
        thread = self.thread(address)
        if number == WAIT and len(thread.processes) > 1 and thread.waiting[-2]:
            if 0 < result < LOWEST_ERROR:
                thread.processes.pop()
                thread.waiting.pop()
            thread.waiting[-1] = False
        elif number == CLONE and result == 0:
            thread.processes.append(Memory(thread.processes[-1].mapped))
            thread.waiting.append(False)
        elif number in NAMES:
            memory, args, line = thread.calls.pop(number, (None, None, None))
            if not line:
                self.found.append(f"unclear: the result of {NAMES[number]}, which has not begun")
            elif result < LOWEST_ERROR:
                self.call(memory, NAMES[number], args, result, f"{line} = {result:#x}")

    def call(self, memory, name, args, result, line):
        self.counts[name] += 1
        at, size = args[:2]
        if name == "mmap":
            self.check_beginning(line, args[5], *([at] if args[3] & MAP_FIXED else []))
            memory.put(result, result + size, self.up(result + size))
            return
        self.check_beginning(line, at)
        if name == "mremap":
            memory.forget(at, at + size)
            memory.put(result, result + args[2], self.up(result + args[2]))
            return
        self.counts["populate"] += name == "madvise" and args[2] == MADV_POPULATE_WRITE
        self.counts["guard"] += name == "mprotect" and not args[2]
        # Pages that are there already stay as they are.
        if name != "madvise" or args[2] != MADV_POPULATE_WRITE:
            self.check_end(memory, line, at + size)

    def read(self, text):
        found = LINE.fullmatch(text)
        if not found:
            self.found.append("unclear: " + text)
            return
        number, words = int(found[3], 0), [int(word.partition("=")[2], 0) for word in found[4].split()]
        if found[1]:
            self.ends(found[2], number, words[0])
        else:
            shown = ", ".join(f"{word:#x}" for word in words[:6])
            self.begins(found[2], number, words, f"{NAMES.get(number, number)}({shown})")


def main():
    log = Log(int(sys.argv[2]))
    for line in open(sys.argv[1], errors="replace"):
        log.read(line.rstrip("\n"))
    print(*log.found, sep="\n")
    print(*("%s %d" % count for count in sorted(log.counts.items())), sep="\n")
    return bool(log.found)


sys.exit(main())

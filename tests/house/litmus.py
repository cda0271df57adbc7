# SPDX-License-Identifier: MIT
"""litmus.py FILE [INSTRUCTION OTHER]: whether a litmus test's outcome can happen on arm64, by the axioms of its memory model.

It tries all executions: each path of each thread, each write that each read may read from, each order of the writes to each place. An execution may happen
if it keeps the two axioms of the Arm Architecture Reference Manual, B2.3 (Arm's aarch64.cat), that concern plain, acquire and release accesses, barriers, and
dependencies through branches. There are no other instructions here:

    internal    each place by itself is sequentially consistent: po-loc, rf, co and fr have no cycle
    external    ordered-before has no cycle: what threads see of each other (rfe, coe, fre); a branch on a read, and the writes behind it; what lies before
                and behind dmb, and behind dmb ishld what is read before it; a release before a later ldar; an acquire (ldar, ldapr) before all behind it; all before a release

With INSTRUCTION, all of these in the test are OTHER (or left out, if that is "-"). Prints "forbidden" or "allowed", and of an execution that makes it so what
each read reads.
"""
import itertools
import re
import sys

ORDERS = {"LDR": "", "LDAR": "A", "LDAPR": "Q", "STR": "", "STLR": "L"}


class Event:
    def __init__(self, thread, place, value, kind, order="", behind=()):
        self.thread, self.place, self.value, self.kind, self.order, self.behind = thread, place, value, kind, order, behind


def read_test(path, instruction, other):
    text = open(path).read()
    start, condition = text.index("{"), re.search(r"^~?exists \((.*)\)", text, re.M)
    registers = {}
    for thread, register, value in re.findall(r"(\d):X(\d+)=(\w+);", text[start:text.index("}")]):
        registers[int(thread), register] = int(value) if value.isdigit() else value
    rows = [[cell.strip() for cell in row.rstrip(" ;").split("|")] for row in text[text.index("}") + 1:condition.start()].strip().splitlines()]
    threads = [[row[i] for row in rows[1:] if row[i]] for i in range(len(rows[0]))]
    if instruction:
        assert any(instruction in thread for thread in threads), instruction
        threads = [[other if word == instruction else word for word in thread if word != instruction or other != "-"] for thread in threads]
    wanted = [(int(t), r, int(v)) for t, r, v in re.findall(r"(\d):X(\d+)=(\d+)", condition[1])]
    return registers, threads, wanted


def paths(number, code, registers, at=0, known=None, events=(), behind=()):
    """Each way through a thread: its events, with barriers as words, and what its registers have at the end."""
    known = dict(known or {})
    while at < len(code):
        word = code[at]
        at += 1
        access = re.fullmatch(r"(LDR|LDAR|LDAPR|STR|STLR) W(\d+),\[X(\d+)\]", word)
        branch = re.fullmatch(r"CBNZ W(\d+),(\w+)", word)
        if word in ("DMB ISH", "DMB ISHLD"):
            events += (word,)
        elif access and access[1][0] == "S":
            events += (Event(number, registers[number, access[3]], registers[number, access[2]], "W", ORDERS[access[1]], behind),)
        elif access:
            for value in 0, 1:
                read = Event(number, registers[number, access[3]], value, "R", ORDERS[access[1]], behind)
                yield from paths(number, code, registers, at, {**known, access[2]: read}, events + (read,), behind)
            return
        elif branch:
            behind += (known[branch[1]],)
            if known[branch[1]].value:
                at = code.index(branch[2] + ":")
        elif not word.endswith(":"):
            raise ValueError(word)
    yield events, {(number, register): read.value for register, read in known.items()}


def has_cycle(edges):
    left = set(edges)
    while left:
        ends = {b for _, b in left}
        kept = {(a, b) for a, b in left if a in ends}
        if kept == left:
            return True
        left = kept
    return False


def program_order(path):
    """What each thread keeps in order by itself; and the pairs of one place."""
    kept, places = set(), set()
    for i, a in enumerate(path):
        for j in range(i + 1, len(path)):
            b = path[j]
            if isinstance(a, str) or isinstance(b, str):
                continue
            if a.place == b.place:
                places.add((a, b))
            between = path[i:j]
            if ("DMB ISH" in between or (a.kind == "R" and "DMB ISHLD" in between) or a.order in ("A", "Q") or b.order == "L" or (a.order, b.order) == ("L", "A") or
                    (b.kind == "W" and a in b.behind)):
                kept.add((a, b))
    return kept, places


def executions(threads):
    """Each execution that keeps the axioms: its reads, with what they read from."""
    for chosen in itertools.product(*threads):
        events = [event for path, _ in chosen for event in path if not isinstance(event, str)]
        first = {place: Event(-1, place, 0, "W") for place in {event.place for event in events}}
        writes = {place: [event for event in events if event.kind == "W" and event.place == place] for place in first}
        reads = [event for event in events if event.kind == "R"]
        orders = [program_order(path) for path, _ in chosen]
        kept, places = (set().union(*(order[i] for order in orders)) for i in (0, 1))
        sources = [[w for w in [first[r.place], *writes[r.place]] if w.value == r.value] for r in reads]
        for order in itertools.product(*(itertools.permutations(each) for each in writes.values())):
            coherence = set()
            for place, each in zip(writes, order):
                coherence |= set(itertools.combinations([first[place], *each], 2))
            for source in itertools.product(*sources):
                seen = set(zip(source, reads))
                before = {(r, later) for w, r in seen for a, later in coherence if a is w}
                among = seen | coherence | before
                if not has_cycle(places | among) and not has_cycle(kept | {(a, b) for a, b in among if a.thread != b.thread}):
                    yield {key: value for _, known in chosen for key, value in known.items()}, seen


def main():
    registers, threads, wanted = read_test(sys.argv[1], *(sys.argv[2:4] or ("", "")))
    every = [list(paths(number, code, registers)) for number, code in enumerate(threads)]
    for known, seen in executions(every):
        if all(known.get((thread, register)) == value for thread, register, value in wanted):
            print("allowed:", *("P%d reads %s=%d" % (r.thread, r.place, r.value) for _, r in seen))
            return
    print("forbidden")


main()

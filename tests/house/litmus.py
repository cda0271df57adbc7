# SPDX-License-Identifier: MIT
"""litmus.py FILE [INSTRUCTION OTHER]: whether a litmus test's outcome can happen on arm64, by the axioms of its memory model.

It tries all executions: each path of each thread, each write that each read may read from, each order of the writes to each place. An execution may happen
if it keeps the axioms of the Arm Architecture Reference Manual, B2.3 (Arm's aarch64.cat), for plain, acquire and release accesses, atomic instructions (compare
and swap, set bits, clear bits), barriers, and dependencies through branches and stored values. There are no other instructions here:

    internal    each place by itself is sequentially consistent: po-loc, rf, co and fr have no cycle
    external    ordered-before has no cycle: what threads see of each other (rfe, coe, fre); a branch on a read, and the writes behind it; what lies before
                and behind dmb, and behind dmb ishld what is read before it; a release before a later ldar; an acquire (ldar, ldapr) before all behind it; all before a release;
                an atomic instruction's read before its write
    atomic      no write of another comes between what an atomic instruction reads from and what it writes

An atomic instruction is a read and a write: A makes the read an acquire, L the write a release. It orders no more than the pair of exclusives that a compiler
makes for older processors: CASAL is no full barrier.

With INSTRUCTION, all of these in the test are OTHER: several instructions with "; " between, or none, if that is "-". Prints "forbidden" or "allowed", and of an execution that makes it so what
each read reads.
"""
import itertools
import re
import sys

ORDERS = {"LDR": "", "LDAR": "A", "LDAPR": "Q", "STR": "", "STLR": "L"}


class Event:
    def __init__(self, thread, place, value, kind, order="", behind=(), pair=None):
        self.thread, self.place, self.value, self.kind, self.order, self.behind, self.pair = thread, place, value, kind, order, behind, pair


def read_test(path, instruction, other):
    text = open(path).read()
    start, condition = text.index("{"), re.search(r"^~?exists \((.*)\)", text, re.M)
    begin = {}
    for thread, name, value in re.findall(r"(?:(\d):X)?(\w+)=(\w+);", text[start:text.index("}")]):
        begin[(int(thread), name) if thread else name] = int(value) if value.isdigit() else value
    rows = [[cell.strip() for cell in row.rstrip(" ;").split("|")] for row in text[text.index("}") + 1:condition.start()].strip().splitlines()]
    threads = [[row[i] for row in rows[1:] if row[i]] for i in range(len(rows[0]))]
    if instruction:
        assert any(instruction in thread for thread in threads), instruction
        others = [] if other == "-" else other.split("; ")
        threads = [[new for word in thread for new in (others if word == instruction else [word])] for thread in threads]
    return begin, threads, condition[1]


def holds(condition, end):
    """Whether a condition is true of what registers and places have at the end."""
    def value(match):
        return str(end.get((int(match[1]), match[2]) if match[1] else match[2]) == int(match[3]))

    return eval(re.sub(r"(?:(\d):X)?(\w+)=(\d+)", value, condition).replace("/\\", "and").replace("\\/", "or"))


def values(begin):
    """All that a place can have: what it has at the start, what registers have, and what setting and clearing bits makes of these."""
    every = {0} | {value for value in begin.values() if isinstance(value, int)}
    while more := {new for a in every for b in every for new in (a | b, a & ~b)} - every:
        every |= more
    return sorted(every)


def paths(number, code, begin, every, at=0, known=None, events=(), behind=()):
    """Each way through a thread: its events, with barriers as words, and what its registers have at the end."""
    known = dict(known or {})

    def value_of(register):
        return known[register].value if register in known else begin.get((number, register), 0)

    def reads_for(register):
        return (known[register],) if register in known else ()

    while at < len(code):
        word = code[at]
        at += 1
        access = re.fullmatch(r"(LDR|LDAR|LDAPR|STR|STLR) W(\d+),\[X(\d+)\]", word)
        atomic = re.fullmatch(r"(CAS|LDSET|LDCLR)(A?)(L?) W(\d+),W(\d+),\[X(\d+)\]", word)
        branch = re.fullmatch(r"CBNZ W(\d+),(\w+)", word)
        if word in ("DMB ISH", "DMB ISHLD"):
            events += (word,)
        elif access and access[1][0] == "S":
            events += (Event(number, begin[number, access[3]], value_of(access[2]), "W", ORDERS[access[1]], behind + reads_for(access[2])),)
        elif access:
            for value in every:
                read = Event(number, begin[number, access[3]], value, "R", ORDERS[access[1]], behind)
                yield from paths(number, code, begin, every, at, {**known, access[2]: read}, events + (read,), behind)
            return
        elif atomic:
            kind, acquire, release, first, second, address = atomic.groups()
            given, old = (second, first) if kind == "CAS" else (first, second)
            for value in every:
                read = Event(number, begin[number, address], value, "R", acquire, behind)
                new = {"CAS": value_of(given), "LDSET": value | value_of(given), "LDCLR": value & ~value_of(given)}[kind]
                write = Event(number, read.place, new, "W", release, (*behind, *reads_for(given), read), read)
                written = (write,) if kind != "CAS" or value == value_of(first) else ()
                yield from paths(number, code, begin, every, at, {**known, old: read}, events + (read,) + written, behind)
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


def is_torn(write, source, coherence):
    """Whether a write comes between what an atomic instruction reads from and what it writes."""
    return any((source, between) in coherence and (between, write) in coherence for between in {a for a, _ in coherence})


def executions(threads, begin):
    """Each execution that keeps the axioms: what registers and places have at the end; and its reads, with what they read from."""
    for chosen in itertools.product(*threads):
        events = [event for path, _ in chosen for event in path if not isinstance(event, str)]
        first = {place: Event(-1, place, begin.get(place, 0), "W") for place in {event.place for event in events}}
        writes = {place: [event for event in events if event.kind == "W" and event.place == place] for place in first}
        reads = [event for event in events if event.kind == "R"]
        orders = [program_order(path) for path, _ in chosen]
        kept, places = (set().union(*(order[i] for order in orders)) for i in (0, 1))
        sources = [[w for w in [first[r.place], *writes[r.place]] if w.value == r.value] for r in reads]
        if not all(sources):
            continue
        for order in itertools.product(*(itertools.permutations(each) for each in writes.values())):
            coherence = set()
            for place, each in zip(writes, order):
                coherence |= set(itertools.combinations([first[place], *each], 2))
            for source in itertools.product(*sources):
                seen = set(zip(source, reads))
                before = {(r, later) for w, r in seen for a, later in coherence if a is w}
                among = seen | coherence | before
                if (not has_cycle(places | among) and not has_cycle(kept | {(a, b) for a, b in among if a.thread != b.thread}) and
                        not any(is_torn(w, s, coherence) for w in events if w.pair for s, r in seen if r is w.pair)):
                    ends = {place: [first[place], *each][-1].value for place, each in zip(writes, order)}
                    yield {key: value for _, known in chosen for key, value in known.items()} | ends, seen


def main():
    begin, threads, condition = read_test(sys.argv[1], *(sys.argv[2:4] or ("", "")))
    every = [list(paths(number, code, begin, values(begin))) for number, code in enumerate(threads)]
    for end, seen in executions(every, begin):
        if holds(condition, end):
            print("allowed:", *("P%d reads %s=%d" % (r.thread, r.place, r.value) for _, r in seen))
            return
    print("forbidden")


main()

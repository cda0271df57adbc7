# SPDX-License-Identifier: MIT
"""
job_arrows.py TRACE FOLDER [killed]: the arrows of a job's timeline in JSON, beside what tests/apps/mpi_sends.c
wrote into FOLDER. Prints "N arrows" and each difference. Of ranks that were killed the last calls
may differ, and the number is not printed.
"""
import bisect
import collections
import json
import sys

trace, folder, *killed = sys.argv[1:]
ranks, slices, begins, ends = {}, collections.defaultdict(list), {}, []
for e in json.load(open(trace)):
    if e["ph"] == "M" and e["name"] == "process_labels":
        ranks[e["pid"]] = int(e["args"]["labels"].split(",")[0].split()[1])
    elif e["ph"] == "X" and e["name"].startswith("MPI_"):
        slices[e["pid"], e["tid"]].append(e)
    elif e["ph"] == "s" and e["name"] == "message":
        if e["id"] in begins:
            print("two arrows of one number", e["id"])
        begins[e["id"]] = e
    elif e["ph"] == "f" and e["name"] == "message":
        ends.append(e)
if sorted(begins) != sorted(e["id"] for e in ends):
    print("arrows with one end")


starts = {}
for lane, calls in slices.items():
    calls.sort(key=lambda s: s["ts"])
    starts[lane] = [s["ts"] for s in calls]


def slice_at(e):
    """The innermost call that encloses an arrow's end."""
    lane = e["pid"], e["tid"]
    place = bisect.bisect_right(starts[lane], e["ts"])
    at = [s for s in slices[lane][max(0, place - 8):place] if e["ts"] <= s["ts"] + s["dur"]]
    return at[-1] if at else {"name": "none", "ts": 0}


# A message's number is its place among those that its rank has sent.
numbers, count = {}, collections.Counter()
for e in sorted(begins.values(), key=lambda e: e["ts"]):
    rank, at = ranks[e["pid"]], slice_at(e)
    if not any(word in at["name"] for word in ("Send", "send", "Start", "Pready")):
        after = slices[e["pid"], e["tid"]][bisect.bisect_right(starts[e["pid"], e["tid"]], e["ts"]):][:2]
        print("an arrow of rank %d begins at %s in" % (rank, e["ts"]), at, "before", after)
    numbers[e["id"]] = "%d.%d" % (rank, count[rank])
    count[rank] += 1
# What each call gave to its program.
calls = collections.defaultdict(lambda: collections.defaultdict(list))
for e in ends:
    calls[ranks[e["pid"]]][slice_at(e)["ts"]].append(numbers[e["id"]])
    if e["ts"] < begins[e["id"]]["ts"]:
        print("an arrow against the time", e)
for rank in sorted(ranks.values()):
    *said, last = open("%s/%d" % (folder, rank)).read().split("\n")[:-1]
    # What the last communicator carried: a rank that was killed before may not have made it.
    said = said[:-64] if killed else said
    said = [" ".join(sorted(line.split())) for line in said]
    drawn = [" ".join(sorted(ids)) for ts, ids in sorted(calls[rank].items())]
    if killed:
        drawn = drawn[:len(said)]
    elif last.split(",")[0] != "sent %d" % count[rank]:
        print("rank %d has %s, and %d arrows begin there" % (rank, last, count[rank]))
    if drawn != said:
        place = next((i for i, pair in enumerate(zip(drawn, said)) if pair[0] != pair[1]), min(len(drawn), len(said)))
        print("rank %d, call %d: the arrows say %s, the program %s" % (rank, place, drawn[place:place + 1], said[place:place + 1]))
print(len(ends) > 100 if killed else len(ends), "arrows")

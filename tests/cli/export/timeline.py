#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What timeline.sh asks about timelines of several processes.

	timeline.py host IN.tlt OUT.tlt HOST RANK SECONDS	the same recording, as if another machine had made it, so many
							seconds earlier
	timeline.py time FILE.tlt KNOWN MS SET_MS	its end says that the time of day is synchronized (1) or not (2), is off by
							at most so much, and was set by so much; its beginning does not say
	timeline.py namespace FILE.tlt SECONDS		as if its process was in a time namespace whose clock is so far ahead
	timeline.py older FILE.tlt			it is of a version that said nothing of these
	timeline.py drift FILE.tlt PPM			its clock was faster by so many parts in a million
	timeline.py resumed FILE.tlt			its process was paused, and went on
	timeline.py json ALL.json ONE.json...		the timeline has each event of each trace once, and nothing collides
	timeline.py select ALL.json PART.json WHAT VALUE	PART has those events of ALL that --WHAT=VALUE selects
	timeline.py pftrace PROTO ALL.pftrace ALL.json	both have the same slices, flows and counters
	timeline.py tar PROTO ALL.tar ALL.pftrace	the archive's files, put together by its manifest, are the timeline
	timeline.py otf2 ALL.otf2 ALL.json		the archive has the same slices, by thread

What is wrong is said, and the exit code is 1. Otherwise prints counts.
"""
import fnmatch
import io
import json
import os
import re
import struct
import subprocess
import sys
import tarfile
from collections import Counter, defaultdict
from decimal import Decimal

FACTS, CLOCK, END = 1, 3, 7
# In the END piece: the clock and the time of day, their error; error and estimate of the time of day, whether it is known; and resumed.
END_PAIR, END_TIME, END_RESUMED = 48, 72, 96


class Wrong(Exception):
    pass


def check(truth, what):
    if not truth:
        raise Wrong(what)


# --- another machine's recording


def pieces(data, wanted):
    at = struct.unpack_from("<I", data, 20)[0]
    while at < len(data):
        _, kind, size = struct.unpack_from("<IIQ", data, at)
        if kind == wanted:
            yield at
        at += size


def add_at(data, at, more):
    number, = struct.unpack_from("<Q", data, at)
    struct.pack_into("<Q", data, at, number + more)


def read_file(path):
    with open(path, "rb") as file:
        return bytearray(file.read())


def write_file(path, data):
    with open(path, "wb") as file:
        file.write(data)


def host(path, out, name, rank, seconds):
    data = read_file(path)
    boot = data[56:96]
    data[56:96] = (name.encode() + boot)[:36].ljust(40, b"\0")
    for at in pieces(data, FACTS):
        # pid, has_rank, rank, monotonic_ns, realtime_ns, program, host
        struct.pack_into("<Iq", data, at + 20, 1, int(rank))
        add_at(data, at + 40, -int(Decimal(seconds) * 10**9))
        data[at + 304:at + 376] = name.encode().ljust(72, b"\0")
    for at in pieces(data, END):
        add_at(data, at + END_PAIR + 8, -int(Decimal(seconds) * 10**9))
    write_file(out, data)


def forget_time(data):
    for at in pieces(data, FACTS):
        size, = struct.unpack_from("<I", data, at + 376)
        members = bytes(data[at + 380:at + 380 + size])
        shorter = re.sub(rb',"time_\w+":\w+', b"", members)
        data[at + 380:at + 380 + size] = shorter.ljust(size)


def time_of_day(path, known, ms, set_ms):
    data = read_file(path)
    forget_time(data)
    for at in pieces(data, END):
        add_at(data, at + END_PAIR + 8, int(Decimal(set_ms) * 10**6))
        struct.pack_into("<QQI", data, at + END_TIME, int(Decimal(ms) * 10**6), 0, int(known))
    write_file(path, data)


def namespace(path, seconds):
    data = read_file(path)
    ahead = int(Decimal(seconds) * 10**9)
    struct.pack_into("<qI", data, 200, ahead, 1)
    for at in pieces(data, FACTS):
        add_at(data, at + 40, -ahead)
    for at in pieces(data, END):
        add_at(data, at + END_PAIR + 8, -ahead)
    write_file(path, data)


def older(path):
    data = read_file(path)
    data[200:216] = bytes(16)
    forget_time(data)
    for at in pieces(data, END):
        data[at + END_PAIR:at + END_RESUMED + 8] = bytes(END_RESUMED + 8 - END_PAIR)
    write_file(path, data)


def drift(path, ppm):
    data = read_file(path)
    rate = 1 + Decimal(ppm) / 10**6
    check(struct.unpack_from("<I", data, 28)[0] == 1, "its ticks are nanoseconds")
    start = None
    for at in pieces(data, CLOCK):
        count, = struct.unpack_from("<I", data, at + 20)
        for point in range(at + 32, at + 32 + 24 * count, 24):
            ticks, time, slope = struct.unpack_from("<QQQ", data, point)
            start = time if start is None else start
            struct.pack_into("<QQQ", data, point, ticks, start + int((time - start) * rate), int(slope * rate))
    for at in pieces(data, END):
        time, = struct.unpack_from("<Q", data, at + END_PAIR)
        struct.pack_into("<Q", data, at + END_PAIR, start + int((time - start) * rate))
    write_file(path, data)


def resumed(path):
    data = read_file(path)
    for at in pieces(data, END):
        struct.pack_into("<I", data, at + END_RESUMED, 1)
    write_file(path, data)


# --- JSON


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=Decimal)


def ns(us):
    """Slices that touch another begin 0.2 ns late, and those that take no time last 0.1 ns: see format/encode/touching.h."""
    return int(Decimal(us) * 1000)


def end_ns(event):
    return int((Decimal(event["ts"]) + Decimal(event["dur"])) * 1000)


def processes(events):
    found = defaultdict(list)
    for event in events:
        found[event["pid"]].append(event)
    return found


def correlation(event):
    return next((event["args"][key] for key in ("correlation", "tracelayer_correlation") if key in event.get("args", {})), None)


def plain(event):
    """What is the same in both traces."""
    args = {key: value for key, value in event.get("args", {}).items() if key not in ("correlation", "tracelayer_correlation")}
    start = ns(event["ts"]) if "ts" in event else None
    return [event["ph"], event["name"], event.get("cat"), start, event.get("dur") if "dur" in event else None, json.dumps(args, default=str)]


class Renumbered:
    """Numbers of one trace and those that they got: one to one."""

    def __init__(self, what):
        self.what, self.new, self.old = what, {}, {}

    def add(self, old, new):
        check(self.new.setdefault(old, new) == new, f"{self.what} {old} became {new} and {self.new[old]}")
        check(self.old.setdefault(new, old) == old, f"{self.what} {old} and {self.old[new]} both became {new}")


def compare_process(one, merged):
    pid, tid, flow, cause = (Renumbered(what) for what in ("process", "thread", "flow", "correlation"))
    check(len(one) == len(merged), f"{len(one)} events became {len(merged)}")
    shift = None
    for a, b in zip(one, merged):
        left, right = plain(a), plain(b)
        if left[3] is not None:
            shift = right[3] - left[3] if shift is None else shift
            right[3] -= shift
        check(left == right, f"{left} became {right}")
        pid.add(a["pid"], b["pid"])
        if a["tid"]:
            tid.add(a["tid"], b["tid"])
        if a["ph"] in "stf":
            flow.add(a["id"], b["id"])
        if correlation(a) is not None:
            cause.add(correlation(a), correlation(b))
    return shift, pid, tid, flow, cause


def told(events):
    return next(e["args"] for e in events if e["name"] == "tracelayer" and e["ph"] == "M")


def compare_json(all_path, *paths):
    merged = processes(load(all_path))
    used = [set(), set(), set(), set()]
    shifts, starts = [], []
    check(len(merged) == len(paths), f"{len(merged)} processes, of {len(paths)} traces")
    for path, (pid, events) in zip(paths, merged.items()):
        shift, *renumbered = compare_process(load(path), events)
        shifts.append(round(shift / 1000))
        starts.append(told(events)["monotonic_ns"] + shift)
        for numbers, known in zip(renumbered, used):
            check(not known & numbers.old.keys(), f"{path}: {numbers.what} {known & numbers.old.keys()} was another's")
            known.update(numbers.old)
    times = sorted(ns(e["ts"]) for events in merged.values() for e in events if e["ph"] == "X")
    middle = (times[len(times) // 2] - min(starts)) / 1e9
    print(" ".join(map(str, shifts)), f"us;{min(starts)};{middle:.6f};{middle + 0.01:.6f}")


# --- selected


def names_of(events):
    return {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}


def any_glob(globs, *texts):
    return any(fnmatch.fnmatchcase(str(text), glob) for glob in globs.split(",") for text in texts)


def chooser(events, what, value):
    names = names_of(events)
    if what == "name":
        return lambda e: any_glob(value, e["name"])
    if what == "thread":
        return lambda e: any_glob(value, names[e["pid"], e["tid"]], e["tid"])
    first = int(what.removeprefix("time:"))
    start, _, end = value.partition("-")
    low = first + int(Decimal(start or 0) * 10**9)
    high = first + int(Decimal(end) * 10**9) if end else 1 << 62
    return lambda e: ns(e["ts"]) <= high and (end_ns(e) if e["ph"] == "X" else ns(e["ts"])) >= low


def marks(events):
    """What lies between a B and its E, as events X."""
    stacks = defaultdict(list)
    for event in events:
        lane = stacks[event["pid"], event["tid"]]
        if event["ph"] == "B":
            lane.append(event)
        elif event["ph"] == "E" and lane:
            begin = lane.pop()
            yield {**begin, "ph": "X", "dur": Decimal(event["ts"]) - Decimal(begin["ts"])}


def slices_of(events):
    return [*(e for e in events if e["ph"] == "X"), *marks(events)]


def key(event):
    return event["pid"], event["tid"], event["ph"], event["name"], ns(event["ts"]), event.get("dur")


def compare_selected(all_path, part_path, what, value):
    events, part = load(all_path), load(part_path)
    wanted = chooser(events, what, value)
    for phase in "XCB":
        found = Counter(key(e) for e in (marks(part) if phase == "B" else part) if e["ph"] == phase or phase == "B")
        expected = Counter(key(e) for e in (marks(events) if phase == "B" else events) if (e["ph"] == phase or phase == "B") and wanted(e))
        check(found == expected, f"{phase}: {sum((expected - found).values())} are missing, as {next(iter(expected - found), '')}; "
                                 f"{sum((found - expected).values())} should not be there, as {next(iter(found - expected), '')}")
    slices = defaultdict(list)
    for event in slices_of(part):
        slices[event["pid"], event["tid"]].append((ns(event["ts"]), end_ns(event)))
    check(sum(e["ph"] == "B" for e in part) == sum(e["ph"] == "E" for e in part), "marks with one end")
    begun, flows = set(), [e for e in part if e["ph"] in "stf"]
    for event in flows:
        at = ns(event["ts"])
        check(any(start <= at <= end for start, end in slices[event["pid"], event["tid"]]), f"an arrow's end in no slice: {event}")
        if event["ph"] == "s":
            begun.add(event["id"])
    check({e["id"] for e in flows if e["ph"] == "f"} == begun, "arrows with one end")
    check(any(slices.values()), "nothing is selected")
    check(len(part) < len(events), "all is selected")
    print(sum(e["ph"] == "X" for e in part), "slices,", sum(e["ph"] == "B" for e in part), "marks,", len(flows) // 2, "arrows")


# --- .pftrace and .tar


def pftrace(proto):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../format/encode"))
    sys.argv[1] = proto
    import pftrace as module
    return module


def track_slices(trace):
    """Each as (track, start, end, name, category)."""
    begin, end = 1, 2
    stacks = defaultdict(list)
    for time, type, uuid, name, category, _ in trace.events:
        if type == begin:
            stacks[uuid].append((time, name, category))
        elif type == end:
            check(stacks[uuid], f"an end of nothing at {time}")
            start, name, category = stacks[uuid].pop()
            yield uuid, start, time, name, category
    check(not any(stacks.values()), "slices without an end")


def compare_pftrace(proto, path, json_path):
    module = pftrace(proto)
    trace, events = module.Trace(open(path, "rb").read()), load(json_path)
    found = Counter(((uuid >> 32, uuid & 0xffffffff), *rest) for uuid, *rest in track_slices(trace))
    wanted = Counter(((e["pid"], e["tid"]), ns(e["ts"]), end_ns(e), e["name"], e["cat"]) for e in slices_of(events))
    check(found == wanted, f"{sum((wanted - found).values())} slices are missing, as {next(iter(wanted - found), '')}; "
                           f"{sum((found - wanted).values())} are not in the JSON, as {next(iter(found - wanted), '')}")
    flows = sorted((f[0] >> 32, f[0] & 0xffffffff, f[1], f[4], f[5]) for f in trace.flows)
    check(flows == sorted((e["pid"], e["tid"], ns(e["ts"]), e["ph"], int(e["id"])) for e in events if e["ph"] in "stf"), "flows differ")
    counters = sum(len(e["args"]) for e in events if e["ph"] == "C")
    check(len(trace.counters) == counters, f"{len(trace.counters)} values of counters, in JSON {counters}")
    pids = sorted(track.process.pid for track in trace.tracks.values() if track.HasField("process"))
    check(pids == sorted({e["pid"] for e in events}), f"processes {pids}")
    print(sum(found.values()), "slices,", module.drawn(trace), "arrows,", len(pids), "processes")


def check_manifest(manifest, members):
    """By https://perfetto.dev/docs/reference/perfetto-manifest: which fields there are, which are required, and what they may be."""
    check(list(manifest) == ["perfetto_manifest"], "the one key of a manifest")
    manifest = manifest["perfetto_manifest"]
    check(set(manifest) <= {"version", "trace_time", "files", "attributes"} and manifest["version"] == 1, "the fields of a manifest")
    paths = [file["path"] for file in manifest["files"]]
    check(paths == members and len(set(paths)) == len(paths), f"{paths} for {members}")
    machines = [file["machine"]["name"] for file in manifest["files"]]
    check(all(machines) and len(set(machines)) == len(machines), f"machines {machines}")
    check(set(manifest["trace_time"]) == {"clock", "file"} and manifest["trace_time"]["file"] in paths, "the clock")
    for file in manifest["files"]:
        check(set(file) <= {"path", "machine", "clocks"} and set(file["machine"]) == {"name"}, f"{file}")
        if file["path"] == manifest["trace_time"]["file"]:
            check("clocks" not in file, "a clock that relates to itself")
            continue
        clocks = file["clocks"]
        check(set(clocks) == {"clock", "sync_to", "offset_ns"} and clocks["clock"] == "MONOTONIC" and
              clocks["sync_to"] == manifest["trace_time"] and type(clocks["offset_ns"]) is int, f"{clocks}")
    return {file["path"]: file.get("clocks", {"offset_ns": 0})["offset_ns"] for file in manifest["files"]}, machines


def compare_tar(proto, path, merged_path):
    module = pftrace(proto)
    with tarfile.open(path) as tar:
        members = [(member.name, tar.extractfile(member).read()) for member in tar.getmembers()]
    check(members[0][0] == "perfetto_manifest.json", "the manifest comes first")
    offsets, machines = check_manifest(json.loads(members[0][1]), [name for name, _ in members[1:]])
    found = Counter()
    for name, data in members[1:]:
        trace = module.Trace(data)
        module.drawn(trace)
        check(trace.realtime, f"{name}: no clock snapshot")
        found.update((start + offsets[name], end + offsets[name], *rest) for _, start, end, *rest in track_slices(trace))
    wanted = Counter(tuple(rest) for _, *rest in track_slices(module.Trace(open(merged_path, "rb").read())))
    check(found == wanted, f"{sum(wanted.values())} slices, in the archive {sum(found.values())}")
    print(sum(found.values()), "slices;", ", ".join(machines))


# --- OTF2


def otf2_print(*args):
    return subprocess.run(["otf2-print", *args], check=True, capture_output=True, text=True).stdout.splitlines()


def compare_otf2(path, json_path):
    events = load(json_path)
    locations, groups = {}, []
    for line in otf2_print("-G", path):
        if match := re.match(r'LOCATION +(\d+) +Name: "(.*)" <\d+>, Type: (\w+), # Events: (\d+), Group: "(.*)" <', line):
            locations[match[1]] = match[2], match[3], int(match[4]), match[5]
        elif match := re.match(r'LOCATION_GROUP +\d+ +Name: "(.*)" <\d+>, Type: (\w+), Parent: "node::([^"]*)" <', line):
            groups.append(f"{match[1]} on {match[3]}")
    found, values, stacks, last = Counter(), 0, defaultdict(list), defaultdict(int)
    for line in otf2_print(path):
        match = re.match(r'(ENTER|LEAVE|METRIC) +(\d+) +(\d+) +(?:Region: "(.*)" <\d+>|Metric: .*)$', line)
        if not match:
            continue
        kind, location, time, region = match[1], match[2], int(match[3]), match[4]
        check(time >= last[location], f"location {location} goes back to {time}")
        last[location] = time
        values += kind == "METRIC"
        if kind == "ENTER":
            stacks[location].append((region, time))
        elif kind == "LEAVE":
            check(stacks[location] and stacks[location][-1][0] == region, f"{region} ends, and is not what began last")
            found[locations[location][0], *stacks[location].pop(), time] += 1
    check(not any(stacks.values()), "regions that never end")
    names = names_of(events)
    wanted = Counter((names[e["pid"], e["tid"]], e["name"], ns(e["ts"]), end_ns(e)) for e in slices_of(events))
    check(found == wanted, f"{sum((wanted - found).values())} slices are missing, as {next(iter(wanted - found), '')}; "
                           f"{sum((found - wanted).values())} are not in the JSON, as {next(iter(found - wanted), '')}")
    counters = sum(len(e["args"]) for e in events if e["ph"] == "C")
    transfers = sum("bytes" in e["args"] for e in events if e["ph"] == "X" and e["cat"].startswith("device"))
    check(values == counters + transfers, f"{values} values of metrics; {counters} of counters and {transfers} transfers")
    queues = sum(kind == "ACCELERATOR_STREAM" for _, kind, _, _ in locations.values())
    print(f"{sum(found.values())} slices, {values} values, {len(locations)} locations, {queues} of them queues;", "; ".join(groups))


if __name__ == "__main__":
    try:
        {"host": host, "time": time_of_day, "namespace": namespace, "older": older, "drift": drift, "resumed": resumed, "json": compare_json, "select": compare_selected, "pftrace": compare_pftrace, "tar": compare_tar,
         "otf2": compare_otf2}[sys.argv[1]](*sys.argv[2:])
    except Wrong as wrong:
        sys.exit(f"{sys.argv[1]}: {wrong}")

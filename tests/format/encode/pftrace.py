#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reads a .pftrace as Perfetto's trace processor does, and more strictly; compares it with a JSON trace of the same records.

	pftrace.py PROTO TRACE.pftrace [TRACE.json]

PROTO is the folder with pftrace_pb2.py, which protoc made. What is wrong is said, and the exit code is 1. Prints how many packets, slices
and instants there are, and of how many bytes.
"""
import gc
import gzip
import json
import os
import struct
import sys
from collections import Counter, defaultdict

sys.path.insert(0, sys.argv[1])
import pftrace_pb2 as pf  # noqa: E402

CLEARED, NEEDED = 1, 2
BEGIN, END, INSTANT = pf.TrackEvent.TYPE_SLICE_BEGIN, pf.TrackEvent.TYPE_SLICE_END, pf.TrackEvent.TYPE_INSTANT
MONOTONIC = pf.BUILTIN_CLOCK_MONOTONIC


class Wrong(Exception):
    pass


def check(truth, what):
    if not truth:
        raise Wrong(what)


class Pointer(int):
    pass


class Sequence:
    """What packets of one sequence rely on."""

    def __init__(self):
        self.valid = self.tracks = self.events = False
        self.ever = {}
        self.clear()
        self.clocks = {}

    def clear(self):
        self.names = defaultdict(dict)
        self.defaults = None

    def intern(self, data):
        for field, entries in data.ListFields():
            for entry in entries:
                known = self.names[field.name]
                text = entry.str.decode() if field.name == "debug_annotation_string_values" else \
                    (entry.pid, entry.api) if field.name == "graphics_contexts" else entry.name
                if field.name == "gpu_specifications":
                    check(entry.category == 2 * (entry.name == "kernel"), f"{entry.name}: category {entry.category}")
                check(entry.iid and entry.iid not in known, f"{field.name}: number {entry.iid} is told twice")
                known[entry.iid] = text
                check(self.ever.setdefault((field.name, entry.iid), text) == text,
                      f"{field.name}: number {entry.iid} was something else before")

    def name(self, field, iid):
        check(iid in self.names[field], f"{field}: nobody told what {iid} is")
        return self.names[field][iid]

    def time(self, packet):
        clock = packet.timestamp_clock_id or self.defaults.timestamp_clock_id
        if clock < 64:
            check(clock == MONOTONIC, f"clock {clock}")
            return packet.timestamp
        check(clock in self.clocks, f"clock {clock} is not defined")
        self.clocks[clock] += packet.timestamp
        return self.clocks[clock]


def value_of(note, sequence):
    kind = note.WhichOneof("value")
    if kind == "pointer_value":
        return Pointer(note.pointer_value)
    if kind == "string_value_iid":
        return sequence.name("debug_annotation_string_values", note.string_value_iid)
    if kind:
        return getattr(note, kind)
    if note.array_values:
        return [value_of(value, sequence) for value in note.array_values]
    return members(note.dict_entries, sequence)


def members(notes, sequence):
    found = {}
    for note in notes:
        name = note.name if note.HasField("name") else sequence.name("debug_annotation_names", note.name_iid)
        check(name not in found, f"two annotations {name}")
        found[name] = value_of(note, sequence)
    return found


class Trace:
    def __init__(self, bytes):
        self.tracks, self.events, self.realtime = {}, [], None
        self.lanes, self.counters, self.flows = {}, [], []
        self.order, self.named = [], set()
        self.primary = None
        self.gpus, self.commands = [], []
        self.submits, self.waits = defaultdict(list), defaultdict(list)
        sequences = defaultdict(Sequence)
        trace = pf.Trace.FromString(bytes)
        unknown = trace.SerializeToString()
        check(len(unknown) == len(bytes), "fields that the schema does not have, or numbers longer than they need be")
        self.packets = len(trace.packet)
        for packet in trace.packet:
            self.packet(packet, sequences[packet.trusted_packet_sequence_id])
        # Else each slice of a lane that is no thread's gets an argument legacy_event.passthrough_utid.
        check(not any(s.tracks and s.events for s in sequences.values()), "tracks are described on the events' own sequence")
        # Perfetto sorts like this: by time, and what has the same time stays as it is in the file.
        self.events.sort(key=lambda event: event[0])
        self.order.sort(key=lambda event: event[0])
        check(self.named <= self.tracks.keys(), f"no track {self.named - self.tracks.keys()}")

    def packet(self, packet, sequence):
        check(packet.trusted_packet_sequence_id, "a packet of no sequence")
        if packet.sequence_flags & CLEARED:
            sequence.clear()
            sequence.valid = True
        if packet.sequence_flags & NEEDED:
            check(sequence.valid, "a packet that needs what was never told")
        if packet.HasField("trace_packet_defaults"):
            sequence.defaults = packet.trace_packet_defaults
        if packet.HasField("interned_data"):
            check(sequence.valid, "names without a sequence's beginning")
            sequence.intern(packet.interned_data)
        if packet.HasField("clock_snapshot"):
            self.clocks(packet.clock_snapshot, sequence)
        elif packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            self.tracks[track.uuid] = track
            sequence.tracks = True
        elif packet.HasField("gpu_info"):
            check(len(packet.gpu_info.gpus) >= len(self.gpus), "GPUs are gone")
            self.gpus = list(packet.gpu_info.gpus)
        elif packet.HasField("gpu_render_stage_event"):
            check(packet.sequence_flags & NEEDED and packet.HasField("timestamp"), "a command without state or time")
            self.command(packet, sequence)
        elif packet.HasField("track_event"):
            check(packet.sequence_flags & NEEDED and packet.HasField("timestamp"), "an event without state or time")
            sequence.events = True
            self.event(packet, sequence)
        else:
            check(packet.HasField("trace_packet_defaults"), "an empty packet")

    def clocks(self, snapshot, sequence):
        self.primary = snapshot.primary_trace_clock or self.primary
        at = {clock.clock_id: clock.timestamp for clock in snapshot.clocks}
        for clock in snapshot.clocks:
            if clock.clock_id >= 64:
                check(clock.is_incremental and at[MONOTONIC] == clock.timestamp, "deltas from another clock")
                sequence.clocks[clock.clock_id] = clock.timestamp
        if pf.BUILTIN_CLOCK_REALTIME in at:
            # Without it: clock_sync_unrelatable_clock_domains, and of several files opened together most is dropped.
            check(at.get(pf.BUILTIN_CLOCK_BOOTTIME, 0) >= at[MONOTONIC], "a snapshot that lacks CLOCK_BOOTTIME")
            self.realtime = at[MONOTONIC], at[pf.BUILTIN_CLOCK_REALTIME]

    def command(self, packet, sequence):
        """A command of a device: Perfetto drops those that name what was not told."""
        event = packet.gpu_render_stage_event
        pid, api = sequence.name("graphics_contexts", event.context)
        check(event.gpu_id < len(self.gpus), f"GPU {event.gpu_id} was not told")
        args = {extra.name: extra.value for extra in event.extra_data}
        check(len(args) == len(event.extra_data), "extra data of one name")
        stage, kernel = sequence.name("gpu_specifications", event.stage_iid), None
        if event.kernel_iid:
            kernel = sequence.name("compute_kernels", event.kernel_iid)
        check((kernel is not None) == (stage == "kernel") and kernel in (None, event.name), f"{event.name}, a {stage}, is the kernel {kernel}")
        if event.HasField("launch"):
            grid, group = ([getattr(size, d) for d in "xyz" if size.HasField(d)] for size in (event.launch.grid_size, event.launch.workgroup_size))
            check(args["local"] == "x".join(map(str, group)) and
                  [-(-int(items) // each) for items, each in zip(args["global"].split("x"), group)] == grid, f"launch {grid} {group} {args}")
        else:
            check("local" not in args, "a kernel of known size without its launch")
        args.update(kind=stage, device=self.gpus[event.gpu_id].name)
        if event.submission_id:
            args["correlation"] = str(event.submission_id)
        start = sequence.time(packet)
        queue = sequence.name("gpu_specifications", event.hw_queue_iid)
        self.commands.append((pid, queue, start, start + event.duration, event.name, event.event_id, args, api))

    def event(self, packet, sequence):
        event = packet.track_event
        uuid = event.track_uuid or sequence.defaults.track_event_defaults.track_uuid
        # A flow's end may lie on the lane of a thread that is told of later: see there.
        self.named.add(uuid)
        check(uuid in self.tracks or event.HasField("legacy_event") or event.type == INSTANT, f"no track {uuid}")
        time, args = sequence.time(packet), members(event.debug_annotations, sequence)
        for id in event.gpu_correlation.render_stage_submission_event_ids:
            self.submits[id].append((uuid, time))
        for id in event.gpu_correlation.render_stage_wait_event_ids:
            self.waits[id].append((uuid, time))
        if event.type == pf.TrackEvent.TYPE_COUNTER:
            check(self.tracks[uuid].HasField("counter"), "a counter's value on another track")
            self.counters.append((time, self.tracks[uuid].name, getattr(event, event.WhichOneof("counter_value_field"))))
            return
        name = event.name or (sequence.name("event_names", event.name_iid) if event.name_iid else None)
        category = ",".join([*event.categories, *(sequence.name("event_categories", i) for i in event.category_iids)])
        if event.HasField("legacy_event"):
            flow = event.legacy_event
            check(not event.type and flow.HasField("unscoped_id") and flow.bind_to_enclosing, "a flow's end that binds to nothing")
            self.flows.append((uuid, time, name, category, chr(flow.phase), flow.unscoped_id))
            self.order.append((time, uuid, chr(flow.phase), flow.unscoped_id, name))
            return
        self.events.append((time, event.type, uuid, name, category, args))
        self.order.append((time, uuid, event.type, None, name))

    def slices(self):
        """Each call as (tid, start, end, name, category, args, depth)."""
        open_calls = defaultdict(list)
        for time, type, uuid, name, category, args in self.events:
            stack = open_calls[uuid]
            if type == BEGIN:
                stack.append((time, name, category, args))
            elif type == END and uuid & 1 << 63 == 0 and not stack and self.tracks[uuid].name and not self.is_further(uuid):
                continue  # a program's own, whose beginning was dropped
            elif type == END:
                check(stack, f"an end of nothing at {time}")
                start, name, category, args = stack.pop()
                yield self.tid(uuid), start, time, name, category, args, len(stack)
        check(not any(stack for uuid, stack in open_calls.items() if not self.tracks[uuid].name or self.is_further(uuid)), "calls without an end")

    def is_further(self, uuid):
        """Whether it is a further lane of a thread."""
        parent = self.tracks.get(self.tracks[uuid].parent_uuid)
        return parent is not None and parent.HasField("thread")

    def tid(self, uuid):
        track = self.tracks[uuid]
        if self.is_further(uuid):
            return self.tid(track.parent_uuid)
        return track.thread.tid if track.HasField("thread") else self.lanes.get(track.name, 0)

    def instants(self):
        return [(self.tid(uuid), time, name, category, args) for time, type, uuid, name, category, args in self.events
                if type == INSTANT]


def drawn(trace):
    """What Perfetto's importer counts as errors, and arrows that it turns: it takes the slice that began last on a track for a flow's, and lets each
    arrow lead from what began first."""
    stacks, flows, reversed = defaultdict(list), {}, []
    for time, uuid, type, id, name in trace.order:
        stack = stacks[uuid]
        if id is not None:
            check(stack, f"flow_no_enclosing_slice: {name} at {time}")
            if type == "s":
                check((id, name) not in flows, f"flow_duplicate_id: {id}")
                flows[id, name] = stack[-1]
            else:
                check((id, name) in flows, f"flow_end_without_start: {id}")
                if flows[id, name] > stack[-1]:
                    reversed.append((name, id))
            continue
        while stack and stack[-1][1]:
            stack.pop()  # an instant, which no longer counts
        if type == END:
            check(stack, f"misplaced_end_event at {time}")
            stack.pop()
        else:
            stack.append((time, type == INSTANT))
    for uuid, stack in stacks.items():
        check(all(instant for _, instant in stack), f"a slice without an end on {uuid}")
    check(not reversed, f"{len(reversed)} of {len(flows)} arrows point backwards, as {reversed[:1]}")
    return len(flows)


def compare_commands(trace, plain):
    """GPU events and their arrows, with the slices and the flows of JSON. Returns the events of JSON that are left."""
    lanes = {e["tid"]: e["args"]["name"] for e in plain if e["ph"] == "M" and e["name"] == "thread_name"}
    commands = [e for e in plain if e["ph"] == "X" and e["cat"].split(",")[0] == "device"]
    queue = {e["tid"]: lanes[e["tid"]].removesuffix(", " + e["args"]["device"]) for e in commands}
    told = {(g.name, g.uuid.hex(), g.pci_bdf) for g in trace.gpus}
    wanted, found = defaultdict(list), defaultdict(list)
    for e in commands:
        args = e["args"]
        key = args["device"], queue[e["tid"]], ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]), e["name"]
        wanted[key].append(args)
        if "uuid" in args or "pci" in args:
            check((args["device"], args.get("uuid", "").replace("-", ""), args.get("pci", "")) in told, f"{args['device']} is not told: {told}")
    for pid, name, start, end, command, _, args, api in trace.commands:
        found[args["device"], name, start, end, command].append(args)
        check(pid == plain[0]["pid"], f"process {pid}")
    check({k: len(v) for k, v in wanted.items()} == {k: len(v) for k, v in found.items()},
          f"commands differ: {next(iter(wanted.keys() ^ found.keys()), 'in number')}")
    for key, several in wanted.items():
        for args in several:
            match = next((i for i, o in enumerate(found[key]) if o.keys() == args.keys() and all(as_text(args[k], o[k]) for k in args)), None)
            check(match is not None, f"{key}: {args} in JSON, {found[key]}")
            del found[key][match]
    # Arrows: from a thread to a command, and from a command to an instant.
    flows = defaultdict(dict)
    for e in plain:
        if e["ph"] in "sf" and e["cat"].split(",")[0] == "device":
            flows[e["id"]][e["ph"]] = e
    theirs, ours = Counter(), Counter()
    for flow in flows.values():
        start, end = flow["s"], flow["f"]
        if end["tid"] in queue:
            theirs["submitted", start["tid"], queue[end["tid"]], ns(end["ts"])] += 1
        else:
            theirs["awaited", queue[start["tid"]], ns(start["ts"]), end["tid"], ns(end["ts"])] += 1
    for _, name, start, end, _, id, _, _ in trace.commands:
        for uuid, _ in trace.submits[id]:
            ours["submitted", trace.tid(uuid), name, start] += 1
        for uuid, time in trace.waits[id]:
            ours["awaited", name, end - 1 if end > start else start, trace.tid(uuid), time] += 1
    check(theirs == ours, f"arrows differ: {list((theirs - ours).items())[:2]} in JSON, {list((ours - theirs).items())[:2]}")
    check(all(len(times) == 1 for times in trace.submits.values()), "a command that several calls submitted")
    print(f"{len(commands)} commands, {sum(theirs.values())} arrows of commands")
    return [e for e in plain if not (e["ph"] in "Xsf" and e["cat"].split(",")[0] == "device" or e.get("name") == "awaited" and e["ph"] == "i" or
                                     e["ph"] == "M" and e["name"] in ("thread_name", "thread_sort_index") and e["tid"] in queue)]


def as_text(theirs, ours):
    if isinstance(theirs, bool):
        return ours == str(theirs).lower()
    return str(theirs) == ours or isinstance(theirs, float) and float(ours) == theirs


def same(theirs, ours):
    """A JSON value and an annotation's."""
    if isinstance(ours, Pointer):
        return theirs == hex(ours) or (not ours and theirs is None)
    if isinstance(ours, bool):
        return theirs is ours
    if isinstance(ours, float):
        if isinstance(theirs, str):
            return theirs == {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(ours)]
        narrow = abs(theirs) < 3e38 and struct.unpack("f", struct.pack("f", theirs))[0]
        return ours == theirs or ours == narrow
    if isinstance(ours, str) and isinstance(theirs, float):
        return ours == f"{theirs:.3f}"  # of what is told about the trace
    if isinstance(ours, int):
        return theirs == ours
    if isinstance(ours, dict):
        return theirs == [] and ours == {} or isinstance(theirs, dict) and theirs.keys() == ours.keys() and \
            all(same(theirs[key], ours[key]) for key in ours)
    if isinstance(ours, list):
        return isinstance(theirs, list) and len(theirs) == len(ours) and all(map(same, theirs, ours))
    return theirs == ours


def ns(us):
    return round(us * 1000)


def exact(text):
    """ts and dur have three decimals: as nanoseconds they are whole."""
    whole, _, rest = text.partition(".")
    if len(rest) == 4:
        return (int(whole) * 10000 + int(rest) + 5) // 10  # a slice that touches the one before it
    return int(whole) * 1000 + int(rest.ljust(3, "0")) if rest else int(whole)


class Ns(int):
    pass


def further_to_threads(events, plain):
    """Calls on further lanes become the thread's, after a look whether those of each lane nest."""
    named = {e["tid"]: e["args"] for e in plain if e["ph"] == "M" and e["name"] == "thread_name"}
    further = {tid: args["thread"] for tid, args in named.items() if "thread" in args}
    for tid, thread in further.items():
        check(tid >> 27 and tid & (1 << 27) - 1 == thread and named[tid]["name"] == f"overlapping calls of {thread}", f"{tid} is a further lane of {thread}")
        for lane in tid, thread:
            ends = []
            for start, end in sorted((e["ts"], -e["ts"] - e["dur"]) for e in plain if e["ph"] == "X" and e["tid"] == lane):
                while ends and ends[-1] <= start + 1e-4:
                    ends.pop()
                check(not ends or -end <= ends[-1] + 1e-4, f"calls overlap on lane {lane} at {start}")
                ends.append(-end)
    for list in events, plain:
        list[:] = [e for e in list if not (e["ph"] == "M" and e["tid"] in further)]
        for event in list:
            event["tid"] = further.get(event["tid"], event["tid"])
    return set(further.values())


def compare(trace, path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        events = json.load(file, parse_float=lambda text: Ns(exact(text)) if "e" not in text and
                           len(text.partition(".")[2]) in (3, 4) else float(text))
    # Decimals of arguments may look like times: those are read again where they are compared.
    with opener(path, "rt", encoding="utf-8") as file:
        plain = json.load(file)
    pid = plain[0]["pid"]
    further = further_to_threads(events, plain)
    theirs = {trace.tid(uuid) for uuid in trace.tracks if trace.is_further(uuid)}
    check({tid for tid in theirs if tid < 1 << 27} == further, f"further lanes of {theirs}, in JSON of {further}")
    if trace.commands:
        left = compare_commands(trace, plain)
        kept = {id(e) for e in left}
        events = [e for e, p in zip(events, plain) if id(p) in kept]
        plain = left
    trace.lanes = {e["args"]["name"]: e["tid"] for e in plain if e["ph"] == "M" and e["name"] == "thread_name"}
    wanted, found = Counter(), Counter()
    theirs, ours = defaultdict(list), defaultdict(list)
    for event, args in ((e, p.get("args")) for e, p in zip(events, plain) if e["ph"] == "X"):
        key = event["tid"], int(event["ts"]), int(event["ts"]) + int(event["dur"]), event["name"], event["cat"]
        wanted[key] += 1
        theirs[key].append(args)
    for key, args in phases(events, plain):
        wanted[key] += 1
        theirs[key].append(args)
    for tid, start, end, name, category, args, _ in trace.slices():
        key = tid, start, end, name, category
        found[key] += 1
        ours[key].append(args)
    missing, extra = wanted - found, found - wanted
    check(not missing and not extra, f"{sum(missing.values())} calls are missing, as {next(iter(missing), '')}; "
                                     f"{sum(extra.values())} are not in the JSON, as {next(iter(extra), '')}")
    compare_args(theirs, ours)
    lost = [(e["tid"], int(e["ts"]), "lost", "tracelayer") for e in events if e["ph"] == "i" and e["name"] == "lost"]
    instants = trace.instants()
    check(sorted(lost) == sorted(i[:4] for i in instants if i[2] == "lost"), "losses differ")
    check(sum(p["args"]["events"] for p in plain if p["ph"] == "i" and p["name"] == "lost") ==
          sum(i[4]["events"] for i in instants if i[2] == "lost"), "losses differ in their numbers")
    theirs, ours = defaultdict(list), defaultdict(list)
    for event, other in zip(events, plain):
        if event["ph"] == "i" and event["name"] != "lost":
            theirs[event["tid"], int(event["ts"]), event["name"], event["cat"]].append(other["args"])
    for tid, time, name, category, args in instants:
        if category != "tracelayer" and not (trace.commands and name in ("awaited", "submitted") and not args):
            ours[tid, time, name, category].append(args)
    compare_args(theirs, ours)
    flows = [(e["tid"], int(e["ts"]), e["name"], e["cat"], e["ph"], int(e["id"])) for e in events if e["ph"] in "stf"]
    check(sorted(flows) == sorted((trace.tid(f[0]), *f[1:]) for f in trace.flows), "flows differ")
    counters = [(int(e["ts"]), e["name"] + (" " + key if key != e["name"] else ""), float(value) if abs(value) > 1 << 53 else value)
                for e, p in zip(events, plain) if e["ph"] == "C" for key, value in p["args"].items()]
    check(sorted(counters) == sorted(trace.counters), f"counters differ {set(counters) ^ set(trace.counters)}")
    compare_metadata(trace, pid, plain, instants)
    return found


def compare_args(theirs, ours):
    """Arguments of events, by what else tells them apart."""
    check(theirs.keys() == ours.keys(), f"{next(iter(theirs.keys() ^ ours.keys()), '')} is in one of them only")
    for key, several in theirs.items():
        left = list(ours[key])
        for args in several:
            match = next((i for i, other in enumerate(left) if same(args, other)), None)
            check(match is not None, f"{key}: {args} in JSON, {left}")
            del left[match]
        check(not left, f"{key} is there more than once")


def phases(events, plain):
    """Slices of B and E, as keys and arguments. What has lost its other half is left out."""
    lanes = defaultdict(list)
    for event, other in zip(events, plain):
        if event["ph"] == "B":
            lanes[event["tid"]].append((event, other["args"]))
        elif event["ph"] == "E" and lanes[event["tid"]]:
            begin, args = lanes[event["tid"]].pop()
            yield (event["tid"], int(begin["ts"]), int(event["ts"]), begin["name"], begin["cat"]), args


def compare_metadata(trace, pid, plain, instants):
    told = {e["name"]: e["args"] for e in plain if e["ph"] == "M" and e["name"] != "thread_name"}
    process = next(track.process for track in trace.tracks.values() if track.HasField("process"))
    check((process.pid, process.process_name) == (pid, told["process_name"]["name"]), "another process")
    check(list(process.process_labels) == [told["process_labels"]["labels"]], "other labels")
    if "process_sort_index" in told:
        check(process.legacy_sort_index == told["process_sort_index"]["sort_index"], "another rank")
    threads = {e["tid"]: e["args"]["name"] for e in plain if e["ph"] == "M" and e["name"] == "thread_name"}
    named = {t.thread.tid: t.thread.thread_name for t in trace.tracks.values() if t.HasField("thread")}
    named.update({trace.lanes.get(t.name): t.name for t in trace.tracks.values() if t.name and not t.HasField("counter") and not trace.is_further(t.uuid)})
    check(threads == named, f"threads {threads} and {named}")
    check(all(t.thread.pid == pid and trace.tracks[t.parent_uuid].HasField("process")
              for t in trace.tracks.values() if t.HasField("thread")), "a thread of another process")
    ranks = {e["tid"]: e["args"]["sort_index"] for e in plain if e["name"] == "thread_sort_index"}
    check(ranks == {trace.lanes[t.name]: t.sibling_order_rank for t in trace.tracks.values()
                    if t.HasField("sibling_order_rank")}, "lanes stand elsewhere")
    check(trace.primary == MONOTONIC, "another clock")
    for name in ("tracelayer", "tracelayer_end"):
        there = [i[4] for i in instants if i[2] == name]
        check(len(there) == (name in told) and all(same(told[name], args) for args in there),
              f"{name}: {told.get(name)} and {there}")


def main():
    gc.disable()  # nothing read is garbage until the end
    with open(sys.argv[2], "rb") as file:
        data = file.read()
    try:
        trace = Trace(data)
        if os.environ.get("REAL"):
            print(f"{drawn(trace)} arrows")
        slices = sum(compare(trace, sys.argv[3]).values()) if len(sys.argv) > 3 else sum(1 for _ in trace.slices())
    except Wrong as wrong:
        sys.exit(f"{sys.argv[2]}: {wrong}")
    print(f"{trace.packets} packets, {slices} slices, {len(trace.instants())} instants, {len(data)} bytes")


if __name__ == "__main__":
    main()

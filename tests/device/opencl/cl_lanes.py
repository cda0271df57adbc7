#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cl_lanes.py [options] TRACE: are the device lanes of an OpenCL program right?

Always checked, of every slice of the category "device":

	lanes		it lies on a lane "queue N, <device>", or one of another name, which is its queue's alone, or on one of these with " (M)" before the comma; N and
			the device are in its args; no two on a lane overlap
	the call	exactly one call has the same correlation, it is one that enqueues, and the slice does not begin before it
	waits		it does not end after a call returned that waited for it: clFinish of its queue, clWaitForEvents of its event, its own
			blocking call
	bytes		they are the call's "size", except for advice; of an unmap those of a mapping at its address, each of which is unmapped once at most
	arrows		one from the call that submitted it, none or one to a call that waited for it; each end inside of the right slice, and in no
			smaller one; none goes back in time, none is loose
	depth		each sample of "queue N depth" is what the calls and the slices say; the last is the number of those that did not end

	--commands N	there are so many
	--unfinished N	so many of them are marked as unfinished (0)
	--untimed N	so many of the others lack the driver's times (0)
	--log FILE	the test driver's log (tests/drivers/icd.h), or two drivers': each of its commands has a slice with its times, name, kind and queue, and there
			is no other; samples of the depth agree with the true times; how far the slices' times are from the true ones is printed
	--own N		so many of the log's commands, markers, are tracelayer's own (0)
	--error NS	and at most so much for nine of ten
	--worst NS	and for all
	--times FILE	lines `TIMES name queued submit start end`: each has a slice
	--memory	samples of a device's memory are what the log says of it, in the same order
	--counts FILE	lines `function calls`: there are as many slices as calls that enqueue
	--ordered	samples of the depth stand in the file in their order: chrome://tracing draws others wrongly (a file of several threads that tell may have such)
	--sound		check_trace.py's own checks hold, too
	--few		only the number is checked, not the calls (which a level left out)

Exit code 0 when all holds; otherwise 1, with a line on stderr for each thing found (the first twenty).
"""

import argparse
import bisect
import collections
import itertools
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))
import check_trace
from device_lanes import Lanes, arrow_ends

LANE = re.compile(r"(?:queue ([0-9]+)|[^,(]*)(?: \(([0-9]+)\))?, (.*)\Z")
KINDS = {
	"NDRANGE_KERNEL": "kernel", "TASK": "kernel", "NATIVE_KERNEL": "kernel", "READ_BUFFER": "read", "READ_IMAGE": "read",
	"READ_BUFFER_RECT": "read", "WRITE_BUFFER": "write", "WRITE_IMAGE": "write", "WRITE_BUFFER_RECT": "write", "COPY_BUFFER": "copy",
	"COPY_IMAGE": "copy", "COPY_IMAGE_TO_BUFFER": "copy", "COPY_BUFFER_TO_IMAGE": "copy", "COPY_BUFFER_RECT": "copy",
	"SVM_MEMCPY": "copy", "FILL_BUFFER": "fill", "FILL_IMAGE": "fill", "SVM_MEMFILL": "fill", "MAP_BUFFER": "map", "MAP_IMAGE": "map",
	"SVM_MAP": "map", "UNMAP_MEM_OBJECT": "unmap", "SVM_UNMAP": "unmap", "MIGRATE_MEM_OBJECTS": "migrate",
	"SVM_MIGRATE_MEM": "migrate", "MARKER": "sync", "BARRIER": "sync", "SVM_FREE": "other",
	"MEMCPY_INTEL": "copy", "MEMFILL_INTEL": "fill", "MIGRATEMEM_INTEL": "migrate", "MEMADVISE_INTEL": "other",
	"ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR": "other", "RELEASE_EXTERNAL_MEM_OBJECTS_KHR": "other", "SEMAPHORE_WAIT_KHR": "sync",
	"SEMAPHORE_SIGNAL_KHR": "sync",
}
# A thing that took no time is told from one that took some by nothing else.
SLACK = 1000


def check_lanes(lanes):
	for place, slices in lanes.by_place.items():
		slices = sorted((slice for slice in slices if slice.is_work), key=lambda slice: (slice.start, slice.end))
		for before, after in zip(slices, slices[1:]):
			if after.start < before.end:
				lanes.error("on %s, %s begins within %s" % (lanes.names.get(place), after, before))
	queues = {}
	for slice in lanes.work:
		number, _, device = LANE.match(lanes.names.get(slice.place, "")).groups()
		queue = queues.setdefault((slice.place[0], device, number), slice.args.get("queue"))
		if not device.startswith(str(slice.args.get("device"))) or queue != slice.args.get("queue") or int(number or queue) != queue:
			lanes.error("%s of queue %s of %s is on %s" % (slice, slice.args.get("queue"), slice.args.get("device"),
								       lanes.names.get(slice.place)))


def check_calls(lanes):
	calls = collections.defaultdict(list)
	for call in lanes.calls:
		if call.correlation is not None:
			calls[call.correlation].append(call)
	seen = collections.Counter(slice.correlation for slice in lanes.work)
	for slice in lanes.work:
		mine = calls.get(slice.correlation, [])
		if len(mine) != 1 or not mine[0].name.startswith("clEnqueue"):
			lanes.error("%s was caused by %s" % (slice, [call.name for call in mine]))
			continue
		slice.call = mine[0]
		if slice.start < slice.call.start:
			lanes.error("%s begins %d ns before %s" % (slice, slice.call.start - slice.start, slice.call))
	for correlation, mine in calls.items():
		if seen[correlation] != 1:
			lanes.error("%s caused %d slices" % (mine[0], seen[correlation]))


def check_bytes(lanes):
	mapped = collections.defaultdict(collections.Counter)
	calls = [(slice, slice.call.args) for slice in lanes.work if slice.call]
	for slice, args in calls:
		moved = args.get("size") if slice.name != "USM advice" else None
		if isinstance(moved, int) and slice.args.get("bytes") != moved:
			lanes.error("%s has %s bytes, and not %d" % (slice, slice.args.get("bytes"), moved))
		if slice.args["kind"] == "map" and "result" in args:
			mapped[args.get("svm_ptr", args["result"])][slice.args["bytes"]] += 1
	for slice, args in calls:
		pointer = args.get("mapped_ptr", args.get("svm_ptr")) if slice.args["kind"] == "unmap" else None
		if pointer is None:
			continue
		mapped[pointer][slice.args.get("bytes")] -= 1
		if mapped[pointer][slice.args.get("bytes")] < 0:
			lanes.error("%s has %s bytes, which no mapping has" % (slice, slice.args.get("bytes")))


def check_not_after(lanes, slice, call):
	lanes.waits += 1
	if not slice.unfinished and slice.end > call.end:
		lanes.error("%s ends %d ns after %s, which waited for it" % (slice, slice.end - call.end, call))


class Submissions:
	"""Slices that had been submitted at a time, by when their calls returned."""

	def __init__(self, slices):
		self.slices = sorted((slice for slice in slices if not slice.unfinished), key=lambda slice: slice.call.end)
		self.times = [slice.call.end for slice in self.slices]
		self.longest = list(itertools.accumulate(self.slices, lambda a, b: a if a.end > b.end else b))

	def last(self, ns):
		"""The one that was submitted last before a time; and of all before it, the one that ends last."""
		at = bisect.bisect_right(self.times, ns)
		return (self.slices[at - 1], self.longest[at - 1]) if at else None


def check_waits(lanes):
	"""What must have ended when a call returned follows from the calls alone."""
	of_queue, of_event = collections.defaultdict(list), collections.defaultdict(list)
	lanes.waits = 0
	for slice in lanes.work:
		if not slice.call:
			continue
		of_queue[slice.call.args.get("command_queue")].append(slice)
		of_event[slice.call.args.get("event")].append(slice)
		if any(key.startswith("blocking") and value is True for key, value in slice.call.args.items()):
			check_not_after(lanes, slice, slice.call)
	of_queue = {queue: Submissions(slices) for queue, slices in of_queue.items()}
	of_event = {event: Submissions(slices) for event, slices in of_event.items()}
	for call in lanes.calls:
		if call.args.get("result") != "CL_SUCCESS" or len(call.args) < 2:
			continue	# it failed, or what it waited for was not recorded
		waited = []
		if call.name == "clFinish" and call.args["command_queue"] in of_queue:
			waited = [of_queue[call.args["command_queue"]].last(call.start)]
		elif call.name == "clWaitForEvents":
			# A driver may use a handle again: the last one there was is meant. A long list is cut short.
			waited = [of_event[event].last(call.start) for event in call.args["event_list"] if event in of_event]
		for last, longest in filter(None, waited):
			check_not_after(lanes, longest if call.name == "clFinish" else last, call)


def check_arrows(lanes):
	submitted, awaited = collections.Counter(), collections.Counter()
	for (name, number), ends in arrow_ends(lanes).items():
		if sorted(ends) != ["f", "s"]:
			lanes.error("the arrow %s %s has ends %s" % (name, number, sorted(ends)))
			continue
		(from_place, from_ns), (to_place, to_ns) = ends["s"], ends["f"]
		if to_ns < from_ns:
			lanes.error("the arrow %s %s goes back by %d ns" % (name, number, from_ns - to_ns))
		thread, device = ((from_place, from_ns), (to_place, to_ns))[::1 if name == "submitted" else -1]
		calls = lanes.around(*thread)
		works = [slice for slice in lanes.around(*device) if slice.is_work]
		if not calls or calls[-1].is_work or not works:
			lanes.error("the arrow %s %s has an end in no slice" % (name, number))
			continue
		if name == "submitted":
			works = [slice for slice in works if slice.call is calls[-1]]
			if not works:
				lanes.error("the arrow %s %s comes from %s, which did not cause what it leads to"
					    % (name, number, calls[-1]))
				continue
			submitted[works[0].correlation] += 1
		else:
			works = [slice for slice in works if awaited[slice.correlation] == 0] or works
			awaited[works[0].correlation] += 1
			if from_ns < works[0].end - SLACK:
				lanes.error("the arrow %s %s leaves before the end of %s" % (name, number, works[0]))
	for slice in lanes.work:
		if slice.call and submitted[slice.correlation] != 1:
			lanes.error("%d arrows lead to %s" % (submitted[slice.correlation], slice))
		if awaited[slice.correlation] > 1:
			lanes.error("%d arrows leave %s" % (awaited[slice.correlation], slice))
	lanes.arrows = sum(submitted.values()), sum(awaited.values())


def samples_of(lanes):
	samples = collections.defaultdict(list)
	for event in lanes.trace.events:
		match = re.match(r"queue ([0-9]+) depth\Z", event.get("name", "")) if event.get("ph") == "C" else None
		if match:
			ns = check_trace.nanoseconds(lanes.trace, event, "ts")
			samples[int(match.group(1))].append((ns, event["args"]["commands"]))
	return samples


def check_depth(lanes, samples):
	queues = collections.defaultdict(list)
	for slice in lanes.work:
		if slice.call:
			queues[slice.args.get("queue")].append(slice)
	for queue, slices in queues.items():
		begun = sorted(slice.call.start for slice in slices)
		surely = sorted(slice.call.end for slice in slices)
		ended = sorted(slice.end for slice in slices if not slice.unfinished)
		last = len(slices) - len(ended)
		if not samples.get(queue) or max(samples[queue])[1] != last:
			lanes.error("queue %s: the last of %d samples is %s, not %d"
				    % (queue, len(samples.get(queue, [])), max(samples.get(queue) or [None]), last))
		for ns, depth in samples.get(queue, []):
			# At one instant, all of its edges; a slice may have been made a nanosecond shorter.
			low = bisect.bisect_left(surely, ns - SLACK) - bisect.bisect_right(ended, ns + 1)
			high = bisect.bisect_right(begun, ns + SLACK) - bisect.bisect_left(ended, ns - 1)
			if not low <= depth <= high:
				lanes.error("queue %d: the depth at %d is %s, not %d to %d" % (queue, ns, depth, low, high))


class Command:
	"""A line of the driver's log."""

	def __init__(self, fields):
		self.type, self.queue, self.status = fields[2], int(fields[3]), int(fields[4])
		self.ticks = tuple(int(field) for field in fields[5:9])
		self.ns = tuple(int(field) for field in fields[9:13])
		self.kernel = " ".join(fields[13:])


def lines_of(paths, kind):
	for path in paths:
		with open(path) as file:
			yield from (fields for fields in map(str.split, file) if fields[0] == kind)


def check_memory(lanes, paths):
	want = [int(fields[1]) for fields in lines_of(paths, "~")]
	samples = [event["args"]["bytes"] for event in lanes.trace.events
		   if event.get("ph") == "C" and event["name"].startswith("memory, ")]
	if not samples or samples != want:
		lanes.error("memory is %s, and not %s" % (samples, want))


def check_true_depth(lanes, samples, pairs, error):
	"""The same from the driver's own clock, by as much as the slices may be wrong; where every command is known there."""
	if len(pairs) != len(lanes.work):
		return
	for queue in samples:
		mine = [pair for pair in pairs if pair[0].args.get("queue") == queue]
		maybe = sorted(slice.call.start for slice, _ in mine if slice.call)
		surely = sorted(command.ns[0] for _, command in mine)
		over = sorted(command.ns[3] for _, command in mine)
		for ns, depth in samples[queue]:
			low = bisect.bisect_left(surely, ns - error) - bisect.bisect_right(over, ns + error)
			high = bisect.bisect_right(maybe, ns + error) - bisect.bisect_left(over, ns - error)
			if not low <= depth <= high:
				lanes.error("queue %d: the true depth at %d is %d to %d, not %s" % (queue, ns, low, high, depth))


def errors_of(lanes, pairs):
	"""How far the slices are from the truth, in nanoseconds, sorted."""
	errors = sorted(abs(wrong) for slice, command in pairs
			for wrong in (slice.start - command.ns[2], slice.end - command.ns[3]))
	if errors:
		print("of %d times, half are wrong by %.1f us at most, nine of ten by %.1f us, all by %.1f us"
		      % (len(errors), errors[len(errors) // 2] / 1e3, errors[len(errors) * 9 // 10] / 1e3, errors[-1] / 1e3))
	return errors


def check_log(lanes, samples, options):
	enqueued = len(list(lines_of(options.log, "+")))
	ended = [Command(fields) for fields in lines_of(options.log, "-")]
	if enqueued - options.own != len(lanes.work):
		lanes.error("%d slices, and the driver got %d commands" % (len(lanes.work), enqueued - options.own))
	by_times = collections.defaultdict(list)
	for command in ended:
		by_times[command.ticks].append(command)
	pairs = []
	for slice in lanes.work:
		if slice.args.get("start") is None:
			continue
		found = by_times.get(slice.raw())
		if not found:
			lanes.error("the driver knows no command with the times of %s: %s" % (slice, slice.raw()))
			continue
		command = found.pop()
		pairs.append((slice, command))
		if command.kernel != "-" and slice.name != command.kernel:
			lanes.error("%s is the kernel %s" % (slice, command.kernel))
		same_queue = slice.args.get("queue") == command.queue or command.queue >= 64 or len(options.log) > 1
		if slice.args.get("kind") != KINDS[command.type] or not same_queue:
			lanes.error("%s, %s of queue %s, is %s of queue %d" % (slice, slice.args.get("kind"), slice.args.get("queue"),
									      command.type, command.queue))
	errors = errors_of(lanes, pairs)
	if options.error is not None and (not errors or errors[len(errors) * 9 // 10] > options.error or errors[-1] > options.worst):
		lanes.error("the times are too far from the true ones")
	if errors and not options.few:
		check_true_depth(lanes, samples, pairs, errors[-1] + SLACK)


def check_times(lanes, path):
	known = collections.Counter((slice.name,) + slice.raw() for slice in lanes.work)
	read = 0
	with open(path) as file:
		for line in file:
			if not line.startswith("TIMES "):
				continue
			fields = line.split()
			key = (" ".join(fields[1:-4]),) + tuple(int(field) for field in fields[-4:])
			read += 1
			if not known[key]:
				lanes.error("no slice has what the program read: %s" % line.strip())
			known[key] -= 1
	if not read:
		lanes.error("%s has no times" % path)


def check_counts(lanes, path):
	calls = 0
	with open(path) as file:
		for line in file:
			name, count = line.split()
			calls += int(count) if name.startswith("clEnqueue") else 0
	if calls != len(lanes.work):
		lanes.error("%d slices, and %d commands were enqueued" % (len(lanes.work), calls))


def check(lanes, options):
	unfinished = sum(slice.unfinished for slice in lanes.work)
	untimed = sum(not slice.unfinished and None in slice.raw() for slice in lanes.work)
	for what, want, is_so in (("slices", options.commands, len(lanes.work)), ("unfinished", options.unfinished, unfinished),
				  ("without times", options.untimed, untimed)):
		if want is not None and want != is_so:
			lanes.error("%d %s, and %d were expected" % (is_so, what, want))
	check_lanes(lanes)
	samples = samples_of(lanes)
	if not options.few:
		check_calls(lanes)
		check_bytes(lanes)
		check_waits(lanes)
		check_arrows(lanes)
		check_depth(lanes, samples)
		print("%d slices, %d waits, %d and %d arrows, %d samples"
		      % ((len(lanes.work), lanes.waits) + lanes.arrows + (sum(map(len, samples.values())),)))
	if options.ordered:
		for queue, list_of in samples.items():
			if list_of != sorted(list_of, key=lambda sample: sample[0]):
				lanes.error("queue %d: samples of its depth are not in their order" % queue)
	if options.log:
		check_log(lanes, samples, options)
	if options.memory:
		check_memory(lanes, options.log)
	if options.times:
		check_times(lanes, options.times)
	if options.counts:
		check_counts(lanes, options.counts)


def main(arguments=None):
	parser = argparse.ArgumentParser(description="Check device lanes; see the top of this file.")
	parser.add_argument("trace")
	for name in "commands", "unfinished", "untimed", "own", "error", "worst":
		parser.add_argument("--" + name, type=int)
	for name in "times", "counts":
		parser.add_argument("--" + name)
	parser.add_argument("--log", action="append")
	for name in "few", "memory", "ordered", "sound":
		parser.add_argument("--" + name, action="store_true")
	parser.set_defaults(unfinished=0, untimed=0, own=0)
	options = parser.parse_args(arguments)
	lanes = Lanes(options.trace)
	if options.sound:
		check_trace.check_sound(lanes.trace)
	check(lanes, options)
	return check_trace.report(lanes.trace.errors)


if __name__ == "__main__":
	sys.exit(main())

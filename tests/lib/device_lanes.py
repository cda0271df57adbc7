# SPDX-License-Identifier: MIT
"""device_lanes.py: a trace with work of devices, read for the tests of it: slices, lanes, and the arrows between them."""

import bisect
import collections
import itertools

import check_trace


class Slice:
	def __init__(self, event, span):
		self.name = event.get("name")
		self.place = event.get("pid"), event.get("tid")
		self.args = event.get("args", {})
		self.start, self.end = span
		self.correlation = self.args.get("correlation")
		self.is_work = check_trace.is_of_device(event)
		self.unfinished = self.args.get("unfinished") is True
		self.call = None

	def __str__(self):
		return "%s %d..%d (correlation %s)" % (self.name, self.start, self.end, self.correlation)

	def raw(self):
		"""The driver's times, as it gave them."""
		return tuple(self.args.get(key) for key in ("queued", "submit", "start", "end"))


class Lanes:
	"""A trace, read for what devices did."""

	def __init__(self, path):
		self.trace = check_trace.Trace(path, False)
		self.error = self.trace.error
		self.names = {(event.get("pid"), event.get("tid")): event["args"]["name"]
			      for event in self.trace.events if event.get("name") == "thread_name"}
		self.work, self.calls = [], []
		for slice in map(Slice, self.trace.slices, self.trace.spans):
			(self.work if slice.is_work else self.calls).append(slice)
		self.by_place = collections.defaultdict(list)
		for slice in self.work + self.calls:
			self.by_place[slice.place].append(slice)
		for slices in self.by_place.values():
			slices.sort(key=lambda slice: (slice.start, -slice.end))
		self.starts = {place: [slice.start for slice in slices] for place, slices in self.by_place.items()}
		# The latest end of all up to each.
		self.ends = {place: list(itertools.accumulate((slice.end for slice in slices), max)) for place, slices in self.by_place.items()}

	def around(self, place, ns):
		"""The slices there that contain a time, the smallest last."""
		slices, ends = self.by_place.get(place, []), self.ends.get(place, [])
		found = []
		at = bisect.bisect_right(self.starts.get(place, []), ns)
		while at and ends[at - 1] >= ns:
			at -= 1
			if slices[at].end >= ns:
				found.append(slices[at])
		return found[::-1]


def arrow_ends(lanes):
	"""By name and number: where and when each arrow begins ("s") and ends ("f")."""
	arrows = collections.defaultdict(dict)
	for event in lanes.trace.events:
		if event.get("ph") not in ("s", "f", "t") or not check_trace.is_of_device(event):
			continue
		ends = arrows[event.get("name"), event.get("id")]
		if event["ph"] in ends:
			lanes.error("two ends %s of the arrow %s" % (event["ph"], event.get("id")))
		if event["ph"] == "f" and event.get("bp") != "e":
			lanes.error("an arrow's end without bp e: %s" % event)
		ends[event["ph"]] = (event.get("pid"), event.get("tid")), check_trace.nanoseconds(lanes.trace, event, "ts")
	return arrows

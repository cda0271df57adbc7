#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tracing.py [options] VIEWER TRACE: does Chrome's trace viewer show the trace as it was recorded?

VIEWER is the folder that has trace_viewer_full.html, the page behind chrome://tracing, and webcomponents.min.js: Debian's Go sources bring both.
A headless Chromium imports the trace with it, in the way that `go tool trace` does. Then the viewer's own model is compared with the file: every slice on
its lane, with its start and its end in nanoseconds; every counter's samples; and every arrow, which must begin and end on slices, those
that the trace means: one end on the call, the other on the device's command that has the same correlation; or, on lanes of XPTI streams, on runs of the two
nodes of an edge that was told of, or on a task and a call that gives work to a device. Nothing may be dropped, no import warning given and nothing said on the console. (The viewer is told to reckon in nanoseconds, which a file that is an array can't do.)

	--screenshot PNG	also take a picture
	--part NAME:NTH:COUNT	of COUNT commands of a device, beginning with the NTH of that name; of XPTI streams, where there are none
	--size WIDTHxHEIGHT	of the window (1400x800)

A TRACE that `tracelayer profile` wrote has samples instead: each must be there, on its thread, with its stack.

Prints one line: lanes, slices, arrows and counters; or samples. Exit code 0 when all holds; otherwise 1, and the first things that are wrong on stderr.
"""

import collections
import json
import math
import os
import sys
import tempfile
import time

import view
from browser import Browser

PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8">
<script src="viewer/webcomponents.min.js"></script>
<link rel="import" href="viewer/trace_viewer_full.html">
<style>html, body { margin: 0; padding: 0; width: 100%; height: 100%; overflow: hidden } #viewer { width: 100%; height: 100% }</style>
<script>
document.addEventListener('WebComponentsReady', () => {
	const tracks = document.createElement('track-view-container');
	tracks.id = 'track_view_container';
	window.viewer = document.createElement('tr-ui-timeline-view');
	viewer.track_view_container = tracks;
	Polymer.dom(viewer).appendChild(tracks);
	viewer.id = 'viewer';
	viewer.globalMode = true;
	Polymer.dom(document.body).appendChild(viewer);
	window.ready = true;
});
function show(text)
{
	const model = new tr.Model(), options = new tr.importer.ImportOptions();
	options.shiftWorldToZero = false;
	new tr.importer.Import(model, options).importTracesWithProgressDialog([text]).then(
		() => { viewer.model = model; viewer.viewTitle = ''; window.model = model; },
		error => { window.failed = String(error.stack || error); });
}
</script></head><body></body></html>
"""

# What the viewer has made of it. Its times are milliseconds.
MODEL = """(() => {
	const slices = [], at = new Map();
	for (const thread of model.getAllThreads())
		for (const group of [thread.sliceGroup, thread.asyncSliceGroup])
			for (const slice of group.slices) {
				at.set(slice, slices.length);
				slices.push([thread.parent.pid, thread.tid, slice.title, slice.start, slice.end, slice.args.correlation || 0,
					     !!slice.didNotFinish, slice.args.id || 0]);
			}
	const arrows = model.flowEvents.map(flow => [at.has(flow.startSlice) ? at.get(flow.startSlice) : -1,
						     at.has(flow.endSlice) ? at.get(flow.endSlice) : -1]);
	const counters = [];
	for (const process of Object.values(model.processes))
		for (const counter of Object.values(process.counters))
			for (const series of counter.series)
				counters.push([process.pid, counter.name, series.name, series.samples.map(sample => [sample.timestamp, sample.value])]);
	const stack = node => node ? [node.title, ...stack(node.parentNode)] : [];
	const samples = model.samples.map(sample => [sample.thread.tid, sample.start, stack(sample.leafNode)]);
	return JSON.stringify({slices, arrows, counters, samples, warnings: model.importWarningsThatShouldBeShownToUser.map(warning => warning.message)});
})()"""
# For a picture: the lanes have the whole window.
LANES_ONLY = """(() => {
	const style = document.createElement('style');
	style.textContent = 'tr-ui-b-info-bar-group, tr-ui-a-analysis-view, tr-ui-b-drag-handle, tr-ui-side-panel-container,' +
		' tr-ui-b-mouse-mode-selector, #control { display: none !important }';
	document.head.appendChild(style);
	window.dispatchEvent(new Event('resize'));
})()"""


def grain(events):
	"""By how many nanoseconds the viewer may be off, which reckons in floating-point milliseconds."""
	return 1 + int(3e6 * max(math.ulp(event["ts"] / 1000) for event in events if "ts" in event))


def slices_of(events):
	"""Lane -> (start, end, name, correlation), in nanoseconds. Instants are slices without a length, as the viewer has it."""
	lanes = collections.defaultdict(list)
	for event in events:
		if event["ph"] in "Xi":
			correlation = event.get("args", {}).get("correlation", 0)
			lanes[event["pid"], event["tid"]].append(
				(round(event["ts"] * 1000), round((event["ts"] + event.get("dur", 0)) * 1000), event["name"], correlation))
	return lanes


def lanes_of(events, kind):
	return {(event["pid"], event["tid"]) for event in events if event["ph"] == "X" and event["cat"].startswith(kind)}


def edges_of(events):
	"""Pairs of nodes, by their ids, that edges of XPTI streams lead from and to."""
	return {(event["args"]["from_id"], event["args"]["to_id"]) for event in events
		if event["ph"] == "i" and "from_id" in event.get("args", {}) and "to_id" in event["args"]}


def check_slices(events, shown):
	want, got = slices_of(events), collections.defaultdict(list)
	off = grain(events)
	for pid, tid, name, start, end, correlation, unfinished, _ in shown["slices"]:
		got[pid, tid].append((round(start * 1e6), round(end * 1e6), name, correlation))
		if unfinished:
			yield "%s on lane %d: the viewer takes it for unfinished" % (name, tid)
	for lane in sorted(set(want) | set(got)):
		if len(want[lane]) != len(got[lane]):
			yield "lane %s: %d slices instead of %d" % (lane, len(got[lane]), len(want[lane]))
			continue
		for ours, theirs in zip(sorted(want[lane]), sorted(got[lane])):
			if abs(ours[0] - theirs[0]) > off or abs(ours[1] - theirs[1]) > off:
				yield "lane %s: %s instead of %s" % (lane, theirs, ours)


def check_arrows(events, shown):
	ends = collections.Counter(event["ph"] for event in events if event["ph"] in "sf")
	devices, streams, edges = lanes_of(events, "device"), lanes_of(events, "xpti"), edges_of(events)
	if not ends["s"] == ends["f"] == len(shown["arrows"]):
		yield "%d arrows, where the trace has %d beginnings and %d ends" % (len(shown["arrows"]), ends["s"], ends["f"])
	for at, to in shown["arrows"]:
		if at < 0 or to < 0:
			yield "an arrow %s on no slice" % ("begins" if at < 0 else "ends")
			continue
		one, other = shown["slices"][at], shown["slices"][to]
		if {(one[0], one[1]), (other[0], other[1])} <= streams:
			if (one[7], other[7]) not in edges:
				yield "an arrow from %s to %s, which no edge joins" % (one[2], other[2])
		elif (one[0], one[1]) in streams:
			if (other[0], other[1]) in devices or not other[5]:
				yield "an arrow from %s to %s, which gives no work to a device" % (one[2], other[2])
		elif ((one[0], one[1]) in devices) == ((other[0], other[1]) in devices):
			yield "an arrow from %s to %s: not between a call and a device" % (one[2], other[2])
		elif (other[0], other[1]) in devices and one[5] != other[5]:
			yield "an arrow from %s (correlation %d) to %s (correlation %d)" % (one[2], one[5], other[2], other[5])
		elif (one[0], one[1]) in devices and not one[4] <= other[4] + 1e-6 * grain(events):
			yield "%s ends after %s, which waited for it" % (one[2], other[2])


def check_counters(events, shown):
	want = collections.Counter()
	for event in events:
		if event["ph"] == "C":
			for series in event["args"]:
				want[event["pid"], event["name"], series] += 1
	got = {(pid, name, series): len(samples) for pid, name, series, samples in shown["counters"]}
	for key in sorted(set(want) | set(got)):
		if want[key] != got.get(key, 0):
			yield "counter %s: %d samples instead of %d" % (key, got.get(key, 0), want[key])


def check_samples(document, shown):
	frames, want = document["stackFrames"], []
	for sample in document["samples"]:
		stack, at = [], sample["sf"]
		while at:
			stack.append(frames[at]["name"])
			at = frames[at].get("parent")
		want.append((sample["tid"], round(sample["ts"]), stack))
	got = [(tid, round(start * 1e3), stack) for tid, start, stack in shown["samples"]]
	if sorted(want) != sorted(got):
		yield "not the same samples: %s instead of %s" % (sorted(got)[:2], sorted(want)[:2])


def picture(browser, shown, lanes, options):
	"""Of a part: from a little before the calls that submitted it, and the tasks that made these calls, to a little behind."""
	start, end = min(one[3] for one in shown["slices"]), max(one[4] for one in shown["slices"])
	if options.part:
		name, nth, count = options.part.split(":")
		work = sorted((one for one in shown["slices"] if (one[0], one[1]) in lanes), key=lambda one: one[3])
		first = [at for at, one in enumerate(work) if one[2] == name][int(nth) - 1]
		part = work[first:first + int(count)]
		numbers = {one[5] for one in part if one[5]}
		calls = {i for i, one in enumerate(shown["slices"]) if one in part or one[5] in numbers}
		calls |= {at for at, to in shown["arrows"] if at >= 0 and to in calls}
		start = min(shown["slices"][i][3] for i in calls)
		end = max(one[4] for one in part)
	room = (end - start) * 0.04
	time.sleep(1)	# until it has chosen a part by itself
	browser.evaluate(LANES_ONLY)
	time.sleep(1)
	browser.evaluate("""(() => {
		const view = viewer.trackView_.viewport, display = view.currentDisplayTransform.clone();
		view.selectedFlowEvents = new Set(['device', 'xpti']);
		display.xSetWorldBounds(%r, %r, viewer.trackView_.modelTrackContainer_.canvas.clientWidth);
		view.setDisplayTransformImmediately(display);
	})()""" % (start - room, end + room))
	time.sleep(1)	# it draws when it has time
	browser.screenshot(options.screenshot)


def check(browser, page, options, path):
	events = view.events_of(path)
	browser.open("file://" + page)
	browser.wait("window.ready")
	browser.complaints.clear()	# of its own age: it uses what browsers are about to give up
	whole = events if isinstance(events, dict) else {"traceEvents": events, "displayTimeUnit": "ns"}
	# Of a bare array it takes slices for nested by the microsecond, and loses arrows to what is shorter.
	browser.evaluate("show(%s)" % json.dumps(json.dumps(whole)))
	browser.wait("!!(window.model || window.failed)", 120)
	failed = browser.evaluate("window.failed")
	if failed:
		print("the viewer could not import it: " + failed, file=sys.stderr)
		return 1
	shown = json.loads(browser.evaluate(MODEL))
	if options.screenshot:
		picture(browser, shown, lanes_of(events, "device") or lanes_of(events, "xpti"), options)
	wrong = ["the page said: " + text for text in browser.complaints + shown["warnings"]]
	if isinstance(events, dict):
		wrong += check_samples(events, shown)
		view.complain(wrong)
		print("%d samples" % len(shown["samples"]))
		return bool(wrong)
	for part in check_slices, check_arrows, check_counters:
		wrong += part(events, shown)
	view.complain(wrong)
	lanes = {(one[0], one[1]) for one in shown["slices"]}
	print("%d lanes, %d slices, %d arrows, %d counters"
	      % (len(lanes), len(shown["slices"]), len(shown["arrows"]), len(shown["counters"])))
	return bool(wrong)


def main():
	options = view.options("viewer")
	with tempfile.TemporaryDirectory(prefix="tracelayer-viewer.") as folder:
		os.symlink(os.path.abspath(options.viewer), os.path.join(folder, "viewer"))
		page = os.path.join(folder, "page.html")
		with open(page, "w", encoding="ascii") as file:
			file.write(PAGE)
		with Browser(os.path.join(folder, "profile"), *options.size) as browser:
			return view.run(options.trace, lambda trace: check(browser, page, options, trace))


sys.exit(main())

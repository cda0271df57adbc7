#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""speedscope.py [options] SPEEDSCOPE TRACE: does speedscope show the trace as it was recorded?

SPEEDSCOPE is the folder of the npm package. Its page opens the trace in a headless Chromium, in the way that its own
command does; what it made of the trace is then taken from the page by its "Export" button, and compared with the file:
the names of the lanes, and on each lane every slice with its name, its start and its end in nanoseconds. The page must
not have complained, by the console, an exception or a dialog.

	--screenshot PNG	also take a picture, of the lane with the most slices
	--part NAME:NTH:COUNT	of COUNT slices of it, beginning with the NTH of that name; the mouse is on that one
	--size WIDTHxHEIGHT	of the window (1400x800)

What `tracelayer profile` wrote in speedscope's own format is a TRACE, too: each frame that is on from
one sample to the next is a slice. Then the picture is of all stacks put together ("Left Heavy"), of the thread with the most
frames.

Prints one line: lanes and slices. Exit code 0 when all holds; otherwise 1, and the first things that are wrong on stderr.
"""

import base64
import collections
import json
import math
import os
import sys
import tempfile
import time

import view
from browser import Browser

# The exported file does not go to the disk, but to us.
KEEP_EXPORT = """
const make = URL.createObjectURL;
URL.createObjectURL = blob => { window.exported = blob; return make.call(URL, blob); };
HTMLAnchorElement.prototype.click = function () { };
"""
CLICK = """(text => {
	const all = [...document.querySelectorAll('div')].filter(div => div.textContent.endsWith(text));
	all[all.length - 1].click();
})"""
# The name of the lane that is shown stands in the bar at the top.
TOP = "document.body.innerText.slice(0, 1000)"
SLICES = 153	# height of the first row in the window
META = 4


def recorded(events):
	"""What the trace holds: lane name -> its slices."""
	processes, threads = {}, {}
	for event in events:
		if event["ph"] == "M" and event["name"] == "process_name":
			processes[event["pid"]] = event["args"]["name"]
		elif event["ph"] == "M" and event["name"] == "thread_name":
			threads[event["pid"], event["tid"]] = event["args"]["name"]
	slices = collections.defaultdict(list)
	for event in events:
		if event["ph"] == "X":
			slices[event["pid"], event["tid"]].append((event["name"], event["ts"], event["ts"] + event["dur"]))
	lanes = {}
	for (pid, tid), found in slices.items():
		name = "%s (pid %d), %s (tid %d)" % (processes[pid], pid, threads[pid, tid], tid)
		lanes[name] = shifted(found, 1000)
	return lanes


def shifted(slices, unit):
	"""(name, start, end) in nanoseconds from the first start. `unit`: nanoseconds of what they are in."""
	first = min((start for _, start, _ in slices), default=0)
	return sorted((name, round((start - first) * unit), round((end - first) * unit)) for name, start, end in slices)


def shown(exported):
	"""What speedscope exported, likewise: a frame's name there is the slice's, and its arguments."""
	lanes = {}
	for profile in exported["profiles"]:
		slices, stack = [], []
		for event in profile["events"]:
			if event["type"] == "O":
				stack.append(event)
				continue
			opened = stack.pop()
			if opened["frame"] != event["frame"]:
				raise ValueError("%s: slices that don't nest" % profile["name"])
			name = exported["shared"]["frames"][event["frame"]]["name"].split(" {")[0]
			slices.append((name, opened["at"], event["at"]))
		lanes[profile["name"]] = shifted(slices, 1 if profile["unit"] == "nanoseconds" else 1000)
	return lanes


def sampled(document):
	"""Of samples, what `shown` has of slices: a frame that is on from one sample to the next is one slice."""
	frames = [frame["name"] for frame in document["shared"]["frames"]]
	lanes = {}
	for profile in document["profiles"]:
		slices, stack, now = [], [], profile["startValue"]
		for names, weight in [*zip(profile["samples"], profile["weights"]), ([], 0)]:
			same = 0
			while same < min(len(stack), len(names)) and stack[same][0] == frames[names[same]]:
				same += 1
			slices += [(name, start, now) for name, start in stack[same:]]
			stack[same:] = [(frames[i], now) for i in names[same:]]
			now += weight
		lanes[profile["name"]] = shifted(slices, 1)
	return lanes


def grain(events):
	"""By how many nanoseconds a viewer may be off, which reckons in floating-point microseconds: none in the first month of uptime."""
	return int(3000 * max(math.ulp(event["ts"]) for event in events if event["ph"] == "X"))


def compare(want, got, off):
	"""What is wrong, a line each."""
	for lane in sorted(set(want) | set(got)):
		if lane not in got:
			yield "lane missing: " + lane
		elif lane not in want:
			yield "lane that the trace does not have: " + lane
		elif len(want[lane]) != len(got[lane]):
			yield "%s: %d slices instead of %d" % (lane, len(got[lane]), len(want[lane]))
		else:
			for ours, theirs in zip(want[lane], got[lane]):
				if ours[0] != theirs[0] or abs(ours[1] - theirs[1]) > off or abs(ours[2] - theirs[2]) > off:
					yield "%s: %s from %d to %d ns instead of %s from %d to %d ns" % (lane, *theirs, *ours)


def load(browser, folder, trace, title):
	"""speedscope's own way (bin/cli.mjs): a script that holds the file."""
	name = os.path.basename(trace)
	with open(trace, "rb") as file:
		content = base64.b64encode(file.read()).decode()
	script = os.path.join(folder, "profile.js")
	with open(script, "w", encoding="ascii") as file:
		file.write("speedscope.loadFileFromBase64(%s, %s)" % (json.dumps(name), json.dumps(content)))
	page = os.path.join(folder, "page", "dist", "release", "index.html")
	# Another fragment of the page that is open would not load it again.
	browser.open("about:blank")
	browser.complaints.clear()
	browser.open("file://%s#localProfilePath=%s" % (page, script))
	# The title is set when the profile is there.
	browser.wait("document.title.includes(%s)" % json.dumps(title), 120)


def export(browser):
	browser.evaluate(CLICK + "('Export')")
	return json.loads(browser.wait("window.exported ? window.exported.text() : ''"))


def zoom(browser, width, start, end):
	"""
	Show what is between two fractions of a lane: by the wheel and the Meta key, at the place that stays where it is. The mouse
	is on whole pixels only, so this goes in small steps, each of which makes up for the one before.
	"""
	left, shown = 0, 1
	while shown > (end - start) * 1.001:
		part = max(0.5, (end - start) / shown)
		pixel = round(min(1, max(0, (start - left) / (shown - (end - start)))) * width)
		browser.wheel(pixel, SLICES, 100 * (part - 1), META)
		left += pixel / width * shown * (1 - part)
		shown *= part


def show(browser, lanes, lane):
	for _ in lanes:
		if lane in browser.evaluate(TOP):
			break
		browser.key("n")


def picture_of_samples(browser, lanes, options):
	show(browser, lanes, max(lanes, key=lambda lane: len({name for name, _, _ in lanes[lane]})))
	browser.key("2")
	time.sleep(1)	# it draws when it has time
	browser.screenshot(options.screenshot)


def picture(browser, lanes, options):
	lane = max(lanes, key=lambda name: len(lanes[name]))
	show(browser, lanes, lane)
	if options.part:
		name, nth, count = options.part.split(":")
		slices = sorted(lanes[lane], key=lambda one: one[1])
		first = [at for at, one in enumerate(slices) if one[0] == name][int(nth) - 1]
		start, end = slices[first][1], slices[first + int(count) - 1][2]
		length = max(one[2] for one in slices)
		zoom(browser, options.size[0], start / length, end / length)
		middle = (slices[first][2] - start) / (end - start) / 2
		browser.mouse_to(int(middle * options.size[0]), SLICES)
	time.sleep(1)	# it draws when it has time
	browser.screenshot(options.screenshot)


def look(browser, folder, options, trace, title, draw):
	"""What speedscope exports of the trace, and what its page complained of."""
	load(browser, folder, trace, title)
	exported = export(browser)
	if options.screenshot:
		draw(browser)
	return exported, ["the page said: " + text for text in browser.complaints]


def check(browser, folder, options, path):
	trace = view.events_of(path)
	if isinstance(trace, dict):
		want, off, title, draw = sampled(trace), 0, trace["name"], picture_of_samples
	else:
		want, off, title, draw = recorded(trace), grain(trace), os.path.basename(path), picture
	exported, wrong = look(browser, folder, options, path, title, lambda browser: draw(browser, want, options))
	got = shown(exported)
	wrong += compare(want, got, off)
	view.complain(wrong)
	print("%d lanes, %d slices" % (len(got), sum(len(slices) for slices in got.values())))
	return bool(wrong)


def main():
	options = view.options("speedscope")
	with tempfile.TemporaryDirectory(prefix="tracelayer-viewer.") as folder:
		os.symlink(os.path.abspath(options.speedscope), os.path.join(folder, "page"))
		with Browser(os.path.join(folder, "profile"), *options.size) as browser:
			browser.before_scripts(KEEP_EXPORT)
			return view.run(options.trace, lambda trace: check(browser, folder, options, trace))


sys.exit(main())

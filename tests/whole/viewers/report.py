#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report.py PAGE MANY STACKS EVIL FOLDED FOLDER: does a page of `tracelayer report` do what its keys and its manual say?

PAGE is of a program with commands on a device, and with stacks; FOLDED has these as `tracelayer export` writes them. MANY is of a million calls with
stacks, STACKS of report_traces.py stacks, EVIL of report_traces.py hostile. A headless Chromium opens them from file://. The keys, the wheel, the
pointer and the tables are used as a person uses them; what the page then shows is compared with what it should. No request may leave a page, and nothing
may be said on the console. FOLDER gets pictures, light and dark.

Prints a line for each behaviour: "ok" or "wrong", and which. Exit code 1 where one is wrong.
"""
import sys
import tempfile
import time

from browser import Browser

failed = 0
requests = []

class Watched(Browser):
	"""Notes what a page asks for."""
	def event(self, method, params):
		if method == "Network.requestWillBeSent":
			requests.append(params["request"]["url"])
		super().event(method, params)

def check(what, holds, detail=""):
	global failed
	failed |= not holds
	print("ok" if holds else "wrong", what, detail if not holds else "", flush=True)

def press(browser, key):
	code = {"Enter": 13, "Escape": 27, "Backspace": 8, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}.get(key)
	for kind in "keyDown", "keyUp":
		browser.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code or ord(key.upper()),
			     text="" if kind == "keyUp" or code and key != "Enter" else "\r" if code else key)

def click(browser, x, y):
	for kind in "mousePressed", "mouseReleased":
		browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

def shown(browser, path):
	browser.open("file://" + path)
	browser.wait("window.report && report.frame")

def span(browser):
	start, end = browser.evaluate("report.view")
	return end - start

def centre(browser, selector):
	return browser.evaluate("(() => { const one = %s; one.scrollIntoView({block: 'center'}); const r = one.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()" % selector)

def slices(browser):
	return browser.evaluate("Array.from({length: report.count}, (_, i) => report.slice(i))")

def timeline(browser):
	whole = span(browser)
	browser.mouse_to(700, 100)
	press(browser, "w")
	check("w zooms in", abs(span(browser) / whole - 0.7) < 0.01)
	press(browser, "s")
	check("s zooms out", abs(span(browser) / whole - 1) < 0.01)
	for _ in range(3):
		press(browser, "w")
	left = browser.evaluate("report.view[0]")
	press(browser, "d")
	moved = browser.evaluate("report.view[0]")
	press(browser, "a")
	check("d and a move", moved > left and abs(browser.evaluate("report.view[0]") - left) < 1)
	before = span(browser)
	browser.wheel(700, 100, -200, modifiers=2)
	check("Ctrl and the wheel zoom", span(browser) < before)
	browser.call("Input.dispatchMouseEvent", type="mousePressed", x=700, y=300, button="left", clickCount=1)
	left = browser.evaluate("report.view[0]")
	browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=600, y=300, button="left", buttons=1)
	browser.call("Input.dispatchMouseEvent", type="mouseReleased", x=600, y=300, button="left", clickCount=1)
	check("dragging moves", browser.evaluate("report.view[0]") > left)
	press(browser, "0")
	check("0 shows all", abs(span(browser) / whole - 1) < 0.01)

def arrows(browser):
	every = slices(browser)
	call = next(i for i, one in enumerate(every) if one["name"] == "clEnqueueNDRangeKernel")
	press(browser, "/")
	browser.call("Input.insertText", text="clEnqueueNDRangeKernel")
	check("the search counts its matches", browser.evaluate("document.getElementById('found').textContent") == "1 match")
	press(browser, "Enter")
	# The slice is in view and wide enough to see. A call that others on this machine have made long is that without a zoom, so no bound in time holds.
	start, end = browser.evaluate("report.view")
	seen, taken = every[call]["start"], every[call]["duration"]
	check("Enter selects the match and shows it", browser.evaluate("report.selected") == call and start <= seen and seen + taken <= end and
	      taken * 200 >= end - start, [browser.evaluate("report.selected"), start, end, every[call]])
	x, y = browser.evaluate("report.place(%d)" % call)
	browser.mouse_to(x, y)
	tip = browser.evaluate("document.getElementById('tip').textContent")
	check("the pointer shows the name and all arguments", every[call]["name"] in tip and all(name in tip for name in every[call]["args"]), tip)
	check("it is the slice below the pointer", browser.evaluate("report.hovered") == call)
	leads = browser.evaluate("report.arrows.map(one => [one.out, one.other])")
	check("an arrow leads from the call to one command", len(leads) == 1 and leads[0][0], leads)
	command = leads[0][1]
	same = every[call]["args"].get("correlation")
	check("the command is the call's own", same and every[command]["args"].get("correlation") == same, every[command])
	x, y = centre(browser, "document.querySelector('#panel tr.link')")
	click(browser, x, y)
	check("a click on the arrow's row selects the command", browser.evaluate("report.selected") == command)
	leads = browser.evaluate("report.arrows.map(one => [one.out, one.other])")
	check("from which an arrow leads to the call that waited", sorted(out for out, _ in leads) == [False, True] and
	      every[next(other for out, other in leads if out)]["name"].startswith("cl"), leads)
	press(browser, "Escape")
	press(browser, "Escape")
	check("Escape selects nothing", browser.evaluate("report.selected") == -1)
	press(browser, "0")
	long = max(range(len(every)), key=lambda i: every[i]["duration"])
	x, y = browser.evaluate("report.place(%d)" % long)
	click(browser, x, y)
	check("a click selects a slice", browser.evaluate("report.selected") == long)
	before = span(browser)
	press(browser, "f")
	check("f shows it", span(browser) < before or every[long]["duration"] * 5 > before)
	press(browser, "]")
	check("] selects the next one of the row", browser.evaluate("report.selected") == long + 1)

def tables(browser):
	tab = "[...document.querySelectorAll('#tabs button')].find(one => one.textContent === %r)"
	click(browser, *centre(browser, tab % "Host calls"))
	names = "[...document.querySelectorAll('#panel tbody tr')].map(row => row.cells[0].textContent)"
	click(browser, *centre(browser, "document.querySelectorAll('#panel th')[0]"))
	listed = browser.evaluate(names)
	check("a click on a title sorts", listed == sorted(listed) and len(listed) > 5, listed)
	click(browser, *centre(browser, "document.querySelectorAll('#panel th')[0]"))
	check("another one sorts the other way round", browser.evaluate(names) == listed[::-1])
	click(browser, *centre(browser, "document.querySelector('#panel tbody tr')"))
	check("a click on a row selects a slice of its name", browser.evaluate("report.slice(report.selected).name") == listed[-1])
	press(browser, "Escape")
	for name in "Slowest", "Idle time", "Machine":
		click(browser, *centre(browser, tab % name))
		check("there is " + name, browser.evaluate("document.querySelectorAll('#panel td').length") > 1)
	press(browser, "?")
	check("? lists the keys", browser.evaluate("document.getElementById('keys').open"))
	press(browser, "?")

def button(browser, word):
	click(browser, *centre(browser, "[...document.querySelectorAll('.flamehead button')].find(one => one.textContent === %r)" % word))

def text_of(browser, selector):
	return browser.evaluate("document.querySelector(%r).textContent" % selector)

def settled(browser):
	"""After what was asked for is drawn."""
	browser.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

def folded_nodes(browser):
	"""Lines as `tracelayer export` writes them, of the nodes that are calls."""
	nodes, lines = browser.evaluate("report.flame.nodes"), {}
	for node in nodes[1:]:
		if not node["frame"]:
			way, at = [], node
			while at["parent"] >= 0:
				way.append(at["name"].replace(";", ":"))
				at = nodes[at["parent"]]
			line = ";".join(reversed(way))
			lines[line] = lines.get(line, 0) + node["self"]
	return lines

def flame(browser, folded):
	"""The flame graph of a real program."""
	press(browser, "g")
	with open(folded, encoding="utf-8") as file:
		wanted = {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in file}
	found = folded_nodes(browser)
	check("the flame graph has each stack and its time as export -o FILE.folded", found == wanted and any("main;" in line for line in found),
	      set(found.items()) ^ set(wanted.items()))
	call = browser.evaluate("Array.from({length: report.count}, (_, i) => i).find(i => report.slice(i).name === 'clEnqueueNDRangeKernel')")
	check("a call has its callers", "main" in browser.evaluate("report.callers(%d)" % call))
	press(browser, "/")
	browser.call("Input.insertText", text="clEnqueueNDRangeKernel")
	press(browser, "Enter")
	check("which its selection lists", "Called by" in text_of(browser, "#panel") and "main" in text_of(browser, "#panel"), text_of(browser, "#panel"))
	press(browser, "Escape")

def flame_hand(browser, folder, theme):
	"""What the pointer, the keys and the search do, on a trace that is known."""
	press(browser, "g")
	nodes = browser.evaluate("report.flame.nodes")
	name = lambda text: next(i for i, node in enumerate(nodes) if node["name"] == text)
	place = lambda node: browser.evaluate("report.flame.place(%d)" % node)
	solve, iterate, driver = name("solve"), name("iterate"), name("driver_call")
	check("it is of the functions that called", nodes[solve]["frame"] and nodes[nodes[solve]["parent"]]["name"] == "main")
	calls = [node for node in nodes if not node["frame"]]
	check("a node has what is below it", nodes[0]["count"] == 1000 == sum(node["count"] for node in calls) and
	      nodes[0]["total"] == sum(node["self"] for node in nodes) and nodes[solve]["self"] == 0, nodes[0])
	browser.screenshot("%s/flame-%s.png" % (folder, theme))
	x, y, whole = place(iterate)
	browser.mouse_to(x, y)
	settled(browser)
	tip, node = text_of(browser, "#tip"), nodes[iterate]
	share = "%.1f %%" % (100 * node["total"] / nodes[0]["total"])
	check("the pointer shows name, count, total and self time, and their share", browser.evaluate("report.flame.hovered") == iterate and
	      not browser.evaluate("document.getElementById('tip').hidden") and
	      all(word in tip for word in ("iterate", "%d calls" % node["count"], "total %.3f" % (node["total"] / 1e6), share, "self 0 ns")), tip)
	browser.screenshot("%s/flame-hover-%s.png" % (folder, theme))
	click(browser, x, y)
	settled(browser)
	full = place(0)[2]
	check("a click zooms in", browser.evaluate("report.flame.zoomed") == iterate and place(iterate)[2] == full > whole and place(solve)[2] == full)
	browser.screenshot("%s/flame-zoom-%s.png" % (folder, theme))
	press(browser, "Backspace")
	check("Backspace goes back", browser.evaluate("report.flame.zoomed") == 0 and place(iterate)[2] == whole)
	click(browser, *place(iterate)[:2])
	click(browser, *place(solve)[:2])
	check("a click on a caller shows more again", browser.evaluate("report.flame.zoomed") == solve)
	button(browser, "Back")
	check("so does the button", browser.evaluate("report.flame.zoomed") == iterate)
	button(browser, "All")
	check("there is a way to all of it", browser.evaluate("report.flame.zoomed") == 0)
	browser.evaluate("document.querySelector('.flame canvas').focus()")
	for key in "ArrowDown", "ArrowDown", "ArrowDown":
		press(browser, key)
	longest = max((i for i, node in enumerate(nodes) if node["parent"] == name("main")), key=lambda i: nodes[i]["total"])
	check("arrows go down to the longest", browser.evaluate("report.flame.chosen") == longest)
	check("and say what it is", nodes[longest]["name"] + ": " in text_of(browser, ".flamehead .about"), text_of(browser, ".flamehead .about"))
	press(browser, "ArrowRight")
	second = browser.evaluate("report.flame.chosen")
	press(browser, "ArrowLeft")
	check("and to its neighbours", nodes[second]["parent"] == nodes[longest]["parent"] and second != longest and
	      browser.evaluate("report.flame.chosen") == longest)
	press(browser, "Enter")
	check("Enter zooms in", browser.evaluate("report.flame.zoomed") == longest)
	browser.evaluate("document.querySelector('#timeline').focus()")
	press(browser, "w")
	before = span(browser)
	browser.evaluate("document.querySelector('.flame canvas').focus()")
	press(browser, "0")
	check("0 shows all, and leaves the timeline alone", browser.evaluate("report.flame.zoomed") == 0 and span(browser) == before)
	press(browser, "ArrowUp")
	check("up is the caller", browser.evaluate("report.flame.chosen") == name("main"))
	press(browser, "/")
	browser.call("Input.insertText", text="tile")
	tile = nodes[name("tile")]
	check("the search finds functions that called", browser.evaluate("report.flame.matched") == tile["total"] and
	      "%.1f %% of the time is in what matches the search" % (100 * tile["total"] / nodes[0]["total"]) in text_of(browser, ".flamehead .about"))
	settled(browser)
	pixel = "(() => { const [x, y] = report.flame.place(%d), one = document.querySelector('.flame canvas'), box = one.getBoundingClientRect(), ratio = one.width / box.width, " \
		"copy = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true}); " \
		"copy.drawImage(one, (box.x - x) * ratio, (box.y - y - 6) * ratio); return [...copy.getImageData(0, 0, 1, 1).data].slice(0, 3); })()"
	found, dimmed, back = browser.evaluate(pixel % name("tile")), browser.evaluate(pixel % iterate), browser.evaluate("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)")
	far = lambda colour: sum(abs(a - b) for a, b in zip(colour, back))
	check("and dims the others", far(dimmed) * 2 < far(found), [dimmed, found, back])
	browser.screenshot("%s/flame-search-%s.png" % (folder, theme))
	press(browser, "Escape")
	check("Escape ends the search", browser.evaluate("report.flame.matched") == -1)
	size = dict(width=1400, deviceScaleFactor=1, mobile=False)
	browser.call("Emulation.setDeviceMetricsOverride", height=400, **size)
	settled(browser)
	low = max(range(len(nodes)), key=lambda i: nodes[i]["depth"])
	browser.evaluate("report.flame.choose(%d)" % low)
	settled(browser)
	middle, bottom = place(low)[1], browser.evaluate("document.querySelector('.flame canvas').getBoundingClientRect().bottom")
	check("what is chosen comes into a small window, whole", bottom <= 400 and 250 < middle <= bottom - 8, [middle, bottom])
	browser.evaluate("report.flame.choose(-1)")
	browser.call("Emulation.setDeviceMetricsOverride", height=800, **size)
	settled(browser)
	button(browser, "Nesting")
	nodes = browser.evaluate("report.flame.nodes")
	steps = [node for node in nodes if node["depth"] == 1]
	check("Nesting is by marks and calls", nodes[0]["count"] == 1010 and nodes[0]["total"] == sum(node["self"] for node in nodes) and [node["name"] for node in sorted(steps, key=lambda node: node["name"])] == ["step 0", "step 1", "step 2", "step 3"] and
	      sum(node["count"] for node in steps) == 10 and max(node["depth"] for node in nodes) == 3, steps)
	browser.screenshot("%s/flame-nesting-%s.png" % (folder, theme))
	button(browser, "Callers")

def evil(browser):
	press(browser, "g")
	names = [node["name"] for node in browser.evaluate("report.flame.nodes")]
	hostile = [node for node in names if "<script>" in node]
	node = names.index(hostile[-1])
	browser.mouse_to(*browser.evaluate("report.flame.place(%d)" % node)[:2])
	settled(browser)
	check("a hostile name is text", len(hostile) >= 2 and hostile[-1] in text_of(browser, "#tip") and
	      browser.evaluate("document.querySelectorAll('img, #tip script, #panel script').length") == 0, names)
	browser.evaluate("report.flame.choose(%d)" % node)
	check("wherever it is shown", hostile[-1] in text_of(browser, ".flamehead .about"))

def many(browser, path):
	began = time.monotonic()
	shown(browser, path)
	took = time.monotonic() - began
	print("# %d slices, open after %.2f s, %.1f ms a frame" % (browser.evaluate("report.count"), took, browser.evaluate("report.frame")))
	check("a large page can be used soon", took < 20, took)
	worst = drawn = 0
	for _ in range(30):
		press(browser, "w")
		frame, count = browser.evaluate("(report.draw(), [report.frame, report.drawn])")
		worst, drawn = max(worst, frame), max(drawn, count)
	print("# %d rectangles and %.1f ms at most, on the way in" % (drawn, worst))
	check("no frame draws more than its pixels", drawn < 20000, drawn)
	press(browser, "0")
	began = time.monotonic()
	press(browser, "g")
	settled(browser)
	print("# the flame graph is there after %.2f s" % (time.monotonic() - began))
	check("a large page has a flame graph of all calls", browser.evaluate("report.flame.nodes[0].count") == browser.evaluate("report.count"))

def main():
	page, large, stacks, hostile, folded, folder = sys.argv[1:]
	pages = page, large, stacks, hostile
	with tempfile.TemporaryDirectory() as profile, Watched(profile, webgl=False) as browser:
		browser.call("Network.enable")
		for theme in "light", "dark":
			browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
			shown(browser, page)
			if theme == "light":
				timeline(browser)
				arrows(browser)
				tables(browser)
				flame(browser, folded)
			browser.screenshot("%s/small-%s.png" % (folder, theme))
			shown(browser, stacks)
			flame_hand(browser, folder, theme)
			many(browser, large)
			browser.screenshot("%s/large-%s.png" % (folder, theme))
		shown(browser, hostile)
		evil(browser)
		back = browser.evaluate("getComputedStyle(document.body).backgroundColor")
		check("dark is dark", back == "rgb(22, 24, 28)", back)
		check("nothing is said on the console", not browser.complaints, browser.complaints)
		check("no request leaves the page", all(url.startswith("file://") for url in requests) and {url[7:] for url in requests} == set(pages), requests)
		browser.evaluate("new Promise(done => { const one = new Image(); one.onerror = done; one.src = 'http://127.0.0.1:9/'; })")
		check("and none could", any("Content Security Policy" in text for text in browser.complaints), browser.complaints)
	return failed

sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report.py PAGE MANY FOLDER: does a page of `tracelayer report` do what its keys and its manual say?

PAGE is of a program with commands on a device, MANY of a million calls. A headless Chromium opens them from file://. The keys, the wheel, the
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
	code = {"Enter": 13, "Escape": 27}.get(key)
	for kind in "keyDown", "keyUp":
		browser.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code or ord(key.upper()),
			     text="" if kind == "keyUp" or key == "Escape" else "\r" if key == "Enter" else key)

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

def main():
	page, large, folder = sys.argv[1:]
	with tempfile.TemporaryDirectory() as profile, Watched(profile, webgl=False) as browser:
		browser.call("Network.enable")
		for theme in "light", "dark":
			browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
			shown(browser, page)
			if theme == "light":
				timeline(browser)
				arrows(browser)
				tables(browser)
			browser.screenshot("%s/small-%s.png" % (folder, theme))
			many(browser, large)
			browser.screenshot("%s/large-%s.png" % (folder, theme))
		back = browser.evaluate("getComputedStyle(document.body).backgroundColor")
		check("dark is dark", back == "rgb(22, 24, 28)", back)
		check("nothing is said on the console", not browser.complaints, browser.complaints)
		check("no request leaves the page", all(url.startswith("file://" + path) for url in requests for path in [url[7:]] if path in (page, large)) and
		      {url[7:] for url in requests} == {page, large}, requests)
		browser.evaluate("new Promise(done => { const one = new Image(); one.onerror = done; one.src = 'http://127.0.0.1:9/'; })")
		check("and none could", any("Content Security Policy" in text for text in browser.complaints), browser.complaints)
	return failed

sys.exit(main())

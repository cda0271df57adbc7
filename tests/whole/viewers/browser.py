# SPDX-License-Identifier: MIT
"""browser.py: drives a headless Chromium through its DevTools pipe, with Python's standard library only.

	with Browser(folder) as browser:
		browser.open("file:///…/index.html")
		print(browser.evaluate("document.title"))
		browser.screenshot("page.png")
		print(browser.complaints)	# warnings, errors and uncaught exceptions of the page so far

browser.py alone prints the path of the browser that it would start, or nothing.
"""

import base64
import json
import os
import shutil
import signal
import subprocess
import time

NAMES = "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"


def find():
	for name in NAMES:
		path = shutil.which(name)
		if path:
			return path
	return None


class Browser:
	def __init__(self, folder, width=1400, height=800, webgl=True):
		"""Start one with its profile in `folder`. Without `webgl` nothing plays the graphics card, which the processor would do."""
		self.complaints = []
		self.number = 0
		self.received = b""
		self.loaded = False
		to_browser, self.to = os.pipe()
		self.back, from_browser = os.pipe()

		def descriptors():
			# Chromium reads commands from 3 and answers on 4; dup above both first, so that neither is overwritten.
			read, write = os.dup2(to_browser, 60), os.dup2(from_browser, 61)
			os.dup2(read, 3)
			os.dup2(write, 4)
			os.close(read)
			os.close(write)

		self.process = subprocess.Popen(
			[find(), "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run",
			 "--disable-extensions", "--disable-background-networking", "--disable-component-update",
			 *(("--use-angle=swiftshader", "--enable-unsafe-swiftshader") if webgl else ("--disable-gpu",)),
			 "--allow-file-access-from-files",
			 "--disable-dev-shm-usage", "--user-data-dir=" + folder,
			 "--window-size=%d,%d" % (width, height), "about:blank"],
			close_fds=False, preexec_fn=descriptors, start_new_session=True,
			stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
		os.close(to_browser)
		os.close(from_browser)
		self.session = None
		targets = self.call("Target.getTargets")["targetInfos"]
		page = next(target for target in targets if target["type"] == "page")
		self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
		for domain in "Page", "Runtime", "Log":
			self.call(domain + ".enable")
		self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

	def __enter__(self):
		return self

	def __exit__(self, *_):
		try:
			os.killpg(self.process.pid, signal.SIGKILL)
		except ProcessLookupError:
			pass
		self.process.wait()
		os.close(self.to)
		os.close(self.back)

	def message(self):
		while b"\0" not in self.received:
			data = os.read(self.back, 1 << 20)
			if not data:
				raise RuntimeError("the browser has gone")
			self.received += data
		text, self.received = self.received.split(b"\0", 1)
		return json.loads(text)

	def event(self, method, params):
		if method == "Page.loadEventFired":
			self.loaded = True
		elif method == "Runtime.exceptionThrown":
			self.complaints.append(params["exceptionDetails"]["text"])
		elif method == "Runtime.consoleAPICalled" and params["type"] in ("warning", "error", "assert"):
			self.complaints.append(" ".join(str(arg.get("value", arg.get("description"))) for arg in params["args"]))
		elif method == "Log.entryAdded" and params["entry"]["level"] in ("warning", "error"):
			self.complaints.append(params["entry"]["text"])
		elif method == "Page.javascriptDialogOpening":
			self.complaints.append("dialog: " + params["message"])
			self.send("Page.handleJavaScriptDialog", accept=True)

	def send(self, method, **params):
		self.number += 1
		command = {"id": self.number, "method": method, "params": params}
		if self.session:
			command["sessionId"] = self.session
		text = json.dumps(command).encode() + b"\0"
		while text:
			text = text[os.write(self.to, text):]
		return self.number

	def call(self, method, **params):
		number = self.send(method, **params)
		while True:
			message = self.message()
			if message.get("id") == number:
				if "error" in message:
					raise RuntimeError("%s: %s" % (method, message["error"]["message"]))
				return message["result"]
			if "method" in message:
				self.event(message["method"], message.get("params", {}))

	def before_scripts(self, source):
		"""Run this in each page before its own scripts."""
		self.call("Page.addScriptToEvaluateOnNewDocument", source=source)

	def open(self, url):
		self.loaded = False
		self.call("Page.navigate", url=url)
		while not self.loaded:
			message = self.message()
			if "method" in message:
				self.event(message["method"], message.get("params", {}))

	def evaluate(self, expression):
		"""The value of an expression (or of the promise that it makes)."""
		answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
		if "exceptionDetails" in answer:
			raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", expression))
		return answer["result"].get("value")

	def wait(self, expression, seconds=60):
		"""Until the expression is true; its value."""
		until = time.monotonic() + seconds
		while time.monotonic() < until:
			value = self.evaluate(expression)
			if value:
				return value
			time.sleep(0.1)
		raise RuntimeError("waited %d s in vain for %s; complaints: %s" % (seconds, expression, self.complaints))

	def key(self, text):
		for kind in "keyDown", "keyUp":
			self.call("Input.dispatchKeyEvent", type=kind, key=text, text=text if kind == "keyDown" else "",
				  windowsVirtualKeyCode=ord(text.upper()))

	def mouse_to(self, x, y):
		self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

	def wheel(self, x, y, turn, modifiers=0):
		self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=turn, modifiers=modifiers)

	def screenshot(self, path):
		with open(path, "wb") as file:
			file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))


if __name__ == "__main__":
	print(find() or "")

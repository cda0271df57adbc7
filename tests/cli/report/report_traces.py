# SPDX-License-Identifier: MIT
"""Traces for the tests of `tracelayer report`, and a reader of its pages.

hostile FILE	a trace whose every text tries to become markup or script
many FILE COUNT	a trace of so many calls on four threads
stacks FILE COUNT	a trace of so many calls, in marks and in each other, with stacks
read PAGE	what the page has: a line for each slice, by its lane and time, and for each arrow
"""
import base64, html.parser, json, random, re, sys

EVIL = '</script><script>alert(1)</script><img src=x onerror=alert(2)>"\'&<!--\u2028\x01\x02\x03\\'

def hostile():
	who = {"pid": 1, "tid": 2}
	frames = {EVIL: {"name": EVIL, "category": EVIL, "parent": "circle"}, "circle": {"name": "circle" + EVIL, "parent": EVIL}}
	return {"stackFrames": frames, "traceEvents": [
		{"ph": "M", **who, "name": "process_name", "args": {"name": EVIL}},
		{"ph": "M", **who, "name": "process_labels", "args": {"labels": EVIL}},
		{"ph": "M", **who, "name": "thread_name", "args": {"name": EVIL}},
		{"ph": "M", **who, "name": "tracelayer", "args": {EVIL: EVIL}},
		{"ph": "X", **who, "name": EVIL, "cat": EVIL, "ts": 1, "dur": 5, "sf": EVIL, "args": {EVIL: [EVIL, {EVIL: -1.5}, 7, None, True, "0x1f", "0x01"]}},
		{"ph": "X", "pid": EVIL, "tid": EVIL, "name": "crossing", "ts": 1, "dur": 5},
		{"ph": "X", "pid": EVIL, "tid": EVIL, "name": "crossed", "ts": 3, "dur": 5},
		{"ph": "B", **who, "name": "unended", "ts": 10},
		{"ph": "i", **who, "name": "instant", "ts": 12, "s": "t"},
		{"ph": "s", **who, "name": EVIL, "id": EVIL, "ts": 2},
		{"ph": "f", "pid": 1, "tid": 2, "name": EVIL, "id": EVIL, "ts": 12},
	]}

# Who calls whom in stacks(). The last of a line makes the calls.
WAYS = ["main/solve/assemble/gather", "main/solve/assemble/scatter", "main/solve/iterate/multiply<double, 4>", "main/solve/iterate/dot", "main/solve/iterate/norm",
	"main/load/read", "main/load/parse/next_line", "main/write/format", "main/write/flush", "main/solve/iterate/multiply<double, 4>/tile/row"]

def stacks(count):
	chance, frames, ids = random.Random(18), {}, {}
	for way in WAYS:
		names = way.split("/")
		for depth in range(len(names)):
			place = "/".join(names[:depth + 1])
			ids.setdefault(place, str(len(ids) + 1))
			frames[ids[place]] = {"name": names[depth], "category": "solver"} | ({"parent": ids["/".join(names[:depth])]} if depth else {})
	events, now = [{"ph": "M", "pid": 1, "tid": 1, "name": "process_name", "args": {"name": "solver"}}], 0.0
	who = {"pid": 1, "tid": 1, "cat": "test"}
	for i in range(count // 2):
		way, whole = chance.choice(WAYS), round(chance.expovariate(0.1) + 3, 3)
		if i % 50 == 0:
			events.append({"ph": "B", **who, "cat": "context", "name": "step %d" % (i // 50 % 4), "ts": round(now, 3)})
		call = "call_" + way.split("/")[-1].split("<")[0]
		events.append({"ph": "X", **who, "name": call, "ts": round(now + 1, 3), "dur": whole, "sf": ids[way], "args": {}})
		events.append({"ph": "X", **who, "name": "driver_call", "ts": round(now + 2, 3), "dur": round(whole / 2 - 1, 3), "sf": ids[way], "args": {}})
		now += whole + 2
		if i % 50 == 49:
			events.append({"ph": "E", **who, "cat": "context", "name": "step %d" % (i // 50 % 4), "ts": round(now, 3)})
	return {"traceEvents": events, "stackFrames": frames}

def many(count):
	yield {"ph": "M", "pid": 1, "tid": 1, "name": "process_name", "args": {"name": "many"}}
	for i in range(count):
		yield {"ph": "X", "pid": 1, "tid": 1 + i % 4, "name": "call%d" % (i % 7), "cat": "test,failed" if i % 100 == 99 else "test",
		       "ts": i + 0.25, "dur": 1.5, "args": {"handle": hex(0x7f0000000000 + i % 50 * 64), "size": i, "result": "FINE"}}

class Page(html.parser.HTMLParser):
	"""The page as a browser takes it apart: elements, and the texts of scripts by their ids."""
	def __init__(self):
		super().__init__()
		self.elements, self.scripts, self.inside = [], {}, None

	def handle_starttag(self, tag, attrs):
		attrs = dict(attrs)
		self.elements.append((tag, attrs))
		self.inside = attrs.get("id", "") if tag == "script" else None

	def handle_data(self, data):
		if self.inside is not None:
			self.scripts[self.inside] = self.scripts.get(self.inside, "") + data

	def handle_endtag(self, tag):
		self.inside = None

def varints(data):
	value = shift = 0
	for byte in data:
		value |= (byte & 127) << shift
		shift += 7
		if byte < 128:
			yield value
			value = shift = 0

def read(path):
	page = Page()
	with open(path, encoding="utf-8") as file:
		page.feed(file.read())
	facts = json.loads(page.scripts["facts"])
	column = {name: varints(base64.b64decode(page.scripts.get(name, ""))) for name in ("starts", "durations", "sliceKinds", "arguments", "arrowEnds", "stacks")}
	texts, frames, slices = facts["texts"], facts["frames"], []

	def fill(match):
		value = next(column["arguments"])
		return (str(value), '"0x%s"' % facts["addresses"][value] if value < len(facts["addresses"]) else "",
			json.dumps(texts[value]) if value < len(texts) else "")[ord(match.group()) - 1]

	def callers(frame):
		while frame:
			yield texts[frames[2 * frame - 1]]
			frame = frames[2 * frame - 2]

	for lane in facts["lanes"]:
		for row, count in enumerate(lane["rows"]):
			end = 0
			for _ in range(count):
				start, duration, kind = end + next(column["starts"]), next(column["durations"]), 3 * next(column["sliceKinds"])
				shape = re.sub("[\1-\3]", fill, texts[next(column["arguments"])])
				end = start + duration
				slices.append((facts["processes"][lane["process"]]["number"], lane["number"], row, start, duration, texts[facts["kinds"][kind]],
					       facts["kinds"][kind + 2], json.loads(shape) if shape else {}, list(callers(next(column["stacks"], 0)))))
	return page, facts, slices, sum(1 for _ in column["arrowEnds"]) // 4

if __name__ == "__main__":
	if sys.argv[1] == "read":
		page, facts, slices, arrows = read(sys.argv[2])
		print(len(slices), "slices,", arrows, "arrows,", sum(tag == "script" for tag, _ in page.elements), "scripts,",
		      sum(tag == "img" for tag, _ in page.elements), "pictures")
		for one in slices:
			print(*one[:5], one[6], json.dumps(one[5]), json.dumps(one[7]), *(json.dumps(name) for name in one[8]))
	else:
		with open(sys.argv[2], "w") as file:
			json.dump(hostile() if sys.argv[1] == "hostile" else stacks(int(sys.argv[3])) if sys.argv[1] == "stacks" else list(many(int(sys.argv[3]))), file)

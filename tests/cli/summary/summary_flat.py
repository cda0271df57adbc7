# SPDX-License-Identifier: MIT
"""The tables of records without their history, compared with those of all calls.

make FOLDER SEED		of FOLDER/trace.json (summary_device.py) the .tlt files 100.tlt and 200.tlt, as two processes would write
				them, with marks and own events at random
large FOLDER TIMES		FOLDER/large.tlt: process 100, again and again
json FOLDER TIMES PLAIN MEMBERS	of FOLDER/trace.json, with marks and own events: large.json, all of it again and again; late.json.gz, with so many
				plain calls before; mixed.json.gz, with them at the same time, though before them in the file; plain.json.gz and
				more.json.gz, of MEMBERS times as many plain calls only, the second with five times as many again
memory TRACELAYER FEW MANY KB	the summary of FILE MANY takes at most so much memory more than that of FEW
compare TRACELAYER BY FILE... [-- FILE...]...
				of each of these: `summary` and `summary --exact` agree: percentiles to 1.6 % where a file is JSON, which has more than a
				million events then; everything else exactly
"""
import gzip, itertools, json, os, random, struct, subprocess, sys

# ---- records (tracelayer-record(5)) ----

class Texts:
	def __init__(self):
		self.units, self.numbers = bytearray(8), {}	# no text has the number 0

	def number(self, text):
		if text not in self.numbers:
			data = text.encode()
			self.numbers[text] = len(self.units) // 8
			self.units += struct.pack("<II", len(data), 1) + data + bytes(-len(data) % 8)
		return self.numbers[text]

def piece(kind, body):
	body += bytes(-len(body) % 8)
	return struct.pack("<IIQ", 0x43504c54, kind, 16 + len(body)) + body

def number(value):
	out = bytearray()
	while value > 127:
		out.append(value & 127 | 128)
		value >>= 7
	return bytes(out) + bytes([value])

def text(value):
	return value.encode() + b"\0"

def api(functions):
	"""Functions of no parameters, whose int means failure where it is not 0."""
	body = b"tlapi 2\0" + text("opencl") + text("1") + number(1) + number(len(functions)) + number(0) + number(0)
	body += number(2) + text("int") + number(4)
	for name in functions:
		body += text(name) + number(0) + number(0) + number(2) + number(0) + number(1) + number(0) * 2 + text("a.h") + number(1) + number(0)
	return piece(4, struct.pack("<II", 1, len(body)) + body)

def value_of(texts, value):
	if isinstance(value, str):
		return 5, texts.number(value)
	if isinstance(value, bool):
		return 4, int(value)
	return (1, value & 2**64 - 1) if value < 0 else (0, value)

def event_record(texts, lanes, event):
	args = {k: v for k, v in event.get("args", {}).items() if k != "request"}
	lane = lanes.get(event["tid"], 0)
	head = struct.pack("<HBBIQQIBBHII", 5 + 2 * len(args), 5, 1, texts.number(event.get("name", "")), round(event["ts"] * 1000),
		round(event.get("dur", 0) * 1000), lane, ord(event["ph"]), 0, len(args), texts.number(event["cat"].split(",")[0]),
		event.get("args", {}).get("request", 0))
	return head + b"".join(struct.pack("<IIQ", texts.number(k), *value_of(texts, v)) for k, v in args.items())

def call_record(functions, event):
	args = event["args"]
	cause = "correlation" in args or "request" in args
	head = struct.pack("<HBBIQQQ", 4 + cause, 1, 16 * cause, 1 << 16 | functions.index(event["name"]), round(event["ts"] * 1000),
		round(event["dur"] * 1000), int("failed" in event["cat"]))
	return head + (struct.pack("<II", args.get("correlation", 0), args.get("request", 0)) if cause else b"")

def trace(rng, pid, events, lane_names):
	"""A file of one process. Each thread's records in the order of their ends; device events in any thread's."""
	texts, functions = Texts(), sorted({e["name"] for e in events if e["cat"].startswith("opencl")})
	threads = sorted({e["tid"] for e in events if e["tid"] not in lane_names})
	lanes = {tid: 100 + i for i, tid in enumerate(sorted(lane_names))}
	records = {tid: [] for tid in threads}
	for event in sorted(events, key=lambda e: e["ts"] + e.get("dur", 0)):
		of = event["tid"] if event["tid"] in records else rng.choice(threads)
		is_call = event["cat"].startswith("opencl")
		records[of].append(call_record(functions, event) if is_call else event_record(texts, lanes, event))
	out = bytearray(struct.pack("<8sIIIIIIIIQQ40s64sQ", b"tracelyr", 1, 0x01020304, 2, 4096, 8, 0, pid, 0, 1, 0, b"boot", b"", 0))
	out += bytes(4096 - len(out))
	members = b'"host":"h","executable":"/bin/app","monotonic_ns":20'
	out += piece(1, struct.pack("<IIqQQ256s72sI", pid, 0, 0, 20, 0, b"app", b"h", len(members)) + members + bytes(8))
	out += api(functions)
	for at, tid in enumerate(threads):
		out += piece(5, struct.pack("<IIII16s", at + 1, tid, tid, 0, b"worker") + bytes(256))
		portion, counter = b"", 0
		for record in records[tid] + [None]:
			if record is None or len(portion) > 400:
				counter += 1
				out += piece(6, struct.pack("<IIQQ", at + 1, 128, counter, len(portion)) + bytes(88) + portion)
				portion = b""
			portion += record or b""
	entries = b"".join(struct.pack("<IIIi16x", lanes[tid], tid, texts.number(name), 1) for tid, name in sorted(lane_names.items()))
	out += piece(9, bytes(16) + entries) + piece(8, struct.pack("<IIQ", 0, 0, 0) + bytes(texts.units))
	return out + piece(7, struct.pack("<QQQQ", len(events), 0, 0, 0))

def own_events(rng, pid, calls):
	"""What a program says itself: slices and marks within calls that have none inside. The last mark of a thread does not end."""
	for call in calls:
		inside = [c for c in calls if c is not call and c["tid"] == call["tid"] and call["ts"] <= c["ts"] and
			  c["ts"] + c["dur"] <= call["ts"] + call["dur"]]
		size = round(call["dur"] * 1000)
		if inside or size < 5 or rng.random() < 0.5:
			continue
		start, stop = sorted(rng.sample(range(1, size), 2))
		head = {"pid": pid, "tid": call["tid"], "name": rng.choice(["layer", "step"]), "cat": "context"}
		args = rng.choice([{}, {"request": 7}])
		start, stop = round(call["ts"] * 1000) + start, round(call["ts"] * 1000) + stop
		if rng.random() < 0.5:
			yield {"ph": "X", **head, "ts": start / 1000, "dur": (stop - start) / 1000, "args": args}
			continue
		yield {"ph": "B", **head, "ts": start / 1000, "args": args}
		yield {"ph": "E", **head, "ts": stop / 1000}
	yield {"ph": "B", "pid": pid, "tid": pid, "name": "step", "cat": "context", "ts": 9}

def make(folder, seed):
	rng = random.Random(seed)
	events = json.load(open(f"{folder}/trace.json"))
	for pid in 100, 200:
		names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["pid"] == pid and e["name"] == "thread_name"}
		mine = [e for e in events if e["ph"] == "X" and e["pid"] == pid]
		calls = [e for e in mine if e["tid"] not in names]
		with open(f"{folder}/{pid}.tlt", "wb") as f:
			f.write(trace(rng, pid, mine, names))
		with open(f"{folder}/{pid}.own.tlt", "wb") as f:
			f.write(trace(rng, pid, mine + list(own_events(rng, pid, calls)), names))

def shifted(event, time, number):
	args = dict(event["args"])
	if "correlation" in args:
		args["correlation"] += number
	return {**event, "ts": event["ts"] + time, "args": args}

def large(folder, times):
	events = json.load(open(f"{folder}/trace.json"))
	names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["pid"] == 100 and e["name"] == "thread_name"}
	mine = [e for e in events if e["ph"] == "X" and e["pid"] == 100]
	many = [shifted(e, 4 * i, 1000 * i) for i in range(times) for e in mine]
	with open(f"{folder}/large.tlt", "wb") as f:
		f.write(trace(random.Random(1), 100, many, names))

def template(event):
	"""The event's line, with places for its time in microseconds and its correlation."""
	args = {**event.get("args", {})}
	correlation = args.pop("correlation", None)
	line = json.dumps({**{k: v for k, v in event.items() if k != "ts"}, "args": args}).replace("%", "%%")
	line = '{"ts": %.3f, ' + line[1:]
	if correlation is None:
		return lambda time, number: line % (event["ts"] + time) + ",\n"
	line = line.replace('"args": {', '"args": {"correlation": %d' + ", " * bool(args))
	return lambda time, number: line % (event["ts"] + time, correlation + number) + ",\n"

def shifts(events, times):
	templates = [template(event) for event in events]
	return "".join(line(4 * i, 1000 * i) for i in range(times) for line in templates)

def json_files(folder, times, count, repeated):
	rng = random.Random(5)
	events = json.load(open(f"{folder}/trace.json"))
	names = "".join(json.dumps(e) + ",\n" for e in events if e["ph"] == "M")
	lanes = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
	slices = [e for e in events if e["ph"] == "X"]
	for pid in 100, 200:
		calls = [e for e in slices if e["pid"] == pid and (pid, e["tid"]) not in lanes]
		slices += list(own_events(rng, pid, calls))[:-1]
	# One text is no plain one for the quick reader, and a few are in another alphabet.
	slices.append({**slices[0], "name": "a \"quoted\" name \u00e9", "args": {"text": "caf\u00e9 \\ \t"}})
	with open(f"{folder}/large.json", "w") as f:
		f.write("[\n" + names + shifts(slices, times)[:-2] + "\n]\n")
	def plain(start, *tids):
		line = '{"ph":"X","pid":100,"name":"%s","cat":"opencl,runtime","tid":%d,"ts":%.3f,"dur":0.%03d,"args":{"result":0}},\n'
		# Between the 3.6 us that events take which come every 4 us.
		return "".join(line % ("tick" if i % 3 else "tock", tids[i % len(tids)], start + i // 19 * 4 + 3.6 + i % 19 / 50, i % 19 + 1) for i in range(count))
	short = shifts(slices, 50)[:-2] + "\n]\n"
	for name, before in ("late", plain(-count, 777)), ("mixed", plain(0, 100, 101)):
		with open(f"{folder}/{name}.json.gz", "wb") as f:
			f.write(gzip.compress(("[\n" + names + before + short).encode(), 1))
	member = gzip.compress(plain(0, 777).encode(), 1)
	for name, members in ("plain", repeated), ("more", 5 * repeated):
		with open(f"{folder}/{name}.json.gz", "wb") as f:
			f.write(gzip.compress(b"[\n") + member * members + gzip.compress(b'{"ph":"C","pid":1,"tid":1,"ts":5,"name":"counter"}]'))

def memory(command, few, many, most):
	peaks = []
	for path in (few, many):
		pid = os.posix_spawn(command, [command, "summary", path], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
		peaks.append(os.wait4(pid, 0)[2].ru_maxrss)
	assert peaks[1] < peaks[0] + most, peaks

# ---- comparing ----

ROUGH = {"median_ns", "p99_ns"}
NAMES = ("thread", "process", "request", "of_queue", "function", "event", "kernel", "transfer", "command", "queue", "waited_for")

def tables(command, *arguments):
	done = subprocess.run([command, "summary", "--json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
	by_name = {}
	for table in json.loads(done.stdout)["tables"]:
		wait = table["table"] == "idle time"
		names = [n for n in NAMES if n != "waited_for" or wait]
		by_name[table["table"]] = {tuple(str(row.get(n)) for n in names): row for row in table["rows"]}
		assert len(by_name[table["table"]]) == len(table["rows"])
	return done.returncode, done.stderr.decode(), by_name

def compare(command, by, files):
	by, *part = by.split()
	rough = ROUGH if any("json" in path.rsplit("/", 1)[1] for path in files) else ()
	exact, flat = (tables(command, *way, "--sort=self", f"--by={by}", *part, *files) for way in (["--exact"], []))
	assert exact[:2] == flat[:2], (exact[:2], flat[:2])
	assert list(exact[2]) == list(flat[2])
	for table, rows in exact[2].items():
		assert set(rows) == set(flat[2][table]), (table, set(rows) ^ set(flat[2][table]))
		for key, row in rows.items():
			got = flat[2][table][key]
			for column, value in row.items():
				near = abs(got[column] - value) <= value / 64 if column in rough else got[column] == value
				# Two causes may have taken the same time.
				same = column == "waited_for" and got.get("waited_for_share") == row.get("waited_for_share")
				assert near or same, (table, key, column, value, got[column])

if sys.argv[1] == "make":
	make(sys.argv[2], int(sys.argv[3]))
elif sys.argv[1] == "large":
	large(sys.argv[2], int(sys.argv[3]))
elif sys.argv[1] == "json":
	json_files(sys.argv[2], *map(int, sys.argv[3:6]))
elif sys.argv[1] == "memory":
	memory(*sys.argv[2:5], int(sys.argv[5]))
else:
	for _, files in itertools.groupby(sys.argv[4:], lambda word: word == "--"):
		if (files := list(files)) != ["--"]:
			compare(sys.argv[2], sys.argv[3], files)

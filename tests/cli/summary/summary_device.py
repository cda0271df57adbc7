# SPDX-License-Identifier: MIT
"""Device traces whose right summary is known: made at random, and told nanosecond by nanosecond.

make DIRECTORY SEED	trace.json, the same in other forms, and trace.answers.json
check TRACELAYER DIRECTORY BY	what the command says of them, as JSON and CSV, is what is in the answers

The answers come from the definitions alone: for each nanosecond in which a queue is idle, the command that comes next, the call that submitted it, and the
innermost call that its thread is in. Nothing is sorted into intervals.
"""
import csv, gzip, io, json, math, random, subprocess, sys
from collections import Counter, defaultdict

SPAN = 3000	# nanoseconds
MIDDLE = {"read": "read device to {}", "write": "write {} to device", "copy": "copy device to {}", "fill": "fill device",
	  "map": "map device to {}", "unmap": "unmap {} to device", "migrate": "migrate to {}"}

class Call:
	def __init__(self, pid, tid, name, start, end, correlation=0, request=0, failed=False):
		self.__dict__.update(locals())

class Command:
	def __init__(self, pid, queue, name, kind, start, end, correlation, request, nbytes, peer):
		self.__dict__.update(locals())

def nest(rng, calls, pid, tid, start, end, depth, number):
	"""Calls one behind the other in [start, end), some with calls inside."""
	at = start
	while True:
		at += rng.randrange(1, 120)
		stop = at + rng.randrange(2, 150)
		if stop > end:
			return
		submits = rng.random() < 0.5
		calls.append(Call(pid, tid, rng.choice(["launch", "copy", "flush", "wait"]), at, stop,
				  next(number) if submits else 0, rng.choice([0, 0, 7, 8]), rng.random() < 0.1))
		if depth and rng.random() < 0.3:
			nest(rng, calls, pid, tid, at, stop, depth - 1, number)
		at = stop

def count_from(first):
	while True:
		yield first
		first += 1

def make(rng):
	calls, commands = [], []
	for pid in 100, 200:
		number = count_from(1)
		for tid in pid, pid + 1:
			nest(rng, calls, pid, tid, 0, SPAN, 2, number)
		for call in [c for c in calls if c.pid == pid and c.correlation]:
			for _ in range(rng.choice([1, 1, 2])):
				kind = rng.choice(["kernel", "kernel", "read", "write", "copy", "fill", "map", "unmap", "migrate", "sync", "other"])
				start = call.start + rng.randrange(0, 200)
				commands.append(Command(pid, rng.choice([1, 2]), rng.choice(["saxpy", "dot"]) if kind == "kernel" else kind + " it",
					kind, start, start + rng.choice([0, 1, 30, 90]), call.correlation, call.request,
					None if kind in ("kernel", "sync", "other") or rng.random() < 0.2 else rng.randrange(1, 9999),
					rng.choice(["host", "other GPU", None])))
		# Nobody is known to have submitted this one.
		commands.append(Command(pid, 1, "orphan", "kernel", SPAN + 500, SPAN + 520, 0, 0, None, None))
	return calls, commands

# ---- events ----

def head(pid):
	return [{"ph": "M", "pid": pid, "tid": 0, "name": "process_name", "args": {"name": "app"}},
		{"ph": "M", "pid": pid, "tid": 0, "name": "tracelayer", "args": {"host": "h", "executable": "/bin/app", "rank": None}}] + \
	       [{"ph": "M", "pid": pid, "tid": 9000 + 2 * queue + more, "name": "thread_name", "args": {"name": f"GPU queue {queue}" + " (2)" * more}}
		for queue in (1, 2) for more in (0, 1)]

def event_of(thing):
	event = {"ph": "X", "pid": thing.pid, "name": thing.name, "ts": thing.start / 1000, "dur": (thing.end - thing.start) / 1000}
	args = {name: value for name, value in (("correlation", thing.correlation), ("request", thing.request)) if value}
	if isinstance(thing, Call):
		event.update(tid=thing.tid, cat="opencl,runtime" + ",failed" * thing.failed, args=args)
		return event
	args.update(kind=thing.kind, queue=thing.queue, device="GPU", start=123456)
	if thing.nbytes is not None:
		args["bytes"] = thing.nbytes
	if thing.peer:
		args["peer"] = thing.peer
	event.update(tid=9000 + 2 * thing.queue + (thing.start % 2), cat="device,operator", args=args)
	return event

def end(size):
	return {"ph": "M", "pid": 100, "tid": 0, "name": "tracelayer_end", "args": {"events": 1, "lost": 0, "event_bytes": size}}

# ---- answers ----

def rank(sorted_list, percent):
	return sorted_list[max(0, math.ceil(len(sorted_list) * percent / 100) - 1)]

def times(durations):
	d = sorted(durations)
	return {"total_ns": sum(d), "min_ns": d[0], "median_ns": rank(d, 50), "p99_ns": rank(d, 99), "max_ns": d[-1]}

def row_name(command):
	if command.kind in ("kernel", "sync", "other"):
		return command.name
	return MIDDLE[command.kind].format(command.peer or ("device" if command.kind in ("copy", "migrate") else "host"))

def table_of(command):
	return {"kernel": "kernels", "sync": "other commands", "other": "other commands"}.get(command.kind, "transfers")

def submitter(calls, command):
	return next((c for c in calls if command.correlation and c.pid == command.pid and c.correlation == command.correlation), None)

def innermost(calls, pid, tid, at):
	inside = [c for c in calls if c.pid == pid and c.tid == tid and c.start <= at < c.end]
	return max(inside, key=lambda c: (c.start, -c.end)).name if inside else "(program)"

def cause(calls, gap_start, command, at):
	call = submitter(calls, command)
	if not call:
		return "(unknown)"
	if call.start <= gap_start or at >= max(call.start, call.end):
		return "(device)"
	return call.name if at >= call.start else innermost(calls, call.pid, call.tid, at)

def idle(calls, commands, group):
	"""{queue: row}, {(group, queue, cause): [ns in each gap]}"""
	queues, waits = {}, defaultdict(Counter)
	for key in sorted({(c.pid, c.queue) for c in commands}):
		mine = sorted((c for c in commands if (c.pid, c.queue) == key), key=lambda c: (c.start, c.end, c.correlation))
		first, last = mine[0].start, max(c.end for c in mine)
		busy = [any(c.start <= t < c.end for c in mine) for t in range(first, last)]
		gaps = []
		for t in range(first, last):
			if busy[t - first]:
				continue
			# A command of no duration ends a gap, too.
			if not gaps or gaps[-1][1] != t or any(c.start == t for c in mine):
				gaps.append([t, t])
			gaps[-1][1] = t + 1
			following = next(c for c in mine if c.start > t)
			waits[group(following), key, cause(calls, gaps[-1][0], following, t)][len(gaps)] += 1
		queues[key] = {"commands": len(mine), "span_ns": last - first, "busy_ns": sum(busy), "idle_ns": len(busy) - sum(busy),
			       "gaps": len(gaps), "longest_gap_ns": max((b - a for a, b in gaps), default=0)}
	return queues, waits

def label(by, thing, calls):
	if by == "function":
		return None
	if by == "process":
		return f"{thing.pid} app"
	if by == "request":
		call = thing if isinstance(thing, Call) else submitter(calls, thing)
		return str(thing.request or (call.request if call else 0) or "-")
	if by == "thread":
		call = thing if isinstance(thing, Call) else submitter(calls, thing)
		return f"{call.pid}: {call.tid}" if call else "-"
	return f"{thing.pid}: GPU queue {thing.queue}"

def answers(calls, commands, by):
	group = lambda thing: label(by, thing, calls)
	tables = defaultdict(dict)
	rows = defaultdict(list)
	if by == "queue":	# a call is of the queue that it submitted to: of the first one, where there are two
		queue_of = {(c.pid, c.correlation): c for c in sorted(commands, key=lambda c: -c.queue) if c.correlation}
		of_call = lambda c: group(queue_of[c.pid, c.correlation]) if (c.pid, c.correlation) in queue_of else "-"
	else:
		of_call = group
	for c in calls:
		rows["host calls", of_call(c), c.name].append(c)
	for c in commands:
		rows[table_of(c), group(c), row_name(c)].append(c)
	whole = sum(c.end - c.start for c in commands)
	for (table, of, name), things in rows.items():
		row = times([c.end - c.start for c in things])
		if table == "host calls":
			row.update(calls=len(things), failed=sum(c.failed for c in things))
		else:
			row.update(count=len(things), share=row["total_ns"] / whole)
		if table == "transfers":
			moved = [c for c in things if c.nbytes is not None]
			time = sum(c.end - c.start for c in moved)
			row.update(bytes=sum(c.nbytes for c in moved), average_gb_per_s=sum(c.nbytes for c in moved) / time if time else None,
				   best_gb_per_s=max((c.nbytes / (c.end - c.start) for c in moved if c.end > c.start), default=0) if time else None)
		tables[table][f"{of} | {name}"] = row
	queues, waits = idle(calls, commands, group if by in ("thread", "request") else lambda c: None)
	for (pid, queue), row in queues.items():
		of = {"process": f"{pid} app"}.get(by)
		tables["queues"][f"{of} | {pid}: GPU queue {queue}"] = row
	for (of, (pid, queue), why), gaps in waits.items():
		of = f"{pid} app" if by == "process" else of
		tables["idle time"][f"{of} | {pid}: GPU queue {queue} | {why}"] = {"gaps": len(gaps), "total_ns": sum(gaps.values()),
			"longest_ns": max(gaps.values()), "share_of_idle": sum(gaps.values()) / queues[pid, queue]["idle_ns"]}
	return tables

def write(folder, rng):
	calls, commands = make(rng)
	events = [event_of(thing) for thing in calls + commands]
	rng.shuffle(events)
	start, size = head(100) + head(200), 1000 * rng.randrange(2, 99)
	with open(f"{folder}/trace.json", "w") as f:
		json.dump(start + events + [end(size)], f)
	with gzip.open(f"{folder}/trace.json.gz", "wt") as f:
		json.dump({"traceEvents": start + events + [end(size)]}, f)
	for number, part in enumerate((events[0::2], events[1::2])):
		with open(f"{folder}/split.{number}.json", "w") as f:
			json.dump(start + part + [end(size / 2)], f)
	with open(f"{folder}/answers.json", "w") as f:
		json.dump({"size": size, **{by: answers(calls, commands, by) for by in ("function", "thread", "queue", "process", "request")}}, f)

# ---- checking ----

GROUP = {"function": None, "thread": "thread", "queue": "of_queue", "process": "process", "request": "request"}
NAMES = ("function", "kernel", "transfer", "command")

def key_of(by, table, row):
	of = row.get(GROUP[by]) if GROUP[by] else None
	if table == "queues":
		return f"{of} | {row['queue']}"
	if table == "idle time":
		return f"{of} | {row['queue']} | {row['waited_for']}"
	return f"{of} | {next((row[n] for n in NAMES if n in row), '')}"

def close(got, want):
	return got == want or isinstance(want, float) and isinstance(got, (int, float)) and abs(got - want) <= 6e-7

def compare(by, got, want, size):
	got = {table["table"]: {key_of(by, table["table"], row): row for row in table["rows"]} for table in got["tables"]}
	for table, rows in want.items():
		assert set(got[table]) == set(rows), (by, table, set(got[table]) ^ set(rows))
		for key, row in rows.items():
			for name, value in row.items():
				assert close(got[table][key][name], value), (by, table, key, name, got[table][key][name], value)
	extra = {"threads", "processes", "requests", "event memory"}
	assert sum(len(rows) for table, rows in got.items() if table not in extra) == sum(map(len, want.values()))
	memory, = got["event memory"].values()
	time = sum(row["total_ns"] for table in ("kernels", "transfers", "other commands") for row in want[table].values())
	assert (memory["bytes"], memory["device_ns"]) == (size, time), (memory, size, time)
	assert abs(memory["bytes_per_device_ms"] - size * 1e6 / time) <= 0.5

def run(command, *arguments):
	return subprocess.run([command, "summary", *arguments], stdout=subprocess.PIPE, check=True).stdout.decode()

def check(command, folder, by, files):
	paths = [f"{folder}/{file}" for file in files]
	want = json.load(open(f"{folder}/answers.json"))
	tables = json.loads(run(command, "--json", f"--by={by}", *paths))
	compare(by, tables, want[by], want["size"])
	parts = run(command, "--csv", f"--by={by}", *paths).split("\r\n\r\n")
	assert len(parts) == len(tables["tables"])
	for part, table in zip(parts, tables["tables"]):
		rows = list(csv.DictReader(io.StringIO(part, newline=""), strict=True))
		assert [{k: "" if v is None else f"{v:.6f}" if isinstance(v, float) else str(v) for k, v in row.items()} for row in table["rows"]] == rows, part
		totals = [row.get("total_ns", row.get("busy_ns", row.get("span_ns"))) for row in table["rows"]]
		assert by != "function" or totals == sorted(totals, reverse=True), totals

if sys.argv[1] == "make":
	write(sys.argv[2], random.Random(int(sys.argv[3])))
else:
	check(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:])

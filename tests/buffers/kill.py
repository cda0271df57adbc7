#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kill.py ROUNDS [SEED]: kill tests/apps/kill_target at random instants, and see what is left.
kill.py check COUNTS TRACE...: see that these traces have what was counted; print how many calls, and how many were unfinished.
kill.py wait COUNTS CALLS: wait until so many calls have returned.
kill.py pids COUNTS: print the processes' numbers.

Each round starts it, in one of several ways, waits until its threads have made some random number of calls (none; a few; so many that
chunks have been handed over and written), and kills it. Then there must be a trace in which, for each thread, recovered - counted is 0 or 1; no
call is there twice or missing in between; every argument is right; a call is unfinished only if it is the next one; and which tests/lib/check_trace.py
finds sound. Nothing else may be left behind.

Prints "ok" or "not ok" and a description for each round, for kill.sh. The seed is printed, to be given again.
"""

import glob
import mmap
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "tests", "lib"))
sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "tests", "format", "encode"))
import check_trace

BUILD = os.path.abspath(os.environ["top_builddir"])
TRACELAYER = os.path.join(BUILD, "tracelayer")
TARGET = os.path.join(BUILD, "tests/apps/kill_target")
SHIMS = os.path.join(BUILD, ".libs/libkill_shims.so")
LAYER = os.path.join(BUILD, ".libs/libtracelayer.so")
PROCESSES, THREADS = 16, 4
ENDINGS = [".json", ".json", ".json.gz", ".pftrace", ".tlt"]
PATIENCE = 60
# Of calls before the end, as a power of ten.
MOST = 5.2 if os.environ.get("STRESS") else 4.6


class Counts:
	"""struct counts of kill_target.c."""

	def __init__(self, path):
		self.path = path
		with open(path, "ab") as file:
			file.truncate(4 * PROCESSES + 64 * PROCESSES * THREADS)
		with open(path, "r+b") as file:
			self.memory = mmap.mmap(file.fileno(), 0)

	def pids(self):
		return [pid for pid in struct.unpack_from("%dI" % PROCESSES, self.memory) if pid]

	def thread(self, number):
		return struct.unpack_from("Q", self.memory, 4 * PROCESSES + 64 * number)[0]

	def total(self):
		return sum(self.thread(number) for number in range(PROCESSES * THREADS))


def environment(**more):
	clean = {name: value for name, value in os.environ.items() if not name.startswith("TRACELAYER_")}
	return dict(clean, **more)


def is_gone(pid):
	try:
		with open("/proc/%d/stat" % pid) as file:
			return file.read().rsplit(")", 1)[1].split()[0] == "Z"
	except OSError:
		return True


def wait_until(condition, what):
	end = time.monotonic() + PATIENCE
	while not condition():
		if time.monotonic() > end:
			raise AssertionError("waited too long until " + what)
		time.sleep(0.0002)


def buffers_of(pids, others):
	"""What they left, but for what other processes did that had the same numbers."""
	return [path for pid in pids for path in glob.glob("/dev/shm/tracelayer-buffers.%d.*" % pid) if path not in others]


def read_json(path):
	trace = check_trace.Trace(path, False)
	check_trace.check_sound(trace)
	assert not trace.errors, "; ".join(trace.errors[:3])
	return trace.events


def read_pftrace(path):
	"""As events of JSON, as far as they are looked at here."""
	if "pftrace" not in sys.modules:
		sys.argv[1:] = [os.path.join(os.environ["tmp"], "python")] + sys.argv[1:]
		import pftrace
		del sys.argv[1]
	with open(path, "rb") as file:
		trace = sys.modules["pftrace"].Trace(file.read())
	return [{"ph": "X", "pid": path, "tid": tid, "name": name, "args": dict(args)} for tid, _, _, name, _, args, _ in trace.slices()]


def read_tlt(path):
	made = path + ".json"
	done = subprocess.run([TRACELAYER, "export", path, "-o", made], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
	assert done.returncode == 0, "tracelayer export: %d, %s" % (done.returncode, done.stdout)
	return read_json(made)


def read(path):
	return (read_tlt if path.endswith(".tlt") else read_pftrace if path.endswith(".pftrace") else read_json)(path)


def check_thread(number, events, unfinished, counted, deep):
	calls = sorted(event["args"]["n"] for event in events)
	recovered = len(calls)
	what = "thread %d: counted %d, recovered %d" % (number, counted, recovered)
	assert 0 <= recovered - counted <= 1, what
	assert calls == list(range(recovered)), what + ", but not each call once"
	for event in events:
		args = event["args"]
		if event["name"] == "kill_step":
			assert args["minus"] == -number and args["triple"] == 3 * args["n"], "%s: %r" % (what, args)
		else:
			assert args["n"] % 8 == 7 and args["text"] == "call %d of thread %d" % (args["n"], number), "%s: %r" % (what, args)
		assert args["result"] is not None, "%s: %r" % (what, args)
	assert unfinished <= (0 if recovered > counted else deep), "%s, and %d are unfinished" % (what, unfinished)


def check_traces(paths, counts, deep=1):
	"""All traces of one round: each sound, and together they have each thread's calls."""
	threads, unfinished, lanes = {}, {}, {}
	for path in paths:
		for event in read(path):
			if event["ph"] != "X":
				continue
			lane = event["pid"], event["tid"]
			if event["args"].get("unfinished"):
				unfinished[lane] = unfinished.get(lane, 0) + 1
				continue
			number = event["args"]["thread"]
			threads.setdefault(number, []).append(event)
			assert lanes.setdefault(lane, number) == number, "a lane with calls of two threads"
	calls = sum(map(len, threads.values()))
	of_thread = {number: lane for lane, number in lanes.items()}
	for number in range(PROCESSES * THREADS):
		counted = counts.thread(number)
		if not counted and number not in threads:
			continue
		check_thread(number, threads.get(number, []), unfinished.get(of_thread.get(number), 0), counted, deep)
	return "%d %d" % (calls, sum(unfinished.values()))


def random_calls(chance):
	"""When to kill: before anything, early, or late, with as many rounds for each order of magnitude."""
	return 0 if chance.random() < 0.1 else int(10 ** chance.uniform(0, MOST))


def start(folder, name, counts, way, children):
	command = [TARGET, counts.path, "-f", str(children)]
	output = os.path.join(folder, name)
	if way == "preload":
		where = environment(LD_PRELOAD=LAYER + ":" + SHIMS, TRACELAYER_OUTPUT=output)
	else:
		where = environment(LD_PRELOAD=SHIMS)
		command = [TRACELAYER, "run", "-o", output, "--"] + command
	return subprocess.Popen(command, env=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
				start_new_session=True)


def kill(way, child, pids, number):
	if way == "group":
		os.killpg(child.pid, number)
		return
	# The program itself last: `run` goes on when that has died.
	for pid in reversed(pids):
		os.kill(pid, number)


def recover(paths):
	done = subprocess.run([TRACELAYER, "recover"] + paths, env=environment(),
			      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
	assert done.returncode == 0, "tracelayer recover: %d, %s" % (done.returncode, "; ".join(done.stdout.splitlines()))
	return done.stdout


def one_round(chance, way, ending, children):
	with tempfile.TemporaryDirectory(prefix="kill.", dir=os.environ["tmp"]) as folder:
		counts = Counts(os.path.join(folder, "counts"))
		others = set(glob.glob("/dev/shm/tracelayer-buffers.*"))
		calls = random_calls(chance)
		child = start(folder, "t.%p" + ending, counts, way, children)
		try:
			wait_until(lambda: len(counts.pids()) == children + 1 and counts.total() >= calls, "%d calls were made" % calls)
			time.sleep(chance.random() / 1000)
			kill(way, child, counts.pids(), signal.SIGKILL)
		finally:
			if not counts.pids():
				os.killpg(child.pid, signal.SIGKILL)
		said = child.communicate(timeout=PATIENCE)[0].decode()
		pids = counts.pids()
		wait_until(lambda: all(is_gone(pid) for pid in pids), "all are dead")
		if way == "run":
			assert child.returncode == -signal.SIGKILL, "run ended with %d: %s" % (child.returncode, said)
		elif buffers_of(pids, others):
			said = recover(buffers_of(pids, others))
		assert not buffers_of(pids, others), "buffers are left behind: " + said
		traces = sorted(glob.glob(os.path.join(folder, "t.*")))
		check_traces(traces, counts)
		return "%d calls" % counts.total()


def serve(what, path, *more):
	counts = Counts(path)
	if what == "check":
		print(check_traces(more, counts, deep=100))
	elif what == "wait":
		wait_until(lambda: counts.total() >= int(more[0]), more[0] + " calls were made")
	elif what == "pids":
		print(*counts.pids())


def main():
	if not sys.argv[1].isdigit():
		return serve(*sys.argv[1:])
	rounds = int(sys.argv[1])
	seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
	print("# seed %d" % seed, flush=True)
	chance = random.Random(seed)
	for number in range(rounds):
		way = ["run", "preload", "group"][number % 3]
		ending = chance.choice(ENDINGS)
		children = chance.choice([0, 0, 0, 1, 3])
		what = "killed at random (%s, %s, %d child processes): each call that returned is recovered once, with its arguments" \
		       % (way, ending, children)
		try:
			print("ok %s (%s)" % (what, one_round(chance, way, ending, children)), flush=True)
		except AssertionError as error:
			print("not ok %s: %s" % (what, error), flush=True)


main()

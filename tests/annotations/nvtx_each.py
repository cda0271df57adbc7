# SPDX-License-Identifier: MIT
"""
nvtx_each.py TRACE CHILD: the traces of nvtx_program.c and of its child. Prints what is wrong.
"""
import json
import sys

wrong = []


def expect(true, what):
	if not true:
		wrong.append(what)


def read(path):
	with open(path, encoding="utf-8") as file:
		events = json.load(file)
	own = [event for event in events if str(event.get("cat")).startswith("annotation,nvtx")]
	lanes = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
	for event in own:
		event["lane"] = lanes[event["tid"]]
		event["end"] = event["ts"] + event.get("dur", 0)
	return own


events = read(sys.argv[1])


def one(text, lane, phase="X", **args):
	"""The one event of that name, with its arguments."""
	found = [event for event in events if event["name"] == text and event["ph"] == phase and event["lane"].startswith(lane)
		and event["args"] == args]
	expect(len(found) == 1, "%d times %s %s %s on %s" % (len(found), phase, text, args, lane))
	return found[0] if found else {"ts": 0, "end": 0, "tid": 0}


outer = one("outer", "NVTX (nvtx_program", color="#00a1b2", category="input")
inner = one("inn\u00e9r", "NVTX (nvtx_program")
crosses = one("crosses", "NVTX: solver (nvtx_program", category="r\u00e9sult")
expect(outer["ts"] < inner["ts"] < crosses["ts"] < inner["end"] < crosses["end"] < outer["end"], "the order of pushes and pops")
first = one("from one thread to another", "NVTX (ranges)")
second = one("outer", "NVTX: solver (ranges)", color="#00a1b2", category=3)
expect(inner["ts"] < first["ts"] < second["ts"] < first["end"] < second["end"], "the order of starts and ends")
one("registriert \u20ac", "NVTX: w\u00e9it \U0001f600 (nvtx_program", "i", category=99)
lane = one("left open by its thread", "NVTX (worker ", unfinished=True).get("lane", "0")
one("thread name", "NVTX (worker ", "i", name="worker", thread=int(lane.split()[-1].rstrip(")")))
payloads = [event["args"]["payload"] for event in events if event["name"] == "payload"]
expect(payloads == ["18446744073709551615", "-9223372036854775808", 0.25, 4000000000, -5, 1.5], "payloads %s" % payloads)
one("\ufffd\ufffd not UTF-8", "NVTX (nvtx_program", "i")
expect(len([event for event in events if event["name"] == "(no text)"]) == 2, "marks without a text")
still = one("left open", "NVTX (nvtx_program", unfinished=True)
started = one("started and left open", "NVTX (ranges)", unfinished=True)
last = max(event["ts"] for event in events)
expect(still["end"] > last and started["end"] > last, "what is open ends with the process")
expect(len(events) == 19, "%d events" % len(events))

child = read(sys.argv[2])
expect([(event["name"], event["lane"].split(" (")[0]) for event in child] == [("registered", "NVTX: solver")], "the child's events: %s" % child)
print("\n".join(wrong))
sys.exit(bool(wrong))

# SPDX-License-Identifier: MIT
"""
itt_each.py TRACE CHILD: the traces of itt_program.c and of its child. Prints what differs from what they should have.
"""
import json
import sys


def read(path):
	with open(path, encoding="utf-8") as file:
		events = json.load(file)
	lanes = {event["tid"]: event["args"]["name"].split(" (")[0] + (" (ranges" if "(ranges" in event["args"]["name"] else "")
		for event in events if event["name"] == "thread_name"}
	return [(event["ph"], event["name"], "" if event["ph"] == "C" else lanes[event["tid"]], event["args"])
		for event in events if str(event.get("cat")).startswith("annotation,itt")]


EXPECTED = [
	("X", "inner", "ITT: solver", {"id": "0x2", "parent": "0x1", "negative": -7, "metadata": "3 of four"}),
	("X", "outer", "ITT: solver", {"id": "0x1", "file": "a.txt", "many": "1, 2, 18446744073709551615"}),
	("i", "metadata", "ITT: solver", {"id": "0x1", "late": 0.5}),
	("X", "function at 0x1234", "ITT: solver", {}),
	("X", "region", "ITT: solver (ranges", {"id": "0x1"}),
	("X", "crosses", "ITT: solver (ranges", {"id": "0x2"}),
	("X", "frames", "ITT: frames (ranges", {}),
	("X", "frames", "ITT: frames (ranges", {}),
	("i", "mark", "ITT: solver", {"scope": "global"}),
	("C", "net: bytes", "", {"value": 40}),
	("C", "net: bytes", "", {"value": 45}),
	("C", "net: bytes", "", {"value": 44}),
	("C", "cpu: load", "", {"value": 0.75}),
	("C", "solver: steps", "", {"value": 1}),
	("C", "solver: steps", "", {"value": 2}),
	("X", "left open", "ITT: solver", {"unfinished": True}),
]
wrong = 0
for path, expected in ((sys.argv[1], EXPECTED), (sys.argv[2], [("X", "inner", "ITT: solver", {})])):
	events = read(path)
	for event in events:
		if event not in expected:
			print("not expected:", event)
			wrong = 1
	for event in expected:
		if events.count(event) != expected.count(event):
			print("not there, or too often:", event)
			wrong = 1
sys.exit(wrong)

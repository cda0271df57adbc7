#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""perfetto.py FOLDER TRACE.pftrace TRACE.json: does Perfetto's trace processor see the same in both?

FOLDER has the trace processor (trace_processor.mjs). The JSON is of the same records. Compared are calls with their times and the functions that
called, device commands, arrows, and what the processor complains of. Prints a line for each: "ok" or "wrong", and what differs.
"""
import json
import os
import subprocess
import sys

QUERIES = {
	"slices": "select s.id, s.name, s.ts, s.dur, s.category from slice s",
	"stacks": "select slice_id, callsite_id from __intrinsic_track_event_callstacks",
	"callsites": "select id, parent_id, frame_id from stack_profile_callsite",
	"frames": "select f.id, f.name, f.rel_pc, m.name as path, m.build_id, m.start, m.end from stack_profile_frame f join stack_profile_mapping m on m.id = f.mapping",
	"commands": "select name, ts, dur, context_id, upid from gpu_slice",
	"gpus": "select * from gpu",
	"flows": "select count(*) as count from flow",
	"trouble": "select name, value from stats where value != 0 and severity != 'info'",
}

def ask(folder, trace):
	here = os.path.dirname(os.path.abspath(__file__))
	said = subprocess.run(["node", here + "/trace_processor.mjs", folder, trace, *QUERIES.values()], stdout=subprocess.PIPE, check=True).stdout
	return dict(zip(QUERIES, map(json.loads, said.decode().splitlines())))

def check(what, found, wanted):
	same = found == wanted
	print("ok" if same else "wrong", what)
	if not same:
		print("#   found  %s\n#   wanted %s" % (str(found)[:1500], str(wanted)[:1500]))

def stacks_of(told):
	"""The functions that called, by slice, from the innermost."""
	callsites, frames = {one["id"]: one for one in told["callsites"]}, {one["id"]: one for one in told["frames"]}
	stacks = {}
	for one in told["stacks"]:
		at, names = one["callsite_id"], []
		while at is not None:
			names.append(frames[callsites[at]["frame_id"]]["name"])
			at = callsites[at]["parent_id"]
		stacks[one["slice_id"]] = names
	return stacks

def build_id(path):
	notes = subprocess.run(["readelf", "-n", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
	return next((line.split()[-1] for line in notes.splitlines() if "Build ID" in line), None)

def main():
	folder, trace, reference = sys.argv[1:]
	told = ask(folder, trace)
	wanted = json.load(open(reference))
	events, frames = (wanted, {}) if isinstance(wanted, list) else (wanted["traceEvents"], wanted.get("stackFrames", {}))
	def callers(event):
		if "stack" in event:
			return event["stack"]
		names, at = [], event.get("sf")
		while at:
			names.append(frames[at]["name"])
			at = frames[at].get("parent")
		return names
	calls = [event for event in events if event["ph"] == "X" and not event["cat"].startswith("device")]
	commands = [event for event in events if event["ph"] == "X" and event["cat"].startswith("device")]
	times = lambda event: (round(event["ts"] * 1000), round(event["dur"] * 1000))
	stacks = stacks_of(told)
	# What is no call has no stack here: the trace's own facts, instants, commands as slices.
	names = {event["name"] for event in calls}
	check("each call, with its times and who called", sorted((one["name"], one["ts"], one["dur"], stacks.get(one["id"], [])) for one in told["slices"] if one["name"] in names),
	      sorted((event["name"], *times(event), callers(event)) for event in calls))
	check("stacks are there", any(stacks.values()), True)
	paths = {one["path"]: one["build_id"] for one in told["frames"]}
	# The kernel's own has no file.
	check("each library has its path and its build id", paths, {path: build_id(path) if path.startswith("/") and os.path.exists(path) else paths[path] for path in paths})
	check("addresses lie in the libraries", [one for one in told["frames"] if not 0 <= one["rel_pc"] < one["end"] - one["start"]], [])
	as_gpu = bool(told["gpus"])
	found = told["commands"] if as_gpu else [one for one in told["slices"] if (one["category"] or "").startswith("device") and one["name"] not in ("awaited", "submitted")]
	check("each device command, with its times", sorted((one["name"], one["ts"], one["dur"]) for one in found), sorted((event["name"], *times(event)) for event in commands))
	check("each arrow", told["flows"][0]["count"], sum(event["ph"] == "s" for event in events))
	if as_gpu:
		check("the GPUs have the devices' names", sorted(one["name"] for one in told["gpus"]), sorted({event["args"]["device"] for event in commands}))
		check("commands of a process have one context", len({one["context_id"] for one in told["commands"]}), len({one["upid"] for one in told["commands"]}))
	check("the processor complains of nothing", told["trouble"], [])

main()

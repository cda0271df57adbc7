# SPDX-License-Identifier: MIT
"""Self times, computed another way than the command does.

TRACE TRACELAYER [OPTION]... FILE	`summary --columns=self` of the file has the self times that the JSON TRACE gives, in each
				row. Each moment of a thread belongs to the innermost call around it: borders are gone through in the
				order of time. --name=A,B: the rows of these names alone. Prints how many calls are inside of others.
"""
import collections, gzip, json, subprocess, sys

path, *command = sys.argv[1:]
with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as file:
	events = json.load(file)
if isinstance(events, dict):
	events = events["traceEvents"]

def ns(us):
	return round(us * 1000)

lanes, begun = collections.defaultdict(list), collections.defaultdict(list)
for event in events:
	lane = event.get("pid"), event.get("tid")
	if event["ph"] == "X" and "kind" not in event.get("args", {}):
		lanes[lane].append((ns(event["ts"]), ns(event["ts"]) + ns(event["dur"]), event["name"]))
	elif event["ph"] == "B":
		begun[lane].append(event)
	elif event["ph"] == "E" and begun[lane]:
		begin = begun[lane].pop()
		lanes[lane].append((ns(begin["ts"]), ns(event["ts"]), begin["name"]))

wanted, inside = collections.Counter(), 0
for calls in lanes.values():
	# Of calls that take the same time, the later one is around the others.
	order = sorted(range(len(calls)), key=lambda i: (calls[i][0], -calls[i][1], -i))
	borders = sorted({time for start, end, _ in calls for time in (start, end)})
	begins, at, around = collections.defaultdict(list), 0, []
	for i in order:
		begins[calls[i][0]].append(i)
	for time, until in zip(borders, borders[1:]):
		around = [i for i in around if calls[i][1] > time]
		for i in begins[time]:
			if calls[i][1] > time:
				inside += bool(around)
				around.append(i)
		if around:
			wanted[calls[around[-1]][2]] += until - time

done = subprocess.run([command[0], "summary", "--json", "--columns=total,self", *command[1:]], stdout=subprocess.PIPE, check=True)
got, totals = collections.Counter(), collections.Counter()
for table in json.loads(done.stdout)["tables"]:
	for row in table["rows"]:
		if "self_ns" in row:
			name = row.get("function", row.get("event"))
			got[name] += row["self_ns"]
			assert 0 <= row["self_ns"] <= row["total_ns"], row
globs = [option.split("=")[1].split(",") for option in command if option.startswith("--name=")]
if globs:
	wanted = collections.Counter({name: time for name, time in wanted.items() if name in globs[0]})
assert +got == +wanted, {name: (got[name], wanted[name]) for name in got | wanted if got[name] != wanted[name]}
print(inside)

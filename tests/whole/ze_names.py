#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ze_names.py make SEED N: N kernel names for ze_names, in hexadecimal, one a line: "spin@" and what no polite program has.
ze_names.py check TRACE NAMES: each of them is in the trace, in order, going in and coming out, byte for byte.

Bytes that are no UTF-8 stand in the trace as U+FFFD, however many make one. A name of more than 200 bytes may be cut.
"""

import json
import random
import re
import sys

ODD = [b'"', b"\\", b"\\u0000", b"\n", b"\r\n", b"\t", b"\x01", b"\x1b[31m", b"\x7f", b"</script>", b"{\"ph\":\"X\"},", b"%s%n", b",", b"]",
       "\u00fc".encode(), "\u2028".encode(), "\U0001f600".encode(), b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff", b"\x80",
       b"\xe2\x82", b"plain", b"/", b"'", b" "]
REPLACED = re.compile("\ufffd+")


def make(seed, count):
	chance = random.Random(seed)
	for number in range(count):
		name = b"spin@"
		if number % 10 == 9:
			name += bytes(chance.randrange(1, 256) for _ in range(chance.choice([1, 60, 190, 255, 256, 257, 900])))
		else:
			name += b"".join(chance.choices(ODD, k=chance.randrange(12)))
		print(name.hex())


def plain(text):
	return REPLACED.sub("\ufffd", text)


def same(seen, name):
	whole = plain(name.decode("utf-8", "replace"))
	return plain(seen) == whole or len(name) > 200 and plain(seen)[:100] == whole[:100]


def constant(name):
	raise ValueError("%s is no JSON number" % name)


def check(trace, names):
	with open(trace, "rb") as file:
		events = json.loads(file.read().decode("utf-8"), parse_constant=constant)
	names = [bytes.fromhex(line.strip()) for line in open(names)]
	calls = [event for event in events if event.get("ph") == "X"]
	went = [event["args"]["desc"]["pKernelName"] for event in calls if event["name"] == "zeKernelCreate"]
	came = [event["args"]["pName"] for event in calls if event["name"] == "zeKernelGetName" and event["args"]["pName"] != "0x0"]
	wrong = 0
	for what, seen in ("in", went), ("out", came):
		# ze_names makes one more kernel at its end.
		if len(seen) not in (len(names), len(names) + 1):
			print("%s: %d names, and %d were expected" % (what, len(seen), len(names)))
			wrong += 1
		for text, name in zip(seen, names):
			if not same(text, name):
				print("%s: %r stands for %r" % (what, text, name))
				wrong += 1
	return 1 if wrong else 0


if __name__ == "__main__":
	if sys.argv[1] == "make":
		make(int(sys.argv[2]), int(sys.argv[3]))
	else:
		sys.exit(check(sys.argv[2], sys.argv[3]))

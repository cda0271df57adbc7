#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_names.py TRACE NAMES: the kernel names of TRACE's clCreateKernel slices are those of NAMES (one a line, in hexadecimal).

Each name must be there whole, or its beginning where it is too long. Bytes that are no UTF-8 must be there as U+FFFD, however many
make one.
"""

import json
import re
import sys

REPLACED = re.compile("\ufffd+")


def plain(text):
	return REPLACED.sub("\ufffd", text)


with open(sys.argv[1], "rb") as file:
	events = json.loads(file.read().decode("utf-8"))
seen = [event["args"]["kernel_name"] for event in events
	if event.get("ph") == "X" and event["name"] == "clCreateKernel" and event["args"]["kernel_name"] is not None]
wrong = 0
for line in open(sys.argv[2]):
	name = bytes.fromhex(line.strip())
	whole = plain(name.decode("utf-8", "replace"))
	if any(plain(text) == whole for text in seen):
		continue
	# Cut: 200 bytes of it at least, perhaps with dots behind them.
	if len(name) > 200 and any(plain(text)[:200] == whole[:200] for text in seen):
		continue
	print("%r (%s) is not in the trace" % (whole, line.strip()[:60]), file=sys.stderr)
	wrong += 1
print("%d names, %d missing" % (len(seen), wrong))
sys.exit(wrong != 0)

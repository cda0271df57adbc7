# SPDX-License-Identifier: MIT
"""view.py: what the tests of viewers share: their options, the trace as it was recorded, and how they complain."""

import argparse
import gzip
import json
import sys
import traceback

MAX_SHOWN = 10


def size(text):
	width, height = text.split("x")
	return int(width), int(height)


def options(viewer):
	"""The command line of a test of `viewer`, which is what the first word names."""
	parser = argparse.ArgumentParser()
	parser.add_argument("--screenshot")
	parser.add_argument("--part")
	parser.add_argument("--size", type=size, default=(1400, 800))
	parser.add_argument(viewer)
	parser.add_argument("trace", help="or - for those that stdin names, a line each")
	return parser.parse_args()


def events_of(path):
	with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
		return json.load(file)


def complain(wrong):
	for line in wrong[:MAX_SHOWN]:
		print(line, file=sys.stderr, flush=True)


def run(trace, check):
	"""check(trace) returns an exit code; of the trace that was named, or, for "-", of each that a line of stdin names. Then "exit" and the
	code end what is printed of a trace."""
	if trace != "-":
		return check(trace)
	for line in sys.stdin:
		try:
			code = check(line.rstrip("\n"))
		except Exception:    # pylint: disable=broad-except
			traceback.print_exc()
			code = 1
		sys.stderr.flush()
		print("exit", int(code), flush=True)
	return 0

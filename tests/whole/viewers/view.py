# SPDX-License-Identifier: MIT
"""view.py: what the tests of viewers share: their options, the trace as it was recorded, and how they complain."""

import argparse
import gzip
import json
import sys

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
	parser.add_argument("trace")
	return parser.parse_args()


def events_of(path):
	with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
		return json.load(file)


def complain(wrong):
	for line in wrong[:MAX_SHOWN]:
		print(line, file=sys.stderr)

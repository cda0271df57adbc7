# SPDX-License-Identifier: MIT
"""gdb_counts.py: a script for gdb: counts the calls of a library's functions, for loaders without layers.

From the environment: GDB_LIBRARY, a word of the library's name; GDB_FUNCTIONS, their names; GDB_COUNTS, the file that gets "NAME CALLS" of each
that was called.
"""
import os

import gdb


class Count(gdb.Breakpoint):
	def __init__(self, function):
		super().__init__("*(long)&" + function)
		self.silent = True
		self.function = function
		self.calls = 0

	def stop(self):
		self.calls += 1
		return False


for setting in "debuginfod enabled off", "pagination off", "breakpoint pending off":
	gdb.execute("set " + setting)
gdb.execute("catch load " + os.environ["GDB_LIBRARY"])
gdb.execute("run")
counts = [Count(function) for function in os.environ["GDB_FUNCTIONS"].split()]
gdb.execute("continue")
with open(os.environ["GDB_COUNTS"], "w") as file:
	for count in counts:
		if count.calls:
			print(count.function, count.calls, file=file)

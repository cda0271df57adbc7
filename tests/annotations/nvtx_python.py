# SPDX-License-Identifier: MIT
"""
nvtx_python.py: a program that is annotated by the Python package nvtx. Prints how many ranges and marks it made.
"""
import threading

import nvtx

made = 0
lock = threading.Lock()


def count(n=1):
	global made
	with lock:
		made += n


@nvtx.annotate("leaf", color="green", domain="tree", category="leaves", payload=1)
def leaf(depth):
	count()
	return depth


@nvtx.annotate(domain="tree")
def branch(depth):
	count()
	return sum(branch(depth - 1) if depth > 1 else leaf(depth) for _ in range(3))


def worker():
	with nvtx.annotate("worker \u00fc", color="blue"):
		count()
		branch(5)
	nvtx.mark("done", domain="tree")
	count()


threads = [threading.Thread(target=worker) for _ in range(4)]
started = nvtx.start_range("all threads")
count()
for thread in threads:
	thread.start()
for thread in threads:
	thread.join()
nvtx.end_range(started)
nvtx.push_range("left open", domain="tree")
count()
print(made)

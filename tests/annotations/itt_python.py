# SPDX-License-Identifier: MIT
"""
itt_python.py: a program that is annotated by the Python package ittapi. Prints how many tasks and events it made while collection was on.
"""
import threading

import ittapi

made = 0
lock = threading.Lock()


def count():
	global made
	with lock:
		made += 1


@ittapi.task("leaf", domain="tree")
def leaf():
	count()


def branch(depth):
	with ittapi.task("branch %d" % depth):
		count()
		for _ in range(3):
			if depth:
				branch(depth - 1)
			else:
				leaf()


def worker():
	overlapped = [ittapi.task("overlapped \u00fc %d" % i, overlapped=True) for i in range(5)]
	for task in overlapped:
		task.begin()
	branch(4)
	for task in overlapped:
		task.end()
		count()


threads = [threading.Thread(target=worker) for _ in range(4)]
event = ittapi.event("all threads")
event.begin()
count()
for thread in threads:
	thread.start()
for thread in threads:
	thread.join()
event.end()
total = made
ittapi.pause()
branch(2)
ittapi.resume()
ittapi.task("left open").begin()
print(total + 1)

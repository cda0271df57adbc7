#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""libraries.py LIST SET FOLDER [PAGE]: for each library of the list (tests/gen/libraries.list; SET is "check" or "all"): its model, its interposer, and a
process that loads both. Prints TAP. FOLDER is for what it makes. PAGE (doc/libraries.md) is compared with the page that these figures give, which is left
as libraries.md in the build folder.

What tracegen says is compared with what readelf, the compiler's preprocessor and the dynamic linker say:

* the exports of the library are those of the interposer, and those that tracegen leaves out with a reason, and those that no header declares;
* of the last, none is in the headers as the preprocessor has them;
* a process that loads the library finds each function in the interposer first, and dladdr says that it is the one that is found without;
* a function that tells the library's version returns the same, and is in the trace once.
"""

import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

Row = collections.namedtuple("Row", "set kind package name call flags headers soname")
Symbol = collections.namedtuple("Symbol", "name version default")

build = os.environ.get("top_builddir", ".")
tracegen = build + "/tracegen"
libtracelayer = build + "/.libs/libtracelayer.so"
load = build + "/library_load"
compiler = os.environ.get("CC", "cc").split()


def rows_read(path, wanted):
	rows = [line.split() for line in open(path) if line.strip() and not line.startswith("#")]
	return [Row(*row, soname_found(row[3])) for row in rows if wanted == "all" or row[0] == wanted]


def results_count(row):
	return 5 + (row.call != "-")


def run(*command, **settings):
	return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
		timeout=120, env=dict(os.environ, **settings))


def soname_found(name):
	"""Of a library as the linker finds it, its name for the loader. Without such a library the name stays, and the row fails by it."""
	if not name.endswith(".so"):
		return name
	folder = os.path.dirname(run(*compiler, "-print-file-name=libc.so").stdout)
	found = sorted(glob.glob(os.path.join(folder, name)))
	sonames = found and re.findall(r"\(SONAME\).*\[(.*)\]", run("readelf", "-dW", found[-1]).stdout)
	return sonames[0] if sonames else name


def symbols_read(path):
	"""The functions that a library exports, as readelf has them."""
	symbols = []
	for line in run("readelf", "--dyn-syms", "-W", path).stdout.splitlines():
		words = line.split()
		if len(words) < 8 or words[3] not in ("FUNC", "IFUNC") or words[4] not in ("GLOBAL", "WEAK", "UNIQUE") or words[6] == "UND":
			continue
		name, at, version = words[7].partition("@")
		symbols.append(Symbol(name, version.lstrip("@"), version.startswith("@") or not at))
	return symbols


def named(symbol):
	return symbol.name if symbol.default else symbol.name + "@" + symbol.version


class Library:
	"""One row's checks. Results are kept as text, so that libraries can be looked at beside each other."""

	def __init__(self, row, folder):
		self.row, self.lines = row, []
		self.folder = os.path.join(folder, row.soname)
		os.makedirs(self.folder)
		self.headers = ["--header=" + header for header in row.headers.split(",")]
		words = [] if row.flags == "-" else row.flags.split(",")
		self.packages = [word for word in words if not word.startswith("-")]
		self.definitions = [word for word in words if word.startswith("-")]
		self.interposer = self.file("interposer.so")
		self.left_out, self.undeclared = [], []

	def file(self, name):
		return os.path.join(self.folder, name)

	def result(self, passed, what, *why):
		self.lines.append((passed, "%s: %s" % (self.row.soname, what), [line for text in why for line in str(text).splitlines()[:20]]))
		return passed

	def tracegen(self, command, *arguments):
		packages = ["--pkg=" + package for package in self.packages]
		return run(tracegen, command, "--lib=" + self.row.soname, *arguments, *packages, "--", *self.definitions)

	def check(self):
		for step in (self.check_model, self.check_interposer, self.check_file, self.check_exports, self.check_load, self.check_call):
			try:
				step()
			except Exception as error:
				self.result(False, "%s: %s" % (step.__name__, error))
		return self

	def check_model(self):
		got = self.tracegen("model", "-o", self.file("model.json"), *self.headers)
		model = json.load(open(self.file("model.json"))) if got.returncode == 0 else {"functions": []}
		names = [function["name"] for function in model["functions"]]
		self.result(names and len(names) == len(set(names)), "the headers give a model of %d functions" % len(names), got.stderr)

	def check_interposer(self):
		"""Out of the headers, and out of the model: what the model has lost would be missing there."""
		got = self.tracegen("interposer", "-o", self.interposer, *self.headers)
		again = self.tracegen("interposer", "-o", self.file("again/interposer.so"), "--model=" + self.file("model.json")) \
			if not os.mkdir(self.file("again")) else None
		self.told = got.stdout.splitlines()
		same = got.returncode == 0 and again.returncode == 0 and \
			open(self.interposer, "rb").read() == open(self.file("again/interposer.so"), "rb").read()
		others = [line for line in (got.stderr + again.stderr).splitlines() if " is left out: " not in line]
		self.result(same and not others, "headers and model give the same interposer: " + (self.told or ["none"])[-1], got.stderr, again.stderr)

	def check_file(self):
		readelf = run("readelf", "-aW", self.interposer)
		lint = run("eu-elflint", "--gnu-ld", self.interposer)
		warnings = [line for line in readelf.stdout.splitlines() if re.search(r"\b[Ww]arning:", line)]
		self.result(readelf.returncode == 0 and not readelf.stderr and not warnings and lint.stdout == "No errors\n",
			"readelf and eu-elflint accept it", readelf.stderr, "\n".join(warnings), lint.stdout, lint.stderr)

	def preprocessed(self):
		flags = [] if not self.packages else run("pkg-config", "--cflags", *self.packages).stdout.split()
		text = "".join("#include <%s>\n" % header for header in ["stdio.h", "stdint.h", *self.row.headers.split(",")])
		command = [*compiler, "-x", "c", "-E", "-P", *flags, *self.definitions, "-"]
		return subprocess.run(command, input=text, capture_output=True, encoding="utf-8", errors="replace", timeout=120).stdout

	def declared(self):
		"""What the headers declare; of functions with a label, the label. glibc keeps those with _Float128 from libclang 14, which doesn't know it."""
		text = self.preprocessed()
		labels = re.findall(r'\b(\w+)\s*\([^;{}]*\)\s*__asm__\s*\(\s*((?:"\w*"\s*)+)\)', text)
		names = set(re.findall(r"\b(\w+)\s*\(", text)) - {name for name, _ in labels}
		return {name for name in names | {re.sub(r'["\s]', "", label) for _, label in labels} if not name.endswith("f128")}

	def check_exports(self):
		self.library = re.search(r"^library (.*)$", self.loaded(bare=True), re.M).group(1)
		self.exports = symbols_read(self.library)
		self.traced = symbols_read(self.interposer)
		names = {symbol.name for symbol in self.exports}
		traced = {symbol.name for symbol in self.traced}
		self.left_out = [line.partition(": ") for line in self.told[:-1] if " by name alone" not in line]
		reasons = {name for name, _, why in self.left_out if why}
		self.undeclared = sorted(names - traced - reasons)
		told = [int(n) for n in re.findall(r"\d+(?= functions of| left out| not declared)", self.told[-1])]
		missed = sorted(self.declared() & set(self.undeclared))
		versions = {(s.name, s.version) for s in self.traced} - {(s.name, s.version) for s in self.exports}
		right = not missed and not versions and not traced - names and not reasons - names and \
			told == [len(self.traced), len(reasons), len(self.undeclared)]
		self.result(right, "%d exports are %d traced, %d left out, %d not declared" % (len(names), len(traced), len(reasons), len(self.undeclared)),
			"declared, but neither traced nor left out: " + " ".join(missed) if missed else "", self.told[-1],
			"not the library's: %s" % (sorted(versions) + sorted(traced - names)))

	def loaded(self, bare=False):
		open(self.file("names"), "a").close()
		settings = {} if bare else {"LD_PRELOAD": libtracelayer + ":" + self.interposer, "TRACELAYER_OUTPUT": self.file("trace.json"),
			"LD_BIND_NOW": "1"}
		got = run(load, self.row.soname, self.file("names"), *[word for word in self.row.call.split(":") if word != "-"], **settings)
		if got.returncode != 0 or got.stderr:
			raise ValueError("library_load ended with %d, and said %s" % (got.returncode, got.stderr or "nothing"))
		return got.stdout

	def check_load(self):
		"""Each name leads to what it leads to without the interposer; that is the library's function, or one that is found before it."""
		wanted = [named(symbol) for symbol in self.traced]
		open(self.file("names"), "w").write("".join(name + "\n" for name in wanted))
		self.output, self.bare = self.loaded(), self.loaded(bare=True)
		bare = dict(line.split(" ", 1) for line in re.findall(r"^function (.*)$", self.bare, re.M))
		traced = dict(line.split(" ", 1) for line in re.findall(r"^function (.*)$", self.output, re.M))
		wrong = ["%s: %s; without: %s" % (name, traced.get(name), bare.get(name)) for name in wanted
			if name not in traced or traced[name].split(" ")[0] != self.interposer or traced[name].split(" ")[1:] != bare[name].split(" ")[1:]]
		inside = sum(os.path.realpath(line.split(" ")[1]) == os.path.realpath(self.library) for line in bare.values())
		self.result(wanted and len(traced) == len(wanted) and not wrong and 2 * inside > len(wanted),
			"loaded, each of %d functions is found in the interposer and leads where it leads without" % len(wanted), "\n".join(wrong))

	def check_call(self):
		if self.row.call == "-":
			return
		function = self.row.call.split(":")[1]
		bare, traced = (re.search(r"^result (.*)$", text, re.M).group(1) for text in (self.bare, self.output))
		events = json.load(open(self.file("trace.json")))
		calls = [event["name"] for event in events if event.get("ph") == "X"].count(function)
		self.result(bare == traced != "-" and calls == 1, "%s returns %s, and is in the trace once" % (function, bare), traced, "%d calls" % calls)

	def table_row(self):
		version = run("dpkg-query", "-W", "-f", "${Version}", self.row.package).stdout
		reasons = "; ".join("%s: %s" % (name, why) for name, _, why in self.left_out)
		return "| %s | %s | %s | %d | %d | %d%s | %d |" % (self.row.kind, self.row.name, version, len({s.name for s in self.exports}),
			len({s.name for s in self.traced}), len(self.left_out), " (%s)" % reasons if reasons else "", len(self.undeclared))


def table_rows(path):
	"""The rows of a page's table, by library: version, and the rest."""
	cells = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in open(path) if line.startswith("| ")]
	return {row[1]: (row[2], row[3:]) for row in cells if row[1] != "library"}


def page_write(old, rows, path):
	"""The page with other rows: what stands in front of them and the line behind them are made anew."""
	lines = open(old).read().splitlines()
	head = lines[:next(i for i, line in enumerate(lines) if line.startswith("| ---")) + 1]
	sums = [sum(int(row.split("|")[column].split()[0]) for row in rows) for column in (4, 5, 6, 7)]
	total = "%d libraries: %d exports, of which %d are traced, %d left out and %d not declared by these headers." % (len(rows), *sums)
	open(path, "w").write("\n".join([*head, *rows, "", total]) + "\n")


def page_compare(old, new):
	"""What is out of date: libraries that come or go, and other figures for the same version."""
	old, new = table_rows(old), table_rows(new)
	return ["%s is only in %s" % (name, "the page" if name in old else "the list") for name in sorted(old.keys() ^ new.keys())] + \
		["%s: %s, and was %s" % (name, new[name][1], old[name][1]) for name in old.keys() & new.keys()
			if old[name][0] == new[name][0] and old[name][1] != new[name][1]]


def libraries_check(rows, folder):
	"""TAP; returns the table's rows, and how many results there were."""
	count, table = 0, []
	with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
		for library in pool.map(lambda row: Library(row, folder).check(), rows):
			for passed, what, why in library.lines:
				count += 1
				print("%s %d - %s" % ("ok" if passed else "not ok", count, what), flush=True)
				for line in why if not passed else ():
					print("# " + line)
			if all(passed for passed, _, _ in library.lines):
				table.append(library.table_row())
	return table, count


def main():
	rows, folder, page = rows_read(*sys.argv[1:3]), sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else None
	print("1..%d" % (sum(results_count(row) for row in rows) + bool(page)), flush=True)
	table, count = libraries_check(rows, folder)
	if page:
		made = os.path.join(build, "libraries.md")
		page_write(page, table, made)
		stale = page_compare(page, made)
		print("%s %d - the page has these libraries, and of the same versions the same figures" % ("not ok" if stale else "ok", count + 1))
		for line in stale + ["cp %s %s" % (made, page)] if stale else ():
			print("# " + line)


main()

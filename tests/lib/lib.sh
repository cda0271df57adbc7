# SPDX-License-Identifier: MIT
# lib.sh: what shell tests share: TAP output, a folder of their own, and running a program with and without
# tracelayer. A test sources it first, and then knows no other way to report:
#
#	#!/bin/bash
#	. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
#	plan 2
#	traced "$tmp/t.json" ./app
#	is $? 0 "the program ends as it does without us"
#	ok "its trace is strict JSON" strict_json "$tmp/t.json"
#
# Run by make check, top_srcdir and top_builddir are set; by hand, run the test from the build folder with
# top_srcdir=… in front. A script that stops before its plan is met fails by that alone.

: "${top_srcdir:=.}"
: "${top_builddir:=$PWD}"
export LC_ALL=C
# Python leaves no __pycache__ among the sources.
export PYTHONDONTWRITEBYTECODE=1

# Whatever the caller's shell has set must not reach the programs under test.
for _name in $(env | sed -n 's/^\(TRACELAYER_[A-Z_]*\)=.*/\1/p'); do
	test "$_name" = TRACELAYER_OFFLINE || unset "$_name"
done
unset LD_PRELOAD OPENCL_LAYERS ZE_ENABLE_TRACING_LAYER ZEL_LIBRARY_PATH

tmp=$(mktemp -d "${TMPDIR:-/tmp}/tracelayer-test.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# The kernels that PoCL has compiled, for all tests of a build, and none of the user's: to compile one takes as long as many a test.
export POCL_CACHE_DIR=$top_builddir/pocl_cache
test -d "$POCL_CACHE_DIR" || mkdir -p "$POCL_CACHE_DIR"

# Root's interposers would lie in /var/cache/tracelayer, for all users. Those of tests lie where another user's do.
test "$(id -u)" != 0 || export XDG_CACHE_HOME="${XDG_CACHE_HOME:-${HOME:-$tmp}/.cache}"

# A second compiler: the release that the sources are also compiled with, or what the system calls clang.
clang=clang
! command -v clang-14 >/dev/null || clang=clang-14

# allow_mpi: Open MPI starts jobs as root, of more ranks than this machine has processors (PRTE_… is release 5's name), and looks at addresses alone to
# see which hosts can reach each other: release 5 asks the kernel for routes, and where it takes none it says so, or the job fails.
allow_mpi()
{
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe OMPI_MCA_reachable=weighted
}

# soname FILE: the name that a library gives itself.
soname() { readelf -dW "$1" 2>/dev/null | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'; }
# linked NAME: the same of the library that the linker takes for NAME (libgsl.so): its version is another in each release of Debian.
linked() { soname "$(${CC:-cc} -print-file-name="$1")"; }

_count=0

# plan N: this many results will follow.
plan() { echo "1..$1"; }

# skip_all WHY: nothing here can run on this machine.
skip_all() { echo "1..0 # SKIP $*"; exit 0; }

# skip N WHY: the next N results cannot be had on this machine. WHY has the words "this machine", or scripts/check counts a failure.
skip()
{
	_left=$1; shift
	while test "$_left" -gt 0; do
		_count=$((_count + 1)); _left=$((_left - 1))
		echo "ok $_count # SKIP $*"
	done
}

diag() { printf '%s\n' "$*" | sed 's/^/# /'; }

pass() { _count=$((_count + 1)); echo "ok $_count - $*"; }
fail() { _count=$((_count + 1)); echo "not ok $_count - $*"; return 1; }

# Of a long text the beginning and the end, where errors stand.
head_and_tail() { if test "$(wc -l <"$1")" -gt 40; then head -n 20 "$1"; echo ...; tail -n 20 "$1"; else cat "$1"; fi; }

# ok DESCRIPTION COMMAND…: the command succeeds. What it prints is shown only where it fails.
ok()
{
	_what=$1; shift
	if "$@" >"$tmp/.ok" 2>&1; then
		pass "$_what"
	else
		_status=$?
		fail "$_what"; diag "failed ($_status): $*"; diag "$(head_and_tail "$tmp/.ok")"; return 1
	fi
}

# nok DESCRIPTION COMMAND…: the command fails.
nok()
{
	_what=$1; shift
	if "$@" >"$tmp/.ok" 2>&1; then
		fail "$_what"; diag "succeeded: $*"; diag "$(head -n 40 "$tmp/.ok")"; return 1
	else
		pass "$_what"
	fi
}

# is GOT WANT DESCRIPTION
is()
{
	if test "x$1" = "x$2"; then
		pass "$3"
	else
		fail "$3"; diag "got:  $1"; diag "want: $2"; return 1
	fi
}

# like TEXT REGEX DESCRIPTION: some line of the text matches the extended regular expression.
like()
{
	if printf '%s\n' "$1" | grep -Eq -e "$2"; then
		pass "$3"
	else
		fail "$3"; diag "no line matches $2 in:"; diag "$1"; return 1
	fi
}

# unlike TEXT REGEX DESCRIPTION: no line does.
unlike()
{
	if printf '%s\n' "$1" | grep -Eq -e "$2"; then
		fail "$3"; diag "a line matches $2 in:"; diag "$1"; return 1
	else
		pass "$3"
	fi
}

# same FILE FILE DESCRIPTION
same()
{
	if cmp -s "$1" "$2"; then
		pass "$3"
	else
		fail "$3"; diag "$(diff -a "$1" "$2" | head -n 20)"; return 1
	fi
}

# Debian's Python, which has Debian's modules (pyopencl); another may be first on PATH.
python=/usr/bin/python3
test -x "$python" || python=python3

# The built library and command; a test that needs one says so first.
libtracelayer=$top_builddir/.libs/libtracelayer.so
tracelayer=$top_builddir/tracelayer

# sources_of LIBRARY ROOM: the C files that ROOM/local.mk lists for it, without their ending.
sources_of()
{
	sed -n "/^${1}_SOURCES/,/[^\\\\]\$/p" "$top_srcdir/$2/local.mk" | grep -oE '[%D]*[a-z0-9_/]+\.c' | sed "s,%D%,$2,; s,\.c\$,,"
}

# need_library, need_command: without what is being tested nothing can be shown, and that is a failure, not a skip.
need_library()
{
	test -e "$libtracelayer" || { echo "Bail out! $libtracelayer is missing; run make first"; exit 99; }
}
need_command()
{
	test -x "$tracelayer" || { echo "Bail out! $tracelayer is missing; run make first"; exit 99; }
}

# need_chromium: $chromium becomes the browser that tests start. Ubuntu's package has a script that starts a snap's, which no container has: a skip.
need_chromium()
{
	chromium=$("$python" "$top_srcdir/tests/whole/viewers/browser.py")
	test -n "$chromium" || { echo "Bail out! there is no Chromium; ./scripts/install-packages installs it"; exit 99; }
	! grep -q '/snap/' "$chromium" || "$chromium" --version >/dev/null 2>&1 || skip_all "this machine's $chromium is a snap's, which does not run here"
}

# others_read FILE: root can become another user here, who can read the file: not where a folder above it is root's alone.
others_read() { test "$(id -u)" = 0 && setpriv --reuid=65534 --clear-groups test -r "$1" 2>/dev/null; }

# traced TRACE COMMAND…: run the command with the library preloaded, the trace in that file. Further settings are
# put in front as environment: TRACELAYER_ARGS=none traced t.json ./app. A trace that is already there is removed first.
traced()
{
	_trace=$1; shift
	rm -f "$_trace"
	env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="$_trace" "$@"
}

# forget_buffers [PROGRAM]: remove the event buffers that dead processes left whose trace would lie in $tmp; and those of that program, since $tmp/begun was made.
forget_buffers()
{
	"$tracelayer" recover --list 2>/dev/null |
		awk -v tmp="$tmp/" -v program="${1:-}" '$NF ~ /tracelayer-buffers/ { print index($(NF - 1), tmp) == 1 ? "ours" : $2 == program ? "named" : "", $NF }' |
		while read -r _whose _file; do
			if test "$_whose" = ours || test "$_whose" = named -a "$_file" -nt "$tmp/begun"; then rm -f "$_file"; fi
		done
}

# strict_json TRACE: an array of objects, as RFC 8259 has them.
strict_json() { "$top_builddir/count_slices" -- "$1"; }

# events_each [NAME] -- TRACE…: how many X events of that name (of any, where no name is given) each trace has, a line for each. They are strict JSON.
events_each() { "$top_builddir/count_slices" "$@"; }

# events TRACE [NAME]: the same of one trace.
events()
{
	_events_of=$1; shift
	events_each "$@" -- "$_events_of"
}

#!/bin/bash
# SPDX-License-Identifier: MIT
# Level Zero programs under tracelayer, on the stock loader with the test driver: what they say and
# how they end is the same as without, and for every function the trace has as many events as the
# program itself and the driver counted calls. Calls that a loader makes by itself are not the program's: in the untraced run, the driver counts
# that many more than the program.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
plan 49

apps=$top_builddir/tests/apps
driver=$top_builddir/tests/drivers/.libs/ze_driver_a.so
export ZE_ENABLE_ALT_DRIVERS=$driver

# "name calls" of every traced function, sorted.
trace_counts()
{
	"$python" - "$1" <<-'END'
	import collections, json, sys
	events = json.load(open(sys.argv[1]))
	calls = [e["name"] for e in events if e.get("ph") == "X" and e["name"].startswith("ze")]
	counts = collections.Counter(calls)
	for name in sorted(counts):
	    print(name, counts[name])
	END
}

# Of what the program called, what has to reach a driver; and what reached it with us, without what it got from the loader itself.
reaching_counts() { grep -v 'ProcAddrTable ' "$1"; }
driver_counts()
{
	reaching_counts "$tmp/plain.program" >"$tmp/plain.reaching"
	awk 'FILENAME == ARGV[1] { own[$1] += $2; next } FILENAME == ARGV[2] { own[$1] -= $2; next } { $2 -= own[$1] } $2 != 0 { print }' \
		"$tmp/plain.counts" "$tmp/plain.reaching" "$tmp/counts" | sort
}

# run_apart NAME COMMAND…: stdout, stderr and the exit code in files of that name.
run_apart()
{
	local name=$1; shift
	timeout 120 "$@" >"$tmp/$name.out" 2>"$tmp/$name.err"
	echo "exit code $?" >>"$tmp/$name.out"
	cat "$tmp/$name.err" >>"$tmp/$name.out"
}

# both DESCRIPTION PROGRAM ARGUMENTS…
both()
{
	local what=$1 program=$apps/$2; shift 2
	rm -f "$tmp/counts" "$tmp/program" "$tmp/plain.counts" "$tmp/plain.program" "$tmp/t.json"
	TEST_ZE_COUNTS=$tmp/plain.counts TEST_ZE_APP_COUNTS=$tmp/plain.program run_apart plain "$program" "$@"
	TEST_ZE_COUNTS=$tmp/counts TEST_ZE_APP_COUNTS=$tmp/program run_apart traced \
		env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="$tmp/t.json" "$program" "$@"
	same "$tmp/traced.out" "$tmp/plain.out" "$what: says and ends the same"
	sort "$tmp/program" >"$tmp/want"
	trace_counts "$tmp/t.json" >"$tmp/got" 2>&1
	local calls=$(awk '{ n += $2 } END { print n + 0 }' "$tmp/want")
	same "$tmp/got" "$tmp/want" "$what: an event for each of the program's $calls calls"
}

# And the driver saw the same calls: with device lanes it sees more.
all_three()
{
	TRACELAYER_DEVICE=0 both "$@"
	driver_counts >"$tmp/driver"
	reaching_counts "$tmp/got" >"$tmp/reaching"
	same "$tmp/driver" "$tmp/reaching" "$1: they are what the driver counted"
}

all_three "queues" ze_vector_add -t 4 -n 50
all_three "immediate lists" ze_vector_add -t 3 -n 50 -i
all_three "more threads than processors" ze_vector_add -t 16 -n 100 -s 64
all_three "events and timestamps" ze_events
all_three "a loader opened with dlopen" ze_dlopen
all_three "a loader opened with RTLD_DEEPBIND" ze_dlopen deep
all_three "tables and pointers that the program asked for" ze_ddi
all_three "chains, odd strings, errors" ze_chain
TRACELAYER_ARGS=scalars all_three "the same, scalars only" ze_chain
TRACELAYER_ARGS=none all_three "the same, no arguments" ze_chain
all_three "each function once" ze_calls
is "$(wc -l <"$tmp/got")" 144 "which are 144"
all_three "system management and tools" ze_sysman
TEST_ZE_FAIL=zeKernelCreate=0x78000011@1 all_three "a program that fails" ze_vector_add
TEST_ZE_DEVICE_MEMORY=host all_three "device memory that could be read" ze_vector_add

# What a call that does not return leaves.
all_three "calls left by exceptions, cancellation, pthread_exit and longjmp" ze_unwind
ok "the test driver's own tests pass" env LD_PRELOAD="$libtracelayer" \
	TRACELAYER_OUTPUT="$tmp/own.%p.json" "$top_builddir/ze_driver_test"

# Two drivers: the loader hands out its own handles, and asks drivers more than the program does.
export ZE_ENABLE_ALT_DRIVERS=$driver,${driver%a.so}b.so
both "two drivers" ze_vector_add -t 2

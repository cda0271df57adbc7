#!/bin/bash
# SPDX-License-Identifier: MIT
# fakeroot and libfaketime around OpenCL programs: libraries that stand in libc's place for files and for the time, as tracelayer stands in the driver's.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
for command in clinfo clpeak fakeroot faketime; do need $command $command; done
plan 24

apps=$top_builddir/tests/apps
export POCL_MAX_PTHREAD_COUNT=2
"$apps/cl_vector_add" >/dev/null	# the driver compiles its kernels once
clpeak --kernel-latency >/dev/null

# Speeds differ from run to run.
normalise() { sed -E 's/ : [0-9.]+( us)?$/ : NUMBER/'; }

# around WHAT COMMAND…: the programs in it. Some make calls enough that the writer takes chunks while they run.
around()
{
	local what=$1; shift
	foreign "$what clinfo" "50 cl.*" "$@" clinfo
	foreign "$what clpeak" "500 cl.*" "$@" clpeak --kernel-latency
	foreign "$what many calls" "5000 cl.*" "$@" "$apps/cl_vector_add" -i 1500 -n 64 -o sums
}

around fakeroot fakeroot --
around faketime faketime '2001-02-03 04:05:06'
# As a user sees both: the time that the program reads, and what a file's owner seems to be.
foreign "fakeroot's and faketime's answers" "1 cl.*" fakeroot faketime -f '@2001-02-03 04:05:06 x0.5' \
	sh -c "\"$apps/cl_vector_add\" && touch file && chown 5:6 file && stat -c %u:%g file && date +%Y-%m-%d"
like "$(cat "$tmp/traced.seen")" '^5:6$' "which are theirs: the owner"
like "$(cat "$tmp/traced.seen")" '^2001-02-03$' "and the day"
# The other way round: we start them.
is "$("$tracelayer" run -o "$tmp/traces/run.json" -- fakeroot -- sh -c "\"$apps/cl_vector_add\" && touch file && chown 5:6 file && stat -c %u:%g file" 2>&1 |
	sed 's/ [^ ]*run.json.*//' | sort)" "1024 sums, 0 wrong
5:6
tracelayer: trace:" "our command around fakeroot"

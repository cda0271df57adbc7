#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_job_many.sh: a job of 64 real ranks under Open MPI on this machine: recorded, recovered after one rank is killed, and summed up in a second.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/job.sh"
need mpirun.openmpi openmpi-bin
plan 5
# Ranks that did not pause would leave this test no time.
ranks=64 job_pause=20000
allow_mpi
export TMPDIR=$tmp
# A driver that is there at once: 64 ranks that load PoCL take a minute.
export OCL_ICD_VENDORS=$top_builddir/tests/drivers/.libs/icd_a.so
test -e "$OCL_ICD_VENDORS" || { echo "Bail out! $OCL_ICD_VENDORS is missing; run make check TESTS= first"; exit 99; }
launch() { local ranks=$1; shift; timeout -k 5 120 mpirun.openmpi -n "$ranks" "$@" </dev/null; }
launch_on_nodes() { launch 1 "$@"; }
host_of() { uname -n; }

# job_table DIR: each rank's number and calls, from the table of the whole job.
job_table() { "$tracelayer" summary --by=rank --table=ranks --format=csv "$1" | tr -d '\r' | awk -F, '$1 ~ /^[0-9]+$/ { print $1, $3 }'; }

# within_slack SLACK: each rank's calls in the table are those that it counted, or up to SLACK more.
within_slack()
{
	local rank calls seen=0 bad=0 counted
	while read -r rank calls; do
		counted=$(job_counter "$rank")
		if test "$calls" -lt "$counted" || test "$calls" -gt $((counted + $1)); then echo "rank $rank counted $counted calls, the table has $calls"; bad=1; fi
		seen=$((seen + 1))
	done <"$tmp/table"
	test "$seen" = $ranks || { echo "the table has $seen ranks"; bad=1; }
	return $bad
}

launch $ranks "$tracelayer" run --job="$tmp/J" -- "$job_calls" "$tmp/counts" 500 >"$tmp/out" 2>"$tmp/err"
is "$? $(cat "$tmp/out") $(grep -c '^tracelayer: ' "$tmp/err")" "0  1" "a job of $ranks ranks ends well, and one rank prints one line"
job_table "$tmp/J" >"$tmp/table"
ok "the table of the job has every call that each of the $ranks ranks counted" within_slack 0

# The least processor time of three: other programs may have the machine.
processor_seconds()
{
	local TIMEFORMAT='%U %S' try
	for try in 1 2 3; do { time "$tracelayer" summary "$1" >"$tmp/summary.out"; } 2>&1 || return; done | awk '{ print $1 + $2 }' | sort -g | head -n 1
}
seconds=$(processor_seconds "$tmp/J")
ok "summary DIR takes at most 1 s of processor time ($seconds s)" awk "BEGIN { exit !(\"$seconds\" != \"\" && $seconds <= 1) }"

ok "one of $ranks ranks is killed: every call that had returned is in the files after tracelayer recover" job_killed_once $ranks
job_table "$tmp/K" >"$tmp/table"
ok "the table of the killed job has all $ranks ranks, with every call that had returned" within_slack 1

#!/bin/bash
# SPDX-License-Identifier: MIT
# job.sh: tracelayer run --job under Open MPI, on this machine alone. stack_job_hosts.sh, stack_job_mpich.sh and stack_job_slurm.sh do more, and longer.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/job.sh"
need_command
need_library
command -v mpirun.openmpi >/dev/null || { echo "Bail out! mpirun.openmpi is missing; ./scripts/install-packages installs it (openmpi-bin)"; exit 99; }
plan 18
allow_mpi
export TMPDIR=$tmp
launch() { local ranks=$1; shift; timeout -k 5 60 mpirun.openmpi -n "$ranks" "$@" </dev/null; }
launch_on_nodes() { launch 1 "$@"; }
host_of() { uname -n; }

job_records 4 "Open MPI"
job_ends "Open MPI" 1
job_killed "Open MPI" 3 1

# Ranks without a file are named, by export and by summary.
launch 6 "$tracelayer" run --quiet --job="$tmp/M" -- "$job_calls" "$tmp/counts" 5 >"$tmp/out" 2>&1
step=$(echo "$tmp"/M/*)
host=$(echo "$step"/*)
# missing WHAT EXPORT SUMMARY: what the two say, up to a semicolon.
missing()
{
	"$tracelayer" export -f "$tmp/M" -o "$tmp/m.json" "${@:4}" 2>"$tmp/said"
	is "$? $(cut -d';' -f1 "$tmp/said")" "0 $2" "$1: export says it"
	"$tracelayer" summary "${@:4}" "$tmp/M" 2>&1 >"$tmp/out" | cut -d';' -f1 >"$tmp/said"
	is "$(cat "$tmp/said")" "$3" "$1: summary says it"
}
one="tracelayer: rank 3 of 6 has no trace in $step, and is missing here"
more="tracelayer: ranks 1, 3-5 of 6 have no trace in $step, and are missing here"
missing "a job with all of its ranks" "" ""
rm "$host/3.tlt"
missing "a lost trace, of which there is a sum" "$one" ""
rm "$host"/3.sum "$host"/[145].*
missing "the ranks of a host that failed" "$more" "$more"
missing "some ranks that are selected" "${more/3-5/3}" "${more/3-5/3}" --rank=0-3
rm -r "$tmp/M"
launch 6 "$tracelayer" run --quiet --job="$tmp/M" --ranks=0-1,4 -- sh -c "test \$OMPI_COMM_WORLD_RANK = 1 || exec $job_calls $tmp/counts 5" >"$tmp/out" 2>&1
"$tracelayer" export -f "$tmp/M" -o "$tmp/m.json" >"$tmp/said" 2>&1
is "$? $(cat "$tmp/said")" "0 " "ranks that were not to be traced, and one that made no call, are not missing"

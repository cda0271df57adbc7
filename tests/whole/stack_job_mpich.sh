#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_job_mpich.sh: tracelayer run --job under MPICH's hydra, which kills every rank at once when one of them dies.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/job.sh"
need mpirun.mpich mpich
plan 14
export TMPDIR=$tmp
launch() { local ranks=$1; shift; timeout -k 5 60 mpirun.mpich -n "$ranks" "$@" </dev/null; }
# One machine is one node: nothing has to start a command on it.
launch_on_nodes() { timeout -k 5 60 "$@" </dev/null; }
host_of() { uname -n; }

job_records 8 "MPICH"
job_ends "MPICH"
job_killed "MPICH" 4 "${JOBS_KILLED:-50}"

# --- hydra's step is mpiexec's port, which a later run may have again
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])')
for _ in 1 2 3; do
	MPIEXEC_PORT_RANGE=$port:$port launch 3 "$tracelayer" run --job="$tmp/P" -- "$job_calls" "$tmp/counts" 5 >>"$tmp/port.out" 2>&1
done
step=$(ls "$tmp/P" | grep -v -- '-[23]$')
is "$(ls "$tmp/P" | tr '\n' ' ')" "$step $step-2 $step-3 " "MPICH: three runs of one port have three folders"
is "$(for n in "" -2 -3; do job_files "$tmp/P/$step$n"; done)" "$(for _ in 1 2 3; do job_files_wanted 3; done)" "MPICH: each has the files of its own ranks"
is "$(for n in "" -2 -3; do "$tracelayer" summary --by=rank --table=ranks --format=csv "$tmp/P/$step$n" | tr -d '\r' | awk -F, '$1 ~ /^[0-9]+$/ { print $3 }'; done | tr '\n' ' ')" \
	"5 5 5 5 5 5 5 5 5 " "MPICH: and the calls of no other run"

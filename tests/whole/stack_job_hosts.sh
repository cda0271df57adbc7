#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_job_hosts.sh: tracelayer run --job under Open MPI on two and on four hosts, whose monotonic clocks are 1,000 s apart and whose processes have equal
# numbers.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/hosts.sh"
. "$top_srcdir/tests/lib/job.sh"
need mpirun.openmpi openmpi-bin
plan 24
export TMPDIR=$tmp
launch() { local ranks=$1; shift; hosts_slots=$((ranks / ${#hosts[@]} > 0 ? ranks / ${#hosts[@]} : 1)) hosts_mpirun -n "$ranks" timeout -k 5 60 "$@" </dev/null; }
# Open MPI 5 sometimes waits for ever for commands that have ended, where they are no MPI programs. What is started so may be started again.
launch_on_nodes()
{
	local try code
	for try in 1 2 3; do
		hosts_mapping=ppr:1:node hosts_limit=20 hosts_mpirun "$@" </dev/null; code=$?
		test $code = 124 || return $code
	done
	return $code
}
host_of() { echo "${hosts[$1 / ($2 / ${#hosts[@]})]}"; }

for count in 2 4; do
	hosts_need 12 || continue
	hosts_make $count 1000 || { echo "Bail out! no hosts"; exit 99; }
	job_records 8 "$count hosts"
	job_ends "$count hosts"
	job_killed "$count hosts" 4 "${JOBS_KILLED:-25}"
	hosts_end
	is "$(hosts_left)" "" "$count hosts: nothing is left of them"
done

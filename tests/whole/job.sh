#!/bin/bash
# SPDX-License-Identifier: MIT
# job.sh: tracelayer run --job under Open MPI, on this machine alone. stack_job_hosts.sh, stack_job_mpich.sh and stack_job_slurm.sh do more, and longer.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/job.sh"
need_command
need_library
command -v mpirun.openmpi >/dev/null || { echo "Bail out! mpirun.openmpi is missing; ./scripts/install-packages installs it (openmpi-bin)"; exit 99; }
plan 9
allow_mpi
export TMPDIR=$tmp
launch() { local ranks=$1; shift; timeout -k 5 60 mpirun.openmpi -n "$ranks" "$@" </dev/null; }
launch_on_nodes() { launch 1 "$@"; }
host_of() { uname -n; }

job_records 4 "Open MPI"
job_ends "Open MPI" 1
job_killed "Open MPI" 3 1

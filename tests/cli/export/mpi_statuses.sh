#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer export of a message whose receive has a status, as each MPI library has it: the status says from where it came, its tag and bytes.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
make_mpi=$(cd "$top_builddir/tests/cli/export" && pwd)/make_mpi
cd "$tmp" || exit 99
plan 13

# message LIBRARY: what its arrow says.
message() {
	mkdir "$1" && "$make_mpi" "$1" "$1" && "$tracelayer" export -o "$1.json" "$1/0.tlt" "$1/1.tlt" && grep '"ph":"f"' "$1.json" | grep -o '"args":{[^}]*}'
}

for library in mpich openmpi abi-mpich abi-openmpi; do
	is "$(message $library)" '"args":{"source":0,"destination":1,"tag":7,"bytes":77}' "$library: a message of any source and tag"
done
# MPI_COMM_SELF was taken for the world, and so was the communicator with the processes that spawned a job: messages to these became
# arrows within the job.
for library in mpich openmpi abi-mpich abi-openmpi; do
	is "$(message $library-self)" '"args":{"source":0,"destination":1,"tag":7,"bytes":77}' "$library: the first call is on MPI_COMM_SELF"
	is "$(message $library-parent)" '"args":{"source":0,"destination":1,"tag":7,"bytes":77}' "$library: the first call is on a parent's communicator"
done
# MPICH's MPI_Mprobe leaves the bit that says that a request was cancelled as it finds it: the message had no arrow.
is "$(message mpich-left)" '"args":{"source":0,"destination":1,"tag":7,"bytes":77}' "a call without a request was not cancelled"

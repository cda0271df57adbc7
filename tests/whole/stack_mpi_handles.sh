#!/bin/bash
# SPDX-License-Identifier: MIT
# What `tracelayer run --mpi` shows of MPI's handles and statuses, under MPICH, Open MPI and the standard ABI: what the program itself got
# (tests/apps/mpi_handles.c), those that MPI has from the start by their names. In JSON, in a .tlt's export, and as the log tool prints it.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/kept_venv.sh"
need mpirun.mpich mpich
need mpirun.openmpi openmpi-bin
plan $((4 * 5))
allow_mpi
export OMPI_MCA_btl_base_warn_component_unused=0 TMPDIR=$tmp
cd "$tmp" || exit 99

# shown TRACE RANK: "as the program got them", or what differs. Of each call the program tells some arguments, in order.
shown()
{
	"$python" - "$1" "told/$2" <<'END'
import json, sys

def has(shown, told):
    if isinstance(told, dict):
        return isinstance(shown, dict) and all(key in shown and has(shown[key], told[key]) for key in told)
    if isinstance(told, list):
        return isinstance(shown, list) and len(shown) >= len(told) and all(map(has, shown, told))
    return shown == told

told = [json.loads(line) for line in open(sys.argv[2])]
names = {name for name, _ in told}
calls = [event for event in json.load(open(sys.argv[1])) if event["ph"] == "X" and event["name"] in names]
if [call["name"] for call in calls] != [name for name, _ in told]:
    print("other calls:", *(call["name"] for call in calls))
for call, (name, arguments) in zip(calls, told):
    if not has(call["args"], arguments):
        print(name, call["args"], "and not", arguments)
    if name == "MPI_Waitall" and len(call["args"]["requests"]) != 4:
        print(name, call["args"])
print("as the program got them")
END
}

# logged RANK: the communicator that was made, as the log tool shows it and as the program got it.
logged()
{
	local comm
	comm=$(sed -n 's/.*"newcomm": "\(0x[0-9a-f]*\)".*/\1/p' "told/$1")
	grep -c "MPI_Comm_split(.*, newcomm=$comm) = 0" log.txt
}

# job WHAT LAUNCHER PROGRAM…
job()
{
	local what=$1 launch=$2 rank; shift 2
	rm -rf told *.json *.tlt; mkdir told
	"$launch" -n 2 "$tracelayer" run --quiet --mpi -o t.%r.json -- "$@" told
	for rank in 0 1; do
		is "$(shown t.$rank.json $rank)" "as the program got them" "$what: rank $rank's handles and statuses"
	done
	"$launch" -n 2 "$tracelayer" run --quiet --mpi -o t.%r.tlt -- "$@" told
	for rank in 0 1; do
		"$tracelayer" export t.$rank.tlt -o e.$rank.json -f >/dev/null
		is "$(shown e.$rank.json $rank)" "as the program got them" "$what: rank $rank's, from a .tlt"
	done
	"$launch" -n 2 "$tracelayer" run --quiet --mpi --tool=log -- "$@" told >log.txt 2>&1
	is "$(($(logged 0) > 0 && $(logged 1) > 0))" 1 "$what: the log tool shows the communicator that was made"
}

mpicc.mpich -O1 -w -o handles "$top_srcdir/tests/apps/mpi_handles.c"
job MPICH mpirun.mpich ./handles
# A program that opens MPI later, as languages do: the shims are registered long before there is an MPI.
cat >opens.c <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *handle = dlopen("./libhandles.so", RTLD_NOW);
	int (*real_main)(int, char **) = handle ? (int (*)(int, char **))dlsym(handle, "main_of_handles") : 0;
	return real_main ? real_main(argc, argv) : 3;
}
END
mpicc.mpich -O1 -w -fPIC -shared -Dmain=main_of_handles -o libhandles.so "$top_srcdir/tests/apps/mpi_handles.c"
cc -o opens opens.c -ldl
job "MPICH, opened by the program" mpirun.mpich ./opens
mpicc.openmpi -O1 -o handles "$top_srcdir/tests/apps/mpi_handles.c"
job "Open MPI" mpirun.openmpi ./handles
if venv=$(kept_venv "$kept" mpi4py-4.1.2 mpi4py==4.1.2 mpich==5.0.2); then
	"$venv/bin/mpicc_abi" -O1 -w -o handles "$top_srcdir/tests/apps/mpi_handles.c"
	job "standard ABI" "$venv/bin/mpiexec" ./handles
else
	skip 5 "$venv"
fi

#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_mpi_fortran.sh: MPI programs in Fortran under Open MPI and MPICH: their calls are in the trace, with the arrows of their messages, and another tool
# that sees MPI's calls sees no others than before.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
need mpif90.openmpi libopenmpi-dev
need mpif90.mpich libmpich-dev
need gfortran gfortran
plan $((3 + 3 * 3 + 3))
allow_mpi
export OMPI_MCA_btl_base_warn_component_unused=0 TMPDIR=$tmp
cd "$tmp" || exit 99

# 40 messages round the ring, and 3 to the first rank.
calls="MPI_Allreduce 4,MPI_Comm_dup 4,MPI_Finalize 4,MPI_Init 4,MPI_Irecv 40,MPI_Isend 40,MPI_Recv 3,MPI_Send 3,MPI_Waitall 40,"
arrows_in() { "$python" -c 'import json, sys; print(sum(e["ph"] == "f" and e["name"] == "message" for e in json.load(open(sys.argv[1]))))' "$1"; }
calls_in() { "$tracelayer" summary --csv --table=calls J | tr -d '\r' | sed 1d | grep MPI_ | sort | awk -F, '{ printf "%s %s,", $1, $3 }'; }

# ring WHAT PROGRAM LAUNCHER...: three results.
ring()
{
	local what=$1 program=$2; shift 2
	rm -rf J
	is "$("$@" -n 4 ./$program) $("$@" -n 4 "$tracelayer" run --quiet --mpi --job=J -- ./$program)" "sum 66 sum 66" "$what: the program prints what it prints bare"
	is "$(calls_in)" "$calls" "... its calls are in the trace"
	"$tracelayer" export J -o all.json -f
	is "$(arrows_in all.json)" 43 "... and each message has its arrow"
}

for mpi in openmpi mpich; do
	ok "$mpi: the program is built" mpif90.$mpi -O1 -o ring.$mpi "$top_srcdir/tests/apps/mpi_ring.F90"
done
ok "with the module mpi_f08, too" mpif90.openmpi -DF08 -O1 -o ring.f08 "$top_srcdir/tests/apps/mpi_ring.F90"
ring "Open MPI" ring.openmpi mpirun.openmpi
ring "MPICH" ring.mpich mpiexec.hydra
ring "mpi_f08" ring.f08 mpirun.openmpi

# A tool that sees MPI_Isend: Open MPI's library for Fortran calls PMPI_Isend.
cat >tool.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
static int count;
int MPI_Isend(const void *memory, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
	count++;
	return PMPI_Isend(memory, n, type, to, tag, comm, request);
}
static __attribute__((destructor)) void end(void)
{
	char text[32];
	int size = snprintf(text, sizeof(text), "tool %d\n", count);
	if (write(1, text, (size_t)size) < 0) _exit(99);
}
END
ok "a tool is built" mpicc.openmpi -shared -fPIC -o tool.so tool.c
is "$(mpirun.openmpi -n 2 -x LD_PRELOAD="$tmp/tool.so" ./ring.openmpi | sort | tr '\n' ' ')" "sum 11 tool 0 tool 0 " "bare, it sees no call of Fortran's"
rm -rf J
is "$(mpirun.openmpi -n 2 -x LD_PRELOAD="$tmp/tool.so" "$tracelayer" run --quiet --mpi --job=J -- ./ring.openmpi | grep -v '^tool 0$' | tr '\n' ' ')" "sum 11 " \
	"traced, neither"

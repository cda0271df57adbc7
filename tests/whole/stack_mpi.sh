#!/bin/bash
# SPDX-License-Identifier: MIT
# MPI programs, of Debian's MPICH, of its Open MPI, and of MPI's standard ABI as PyPI's MPICH 5 has it, bare and traced: mpi.h through tracegen, each rank's
# calls counted by the program itself. And what `tracelayer run --mpi` has without an mpi.h: no function is left out that communicates, waits, or reads and
# writes files.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/kept_venv.sh"
need mpirun.mpich mpich
need mpirun.openmpi openmpi-bin
plan 33
allow_mpi
export OMPI_MCA_btl_base_warn_component_unused=0
# Ranks print in whatever order. Open MPI's messages have a job's number in them: [[4104,1],0].
normalise() { sed -E 's/\[\[[0-9]+,/[[N,/g' | sort; }

# Every rank's calls by the name, as the program counted them, and as they are in the traces.
as_counted()
{
	sort -m /dev/null "$tmp"/traced/calls.* | awk '{ n[$1] += $2 } END { for (name in n) print name, n[name] }' | sort >"$tmp/want"
	test -s "$tmp/want" || return
	for trace in "$tmp"/traces/calls*.json; do
		"$python" "$check_trace" --names "$trace"
	done | awk '/^MPI_/ { n[$1] += $2 } END { for (name in n) print name, n[name] }' | sort | diff "$tmp/want" -
}

mpi()
{
	local kind=$1 compile=$2 launch=$3; shift 3
	preload=$libtracelayer
	shims "mpi" "$top_srcdir/tests/apps/mpi.json" -- "$@"
	ok "$kind: the program is built" "$compile" -O1 -o "$tmp/calls" "$top_srcdir/tests/apps/mpi_calls.c"
	# The writer takes a chunk after some 4,000 calls; the second run is far beyond that.
	for rounds in 10 8000; do
		foreign "$kind, $rounds rounds" "$((rounds * 6)) MPI_.*" "$launch" -n 2 "$tmp/calls" $rounds
		ok "$kind, $rounds rounds: each call is in the traces, once" as_counted
	done
}

mpi mpich mpicc.mpich mpirun.mpich "-I$(mpicc.mpich -show | sed 's/.* -I\([^ ]*\).*/\1/')"
mpi openmpi mpicc.openmpi mpirun.openmpi "-I$(mpicc.openmpi -show | sed 's/[^-]*-I\([^ ]*\).*/\1/')"
if venv=$(kept_venv "$kept" mpi4py-4.1.2 mpi4py==4.1.2 mpich==5.0.2); then
	# MPI calls it mpi.h. MPICH has it beside its own.
	mkdir "$tmp/abi" && cp "$venv/include/mpi_abi.h" "$tmp/abi/mpi.h"
	mpi "standard ABI" "$venv/bin/mpicc_abi" "$venv/bin/mpiexec" "-I$tmp/abi"
else
	skip 10 "$venv"
fi

# The functions that MPI's library has and --mpi has not, of those that take part in communication.
left_out()
{
	nm -D --defined-only "$1" | sed 's/.* //; s/@.*//' | grep -iE '^MPI_(I?[psbr]?(send|recv|mrecv|sendrecv|sendrecv_replace)|I?(neighbor_)?(barrier|bcast|(all)?gatherv?|scatterv?|alltoall[vw]?|(all)?reduce|reduce_scatter(_block)?|scan|exscan))(_init)?(_c)?$
^MPI_(R?(put|get|accumulate|get_accumulate)(_c)?|Fetch_and_op|Compare_and_swap|(Wait|Test)(all|any|some)?|Pready.*|Parrived|Buffer_(attach|detach)(_c)?)$
^MPI_((Open|Close)_port|(Publish|Unpublish|Lookup)_name|Comm_(accept|connect|disconnect|join|spawn(_multiple)?))$
^MPI_(Win|File)_(create|allocate|free|fence|post|start|complete|wait|test|i?lock|unlock|flush|sync|attach|detach|open|close|i?read|i?write|set_view|set_size|set_atomicity|seek_shared|preallocate)(_.*)?$' |
		grep -vE 'keyval|errhandler' | sort -u >"$tmp/of_mpi"
	test "$(wc -l <"$tmp/of_mpi")" -ge 100 || { echo "$1 has few of them"; return 1; }
	sort -u "$top_builddir/apis/mpi_words.exports" | comm -23 "$tmp/of_mpi" -
}
has_all() { is "$(left_out "$1")" "" "${1##*/}: --mpi has each function that communicates, waits, or reads and writes files"; }
for library in libmpich.so.12 libmpi.so.40; do
	has_all "$(ldconfig -p | sed -n "s/.*$library .*=> //p" | head -n 1)"
done
if test -d "$venv"; then
	has_all "$venv/lib/libmpi_abi.so.1"
else
	skip 1 "$venv"
fi

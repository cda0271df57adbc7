#!/bin/bash
# SPDX-License-Identifier: MIT
# MPI programs, of Debian's MPICH and of its Open MPI, bare and traced: mpi.h through tracegen, each rank's calls counted by the program itself. What
# `tracelayer run --mpi` has without an mpi.h: no function is left out that communicates, waits, or reads and writes files.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
need mpirun.mpich mpich
need mpirun.openmpi openmpi-bin
plan 22
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
	local kind=$1 include=$2; shift 2
	preload=$libtracelayer
	shims "mpi" "$top_srcdir/tests/apps/mpi.json" -- "-I$include"
	ok "$kind: the program is built" "mpicc.$kind" -O1 -o "$tmp/calls" "$top_srcdir/tests/apps/mpi_calls.c"
	# The writer takes a chunk after some 4,000 calls; the second run is far beyond that.
	for rounds in 10 8000; do
		foreign "$kind, $rounds rounds" "$((rounds * 6)) MPI_.*" "mpirun.$kind" -n 2 "$tmp/calls" $rounds
		ok "$kind, $rounds rounds: each call is in the traces, once" as_counted
	done
}

mpi mpich "$(mpicc.mpich -show | sed 's/.* -I\([^ ]*\).*/\1/')"
mpi openmpi "$(mpicc.openmpi -show | sed 's/[^-]*-I\([^ ]*\).*/\1/')"

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
for library in libmpich.so.12 libmpi.so.40; do
	is "$(left_out "$(ldconfig -p | sed -n "s/.*$library .*=> //p" | head -n 1)")" "" "$library: --mpi has each function that communicates, waits, or reads and writes files"
done

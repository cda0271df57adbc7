#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer export of MPI's calls in files that claim what cannot be: it ends soon, in little memory, and shows the message that the
# ranks' sound calls tell of.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
make_mpi=$(cd "$top_builddir/tests/cli/export" && pwd)/make_mpi
cd "$tmp" || exit 99
plan 56

# messages WHAT: how export ends, and how many arrows its file has.
messages() {
	mkdir "$1" && "$make_mpi" "$1" "$1" || return
	(ulimit -v 2000000; timeout 20 "$tracelayer" export -o "$1.json" "$1/0.tlt" "$1/1.tlt") >"$1.said" 2>&1
	echo "$? $(grep -c '"ph":"s"' "$1.json")"
}

is "$(messages sound)" "0 1" "sound files: one message"
for what in count size; do
	is "$(messages $what)" "0 1" "$what: the same"
done
is "$(messages rank)" "0 0" "rank: no job has that one, so no message"
is "$(messages group)" "0 1" "group: the message in a communicator of a group"
is "$(messages tower)" "0 0" "tower: a group that is made of too many is not known, and takes no time"
# Each of these groups took 64 MB.
is "$(messages ranges)" "0 1" "ranges: groups of millions of ranks take no memory for each of these"
is "$(messages comms)" "0 1" "comms: communicators of millions of ranks do not take all memory"
# The second communicator of the one rank was taken to be the first of the other: its messages had wrong arrows.
is "$(messages order)" "0 1" "order: threads make communicators of groups in any order"
is "$(messages late)" "0 1" "late: a call that makes a communicator ends after another thread has freed what had its handle"
is "$(messages reused)" "0 1" "reused: a receive begins before another thread has waited for the one that had its request's handle"
# One send that was given up took all arrows of its process.
is "$(messages given-up)" "0 1" "given-up: a send that was given up was no message"
is "$("$python" -c 'import json; print(*[e["name"] for e in json.load(open("given-up.json")) if e["ph"] == "X" and any(f["ph"] == "s" and f["pid"] == e["pid"] and e["ts"] <= f["ts"] <= e["ts"] + e["dur"] for f in json.load(open("given-up.json")))])')" \
	MPI_Send "... and the message begins in the other one"
is "$(messages sent-too)" "0 2" "sent-too: as many were received as were sent"
is "$(messages doubtful)" "0 0" "doubtful: which of two was sent is not known"
is "$(messages given-up-killed)" "0 0" "given-up-killed: which of the two was received before rank 1 was killed is not known"
is "$(messages threads)" "0 2" "threads: two threads send, one after the other"
is "$(messages crossed)" "0 0" "crossed: ... at the same time, so their order is not known"
is "$(messages parts)" "0 1" "parts: the message in parts"
is "$(grep '"ph":"s"' parts.json | sed 's/.*"ts":\([0-9.]*\).*/\1/')" "2.001" "parts: its arrow begins where the last part was ready, though a thread waited for it before that"
is "$(messages grid)" "0 1" "grid: the message in a line of a grid"
is "$(messages torn)" "0 0" "torn: MPI_Cart_sub's numbers are not all there, so what it made is not known"
is "$(messages bent)" "0 0" "bent: the ranks say different things of one call"
is "$(messages host)" "0 1" "host: the message among the ranks of a host"
is "$(messages near)" "0 0" "near: the launcher had two hosts where the traces have one name"
is "$(messages far)" "0 0" "far: ... and one, where the traces have two"
is "$(messages parted)" "0 0" "parted: MPICH was told to take it for several"
is "$(messages info)" "0 0" "info: an info may ask for parts of a host"
for what in sound count size rank group tower ranges comms order late reused given-up sent-too doubtful given-up-killed threads crossed parts grid torn bent host near far parted info; do
	is "$(cat $what.said)" "" "$what: nothing is said"
done
is "$(messages blobs)" "3 1" "blobs: the message, and the file counts as incomplete"
like "$(cat blobs.said)" "*blobs/1.tlt: 1 record is damaged*" "... as is said"

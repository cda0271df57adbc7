#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_job_arrows.sh: arrows from sends to receives, under Open MPI, MPICH and MPI's standard ABI: each one beside what the program says that it got, by all kinds of sends, receives,
# waits and communicators (tests/apps/mpi_sends.c). Where a message can't be known there is no arrow.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/kept_venv.sh"
need mpirun.mpich mpich
need mpirun.openmpi openmpi-bin
plan $((3 * 9 + 2 * 2 + 2 + 7))
allow_mpi
export OMPI_MCA_btl_base_warn_component_unused=0 TMPDIR=$tmp
export UCX_LOG_LEVEL=error # it says so if a receive is given up
cd "$tmp" || exit 99

record()
{
	rm -rf J told; mkdir told
	"$@"
}

# How many messages the program tells of.
sent() { awk '/^sent/ { n += $2 } END { print n }' told/*; }
in_parts() { awk '/^sent/ { n += $5 } END { print n }' told/*; }

arrows_in() { "$python" -c 'import json, sys; print(sum(e["ph"] == "f" and e["name"] == "message" for e in json.load(open(sys.argv[1]))))' "$1"; }

# As readers of OTF2 match them: in order, by communicator, ranks and tag, receives by when they were begun.
otf2_messages()
{
	"$python" -c '
import collections, json, re, sys
sends, receives, begun = collections.defaultdict(list), collections.defaultdict(list), {}
row = re.compile(r"^MPI_(\w+) +(\d+) +(\d+)  (?:(?:Receiver|Sender): (\d+) .*?<(\d+)>\), Communicator: .*?<(\d+)>, Tag: (\d+), .*?)?(?:Request: (\d+))?$")
for line in sys.stdin:
    found = row.match(line.rstrip())
    if not found or not line.startswith("MPI_"): continue
    kind, location, time, _, other, comm, tag, request = found.groups()
    if kind == "SEND": sends[comm, location, other, tag].append(int(time))
    elif kind == "IRECV_REQUEST": begun[request] = int(time)
    else: receives[comm, other, location, tag].append((begun.get(request, int(time)), int(time)))
bad = [key for key in set(sends) | set(receives) if len(sends[key]) != len(receives[key])]
late = [key for key in sends for sent, got in zip(sorted(sends[key]), sorted(receives[key])) if got[1] < sent]
print(sum(map(len, receives.values())), "messages", *bad, *late)'
}

# told_lines COUNT: waits until rank 1 has told of so many messages.
told_lines()
{
	local tries=600
	while test "$(cat told/1 2>/dev/null | wc -l)" -lt "$1" && test $((tries -= 1)) -gt 0; do sleep 0.05; done
}

# A rank is killed after some hundred messages. With "paused", the ranks were paused for a while before that.
killed()
{
	local launcher paused=$1
	shift
	"$@" >/dev/null 2>&1 &
	launcher=$!
	told_lines 300
	if test "$paused" = paused; then
		"$tracelayer" pause arrows >/dev/null
		told_lines $(($(cat told/1 | wc -l) + 100))
		"$tracelayer" resume arrows >/dev/null
		told_lines $(($(cat told/1 | wc -l) + 300))
	fi
	for folder in /proc/[0-9]*; do
		test "$(readlink "$folder/exe")" != "$(readlink -f sends)" || { kill -KILL "${folder#/proc/}"; break; }
	done 2>/dev/null
	wait $launcher
	"$tracelayer" recover J >/dev/null 2>&1
}

job()
{
	local what=$1; shift
	# All messages that can be known, and 8 that can't. MPICH (4.0.2) makes fewer grids without dimensions.
	record "$@" -n 4 "$tracelayer" run --quiet --mpi --job=J -- ./sends told 2
	"$tracelayer" export J -o all.json -f
	sent=$(sent)
	like "$sent" "[34][0-9][0-9][0-9]" "$what: the program tells of all its messages"
	is "$("$python" "$top_srcdir/tests/whole/job_arrows.py" all.json told)" "$sent arrows" "$what: each message that the program tells of has its arrow"
	"$tracelayer" export J -o all.otf2 -f
	is "$(otf2-print all.otf2 | otf2_messages)" "$((sent - $(in_parts))) messages" "$what: in OTF2, too, but for those in parts"
	"$tracelayer" export J -o some.json -f --rank=0,1
	"$tracelayer" export J -o named.json -f --name='MPI_S*'
	is "$(($(arrows_in some.json) > 0 && $(arrows_in some.json) < sent)) $(arrows_in named.json)" "1 $(grep -c '"name":"MPI_Sendrecv' all.json)" "$what: an arrow has both of its ends in what is selected"
	record "$@" -n 4 "$tracelayer" run --quiet --mpi --exclude=MPI_Irecv --job=J -- ./sends told 1
	"$tracelayer" export J -o all.json -f
	is "$(arrows_in all.json)" 0 "$what: no arrows where calls that receive were not recorded"
	record "$@" -n 3 "$tracelayer" run --quiet --mpi --ranks=0,2 --job=J -- ./sends told 1
	"$tracelayer" export J -o all.json -f
	said=$("$python" - all.json <<'END'
import json, sys
pairs = {}
for e in json.load(open(sys.argv[1])):
    if e["ph"] in "sf" and e["name"] == "message":
        pairs.setdefault(e["id"], []).append(e["pid"])
print(all(len(pids) == 2 for pids in pairs.values()), len(pairs) > 0)
END
	)
	is "$said" "True True" "$what: messages of a rank without a trace have no arrows"
	record "$@" -n 2 "$tracelayer" run --quiet --mpi --job=J -- ./sends told 1
	"$tracelayer" export J -o all.json -f
	is "$("$python" "$top_srcdir/tests/whole/job_arrows.py" all.json told | tail -n 1)" "$(sent) arrows" "$what: two ranks"
	record killed on "$@" -n 2 "$tracelayer" run --quiet --mpi --job=J -- ./sends told 100000
	"$tracelayer" export J -o all.json -f
	is "$("$python" "$top_srcdir/tests/whole/job_arrows.py" all.json told killed)" "True arrows" "$what: ranks that were killed have arrows up to their end"
	record killed paused "$@" -n 2 "$tracelayer" run --quiet --mpi --session=arrows --job=J -- ./sends told 100000
	"$tracelayer" export J -o all.json -f
	is "$(grep -c '"name":"MPI_Init"' all.json) $(arrows_in all.json)" "2 0" "$what: ranks that were paused for a while have none: which messages are missing is not known"
}

# A program without MPI_Init, whose communicators are a session's: MPI 4.
in_session()
{
	local what=$1; shift
	for ranks in 4 3; do
		record "$@" -n $ranks "$tracelayer" run --quiet --mpi --job=J -- ./sends told 1 session
		"$tracelayer" export J -o all.json -f
		is "$("$python" "$top_srcdir/tests/whole/job_arrows.py" all.json told)" "$(sent) arrows" "$what: in communicators of a session, $ranks ranks"
	done
}

mpicc.openmpi -O1 -o sends "$top_srcdir/tests/apps/mpi_sends.c"
job "Open MPI" mpirun.openmpi
mpicc.openmpi -O1 -o spawns "$top_srcdir/tests/apps/mpi_spawns.c"
record "$tracelayer" run --quiet --mpi --job=J -- mpirun.openmpi -n 2 ./spawns
"$tracelayer" export J/* -o all.json -f
is "$(arrows_in all.json)" 5 "MPI_Comm_spawn: each of the two worlds has its arrows, in one timeline"
mpicc.mpich -O1 -w -o sends "$top_srcdir/tests/apps/mpi_sends.c"
job "MPICH" mpiexec.hydra
in_session "MPICH" mpiexec.hydra
record mpiexec.hydra -n 2 "$tracelayer" run --quiet --mpi --job=J -- ./sends told 1
both=$(sent)
mpiexec.hydra -n 3 "$tracelayer" run --quiet --mpi --job=J -- ./sends told 1
both=$((both + $(sent)))
"$tracelayer" export J/* -o all.json -f
is "$(arrows_in all.json)" "$both" "two runs in one timeline: each has its arrows"
"$tracelayer" export J/* -o all.otf2 -f
is "$(otf2-print all.otf2 | grep -c MPI_SEND)" 0 "... but for OTF2, which has one rank 0"
record mpiexec.hydra -n 2 "$tracelayer" run --quiet --mpi --job=J -- ./sends told 1
mpiexec.hydra -n 4 "$tracelayer" run --quiet --mpi --ranks=2,3 --job=J -- ./sends told 1
"$tracelayer" export J/* -o all.otf2 -f 2>/dev/null
is "$(otf2-print all.otf2 | grep -c MPI_SEND)" 0 "... also where they have other ranks: the world of the one had processes of the other"
record mpiexec.hydra -n 4 sh -c 'exec "$0" run --quiet --mpi --job="J/$((PMI_RANK % 2))" -- ./sends told 1' "$tracelayer"
"$tracelayer" export J/0/* J/1/* -o all.json -f 2>/dev/null
is "$(arrows_in all.json)" "$(sent)" "a run whose machines have a folder each is one run"
# The second run has the first one's step: MPICH's is a port.
for run in 0 1; do
	record mpiexec.hydra -n 3 "$tracelayer" run --quiet --mpi --job=K$run -- ./sends told 1
	step=$(basename K$run/*) first=${first-$step}
	sed -i "s/${step#hydra.}/${first#hydra.}/g" K$run/"$step"/*/*.tlt
	test -d K$run/"$first" || mv K$run/"$step" K$run/"$first"
done
"$tracelayer" export K0/* K1/* -o all.json -f
is "$(arrows_in all.json)" "$((2 * $(sent)))" "two runs of one step in two folders: each has its arrows"
record env MPIR_CVAR_ODD_EVEN_CLIQUES=1 mpiexec.hydra -n 4 "$tracelayer" run --quiet --mpi --job=J -- ./sends told 1
"$tracelayer" export J -o all.json -f
like "$("$python" "$top_srcdir/tests/whole/job_arrows.py" all.json told | grep -c "rank . has sent")" 4 "MPICH with parts of a host: these have no arrows"
is "$(grep -c '"mpi_parted":1' all.json)" 4 "... since the trace tells of the setting"
if venv=$(kept_venv "$kept" mpi4py-4.1.2 mpi4py==4.1.2 mpich==5.0.2); then
	"$venv/bin/mpicc_abi" -O1 -w -o sends "$top_srcdir/tests/apps/mpi_sends.c"
	job "standard ABI" "$venv/bin/mpiexec"
	in_session "standard ABI" "$venv/bin/mpiexec"
	printf '%s\n' 'from mpi4py.futures import MPIPoolExecutor' 'if __name__ == "__main__":' '    with MPIPoolExecutor() as pool:' '        print(sum(pool.map(abs, range(50))))' >pool.py
	record "$venv/bin/mpiexec" -n 4 "$tracelayer" run --quiet --mpi --job=J -- "$venv/bin/python" -m mpi4py.futures pool.py >pool.out
	"$tracelayer" export J -o all.json -f
	is "$(cat pool.out) $(arrows_in all.json)" "1225 $(grep -c '"name":"MPI_Mrecv' all.json)" "mpi4py's pool: all that it receives has arrows, though two threads send with one tag"
else
	skip 12 "$venv"
fi

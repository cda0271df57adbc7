#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_job_clocks.sh: ranks whose monotonic clocks are 1,000 s apart, on one timeline: what `tracelayer run --mpi` makes of the shift, which is known, and the
# bound that it prints. Under Open MPI (shared memory, TCP) and MPICH, several times. Bare and traced, the program prints the same.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
need mpirun.mpich mpich
need mpirun.openmpi openmpi-bin
need_command
runs=5
plan $((3 * (5 + runs)))
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_base_warn_component_unused=0 TMPDIR=$tmp
cd "$tmp" || exit 99

unshare --time --fork --monotonic 1000 true 2>/dev/null || skip_all "this machine lets nobody make a time namespace"
# Every second rank's clock is ahead.
cat >shift.sh <<'END'
#!/bin/bash
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
test $((rank % 2)) = 0 && exec "$@"
exec unshare --time --fork --kill-child --monotonic 1000 --boottime 1000 -- "$@"
END
chmod +x shift.sh
cat >shift.py <<'END'
import json, sys
def first(path, pid=None):
    starts = {}
    for e in json.load(open(path)):
        if e["ph"] == "X" and e["name"] == "MPI_Init":
            starts[e["pid"]] = e["ts"]
    return list(starts.values())[0] if pid is None else starts[pid]
whole, *single = sys.argv[1:]
# How far each rank's times were moved, in microseconds.
moved = []
both = sorted(e["ts"] for e in json.load(open(whole)) if e["ph"] == "X" and e["name"] == "MPI_Init")
names = {}
for e in json.load(open(whole)):
    if e["ph"] == "M" and e["name"] == "process_labels":
        names[e["args"]["labels"].split(",")[0]] = e["pid"]
for rank, path in enumerate(single):
    moved.append(first(whole, names["rank %d" % rank]) - first(path))
print("%.3f" % abs(moved[0] - moved[1] - 1e9))
END

job()
{
	local what=$1 run; shift
	"$@" ./meets 50 >bare 2>&1
	for run in $(seq $runs); do
		rm -rf J
		"$@" ./shift.sh "$tracelayer" run --quiet --mpi --job=J -- ./meets 200 >traced 2>&1
		step=$(echo J/*/"$(uname -n)")
		said=$("$tracelayer" export J -o all.json -f 2>&1)
		bound=$(sed -n 's/.*clocks of 2 machines are set by [0-9]* MPI calls, to \([0-9.]*\) us.*/\1/p' <<<"$said")
		for rank in 0 1; do "$tracelayer" export "$step/$rank.tlt" -o "$rank.json" -f; done
		off=$("$python" shift.py all.json 0.json 1.json)
		ok "$what: the shift is right within the bound that is printed" awk "BEGIN { exit !(\"$bound\" != \"\" && $off <= $bound) }"
		diag "$what: off by $off us, said to be at most ${bound:-?} us"
	done
	is "$(sort traced)" "$(sort bare)" "$what: the ranks print what they print alone"
	like "$said" "set by 400 MPI calls" "$what: the smaller communicators' calls are left out"
	is "$("$tracelayer" summary --csv --table=calls J | tr -d '\r' | awk -F, '$1 ~ /MPI_(Barrier|Sendrecv|Allreduce)/ { print $1, $3 }' | sort | tr '\n' ' ')" \
		"MPI_Allreduce 400 MPI_Barrier 1000 MPI_Sendrecv 400 " "$what: each call is counted"
	rm -rf J
	"$@" ./shift.sh env -u LD_PRELOAD "$tracelayer" run --quiet --mpi --include=MPI_Init --job=J -- ./meets 5 >/dev/null 2>&1
	is "$("$tracelayer" export J -o time.json -f 2>&1)" "" "$what: without such calls the time of day is used"
	for rank in 0 1; do "$tracelayer" export "$(echo J/*/"$(uname -n)")/$rank.tlt" -o "$rank.json" -f; done
	ok "$what: which is right within 100 us on one machine" awk "BEGIN { exit !($("$python" shift.py time.json 0.json 1.json) < 100) }"
}

mpicc.openmpi -O1 -o meets "$top_srcdir/tests/apps/mpi_meets.c"
job "Open MPI" mpirun.openmpi -n 2
job "Open MPI over TCP" mpirun.openmpi --mca btl tcp,self -n 2
mpicc.mpich -O1 -o meets "$top_srcdir/tests/apps/mpi_meets.c"
job "MPICH" mpiexec.hydra -n 2

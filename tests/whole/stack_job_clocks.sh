#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_job_clocks.sh: ranks whose monotonic clocks are 1,000 s apart, on one timeline: what `tracelayer run --mpi` makes of the shift, which is known, and the
# bound that it prints. Under Open MPI (shared memory, TCP), MPICH and MPI's standard ABI, several times. The same if the recorded clock drifts. Bare and traced, the program
# prints the same.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/kept_venv.sh"
need mpirun.mpich mpich
need mpirun.openmpi openmpi-bin
need_command
runs=5
plan $((4 * (10 + 2 * runs) + 1))
mkdir "$tmp/python"
(cd "$top_srcdir/tests/format/encode" && protoc --python_out="$tmp/python" pftrace.proto) || exit 99
allow_mpi
export OMPI_MCA_btl_base_warn_component_unused=0 TMPDIR=$tmp
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
# shift.py ALL.json RANK0.json RANK1.json: how far each of rank 1's times is off, in microseconds, at most: between the first and the last call that sets
# the clocks, and at all. All times of rank 0 are moved alike.
cat >shift.py <<'END'
import json, sys
def times(path, pid=None):
    calls = [e for e in json.load(open(path)) if e["ph"] == "X" and pid in (None, e["pid"])]
    return sorted((e["name"], i, e["ts"]) for i, e in enumerate(calls))
whole, *single = sys.argv[1:]
pids = {e["args"]["labels"].split(",")[0]: e["pid"] for e in json.load(open(whole))
        if e["ph"] == "M" and e["name"] == "process_labels"}
moved = []
for rank, path in enumerate(single):
    pairs = list(zip(times(path), times(whole, pids["rank %d" % rank])))
    assert all(a[:2] == b[:2] for a, b in pairs)
    moved.append([(a[0], a[2], b[2] - a[2]) for a, b in pairs])
base = moved[0][0][2]
off = [(name, at, abs(abs(by - base) - 1e9)) for name, at, by in moved[1]]
sets = [at for name, at, _ in off if name == "MPI_Barrier"]
inside = [o for _, at, o in off if sets and min(sets) <= at <= max(sets)]
print("%.3f %.3f" % (max(inside, default=0), max(o for _, _, o in off)))
END

# right FILE-OF-RANK-1: exports J; the errors that shift.py finds are within the bounds that are printed.
right()
{
	said=$("$tracelayer" export J -o all.json -f 2>&1)
	bound=$(sed -n 's/.*clocks of 2 machines are set by [0-9]* MPI calls, to \([0-9.]*\) us.*/\1/p' <<<"$said")
	outside=$(sed -n 's/.* and to \([0-9.]*\) us before and after them.*/\1/p' <<<"$said")
	read -r off far <<<"$("$python" shift.py all.json 0.json 1.json)"
	echo "off by $off us, said to be at most ${bound:-?} us; by $far us before and after, said to be at most ${outside:-$bound} us" >off
	awk "BEGIN { exit !(\"$bound\" != \"\" && $off <= $bound && $far <= ${outside:-$bound}) }"
}
# Both machines' clocks are one, so the drift is the 120 us a second that were added, right within its bound. It is right to the tens besides, or to a quarter
# of its bound where that is more, unless the ranks waited for a processor. The job takes more than 0.2 s: so exact is the bound where the clocks are known to
# `bound` at both ends.
drift_right()
{
	sed -n 's/.*(drift: \([0-9.]*\) us a second, to \([0-9.]*\)[,)].*/\1 \2/p' <<<"$said" | awk -v bound="$bound" '{
			n++
			off = $1 > 120 ? $1 - 120 : 120 - $1
			right = off <= $2 + 1 && $2 <= 10 * bound && (bound > 50 || off <= 10 || off <= $2 / 4)
		} END { exit !(n == 1 && right) }' || { echo "$said"; return 1; }
}
# In whatever order. Open MPI's messages have a job's number in them: [[4104,1],0].
ranks_said() { sed -E 's/\[\[[0-9]+,/[[N,/g' "$1" | sort; }
ask() { "$python" -B "$top_srcdir/tests/cli/export/timeline.py" "$@"; }

job()
{
	local what=$1 run; shift
	"$@" ./meets 50 >bare 2>&1
	for run in $(seq $runs); do
		rm -rf J
		"$@" ./shift.sh "$tracelayer" run --quiet --mpi --job=J -- ./meets 200 >traced 2>&1
		step=$(echo J/*/"$(uname -n)")
		for rank in 0 1; do "$tracelayer" export "$step/$rank.tlt" -o "$rank.json" -f; done
		ok "$what: the shift is right within the bound that is printed" right
		diag "$what: $(cat off)"
		like "$said" "set by 400 MPI calls" "$what: the smaller communicators' calls are left out"
	done
	ask drift "$step/1.tlt" 120
	ok "$what: so it is if the clock drifts" right
	diag "$what: drifting: $(cat off)"
	ok "$what: and the drift is printed, right within its bound" drift_right
	"$tracelayer" export J --time=0- -o part.json -f 2>/dev/null
	same part.json all.json "$what: all of the time is all, by clocks that drift"
	for format in pftrace tar otf2; do "$tracelayer" export J -o all.$format -f 2>/dev/null; done
	ok "$what: the files of a .tar, put together by its manifest, are the timeline" ask tar "$tmp/python" all.tar all.pftrace
	ok "$what: so is the OTF2 archive" ask otf2 all.otf2 all.json
	ask resumed "$step/1.tlt"
	unlike "$("$tracelayer" export J -o all.json -f 2>&1)" "MPI calls" "$what: a rank that was paused sets no clock"
	is "$(ranks_said traced)" "$(ranks_said bare)" "$what: the ranks print what they print alone"
	is "$("$tracelayer" summary --csv --table=calls J | tr -d '\r' | sed 's/_c,/,/' | awk -F, '$1 ~ /MPI_(Barrier|Sendrecv|Allreduce)/ { print $1, $3 }' | sort | tr '\n' ' ')" \
		"MPI_Allreduce 400 MPI_Barrier 1000 MPI_Sendrecv 400 " "$what: each call is counted"
	rm -rf J
	"$@" ./shift.sh env -u LD_PRELOAD "$tracelayer" run --quiet --mpi --include=MPI_Init --job=J -- ./meets 5 >/dev/null 2>&1
	is "$("$tracelayer" export J -o time.json -f 2>&1)" "" "$what: without such calls the time of day is used"
	for rank in 0 1; do "$tracelayer" export "$(echo J/*/"$(uname -n)")/$rank.tlt" -o "$rank.json" -f; done
	ok "$what: which is right within 100 us on one machine" awk "BEGIN { exit !($("$python" shift.py time.json 0.json 1.json | cut -d' ' -f2) < 100) }"
}

mpicc.openmpi -O1 -o meets "$top_srcdir/tests/apps/mpi_meets.c"
job "Open MPI" mpirun.openmpi -n 2
job "Open MPI over TCP" mpirun.openmpi --mca btl tcp,self -n 2
mpicc.mpich -O1 -o meets "$top_srcdir/tests/apps/mpi_meets.c"
job "MPICH" mpiexec.hydra -n 2
rm -rf J
mpiexec.hydra -n 2 "$tracelayer" run --quiet --mpi '--exclude=MPI_Allreduce*' --job=J -- ./meets 1 >/dev/null
sleep 1
mpiexec.hydra -n 2 unshare --time --fork --kill-child --monotonic 1000 --boottime 1000 -- "$tracelayer" run --quiet --mpi '--exclude=MPI_Allreduce*' --job=J -- ./meets 1 >/dev/null
"$tracelayer" export J/* -o all.json -f
apart=$("$python" - <<'END'
import json
first = {}
for e in json.load(open("all.json")):
    if e["ph"] == "X" and e["name"] == "MPI_Barrier":
        first[e["pid"]] = min(first.get(e["pid"], e["ts"]), e["ts"])
times = sorted(first.values())
print(len(times), 1e6 < times[-1] - times[0] < 60e6)
END
)
is "$apart" "4 True" "two runs in one timeline: the calls of one do not set the clock of the other"
if venv=$(kept_venv "$kept" mpi4py-4.1.2 mpi4py==4.1.2 mpich==5.0.2); then
	"$venv/bin/mpicc_abi" -O1 -o meets "$top_srcdir/tests/apps/mpi_meets.c"
	job "standard ABI" "$venv/bin/mpiexec" -n 2
else
	skip $((10 + 2 * runs)) "$venv"
fi

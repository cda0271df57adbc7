#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_job_questions.sh: the ten questions of doc/job-mpirun.md, of two jobs of 8 ranks on two hosts. In the first, that of the page, rank 5 has four times the
# work. In the second (tests/apps/job_known.py) ranks sleep and copy so that no other program on the machine changes the answers.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/hosts.sh"
need mpirun.openmpi openmpi-bin
plan 15
hosts_need 8 || exit 0
export TMPDIR=$tmp hosts_slots=4
hosts_make 2 1000 || { echo "Bail out! no hosts"; exit 99; }
cd "$tmp" || exit 99

# Two ranks first, so that the shims of MPI are in the cache. Both make them.
hosts_mpirun -n 2 "$tracelayer" run --job=first --api mpi -- "$python" "$top_srcdir/tests/apps/job_stencil.py" 1 >first.out 2>&1
is "$(grep -o '^tracelayer: .* left out' first.out | sort | uniq -c | awk '{ print $1 }' | sort -u)" 1 "what the shims of an API lack is told once a job, for each of its libraries" || cat first.out
hosts_mpirun -n 8 "$tracelayer" run --job=traces --api mpi -- "$python" "$top_srcdir/tests/apps/job_stencil.py" 20 5 >out 2>&1
is "$? $(grep -c 'rank 0 of 8' out)" "0 1" "the job is recorded"
"$tracelayer" summary traces >all.txt
"$tracelayer" summary --by=rank traces >ranks.txt
kernel=$(grep '^smooth ' all.txt)
like "$kernel" 'rank 5, nodeb' "which rank's kernels take longest: rank 5"
ok "how uneven is the work: the most is more than one and a half times the mean" awk '/^smooth / { for (i = 1; i < NF; i++) if ($(i + 1) == "%") most = $i } END { exit !(most > 150) }' all.txt
is "$(awk '$2 ~ /^node[ab]$/ && $1 ~ /^[0-9]+$/ { for (i = 3; i < NF; i++) if ($(i + 1) == "%") print $i, $1 }' ranks.txt | sort -n | tail -n 1 | awk '{ print $2 }')" 5 "which rank's device is busiest: rank 5"
like "$(grep '^MPI_Allreduce ' all.txt)" '^MPI_Allreduce +8 +160 +0 ' "how often is a collective called: 20 times by each of 8 ranks, and none failed"
is "$(awk '/^rank / { inside = 1; next } !NF { inside = 0 } inside { print $NF }' ranks.txt | sort | uniq -c | tr -s ' ')" " 8 0" "is the recording whole: 8 ranks, nothing lost"
is "$("$tracelayer" summary --by=host --table=hosts --format=csv traces | cut -d, -f1,2 | sort | tr '\n' ' ')" "host,ranks nodea,4 nodeb,4 " "which hosts took part: two, of 4 ranks each"
"$tracelayer" export traces -o all.json >/dev/null
ok "who waits for whom: while rank 5's kernels run, other ranks are in MPI for half of that time, on one timeline" "$python" - all.json <<'END'
import json, sys
events = json.load(open(sys.argv[1]))
events = events if isinstance(events, list) else events["traceEvents"]
labels = {e["pid"]: e["args"]["labels"] for e in events if e.get("name") == "process_labels"}
slow = [p for p, label in labels.items() if label.startswith("rank 5,")]
assert len(labels) == 8 and len(slow) == 1, labels
kernels = [e for e in events if e.get("ph") == "X" and e["pid"] == slow[0] and e["name"] == "smooth"]
calls = [e for e in events if e.get("ph") == "X" and e["pid"] != slow[0] and e["name"] in ("MPI_Allreduce", "MPI_Sendrecv", "MPI_Barrier")]
covered = sum(max(0, min(k["ts"] + k["dur"], c["ts"] + c["dur"]) - max(k["ts"], c["ts"])) for k in kernels for c in calls)
whole = 7 * sum(k["dur"] for k in kernels)
print(covered / whole)
sys.exit(not (len(kernels) == 20 and covered > whole / 2))
END

hosts_mpirun -n 8 "$tracelayer" run --job=known --api mpi -- "$python" "$top_srcdir/tests/apps/job_known.py" >out 2>&1
is "$? $(grep -c 'rank 0 of 8' out)" "0 1" "the job of known answers is recorded"
table() { "$tracelayer" summary --table="$1" --format=csv "${@:2}" known | tr -d '\r' | tail -n +2; }
is "$(table hosts --by=host | sort -t, -k8,8 -g | tail -n 1 | cut -d, -f1)" nodeb "which host is busier: the one whose ranks run kernels"
# The ranks start at different times, and end so: that is what MPI_Init, the barriers and MPI_Finalize are left out for.
is "$(table calls | grep '^MPI_' | grep -v '^MPI_Init\|^MPI_Barrier,\|^MPI_Finalize' | sort -t, -k5,5 -g | tail -n 1 | cut -d, -f1)" MPI_Allreduce \
	"which MPI function takes most time: the one in which ranks wait"
like "$(table calls | grep '^MPI_Allreduce,')" 'rank 6, nodeb' "which rank waits longest in it: rank 6, which has nothing else to do"
is "$(table ranks --by=rank | sort -n | awk -F, '{ print $10 }' | tr '\n' ' ')" "$(for rank in 0 1 2 3 4 5 6 7; do echo $((15 * 4096 * (rank + 1))); done | tr '\n' ' ')" \
	"how much data moved to devices: what each rank copied, to the byte"
is "$(table ranks --by=rank | sort -n | awk -F, '{ print $4 }' | tr '\n' ' ')$(table calls | awk -F, '$4 { print $1, $4 }')" "0 0 0 1 0 0 0 0 clCreateBuffer 1" \
	"did a call fail: one clCreateBuffer, of rank 3"

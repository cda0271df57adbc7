#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer summary DIR: the tables of a job. Jobs of known sums are made up (make_job.c); those of real ranks are compared with their traces.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
need_library
plan 39

make_job=$(cd "$top_builddir" && pwd)/tests/cli/summary/make_job
app=$(cd "$top_builddir" && pwd)/tests/apps/job_calls
test -x "$make_job" || { echo "Bail out! $make_job is missing; run make check TESTS= first"; exit 99; }
cd "$tmp" || exit 99
host=$(uname -n)
summary() { "$tracelayer" summary "$@"; }

# --- what a job of 64 ranks on 4 hosts must give
"$make_job" J 64 4 3
cat >expect.py <<'END'
import sys
ranks, chosen = int(sys.argv[1]), eval(sys.argv[2])
for f in (2, 1, 0):
    calls = [(r + f) % 7 + 1 for r in range(ranks) if chosen(r)]
    times = [((r + f) % 7 + 1) * 1000 * (f + 1) * (4 if r == 17 else 1) for r in range(ranks) if chosen(r)]
    names = [r for r in range(ranks) if chosen(r)]
    slowest = names[times.index(max(times))]
    print(f"apiFunction{f},{len(calls)},{sum(calls)},0,{sum(times)},{min(times)},{int(sum(times) / len(times) + 0.5)},{max(times)},\"rank {slowest}, node{slowest % 4}\"")
END
columns() { tr -d '\r' | sed 1d | "$python" -c 'import csv, sys
for row in csv.reader(sys.stdin):
    print(",".join(row[:5] + row[8:11]) + ",\"" + row[12] + "\"" if row else "")'; }
is "$(summary --table=calls --csv J | columns | sort -r)" "$("$python" expect.py 64 'lambda r: True' | sort -r)" "64 ranks: calls, totals, least, mean and most of each function, the slowest rank"
like "$("$tracelayer" export J -o none.json 2>&1)" '^tracelayer: J/job\.1: there are no \.tlt files in it: no rank made a call, or somebody has deleted them; .tracelayer summary. shows its sums$' \
	"a job of sums alone is no trace"
like "$(summary J | head -n 1)" '^job\.1: 64 ranks on 4 hosts, [0-9]+ host calls in 3 functions$' "the first line says what it is"
"$make_job" O 64 4 1
like "$(summary --table=calls --json O)" '"outliers": ""' "ranks that differ as ranks do don't stand out"
is "$(summary --table=calls --csv --rank='3-59/7' J | columns | sort -r)" "$("$python" expect.py 64 'lambda r: 3 <= r <= 59 and (r - 3) % 7 == 0' | sort -r)" "--rank: the same of some ranks"
like "$(summary --table=calls --json --rank='3-59/7' J)" '"outliers": "rank 17"' "a rank that took four times as long as others of its kind stands out"
is "$(summary --by=rank --table=ranks --csv J | tr -d '\r' | awk -F, '$1 == 17 { print $2, $3, $8, $6 }')" "node1 $(((17 % 7 + 1) + (18 % 7 + 1) + (19 % 7 + 1))) 700000000 2000000000" "--by=rank: a rank's host, calls, device and time"
is "$(summary --by=host --table=hosts --csv J | tr -d '\r' | sed 1d | cut -d, -f1,2 | sort | tr '\n' ' ')" "node0,16 node1,16 node2,16 node3,16 " "--by=host: the ranks of each host"
is "$(summary --table=devices --csv J | tr -d '\r' | awk -F, '$1 == "node1" { print $2, $4, $5 }')" "0.100000 0.900000 1593715937159371" "the map has each rank's device in tenths"
is "$(summary --table=kernels J 2>&1 | grep -c 'has nothing for it')" 1 "a table that would be empty is said to be"

# --- the same from the hosts' own sums
"$make_job" N 64 4 3 nodes
summary --json J | sed 's/[0-9.]*e[-+][0-9]*//' >from.ranks
find N -name '[0-9]*.sum' -exec sh -c ': >"$1"' _ {} \;
find N -name 'NODE.sum' -exec touch {} +
summary --json N >from.nodes 2>said
is "$(cat said; diff from.ranks from.nodes)" "" "NODE.sum stands for all ranks of its host: the same tables, and no rank's file is read"
touch -d '1 minute' "N/job.1/node1/1.sum"
summary --json N >from.nodes 2>said
like "$(cat said)" "node1/1.sum: it is no sum of a rank, and its trace is not there; what this rank did is missing" "but not if a rank's file is newer"

# --- large jobs: no timed test here, `make bench` has the times; but the memory
for ranks in 1000 10000; do
	"$make_job" "L$ranks" $ranks 100 20
	is "$("$python" - "$tracelayer" "L$ranks" <<'END'
import resource, subprocess, sys
out = subprocess.run([sys.argv[1], "summary", sys.argv[2]], capture_output=True, text=True).stdout
print(out.split("\n")[0].split(",")[0], resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 64 * 1024)
END
)" "job.1: $ranks ranks on 100 hosts True" "$ranks ranks: in less than 64 MB"
	rm -r "L$ranks"
done

# --- broken files
cp J/job.1/node1/17.sum good
for broken in "truncate -s 100 X" "truncate -s 0 X" "printf abc | dd of=X bs=1 seek=40 conv=notrunc" "printf x | dd of=X bs=1 seek=7 conv=notrunc"; do
	cp good J/job.1/node1/17.sum
	bash -c "${broken//X/J/job.1/node1/17.sum}" 2>/dev/null
	summary --table=ranks --csv J >out 2>said
	is "$? $(wc -l <said) $(grep -c , out)" "3 1 64" "a broken sum costs that rank alone: ${broken%% *}${broken##*seek}"
done
summary "$tmp/good" >/dev/null 2>said
is $? 1 "a sum by itself is no trace"
mkdir empty
is "$(summary empty 2>&1; echo $?)" "tracelayer: empty: it is a folder without .tlt files; name a trace, or, if its processes were killed, try \`tracelayer recover empty\`
1" "an empty folder is refused, as one whose ranks were all killed"
: >empty/app.1.tlt
is "$(summary empty 2>&1; echo $?)" "tracelayer: empty: it is a folder, and not a job's; name the traces in it: \`tracelayer summary empty/*.tlt\`
1" "a folder of other traces is not said to have none"
rm empty/app.1.tlt
like "$(summary --by=rank x.json 2>&1)" "^tracelayer summary: --by=rank: only for the folder of a job; name that" "--by=rank is for jobs"
like "$(summary --by=host x.json 2>&1)" "^tracelayer summary: --by=host: only for the folder of a job; name that" "so is --by=host"
like "$(summary --table=ranks x.json 2>&1)" "^tracelayer summary: --table=ranks: only for the folder of a job; name that" "so is the table of ranks"
like "$(summary empty J 2>&1)" "^tracelayer summary: J: the folder of a job has tables of its own; name it alone, or .tlt files in it" "a job stands alone"
like "$(summary --rank=0 x.json 2>&1)" "^tracelayer summary: --rank: only for the folder of a job; name that" "--rank is for jobs"
like "$(summary --by=thread J 2>&1)" "^tracelayer summary: --by=thread: no such grouping of a job; give function, host or rank" "--by=thread is not"

# --- real ranks
rank() { OMPI_COMM_WORLD_RANK="$1" OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_LOCAL_SIZE=3 OMPI_MCA_orte_precondition_transports=77778888-0 "${@:2}"; }
for n in 2 1; do rank $n "$tracelayer" run --job=R --summary -- "$app" counts $((1000 * n)) >/dev/null 2>"said.$n"; done
is "$(cat said.1 said.2)" "" "ranks other than 0 print no table"
rank 0 "$tracelayer" run --job=R --summary -- true >/dev/null 2>said.0
like "$(cat said.0)" "3 ranks on 1 host, 3000 host calls in 1 function" "rank 0, which made no call, prints the job's"
step=R/openmpi.77778888/$host
is "$(summary --csv --table=calls R | tr -d '\r' | sed 1d | cut -d, -f1,3)" "clGetPlatformIDs,3000" "and summary does"
rm "$step"/*.sum
is "$(summary --csv --table=calls R | tr -d '\r' | sed 1d | cut -d, -f1-3) $(ls "$step"/*.sum | wc -l)" "clGetPlatformIDs,2,3000 2" "sums that are missing are made from the traces"
: >"$step/0.tlt"
is "$(summary R 2>&1 >/dev/null)" "tracelayer: $step/0.tlt: it is empty; if its process was killed, try \`tracelayer recover $step\`
tracelayer: 1 trace can't be read; what its process did is missing" "a recovery that was killed leaves an empty file, which another one fills"
rm "$step/0.tlt"
rm "$step"/*.sum
for n in 0 1 2; do rank $n "$tracelayer" summary --part R; done
is "$(ls "$step"/*.sum | wc -l)" 2 "--part makes them by several tasks of a launcher"
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 "$tracelayer" summary --part R
is "$(ls "$step"/*.sum | wc -l) $(summary --csv --table=calls R | tr -d '\r' | sed 1d | cut -d, -f1-3)" "3 clGetPlatformIDs,2,3000" "a task that has a whole host makes the host's, too"
is "$("$tracelayer" summary --part --table=calls R 2>&1; echo $?)" "tracelayer summary: --part and --table: --part prints nothing; leave one of them out
2" "... and print no table"
is "$("$tracelayer" summary R R 2>&1; echo $?)" "tracelayer summary: R: the folder of a job has tables of its own; name it alone, or .tlt files in it
2" "two jobs have no common tables"
is "$("$tracelayer" summary --exact R 2>&1; echo $?)" "tracelayer summary: --exact: the sums of a job have no single calls; name .tlt files in it
2" "sums are not exact"
like "$("$tracelayer" summary --part R 2>&1)" "^tracelayer: --part: no launcher says which part this is" "which must say so"
rank 0 "$tracelayer" run --job=S -- sh -c '"$0" counts 1000; sleep 0.5; "$0" counts 1000' "$app" >/dev/null 2>&1
is "$(summary --by=rank --table=ranks --csv S | tr -d '\r' | awk -F, 'NR > 1 { print $1, $3, ($6 >= 500000000) }')" "0 2000 1" "what a rank recorded is from its first file's beginning to its last one's end"

# SPDX-License-Identifier: MIT
# job.sh: sourced after lib.sh by tests that record jobs under a real launcher. The test says how its launcher starts things:
#
#	launch RANKS COMMAND…		starts a job of so many ranks
#	launch_on_nodes COMMAND…	starts the command once on each node
#	host_of RANK RANKS		prints the host that this rank is on
#
# The program is job_calls, whose ranks count their own calls.

job_calls=$top_builddir/tests/apps/job_calls
test -x "$job_calls" || { echo "Bail out! $job_calls is missing; run make check TESTS= first"; exit 99; }

# job_records RANKS [PREFIX]: the job_calls of such a job, 500 calls a rank, into $tmp/J. Seven results.
job_records()
{
	local ranks=$1 what=$2 first second
	rm -rf "$tmp/J" "$tmp/counts"
	launch "$ranks" "$tracelayer" run --job="$tmp/J" -- "$job_calls" "$tmp/counts" 500 >"$tmp/out" 2>"$tmp/err"
	is "$? $(cat "$tmp/out")" "0 " "$what: a job of $ranks ranks ends well, and prints what it does bare"
	is "$(grep -c '^tracelayer: ' "$tmp/err") $(grep -c "^tracelayer: job: $tmp/J/.*, rank 0 of $ranks: [0-9]* events$" "$tmp/err")" "1 1" \
		"$what: rank 0 says one line, the others none"
	first=$(ls "$tmp/J")
	is "$(job_files "$tmp/J/$first")" "$(job_files_wanted "$ranks")" "$what: each rank's file lies in the folder of its host"
	is "$(job_labels "$ranks" "$tmp/J/$first")" "$(job_labels_wanted "$ranks")" "$what: each file says which rank it is, of how many and where"
	ok "$what: the calls that each rank counted are in its file" job_counted "$ranks" "$tmp/J/$first" 0
	# What the launcher itself has to say: Open MPI 5 finds settings of 4 deprecated.
	launch "$ranks" true >"$tmp/launcher" 2>&1
	launch "$ranks" "$tracelayer" run --quiet --job="$tmp/J" --ranks=1,3-5/2 -- "$job_calls" "$tmp/counts" 5 >"$tmp/out" 2>"$tmp/err"
	is "$? $(cat "$tmp/out" "$tmp/err" | grep -vxFf "$tmp/launcher")" "0 " "$what: --ranks and --quiet: the job ends well, and nothing is printed"
	second=$(ls "$tmp/J" | grep -vxF "$first")
	is "$(job_files "$tmp/J/$second")" "$(job_files_wanted "$ranks" 1 3 5)" "$what: the second job has a folder of its own, with the files of the ranks that were named"
}

# The traces below a folder, as HOST/RANK.tlt.
job_files() { (cd "$1" && find . -name '*.tlt' | sed 's,^\./,,' | sort | tr '\n' ' '); }

# job_files_wanted RANKS [RANK…]: what job_files prints of these ranks; of all, where none is named.
job_files_wanted()
{
	local ranks=$1 rank; shift
	test $# -gt 0 || set -- $(seq 0 $((ranks - 1)))
	for rank; do
		test "$rank" -ge "$ranks" || echo "$(host_of "$rank" "$ranks")/$rank.tlt"
	done | sort | tr '\n' ' '
}

# What each rank's file says of itself.
job_labels()
{
	local ranks=$1 step=$2 rank
	for ((rank = 0; rank < ranks; rank++)); do
		"$tracelayer" export -f -o "$tmp/rank.json" "$step"/*/"$rank.tlt" && "$python" - "$tmp/rank.json" <<-'END'
		import json, sys
		events = json.load(open(sys.argv[1]))
		events = events["traceEvents"] if isinstance(events, dict) else events
		facts, labels = {}, []
		for event in events:
		    if event.get("ph") == "M":
		        facts.update(event.get("args", {}))
		        if event["name"] == "process_labels":
		            labels.append(event["args"]["labels"])
		print(facts.get("rank"), facts.get("size"), *labels)
		END
	done
}

job_labels_wanted()
{
	local ranks=$1 rank
	for ((rank = 0; rank < ranks; rank++)); do echo "$rank $ranks rank $rank, $(host_of "$rank" "$ranks")"; done
}

# job_counter RANK: what that rank has counted.
job_counter() { od -An -t u8 -j $(($1 * 8)) -N 8 "$tmp/counts" | tr -d ' '; }

# job_counted RANKS STEP SLACK: each rank's file has the calls that the rank counted, and at most SLACK more: calls that had not returned to the program,
# or had and weren't counted yet, when it was killed.
job_counted()
{
	local ranks=$1 step=$2 slack=$3 rank counted found bad=0
	for ((rank = 0; rank < ranks; rank++)); do
		counted=$(job_counter "$rank")
		found=$("$tracelayer" summary --format=csv "$step"/*/"$rank.tlt" | awk -F, '$1 == "call" && $2 == "clGetPlatformIDs" { print $3 } $1 == "clGetPlatformIDs" { print $2 }' | head -n 1)
		if test "${found:-0}" -lt "$counted" || test "${found:-0}" -gt $((counted + slack)); then
			echo "rank $rank counted $counted calls, its file has ${found:-none}"
			bad=1
		fi
	done
	return $bad
}

# job_ends WHAT [COUNT]: three results, or the last COUNT. How a job ends is the launcher's affair; it must be the same with tracelayer in between. Hydra's own lines begin with =.
# When a rank dies, hydra itself ends in one of three ways, bare too: mostly with the rank's signal, one time in a hundred with 255 (an assertion of its own) or 141.
# So a pair of runs that differs is run again, up to five times: a difference of ours would stay.
job_ends()
{
	local what=$1 count=${2:-3} program bare traced tries
	local rank='${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-$SLURM_PROCID}}'
	set -- 'exit 3' "test $rank != 1 || exit 9" "test $rank = 1 && kill -SEGV \$\$; exec sleep 5"
	shift $((3 - count))
	for program; do
		for tries in 1 2 3 4 5; do
			bare=$(job_end sh -c "$program"); traced=$(job_end "$tracelayer" run --job="$tmp/E" -- sh -c "$program")
			test "$traced" != "$bare" || break
		done
		is "$traced" "$bare" "$what: \"$program\" ends as it does bare (${bare%% *})"
	done
}

# job_end COMMAND…: the exit code of such a job of two ranks, and what it prints.
job_end()
{
	local code
	launch 2 "$@" 2>/dev/null >"$tmp/end.out"; code=$?
	echo "$code $(sed '/^=/d' "$tmp/end.out")"
}

# job_killed WHAT RANKS TIMES: one result for the ends of so many jobs, of which some process was killed by SIGKILL at a random instant: after `tracelayer recover`
# on each node, each call that had returned is in the files.
job_killed()
{
	local what=$1 ranks=$2 times=$3
	ok "$what: of $times jobs in which one rank is killed at a random instant, every call that had returned is in the files after tracelayer recover" \
		job_killed_times "$ranks" "$times"
}

job_killed_times()
{
	local ranks=$1 times=$2 i bad=0
	for ((i = 0; i < times; i++)); do
		job_killed_once "$ranks" || { echo "in job $i"; bad=1; }
	done
	return $bad
}

# The ranks pause after each call for $job_pause microseconds; unset: 10, 60 or 110.
job_killed_once()
{
	local ranks=$1 launcher victim pids tries=1000
	rm -rf "$tmp/K" "$tmp/counts"
	launch "$ranks" "$tracelayer" run --job="$tmp/K" -- "$job_calls" "$tmp/counts" 0 ${job_pause:-$((RANDOM % 3 * 50 + 10))} >"$tmp/killed.out" 2>&1 &
	launcher=$!
	while test "$(job_pids | wc -l)" -lt "$ranks" && kill -0 $launcher && test $((tries -= 1)) -gt 0; do sleep 0.02; done
	while test "$(job_counter $((ranks - 1)) 2>/dev/null || echo 0)" = 0 && kill -0 $launcher && test $((tries -= 1)) -gt 0; do sleep 0.01; done
	sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
	pids=($(job_pids))
	victim=${pids[RANDOM % ranks]}
	kill -KILL "$victim" || { echo "the job has ended by itself:"; cat "$tmp/killed.out"; return 1; }
	wait $launcher 2>/dev/null
	tries=500
	while test -n "$(job_pids)" && test $((tries -= 1)) -gt 0; do sleep 0.02; done
	launch_on_nodes "$tracelayer" recover "$tmp/K" >"$tmp/recovered.out" 2>&1 &
	job_watch $! 30
	wait $! || { echo "recover: exit code $?"; cat "$tmp/recovered.out"; return 1; }
	job_counted "$ranks" "$tmp"/K/* 1 || { echo "recover said:"; cat "$tmp/recovered.out"; echo "and the job:"; cat "$tmp/killed.out"; return 1; }
}

# job_watch PID SECONDS: waits for the process. If that takes longer, prints where it and all that runs of tracelayer and the launcher hang.
job_watch()
{
	local pid=$1 tries=$(($2 * 20)) process
	while kill -0 "$pid" 2>/dev/null && test $((tries -= 1)) -gt 0; do sleep 0.05; done
	kill -0 "$pid" 2>/dev/null || return 0
	echo "after $2 s these still run:"
	for process in $(pgrep 'mpi|hydra|tracelayer|srun|slurm'); do
		echo "$process, child of $(awk '/^PPid/ { print $2 }' "/proc/$process/status"): $(tr '\0' ' ' <"/proc/$process/cmdline")"
		echo "  waits in $(cat "/proc/$process/wchan"): $(head -n 3 "/proc/$process/stack" 2>/dev/null | tr '\n' ' ')"
		ls -l "/proc/$process/fd" | sed -n 's/.* \([0-9]* -> .*\)/  \1/p'
	done
}

# The ranks of this test's job_calls that run, as their pids outside all namespaces.
job_pids()
{
	local folder
	for folder in /proc/[0-9]*; do
		if test "$(readlink "$folder/exe")" = "$job_calls_file" && tr '\0' '\n' 2>/dev/null <"$folder/cmdline" | grep -qxF "$tmp/counts"; then echo "${folder#/proc/}"; fi
	done 2>/dev/null
}
job_calls_file=$(readlink -f "$job_calls")

#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_mpi_opencl.sh: mpi4py with PyOpenCL on PoCL: a job of four ranks that calls MPI and OpenCL. It prints the same, and the job's folder has the calls
# and kernels of each rank, by the count of a layer of the loader's own; the traces are sound.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/whole/cl_counter.sh"
need mpirun.openmpi openmpi-bin
"$python" -c 'import mpi4py, pyopencl' 2>/dev/null ||
	{ echo "Bail out! mpi4py or PyOpenCL is missing; ./scripts/install-packages stacks installs them"; exit 99; }
plan 9

allow_mpi
export POCL_MAX_PTHREAD_COUNT=1 PYTHONDONTWRITEBYTECODE=1
program=$top_srcdir/tests/whole/mpi_opencl.py
launch() { timeout -k 5 120 mpirun.openmpi -n 4 "$@" </dev/null; }
launch "$python" "$program" >"$tmp/bare" 2>"$tmp/bare.err"; bare=$?
launch "$tracelayer" run --job="$tmp/job" --mpi --quiet -- "$python" "$program" >"$tmp/traced" 2>"$tmp/traced.err"; traced=$?
is "$bare" 0 "the job runs here"
is "$traced" "$bare" "traced, it ends as it does bare"
same "$tmp/bare" "$tmp/traced" "and prints the same"
is "$(find "$tmp/job" -name '[0-3].tlt' | wc -l)" 4 "each rank has its file"

# calls RANK: of the functions whose numbers the program knows.
calls()
{
	local trace
	trace=$(find "$tmp/job" -name "$1.tlt")
	"$tracelayer" export "$trace" -o "$tmp/$1.json" --force >/dev/null 2>&1 || "$tracelayer" export "$trace" -o "$tmp/$1.json" >/dev/null 2>&1
	"$python" "$check_trace" --names "$tmp/$1.json" |
		awk '/^(clEnqueueNDRangeKernel|clEnqueueReadBuffer|clBuildProgram|MPI_Allreduce|MPI_Gather|MPI_Finalize) / { print }' | sort | tr '\n' ' '
}
for rank in 0 1 2 3; do calls $rank; echo; done >"$tmp/counts"
is "$(sort -u "$tmp/counts" | wc -l)" 1 "each rank made the same calls: $(head -n 1 "$tmp/counts")"
like "$(cat "$tmp/counts")" 'clEnqueueNDRangeKernel 1' "one kernel each"

sound_ranks() { for rank in 0 1 2 3; do "$python" "$check_trace" "$tmp/$rank.json" || return; done; }
ok "each rank's trace is sound" sound_ranks

# The same job, counted. Without device lanes, which ask the driver, too.
launch env WHOLE_COUNTS="$tmp/counts.%p" OPENCL_LAYERS="$counter" TRACELAYER_DEVICE=0 "$tracelayer" run --job="$tmp/counted.job" --mpi --quiet -- \
	"$python" "$program" >"$tmp/counted" 2>"$tmp/counted.err"
# Python may have warnings for each rank.
for run in bare counted; do sort "$tmp/$run.err" | cat "$tmp/$run" - >"$tmp/$run.all"; done
same "$tmp/bare.all" "$tmp/counted.all" "counted by the loader's layer, it prints the same"
# totals: "NAME CALLS" lines, added up.
totals() { awk '{ n[$1] += $2 } END { for (name in n) print name, n[name] }' | sort; }
for counts in "$tmp"/counts.*[0-9]; do layer_counts "$counts"; done | totals >"$tmp/want"
find "$tmp/counted.job" -name '[0-3].tlt' | while read -r trace; do
	"$tracelayer" export "$trace" -o "$tmp/counted.json" --force >/dev/null 2>&1
	"$python" "$check_trace" --names "$tmp/counted.json" | grep '^cl'
done | totals >"$tmp/got"
ok "the ranks' traces have each of the $(awk '{ n += $2 } END { print n + 0 }' "$tmp/want") calls of $(wc -l <"$tmp/want") functions that it counted" \
	sh -c 'test -s "$0" && diff "$0" "$1"' "$tmp/want" "$tmp/got"

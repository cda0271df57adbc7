#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_job_slurm.sh: tracelayer run --job under Slurm: a single node, then two whose monotonic clocks are 1,000 s apart; Open MPI's and MPICH's programs in it.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/hosts.sh"
. "$top_srcdir/tests/lib/slurm.sh"
. "$top_srcdir/tests/lib/job.sh"
plan 26
why=$(slurm_possible) || { case $why in Bail*) echo "$why"; exit 99 ;; esac; skip 26 "$why"; exit; }
export TMPDIR=$tmp
# When one rank fails, -K kills the others, whose own end may then be another. With --quiet, srun does not say that it waits for nodes which the
# job before has not yet given back.
launch() { local ranks=$1; shift; slurm timeout -k 5 60 srun --quiet --kill-on-bad-exit=${kill_others:-1} -n "$ranks" -N ${#hosts[@]} --ntasks-per-node=$(((ranks + ${#hosts[@]} - 1) / ${#hosts[@]})) --distribution=block "$@" </dev/null; }
launch_on_nodes() { slurm srun --quiet -N ${#hosts[@]} --ntasks-per-node=1 "$@" </dev/null; }
host_of() { echo "${hosts[$1 / (($2 + ${#hosts[@]} - 1) / ${#hosts[@]})]}"; }

for count in 1 2; do
	hosts_make $count 1000 && slurm_make 8 || { echo "Bail out! Slurm does not start"; exit 99; }
	job_records 8 "Slurm, $count nodes"
	kill_others=0 job_ends "Slurm, $count nodes"
	job_killed "Slurm, $count nodes" 4 "${JOBS_KILLED:-25}"
	test $count = 2 || hosts_end
done

# --- the batch script of doc/job-slurm.md, as it stands there, on these two nodes
mkdir "$tmp/batch" "$tmp/batch/bin" && cd "$tmp/batch" || exit 99
ln -s "$(command -v "$python")" bin/python3
cp "$top_srcdir/tests/apps/job_stencil.py" .
awk '/^    #!/ { inside = 1 } inside && !/^    / { exit } inside { sub(/^    /, ""); print }' "$top_srcdir/doc/job-slurm.md" >job.sh
is "$(grep -c '^srun .*tracelayer run --quiet --job=traces' job.sh) $(tail -n 1 job.sh)" "1 tracelayer summary traces" "the page has a batch script"
PATH=$PWD/bin:$(dirname "$tracelayer"):$PATH slurm timeout 100 sbatch --wait --output=out job.sh >submitted 2>&1 </dev/null
is "$? $(sed 's/[0-9]*$//' submitted)" "0 Submitted batch job " "the batch script of the page ends well"
is "$(cd traces && find . -name '*.tlt' | sed 's,^[./0-9]*/,,' | sort | tr '\n' ' ')" \
	"${hosts[0]}/0.tlt ${hosts[0]}/1.tlt ${hosts[0]}/2.tlt ${hosts[0]}/3.tlt ${hosts[1]}/4.tlt ${hosts[1]}/5.tlt ${hosts[1]}/6.tlt ${hosts[1]}/7.tlt " \
	"... each rank of both nodes has its file"
is "$(grep -c '^tracelayer: job' out) $(awk '$1 == "smooth" { print $2, $3; exit }' out)" "0 8 160" "... and its output is the table, without a line of the recording" || cat out

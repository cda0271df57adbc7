#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer run --job: a folder for a job, a file for each rank in it. The ranks' variables are set by hand here; tests/whole/job.sh has real launchers.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
need_library
plan 30

cd "$tmp" || exit 99
host=$(uname -n)
# rank N COMMAND…: as the Nth of four ranks of Open MPI's run $step.
step=11112222
rank()
{
	local n=$1; shift
	env OMPI_COMM_WORLD_RANK="$n" OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK="$n" OMPI_COMM_WORLD_LOCAL_SIZE=4 \
		PMIX_RANK="$n" PMIX_NAMESPACE=65537 OMPI_MCA_orte_precondition_transports=$step-0000 "$@"
}
files() { (cd "$1" && find . -type f ! -name '*.sum' | sort | tr '\n' ' '); }
facts() { "$tracelayer" export -f -o facts.json "$1" && grep -o "\"$2\":[^,]*" facts.json | head -n 1; }

clinfo="clinfo -l"
said=$(rank 0 "$tracelayer" run --job=J -- $clinfo 2>&1 >/dev/null)
is "$said" "tracelayer: job: J/openmpi.$step, rank 0 of 4: $(sed 's/.*: //' <<<"$said")" "rank 0 says one line, which names the job's folder"
like "$said" ' [0-9]+ events$' "and how much it recorded"
is "$(rank 3 "$tracelayer" run --job=J -- $clinfo 2>&1 >/dev/null)" "" "another rank says nothing"
is "$(files J)" "./openmpi.$step/$host/0.tlt ./openmpi.$step/$host/3.tlt " "each has its file in the folder of its host"
is "$(facts "J/openmpi.$step/$host/3.tlt" rank) $(facts "J/openmpi.$step/$host/3.tlt" size) $(facts "J/openmpi.$step/$host/3.tlt" launcher)" \
	'"rank":3 "size":4 "launcher":"Open MPI"' "which says who it is"
like "$(grep process_labels facts.json)" "rank 3, $host" "and so does its label"
step=33334444
rank 0 "$tracelayer" run --quiet --job=J -- sh -c "$clinfo; $clinfo" >/dev/null 2>said
is "$(cat said)" "" "--quiet: rank 0 says nothing either"
is "$(files "J/openmpi.$step")" "./$host/0.1.tlt ./$host/0.tlt " "a second run has a second folder; a rank's other processes have numbers"

# --- trouble is told by every rank
like "$(rank 2 "$tracelayer" run --job=J -- sh -c "$clinfo; kill -9 \$\$" 2>&1 >/dev/null)" "^$" "a rank whose trace is whole has nothing to tell"
like "$(rank 2 "$tracelayer" run --job=J -- false 2>&1)" "^$" "nor has one that made no call"
like "$(rank 2 "$tracelayer" run --job=J -- sh -c 'kill -SEGV $$' 2>&1)" "no trace: the program was killed by signal 11 .* before its first call" \
	"one that dies of a fault before its first call says so"
mkdir locked file && rm -r file && : >file
like "$(rank 2 "$tracelayer" run --job=file -- $clinfo 2>&1)" "^tracelayer: --job=.*file: it is not a folder; give a folder that can be written to$" "a folder that can't be made"
rank 2 "$tracelayer" run --job=file -- touch ran 2>/dev/null
is "$? $(ls ran 2>&1 | grep -c 'No such')" "2 1" "then the program does not start"
like "$("$tracelayer" run --job=J -o x.json -- true 2>&1)" "^tracelayer: --job and --output: give one of them" "--job with -o is refused"

# --- --ranks
env=$(rank 1 "$tracelayer" run --job=K --ranks=0,2-3 -- env)
unlike "$(grep -v '^TRACELAYER_OFFLINE=' <<<"$env")" 'LD_PRELOAD|TRACELAYER' "a rank that --ranks leaves out runs with nothing of ours in its environment"
rank 1 "$tracelayer" run --job=K --ranks=0,2-3 -- sh -c 'exit 7'
is "$? $(find K -type f | wc -l)" "7 0" "its exit code is its own, and no file is made"
rank 2 "$tracelayer" run --job=K --ranks=0,2-3 -- $clinfo >/dev/null
is "$(find K -type f -name 2.tlt | wc -l)" 1 "a rank that it names is traced"
like "$("$tracelayer" run --ranks=1- -- true 2>&1)" "^tracelayer: --ranks=1-: not a set of ranks; use numbers, ranges and steps, like 0,8-15,\*/16$" "a wrong set is refused"
LD_PRELOAD=$libtracelayer TRACELAYER_RANKS=0 TRACELAYER_JOB=$tmp/P rank 1 env $clinfo >/dev/null
LD_PRELOAD=$libtracelayer TRACELAYER_RANKS=0 TRACELAYER_JOB=$tmp/P rank 0 sh -c "echo \$\$ >pid; exec $clinfo" >/dev/null 2>said
"$tracelayer" recover -o kept.json "$(cat pid)" >/dev/null
mkdir P && LD_PRELOAD=$libtracelayer TRACELAYER_RANKS=0 TRACELAYER_JOB=$tmp/P rank 0 env $clinfo >/dev/null
is "$(files P)" "./openmpi.$step/$host/0.tlt " "the variables do the same without the command"
like "$(cat said)" "^tracelayer: $tmp/P/openmpi.$step/$host/0.tlt: its folder is not there; correct that" "and say that the folder is missing"

# --- without a launcher
"$tracelayer" run --job=L -- sh -c "$clinfo; $clinfo" >/dev/null 2>&1
like "$(files L)" "^./local\.[0-9TZ]+-[0-9]+/$host/none\.[0-9]+\.tlt ./local\.[0-9TZ]+-[0-9]+/$host/none\.[0-9]+\.tlt $" "no rank is claimed: files have the process's number"
is "$(ls L | wc -l)" 1 "all of one run are in one folder"
"$tracelayer" run --job=L -- $clinfo >/dev/null 2>&1
is "$(ls L | wc -l)" 2 "and another run has another"
SLURM_JOB_ID=4711 "$tracelayer" run --job=S -- $clinfo >/dev/null 2>&1
like "$(ls S)" "^4711\." "a scheduler's number is the job's"

# --- a launcher that gives each run the same step: the process that started the ranks tells runs apart
cat >starts <<'END'
for n in 0 1; do RANK=$n WORLD_SIZE=2 LOCAL_RANK=$n MASTER_ADDR=here MASTER_PORT=29500 sh -c '"$@"; exit' sh "$@" & done
wait
END
for run in 1 2; do sh starts "$tracelayer" run --quiet --job=T -- $clinfo >/dev/null 2>&1; done
is "$(files T)" "$(for again in "" -2; do for n in 0 1; do echo "./torchrun.here-29500$again/$host/$n.tlt"; done; done | sort | tr '\n' ' ')" \
	"the ranks of a run have one folder, and those of the next another"

# --- hosts' names that are no names of folders
if test "$(id -u)" = 0 && unshare --uts true 2>/dev/null; then
	named() { rm -rf H; unshare --uts sh -c 'printf %s "$1" >/proc/sys/kernel/hostname; shift; exec "$@"' sh "$1" env OMPI_COMM_WORLD_RANK=0 OMPI_MCA_orte_precondition_transports=$step-0 "$tracelayer" run --quiet --job=H -- $clinfo >/dev/null 2>&1; (cd H && find . -mindepth 2 | sort | tr '\n' ' '); }
	is "$(named ..)" "./openmpi.$step/_. ./openmpi.$step/_./0.sum ./openmpi.$step/_./0.tlt " "a host called .. has a folder in the step's folder"
	is "$(named "a b/c")" "./openmpi.$step/a_b_c ./openmpi.$step/a_b_c/0.sum ./openmpi.$step/a_b_c/0.tlt " "run and the library make one folder of an odd name"
else
	skip 2 "only root can give this machine another name"
fi

# --- %j, also of tools
rank 1 "$tracelayer" run -o "%j-%r.json" --tool="log=file=%j.%r.log" -- $clinfo >/dev/null 2>&1
is "$(ls openmpi.*)" "$(printf '%s\n' "openmpi.$step-1.json" "openmpi.$step.1.log")" "%j is the job and step in -o and in a tool's file"

# --- a rank that dies before anything is written
rank 1 "$tracelayer" run --job=D -- "$python" -c '
import ctypes, os
cl = ctypes.CDLL("libOpenCL.so.1")
cl.clGetPlatformIDs(0, None, ctypes.byref(ctypes.c_uint()))
os.kill(os.getpid(), 9)' >/dev/null 2>said
is "$(files D)" "./openmpi.$step/$host/1.tlt " "a killed rank's file is where it belongs"
like "$(cat said)" "recovered" "and the rank says so"

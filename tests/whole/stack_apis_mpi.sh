#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_apis_mpi.sh: the descriptors of MPI, on Open MPI, MPICH and MPI's standard ABI: programs under `tracelayer run --api mpi` print the same and end the same; each
# call that a second library counts is in the traces, once; arguments, failures and leaks are shown as that MPI has them.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/kept_venv.sh"
need mpirun.mpich mpich
need mpirun.openmpi openmpi-bin
need NPmpich2 netpipe-mpich2
need NPopenmpi netpipe-openmpi
scalapack=$(echo /usr/lib/*/scalapack/mpich-tests)
test -x "$scalapack/xdlu" || { echo "Bail out! $scalapack/xdlu is missing; ./scripts/install-packages stacks installs it (scalapack-mpi-test)"; exit 99; }
plan 60
allow_mpi
export OMPI_MCA_btl_base_warn_component_unused=0
cd "$tmp" || exit 99

# counter KIND LIBRARY: a library that counts the program's calls of each MPI_ function and goes on to PMPI_. At the end it writes them to $COUNTS.PID.
counter()
{
	local names list='' name
	names=$(nm -D --defined-only "$2" | awk '{ sub("@.*", "", $3); there[$3] } END { for (name in there) if (name ~ /^MPI_/ && "P" name in there) print name }' | sort)
	{
		echo '#include <stdio.h>'
		echo '#include <stdlib.h>'
		echo '#include <unistd.h>'
		for name in $names; do
			echo "__attribute__((visibility(\"hidden\"))) long count_$name;"
			echo "__asm__(\".globl $name\\n.type $name, @function\\n$name: lock incq count_$name(%rip)\\n jmp *P$name@GOTPCREL(%rip)\\n\");"
			list="$list X($name)"
		done
		echo "__attribute__((destructor)) static void counts_write(void) { char path[4096]; long all = 0;"
		echo "#define X(name) all += count_##name;"
		echo "$list"
		echo "#undef X"
		echo 'if (!all) return; snprintf(path, sizeof path, "%s.%d", getenv("COUNTS"), getpid()); FILE *to = fopen(path, "w");'
		echo "#define X(name) if (count_##name) fprintf(to, \"%s %ld\\n\", #name, count_##name);"
		echo "$list"
		echo "fclose(to); }"
	} >"counter-$1.c"
	${CC:-cc} -O1 -fPIC -shared -Wl,-z,lazy -o "counter-$1.so" "counter-$1.c" "$2"
}

as_counted()
{
	cat counts.* | awk '{ n[$1] += $2 } END { for (name in n) print name, n[name] }' | sort >want
	test -s want || { echo "nothing was counted"; return 1; }
	for trace in traces/*.json; do
		"$python" "$check_trace" --names "$trace"
	done | awk '/^MPI_/ { n[$1] += $2 } END { for (name in n) print name, n[name] }' | sort | diff want -
}

normalise() { sort; }

# program WHAT KIND COMMAND…: three results, and the counts.
program()
{
	local what=$1 kind=$2 bare traced; shift 2
	rm -rf traces counts.*; mkdir traces
	timeout -k 5 100 "$@" >bare.out 2>bare.err </dev/null; bare=$?
	COUNTS=$tmp/counts LD_PRELOAD=$tmp/counter-$kind.so timeout -k 5 100 "$tracelayer" run -o "$tmp/traces/t.json" --api mpi -- "$@" >traced.out 2>traced.err </dev/null; traced=$?
	is "$traced $(normalise <traced.out)" "$bare $(normalise <bare.out)" "$what: prints the same, ends the same ($bare)"
	ok "$what: the traces are sound" sound_traces
	ok "$what: each call that was counted is in the traces, once" as_counted
}

# shown REGEX TEST: a call of the last program's traces, as "NAME ARGUMENTS".
shown()
{
	local pattern=$1; shift
	"$python" - "$pattern" traces/*.json <<-'PYTHON' >found || true
	import json, re, sys
	for path in sys.argv[2:]:
	    for event in json.load(open(path)):
	        if event.get("ph") == "X":
	            line = event["name"] + " " + " ".join(f"{k}={v}" for k, v in event.get("args", {}).items())
	            if re.search(sys.argv[1], line):
	                print(line)
	PYTHON
	ok "$*" test -s found
}

library() { ldconfig -p | awk -v name="$1" '$1 == name { print $NF; exit }'; }

ok "the counting library is built for MPICH" counter mpich "$(library libmpich.so.12)"
ok "and for Open MPI" counter openmpi "$(library libmpi.so.40)"

# --- programs of Debian's
program "MPICH: ScaLAPACK's test of LU" mpich sh -c "cd $scalapack && exec mpirun.mpich -n 2 ./xdlu | grep -c PASSED"
shown '^MPI_Bcast .*datatype=\S+ root=\d+ comm=0x84\w+ result=MPI_SUCCESS' "its communicators are numbers of its own"
# NetPIPE says a line for each size, to stderr, which Open MPI 5 now and then passes on as output. It leaves sizes out where one has taken a second.
normalise()
{
	sed -n 's/-->.*//p' | awk 'BEGIN { split("1 2 3 4 6 8 12 13 16 19 21 24 27 29 32 35 45 48 51 61 64 67", size) }
		$0 !~ sprintf("^ *%d: +%d bytes +20 times *$", NR - 1, size[NR]) { print } END { print NR ? "sizes" : "no sizes" }'
}
program "MPICH: NetPIPE" mpich sh -c "exec mpirun.mpich -n 2 NPmpich2 -u 64 -n 20 -o /dev/null 2>&1"
shown '^MPI_Send .*count=64 datatype=MPI_BYTE dest=1 tag=1 comm=MPI_COMM_WORLD result=MPI_SUCCESS' "its messages are shown with names of types and communicators"
shown '^MPI_Recv .*source=1 tag=1 comm=MPI_COMM_WORLD status={.*.MPI_SOURCE.: 1, .MPI_TAG.: 1,' "and ranks and statuses"
program "Open MPI: NetPIPE" openmpi sh -c "exec mpirun.openmpi -n 2 NPopenmpi -u 64 -n 20 -o /dev/null 2>&1"
shown '^MPI_Send .*count=64 datatype=0x[0-9a-f]+ dest=1 tag=1 comm=0x[0-9a-f]+ result=MPI_SUCCESS' "its handles are addresses"
normalise() { sort; }

cat >sum.py <<'END_OF_PYTHON'
from mpi4py import MPI
import os, threading
def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\n").encode())
world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
say(rank, size, world.allreduce(rank + 1), MPI.Query_thread() == MPI.THREAD_MULTIPLE)
own = [world.Dup() for _ in range(4)]
def talk(comm):
    for i in range(50):
        assert comm.sendrecv(i, dest=(rank + 1) % size, source=(rank - 1) % size) == i
threads = [threading.Thread(target=talk, args=(comm,)) for comm in own]
for thread in threads: thread.start()
for thread in threads: thread.join()
for comm in own: comm.Free()
try:
    world.send(1, dest=size + 7)
except MPI.Exception as error:
    say(rank, MPI.Get_error_class(error.Get_error_code()) == MPI.ERR_RANK)
END_OF_PYTHON
program "Open MPI: mpi4py, by mpirun" openmpi mpirun.openmpi -n 2 /usr/bin/python3 sum.py
shown '^MPI_Init_thread .*provided=3 .*result=MPI_SUCCESS' "mpi4py starts with threads"
shown '^MPI_Send .*dest=9 .*result=MPI_ERR_RANK' "the call that failed shows the error's name"
program "Open MPI: mpi4py alone, where only an extension loads MPI" openmpi /usr/bin/python3 sum.py

# --- PyPI's mpi4py, which opens the MPI that it finds at run time: Debian's MPICH, and PyPI's own, which is newer than the descriptor's header
if venv=$(kept_venv "$kept" mpi4py-4.1.2 mpi4py==4.1.2 mpich==5.0.2); then
	mkdir -p lib
	ln -sf "$(library libmpich.so.12)" lib/libmpi.so.12
	program "MPICH: PyPI's mpi4py, by mpirun" mpich env MPI4PY_MPIABI=mpich LD_LIBRARY_PATH="$tmp/lib" mpirun.mpich -n 2 "$venv/bin/python" sum.py
	shown '^MPI_Init_thread .*provided=MPI_THREAD_MULTIPLE .*result=MPI_SUCCESS' "it starts with threads"
	shown '^MPI_Send_c .*datatype=MPI_BYTE dest=9 .*result=[1-9]\d+' "the call that failed is there, with its error"
	newer() { env MPI4PY_MPIABI=mpich LD_LIBRARY_PATH="$venv/lib" "$@" | sort; }
	rm -rf traces; mkdir traces
	newer "$venv/bin/mpiexec" -n 2 "$venv/bin/python" sum.py >bare.out 2>bare.err
	newer "$tracelayer" run -o "$tmp/traces/t.json" --api mpi -- "$venv/bin/mpiexec" -n 2 "$venv/bin/python" sum.py >traced.out 2>traced.err
	same bare.out traced.out "MPICH 5 of PyPI: mpi4py prints the same"
	ok "the traces are sound" sound_traces
	is "$(cat traces/*.json | grep -oE '"name":"MPI_(Bcast|Send|Recv)_c"' | sort | uniq -c | awk '{ printf "%s ", $1 }')" "4 2 4 " "and have what the sum over both ranks sends"
	# The standard ABI: where a launcher starts the program, and where the program tells.
	ok "standard ABI: the program is built" "$venv/bin/mpicc_abi" -O1 -w -o calls-abi "$top_srcdir/tests/apps/mpi_calls.c"
	ok "the counting library is built" counter abi "$venv/lib/libmpi_abi.so.1"
	export C_INCLUDE_PATH=$venv/include LD_LIBRARY_PATH=$venv/lib
	program "standard ABI: a program, by mpiexec" abi "$venv/bin/mpiexec" -n 2 ./calls-abi 10
	for way in "run mpiexec" "mpiexec run"; do
		rm -rf traces; mkdir traces
		launch=("$venv/bin/mpiexec" -n 2)
		run=("$tracelayer" run -o "traces/%p.json" --api mpi --)
		if test "$way" = "run mpiexec"; then
			"${run[@]}" "${launch[@]}" ./calls-abi 10 >traced.out 2>traced.err
		else
			"${launch[@]}" "${run[@]}" ./calls-abi 10 >traced.out 2>traced.err
		fi
		shown '^MPI_Isend .*datatype=MPI_LONG dest=\d tag=\d+ comm=MPI_COMM_WORLD request_=0x[0-9a-f]{9,} result=MPI_SUCCESS' "$way: its handles have names, or are addresses"
		shown "^MPI_Waitall count=2 array_of_requests=\['MPI_REQUEST_NULL', 'MPI_REQUEST_NULL'\] .*array_of_statuses=\[{'MPI_SOURCE': \d, 'MPI_TAG': 9, .*}, {" "$way: lists are as long as they are"
		is "$(cat traces/*.json | grep -o '"name":"MPI_Isend","cat":"mpi-[a-z-]*' | sort | uniq -c | tr -s ' ')" ' 20 "name":"MPI_Isend","cat":"mpi-standard-abi' "$way: no other library's descriptor is taken"
	done
	unset C_INCLUDE_PATH LD_LIBRARY_PATH
else
	skip 19 "$venv"
fi

# --- each ABI where the program does not tell which: a shell that starts the launcher
for kind in mpich openmpi; do
	ok "$kind: the program is built" "mpicc.$kind" -O1 -o "calls-$kind" "$top_srcdir/tests/apps/mpi_calls.c"
	rm -rf direct traces; mkdir traces direct
	"$tracelayer" run -o direct/t.json --api "mpi-$kind" -- "mpirun.$kind" -n 2 "./calls-$kind" 10 2>/dev/null | sort >direct.out
	"$tracelayer" run -o traces/t.json --api mpi -- sh -c "exec mpirun.$kind -n 2 ./calls-$kind 10" 2>/dev/null | sort >traced.out
	same direct.out traced.out "$kind: a shell starts it: it prints the same"
	is "$(cat traces/*.json | grep -o '"name":"MPI_[A-Za-z_]*","cat":"mpi-[a-z]*' | sort | uniq -c)" "$(cat direct/*.json | grep -o '"name":"MPI_[A-Za-z_]*","cat":"mpi-[a-z]*' | sort | uniq -c)" \
		"$kind: and has the calls that it has with the descriptor of its own MPI"
	shown '^MPI_Type_create_struct count=2 array_of_block_?lengths=\[2, 8\] array_of_displacements=\[0, 16\] array_of_types=\[.\S+, .\S+\] newtype=0x' "$kind: arrays are as long as they are"
	shown '^MPI_Waitall count=2 .*array_of_statuses=\[{.*MPI_TAG.: 0, .MPI_ERROR.: ' "$kind: and statuses are shown"
	shown '^MPI_Error_string .*string=\S+' "$kind: and texts that come out"
done

# --- leaks
cat >leak.c <<'END_OF_C'
#include <mpi.h>
int main(int argc, char **argv)
{
	MPI_Comm kept, freed, none;
	MPI_Request receive, persistent, sends[3];
	MPI_Datatype type;
	MPI_Group group;
	int flag, into = 0, from = 1, provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_dup(MPI_COMM_WORLD, &kept);
	MPI_Comm_dup(MPI_COMM_WORLD, &freed);
	MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &none);
	MPI_Type_contiguous(3, MPI_INT, &type);
	MPI_Comm_group(MPI_COMM_SELF, &group);
	MPI_Group_free(&group);
	MPI_Irecv(&into, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &receive);
	MPI_Test(&receive, &flag, MPI_STATUS_IGNORE);
	for (int i = 0; i < 3; i++)
		MPI_Isend(&from, 1, MPI_INT, 0, i, MPI_COMM_SELF, &sends[i]);
	MPI_Wait(&receive, MPI_STATUS_IGNORE);
	for (int i = 1; i < 3; i++)
		MPI_Recv(&into, 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
	MPI_Send_init(&from, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &persistent);
	MPI_Start(&persistent);
	MPI_Recv(&into, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	MPI_Wait(&persistent, MPI_STATUS_IGNORE);
	MPI_Request_free(&persistent);
	MPI_Comm_free(&freed);
	MPI_Send(&from, 1, MPI_INT, 77, 0, MPI_COMM_SELF);
	MPI_Finalize();
	return 0;
}
END_OF_C
for kind in mpich openmpi; do
	"mpicc.$kind" -w -o "leak-$kind" leak.c
	"$tracelayer" run -o leak.json --tool leaks --summary --api mpi -- "./leak-$kind" >leak.out 2>leak.err
	like "$(cat leak.err)" 'leaks: 2 objects never destroyed, 0 wrong calls' "$kind: what is not freed leaks, and nothing else: no request, no MPI_COMM_NULL"
	is "$(sed -n 's/^ *1 \(MPI_[A-Za-z]*\) created by \(MPI_[A-Za-z_]*\) and .*/\1 \2/p' leak.err | sort | tr '\n' ' ')" 'MPI_Comm MPI_Comm_dup MPI_Datatype MPI_Type_contiguous ' "$kind: it is named with its call"
	is "$(awk '$1 == "MPI_Send" { print $2, $3 }' leak.err)" '1 1' "$kind: the call that failed is in the failed column"
done

#!/bin/bash
# SPDX-License-Identifier: MIT
# cl_real_programs.sh: real OpenCL programs that nobody here wrote, on PoCL: clinfo, clpeak, PyOpenCL, hashcat. They notice nothing, and
# each of their calls is in the trace. Before them this project's programs, with the same counter: it follows threads, which ltrace doesn't.
# STRESS=1 (make stress) lets each run longer.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
. "$top_srcdir/tests/lib/whole.sh"
need_library
. "$top_srcdir/tests/whole/cl_counter.sh"
apps=$(cd "$top_builddir" && pwd)/tests/apps
export TRACELAYER_DEVICE=0	# device lanes ask the driver, too, and are no calls
plan 45

# The driver compiles a kernel once and keeps it; from then on runs are alike.
real_program "vector addition" "$apps/cl_vector_add" -o sums
layer_counted "vector addition, 8 threads" "$tmp/t.json" "$apps/cl_vector_add" -t 8 -i ${STRESS:+10}20
for args in none scalars full; do
	export TRACELAYER_ARGS=$args
	layer_counted "hostile arguments, $args recorded" "$tmp/t.json" "$apps/cl_hostile"
	layer_counted "callbacks, $args recorded" "$tmp/t.json" "$apps/cl_callbacks"
	unset TRACELAYER_ARGS
done

# A counter that was given one call too many is noticed.
sed '1s/$/0/' "$tmp/want" >"$tmp/more"
nok "a call that is not in the trace would be noticed" "$python" "$check_trace" --counts "$tmp/more" "$tmp/t.json"

real_program "clinfo" clinfo
real_program "clinfo, offline devices and properties" clinfo -a --offline

# Speeds differ from run to run, and so do the numbers of calls, which clpeak makes depend on them. PoCL's compiler says how many warnings it kept to
# itself, in the run that compiles.
normalise() { sed -E 's/ : [0-9.]+( us)?$/ : NUMBER/; /^[0-9]+ warnings generated\.$/d'; }
if test -n "${STRESS-}"; then
	real_program "clpeak" clpeak
else
	real_program "clpeak" clpeak --kernel-latency
fi
normalise() { cat; }

real_program "PyOpenCL" "$python" "$top_srcdir/tests/whole/cl_pyopencl.py"

# It finds OpenCL with dlopen and dlsym. Its benchmark, whose kernel takes PoCL most of a minute to compile, is in stack_hashcat.sh;
# CLBlast's test is in stack_clblast.sh.
normalise() { sed -E '/Memory\.Free/d'; }
real_program "hashcat's information about devices" hashcat -I
like "$(cat "$tmp/bare.out")" '^exit code 0$' "which runs here"

#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_itt.sh: what programs are annotated with by ITT is in the trace, with no rebuild: Python programs by the package ittapi, and Intel's own runtimes
# of OpenMP (libiomp5), of tasks (oneTBB) and of OpenCL, which Intel has annotated. All come from PyPI.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/kept_venv.sh"
plan 11
apps=$top_srcdir/tests/annotations
mkdir -p "$tmp/traces"
cd "$tmp" || exit 99

run_traced()
{
	rm -f traces/*
	timeout -k 5 200 "$tracelayer" run -o "traces/%p.json" "$@" >traced.out 2>traced.err
	code=$?
}
# events EXPRESSION: how many events of ITT match it.
events() { cat traces/*.json | grep '"cat":"annotation,itt' | grep -cE "$1"; }

if venv=$(kept_venv "$kept" ittapi-1.2.2 ittapi==1.2.2); then
	run_traced -- "$venv/bin/python" "$apps/itt_python.py"
	is "$code $(events '"ph":"X"')" "0 $(cat traced.out)" "Python: each task and event of 5 threads is in the trace, none of while it was paused"
	ok "Python: the trace is sound" sound_traces
	is "$(events '"left open".*"unfinished":true')" 1 "Python: a task that never ends is unfinished"
else
	skip 3 "$venv"
fi

venv=$(sycl_venv "$kept") || { skip 8 "$venv"; exit 0; }
# same_output WHAT COMMAND…: bare and traced.
same_output()
{
	local what=$1; shift
	"$@" >bare.out 2>bare.err; bare=$?
	run_traced -- "$@"
	is "$code $(cat traced.out)" "$bare $(cat bare.out)" "$what: prints the same, ends the same ($bare)"
	ok "$what: the trace is sound" sound_traces
}

# Debian's programs for OpenMP know GNU's library; Intel's has the same functions.
cat >omp.c <<'END'
#include <omp.h>
#include <stdio.h>
int main(void)
{
	double sum = 0;

	for (int round = 0; round < 10; round++) {
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 100000; i++)
			sum += i * 0.5;
	}
	printf("%g\n", sum);
	return 0;
}
END
${CC:-cc} -fopenmp -O1 -o omp omp.c || exit 99
export OMP_NUM_THREADS=2
same_output "libiomp5" env LD_PRELOAD="$venv/lib/libiomp5.so" ./omp
is "$(events '"ph":"X".*"name":"[^"]*\$omp\$parallel:2')" 10 "libiomp5: each of 10 parallel regions is a frame"
is "$(events 'OMP Worker Thread #1')" 1 "libiomp5: a worker has its name"

export OCL_ICD_FILENAMES=$venv/lib/libintelocl.so PYTHONDONTWRITEBYTECODE=1
"$venv/bin/python" -c 'import dpctl; dpctl.select_default_device().print_device_info()' >"$tmp/device" 2>&1 ||
	{ skip 4 "this machine has no device for SYCL: $(tail -n 1 "$tmp/device")"; exit 0; }
same_output "dpnp on Intel's OpenCL" "$venv/bin/python" "$top_srcdir/tests/xpti/sycl_program.py"
ok "dpnp: $(events '"ph":"X".*"name":"tbb_') tasks of oneTBB are in the trace" test "$(events '"ph":"X".*"name":"tbb_')" -ge 10
ok "dpnp: beside its OpenCL calls" grep -q '"name":"clEnqueueNDRangeKernel"' traces/*.json

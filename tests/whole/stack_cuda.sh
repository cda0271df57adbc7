#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_cuda.sh: the descriptor of CUDA's driver API, on a software driver: a program that asks for every function by cuGetProcAddress prints the same,
# and each call is traced as the function that the asked version has. The header is NVIDIA's, from PyPI.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/kept_venv.sh"
plan 27

. "$top_srcdir/tests/lib/cuda_header.sh"
cuda_software "$kept" 27
cd "$tmp" || exit 99
program_build() { ${CC:-cc} -Wall -Wextra -o program "$drivers/cuda_program.c" -ldl; }
ok "the program is built" program_build

# Each call that the driver counts is in the trace, as the function that the driver ran. One that cuGetProcAddress gave out for a default stream per
# thread (_ptsz) has the name that was asked for.
counted() { awk '{ sub(/_pt[sd][sz]$/, "", $1); n[$1] += $2 } END { for (name in n) if (name ~ /^cu/) print name, n[name] }' "$@" | sort; }
traced() { "$python" "$check_trace" --names "$1" | counted; }

# run_api NAME COMMAND…: three results: bare and under `run --api cuda`, it prints the same and ends the same; the driver was asked the same; the trace
# has each of these calls. Without device lanes, which ask the driver, too (stack_cuda_lanes.sh).
run_api()
{
	local name=$1; shift
	CUDA_DRIVER_LOG=$tmp/bare.log "$@" >bare.out 2>&1; bare=$?
	CUDA_DRIVER_LOG=$tmp/traced.log "$tracelayer" run -o "$tmp/$name.json" --api cuda --device=no -- "$@" >traced.out 2>traced.err; traced=$?
	is "$traced $(cat traced.out)" "$bare $(cat bare.out)" "$name: prints the same, ends the same ($bare)"
	is "$(counted traced.log)" "$(counted bare.log)" "$name: the driver is asked the same"
	is "$(traced "$name.json")" "$(counted bare.log)" "$name: each of these calls is in the trace"
}

emitted()
{
	local api=$top_srcdir/gen/apis/cuda.json
	mkdir -p by-api by-model && "$top_builddir/tracegen" emit --api="$api" -o by-api -- -I"$include" &&
		"$top_builddir/tracegen" model --api="$api" -- -I"$include" >model.json && grep -q '"until"' model.json &&
		"$top_builddir/tracegen" emit --model=model.json -o by-model && diff -r by-api by-model
}
ok "the versions of functions survive in the model: the shims made of it are the same" emitted

run_api program ./program
like "$(cat bare.out)" '^cuMemGetInfo 99000: 0$' "among them one of a version that no descriptor knows"
like "$(cat program.json)" '"name":"cuMemAdvise_v2"[^}]*"location":{"type":"CU_MEM_LOCATION_TYPE_DEVICE","id":7}' "a later function has its own parameters"

# NVIDIA's runtime asks for all that it may need. It stops where the driver has no export table; what it asks until then is the same.
cat >runtime.py <<'END_OF_PYTHON'
import ctypes, sys
runtime = ctypes.CDLL(sys.argv[1])
number = ctypes.c_int(-1)
name = runtime.cudaGetErrorName
name.restype = ctypes.c_char_p
print("cudaDriverGetVersion", name(runtime.cudaDriverGetVersion(ctypes.byref(number))), number.value)
print("cudaGetDeviceCount", name(runtime.cudaGetDeviceCount(ctypes.byref(number))), number.value)
END_OF_PYTHON
run_api runtime "$python" runtime.py "$runtime/libcudart.so.12"
like "$(cat bare.out)" 'cudaDriverGetVersion .*cudaSuccess.* 12080' "NVIDIA's runtime talks to the software driver"

# Warp asks for some eighty functions, of which the driver has not all, and says so; it wants a newer one.
if venv=$(kept_venv "$kept" warp-1.19.0 warp-lang==1.19.0); then
	run_api warp sh -c 'exec "$0" -B "$1" 2>&1' "$venv/bin/python" "$top_srcdir/tests/whole/cuda_warp.py"
else
	skip 3 "$venv"
fi

# Python's bindings of NVIDIA ask by cuGetProcAddress, Numba finds symbols by dlsym, with "_v2" first.
if venv=$(kept_venv "$kept" cuda-bindings-12.8.0-numba-0.61.2 cuda-bindings==12.8.0 numba==0.61.2); then
	run_api bindings "$venv/bin/python" "$top_srcdir/tests/whole/cuda_bindings.py"
	like "$(cat bare.out)" 'cuCtxDestroy 0$' "the bindings get to their end"
	run_api numba "$venv/bin/python" "$top_srcdir/tests/whole/cuda_numba.py"
	like "$(cat bare.out)" '^32640$' "Numba gets its array back"
else
	skip 8 "$venv"
fi

# Through shims that a compiler made, too.
shims cuda "$top_srcdir/gen/apis/cuda.json" -- -I"$top_srcdir/gen/apis" -I"$include"
export TRACELAYER_DEVICE=0
foreign "compiled shims" "30 cu(MemcpyHtoD_v2|MemcpyDtoHAsync_v2|LaunchKernel)" "$tmp/program"

#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_intel_opencl.sh: Intel's OpenCL for processors (PyPI) beside PoCL: two platforms in one program, by Debian's loader and by Intel's own. Programs notice
# nothing, each call is in the trace, and each kernel on its device's lane.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
kept=${XDG_CACHE_HOME:-$HOME/.cache}/tracelayer-stacks
. "$top_srcdir/tests/lib/whole.sh"
. "$top_srcdir/tests/lib/kept_venv.sh"
need_library
. "$top_srcdir/tests/whole/cl_counter.sh"
plan 25
venv=$(sycl_venv "$kept") || { skip 25 "$venv"; exit 0; }
intel=$venv/lib/libintelocl.so

mkdir "$tmp/vendors"
cp /etc/OpenCL/vendors/*.icd "$tmp/vendors"
echo "$intel" >"$tmp/vendors/intel.icd"
export OCL_ICD_VENDORS=$tmp/vendors TRACELAYER_DEVICE=0
clinfo -l >"$tmp/list" 2>&1
grep -q 'Intel(R) OpenCL' "$tmp/list" || { skip 25 "this machine's processor is none that Intel's OpenCL takes: $(tail -n 1 "$tmp/list")"; exit 0; }
is "$(grep -c '^Platform' "$tmp/list")" 2 "a program finds two platforms"
real_program "clinfo, two platforms" clinfo
# PyOpenCL takes a kernel from its cache with other warnings.
PYOPENCL_CTX=Intel PYOPENCL_NO_CACHE=1 real_program "PyOpenCL on Intel's driver" "$python" "$top_srcdir/tests/whole/cl_pyopencl.py"

# Each kernel, and the wait for it: by Intel's driver, and by PoCL's.
unset TRACELAYER_DEVICE
lanes() # WHAT DEVICE: two results
{
	rm -f "$tmp/t.json"
	LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="$tmp/t.json" clpeak --kernel-latency >/dev/null 2>&1
	ok "$1: the trace of clpeak on both platforms is sound" "$python" "$check_trace" "$tmp/t.json"
	kernels_on_lanes "$1" "$tmp/t.json"
	is "$("$top_builddir/tracelayer" summary --table=queues --csv "$tmp/t.json" | grep -c '^"\?queue [0-9]')" 2 "$1: which are two"
}
lanes "Debian's loader"
is "$("$python" -c 'import json, sys; print(*{e["args"]["uuid"] for e in json.load(open(sys.argv[1])) if "uuid" in e.get("args", {})})' "$tmp/t.json")" \
	"$(clinfo | awk '/^ *Device UUID/ { print $3 }')" "the device's UUID is in the trace, as clinfo prints it"

# Intel's loader in the place of Debian's.
export LD_LIBRARY_PATH=$venv/lib OCL_ICD_FILENAMES=$intel
unset OCL_ICD_VENDORS
clinfo -l >"$tmp/list" 2>&1
is "$(grep -c '^Platform' "$tmp/list")" 2 "Intel's loader finds two platforms"
lanes "Intel's loader"
# Its layers count nothing here, so the calls are not counted again.
notices_nothing "clinfo by Intel's loader" "$tmp/t.json" clinfo
sound "clinfo by Intel's loader" "$tmp/t.json"
like "$(cat "$tmp/bare.out")" '^exit code 0$' "which runs here"

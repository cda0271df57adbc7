#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_tinygrad.sh: tinygrad (PyPI) on PoCL: kernels that it writes itself, by an OpenCL that it opens through ctypes. It notices nothing, and each of its
# calls is in the trace.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
kept=${XDG_CACHE_HOME:-$HOME/.cache}/tracelayer-stacks
. "$top_srcdir/tests/lib/kept_venv.sh"
. "$top_srcdir/tests/lib/whole.sh"
need_library
. "$top_srcdir/tests/whole/cl_counter.sh"
plan 8

tinygrad=$(kept_tinygrad "$kept") || { skip 8 "$tinygrad"; exit 0; }

export TRACELAYER_DEVICE=0	# device lanes ask the driver, too, and are no calls
# tinygrad compiles copies to the processor with clang, and would keep what it compiled from run to run.
export PYTHONPATH=$tinygrad PYTHONDONTWRITEBYTECODE=1 DEV=CL CC=$clang CACHELEVEL=0 XDG_CACHE_HOME=$tmp/cache POCL_CACHE_DIR=$tmp/pocl
mkdir -p "$POCL_CACHE_DIR"
# The driver compiles a kernel once, with a warning, and keeps it; from then on runs are alike.
"$python" "$top_srcdir/tests/whole/tinygrad_program.py" >/dev/null 2>&1
real_program "tinygrad" "$python" "$top_srcdir/tests/whole/tinygrad_program.py"
like "$(cat "$tmp/bare.out")" '^exit code 0$' "which runs here"

# Kernels on the device's lane: as many as were enqueued.
unset TRACELAYER_DEVICE
rm -f "$tmp/t.json"
LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="$tmp/t.json" "$python" "$top_srcdir/tests/whole/tinygrad_program.py" >/dev/null 2>&1
kernels_on_lanes tinygrad "$tmp/t.json"

#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_own_loaders.sh: Python packages (PyPI) that bring OpenCL's loader themselves, on PoCL: LightGBM has it linked into its library, pyclesperanto a copy
# of another name. They notice nothing, and each of their calls is in the trace, but none of the loader's own.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
kept=${XDG_CACHE_HOME:-$HOME/.cache}/tracelayer-stacks
. "$top_srcdir/tests/lib/kept_venv.sh"
. "$top_srcdir/tests/lib/whole.sh"
need_library
. "$top_srcdir/tests/whole/cl_counter.sh"
plan 12

venv=$(kept_venv "$kept" own-loaders-1 lightgbm==4.7.0 scipy==1.17.1 pyclesperanto==0.25.1 pyclesperanto-opencl==0.25.1 numpy==2.4.6) || { skip 12 "$venv"; exit 0; }

export PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME=$tmp/cache POCL_CACHE_DIR=$tmp/pocl HOME=$tmp/home
mkdir -p "$POCL_CACHE_DIR" "$HOME"

# LightGBM's loader has no layers: gdb counts the calls of the functions in its library.
command -v gdb >/dev/null || { echo "Bail out! gdb is missing; ./scripts/install-packages test installs it"; exit 99; }
gdb_counted()
{
	local what=$1 trace=$2 library; shift 2
	library=$(find "$venv" -name lib_lightgbm.so)
	GDB_LIBRARY=lib_lightgbm GDB_FUNCTIONS=$(nm -D --defined-only "$library" | awk '$3 ~ /^cl[A-Z]/ { print $3 }') GDB_COUNTS=$tmp/want \
		gdb -batch -nx -x "$top_srcdir/tests/whole/gdb_counts.py" --args "$@" >"$tmp/gdb" 2>&1
	ok "$what: a slice for each of the $(awk '{ n += $2 } END { print n + 0 }' "$tmp/want") calls of $(wc -l <"$tmp/want") functions that gdb counted" \
		"$python" "$check_trace" --counts "$tmp/want" "$trace" || diag "$(tail -n 5 "$tmp/gdb")"
}

# on_opencl NAME COUNTED COMMAND…: six results; COUNTED counts its calls.
on_opencl()
{
	local name=$1 counted=$2; shift 2
	# The driver compiles a kernel once, with a warning, and keeps it; from then on runs are alike.
	"$@" >/dev/null 2>&1
	export TRACELAYER_DEVICE=0	# device lanes ask the driver, too, and are no calls
	notices_nothing "$name" "$tmp/t.json" "$@"
	is "$(grep '^exit code' "$tmp/bare.out")" "exit code 0" "$name: runs here"
	sound "$name" "$tmp/t.json"
	"$counted" "$name" "$tmp/t.json" "$@"
	unset TRACELAYER_DEVICE
	rm -f "$tmp/device.json"
	LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="$tmp/device.json" "$@" >/dev/null 2>&1
	kernels_on_lanes "$name" "$tmp/device.json"
}
on_opencl LightGBM gdb_counted "$venv/bin/python" "$top_srcdir/tests/whole/lightgbm_program.py"
on_opencl pyclesperanto layer_counted "$venv/bin/python" "$top_srcdir/tests/whole/clesperanto_program.py"

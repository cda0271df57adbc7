# SPDX-License-Identifier: MIT
# start.sh: what preloading costs a program that makes no traced call. A part of bench/bench.

start_pairs=200
test -z "$short" || start_pairs=5
section "Start and end of a program that makes no traced call, with ÷ without; $start_pairs pairs"
# start_row TEXT LIBRARY [MORE]
start_row()
{
	env TRACELAYER_OUTPUT=/dev/null "$top_builddir/bench_start" $start_pairs "$2" "$top_builddir/bench_nothing" |
		awk -v text="$1" -v more="${3:-}" '{ printf "  %-58s %7.2f   %6.2f .. %-6.2f  (%+.3f ms of %.3f ms%s)\n", text, $3, $4, $5, $2, $1, more }'
}
start_row "preloaded ÷ not" "$layer" "; wanted: +0.15 ms"
# The same exports, each a single instruction, and a constructor that does nothing: no library with these exports can cost less.
start_limit="limit: a library with the same exports that does nothing"
if { echo '.text'; nm -D --defined-only "$layer" | sed -n 's/^[0-9a-f]* [TW] \([^@]*\).*/.globl \1\n.type \1, %function\n\1: ret/p'
	echo 'begin: ret'; echo '.section .init_array, "aw"'; echo '.balign 8'; echo '.quad begin'
	echo '.section .note.GNU-stack, "", %progbits'; } >"$work/limit.s" && $CC -shared -o "$work/limit.so" "$work/limit.s" 2>>"$work/errors"; then
	start_row "$start_limit" "$work/limit.so"
else
	note "$start_limit: it does not build here"
fi

# `tracelayer run --header` with an interposer that an earlier run has left in the cache, less `tracelayer run`: from the command's start to the
# first instruction of the program's main. Both run the same program. Only the difference counts. On a busy machine, the processor time tells more: it is
# that of the command and the program from beginning to end.
start_first_pairs=60
test -z "$short" || start_first_pairs=3
section "From tracelayer run to the program's first instruction, more with an interposer that is in the cache; $start_first_pairs pairs"
# start_first_row TEXT OPTION...
start_first_row()
{
	local text=$1 line; shift
	line=$(env XDG_CACHE_HOME="$work/cache" TRACELAYER_OUTPUT=/dev/null "$top_builddir/bench_start" --first $start_first_pairs --arguments $# \
		"$top_builddir/tracelayer" run "$@" -- "$top_builddir/bench_nothing" first 2>/dev/null)
	test -n "$line" || { note "$text: not here"; return; }
	printf '%s\n' "$line" | awk -v text="$text" '{ printf "  %-58s %7.2f   %6.2f .. %-6.2f  (%+.3f ms of %.3f ms; wanted: 5 or less; processor time to the end: %+.3f ms)\n", \
		text, $3, $4, $5, $2, $1, $7 }'
}
start_first_row zlib.h --header zlib.h --lib libz.so.1
start_first_row sqlite3.h --header sqlite3.h --lib libsqlite3.so.0
start_first_row curl/curl.h --header curl/curl.h --lib libcurl.so.4
start_first_row "gtk/gtk.h, which includes 880 files" --header gtk/gtk.h --pkg gtk+-3.0 --lib libgtk-3.so.0
start_first_row "--api mpi, of two ABIs" --api mpi
start_first_row "libopenblas.so.0, 15132 functions, no header" --lib libopenblas.so.0

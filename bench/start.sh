# SPDX-License-Identifier: MIT
# start.sh: what preloading costs a program that makes no traced call. A part of bench/bench.

start_pairs=200
test -z "$short" || start_pairs=5
start_line=$(env TRACELAYER_OUTPUT=/dev/null "$top_builddir/bench_start" $start_pairs "$layer" "$top_builddir/bench_nothing")
section "Start and end of a program that makes no traced call, with ÷ without; $start_pairs pairs"
printf '%s\n' "$start_line" | awk '{ printf "  %-58s %7.2f   %6.2f .. %-6.2f  (%+.3f ms of %.3f ms)\n", \
	"preloaded ÷ not", $3, $4, $5, $2, $1 }'

# `tracelayer run --header` with an interposer that an earlier run has left in the cache, beside `tracelayer run`. Both run the same program,
# so the difference is what the option adds, before the program's first instruction and at its end. Only the difference counts.
section "tracelayer run --header, the interposer in the cache, ÷ tracelayer run; $start_pairs pairs of a program that does nothing"
start_header_row()
{
	local line
	line=$(env XDG_CACHE_HOME="$work/cache" TRACELAYER_OUTPUT=/dev/null "$top_builddir/bench_start" $start_pairs --arguments 4 \
		"$top_builddir/tracelayer" run --header "$1" --lib "$2" -- "$top_builddir/bench_nothing" 2>/dev/null)
	test -n "$line" || { note "$1 is not here, or $2"; return; }
	printf '%s\n' "$line" | awk -v text="$1" '{ printf "  %-58s %7.2f   %6.2f .. %-6.2f  (%+.3f ms of %.3f ms; wanted: 5 or less)\n", \
		text, $3, $4, $5, $2, $1 }'
}
start_header_row zlib.h libz.so.1
start_header_row sqlite3.h libsqlite3.so.0
start_header_row curl/curl.h libcurl.so.4

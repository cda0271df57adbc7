# SPDX-License-Identifier: MIT
# start.sh: what preloading costs a program that makes no traced call. A part of bench/bench.

start_pairs=200
test -z "$short" || start_pairs=5
start_line=$(env TRACELAYER_OUTPUT=/dev/null "$top_builddir/bench_start" $start_pairs "$layer" "$top_builddir/bench_nothing")
section "Start and end of a program that makes no traced call, with ÷ without; $start_pairs pairs"
printf '%s\n' "$start_line" | awk '{ printf "  %-58s %7.2f   %6.2f .. %-6.2f  (%+.3f ms of %.3f ms)\n", \
	"preloaded ÷ not", $3, $4, $5, $2, $1 }'

# SPDX-License-Identifier: MIT
# tracers.sh: what tracers cost, in the stock loader with the test driver: this layer preloaded, the loader's own, and none; and a library that does only what it must (bench/limit.h). A part of bench/bench.
#
# Each figure is one process of bench_tracers. Callbacks are the same everywhere; "direct" is the program calling them itself around the call.

tracers_rounds=150 tracers_toggles=100000
test -z "$short" || { tracers_rounds=3; tracers_toggles=2000; }
tracers_driver=$top_builddir/tests/drivers/.libs/ze_driver_a.so

# tracers_run NAME: "ours tracer 4 2" is this layer, four tracers, two threads. Prints the figure; nothing where the process broke.
tracers_run()
{
	# shellcheck disable=SC2086
	set -- $1
	local who=$1
	shift
	case $who in
	ours) set -- env LD_PRELOAD="$layer" TRACELAYER_LEVEL=none "$top_builddir/bench_tracers" "$@" ;;
	recorded) set -- env LD_PRELOAD="$layer" TRACELAYER_OUTPUT=/dev/null TRACELAYER_LEVEL=all TRACELAYER_ARGS=none "$top_builddir/bench_tracers" "$@" ;;
	limit) set -- env LD_PRELOAD="$top_builddir/.libs/libbench_limit.so" "$top_builddir/bench_tracers" "$@" ;;
	loader) set -- env ZE_ENABLE_TRACING_LAYER=1 "$top_builddir/bench_tracers" "$@" ;;
	*) set -- "$top_builddir/bench_tracers" "$@" ;;
	esac
	ZE_ENABLE_ALT_DRIVERS=$tracers_driver timeout 120 "$@" 2>>"$work/tracers.errors" | tail -n 1
}

tracers_names=()
for threads in 1 2; do
	for what in "none call 1" "none direct 1" "none direct 4" "ours call 1" "ours other 1" "ours tracer 1" "ours tracer 4" "limit call 1" "limit limit 1" "limit limit 4" \
		"loader call 1" "loader other 1" "loader tracer 1" "loader tracer 4"; do
		tracers_names+=("$what $threads")
	done
done
tracers_names+=("recorded tracer 1 1" "limit limit-recorded 1 1" "limit limit-new 1 1" "ours destroy $tracers_rounds 2" "loader destroy $tracers_rounds 2")

for round in $(seq "$rounds"); do
	shuffled "${tracers_names[@]}" >"$work/tracers.order"
	while read -r name; do
		echo "$round $(tracers_run "$name" </dev/null)" >>"$work/tracers.${name// /-}"
	done <"$work/tracers.order"
done

# tracers_row TEXT NAME BASE: ratio within each round.
tracers_row()
{
	join "$work/tracers.${2// /-}" "$work/tracers.${3// /-}" | awk 'NF == 3 { print $2, $3 }' >"$work/rows"
	ratio_row "$1" "$work/rows"
}

# tracers_above TEXT NAME BASE LIMIT: the same, and by how many ns the medians differ.
tracers_above()
{
	tracers_row "$1" "$2" "$3"
	awk '{ print $1 - $2 }' "$work/rows" | quartiles | awk -v limit="$4" '{ printf "    %.2f ns above it; wanted: at most %s\n", $2, limit }'
}

for threads in 1 2; do
	section "zeEventQueryStatus ÷ the bare call, or the call with the same callbacks called directly; threads: $threads"
	tracers_above "layer on, no tracer" "ours call 1 $threads" "none call 1 $threads" 0.6
	tracers_above "a tracer on another function" "ours other 1 $threads" "none call 1 $threads" 0.6
	tracers_above "limit: a library that only jumps on" "limit call 1 $threads" "none call 1 $threads" 0.6
	tracers_above "one tracer ÷ direct" "ours tracer 1 $threads" "none direct 1 $threads" 4
	tracers_above "limit: a library that only makes the calls, one" "limit limit 1 $threads" "none direct 1 $threads" 4
	tracers_above "four tracers ÷ direct" "ours tracer 4 $threads" "none direct 4 $threads" 6
	tracers_above "limit: a library that only makes the calls, four" "limit limit 4 $threads" "none direct 4 $threads" 6
	section "The loader's own tracing layer ÷ this one; wanted: 6 or more; threads: $threads"
	tracers_row "layer on, no tracer" "loader call 1 $threads" "ours call 1 $threads"
	tracers_row "a tracer on another function" "loader other 1 $threads" "ours other 1 $threads"
	tracers_row "one tracer" "loader tracer 1 $threads" "ours tracer 1 $threads"
	tracers_row "four tracers" "loader tracer 4 $threads" "ours tracer 4 $threads"
done
section "Recorded and traced at once ÷ traced"
tracers_row "one tracer, no arguments kept" "recorded tracer 1 1" "ours tracer 1 1"
# tracers_limit TEXT NAME: a traced call, and what the record adds to the limit's.
tracers_limit()
{
	join "$work/tracers.ours-tracer-1-1" "$work/tracers.limit-limit-1-1" | join - "$work/tracers.limit-$2-1-1" |
		awk 'NF == 4 { print $2 + $4 - $3, $2 }' >"$work/rows"
	ratio_row "$1" "$work/rows"
}
tracers_limit "limit: traced, two counter reads and a store" limit-recorded
tracers_limit "limit: the same, with the store in new pages of /dev/shm" limit-new
section "Destroy after disable, while two threads call: the loader's own layer ÷ this one; wanted: below 20000 ns here"
tracers_row "loader's own" "loader destroy $tracers_rounds 2" "ours destroy $tracers_rounds 2"
awk '{ print $2 }' "$work/tracers.ours-destroy-$tracers_rounds-2" | quartiles | awk '{ printf "    this layer: %.0f ns (%.0f .. %.0f)\n", $2, $1, $3 }'
section "$tracers_toggles times enable or disable, while a thread calls: how many until the program broke"
note "this layer: $(tracers_run "ours toggle $tracers_toggles") of $tracers_toggles"
tracers_far=$(tracers_run "loader toggle $tracers_toggles")
note "the loader's own: ${tracers_far:-fewer than 1000} of $tracers_toggles"
if grep -q . "$work/tracers.errors"; then
	note "$(sort "$work/tracers.errors" | uniq -c | head -n 5)"
fi

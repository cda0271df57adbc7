# SPDX-License-Identifier: MIT
# profiler.sh: what labels cost (tracelayer/profiler.h), and what it takes to sample four threads. A part of bench/bench.
#
# A call that is only kept open for tracelayer profile is compared with the floor of a recorded call (bench_call). The sampler's time is in
# percent of the processor time of the program's threads. Most of it is the kernel's, to wake the sampler.

profiler_turns=401 profiler_count=20000 profiler_seconds=2
test -z "$short" || { profiler_turns=3 profiler_count=1000 profiler_seconds=0.2; }

# From outside: the program prints its own time, the command says the sampler's.
profiler_outside()
{
	"$top_builddir/tracelayer" profile -o "$work/profile.txt" -- "$top_builddir/bench_profiler" threads "$profiler_seconds" \
		>"$work/profiler.program" 2>"$work/profiler.said"
	sed -n 's/.* \([0-9.]*\) s at .* Hz; \([0-9.]*\) % of a core$/\1 \2/p' "$work/profiler.said" | paste -d' ' - "$work/profiler.program" |
		awk 'NF == 3 { print $1 * $2, $3 }'
}

section "Labels: one put on and taken off ÷ two stores each way, in the compiler's order alone; each within a function call"
profiler_round=0
while test $((profiler_round += 1)) -le "$rounds"; do
	for profiler_name in $(shuffled sampled alone inside outside watched); do
		case $profiler_name in
		sampled) "$top_builddir/bench_profiler" labels $profiler_turns $profiler_count 1000 ;;
		alone) "$top_builddir/bench_profiler" labels $profiler_turns $profiler_count ;;
		inside) "$top_builddir/bench_profiler" sampler $profiler_seconds 1000 | awk '{ print 100 * $1, $2 }' ;;
		outside) profiler_outside ;;
		watched) traced TRACELAYER_START=watched "$top_builddir/bench_call" none "$call_turns" "$call_count" | awk '{ print $3, $2 }' ;;
		esac >>"$work/profiler.$profiler_name"
	done
done
ratio_row "while it is sampled 1000 times a second" "$work/profiler.sampled" "ns; wanted: 1.3 or less"
ratio_row "not sampled" "$work/profiler.alone"
ratio_row "a call that is watched ÷ two reads of the counter and a record" "$work/profiler.watched"
section "Sampling four threads 1000 times a second: the sampler's time in percent of theirs"
ratio_row "by the program itself" "$work/profiler.inside" "% of a second; wanted: 1 or less"
ratio_row "by tracelayer profile" "$work/profiler.outside" "% of a second; wanted: 1 or less"

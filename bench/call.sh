# call.sh: what a call costs. A part of bench/bench.
#
# Each configuration is one process of bench_call, which measures the bare call and the floor as well.

call_turns=41 call_count=2000 call_long=1000000
test -z "$short" || { call_turns=3 call_long=20000; }

# call_run NAME: one process of that configuration; prints "bare floor row".
call_run()
{
	case $1 in
	untraced) "$top_builddir/bench_call" none $call_turns $call_count ;;
	level-none) traced TRACELAYER_LEVEL=none "$top_builddir/bench_call" none $call_turns $call_count ;;
	excluded) traced TRACELAYER_EXCLUDE='bench_*' "$top_builddir/bench_call" none $call_turns $call_count ;;
	none) traced TRACELAYER_ARGS=none "$top_builddir/bench_call" none $call_turns $call_count ;;
	four-none) traced TRACELAYER_ARGS=none "$top_builddir/bench_call" four $call_turns $call_count ;;
	one) traced TRACELAYER_ARGS=scalars "$top_builddir/bench_call" one $call_turns $call_count ;;
	four) traced TRACELAYER_ARGS=scalars "$top_builddir/bench_call" four $call_turns $call_count ;;
	four-full) traced TRACELAYER_ARGS=full "$top_builddir/bench_call" four $call_turns $call_count ;;
	pointer) traced TRACELAYER_ARGS=full "$top_builddir/bench_call" pointer $call_turns $call_count ;;
	first-four) traced "$top_builddir/bench_call" four first $call_count ;;
	long-none) traced TRACELAYER_ARGS=none "$top_builddir/bench_call" none sustained $call_long ;;
	long-four) traced TRACELAYER_ARGS=full "$top_builddir/bench_call" four sustained $call_long ;;
	esac
}

# call_row TEXT NAME bare|floor
call_row()
{
	awk -v base="$3" 'NF == 3 { print $3, base == "bare" ? $1 : $2 }' "$work/call.$2" >"$work/rows"
	ratio_row "$1" "$work/rows"
}

# call_whole ENDING: what a recorded call takes until the process has written it and ended, of what its floor takes.
call_whole()
{
	local floor
	floor=$(awk '{ f = $2 } END { print f }' "$work/call.long-four")
	TRACELAYER_OUTPUT=$work/whole$1 "$top_builddir/bench_start" 1 "$preload" "$top_builddir/bench_call" four sustained $call_long |
		awk -v floor="$floor" -v calls=$((call_long + 20000)) '{ print $2 * 1e6 / calls, floor }' >>"$work/call.whole$1"
	rm -f "$work/whole$1"*
}

for _ in $(seq "$rounds"); do
	for name in $(shuffled untraced level-none excluded none four-none one four four-full pointer first-four long-none long-four); do
		call_run "$name" >>"$work/call.$name" 2>>"$work/errors"
	done
	test "$(nproc)" -lt 2 ||
		traced "$top_builddir/bench_threads" $call_turns $call_count >>"$work/call.threads" 2>>"$work/errors"
	for name in $(shuffled .json .json.gz); do
		call_whole $name 2>>"$work/errors"
	done
done

section "A call that nobody watches ÷ the bare call"
call_row "not preloaded, through the PLT" untraced bare
call_row "preloaded, level none" level-none bare
call_row "preloaded, function excluded" excluded bare
section "The floor (two clock reads, a 32-byte store) ÷ the bare call"
awk '{ print $2, $1 }' "$work/call.untraced" >"$work/rows"
ratio_row "floor, no arguments" "$work/rows"
section "A recorded call ÷ the floor: bursts of $call_count calls, the last one being written meanwhile"
call_row "no arguments" none floor
call_row "4 arguments, not kept (args none)" four-none floor
call_row "1 scalar argument" one floor
call_row "4 scalar arguments" four floor
call_row "4 scalar arguments (args full)" four-full floor
call_row "2 arguments, one a pointer that is followed (args full)" pointer floor
call_row "4 scalar arguments, the first $call_count after a process's first" first-four floor
section "A recorded call ÷ the bare call, in the same bursts"
call_row "no arguments" none bare
call_row "4 scalar arguments" four bare
call_row "2 arguments, one a pointer that is followed (args full)" pointer bare
section "Two threads on two cores ÷ one of them alone: calls a second, bursts of $call_count, no arguments"
if test "$(nproc)" -gt 1; then
	ratio_row "no arguments" "$work/call.threads" "million a second"
else
	note "this machine has one core"
fi
section "Recorded without a pause, $call_long calls, the writer at work ÷ the floor"
call_row "no arguments" long-none floor
call_row "4 scalar arguments (args full)" long-four floor
section "The time that recording them adds until the process has written all and ended ÷ the floor"
ratio_row "4 scalar arguments, .json" "$work/call.whole.json"
ratio_row "4 scalar arguments, .json.gz" "$work/call.whole.json.gz"
if grep -q . "$work/errors"; then
	note "$(sort "$work/errors" | uniq -c | head -n 5)"
fi

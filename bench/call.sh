# SPDX-License-Identifier: MIT
# call.sh: what a call costs. A part of bench/bench.
#
# Each configuration is one process of bench_call, which measures the bare call and the floor as well.

call_burst=20000 call_long=1000000 call_paced=5000000
test -z "$short" || { call_burst=2000 call_long=20000 call_paced=20000; }

# call_run NAME: one process of that configuration; prints "bare floor row".
call_run()
{
	case $1 in
	untraced) "$top_builddir/bench_call" none $call_turns $call_count ;;
	level-none) traced TRACELAYER_LEVEL=none "$top_builddir/bench_call" none $call_turns $call_count ;;
	excluded) traced TRACELAYER_EXCLUDE='bench_*' "$top_builddir/bench_call" none $call_turns $call_count ;;
	none) traced "$top_builddir/bench_call" none $call_turns $call_count ;;
	none-drain) traced "$top_builddir/bench_call" none $call_turns $call_burst 300 ;;
	four-none) traced TRACELAYER_ARGS=none "$top_builddir/bench_call" four $call_turns $call_count ;;
	one) traced TRACELAYER_ARGS=scalars "$top_builddir/bench_call" one $call_turns $call_count ;;
	four) traced TRACELAYER_ARGS=scalars "$top_builddir/bench_call" four $call_turns $call_count ;;
	four-drain) traced TRACELAYER_ARGS=scalars "$top_builddir/bench_call" four $call_turns $call_burst 1500 ;;
	four-full) traced TRACELAYER_ARGS=full "$top_builddir/bench_call" four $call_turns $call_count ;;
	pointer) traced TRACELAYER_ARGS=full "$top_builddir/bench_call" pointer $call_turns $call_count ;;
	copy-warm) "$top_builddir/bench_limit" warm $call_turns $call_count ;;
	copy-cleared) "$top_builddir/bench_limit" cleared $call_turns $call_count ;;
	additions) "$top_builddir/bench_limit" additions $call_turns $call_count ;;
	new-none) "$top_builddir/bench_limit" new 32 $call_long ;;
	new-four) "$top_builddir/bench_limit" new 64 $call_long ;;
	stack) traced TRACELAYER_STACK='*' "$top_builddir/bench_call" deep $call_turns $call_count ;;
	first-none) traced "$top_builddir/bench_call" none first $call_burst ;;
	fresh) "$top_builddir/bench_call" none fresh $call_burst ;;
	first-four) traced "$top_builddir/bench_call" four first $call_burst ;;
	long-none) traced "$top_builddir/bench_call" none sustained $call_long ;;
	long-four) traced "$top_builddir/bench_call" four sustained $call_long ;;
	long-four-tlt)
		output=$work/long.tlt traced "$top_builddir/bench_call" four sustained $call_long
		rm -f "$work/long.tlt"
		;;
	esac
}

# call_row TEXT NAME bare|floor [WANTED]
call_row()
{
	awk -v base="$3" 'NF == 3 { print $3, base == "bare" ? $1 : $2 }' "$work/call.$2" >"$work/rows"
	ratio_row "$1" "$work/rows" "ns${4:+; wanted: $4}"
}

# call_keeps_up SHAPE NS: true if no call is lost when a call comes every NS nanoseconds, in small buffers that may lose events.
call_keeps_up()
{
	traced TRACELAYER_FULL=drop TRACELAYER_MEMORY=16M "$top_builddir/bench_call" "$1" every $call_paced "$2" >"$work/paced" 2>"$work/paced.lost" &&
		test -s "$work/paced" && ! test -s "$work/paced.lost"
}

# call_rate SHAPE: the shortest time between calls at which nothing is lost, by halving; prints "ns floor". Nothing where the machine is too busy.
call_rate()
{
	local shape=$1 lost=10 kept=400 middle floor
	test -z "$short" || lost=200
	call_keeps_up "$shape" $kept || return 0
	while test $((kept - lost)) -gt $((kept / 25 + 1)); do
		middle=$(((lost + kept) / 2))
		if call_keeps_up "$shape" $middle; then kept=$middle; else lost=$middle; fi
	done
	floor=$(awk '{ print $2 }' "$work/call.$shape" | quartiles | awk '{ print $2 }')
	echo "$kept $floor"
}

# call_rate_row TEXT SHAPE
call_rate_row()
{
	local rate
	test -s "$work/rate.$2" || { note "$1: events are lost at every rate; the machine is busy"; return; }
	rate=$(awk '{ print 1e3 / $1 }' "$work/rate.$2" | quartiles | awk '{ printf "%.1f", $2 }')
	ratio_row "$1" "$work/rate.$2" "ns: $rate million calls/s"
}

# call_whole ENDING: the time of a recorded call, up to the end of the process that writes it, divided by its floor. Likewise the processor time of all threads,
# divided by the processors: what is left if none of them ever waits.
call_whole()
{
	local floor
	floor=$(awk '{ f = $2 } END { print f }' "$work/call.long-four")
	TRACELAYER_OUTPUT=$work/whole$1 "$top_builddir/bench_start" 1 "$preload" "$top_builddir/bench_call" four sustained $call_long |
		awk -v floor="$floor" -v calls=$((call_long + 20000)) -v processors="$(nproc)" -v even="$work/call.even$1" '{
			print $2 * 1e6 / calls, floor
			print $7 * 1e6 / calls / processors, floor >>even
		}' >>"$work/call.whole$1"
	test "$1" != .json || call_whole_limit "$floor"
	rm -f "$work"/whole*"$1"
}

# call_whole_limit FLOOR: the time to write as many bytes as the .json has, by write() alone.
call_whole_limit()
{
	local size
	size=$(stat -c %s "$work"/whole*.json | sort -n | tail -n 1)
	wall dd if=/dev/zero of="$work/whole.limit" bs=1M count=$((size >> 20)) status=none |
		awk -v floor="$1" -v calls=$((call_long + 20000)) '{ print $1 / calls, floor }' >>"$work/call.whole.limit"
	rm -f "$work/whole.limit"
}

for _ in $(seq "$rounds"); do
	for name in $(shuffled untraced level-none excluded none none-drain four-none one four four-drain four-full pointer copy-warm copy-cleared additions stack \
		new-none new-four first-none first-four fresh long-none long-four long-four-tlt); do
		call_run "$name" >>"$work/call.$name" 2>>"$work/errors"
	done
	test "$(nproc)" -lt 2 ||
		traced "$top_builddir/bench_threads" $call_turns $call_count >>"$work/call.threads" 2>>"$work/errors"
	for name in $(shuffled .json .json.gz .tlt); do
		call_whole $name 2>>"$work/errors"
	done
done
# One search in three rounds: each takes seconds.
for _ in $(seq $(((rounds + 2) / 3))); do
	for name in $(shuffled none four); do
		call_rate "$name" >>"$work/rate.$name"
	done
done

section "A call that nobody watches ÷ the bare call"
call_row "not preloaded, through the PLT" untraced bare
call_row "preloaded, level none" level-none bare
call_row "preloaded, function excluded" excluded bare
section "The floor (two clock reads, a 32-byte store) ÷ the bare call"
awk '{ print $2, $1 }' "$work/call.untraced" >"$work/rows"
ratio_row "floor, no arguments" "$work/rows"
section "A recorded call, its open-call entry included ÷ the floor: bursts of $call_count calls, 1 ms between them"
call_row "no arguments" none floor "1.15 or less"
call_row "4 arguments, not kept (args none)" four-none floor
call_row "1 scalar argument" one floor
call_row "4 scalar arguments" four floor "1.5 or less"
call_row "4 scalar arguments (args full)" four-full floor
call_row "2 arguments, one a pointer that is followed (args full)" pointer floor "1.8 or less"
call_row "limit: stores of as many bytes, in memory that stays warm" copy-warm floor
call_row "limit: the same, in memory that another core has cleared" copy-cleared floor
call_row "the machine now: the floor with 160 additions" additions floor
call_row "no arguments, with its stack of 10 frames (--stack)" stack floor "25 or less"
section "The same in bursts of $call_burst calls, each while the last one is being written"
call_row "no arguments" none-drain floor "1.25 or less"
call_row "4 scalar arguments" four-drain floor
section "The same in cold buffers: a process's first $call_burst calls, each page touched for the first time"
call_row "no arguments" first-none floor
call_row "limit: the floor's stores in new pages of /dev/shm" fresh floor
call_row "4 scalar arguments" first-four floor
section "A recorded call ÷ the bare call, in bursts of $call_count calls"
call_row "no arguments" none bare
call_row "4 scalar arguments" four bare
call_row "2 arguments, one a pointer that is followed (args full)" pointer bare
section "Two threads on two cores ÷ one of them alone: calls a second, bursts of $call_count, no arguments"
if test "$(nproc)" -gt 1; then
	ratio_row "no arguments" "$work/call.threads" "million a second; wanted: 1.95 or more"
else
	note "this machine has one core"
fi
section "Sustained overload: $call_long calls without a pause; the program waits for the writer, or helps ÷ the floor"
call_row "no arguments" long-none floor
call_row "limit: stores of 32 bytes in new pages of /dev/shm" new-none floor
call_row "4 scalar arguments" long-four floor "2.5 or less"
call_row "limit: stores of 64 bytes in new pages of /dev/shm" new-four floor
call_row "4 scalar arguments, into a .tlt file" long-four-tlt floor "1.5 or less"
section "The highest rate: time between calls at which 16M of buffers lose nothing, the writer alone at work ÷ the floor"
call_rate_row "no arguments" none
call_rate_row "4 scalar arguments" four
section "The time that recording them adds until the process has written all and ended ÷ the floor"
ratio_row "4 scalar arguments, .json" "$work/call.whole.json" "ns; wanted: 5 or less"
ratio_row "limit: the .json's work, spread over all cores" "$work/call.even.json" ns
ratio_row "limit: as many bytes as the .json has, by write() alone" "$work/call.whole.limit" ns
ratio_row "4 scalar arguments, .json.gz" "$work/call.whole.json.gz" "ns; wanted: 8 or less"
ratio_row "limit: the .json.gz's work, spread over all cores" "$work/call.even.json.gz" ns
ratio_row "4 scalar arguments, .tlt" "$work/call.whole.tlt" ns
if grep -q . "$work/errors"; then
	note "$(sort "$work/errors" | uniq -c | head -n 5)"
fi

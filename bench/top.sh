# SPDX-License-Identifier: MIT
# top.sh: what tracelayer top takes of a processor, and of the program that it looks at ten times a second. A part of bench/bench.
top_pictures=20
test -z "$short" || top_pictures=3

# top_start: the processor time of its start and one look, in milliseconds.
top_start()
{
	TIMEFORMAT='%U %S'
	{ time for _ in 1 2 3 4 5 6 7 8 9 10; do "$top_builddir/tracelayer" top --batch --delay=0.1 --count=1 bench_call >/dev/null 2>>"$work/errors"; done; } 2>"$work/top.time"
	awk '{ print 1000 * ($1 + $2) / 10, 1 }' "$work/top.time"
}

# top_look: top's processor time, and how long it looked.
top_look()
{
	TIMEFORMAT='%U %S %R'
	{ time "$top_builddir/tracelayer" top --batch --delay=0.1 --count=$top_pictures bench_call >"$work/top.rows" 2>>"$work/errors"; } 2>"$work/top.time"
	# Without a row of the program it has not looked.
	grep -q ',function,' "$work/top.rows" && awk '{ print 100 * ($1 + $2) / $3, 1 }' "$work/top.time"
}

section "tracelayer top, ten times a second, at a program that does nothing but recorded calls"
top_round=0
while test $((top_round += 1)) -le "$rounds"; do
	# Only this program is there to be looked at: the next round's begins after its end, and what it leaves in memory goes, too.
	(exec env LD_PRELOAD="$preload" TRACELAYER_OUTPUT=/dev/null TRACELAYER_FULL=ring "$top_builddir/bench_call" none 401 1000000) >"$work/top.program" 2>>"$work/errors" &
	top_program=$!
	until "$top_builddir/tracelayer" top --batch --delay=0.1 --count=1 bench_call >"$work/top.rows" 2>/dev/null; do kill -0 $top_program || break; sleep 0.05; done
	# On a machine that is very busy the program may make no call while so few pictures are taken.
	top_tries=10
	until top_look >>"$work/top.cost"; do test $((top_tries -= 1)) -gt 0 && kill -0 $top_program || break; done
	test -n "$short" || top_start >>"$work/top.start"
	kill $top_program 2>/dev/null
	wait $top_program 2>/dev/null
	rm -f "/dev/shm/tracelayer-buffers.$top_program".*
done
ratio_row "its processor time" "$work/top.cost" "% of a core; wanted: 1 or less"
test -n "$short" || ratio_row "of which its start takes" "$work/top.start" "ms"

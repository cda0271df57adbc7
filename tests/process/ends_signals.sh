#!/bin/bash
# SPDX-License-Identifier: MIT
# Signal handlers: their calls, made in the middle of a record, are recorded, each once; and a handler that ends the process, or makes
# another program of it, loses nothing, whatever it has interrupted and however small its stack is. STRESS=1 (make stress): more often.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
top=$(cd "$top_srcdir" && pwd)
app=$(cd "$top_builddir" && pwd)/tests/apps/ends_signals
libtracelayer=$(cd "$top_builddir" && pwd)/.libs/libtracelayer.so
export OCL_ICD_VENDORS=$tmp/none
cd "$tmp" || exit 99
plan 13

calls=200000
rounds=5
span=12000
if test -n "${STRESS-}"; then
	calls=5000000
	rounds=200
	span=50000
fi

# agree TRACE: it has what the program says that it called, and nothing else.
agree()
{
	grep -v ' 0$' said | sort >want
	test -s want && "$top_builddir/count_slices" --by-name -- "$1" | sort | diff want -
}

for args in full none; do
	traced t.json env TRACELAYER_ARGS=$args timeout 120 "$app" timer $calls 40 >said 2>err
	is "$?$(cat err)" 0 "a handler's calls, every 40 microseconds, $args arguments: nothing lost, nothing said"
	ok "each of $(tr '\n' ' ' <said)is in the trace, once" agree t.json
done
ok "and there were many of them" test "$(awk '/Release/ { print $2 }' said)" -gt 500

for stack in '' '*'; do
	traced t.json env TRACELAYER_STACK="$stack" timeout 120 "$app" small-timer $calls 400 >said 2>err
	is "$?$(cat err)" 0 "handlers on the smallest stack there is, TRACELAYER_STACK='$stack': their calls lose nothing and say nothing"
	ok "each of $(tr '\n' ' ' <said)is in the trace, once" agree t.json
done

# rounds WAY: again and again, each time at another instant.
rounds()
{
	for round in $(seq "$rounds"); do
		# From before the first chunk is full to when the writer has long been at work.
		us=$((3000 + round * round * 1777 % span)) threads=$((1 + round % 3))
		# Where the threads wait for the writer, and where they need not.
		memory=$((2 + 6 * (round % 2)))M
		rm -f t*.json
		timeout 60 env LD_PRELOAD="$libtracelayer" TRACELAYER_MEMORY=$memory TRACELAYER_OUTPUT=t.json "$app" "$1" counts $us $threads >out 2>&1
		status=$?
		test "$status$(cat out)" = 5 || { echo "ended by $status: $(cat out)"; return 1; }
		# Left before the first call, it has no file, and its name goes to the program that it became.
		test "$1" != execve || test -e t.1.json || mv t.json t.1.json
		"$python" "$top/tests/process/ends_counts.py" counts t.json || { echo "in round $round: $us us, $threads threads"; return 1; }
		test "$1" != execve || test "$(events t.1.json)" = 3 || return 1
	done
}

for way in _exit quick_exit execve small-stack; do
	ok "$way in a handler, at $rounds instants, 1 to 3 threads: every call that returned is in the file" rounds $way
done

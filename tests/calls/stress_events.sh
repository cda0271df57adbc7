#!/bin/bash
# SPDX-License-Identifier: MIT
# Recording under stress: stress_events as it is built, under AddressSanitizer, and under ThreadSanitizer; and the whole library with its own
# writer, which sanitizers can't follow (it is a thread that they don't know of). make stress: for minutes.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/sanitizers.sh"
need_library
need_command

seconds=2
test -z "$STRESS" || seconds=60

plan 11
for policy in grow ring; do
	ok "$policy: workers, handlers, switches, flushes, forks for $seconds s: every call that was to be recorded, once" \
		"$top_builddir/stress_events" "$policy" "$seconds"
done
# Forks are left out under sanitizers: their allocators' locks are inherited from threads that the child doesn't have.
for sanitizer in address,undefined thread; do
	if works $sanitizer; then
		ok "the same builds under the $sanitizer sanitizer" with_core $sanitizer "$tmp/$sanitizer" "$top_srcdir/tests/calls/stress_events.c"
		for policy in grow ring; do
			ok "$policy: and passes without a report" env STRESS_NO_FORK=1 ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=halt_on_error=1 \
				"$tmp/$sanitizer" "$policy" "$seconds"
		done
	else
		skip 3 "the $sanitizer sanitizer does not work on this machine"
	fi
done

# The whole library: threads call all the time, while snapshots come from inside, from outside and by a signal, and a child is made.
whole()
{
	local calls got overwritten to from child spun
	rm -f "$tmp"/w*.json
	coproc APP { exec timeout 400 "$tracelayer" run -o "$tmp/w.json" --session="stress$$" --snapshot-on=USR1 --memory=8M --args=none "$@" -- \
		"$top_builddir/tests/apps/control_calls" 2>"$tmp/err"; }
	to=${APP[1]} from=${APP[0]} child=$APP_PID
	echo "name" >&"$to"; read -r -t 300 -u "$from" _ spun
	# With its first call it can be asked for by name.
	echo "call 1" >&"$to"; read -r -t 300 -u "$from" _ _
	echo "spin 2" >&"$to"; read -r -t 300 -u "$from" _ _
	# Two threads make a gigabyte of trace in five seconds.
	for ((end = SECONDS + (seconds < 4 ? 1 : 4); SECONDS < end; )); do
		timeout 300 "$tracelayer" snapshot "stress$$" >/dev/null || { kill "$spun"; return 1; }
		kill -USR1 "$spun"
		echo "snapshot" >&"$to"; read -r -t 300 -u "$from" _ _
	done
	echo "still" >&"$to"; read -r -t 300 -u "$from" _ calls
	eval "exec $to>&-"
	wait "$child"
	got=$(grep -c '"ph":"X"' "$tmp/w.json")
	overwritten=$(sed -n 's/.*tracelayer_end.*"overwritten":\([0-9]*\).*/\1/p' "$tmp/w.json")
	calls=$((calls + 1))
	echo "$got in the trace, ${overwritten:-0} overwritten, $calls calls"
	test "$((got + ${overwritten:-0}))" = "$calls"
}
ok "the whole library: every call once, whoever asks for snapshots" whole
ok "and with rings once, or overwritten" whole --ring 1M
ok "the trace is strict JSON at its end" strict_json "$tmp/w.json"

# SPDX-License-Identifier: MIT
# lttng.sh: the same call recorded by LTTng-UST, as an event at its entry and one at its exit. A part of bench/bench.
#
# The session is one of user space and of the user alone: LTTNG_HOME is in our folder. (For root, LTTng uses its system-wide place.) The script ends it.

lttng_part()
{
	local daemon= home=$work/lttng name="tracelayer-bench-$$" build
	export LTTNG_HOME=$home LTTNG_UST_REGISTER_TIMEOUT=-1 LTTNG_UST_WITHOUT_BADDR_STATEDUMP=1
	mkdir -p "$home"
	build=(-std=gnu11 -D_GNU_SOURCE -O2 -I"$top_srcdir" -I"$top_srcdir/include" -I"$top_srcdir/bench"
		-DBENCH_PEER='"bench/peer_lttng.h"' "$top_srcdir/bench/bench_call.c" "$top_srcdir/bench/harness.c"
		-o "$work/lttng_call" -L"$top_builddir/.libs" -lbench_callee -Wl,-rpath,"$top_builddir/.libs" -llttng-ust -ldl)
	$CC "${build[@]}" >"$work/lttng.log" 2>&1 || { note "it does not build: $(grep -m1 error "$work/lttng.log")"; return; }
	if ! lttng --no-sessiond list >/dev/null 2>&1; then
		lttng-sessiond --no-kernel --quiet >"$work/lttng.log" 2>&1 &
		daemon=$!
		for _ in $(seq 100); do
			lttng --no-sessiond list >/dev/null 2>&1 && break
			sleep 0.1
		done
	fi
	if lttng_session "$name" >"$work/lttng.log" 2>&1; then
		against_peer lttng
		ratio_row "no arguments" "$work/lttng.rows.none" "floors; wanted: 5 or more"
		ratio_row "4 scalar arguments" "$work/lttng.rows.four" "floors; wanted: 5 or more"
		lttng_check "$name"
	else
		note "no session: $(tail -n 1 "$work/lttng.log")"
	fi
	lttng destroy "$name" >/dev/null 2>&1
	test -z "$daemon" || { kill "$daemon"; wait "$daemon"; } 2>/dev/null
	unset LTTNG_HOME LTTNG_UST_REGISTER_TIMEOUT LTTNG_UST_WITHOUT_BADDR_STATEDUMP
}

lttng_session()
{
	lttng create "$1" --output "$work/lttng.trace" &&
		lttng enable-channel -u -s "$1" --subbuf-size 4M --num-subbuf 4 calls &&
		lttng enable-event -u -s "$1" -c calls 'tracelayer_bench:*' && lttng start "$1"
}

lttng_run() { LTTNG_UST_REGISTER_TIMEOUT=5000 "$work/lttng_call" "$1" "$call_turns" "$call_count"; }

# The recorded events prove that LTTng was active.
lttng_check()
{
	lttng stop "$1" >/dev/null 2>&1
	test "$(du -sk "$work/lttng.trace" | cut -f1)" -gt 1000 || note "LTTng has recorded nothing: its rows mean nothing"
	command -v babeltrace2 >/dev/null || { note "babeltrace2 is not here: apt-get install babeltrace2"; return; }
	export_row "babeltrace2's text, a call's two events ÷ our JSON, one event" 2 babeltrace2 "$work/lttng.trace"
}

section "LTTng-UST, an entry and an exit event ÷ ours"
if command -v lttng >/dev/null && command -v lttng-sessiond >/dev/null &&
	echo '#include <lttng/tracepoint.h>' | $CC -E - >/dev/null 2>&1; then
	lttng_part
else
	note "LTTng is not here: apt-get install lttng-tools liblttng-ust-dev"
fi

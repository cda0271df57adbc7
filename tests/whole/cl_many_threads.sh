#!/bin/bash
# SPDX-License-Identifier: MIT
# 8 threads times 100,000 calls: every call is in the trace, each lane strictly nested and ordered in time, whatever is recorded of
# each call; and a second program of threads, which do real work. STRESS=1 (make stress): more of everything.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/whole.sh"
need_library
plan 6

apps=$top_builddir/tests/apps
threads=8
calls=100000
rounds=100
if test -n "${STRESS-}"; then
	threads=32
	calls=50000
	rounds=1000
fi

check() { "$python" "$top_srcdir/tests/lib/check_trace.py" "$@"; }

for args in none full; do
	TRACELAYER_ARGS=$args traced "$tmp/t.json" "$apps/cl_threads" -t $threads -i $calls >"$tmp/said" 2>"$tmp/err"
	is "$?$(cat "$tmp/err")" 0 "$threads threads, $calls calls each, $args arguments: nothing lost, nothing said"
	grep -v total "$tmp/said" >"$tmp/want"
	# The main thread has a lane too.
	ok "each of $(sed -n 's/total //p' "$tmp/said") calls is in the trace, in $threads nested, ordered lanes" \
		check --at-least "$tmp/want" --lanes $((threads + 1)) "$tmp/t.json"
done

# A trace from which one slice is missing is seen as wrong: the checker works.
traced "$tmp/t.json" "$apps/cl_threads" -t $threads -i 2000 >"$tmp/said" 2>"$tmp/err"
grep -v total "$tmp/said" >"$tmp/want"
sed '/clRetainEvent/{x;s/^/x/;/^x\{1000\}$/{x;d};x}' "$tmp/t.json" >"$tmp/less.json"
like "$(check --at-least "$tmp/want" "$tmp/less.json" 2>&1)" 'clRetainEvent: [0-9]*9 slices, and [0-9]*0 were expected' "one missing slice is noticed"

TRACELAYER_OUTPUT=$tmp/work.json.gz LD_PRELOAD=$libtracelayer "$apps/cl_vector_add" -t $threads -i $rounds >/dev/null
cat >"$tmp/want" <<-END
	clEnqueueNDRangeKernel $((threads * rounds))
	clEnqueueWriteBuffer $((threads * rounds * 2))
	clEnqueueReadBuffer $((threads * rounds))
	clSetKernelArg $((threads * rounds * 3))
END
ok "$threads threads that do real work, into a compressed trace" check --at-least "$tmp/want" "$tmp/work.json.gz"

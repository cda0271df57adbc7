#!/bin/bash
# SPDX-License-Identifier: MIT
# ze_names.sh: names that no polite program gives its kernels, at the very end of what may be read, and pointers that nobody may follow, on
# Level Zero's stock loader with the test driver. STRESS=1 (make stress): many more names, others each time.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
. "$top_srcdir/tests/lib/whole.sh"
need_library
. "$top_srcdir/tests/whole/cl_counter.sh"
plan 15

export ZE_ENABLE_ALT_DRIVERS=$top_builddir/tests/drivers/.libs/ze_driver_a.so
names() { "$python" "$top_srcdir/tests/whole/ze_names.py" "$@"; }
seed=1 count=300
if test -n "${STRESS-}"; then
	seed=$RANDOM count=20000
fi
diag "names from seed $seed"
names make $seed $count >"$tmp/names"
# say_and_end leaves stdin empty.
run() { say_and_end "$1" env "${@:2}" bash -c 'exec "$0" <"$1"' "$top_builddir/ze_names" "$tmp/names"; }

run bare
like "$(cat "$tmp/bare.out")" '^name [0-9]+ right$' "the driver takes such names"
unlike "$(cat "$tmp/bare.out")" 'WRONG' "and gives them back"
like "$(cat "$tmp/bare.out")" '^zeDriverGet: 0 1$' "and does not look at arrays of no elements"
for args in none scalars full; do
	rm -f "$tmp/t.json" "$tmp/want"
	run traced LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="$tmp/t.json" TRACELAYER_ARGS=$args TEST_ZE_APP_COUNTS="$tmp/want"
	ok "$args recorded: the program says and ends the same" \
		sh -c 'diff -a "$0/bare.out" "$0/traced.out" && diff -a "$0/bare.err" "$0/traced.err"' "$tmp"
	sound "$args recorded" "$tmp/t.json"
done
ok "each name is in the trace as it was, going in and coming out" names check "$tmp/t.json" "$tmp/names"
"$python" -c 'import sys; print(sys.stdin.read().replace("7370696e40", "7370696e41", 1), end="")' <"$tmp/names" >"$tmp/others"
nok "another name would be noticed" names check "$tmp/t.json" "$tmp/others"
ok "and each of the program's calls" "$python" "$check_trace" --counts "$tmp/want" "$tmp/t.json"

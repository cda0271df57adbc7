#!/bin/bash
# SPDX-License-Identifier: MIT
# The litmus tests in models/: by the axioms of arm64's memory model (litmus.py), what each forbids can't happen, and can where an order is missing that the
# test says it needs. herd7 reads the same files; Debian 12 does not have it.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99

tests=("$top_srcdir"/models/*.litmus)
needs() { sed -n 's/^ \* Needs \([^:.]*\), not \([^:]*\):.*/\1=\2/p' "$1"; }
plan $((2 * ${#tests[@]} + $(for test in "${tests[@]}"; do needs "$test"; done | wc -l)))

outcome() { "$python" -B "$top_srcdir/tests/house/litmus.py" "$@" 2>&1; }
for test in "${tests[@]}"; do
	name=${test##*/}
	is "$(outcome "$test")" forbidden "$name: it can't happen"
	like "$(needs "$test")" = "$name: it says what it needs"
	while IFS='=' read -r order other; do
		test "$other" != nothing || other=-
		like "$(outcome "$test" "$order" "$other")" '^allowed: P' "$name: it can without $order"
	done < <(needs "$test")
done

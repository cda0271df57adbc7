#!/bin/bash
# SPDX-License-Identifier: MIT
# Trace contexts under stress: 8 workers and readers, as they are built, and under sanitizers; every form of the header under sanitizers, too.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/sanitizers.sh"

seconds=1
test -z "$STRESS" || seconds=60

# build SANITIZER: both programs.
build()
{
	with_core "$1" "$tmp/stress.$1" "$top_srcdir/tests/program/stress_contexts.c" &&
		with_core "$1" "$tmp/forms.$1" "$top_srcdir/tests/apps/context_forms.c" -DTRACELAYER_LINKED
}

plan 7
ok "workers and readers for $seconds s: every event whole, once, and every call in its request" "$top_builddir/stress_contexts" "$seconds"
for sanitizer in address,undefined thread; do
	if works "$sanitizer"; then
		ok "the same builds with -fsanitize=$sanitizer" build "$sanitizer"
		ok "... and passes without a report" env ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=halt_on_error=1 "$tmp/stress.$sanitizer" "$seconds"
		ok "... and so does every form of the header" env ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=halt_on_error=1 \
			"$tmp/forms.$sanitizer" there "$tmp/forms.json"
	else
		skip 3 "-fsanitize=$sanitizer does not work on this machine"
	fi
done

#!/bin/bash
# SPDX-License-Identifier: MIT
# Tracers under stress: stress_tracers as it is built, under AddressSanitizer, and under ThreadSanitizer. make stress: for minutes.
#
# ThreadSanitizer knows neither compiler barriers nor membarrier, so the layer is built with seq_cst fences on the callers' side there
# (-DTL_PIN_SEQ_CST). So this test does not check that membarrier makes a caller's pin visible without them; models/tracer.pml does. ThreadSanitizer does
# not follow forks. AddressSanitizer's allocator has locks that a child inherits from threads that it doesn't have, so forks are left out there, too.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/sanitizers.sh"

seconds=3
test -z "$STRESS" || seconds=120
build() { with_core "$1" "$tmp/$1" "$top_srcdir/tests/calls/stress_tracers.cc"; }

plan 5
ok "callers, togglers, destroyers, throwers, forkers for $seconds s: all pairs, nothing after destroy" \
	"$top_builddir/stress_tracers" "$seconds"
if works address,undefined; then
	ok "the same builds under AddressSanitizer" build address,undefined
	ok "and passes without a report" env STRESS_NO_FORK=1 ASAN_OPTIONS=detect_leaks=0 "$tmp/address,undefined" "$seconds"
else
	skip 2 "AddressSanitizer does not work on this machine"
fi
if works thread; then
	ok "the same builds under ThreadSanitizer, with fences" build thread
	ok "and passes without a report" env STRESS_NO_FORK=1 TSAN_OPTIONS=halt_on_error=1 "$tmp/thread" "$seconds"
else
	skip 2 "ThreadSanitizer does not work on this machine"
fi

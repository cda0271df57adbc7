#!/bin/bash
# SPDX-License-Identifier: MIT
# Lists of calls of the XPTI dispatcher's functions, against a model; see fuzz.sh.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
unset XPTI_SUBSCRIBERS XPTI_TRACE_ENABLE
sources="$top_srcdir/tests/xpti/dispatcher/fuzz_xpti.c"
for file in $(sources_of libtl_xpti_la xpti | grep -v /exceptions); do sources="$sources $top_srcdir/$file.c"; done
export ASAN_OPTIONS=detect_leaks=0
encoders=
rounds=2000
what="strings, objects, payloads and metadata of XPTI are as a model says, whatever is called"
. "$top_srcdir/tests/lib/fuzz.sh"

#!/bin/bash
# SPDX-License-Identifier: MIT
# clock_slew_test: the conversion of the counter while the clock is slewed, ten simulated minutes at a time. A script, since automake makes rules only for
# programs that stand in TESTS itself.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
plan 1
ok "what the conversion promises holds at every instant" "$top_builddir/clock_slew_test"

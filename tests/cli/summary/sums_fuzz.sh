#!/bin/sh
# SPDX-License-Identifier: MIT
# Sums of ranks, damaged at random; see fuzz.sh.
encoders=$top_srcdir/tables/histogram.c
rounds=5000
sources="$top_srcdir/tests/cli/summary/fuzz_sums.c $top_srcdir/cli/tally/rank_sum.c $top_srcdir/cli/tally/tally.c $top_srcdir/cli/basics/interned.c -I. -lz -lm"
what="hostile sums of ranks are read safely"
. "$top_srcdir/tests/lib/fuzz.sh"

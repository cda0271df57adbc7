#!/bin/sh
# SPDX-License-Identifier: MIT
# Systraces put together from their parts at random; see fuzz.sh.
cli=$top_srcdir/cli
encoders=$top_srcdir/common/text.c
sources="$top_srcdir/tests/cli/phases/fuzz_phases.c $(ls "$cli"/phases/phase*.c) $cli/interned.c $cli/progress.c $cli/shown.c $cli/read/inflated.c -DBLOCK=500u -I. -lz -lm"
what="hostile systraces are read safely, and their statistics are JSON"
. "$top_srcdir/tests/lib/fuzz.sh"

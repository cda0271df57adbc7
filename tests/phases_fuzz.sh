#!/bin/sh
# Systraces put together from their parts at random; see fuzz.sh.
cli=$top_srcdir/cli
encoders=$top_srcdir/format/text.c
sources="$top_srcdir/tests/fuzz_phases.c $(ls "$cli"/phase*.c) $cli/names.c $cli/progress.c $cli/shown.c $cli/inflated.c -DBLOCK=500u -I. -lz -lm"
what="hostile systraces are read safely, and their statistics are JSON"
. "$top_srcdir/tests/fuzz.sh"

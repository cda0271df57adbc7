#!/bin/sh
# SPDX-License-Identifier: MIT
# Systraces put together from their parts at random; see fuzz.sh.
cli=$top_srcdir/cli
encoders=$top_srcdir/common/text.c
sources="$top_srcdir/tests/cli/phases/fuzz_phases.c $(ls "$cli"/phases/*.c "$cli"/systrace/nn_*.c "$cli"/systrace/systrace_[prt]*.c) $cli/basics/interned.c $cli/basics/lane_spans.c $cli/basics/progress.c $cli/basics/escaped.c $cli/basics/options.c $top_srcdir/common/command_options.c $top_srcdir/common/message_line.c $top_srcdir/common/settings.c $top_srcdir/common/rank_set.c $top_srcdir/common/output_formats.c $cli/read/selection.c $cli/read/selection_time.c $cli/read/inflater.c $cli/read/temporary_file.c -DBLOCK=500u -I. -lz -lm"
what="hostile systraces are read safely, and their statistics are JSON"
. "$top_srcdir/tests/lib/fuzz.sh"

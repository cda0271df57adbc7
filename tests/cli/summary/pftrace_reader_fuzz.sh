#!/bin/sh
# SPDX-License-Identifier: MIT
# Packets of Perfetto traces, put together at random and damaged; see fuzz.sh. Blocks are short, so that packets lie in several.
cli=$top_srcdir/cli
encoders=
sources="-DBLOCK_ROOM=64 -DBLOCK_CARRY=64 $top_srcdir/tests/cli/summary/fuzz_pftrace_reader.c $cli/read/pftrace_reader.c $cli/read/pftrace_frames.c $cli/read/pftrace_values.c
	$cli/read/block_reader.c $cli/read/inflater.c $cli/read/shown_names.c $cli/read/event_category.c $cli/basics/interned.c $top_srcdir/common/settings.c $top_srcdir/common/proc.c $top_srcdir/common/rank_set.c $top_srcdir/common/output_formats.c $top_srcdir/common/text.c
	-I. -lz -lm -lpthread"
what="hostile .pftrace files are read safely"
. "$top_srcdir/tests/lib/fuzz.sh"

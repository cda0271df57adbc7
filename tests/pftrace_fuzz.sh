#!/bin/sh
# Damaged chunks; see fuzz.sh.
set -u
sources="$top_srcdir/format/text.c $top_srcdir/format/checked_copy.c $top_srcdir/format/args_capture.c $top_srcdir/format/args_print.c
	$top_srcdir/format/pftrace.c $top_srcdir/format/pftrace_names.c $top_srcdir/format/pftrace_notes.c $top_srcdir/format/pftrace_ties.c
	$top_srcdir/tests/fuzz_pftrace.c"
what='damaged chunks become sound packets, within bounds'
. "$top_srcdir/tests/fuzz.sh"

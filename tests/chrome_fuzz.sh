#!/bin/sh
# Damaged chunks; see fuzz.sh.
set -u
sources="$top_srcdir/format/text.c $top_srcdir/format/checked_copy.c $top_srcdir/format/args_capture.c $top_srcdir/format/args_print.c
	$top_srcdir/format/args_plan.c $top_srcdir/format/chrome.c $top_srcdir/tests/fuzz_chrome.c"
what='damaged chunks become sound JSON, within bounds'
. "$top_srcdir/tests/fuzz.sh"

#!/bin/sh
# Runs the fuzz target over the reader of the record format, through both encoders.
format=$top_srcdir/format
sources="$top_srcdir/tests/fuzz_reader.c $format/trace_reader.c $format/describe.c $format/describe_read.c $(ls "$format"/args_*.c "$format"/pftrace*.c) \
	$format/checked_copy.c $format/chrome.c $format/json.c $format/json_event.c $format/text.c"
what="hostile files in the record format are read and encoded safely"
. "$top_srcdir/tests/fuzz.sh"

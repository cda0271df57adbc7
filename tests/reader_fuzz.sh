#!/bin/sh
# Files in the record format, damaged and made up, through the reader and both encoders; see fuzz.sh.
sources="$top_srcdir/tests/fuzz_reader.c $top_srcdir/format/trace_reader.c $top_srcdir/format/proc.c $top_srcdir/format/describe.c $top_srcdir/format/describe_read.c"
what="hostile files in the record format are read and encoded safely"
. "$top_srcdir/tests/fuzz.sh"

#!/bin/sh
# SPDX-License-Identifier: MIT
# Files in the record format, damaged and made up, through the reader and both encoders; see fuzz.sh.
sources="$top_srcdir/tests/format/file/fuzz_record_reader.c $top_srcdir/common/proc.c $top_srcdir/format/encode/trace_source.c $(ls "$top_srcdir"/format/file/*.c | grep -v stack_text) -I. -lz"
what="hostile files in the record format are read and encoded safely"
. "$top_srcdir/tests/lib/fuzz.sh"

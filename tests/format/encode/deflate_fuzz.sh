#!/bin/sh
# SPDX-License-Identifier: MIT
# Any bytes, compressed; see fuzz.sh.
set -u
sources="$top_srcdir/tests/format/encode/fuzz_deflate.c $top_srcdir/format/encode/deflate.c $top_srcdir/format/encode/deflate_codes.c $top_srcdir/format/encode/prefix_code.c -lz"
encoders=''
what='any bytes come back from zlib as they were, within the bound'
. "$top_srcdir/tests/lib/fuzz.sh"

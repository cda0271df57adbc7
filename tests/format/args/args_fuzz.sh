#!/bin/sh
# SPDX-License-Identifier: MIT
# Damaged records; see fuzz.sh.
set -u
sources=$top_srcdir/tests/format/args/fuzz_args.c
what='damaged records print sound JSON within bounds'
. "$top_srcdir/tests/lib/fuzz.sh"

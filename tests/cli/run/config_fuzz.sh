#!/bin/sh
# SPDX-License-Identifier: MIT
# tracelayer.conf with any bytes; see fuzz.sh.
encoders=
sources="$top_srcdir/tests/cli/run/fuzz_config.c $top_srcdir/cli/run/config_file.c -I."
what="hostile files of options are read safely"
. "$top_srcdir/tests/lib/fuzz.sh"

#!/bin/sh
# SPDX-License-Identifier: MIT
# Damaged chunks; see fuzz.sh.
set -u
sources=$top_srcdir/tests/format/encode/fuzz_chrome.c
what='damaged chunks become sound JSON, within bounds'
. "$top_srcdir/tests/lib/fuzz.sh"

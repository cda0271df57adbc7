#!/bin/bash
# SPDX-License-Identifier: MIT
# The contract of Level Zero's tracing interface (apps/zel_contract.c) with tracelayer's layer in the stock loader.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
export ZE_ENABLE_ALT_DRIVERS=$top_builddir/tests/drivers/.libs/ze_driver_a.so
door() { TEST_BEHIND=loader ZE_ENABLE_TRACING_LAYER=1 LD_LIBRARY_PATH=$top_builddir/.libs/tracelayer/level-zero "$@"; }
. "${top_srcdir:-.}/tests/doors/zel_doors.sh"

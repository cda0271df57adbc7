#!/bin/bash
# SPDX-License-Identifier: MIT
# The contract of Level Zero's tracing interface (apps/zel_contract.c) with tracelayer's layer in the stock loader.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
export ZE_ENABLE_ALT_DRIVERS=$top_builddir/tests/drivers/.libs/ze_driver_a.so
door() { TEST_BEHIND=loader ZE_ENABLE_TRACING_LAYER=1 LD_LIBRARY_PATH=$top_builddir/.libs/tracelayer/level-zero "$@"; }

# The C library's _exit ends a process by itself: a library that a loader has opened is not asked.
TRACELAYER_OUTPUT=$tmp/fork.json door timeout 60 "$top_builddir/tests/apps/zel_contract" fork >"$tmp/out" 2>&1
is "$?$(grep -c '^not ok' "$tmp/out")" 00 "a forked child ends by _exit"
ok "... and recover has what it left" "$tracelayer" recover "$tmp"
is "$(events "$tmp"/fork.[0-9]*.json zeDeviceGetStatus)" 1 "... with its call"
. "${top_srcdir:-.}/tests/doors/zel_doors.sh"

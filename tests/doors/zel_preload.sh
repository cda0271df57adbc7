#!/bin/bash
# SPDX-License-Identifier: MIT
# The contract of Level Zero's tracing interface (apps/zel_contract.c) behind the preload door.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/ze_loader.sh"
need_library
! ze_loader_switches || export ZE_ENABLE_TRACING_LAYER=1
export ZE_ENABLE_ALT_DRIVERS=$top_builddir/tests/drivers/.libs/ze_driver_a.so
door() { TRACELAYER_LEVEL=none LD_PRELOAD=$libtracelayer "$@"; }
. "${top_srcdir:-.}/tests/doors/zel_doors.sh"

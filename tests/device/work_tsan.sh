#!/bin/bash
# SPDX-License-Identifier: MIT
# The tests of devices' work under ThreadSanitizer: threads that submit and collect at once.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/sanitizers.sh"

works thread || skip_all "ThreadSanitizer does not work on this machine"
plan 2
ok "devices' work builds with -fsanitize=thread" with_core thread "$tmp/test" "$top_srcdir/tests/device/work_test.c" -DCOMMANDS=2000 \
	-Wl,--wrap=realloc $(pkg-config --cflags --libs check jansson)
ok "its tests pass without a report" unit_tests "$tmp/test"

#!/bin/bash
# SPDX-License-Identifier: MIT
# The tests of buffers under ThreadSanitizer: producers, a thread that drains, helpers, threads that come and go.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/sanitizers.sh"

works thread || skip_all "ThreadSanitizer does not work on this machine"
plan 2
ok "the buffers build with -fsanitize=thread" with_core thread "$tmp/test" "$top_srcdir/tests/buffers/buffer_test.c" -DEVENTS=20000 \
	$(pkg-config --cflags --libs check)
ok "their tests pass without a report" unit_tests "$tmp/test"

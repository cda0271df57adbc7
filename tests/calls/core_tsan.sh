#!/bin/bash
# SPDX-License-Identifier: MIT
# Under ThreadSanitizer: the buffers (producers, a draining thread, helpers, threads that come and go), and devices' work (threads that submit and collect
# at once).
. "${top_srcdir:-.}/tests/lib/lib.sh"
. "$top_srcdir/tests/lib/sanitizers.sh"

sources=
for file in $(sources_of libtl_core_la layer) $(sources_of libtl_format_la format) $(sources_of libtl_common_la common); do sources="$sources $top_srcdir/$file.c"; done

# build FILE OPTION...: -w: gcc says that it does not follow fences; what they order are atomics here, which it does follow.
build()
{
	local file=tests/$1 name
	name=$(basename "$1" .c)
	shift
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -g -w -fsanitize=thread -DEVENTS=20000 -DCOMMANDS=2000 \
		-I"$top_srcdir/include" -I"$top_srcdir" -I"$top_builddir" \
		"$top_srcdir/$file" "$top_srcdir/tests/lib/core_doubles.c" $sources \
		"$@" -o "$tmp/$name" $(pkg-config --cflags --libs check jansson) -pthread
}

works thread || skip_all "ThreadSanitizer does not work on this machine"
plan 4
ok "the buffers build with -fsanitize=thread" build buffers/buffer_test.c
ok "their tests pass without a report" env CK_TAP_LOG_FILE_NAME="$tmp/tap" "$tmp/buffer_test"
ok "devices' work builds with -fsanitize=thread" build device/work_test.c -Wl,--wrap=realloc
ok "its tests pass without a report" env CK_TAP_LOG_FILE_NAME="$tmp/tap" "$tmp/work_test"

#!/bin/bash
# Under ThreadSanitizer: the buffers (producers, a draining thread, helpers, threads that come and go), and devices' work (threads that submit and collect
# at once).
. "${top_srcdir:-.}/tests/lib.sh"
. "$top_srcdir/tests/sanitizers.sh"

sources=
for file in $(sources_of libtl_core_la layer) $(sources_of libtl_format_la format); do sources="$sources $top_srcdir/$file.c"; done

# build TEST OPTION...: -w: gcc says that it does not follow fences; what they order are atomics here, which it does follow.
build()
{
	local name=$1
	shift
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -g -w -fsanitize=thread -DEVENTS=20000 -DCOMMANDS=2000 \
		-I"$top_srcdir/include" -I"$top_srcdir" -I"$top_builddir" \
		"$top_srcdir/tests/$name.c" "$top_srcdir/tests/core_doubles.c" $sources \
		"$@" -o "$tmp/$name" $(pkg-config --cflags --libs check jansson) -pthread
}

works thread || skip_all "ThreadSanitizer does not work on this machine"
plan 4
ok "the buffers build with -fsanitize=thread" build core_buffer_test
ok "their tests pass without a report" env CK_TAP_LOG_FILE_NAME="$tmp/tap" "$tmp/core_buffer_test"
ok "devices' work builds with -fsanitize=thread" build device_work_test -Wl,--wrap=realloc
ok "its tests pass without a report" env CK_TAP_LOG_FILE_NAME="$tmp/tap" "$tmp/device_work_test"

#!/bin/bash
# SPDX-License-Identifier: MIT
# The tools under many threads, built with ThreadSanitizer, and with AddressSanitizer and UndefinedBehaviorSanitizer. STRESS=1 (make stress): more calls.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd) top_builddir=$(cd "$top_builddir" && pwd)
cd "$tmp" || exit 99

calls=600
test -z "${STRESS-}" || calls=3000
compile() { ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -w -g -O0 -DTHREAD_CALLS=$calls -I"$top_srcdir/include" -I"$top_srcdir" -I"$top_builddir" "$@"; }
# build_shared SANITIZER: what all tools have in common, as objects in a folder of the sanitizer's name.
build_shared()
{
	mkdir "$1" && (cd "$1" && compile -fsanitize="$1" -fno-sanitize-recover=undefined -c "$top_srcdir/tests/callbacks/tools_threads.c" \
		"$top_srcdir/callbacks/tool_common.c" "$top_srcdir/common/output.c" "$top_srcdir/common/output_formats.c" "$top_srcdir/common/launcher.c" "$top_srcdir/common/proc.c" "$top_srcdir/common/text.c" "$top_srcdir/common/tool_list.c" "$top_srcdir/common/workspace.c")
}
build()
{
	local more=
	# What callbacks/local.mk links into it.
	test "$1" != leaks || more="$top_srcdir/callbacks/leak_callers.c $top_srcdir/callbacks/leak_files.c"
	test "$1" != summary || more="$top_srcdir/callbacks/summary_device.c $top_srcdir/callbacks/recent_calls.c
		$(sources_of libtl_table_la tables | sed "s,.*,$top_srcdir/&.c,")"
	test -d "$2" || build_shared "$2" || return
	compile -fsanitize="$2" -fno-sanitize-recover=undefined -o "$1" "$top_srcdir/callbacks/$1.c" $more "$2"/*.o -lpthread -lm
}
under()
{
	rm -f "$1".*
	build "$1" "$3" && timeout 100 "./$1" "$2" >"$1.out" 2>"$1.err" && ! grep -E 'Sanitizer|runtime error' "$1.err" &&
		{ test "$1" = faults || test -s "$1.txt"; }
}

echo 'int main(void) { return 0; }' >empty.c
for sanitizer in thread address,undefined; do
	compile -fsanitize=$sanitizer empty.c -o empty && ./empty || skip_all "the sanitizers do not work on this machine"
done
plan 9
export ASAN_OPTIONS=detect_leaks=0
for sanitizer in thread address,undefined; do
	ok "summary: no report of -fsanitize=$sanitizer" under summary threads,file=summary.txt $sanitizer
	ok "log: no report of -fsanitize=$sanitizer" under log begin,file=log.txt $sanitizer
	ok "leaks: no report of -fsanitize=$sanitizer" under leaks file=leaks.txt $sanitizer
	ok "faults: no report of -fsanitize=$sanitizer" under faults 'thing*/10%=-1,quiet' $sanitizer
done
cat >many.c <<'END'
#include "callbacks/summary.c"
int main(void)
{
	static struct counts counts;
	struct sums sums = {0};
	counts.bins[3] = 5000000000;
	sums_add_counts(&sums, &counts);
	return sums.calls != 5000000000;
}
END
# Of the two main, the linker takes the first.
many()
{
	compile -fsanitize=thread -Wl,-z,muldefs -o many many.c "$top_srcdir/callbacks/summary_device.c" "$top_srcdir/callbacks/recent_calls.c" \
		$(sources_of libtl_table_la tables | sed "s,.*,$top_srcdir/&.c,") thread/*.o -lpthread -lm && ./many
}
ok "summary counts more calls than 32 bits hold" many

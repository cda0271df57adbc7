#!/bin/bash
# SPDX-License-Identifier: MIT
# A process that gives up its user, groups or capabilities while it records: no thread in it keeps them, and the trace has every call.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
need_library
build=$(cd "$top_builddir" && pwd)
libtracelayer=$build/.libs/libtracelayer.so
test "$(id -u)" = 0 || skip_all "only root can give up root, and this machine's user is another"
plan 15

# All must be able to read what is in it, once they are somebody else.
chmod 755 "$tmp"
ok "the program builds" ${CC:-cc} -std=gnu11 -O1 -I"$top_srcdir/bench" "$top_srcdir/tests/base/libc/rights.c" -o "$tmp/rights" -L"$build/.libs" \
	-lbench_callee -Wl,-rpath,"$build/.libs" -pthread
# The layer and its shims, where that somebody may read them.
cp "$libtracelayer" "$build/.libs/libbench_shims.so" "$build/.libs/libbench_callee.so" "$tmp"

# changes WHAT SECONDS THREADS: four results.
changes()
{
	local what=$1 made found
	rm -f "$tmp/t.json"
	LD_LIBRARY_PATH=$tmp LD_PRELOAD="$tmp/libtracelayer.so:$tmp/libbench_shims.so" TRACELAYER_OUTPUT="$tmp/t.json" timeout 100 \
		"$tmp/rights" "$1" "$2" >"$tmp/out" 2>"$tmp/err"
	is "$? $(cat "$tmp/err")" "0 " "$what: each thread has what the one has that changed it, and nothing is said"
	like "$(cat "$tmp/out")" "threads $3\$" "$what: the writer's thread is among them"
	made=$(sed 's/ calls.*//' "$tmp/out")
	found=$(grep -c '"name":"bench_one"' "$tmp/t.json")
	is "$found" "$made" "$what: every call is in the trace"
	ok "$what: which is strict JSON" strict_json "$tmp/t.json"
}
changes drop 1 5
changes back 2 5
changes capset 1 1

# --- a process that gave up root for good can't delete the file of its buffers
left() { ls /dev/shm/tracelayer-buffers."$1".* 2>/dev/null | wc -l; }
LD_LIBRARY_PATH=$tmp LD_PRELOAD="$tmp/libtracelayer.so:$tmp/libbench_shims.so" TRACELAYER_OUTPUT="$tmp/t.json" "$tmp/rights" drop 1 >"$tmp/out" 2>&1 &
pid=$!
wait $pid
is "$(left $pid)" 1 "after it has ended the file is still there"
"$build/tracelayer" run -o "$tmp/true.tlt" true >/dev/null 2>&1
is "$(left $pid)" 0 "the next run of root deletes it"

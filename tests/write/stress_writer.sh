#!/bin/bash
# SPDX-License-Identifier: MIT
# The real writer with its thread, under the sanitizers: producers in little memory, threads that come and go, several that ask for
# the end, outputs of each kind, split or not. No report, and every call in the files. make stress: for minutes.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/sanitizers.sh"

seconds=1
test -z "$STRESS" || seconds=30

build() { REAL_WRITER=1 with_core $1 "$tmp/$1" "$top_srcdir/tests/write/stress_writer.c"; }

# missing FILE: how many calls its end says are not in it. What it says of each thread adds up to its losses, but for those of which only an overwritten
# record told.
missing()
{
	grep -h '"name":"tracelayer_end"' "$1" | "$python" -c '
import json, sys
end = json.loads(sys.stdin.read().rstrip().rstrip(","))["args"]
lost = end.get("lost", 0)
by_thread = sum(thread["events"] for thread in end.get("lost_by_thread", [])) + end.get("lost_by_others", 0)
if by_thread > lost or by_thread < lost and "overwritten" not in end:
    sys.exit(f"{lost} lost, by thread {by_thread}")
print(lost + end.get("overwritten", 0))'
}

# stressed SANITIZER OUTPUT SETTING...: its files have every call, once, but for those that they say are missing. Reports of the writer's thread, which has
# no stderr, go to files.
stressed()
{
	local sanitizer=$1 output=$2 file made found missing most seconds=$seconds
	shift 2
	# The other sanitizer is fast. More calls are a file of more than 2 GB, for which the parser takes more memory than there is; not all of the calls are
	# in the file if it says how many are missing.
	test "$sanitizer" = thread || seconds=$(((seconds + 2) / 3))
	case "$*" in *TRACELAYER_FULL=*) most= ;; *) most=10000000 ;; esac
	rm -f "$tmp"/t.* "$tmp"/report.*
	made=$(env TRACELAYER_MEMORY=16M "$@" TRACELAYER_OUTPUT="$tmp/$output" TSAN_OPTIONS="log_path=$tmp/report" \
		ASAN_OPTIONS="detect_leaks=0:log_path=$tmp/report" timeout $((seconds * 4 + 60)) "$tmp/$sanitizer" $seconds $most 2>"$tmp/err") || {
		cat "$tmp/err" "$tmp"/report.* 2>/dev/null
		return 1
	}
	cat "$tmp/err" "$tmp"/report.* 2>/dev/null
	grep -v "^tracelayer: $tmp/t.json: [0-9]* events lost; raise TRACELAYER_MEMORY$" "$tmp/err" | grep . && return 1
	for file in "$tmp"/t.*.gz; do test ! -e "$file" || gunzip "$file" || return 1; done
	found=$(events_each -- "$tmp"/t.*) || return 1 # a line for each file; each is strict JSON
	found=$((${found//$'\n'/+}))
	missing=0
	case "$*" in *TRACELAYER_FULL=*) missing=$(missing "$tmp/t.json") || return 1 ;; esac
	echo "made $made, found $found, missing $missing"
	test "$made" -gt 1000 && test "$made" = $((found + missing))
}

sanitizers=thread
test -z "$STRESS" || sanitizers="thread address,undefined"
set -- $sanitizers
plan $(($# * 6))
for sanitizer in $sanitizers; do
	if ! works $sanitizer; then
		skip 6 "-fsanitize=$sanitizer does not work on this machine"
		continue
	fi
	ok "the writer builds with -fsanitize=$sanitizer" build $sanitizer
	ok "every call is in the file, and nothing is reported" stressed $sanitizer t.json TRACELAYER_LEVEL=all
	ok "nor where it is compressed" stressed $sanitizer t.json.gz TRACELAYER_ARGS=scalars
	ok "nor where it is split" stressed $sanitizer t.json TRACELAYER_SPLIT=512K
	ok "nor where calls are dropped, which are counted, for each thread, too" stressed $sanitizer t.json TRACELAYER_FULL=drop TRACELAYER_MEMORY=1M
	ok "nor where calls are overwritten" stressed $sanitizer t.json TRACELAYER_FULL=ring TRACELAYER_MEMORY=1M
done

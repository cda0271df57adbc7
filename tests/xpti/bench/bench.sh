#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer-xpti-bench: its options, its tables, and its messages about libraries that are no dispatchers, and dispatchers that do nothing or die. It does not
# check how fast tracelayer's dispatcher is, but with STRESS=1 what doesn't depend on the machine.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
ours=$top_builddir/.libs/libtracelayer-xpti.so
test -f "$ours" || { echo "Bail out! $ours is missing; run make first"; exit 99; }
cc="${CC:-cc} -w -shared -fPIC"
plan "$(test -n "$STRESS" && echo 30 || echo 29)"

# bench OPTIONS…: what it says is in $tmp/out and $tmp/err.
bench() { timeout 120 "$top_builddir/tracelayer-xpti-bench" "$@" >"$tmp/out" 2>"$tmp/err"; }
# rows: how many times stand in the tables.
rows() { grep -c -E '^(string|trace point|notify|bare notify|composite)[a-z0-9,+ -]* +[0-9.]+ ' "$tmp/out"; }

bench --trace-points 1000 --type performance --overhead 1.5 --num-threads 0,1,2,3 --test-id 1,2 --tp-frequency 50 --rounds 1
is $? 0 "the document's example runs"
is "$(cat "$tmp/err")" "" "and says nothing else"
like "$(cat "$tmp/out")" '^1000 trace points, 2000 visits$' "half of the visits make a trace point"
is "$(rows)" 44 "eleven rows, for each number of threads"
is "$(grep -c '^A  *1.5 %' "$tmp/out")" 4 "and how many events fit into the overhead"
like "$(cat "$tmp/out")" '^probe .*: [0-9.]* ns$' "with one dispatcher, times stand beside a probe"
bench -t 10 -n 2:6:2 -i 1:1:1 -r 1
is "$(grep -E '^[0-9]+ threads, ' "$tmp/out" | cut -d' ' -f1 | tr '\n' ' ')" "2 4 6 " "threads are a range"
is "$(rows)" 27 "test 1 alone has nine rows"
bench -t 10 -n 0 -i 2 -r 1
is "$(rows)" 2 "test 2 alone has two"
is "$(grep -c '^A  *[12].0 %' "$tmp/out")" 2 "overheads of 1 % and 2 % unless asked for others"

cp "$ours" "$tmp/other.so"
bench -t 100 -n 0,2 -r 2 --against "$tmp/other.so"
is $? 0 "another dispatcher is measured in the same run"
like "$(cat "$tmp/out")" "^B: $tmp/other.so$" "it is named"
is "$(grep -c -E '^string insert  +[0-9.]+ +[0-9.]+ +[0-9.]+' "$tmp/out")" 2 "and stands beside ours, with the ratio"

bench --type semantic -t 100 -n 0,4 --against "$tmp/other.so"
is $? 0 "all checks pass, with and without threads"
is "$(grep -c ': pass, [1-9]' "$tmp/out")" 12 "three tests each"

# ---- others
sed -e '/^#/d' -e 's/.*/int &(void) { return 0; }/' "$top_srcdir/xpti/dispatcher/exports" >"$tmp/idle.c"
sed 's/xptiRegisterString(void) {/& __builtin_trap();/' "$tmp/idle.c" >"$tmp/dies.c"
sed '/xptiUnstashTuple/d' "$tmp/idle.c" >"$tmp/lacks.c"
ok "dispatchers that do nothing, die and lack a function are built" eval "
	for name in idle dies lacks; do $cc '$tmp'/\$name.c -o '$tmp'/\$name.so || exit 1; done"
bench --type semantic -t 10 -n 0 --against "$tmp/idle.so"
is $? 1 "one that does nothing fails"
is "$(grep -c '^B .*: FAIL, .* wrong; the first: ' "$tmp/out")" 3 "in all three tests, and what was wrong first is said"
bench -t 10 -n 0 -r 1 --against "$tmp/dies.so"
is $? 1 "one that dies ends the run"
like "$(cat "$tmp/err")" "^tracelayer: tracelayer-xpti-bench: $tmp/dies.so: it died of Illegal instruction" "and it is said of what"
bench -t 10 -n 0 -r 1 --against "$tmp/lacks.so"
is "$?: $(cat "$tmp/err")" "1: tracelayer: tracelayer-xpti-bench: $tmp/lacks.so: it has no xptiUnstashTuple; give a dispatcher, libxptifw.so or one like it" \
	"one that lacks a function is not measured"
grep -v xptiGetEffectiveStreamDetailLevel "$tmp/idle.c" >"$tmp/older.c"
$cc "$tmp/older.c" -o "$tmp/older.so"
bench --type semantic -t 10 -n 0 --against "$tmp/older.so"
is "$(grep -c '^B ' "$tmp/out")" 3 "one of SYCL 2025.1 to 2026.0 is, though it has no xptiGetEffectiveStreamDetailLevel"
bench -t 10 -n 0 -r 1 --against "$tmp/missing.so"
is "$?: $(wc -l <"$tmp/err")" "1: 1" "one that is missing is said in one line"

# ---- options
bench --type other
is $? 2 "there are two types"
is "$(cat "$tmp/err")" "tracelayer-xpti-bench: --type=other: no such type; give performance or semantic" "which is said in one line"
bench --typ
is "$(cat "$tmp/err")" "tracelayer-xpti-bench: --type: its value is missing; \`$top_builddir/tracelayer-xpti-bench --help\` lists the options" \
	"so is a value that is missing"
bench 5
is "$(cat "$tmp/err")" "tracelayer-xpti-bench: 5: this command takes options only" "and an argument"
bench --trace-points 9
is $? 2 "trace points are 10, at least"
bench --num-threads 1:2
is $? 2 "a range has a step"

if test -n "$STRESS"; then
	# On a machine that does other things, too: the best of several tries.
	good=false
	for try in 1 2 3 4 5; do
		bench -n 0 -r 9 -i 1
		awk '/^bare notify, 1 / { one = $5 } /^bare notify, 4 / { four = $5 } END { exit !(one && four <= 3 * one) }' "$tmp/out" && good=true && break
	done
	ok "four callbacks cost at most three times what one does" $good
fi

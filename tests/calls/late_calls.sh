#!/bin/bash
# SPDX-License-Identifier: MIT
# Calls that come late are in the trace: those of threads that nobody waits for, and of forked children; a program that makes none leaves no file.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
library=$top_builddir/.libs/libtracelayer.so
app=$top_builddir/tests/apps/late_calls
test -f "$library" && test -x "$app" || skip_all "not built"
plan 13

# run OUTPUT WORD: traced.
run() { LD_PRELOAD=$library TRACELAYER_OUTPUT=$1 timeout 60 "$app" "$2"; }

# calls FILE: how many it has; fails where it is not strict JSON.
calls() { events "$1"; }

# has FILE N
has() { test "$(calls "$1")" = "$2" || { calls "$1"; return 1; }; }

run "$tmp/exit.json" exit >"$tmp/out" 2>&1
is $? 7 "exit: the program's own exit code"
ok "exit: no output of ours" test ! -s "$tmp/out"
ok "exit: calls of exit handlers, destructors and of a thread that lives on are recorded" has "$tmp/exit.json" 12

run "$tmp/leaves.json" main-leaves >"$tmp/out" 2>&1
is $? 8 "main-leaves: the program's own exit code"
ok "main-leaves: no output of ours" test ! -s "$tmp/out"
ok "main-leaves: calls of a thread's destructors are recorded too" has "$tmp/leaves.json" 18

run "$tmp/fork.%p.json" fork >"$tmp/out" 2>&1
is $? 9 "fork: the program's own exit code"
ok "fork: no output of ours" test ! -s "$tmp/out"
is "$(ls "$tmp"/fork.*.json | wc -l)" 2 "fork: each process has its file"
is "$(for f in "$tmp"/fork.*.json; do calls "$f"; done | sort | tr '\n' ' ')" "4 5 " \
	"fork: each event is in the file of its process alone"

run "$tmp/nothing.json" nothing >"$tmp/out" 2>&1
is $? 3 "nothing: the program's own exit code"
ok "nothing: no output of ours" test ! -s "$tmp/out"
ok "nothing: no file" test ! -e "$tmp/nothing.json"

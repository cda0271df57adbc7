#!/bin/bash
# SPDX-License-Identifier: MIT
# --follow=no: the first process is traced, whatever program it becomes; what it starts, in whatever way, is not.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
app=$(cd "$top_builddir" && pwd)/tests/apps/ends_ways
libtracelayer=$(cd "$top_builddir" && pwd)/.libs/libtracelayer.so
tracelayer=$(cd "$top_builddir" && pwd)/tracelayer
export OCL_ICD_VENDORS=$tmp/none
cd "$tmp" || exit 99
plan 28

# counts: of each file there is, in the order of their numbers.
counts()
{
	local at= file
	for file in t.json t.1.json t.2.json; do
		test ! -e $file || at="$at $(events $file clGetPlatformIDs)"
	done
	echo $at
}

# alone CALLS COMMAND…: traced as the first process alone; one file with so many calls, or none for 0.
alone()
{
	local want=$1; shift
	rm -f t*.json
	timeout 60 env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=t.json TRACELAYER_FOLLOW=no "$@" >out 2>err
	test "$?$(cat err)" = 5 && test "$(counts)" = "$want" || { cat err; echo "calls: $(counts)"; return 1; }
}

ok "a fork's child is not traced" alone 7 "$app" fork-exit 7
ok "nor after the writer has started" alone 40000 "$app" fork-exit 40000
ok "nor where the parent made no call before" alone 7 "$app" fork-first 7
ok "nor what posix_spawn starts" alone 14 "$app" spawn 7
ok "nor what vfork and exec start" alone 7 "$app" vfork-exec 7
ok "nor what system and popen start" alone 14 "$app" system 7
ok "the first process may become another program" alone "7 7" "$app" execve 7
ok "by another exec, too" alone "7 7" "$app" execlp 7
ok "a shell that becomes the program is the first process" alone 7 sh -c "exec $app _exit 7"
ok "the program that a shell starts is not" alone "" sh -c "$app _exit 7; exit \$?"
ok "with its parent's environment, wherever from" alone "" "$python" -c "import os, subprocess, sys
sys.exit(subprocess.call(['$app', '_exit', '7'], env=dict(os.environ)))"
ok "a program that asks for it by itself is first again" alone 7 sh -c "TRACELAYER_FOLLOW=no $app _exit 7; exit \$?"
ok "a child may ask to be followed" alone "7" sh -c "TRACELAYER_FOLLOW=yes $app _exit 7; exit \$?"
ok "the mark of a process that is gone is nobody's" alone "" sh -c "TRACELAYER_FOLLOW=no:\$\$.1.2 $app _exit 7; exit \$?"

# The value's mark is in place: same number of variables, in the same order.
names() { env -i A=1 TRACELAYER_FOLLOW=no B=2 LD_PRELOAD="$libtracelayer" env | sed 's/=.*//' | tr '\n' ' '; }
is "$(names)" "A TRACELAYER_FOLLOW B LD_PRELOAD " "the program's environment has no variable more"

# Tools are not for the children either.
LD_PRELOAD=$libtracelayer TRACELAYER_LEVEL=none TRACELAYER_SUMMARY=1 "$app" fork-exit 7 2>err
is "$(grep -c '^clGetPlatformIDs' err)" 2 "followed, a child has a summary of its own"
LD_PRELOAD=$libtracelayer TRACELAYER_LEVEL=none TRACELAYER_SUMMARY=1 TRACELAYER_FOLLOW=no "$app" fork-exit 7 2>err
is "$(awk '/^clGetPlatformIDs/ { print $2 }' err)" 7 "and not where only the first process is traced"
LD_PRELOAD=$libtracelayer TRACELAYER_LEVEL=none TRACELAYER_TOOLS=log TRACELAYER_FOLLOW=no "$app" fork-exit 7 2>err
is "$(grep -c clGetPlatformIDs err)" 7 "a tool sees no call of a child"
LD_PRELOAD=$libtracelayer TRACELAYER_LEVEL=none TRACELAYER_TOOLS=log TRACELAYER_FOLLOW=no "$app" spawn 7 2>err
is "$(grep -c clGetPlatformIDs err)" 14 "nor is one loaded into a program that a child becomes"

# By the command.
run() { rm -f t*.json; "$tracelayer" run --follow=no -o t.json "$@" >out 2>err; }
run -- "$app" fork-exit 7
is "$? $(cat err)" "5 tracelayer: trace: t.json (7 events)" "run: the first process alone"
run -- sh -c "$app _exit 7; exit \$?"
is "$? $(cat err)" "5 tracelayer: no trace: the program made no call into an API that tracelayer has shims for; what it started was not traced, see --follow" \
	"run: why there is no trace"
cat >first.c <<-'END'
	#include <stdlib.h>
	int main(int argc, char **argv) { return system(argv[1]) != 5 << 8; }
END
if $CC -static -o first first.c 2>err; then
	run -- ./first "$app _exit 7"
	is "$?$(counts)" 0 "run: the program is the first process also where the library doesn't get into it"
else
	skip 1 "no static C library on this machine"
fi
run -- sh -c "exec $app execv 7"
is "$? $(counts)" "5 7 7" "run: whatever program it becomes"
run -- "$tracelayer" run --follow=no -o t.json -- "$app" _exit 7
is "$? $(counts)" "5 7" "run inside run: a first process of its own"
run -- "$tracelayer" run --follow=yes -o t.json -- "$app" fork-exit 7
is "$? $(counts | tr ' ' '\n' | sort -n | tr '\n' ' ')" "5 7 14 " "run inside run: that follows"
"$tracelayer" run --follow=maybe -- true 2>err
is "$? $(cat err)" "2 tracelayer: --follow=maybe: no such word as 'maybe'; use yes or no" "run: a value that is none"

# Followed, which is the default, all are traced; yes says the same.
rm -f t*.json
TRACELAYER_OUTPUT=t.json LD_PRELOAD=$libtracelayer "$app" system 7
is "$(counts | tr ' ' '\n' | sort -n | tr '\n' ' ')" "7 7 14 " "without it children are traced"
rm -f t*.json
TRACELAYER_FOLLOW=yes TRACELAYER_OUTPUT=t.json LD_PRELOAD=$libtracelayer "$app" fork-first 7
is "$(counts | tr ' ' '\n' | sort -n | tr '\n' ' ')" "7 14 " "and with yes"

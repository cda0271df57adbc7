#!/bin/bash
# SPDX-License-Identifier: MIT
# Ends of programs whose OpenCL devices are at work: they end as they do untraced, and promptly; commands that had not ended are shown as unfinished;
# the library asks the driver nothing after the driver's end; and what a killed program had recorded is there. STRESS=1 (make stress): more commands.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/device/opencl/cl_common.sh"
need_library
need_command
export OCL_ICD_VENDORS=$drivers/icd_a.so
plan 66

many=8000
test -z "${STRESS-}" || many=20000

# promptly WHAT WAY UNFINISHED [ARGUMENT]: three results.
promptly()
{
	local what=$1 way=$2
	run bare bare "$apps/cl_device_ends" "$way" $4
	run traced preload "$apps/cl_device_ends" "$way" $4
	ok "$what: says the same and ends the same ($(grep '^exit code' "$tmp/bare.out"))" alike
	prompt "$what"
	lanes "$what: what had not ended is marked" --commands "$(commands traced)" --unfinished "$3" --log "$tmp/traced.log"
}
promptly "commands behind a user event that nobody sets" gated 2
promptly "$many of them" crowded $many $many
promptly "a hundred of them, and others behind them in a queue without order" mixed 100
promptly "a kernel that hangs" hanging 2
promptly "a kernel that runs on" busy 1

# The driver is first used while recording is paused, or by a function that is not recorded.
for setting in TRACELAYER_WINDOW=1ms:900ms:1 "TRACELAYER_INCLUDE=clEnqueue*"; do
	unnoticed "a kernel that runs on, $setting" preload env "$setting" "$apps/cl_device_ends" busy
done

# By _exit drivers are asked for the last time, too; not by a signal handler, which may have interrupted the driver.
unnoticed "_exit" preload "$apps/cl_device_ends" abrupt
lanes "_exit: what had ended is on its lane" --commands "$(commands traced)" --unfinished 0
unnoticed "exit in a signal handler, inside of the driver" preload "$apps/cl_device_ends" interrupted
prompt "exit in a signal handler"
lanes "exit in a signal handler: the kernel that runs is marked" --commands "$(commands traced)" --unfinished 1 --log "$tmp/traced.log"
# A driver inside of which a program ends is not asked any more.
unnoticed "exit in a callback, inside of the driver" preload "$apps/cl_device_ends" within
prompt "exit in a callback"
lanes "exit in a callback: what was waited for has ended, the others are marked" --commands "$(commands traced)" --unfinished 2 --log "$tmp/traced.log"

unnoticed "a process of one thread becomes a user of its own" preload "$apps/cl_device_ends" alone
lanes "a process of one thread becomes a user of its own: commands before and behind are on their lanes" --commands "$(commands traced)" --log "$tmp/traced.log"

# A layer of the loader's, as a profiler's, that is gone after its exit handler.
ok "a layer that goes is built" ${CC:-cc} -O1 -I"$top_srcdir" -fPIC -shared -o "$tmp/passing.so" "$top_srcdir/tests/device/opencl/cl_passing.c"
for way in busy gated mixed; do
	unnoticed "$way, with a layer that goes before everybody's end" preload env OPENCL_LAYERS="$tmp/passing.so" "$apps/cl_device_ends" $way
done

# A program's own exit handlers.
unnoticed "an exit handler that runs before our end" preload "$apps/cl_device_ends" later
lanes "an exit handler that runs before our end: its command is on its lane" --commands "$(commands traced)" --log "$tmp/traced.log"
# What takes long comes before the driver's handlers: these destroy what its libraries need.
unnoticed "an exit handler of the driver" preload env SEEN="$tmp/seen" "$apps/cl_device_ends" compiling
is "$(cat "$tmp/seen")" ended "an exit handler of the driver: the trace is written before it"
lanes "an exit handler of the driver: a command of the program's handler behind it is on its lane, to its end" --commands "$(commands traced)" --unfinished 0 \
	--log "$tmp/traced.log"
unnoticed "exit handlers of the driver, registered inside of a call" preload env TEST_ICD_BUILD_HANDLERS=3 "$apps/cl_device_ends" building
lanes "exit handlers of the driver, registered inside of a call: a command of the program's older handler is on its lane" --commands "$(commands traced)" \
	--unfinished 0 --log "$tmp/traced.log"
if test -x /usr/bin/strace; then
	LD_PRELOAD= strace -f -c -o "$tmp/calls" -E LD_PRELOAD="$libtracelayer" -E TRACELAYER_OUTPUT="$tmp/strace.json" env SEEN="$tmp/seen" "$apps/cl_device_ends" \
		compiling 3000 >"$tmp/strace.out"
	ok "thousands of handlers of a driver, as LLVM has them: they ask the kernel nothing each" test \
		"$(awk '$NF ~ /^get[tp]id$/ { n += $4 } END { print n + 0 }' "$tmp/calls")" -lt 1000
else
	skip 1 "there is no strace on this machine"
fi
unnoticed "an exit handler that runs after everybody's end" preload "$apps/cl_device_ends" early
like "$(cat "$tmp/traced.out")" '^calls of others: 0$' "nobody but it calls the driver then"
# After it only the program itself is to blame: the bare run's lines, and nothing else.
is "$(grep -c 'after the driver' "$tmp/traced.misuse")" 4 "and the driver hears of no other call"

unnoticed "a child that returns from main while its parent's commands are under way" preload "$apps/cl_device_ends" forked
like "$(cat "$tmp/traced.out")" '^calls in the child: 0$' "nobody calls the driver in it"
lanes "the parent's commands are on their lane" --commands "$(commands traced)" --log "$tmp/traced.log"

# The thread of ours that tells of commands: it comes and goes, and programs do as well without.
unnoticed "a program that rests" preload "$apps/cl_device_ends" resting
lanes "a program that rests: its commands are on their lane, in their order" --commands "$(commands traced)" --log "$tmp/traced.log" --ordered
like "$(cat "$tmp/traced.out")" '^at most one more: yes$' "no thread of ours stays but the writer's"
unnoticed "a program that can have no threads" preload "$apps/cl_device_ends" unthreaded
lanes "a program that can have no threads: its commands are on their lane" --commands "$(commands traced)" --log "$tmp/traced.log"
unnoticed "a program that ends with its last thread" preload "$apps/cl_device_ends" left
lanes "a program that ends with its last thread: its commands are on their lane" --commands "$(commands traced)" --log "$tmp/traced.log"
run traced preload "$apps/cl_device_ends" forking
is "$(head -n 1 "$tmp/traced.out")" "children that ended well: 200" "a program that forks all the time"
lanes "a program that forks all the time: its commands are on their lane" --commands "$(commands traced)"

# What is left of a killed program, read once. "is sound" and "has its commands" are said on stdout, and why not on stderr.
cat >"$tmp/killed.py" <<-'END'
	import os, sys
	sys.path.insert(0, os.path.dirname(sys.argv[1]))
	import check_trace
	trace = check_trace.Trace(sys.argv[2], False)
	enqueued, missing, more = map(int, sys.argv[3:])
	check_trace.check_sound(trace)
	if not check_trace.report(trace.errors):
	    print("is sound")
	work = sum(check_trace.is_of_device(event) for event in trace.slices)
	print(work, "slices,", enqueued, "commands were enqueued and waited for", file=sys.stderr)
	if enqueued - missing <= work <= enqueued + more:
	    print("has its commands")
END

# killed WHAT ENDING MISSING MORE BYTES [BYTES]: three results. When it has written so many bytes it is killed; at once, or a second later where it stops there.
killed()
{
	local what=$1 ending=$2 missing=$3 more=$4 bytes=$5
	shift 5
	rm -f "$tmp"/killed.{json,tlt,dots,said,why}
	LD_PRELOAD=$libtracelayer TRACELAYER_OUTPUT=$tmp/killed.$ending "$apps/cl_device_ends" steady "$@" >"$tmp/killed.dots" 2>"$tmp/killed.err" &
	victim=$!
	until test "$(stat -c %s "$tmp/killed.dots" 2>/dev/null || echo 0)" -ge "$bytes"; do
		kill -0 $victim || break
		sleep 0.02
	done
	test $# -eq 0 || sleep 1
	kill -9 $victim
	wait $victim 2>/dev/null
	ok "$what, $ending: its trace is recovered" "$tracelayer" recover $victim
	test "$ending" = json || "$tracelayer" export "$tmp/killed.$ending" -o "$tmp/killed.json" >"$tmp/export" 2>&1
	"$python" "$tmp/killed.py" "$check_trace" "$tmp/killed.json" $(($(stat -c %s "$tmp/killed.dots") * 100)) "$missing" "$more" >"$tmp/killed.said" 2>"$tmp/killed.why"
	ok "$what, $ending: it is sound" killed_says "is sound"
	ok "$what, $ending: $(if test "$missing" = 0; then echo "each of the commands is there"; else echo "the commands are there, but for the last ones"; fi)" \
		killed_says "has its commands"
}
killed_says() { cat "$tmp/killed.why"; grep -qx "$1" "$tmp/killed.said"; }

# Of what had ended when it was waited for, as far as the program could tell of it, the commands of the last milliseconds may be missing, and 1024 at most (and as
# many as are told of at a time). Where it has done nothing for a while there are all.
for ending in json tlt; do
	killed "killed" $ending 1100 200 60
	killed "killed at rest" $ending 0 0 30 30
done

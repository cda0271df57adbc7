#!/bin/bash
# SPDX-License-Identifier: MIT
# Recording paused, resumed, ended and written out while a program runs: by itself, by the command, by a signal, by the clock. The program
# (apps/control_calls) makes as many calls as it is told to, so what must be in the trace is known exactly.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
. "$top_srcdir/tests/write/recording_control_app.sh"

control() { timeout 30 "$tracelayer" "$@"; }
# The trace as it is now is strict JSON with that many events.
holds() { is "$(events "$trace" clGetPlatformIDs 2>&1)" "$1" "$2"; }

plan 69

# --- a program that asks by itself
is "$(printf '%s\n' recording pause resume snapshot stop | "$app" | tr '\n' ' ')" "recording 0 pause 1 resume 1 snapshot 1 stop 1 " \
	"without tracelayer, each function says that it is absent"
start env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="$trace" "$app"
tell recording; is "$answer" 1 "recording begins when the program does"
tell "call 3" pause recording; is "$answer" 0 "a pause is seen"
tell "call 5" pause; is "$answer" 0 "a second pause is none"
tell resume "call 2" resume snapshot; is "$answer" 0 "one resume ends both"
holds 5 "after a snapshot the trace is whole, without what was called meanwhile"
tell "call 4" snapshot
holds 9 "a second snapshot has what came since, too, each once"
tell "call 1" stop
holds 10 "a stop writes out what there is"
tell resume; is "$answer" 2 "what was stopped can't be resumed"
tell pause; is "$answer" 2 "nor paused"
tell "call 6" snapshot; is "$answer" 0 "but asked for a snapshot"
finish
holds 10 "and records nothing any more"
is "$(cat "$tmp/err")" "" "nothing is said of all that"

start env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="$trace" "$app"
tell pause "call 3" resume "call 2"
finish
holds 2 "a pause before the first call is one"

# --- what a .tlt says of it
# resumed_in FILE: the end's number of times that recording was resumed.
resumed_in()
{
	"$python" -c '
import struct, sys
data = open(sys.argv[1], "rb").read()
at, = struct.unpack_from("<I", data, 20)
while at < len(data):
    _, kind, size = struct.unpack_from("<IIQ", data, at)
    if kind == 7: print(*struct.unpack_from("<I", data, at + 96))
    at += size' "$1"
}
# resumes COUNT DESCRIPTION WORD…
resumes()
{
	local count=$1 what=$2; shift 2
	start "$tracelayer" run --quiet -o "$tmp/t.tlt" -- "$app"
	tell "$@"
	finish
	is "$(resumed_in "$tmp/t.tlt")" "$count" "$what"
	rm -f "$tmp/t.tlt"
}
resumes 0 "a .tlt says that recording was never resumed" "call 3"
resumes 2 "or how often it was" "call 3" pause "call 1" resume "call 2" pause resume resume "call 1"
resumes 0 "a pause until the end is no gap" "call 3" pause "call 1"
resumes 1 "that it began late is one" pause "call 3" resume "call 1"
start "$tracelayer" run --quiet -o "$tmp/f.tlt" -- "$app"
tell "call 3" pause resume "call 1" fork "call 1"
finish
is "$(for file in "$tmp"/f*.tlt; do resumed_in "$file"; done | sort -n | tr '\n' ' ')" "0 1 " "a child that was forked later has no gap"
rm -f "$tmp"/f*.tlt

# --- linked, and not asked to record
${CC:-cc} -DTRACELAYER_LINKED -I"$top_srcdir/include" "$top_srcdir/tests/apps/control_calls.c" -o "$tmp/linked" -L"$top_builddir/.libs" -ltracelayer \
	-Wl,-rpath,"$(cd "$top_builddir" && pwd)/.libs" -lOpenCL -lpthread || diag "cannot be linked"
cd "$tmp" || exit 99
start ./linked
tell "call 3" recording; is "$answer" 0 "a program that is only linked with the library records nothing"
tell resume "call 4" pause "call 2" snapshot
trace=$(echo "$tmp"/trace.linked.*.json)
holds 4 "until it says so"
finish
trace=$tmp/t.json
cd - >/dev/null || exit 99

# --- from outside
run --paused --session=night
tell "call 4" recording; is "$answer" 0 "--paused: recording begins paused"
is "$(control resume "$pid")" "$pid: resumed" "the command resumes a process that records nothing, by its number"
tell recording; is "$answer" 1 "so it does"
tell "call 7"
like "$(control snapshot night)" "^$pid: written out" "the command finds it by its session, and has it written out"
holds 7 "when the command returns the trace is whole"
like "$(control pause night)" "^$pid: paused" "it is paused"
tell "call 5" recording; is "$answer" 0 "and records nothing"
is "$(control resume night "$pid")" "$pid: resumed" "a process that is named twice is asked once"
tell "call 2"
like "$(control stop "$pid")" "^$pid: stopped" "it is stopped"
holds 9 "and its trace has its end"
tell "call 3"
said=$(control resume night 2>&1); is $? 1 "it can't be resumed then: an error"
is "$said" "tracelayer: process $pid: recording was stopped for good; start the program again" "which says why"
control stop night >/dev/null; is $? 0 "to stop it again is none"
finish
like "$(cat "$tmp/err")" "t.json \(9 events\)" "at the end run says how many there are"

run --paused
tell "call 4"
finish
like "$(cat "$tmp/err")" "no trace: recording was paused all the time; resume it" "a program that was never resumed has no trace, and run says why"
nok "and no file" test -e "$trace"

# It was running when its child began: both are of the session.
run --session=family
tell "call 1" fork "call 2"
tell name
other=$answer
is "$(control pause family | wc -l)" 2 "all processes of a session are asked"
tell "call 5" resume "call 1"
finish
is "$(for file in "$tmp"/t.*json; do events "$file"; done | sort | tr '\n' ' ')" "1 3 " "a child is paused with its session, and resumes itself alone"
rm -f "$tmp"/t.*.json
ok "it was another process" test "$pid" != "$other"

# A child of a process that is paused makes its own buffers and listens, at its first call.
run --paused --session=family
tell "call 1" fork "call 2" name
child_pid=$answer
like "$(control resume "$child_pid")" "^$child_pid: resumed" "a child of a paused process listens, too"
tell "call 3"
finish
holds 3 "and its calls are recorded, but not its parent's"

# Started without --session, it listens from its first full chunk on.
run
tell "call 10"
control snapshot "$pid" >"$tmp/said" 2>&1 &
asking=$!
until_it grep -q "it answers when" "$tmp/said"
ok "a process that does not listen yet: that is said" grep -q "^tracelayer: process $pid: it answers when its first chunk of events is full" "$tmp/said"
tell "call 20000"
ok "and it answers when its chunk is full" wait "$asking"
finish
holds 20010 "nothing is missing, nothing twice"

# One that is killed meanwhile, and whose parent does not ask how it ended.
start "$tracelayer" run -o "$trace" -- sh -c 'exec 3<&0; "$0" <&3 & exec sleep 60' "$app"
tell "call 10"
rm "$tmp/said"
control snapshot "$pid" >"$tmp/said" 2>&1 &
asking=$!
until_it grep -q "it answers when" "$tmp/said"
kill -KILL "$pid"
wait "$asking"
like "$(cat "$tmp/said")" "^tracelayer: process $pid: it has ended; its trace has what it recorded" "nobody waits for a process that is killed"
pkill -P "$child"
finish

is "$(control pause night 2>&1; echo $?)" "tracelayer: session night: you have no process with that session name that has made a traced call; start one with \`tracelayer run --session\`, give a process number, or run this command as the user that its processes became
1" "a session that is over is nobody"
like "$(control pause $$ 2>&1; echo $?)" "process $$: not traced" "a process that is not traced is told from one that"
like "$(control pause 4194399 2>&1; echo $?)" "process 4194399: no such process" "is not there"
control pause >/dev/null 2>&1; is $? 2 "nobody named is wrong usage"
like "$("$tracelayer" run --session=12 -- true 2>&1; echo $?)" "--session=12: a number.*" "a session can't be called like a process"

# A file that looks like a live process's, and one of rubbish, are not believed.
forged=${XDG_RUNTIME_DIR:-/dev/shm}/tracelayer-buffers.$$.7
if ( : >"$forged" ) 2>/dev/null; then
	head -c 8192 /dev/urandom >"$forged"
	like "$(control pause $$ 2>&1)" "not traced" "a file of rubbish is nobody's buffers"
	rm -f "$forged"
else
	skip 1 "no folder for buffers can be written on this machine"
fi

# --- a signal
run --snapshot-on=USR1
tell "call 5"
kill -USR1 "$pid"
ok "a signal has the trace written" until_it test -s "$trace"
until_it grep -q tracelayer_end "$trace"
holds 5 "and ended"
tell "call 2"
kill -USR1 "$pid"
until_it grep -q '"events":7' "$trace"
holds 7 "each time"
tell handle; is "$answer" 0 "the program sees a handler that is ours"
kill -USR1 "$pid"
signal_came() { tell signals; test "$answer" = 1; }
ok "and may put its own in its place" until_it signal_came
finish
run --snapshot-on=USR1
tell handle; is "$answer" 1 "before the first call there is none"
tell "call 1"
kill -USR1 "$pid"
until_it signal_came
finish
like "$(cat "$tmp/err")" "TRACELAYER_SNAPSHOT_ON: the program handles that signal itself; name another" "one that the program had before stays, which is said"

# --- where the kernel gives other start times of the same processes
if unshare -T --boottime 1000 true 2>/dev/null; then
	start unshare -T --boottime 1000 -- "$tracelayer" run -o "$trace" --session=elsewhere -- "$app"
	tell "call 3"
	like "$(control pause elsewhere 2>&1)" "^$pid: paused" "a process in another time namespace is found"
	like "$(unshare -T --boottime -1 -- "$tracelayer" resume elsewhere 2>&1)" "^$pid: resumed" "and finds one outside its own"
	finish
else
	skip 2 "time namespaces can't be had on this machine"
fi

# --- the clock
# Where the machine stands still for a window's length, what is done in it comes too late. So one run of five has to do all in time.
recorded() { tell recording; test "$answer" = "$1"; }
for _try in 1 2 3 4 5; do
	run --window=0s:300ms:1 --session=hour
	tell "call 2"
	until_it recorded 1; opened=$?
	tell "call 3"
	until_it recorded 0; closed=$?
	until_it grep -q tracelayer_end "$trace"
	got=$(events "$trace")
	test $_try = 5 -o $closed != 0 -o "$got" -gt 5 && break
	test $opened = 0 -a "$got" -ge 3 && break
	finish
done
is $opened 0 "a window of no delay opens at the first call"
is $closed 0 "and closes"
ok "leaving a trace that is whole" test "$got" -ge 3 -a "$got" -le 5
tell "call 5"
finish
is "$(events "$trace")" "$got" "what comes after it is not recorded"
for _try in 1 2 3 4 5; do
	run --window=0s:1m:1
	tell "call 2"
	finish
	events "$trace" clGetPlatformIDs
done >"$tmp/first"
is "$(sort "$tmp/first" | uniq -c | xargs)" "5 2" "the first call is in it"
# A window may come and go between two looks: it is seen as often as it was to open in one run of five, and more often in none.
for _try in 1 2 3 4 5; do
	run --window=100ms:100ms:3 --session=hour
	tell "call 1"
	seen=0 last=0
	for _i in {1..120}; do
		tell recording
		test "$answer" = 1 -a "$last" = 0 && seen=$((seen + 1))
		last=$answer
		sleep 0.01
	done
	finish
	test "$seen" -ge 3 && break
done
is "$seen" 3 "a window opens as often as it was to"
run --window=50ms:10s:1 --session=hour
tell "call 1"
until_it recorded 1
tell pause
sleep 0.2
tell recording; is "$answer" 0 "who pauses by hand ends the window"
finish
nok "nothing of ours is left in memory" ls /dev/shm/tracelayer-buffers."$pid".0

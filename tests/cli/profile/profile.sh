#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer profile: which calls and labels a program's threads are in, with nothing recorded; its files; a process that is there already.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
app=$top_builddir/tests/apps/cl_profile
check="$python $top_srcdir/tests/cli/profile/profile.py"

# profile OPTION… -- PROGRAM…: in a folder of its own; its exit code is in $code.
mkdir "$tmp/here"
profile()
{
	(cd "$tmp/here" && exec timeout 120 "$tracelayer" profile -f "$@") >"$tmp/out" 2>"$tmp/err" </dev/null
	code=$?
}
tracelayer=$(realpath "$tracelayer")
app=$(realpath "$app")
ends=$(realpath "$top_builddir/tests/apps/cl_device_ends")
drivers=$(realpath "$top_builddir/tests/drivers/.libs")

# buffers: those of the processes under test that are left.
buffers() { find /dev/shm "${XDG_RUNTIME_DIR:-/dev/shm}" -maxdepth 1 -name "tracelayer-buffers.$1.*" 2>/dev/null; }

plan 65

# --- calls and labels of one thread
# Up to five times, until the shares agree: who takes the samples may not get the processor for a while, and then misses some.
for _ in 1 2 3 4 5; do
	profile -o p.txt -o p.folded -o p.speedscope.json -o p.json -- "$app" turns 25
	if test "$code" != 0 || $check shares "$tmp/here/p.folded" "$tmp/err" >"$tmp/ok" 2>&1; then break; fi
done
test "$code" != 77 || skip_all "there is no OpenCL device on this machine"
is "$code" 0 "the program ends as it does without us"
like "$(cat "$tmp/err")" '^tracelayer: profile: p.txt, p.folded, p.speedscope.json, p.json: [0-9]+ samples of [0-9]+ threads? in 1 process, [0-9.]+ s at [0-9.]+ of 1000 Hz' \
	"it is said how many samples there are, and at which rate they came"
cp "$tmp/err" "$tmp/truth"
ok "each label has its share of time, within 2 points" $check shares "$tmp/here/p.folded" "$tmp/truth"
diag "$(cat "$tmp/.ok")"
folded=$(cat "$tmp/here/p.folded")
like "$folded" '^turns;waiting;clWaitForEvents [0-9]+$' "calls stand below the labels that they are made in"
like "$folded" '^turns;clBuildProgram;called back [0-9]+$' "labels stand below the calls that they are put on in"
ok "all files tell the same" $check agree "$tmp/here/p.folded" "$tmp/here/p.speedscope.json" "$tmp/here/p.json"
is "$(sed -n '1p;$p' "$tmp/here/p.txt" | wc -c)" 2 "the tree has the document's layout: an empty line before and after"
like "$(sed -n 2p "$tmp/here/p.txt")" '^tracelayer profile \([0-9]+ threads, [0-9]+ samples\)$' "... its head"
like "$(cat "$tmp/here/p.txt")" '^    [0-9.]+% working$' "... and rows"
is "$(find "$tmp/here" -type f | wc -l)" 4 "no trace is written"

# --- the program is left alone
profile -- "$app" plain
is "$code" 7 "the exit code is the program's"
like "$(cat "$tmp/err")" "no profile: the program made no call" "without calls and labels there is no profile, and it is said why"
profile -o p.folded -- sh -c 'echo said; kill -TERM $$'
is "$code $(cat "$tmp/out")" "143 said" "so are output, and death by a signal"
profile -- "$app" turns 2
is "$(cat "$tmp/out")" "" "the tree does not go to the program's standard output"
like "$(cat "$tmp/err")" '% turns$' "... but to standard error"
mkfifo "$tmp/in"
profile -o p.folded -- bash -c "exec 9<>'$tmp/in'; exec < <(exec '$app' hold <&9); read -r _; echo \$! >'$tmp/pid'; kill -KILL \$!"
like "$(cat "$tmp/err")" "1 thread in 1 process" "a process that is killed was seen"
is "$(buffers "$(cat "$tmp/pid")")" "" "of a killed process nothing is left in memory"
profile -- "$tmp/nothing"
is "$code" 127 "a program that is not there is said so"

# --- threads and processes
profile -o p.folded -- "$app" threads
like "$(cat "$tmp/err")" "samples of [1-9][0-9] threads in 1 process" "short-lived threads are seen"
unlike "$(cat "$tmp/here/p.folded")" "outside of any label.* [0-9]{3}" "... and not after their end"
profile -o p.folded -- "$app" fork
like "$(cat "$tmp/err")" "2 threads in 2 processes" "a forked child is another process"
like "$(cat "$tmp/here/p.folded")" '^both;parent [0-9]+$' "the parent has its labels"
like "$(cat "$tmp/here/p.folded")" '^child [0-9]+$' "... and the child those that it put on"

# --- how often, how long
# For as long in one run of five at least: the machine may stand still when it is over.
for _ in 1 2 3 4 5; do
	profile -F 100 -d 0.3 -o p.folded -- "$app" turns 8
	if test "$code" != 0 || grep -qE ' 0\.3[0-9]* s at ' "$tmp/err"; then break; fi
done
like "$(cat "$tmp/err")" " 0\.3[0-9]* s at [0-9.]+ of 100 Hz" "-F says how often, -d for how long"
is "$code" 0 "the program goes on after that"
rate=$(sed -n 's/.* s at \([0-9]*\)\..* of 100 Hz.*/\1/p' "$tmp/err")
ok "the rate is what was asked for, or less on a busy machine" test "${rate:-101}" -le 110

# --- a process that is there
# hold OPTION…: a traced process that waits in a call; its number is in $pid.
hold()
{
	"$tracelayer" run -o "$tmp/t.json" "$@" -- sh -c 'echo $$; exec "$0" hold' "$app" <"$tmp/in" >"$tmp/held" 2>"$tmp/held.err" &
	exec 8>"$tmp/in"
	for _ in $(seq 200); do grep -q ready "$tmp/held" && break; sleep 0.05; done
	pid=$(head -n 1 "$tmp/held")
}
let_go() { exec 8>&-; wait; }

hold
(cd "$tmp" && timeout 60 "$tracelayer" profile -p "$pid" -d 0.3) >"$tmp/out" 2>"$tmp/err"
is "$?" 0 "a running process is found by its number"
like "$(cat "$tmp/out")" '^100.00% holding$' "... its profile is on standard output: labels"
like "$(cat "$tmp/out")" '^    [1-9][0-9.]+% clWaitForEvents$' "... and calls"
(cd "$tmp" && exec timeout -s INT 1 "$tracelayer" profile -p "$pid" -o i.folded) 2>"$tmp/err"
like "$(cat "$tmp/i.folded" "$tmp/err")" '^holding;clWaitForEvents [0-9]+$' "an interrupt ends it, and what was seen is written"
timeout 60 "$tracelayer" profile -p "$pid" -o "$tmp/e.folded" 2>"$tmp/err" 8>&- &
# Each sample is taken after a sleep: a hundred of them have been.
sampled() { awk '/^voluntary/ { exit !($2 > 100) }' "/proc/$(pgrep -P $!)/status"; }
for _ in $(seq 400); do sampled 2>/dev/null && break; sleep 0.05; done
let_go
is "$(grep -c clWaitForEvents "$tmp/e.folded")" 1 "it ends with the process"
ok "... whose trace is whole" "$python" "$top_srcdir/tests/lib/check_trace.py" "$tmp/t.json"

# Its parent does not ask how it ended, as the first process of a container may not.
"$tracelayer" run -o "$tmp/u.json" -- sh -c 'echo $$; "$0" hold <"$1" & echo $!; exec sleep 60' "$app" "$tmp/in" >"$tmp/held" 2>"$tmp/held.err" &
exec 8>"$tmp/in"
for _ in $(seq 200); do grep -q ready "$tmp/held" && break; sleep 0.05; done
timeout 20 "$tracelayer" profile -p "$(grep '^[0-9]' "$tmp/held" | tail -n 1)" -o "$tmp/z.folded" 2>"$tmp/err" 8>&- &
for _ in $(seq 400); do sampled 2>/dev/null && break; sleep 0.05; done
kill -KILL "$(grep '^[0-9]' "$tmp/held" | tail -n 1)"
wait $!
is "$? $(grep -c clWaitForEvents "$tmp/z.folded")" "0 1" "it ends with a process that is killed, also if its parent does not ask how it ended"
kill "$(head -n 1 "$tmp/held")"
let_go

hold --paused
timeout 60 "$tracelayer" profile -p "$pid" -d 0.2 >"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/out")" '^100.00% holding$' "a process whose recording is paused shows its labels"
let_go
# The layer's own thread is there while commands of a device are collected.
(exec "$tracelayer" run --quiet -o "$tmp/d.tlt" -- env OCL_ICD_VENDORS="$drivers/icd_a.so" sh -c 'echo $$ >"$1"; exec "$0" steady' "$ends" "$tmp/pid" \
	>"$tmp/dots") 2>"$tmp/held.err" &
for _ in $(seq 200); do test "$(stat -c %s "$tmp/dots" 2>"$tmp/.err")" -gt 20 && break; sleep 0.05; done
like "$(cat "/proc/$(cat "$tmp/pid")"/task/*/comm)" '^tracelayer$' "devices' commands are collected by a thread"
timeout 60 "$tracelayer" profile -p "$(cat "$tmp/pid")" -d 0.3 -o "$tmp/d.folded" 2>"$tmp/err"
like "$(cat "$tmp/err")" " samples of 1 thread in 1 process" "... which is none of the program's"
kill "$(cat "$tmp/pid")"
wait
rm -f "$tmp/pid"
(cd "$tmp/here" && "$tracelayer" run --paused --device=0 -- sh -c 'echo $$ >pid; exec "$0" turns 60' "$app") 2>"$tmp/held.err" &
for _ in $(seq 200); do test -s "$tmp/here/pid" && "$tracelayer" pause "$(cat "$tmp/here/pid")" >"$tmp/paused" 2>&1 && break; sleep 0.05; done
timeout 60 "$tracelayer" profile -p "$(cat "$tmp/here/pid")" -d 1.5 -o "$tmp/c.folded" 2>"$tmp/err"
like "$(cat "$tmp/c.folded" "$tmp/err")" '^turns;.*cl[A-Z]' "... and the calls that it makes from then on"
kill "$(cat "$tmp/here/pid")"
wait
timeout 60 "$tracelayer" profile -p $$ -d 1 2>"$tmp/err"
is "$?" 1 "a process that is not traced is none of ours"
like "$(cat "$tmp/err")" "^tracelayer: process $$: not traced, .*; start it with" "... which is said"

# --- a part of the samples
profile --name='clWait*' -o p.folded -o p.speedscope.json -o p.json -- "$app" turns 10
is "$code $(sort -u "$tmp/here/p.folded" | sed 's/ [0-9]*$//')" "0 turns;waiting;clWaitForEvents" "--name: only samples in a call of that name"
ok "... in all files" $check agree "$tmp/here/p.folded" "$tmp/here/p.speedscope.json" "$tmp/here/p.json"
like "$(cat "$tmp/err")" " $(sed 's/.* //' "$tmp/here/p.folded") samples of 1 thread in 1 process, " "... and so many are said"
profile --name=waiting,working -o p.folded -- "$app" turns 5
unlike "$(cat "$tmp/here/p.folded")" 'clBuildProgram' "... or under a label of that name"
like "$(cat "$tmp/here/p.folded")" '^turns;working ' "... of several names"
profile --time=0.1:0.3 -o p.folded -o p.json -- "$app" turns 10
ok "--time: seconds from when sampling begins" $check within "$tmp/here/p.json" 0.2 1000
profile --time=@turns -o p.folded -o p.speedscope.json -- "$app" turns 10
like "$(cat "$tmp/here/p.folded")" '^turns;clBuildProgram' "... while a label is on"
ok "... and not before" $check under turns "$tmp/here/p.speedscope.json"
profile --time=:@clBuildProgram -o p.folded -- "$app" turns 10
unlike "$(cat "$tmp/here/p.folded")" '^turns' "... up to the end of a call"
profile --time=@nix -o p.folded -- "$app" turns 2
like "$(cat "$tmp/err")" '^tracelayer: --time: the trace has no slice or mark named nix' "... of a name that no sample has"
profile --process=cl_profile -o p.folded -- "$app" fork
like "$(cat "$tmp/err")" "2 threads in 2 processes" "--process: by the program's name"
profile --process='[!c0-9]*' -o p.folded -- "$app" fork
like "$(cat "$tmp/err")" '^tracelayer: profile: no sample is selected; leave out some of' "... and if none has it, that is said"
hold
(cd "$tmp" && timeout 60 "$tracelayer" profile -p "$pid" -d 0.3 "--thread=$pid" "--process=$pid") >"$tmp/out" 2>"$tmp/err"
is "$? $(grep -c '^100.00% holding$' "$tmp/out")" "0 1" "--thread and --process: by their numbers"
(cd "$tmp" && timeout 60 "$tracelayer" profile -p "$pid" -d 0.1 --thread=1) >"$tmp/out" 2>"$tmp/err"
is "$?" 3 "... and of others there is no profile"
let_go
for option in --longer-than=1ms --failed; do
	timeout 10 "$tracelayer" profile $option -- true 2>"$tmp/err" >&2
	is "$?" 2 "$option is not offered: a sample has no length and no result"
done

# --- usage
for wrong in "" "-F 0 -- true" "-o x.svg -- true" "-p 1 -- true"; do
	# shellcheck disable=SC2086
	timeout 10 "$tracelayer" profile $wrong 2>"$tmp/err" >&2
	is "$?" 2 "usage: tracelayer profile $wrong"
done

# --- its files
mkdir "$tmp/names"
keep() { (cd "$tmp/names" && exec timeout 120 "$tracelayer" profile "$@") >"$tmp/out" 2>"$tmp/err" </dev/null; code=$?; }
mkdir "$tmp/names/folder.json"
keep -o folder.json -- true
is "$code $(cat "$tmp/err")" "2 tracelayer profile: --output=folder.json: it is a folder; give another file" "a folder is no file"
rmdir "$tmp/names/folder.json"
echo mine >"$tmp/names/p.speedscope.json"
keep -o p.speedscope.json -- "$app" turns 2
like "$(cat "$tmp/err")" '^tracelayer: profile: p.1.speedscope.json: ' "a name that is taken gets a number, and the last line says so"
is "$(cat "$tmp/names/p.speedscope.json")" mine "what is there stays"
keep -f -o p.speedscope.json -- "$app" turns 2
ok "-f overwrites" grep -q schema "$tmp/names/p.speedscope.json"
keep -o missing/p.txt -- touch "$tmp/started"
is "$code $(ls "$tmp/started" 2>/dev/null)" "2 " "a file that can't be made: the program does not start"
like "$(cat "$tmp/err")" '^tracelayer profile: --output=missing/p.txt: its folder is not there; give another file$' "and it is said why"

#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer recover DIR: what the ranks of a job had recorded when all of it was killed, tracelayer run included. The ranks' variables are set by
# hand here; tests/whole/job.sh has real launchers.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
need_library
plan 31

app=$(cd "$top_builddir" && pwd)/tests/apps/job_calls
test -x "$app" || { echo "Bail out! $app is missing; run make check TESTS= first"; exit 99; }
mkdir "$tmp/t" && export TMPDIR="$tmp/t"
cd "$tmp" || exit 99
host=$(uname -n)

# start N OPTION…: rank N, in the background, in a session of its own; $started has it.
start()
{
	local n=$1; shift
	OMPI_COMM_WORLD_RANK="$n" OMPI_COMM_WORLD_SIZE=4 OMPI_MCA_orte_precondition_transports=55556666-0 \
		setsid "$tracelayer" run "$@" -- "$app" counts 0 100 >>out 2>>err </dev/null &
	started="$started $!"
}
counted() { od -An -v -t u8 -w8 -j $((8 * $1)) -N 8 counts | tr -d ' '; }
# The ranks have made their calls, so that some are in the files, and some are not.
await_counts() { for _ in $(seq 600); do test -s counts && test "$(counted 0)" -gt "$1" && test "$(counted 1)" -gt "$1" && return; sleep 0.1; done; }
recorded() { "$tracelayer" summary --table=calls --format=csv "$1" 2>/dev/null | awk -F, '$1 == "clGetPlatformIDs" { print $2 }'; }
# Also waits for the programs, which are children of run: until they are gone, recover takes them for alive.
kill_all()
{
	for leader in $started; do kill -9 -- "-$leader"; done
	wait $started 2>/dev/null
	for leader in $started; do while ps -o stat= -s "$leader" | grep -q "^[^Z]"; do sleep 0.01; done; done
	started=
}
# Each call that returned is in the trace; the one that was on its way may be.
all_there() { local n; n=$(recorded "$2") && test "$(($(counted "$1") + 0))" -le "$n" && test "$n" -le "$(($(counted "$1") + 1))"; }

for options in "" "--buffers=B"; do
	what=${options:-"in memory"}
	rm -rf J counts; started=
	start 0 --job=J $options
	start 1 --job=J $options
	await_counts 6000
	test -z "$options" || is "$(ls B | grep -c '^tracelayer-buffers\.')" 2 "the buffers lie in the folder that --buffers names"
	kill_all
	said=$("$tracelayer" recover J 2>&1); code=$?
	is "$code $(grep -c 'events\? recovered' <<<"$said")" "0 2" "$what: recover DIR takes both ranks' buffers"
	for n in 0 1; do
		ok "$what: each call of rank $n that had returned is in its file" all_there "$n" "J/openmpi.55556666/$host/$n.tlt"
	done
	is "$("$tracelayer" recover J 2>&1)" "nothing to recover" "$what: a second time there is nothing to do, and that is no fault"
done
is "$(ls -A B)" "" "no buffers stay"

# --- buffers in a folder that machines share: each takes its own. Another machine has another boot and another name.
boots() { for file in B/tracelayer-buffers.*; do printf '%s' "$1" | dd of="$file" bs=1 seek=56 conv=notrunc status=none; done; }
rm -rf J counts; started=
start 0 --job=J --buffers=B
start 1 --job=J --buffers=B
await_counts 6000
kill_all
is "$(dd if="$(ls B/* | head -n 1)" bs=1 skip=56 count=36 status=none)" "$(cat /proc/sys/kernel/random/boot_id)" "the buffers say in which boot they were made"
boots 00000000-0000-0000-0000-000000000000
if test "$(id -u)" = 0 && unshare --uts true 2>/dev/null; then
	said=$(unshare --uts sh -c 'echo otherhost >/proc/sys/kernel/hostname; exec "$@"' sh "$tracelayer" recover J 2>&1)
	is "$? $(ls B | wc -l) $(grep -c "^tracelayer: 2 buffers files stay: their processes may run on another machine" <<<"$said")" "0 2 1" \
		"another machine leaves them, and one line says so"
else
	skip 1 "only root can give this machine another name"
fi
said=$("$tracelayer" recover J 2>&1)
is "$? $(ls B | wc -l) $(grep -c "^tracelayer: 2 buffers files stay" <<<"$said")" "0 2 1" "so does one of the same name, which was running when they were made"
# This machine seems to have been started a second ago.
sleep 3
again=(unshare --time --boottime="-$(($(cut -d. -f1 /proc/uptime) - 1))" --fork)
if test "$(id -u)" = 0 && "${again[@]}" true 2>/dev/null; then
	"${again[@]}" "$tracelayer" recover J >said 2>&1
	is "$? $(ls -A B)" "0 " "their own machine takes them, also after it was started again"
	for n in 0 1; do
		ok "after that each call of rank $n that had returned is in its file" all_there "$n" "J/openmpi.55556666/$host/$n.tlt"
	done
else
	skip 3 "only root can make this machine seem to have been started later"
	"$tracelayer" recover B/* >/dev/null 2>&1; rm -rf B
fi

# --- before anything was written, from the step's folder, beside another job
rm -rf J counts; started=
start 0 --job=J
start 1 --job=K
await_counts 10
kill_all
is "$(find J K -name '*.tlt' | wc -l)" 0 "ranks that were killed early have no files"
"$tracelayer" recover "J/openmpi.55556666" >said 2>&1
is "$? $(find J K -name '*.tlt')" "0 J/openmpi.55556666/$host/0.tlt" "recover STEP makes that of its rank, and leaves another job alone"
ok "all calls are in it" all_there 0 "J/openmpi.55556666/$host/0.tlt"
"$tracelayer" recover K >said 2>&1
ok "the other job's are still there" all_there 1 "K/openmpi.55556666/$host/1.tlt"

# --- what run leaves when it is killed
left() { find "$TMPDIR" -maxdepth 1 -name 'tracelayer-run-*' | wc -l; }
ok "a run that was killed leaves its folder" test "$(left)" -gt 0
find "$TMPDIR" -name .lock -exec touch -d '1 minute ago' {} +
rm -f counts
start 0 --job=J
for _ in $(seq 100); do test "$(find "$TMPDIR" -name .lock -newermt '30 seconds ago' | wc -l)" = 1 && break; sleep 0.1; done
# Buffers of a process that is killed before its first call say of no job, and recover J leaves them.
for _ in $(seq 600); do test -s counts && test "$(counted 0)" -gt 10 && break; sleep 0.1; done
find "$TMPDIR" -name .lock -exec touch -d '1 minute ago' {} +
"$tracelayer" recover J >/dev/null 2>&1
is "$(left)" 1 "recover removes such folders, but not that of a run which lives"
kill_all
"$tracelayer" recover J >/dev/null 2>&1
is "$(left)" 0 "until that has ended, too"

# --- buffers that --buffers put somewhere, without a job: the folder of the run that was killed says where
rm -rf B counts; started=
start 0 --buffers=B -o alone.tlt
for _ in $(seq 600); do test -s counts && test "$(counted 0)" -gt 6000 && break; sleep 0.1; done
kill_all
find "$TMPDIR" -name .lock -exec touch -d '1 minute ago' {} +
"$tracelayer" run -- true 2>/dev/null
is "$(left)" 1 "a run leaves the folder of another alone that says where buffers are"
is "$("$tracelayer" recover --format=csv 2>/dev/null | grep -c "B/tracelayer-buffers")" 1 "recover lists them"
"$tracelayer" recover "$(ls B | cut -d. -f2)" >said 2>&1
is "$? $(ls B) $(grep -c recovered said)" "0  1" "and takes them, by their process's number alone"
ok "all calls are in the file" all_there 0 alone.tlt
is "$(left)" 0 "and then the folder goes"

# --- folders without a lock
mkdir "$TMPDIR/tracelayer-run-aaaaaa" "$TMPDIR/tracelayer-run-bbbbbb" "$TMPDIR/tracelayer-run-cccccc"
ln -s x "$TMPDIR/tracelayer-run-bbbbbb/loaded.$$.1"
touch -h -d '2 days ago' "$TMPDIR/tracelayer-run-bbbbbb/loaded.$$.1" "$TMPDIR/tracelayer-run-aaaaaa" "$TMPDIR/tracelayer-run-bbbbbb"
"$tracelayer" run -- true 2>/dev/null
is "$(cd "$TMPDIR" && echo tracelayer-run-*)" "tracelayer-run-bbbbbb tracelayer-run-cccccc" "a run removes the old one, not the new one nor that of a process which lives"
rm -rf "$TMPDIR"/tracelayer-run-bbbbbb "$TMPDIR"/tracelayer-run-cccccc

# --- processes that the program leaves behind report while run ends
for _ in $(seq 20); do "$tracelayer" run -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do (sleep 0.0$i; exec true) & done' 2>/dev/null; done
sleep 1
is "$(left)" 0 "a run's folder goes, even if processes report to the last moment"
is "$("$tracelayer" run -- sh -c 'kill -SEGV $$' 2>&1 | grep -v '^Seg')" \
	"tracelayer: no trace: the program was killed by signal 11 (Segmentation fault) before its first call into an API that tracelayer has shims for" \
	"a program that dies before its first call: one line says so"

#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer recover, and tracelayer run when its program dies: which files they touch, what becomes of these, and the messages.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
export top_srcdir=$(cd "$top_srcdir" && pwd) top_builddir=$(cd "$top_builddir" && pwd) tmp
tracelayer=$top_builddir/tracelayer
target=$top_builddir/tests/apps/kill_target
layer=$top_builddir/.libs/libtracelayer.so
shims=$top_builddir/.libs/libkill_shims.so
kill_py() { "$python" "$top_srcdir/tests/buffers/kill.py" "$@"; }
recover() { "$tracelayer" recover "$@"; }
cd "$tmp" || exit 99
plan 132

# fresh: as if nothing had been done.
fresh()
{
	rm -rf t*.json* t*.tlt t*.pftrace counts out
	truncate -s 4160 counts
	touch stamp
}

# buffers_of PID…: files that they left. Another process may have had the number, and have left some as well: those are older.
buffers_of()
{
	local pid
	for pid; do
		find /dev/shm -maxdepth 1 -name "tracelayer-buffers.$pid.*" -newer stamp
	done
}

# start CALLS OPTION…: the target, preloaded, in the background, until its threads have made so many calls together.
start()
{
	local calls=$1; shift
	while :; do
		fresh
		LD_PRELOAD=$layer:$shims TRACELAYER_OUTPUT=${output-t.json} "$target" counts "$@" 2>err &
		child=$!
		kill_py wait counts "$calls"
		pid=$(kill_py pids counts)
		test "$(ls -d $(printf '/dev/shm/tracelayer-buffers.%s.* ' $pid) | wc -l)" -gt "$(buffers_of $pid | wc -l)" || break
		# Somebody else's are there under that number: take another.
		kill -9 $pid; wait $child 2>/dev/null
		rm -f $(buffers_of $pid)
	done
}

# await_death PID…: until they have died, where they are not our children.
await_death()
{
	local pid
	for pid; do
		for _ in {1..500}; do
			grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$pid/status" || break
			sleep 0.02
		done
	done
}

# leave CALLS OPTION…: and then it is killed.
leave()
{
	start "$@"
	kill -9 $pid
	wait $child 2>/dev/null
	buffers=$(buffers_of $child)
}

# left: whether there are buffers of the target.
left() { test -n "$(buffers_of $child)"; }

# --- one process

leave 4000 -n 1000
ok "a killed process leaves its buffers" left
is "$(recover --list $child | sed 1d | awk '{ print $1, $2, $NF }')" "$child kill_target $buffers" "--list shows it"
is "$(recover --list --format json $child | "$python" -c 'import json, sys
row = json.load(sys.stdin)["tables"][0]["rows"][0]
print(row["pid"], row["state"], row["size_bytes"] > 10000, 0 <= row["age_ns"] < 60e9)')" "$child dead True True" "--list in JSON, with size and age"
ok "and leaves it there" left
is "$(recover $child)" "kill_target ($child): $tmp/t.json: 4000 events recovered" "recover makes the trace, and says so"
is "$(kill_py check counts t.json)" "4000 0" "with each call once"
nok "and deletes the buffers" left
is "$(recover $child 2>&1; echo $?)" "tracelayer: $child: no buffers found; \`tracelayer recover\` lists what there is
1" "a second time there is nothing"

leave 24000 -n 6000
recover --keep $child >out
ok "--keep keeps them" left
cp t.json first.json
is "$(kill_py check counts t.json)" "24000 0" "the trace is continued: what was written before it died is there once, too"
like "$(cat out)" "recovered, 24000 in all$" "and it says how many there are in all"
recover $child >out
# Times behind the process's last look at the clock are told by a look at it now.
for file in first t; do
	sed -E 's/"(ts|dur)":[0-9.]+//g' $file.json >$file.untimed
done
same first.untimed t.untimed "recovering again gives the same calls"

# recover_until CALL N: killed at its Nth call of that system call.
recover_until()
{
	strace -qq -f -o strace.out -e trace="$1" -e inject="$1:signal=KILL:when=$2" "$tracelayer" recover $child >out 2>&1
}

# A launcher that ends a job kills `tracelayer run`, too, in the middle of this.
if strace -qq -o strace.out true 2>out; then
	leave 4000 -n 1000
	recover_until unlinkat 1
	is "$? $(kill_py check counts t.json) $(left && echo left)" "137 4000 0 left" "recover is killed when all is written: the buffers are still there"
	is "$(recover $child; ls t*.json)" "kill_target ($child): $tmp/t.json: 4000 events recovered
t.json" "and the next recover makes no second file of the same calls"
	is "$(kill_py check counts t.json) $(left || echo gone)" "4000 0 gone" "which has each call once"
	bad=
	for n in 1 2 3 4 5; do
		leave 4000 -n 1000
		recover_until pwrite64 $n
		left && recover $child >out 2>&1
		test "$(kill_py check counts t.json) $(ls t*.json) $(left || echo gone)" = "4000 0 t.json gone" || bad="$bad $n: $(ls t*.json)"
	done
	is "$bad" "" "likewise if it is killed at its first write, second, third, fourth or fifth"
	leave 24000 -n 6000
	rm t.json
	recover --keep -o whole.json $child >out 2>&1
	recover_until unlinkat 1
	recover $child >out 2>&1
	is "$(ls t*.json) $(grep -c '"ph":"X"' t.json) $(left || echo gone)" "t.json $(grep -c '"ph":"X"' whole.json) gone" \
		"and if the process's own file is gone, so that a new one has all that is left"
	rm -f whole.json
else
	skip 5 "no process can be traced here: $(head -n 1 out)"
fi

leave 24000 -n 6000
recover -o out.json $child >out
is "$(kill_py check counts out.json)" "24000 0" "-o: a file of its own, with what the process wrote itself"
nok "and the process's own stays as it was" kill_py check counts t.json
rm -f out.json first.json

leave 24000 -n 6000
rm t.json
said=$(recover $child 2>&1 >out)
is "$said" "tracelayer: $tmp/t.json: it is not there any more; $tmp/t.json has what the buffers held" "the output is gone: a new one, and that is said"
ok "which is a sound trace" "$python" "$top_srcdir/tests/lib/check_trace.py" t.json

leave 24000 -n 6000
mv t.json mine.json; echo precious >t.json
said=$(recover $child 2>&1 >out)
is "$said" "tracelayer: $tmp/t.json: another file is in its place; $tmp/t.1.json has what the buffers held" "another file is there now: a new one beside it"
is "$(cat t.json)" precious "and that other file is not touched"
ok "the new one is sound" "$python" "$top_srcdir/tests/lib/check_trace.py" t.1.json
rm -f mine.json

leave 24000 -n 6000
head -c 100000 t.json >cut && cat cut >t.json
recover $child >out 2>&1
like "$(cat out)" "t.json: it was cut short after its process wrote it; $tmp/t.1.json has" "the output was cut: a new one, too"

output=t.json.gz
leave 24000 -n 6000
recover $child >out
is "$(kill_py check counts t.json.gz)" "24000 0" ".json.gz: continued"
is "$("$python" -c 'import gzip, sys
raw = open("t.json.gz", "rb").read()
import zlib
one = zlib.decompressobj(31)
one.decompress(raw)
print(one.eof, len(one.unused_data))')" "True 0" "in one gzip member"
unset output

# --- nothing is lost where it can't be written

leave 24000 -n 6000
is "$(recover -o /dev/full $child 2>&1 | sed "s/$child/PID/"; left && echo kept)" \
	"tracelayer: /dev/full: No space left on device; the buffers are kept: make room there, or give another file with \`tracelayer recover -o FILE PID\`
kept" "a full device: one line, and the buffers are kept"
size=$(stat -c %s t.json)
# Room for the end of what was written, and not for what is recovered.
(ulimit -f $((size / 1024 + 2)); recover $child >out 2>&1; echo $? >>out)
like "$(head -1 out)" "^tracelayer: $tmp/t.json: File too large; the buffers are kept" "a limit for files: one line"
is "$(tail -n +2 out)" 1 "and exit code 1"
ok "what was written is a sound trace meanwhile" "$python" "$top_srcdir/tests/lib/check_trace.py" t.json
recover $child >out
is "$(kill_py check counts t.json)" "24000 0" "with room again, all of it is there"

# --- what lives is left alone

start 4000 -n 1000
is "$(recover $child 2>&1; echo $?)" "tracelayer: $(buffers_of $child): process $child is still running and writes its trace itself; recover it when it has ended
1" "a live process is not touched"
is "$(recover --list $child)" "nothing to recover" "nor shown"
kill -9 $child; wait $child 2>/dev/null
recover $child >out
is "$(kill_py check counts t.json)" "4000 0" "when it has died it is"

start 4000 -l -n 1000
is "$(recover --list $child)" "nothing to recover" "a process whose first thread has ended is alive"
kill -9 $child; wait $child 2>/dev/null
recover $child >out
is "$(kill_py check counts t.json)" "4000 0" "and recovered when the others are dead, too"

start 8000 -n 1000 -f 1
kill -9 $child; wait $child 2>/dev/null
is "$(recover $child | sed "s/$child/PID/")" "kill_target (PID): $tmp/t.json: 4000 events recovered" "a child that lives on does not make its dead parent live"
is "$(recover --list $(echo $pid | cut -d' ' -f2))" "nothing to recover" "and is not touched itself"
kill -9 $(echo $pid | cut -d' ' -f2)
await_death $(echo $pid | cut -d' ' -f2)
recover $(echo $pid | cut -d' ' -f2) >out
is "$(kill_py check counts t*.json)" "8000 0" "parent and child: each call once, in a file for each"

# --- open calls

leave 4000 -n 1000 -d 3
recover $child >out
is "$(kill_py check counts t.json)" "4000 12" "calls that had not returned are unfinished, with those around them"
like "$(cat out)" "4000 events recovered, 12 unfinished calls" "and are counted"

# --- exec

leave 4000 -n 1000 -x
kill_py wait counts 8000
recover $child >out 2>&1
ok "a process that became another program: both traces" kill_py check counts t*.json

# --- run

# pids: the processes' numbers, which are the first of the counts.
pids() { od -A n -v -t u4 -w4 -N 64 counts | awk '$1'; }

# dies SIGNAL CALLS: under run, by that signal.
dies()
{
	fresh
	(LD_PRELOAD=$shims timeout 60 "$tracelayer" run -o t.json -- "$target" counts -n "$2" -s "$1"; echo $? >code) 2>err
	is "$(cat code)" $((128 + $1)) "run: a program dies by signal $1, and so does run"
	is "$(kill_py check counts t.json)" "$((4 * $2)) 0" "... each call is in the trace once"
	like "$(cat err)" "^tracelayer: trace: t.json \($((4 * $2)) events, [0-9]+ recovered\)$" "... and the closing line tells it"
	is "$(buffers_of $(pids))" "" "... and nothing is left behind"
}
for signal in 15 2 13 11 6 1 3 9; do
	dies $signal 1000
done
dies 9 6000

fresh
LD_PRELOAD=$shims "$tracelayer" run -o t.json -- "$target" counts -n 1000 -d 2 2>err &
child=$!
kill_py wait counts 4000
kill -9 $(kill_py pids counts)
wait $child 2>/dev/null
like "$(cat err)" "^tracelayer: trace: t.json \(4008 events, 4000 recovered, 8 calls unfinished\)$" "run: open calls are told"
is "$(kill_py check counts t.json)" "4000 8" "... and are in the trace"

fresh
LD_PRELOAD=$shims "$tracelayer" run -o t.%p.json -- sh -c "$target counts -n 1000 -f 2 & wait" 2>err &
child=$!
kill_py wait counts 12000
kill -9 $(pids)
wait $child
is $? 0 "run: a program whose children die ends as it does"
is "$(kill_py check counts t.*.json)" "12000 0" "... and each child's trace is recovered"
like "$(cat err)" "^tracelayer: 3 traces: .*4000 recovered.*4000 recovered.*4000 recovered" "... and told of"

# --- several at once, and by no argument: where nobody else's are

fresh
if unshare -rm true 2>/dev/null; then
	export LD_LIBRARY_PATH=
	cat >alone.sh <<-'END'
	mount -t tmpfs none /dev/shm || exit 9
	LD_PRELOAD=$layer:$shims TRACELAYER_OUTPUT=t.%p.json "$target" counts -n 1000 -f 3 2>err &
	"$python" "$top_srcdir/tests/buffers/kill.py" wait counts 16000
	pids=$("$python" "$top_srcdir/tests/buffers/kill.py" pids counts)
	kill -9 $pids
	wait 2>/dev/null
	await_death $pids
	ln -s /etc/passwd /dev/shm/tracelayer-buffers.1.0
	mkfifo /dev/shm/tracelayer-buffers.2.0
	mkdir /dev/shm/tracelayer-buffers.3.0
	: >/dev/shm/tracelayer-buffers.2147483646.0
	head -c 65536 /dev/zero >/dev/shm/tracelayer-buffers.5.0
	timeout 20 "$tracelayer" recover --format csv | sed 1d | wc -l
	timeout 20 "$tracelayer" recover --all >one &
	timeout 20 "$tracelayer" recover --all >two &
	wait
	cat one two | grep -c "4000 events recovered$"
	ls /dev/shm | sort | tr '\n' ' '
	timeout 20 "$tracelayer" recover --all
	echo "$?"
	END
	export layer shims target python tracelayer
	export -f await_death
	is "$(unshare -rm bash alone.sh 2>/dev/null)" "6
4
tracelayer-buffers.1.0 tracelayer-buffers.2.0 tracelayer-buffers.3.0 tracelayer-buffers.5.0 1" \
	"all leftovers at once, by two commands at the same time: each once; links, pipes, folders and what is not ours stay, whatever their names; empty files go"
	is "$(kill_py check counts t.*.json)" "16000 0" "and each call is in one trace"
else
	skip 2 "user namespaces can't be had on this machine"
fi

fresh
if unshare -rpf --mount-proc true 2>/dev/null; then
	# Its pid means nothing here, and somebody else may have it.
	LD_PRELOAD= unshare -rpf --mount-proc --kill-child sh -c "LD_PRELOAD=$layer:$shims TRACELAYER_OUTPUT=t.json exec $target counts -n 1000" 2>err &
	child=$!
	kill_py wait counts 4000
	buffers=$(buffers_of $(pids))
	like "$(recover "$buffers" 2>&1)" "process 1 is still running" "a live process in another pid namespace is not touched"
	pid=$(ps -o pid= --ppid $child)
	kill -9 $child; wait $child 2>/dev/null
	await_death $pid
	like "$(recover "$buffers")" "^kill_target \(1\): $tmp/t.json: 4000 events recovered" "and recovered when it is dead"
else
	skip 2 "pid namespaces can't be had on this machine"
fi

# --- somebody else's

leave 4000 -n 1000
if test "$(id -u)" = 0 && chown 65534 "$buffers" 2>/dev/null; then
	is "$(recover --list $child)" "nothing to recover" "somebody else's buffers are not shown, not to root either"
	like "$(recover "$buffers" 2>&1)" "it belongs to somebody else; " "and that is said to who names them"
	recover "$buffers" >out 2>&1
	is "$?$(left && echo " kept")" "1 kept" "nor touched"
	chown 0 "$buffers"
else
	skip 3 "files can't be given away on this machine"
fi
recover $child >out

# --- damaged ones

cat >damage.py <<'END'
"""damage.py WHOLE FILE ROUNDS: make FILE of WHOLE, damaged in one of several ways, and recover it; so many times. Print what is wrong."""
import glob, json, os, random, subprocess, sys
whole, path, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
recover = ["timeout", "20", os.environ["tracelayer"], "recover", "-o", "t.json", path]
with open(whole, "rb") as file:
    used = file.read(1 << 20)
end = max(i for i in range(0, len(used), 4096) if any(used[i:i + 4096])) + 4096


def damage(file, chance):
    way = chance.choice(["cut", "zero", "flip", "flip many", "swap"])
    if way == "cut":
        file.truncate(chance.randrange(end))
    elif way == "zero":
        at = chance.randrange(end)
        file.seek(at)
        file.write(bytes(chance.randrange(1, end - at + 1)))
    elif way == "swap":
        at, to = (chance.randrange(end // 4096) * 4096 for _ in range(2))
        file.seek(at)
        file.write(used[to:to + 4096])
    else:
        for _ in range(1 if way == "flip" else 1000):
            at = chance.randrange(end)
            file.seek(at)
            file.write(bytes([used[at] ^ 1 << chance.randrange(8)]))


for seed in range(1, rounds + 1):
    for old in glob.glob("t*.json"):
        os.remove(old)
    subprocess.run(["cp", "--sparse=always", whole, path], check=True)
    with open(path, "r+b") as file:
        damage(file, random.Random(seed))
    done = subprocess.run(recover, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode not in (0, 1, 3):
        print("seed %d: exit code %d, %r;" % (seed, done.returncode, done.stdout[-300:]))
    try:
        if os.path.exists("t.json"):
            with open("t.json", encoding="utf-8") as file:
                json.load(file)
    except ValueError as error:
        print("seed %d: no JSON: %s;" % (seed, error))
END
leave 4000 -n 1000 -d 2
cp --sparse=always "$buffers" whole
recover $child >out
rounds=25
test -z "$STRESS" || rounds=1000
wrong=$(tracelayer=$tracelayer "$python" damage.py whole tracelayer-buffers.$child.0 $rounds 2>&1)
is "$wrong" "" "damaged buffers ($rounds ways): a sound trace, or none, and an exit code that says so"

cp --sparse=always whole tracelayer-buffers.$child.0
rm -f t.json
printf 'zz' | dd of=tracelayer-buffers.$child.0 bs=1 seek=8 conv=notrunc 2>/dev/null
is "$(recover tracelayer-buffers.$child.0 2>&1; echo $?)" "tracelayer: $tmp/tracelayer-buffers.$child.0: it has another version of the record format; recover it with the tracelayer that made it
1" "buffers of another version are kept, and that is said"
ok "and are still there" test -e tracelayer-buffers.$child.0
recover --keep -o part.tlt whole >out
for size in 8 100 1000; do
	head -c $size part.tlt >part.cut
	like "$(recover part.cut 2>&1; echo "$?; $(stat -c %s part.cut) bytes")" "^1; $size bytes" "a trace that ends within its header is kept: $size bytes"
	is "$(recover part.cut 2>&1 | sed 's/.*part.cut: //')" "it ends within its header, so it is a part of a file; delete it if you don't need it" "and said to be a part of one"
done
echo rubbish >tracelayer-buffers.$child.0
nok "rubbish is no buffers file" recover tracelayer-buffers.$child.0
ok "and stays" test -s tracelayer-buffers.$child.0
nok "a file that is not there is no buffers file" recover nothing.at.all
recover >/dev/null --list "$tmp"
is $? 0 "a folder can be named"

# --- what is not ours is never deleted, whatever it begins with
ours="it is not a buffers file of a traced process, so it stays; \`tracelayer recover\` lists the buffers files"
(head -c 32768 /dev/zero; head -c 1M /dev/urandom) >disk.iso
head -c 180 /dev/zero >short
: >empty
for file in disk.iso short empty; do
	is "$(recover $file 2>&1; echo $?; ls $file)" "tracelayer: $tmp/$file: $ours
1
$file" "a file that only begins with zeros, or is short, stays: $file"
done
: >tracelayer-buffers.$child.3
is "$(recover "$tmp" >/dev/null 2>&1; ls tracelayer-buffers.$child.3 2>&1 | grep -c 'No such')" 1 "an empty file with the name of buffers, whose process died before it wrote to it, is removed"
: >tracelayer-buffers.$child.3
sleep 30 3<>tracelayer-buffers.$child.3 & writer=$!
for ((i = 0; i < 500; i++)); do test -e /proc/$writer/fd/3 && break; sleep 0.01; done
recover "$tmp" >/dev/null 2>&1
ok "but not while a process has it open: that one is about to write to it" test -e tracelayer-buffers.$child.3
kill $writer; wait $writer 2>/dev/null; rm -f tracelayer-buffers.$child.3
cp short tracelayer-buffers.$child.0
like "$(recover "$tmp" 2>&1; echo "$?, $(stat -c %s tracelayer-buffers.$child.0) bytes")" "^1, 180 bytes" "also by the name of one, in a folder that was named"
ln -s disk.iso link
is "$(recover link 2>&1; echo $?; ls disk.iso)" "tracelayer: $tmp/link: it is a symbolic link, which is not followed; \`tracelayer recover\` shows what there is
1
disk.iso" "a link is not followed"
is "$(recover --list link 2>&1)" "tracelayer: $tmp/link: it is a symbolic link, which is not followed
nothing to recover" "a list says so, too"
long=$(printf '%0300d' 0)
is "$(recover --list "$long" 2>&1)" "tracelayer: $tmp/$long: File name too long
nothing to recover" "and what is wrong with a file that can't be looked at"
like "$(timeout 10 "$tracelayer" recover /dev/zero 2>&1; echo $?)" "/dev/zero: it (is not a regular file|belongs to somebody else); " "a device is not opened"
mkfifo pipe
like "$(timeout 10 "$tracelayer" recover pipe 2>&1)" "/pipe: it is not a regular file; " "nor a pipe"
like "$(recover /etc/passwd 2>&1)" "^tracelayer: /etc/passwd: (it is not a buffers file|it belongs to somebody else)" "nobody is told to delete /etc/passwd"
unlike "$(recover /etc/passwd 2>&1)" "delete" "in any word"
wrong=
for seed in $(seq 20); do
	head -c $((seed * 997)) whole >cut.$seed 2>/dev/null
	cp cut.$seed cut.kept
	timeout 20 "$tracelayer" recover -o t.json cut.$seed >out 2>&1
	code=$?
	test $code -le 3 || wrong="$wrong $seed: $code;"
	# What has our header, and a dead owner, may go once its trace is written.
	test -e cut.$seed -o $((seed * 997)) -ge 4096 || wrong="$wrong $seed: deleted;"
	rm -f cut.$seed
done
is "$wrong" "" "buffers that were cut short: an exit code that says so; without a whole beginning they stay"
# Killed while it made them: the kind comes last, and nothing behind the first pieces is there. Where there is more, it is the kind that is damaged.
no_kind() { printf '\0\0\0\0' | dd of="$1" bs=1 seek=16 conv=notrunc status=none; }
begun=$("$python" -c 'import struct, sys
data, at = open("whole", "rb").read(), 4096
while struct.unpack_from("=I", data, at + 4)[0] <= 3:
    at += struct.unpack_from("=Q", data, at + 8)[0]
print(at)')
for size in 200 4200 "$begun"; do
	head -c "$size" whole >tracelayer-buffers.$child.0
	truncate -s 1M tracelayer-buffers.$child.0
	no_kind tracelayer-buffers.$child.0
	is "$(recover tracelayer-buffers.$child.0 2>&1; echo $?; ls tracelayer-buffers.$child.0 2>&1 | grep -c cannot)" "nothing to recover: 1 file had nothing that a trace lacks
0
1" "buffers whose process died in the making, after $size bytes: they go, and nothing is missing"
done
cp --sparse=always whole tracelayer-buffers.$child.0
no_kind tracelayer-buffers.$child.0
like "$(recover tracelayer-buffers.$child.0 2>&1; echo $?; ls tracelayer-buffers.$child.0)" "its beginning is damaged; delete it if you don't need it" \
	"with records behind it stays what has no kind"
cp --sparse=always whole tracelayer-buffers.$child.0
ln tracelayer-buffers.$child.0 other.name
recover -o t.json other.name >out
is "$?$(ls other.name tracelayer-buffers.$child.0 2>/dev/null)" "0tracelayer-buffers.$child.0" "buffers are known by what they carry; the name that was given goes"

# --- without a word of what to take, nothing is taken
cp --sparse=always whole tracelayer-buffers.$child.0
export XDG_RUNTIME_DIR=$tmp
said=$(recover 2>&1 >out)
like "$(cat out)" "^ *$child +kill_target .* $tmp/tracelayer-buffers.$child.0\$" "bare recover shows what there is"
is "$said" "tracelayer: nothing was changed; \`tracelayer recover --all\` recovers all of this, or name a pid, a folder or a file" "and says how to take it"
ok "and touches nothing" test -e tracelayer-buffers.$child.0
is "$(recover -o x.zst . 2>&1 | head -n 1; ls x.* 2>/dev/null)" "tracelayer recover: --output=x.zst: no format has this ending; use .json, .json.gz, .pftrace, .pftrace.gz or .tlt" "-o is judged as run judges it"
is "$(recover -o - . 2>&1 | head -n 1; ls -- - 2>/dev/null)" "tracelayer recover: --output=-: a trace cannot be recovered to standard output; name a file" "and is no standard output"
is "$(recover --keep >/dev/null 2>&1; echo $?)" 2 "an option that says how, and no word of what: usage"
is "$(recover --all . >/dev/null 2>&1; echo $?)" 2 "all and one: usage"
recover -o t.json . >out
is "$?$(ls tracelayer-buffers.$child.0 2>/dev/null)" 0 "a folder says what to take"
unset XDG_RUNTIME_DIR

is "$(recover --no-such-option 2>/dev/null; echo $?)" 2 "usage"

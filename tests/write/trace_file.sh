#!/bin/bash
# SPDX-License-Identifier: MIT
# trace_file.sh: what trace files real programs leave, and that those programs notice nothing.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
app=$(cd "$top_builddir" && pwd)/tests/apps/trace_file
libtracelayer=$(cd "$top_builddir" && pwd)/.libs/libtracelayer.so
tracelayer=$(cd "$top_builddir" && pwd)/tracelayer
export OCL_ICD_VENDORS=$tmp/none
cd "$tmp" || exit 99
plan 60

# ended TRACE: its last event says so.
ended() { tail -n 2 "$1" | head -n 1 | grep -q '"name":"tracelayer_end"'; }

# losses_lines: how many lines there are in err. On a busy machine a program runs for more than two seconds without being able
# to write, and one more line says so meanwhile: this one does not count.
losses_lines() { grep -cv 'events stay in memory while there is room' err; }

# What could not be written stays in memory, on purpose, named in the last line said.
forget_buffers()
{
	for pid in $(sed -n 's/.*tracelayer recover \([0-9]*\).*/\1/p' err); do rm -f /dev/shm/tracelayer-buffers."$pid".*; done
}

if "$app" unshare-user 1 2>err; then
	traced t.json "$app" unshare-user 20 2>err
	is $? 0 "a program that recorded little can still have a user namespace of its own"
	is "$(events t.json clGetPlatformIDs)" 40 "and all its calls are in the trace"
else
	skip 2 "user namespaces are not to be had on this machine: $(cat err)"
fi

traced t.json timeout 60 "$app" leave-main 30000
is $? 0 "a process ends with its last thread, though main has left and the writer runs"
is "$(events t.json clGetPlatformIDs)" 60000 "and the calls after main are in the trace"
ok "and the trace has its end" ended t.json

traced t.tlt timeout 300 "$app" short-threads 160000 >more
is $? 0 "a program with 160000 threads, one after the other, runs to its end"
is "$("$tracelayer" summary --csv t.tlt | sed -n 's/^clGetPlatformIDs,\([0-9]*\),.*/\1/p')" 160001 "and all its calls are in the trace"
if test "$(cat more)" = unknown; then
	skip 1 "the kernel of this machine doesn't say what memory a process touches (/proc/self/clear_refs)"
else
	# If the writer was held up once, there are a thousand producers and chunks, and each has its turn: of the last threads each touches two pages, 8000 kB.
	ok "and nothing looks at each thread that has ended: 1000 of the last threads touch little more memory than 1000 of the first ($(cat more) kB)" \
		test "$(cat more)" -lt 12000
fi

for ending in json json.gz; do
	traced "t.$ending" "$app" close-all 3000
	is $? 0 "a program that closes all descriptors gets the numbers it expects ($ending)"
	is "$(tr -d '\n' <own | sed 's/mine//g' | wc -c) $(wc -c <own)" "0 200" "and has only its own bytes in its file ($ending)"
	test $ending = json || { ok "the compressed file is whole" gzip -t t.json.gz; gzip -dc t.json.gz >t.json; }
	is "$(events t.json clGetPlatformIDs)" 153000 "and all its calls are in the trace ($ending)"
done

rm -f t*.json
env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=t.json "$app" change-folder 5
is "$(events t.json clGetPlatformIDs)" 5 "a relative name is meant where the program was started"
is "$(stat -c %a t.json)" 600 "a trace is for its user alone"
env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=t.json "$app" change-folder 6
is "$(events t.json clGetPlatformIDs) $(events t.1.json clGetPlatformIDs)" "5 6" "a name that is taken gets a number"

env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=fork.%p.json "$app" fork 30000
is $? 0 "a program that forks ends as it does without us"
is "$(events_each -- fork.*.json | sort -n | tr '\n' ' ')" "30000 60000 " \
	"and each process has a file with its own calls"

env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=none.json TRACELAYER_LEVEL=none "$app" change-folder 5
nok "level none leaves no file" test -e none.json

PMIX_RANK=7 LD_PRELOAD=$libtracelayer TRACELAYER_OUTPUT=%e.%r.%%.json "$app" change-folder 5
is "$(events trace_file.7.%.json)" 5 "patterns are filled in"

env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=missing/t.json "$app" change-folder 5 2>err
is $? 0 "a trace that can't be made does not disturb the program"
like "$(cat err)" "^tracelayer: $tmp/missing/t.json: its folder is not there, 5 events lost; .tracelayer recover [0-9]+. brings them" \
	"and is said, with a way to get them"
like "$(head -n 1 err)" "^tracelayer: $tmp/missing/t.json: its folder is not there; correct that, or name another file with TRACELAYER_OUTPUT$" \
	"which the first call has said already, when it could still be corrected"
is "$(wc -l <err)" 2 "in one line each"
forget_buffers

env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=limit.json bash -c 'ulimit -f 1000; exec "$@"' - "$app" change-folder 20000 2>err
is $? 0 "a limit on file sizes does not kill the program"
like "$(cat err)" '^tracelayer: .*limit\.json: File too large, [0-9]+ events lost; ' "and is said in one line"
forget_buffers

# File systems that are full, for a while or for good, and one that is read-only. Mounted where nobody else sees them.
on_small()
{
	unshare -rm bash -c 'mkdir -p small && mount -t tmpfs -o "$1" none small && shift && "$@"' - "$@"
}
full_for_a_while()
{
	head -c 15000000 /dev/zero >small/ballast
	{ sleep 0.7; rm small/ballast; sleep 0.3; : >go-on; } &
	env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="small/t.$1" "$app" wait 30000 2>err
	status=$?
	cp small/t* .
	return $status
}
full_for_good()
{
	head -c 800000 /dev/zero >small/ballast
	env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=small/t.json "$app" change-folder 30000 2>err
	status=$?
	cp small/t.json t.json
	return $status
}
read_only()
{
	env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=small/t.json "$app" change-folder 30000 2>err
}
export -f full_for_a_while full_for_good read_only
export libtracelayer app
if unshare -rm mount -t tmpfs none "$tmp" 2>err; then
	rm -f t* go-on
	ok "a program goes on while the disk is full" on_small size=16M full_for_a_while json
	is "$(cat err)" "" "nothing is said when there was room again in time"
	is "$(events t.json clGetPlatformIDs)" 60000 "and all calls are in the trace"
	rm -f t* go-on
	ok "and so it does where the records themselves are written" on_small size=16M full_for_a_while tlt
	"$tracelayer" export t.tlt -o t.json 2>>err
	is "$(cat err) $(events t.json clGetPlatformIDs)" " 60000" "and all calls are there"
	ok "a program on a disk that stays full ends as it would" on_small size=1M full_for_good
	like "$(cat err)" '^tracelayer: .*small/t\.json: No space left on device, 30000 events lost; ' "its losses are said"
	is "$(losses_lines) $(events t.json)" "1 0" "in one line, and the file that there is opens"
	forget_buffers
	ok "a program whose trace is to go to a read-only file system ends as it would" on_small ro read_only
	like "$(cat err)" '^tracelayer: .*small/t\.json: Read-only file system, 30000 events lost; ' "its losses are said"
	forget_buffers
else
	skip 10 "no file system can be mounted on this machine: $(cat err)"
fi

# The record format, spooled.
rm -f t* go-on
traced t.tlt "$app" fork 30000
is $? 0 "a program's records can be written as they are"
for file in t.tlt t.1.tlt; do "$tracelayer" export "$file" -o "$file.json" || break; done 2>err
is "$(cat err) $(events_each clGetPlatformIDs -- t.*json | sort -n | tr '\n' ' ')" " 30000 60000 " \
	"and are encoded afterwards, each process's own"
rm -f t*
env TRACELAYER_SPLIT=256K LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=t.tlt "$app" change-folder 30000
for file in t*.tlt; do "$tracelayer" export "$file" -o "$file.json" || break; done 2>err
is "$(cat err) $(events_each clGetPlatformIDs -- t*.json | awk '{ sum += $1 } END { print sum, (NR > 4) }')" " 30000 1" \
	"split into files that each open on their own"
rm -f t*
# How well times compress depends on the machine: 100,000 calls have been as little as 187 KB.
for ending in json pftrace.gz; do
	env TRACELAYER_SPLIT=64K LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="t.$ending" "$app" change-folder "$(test $ending = json && echo 100000 || echo 300000)"
	ok "files of a split trace have numbers ($ending)" test -s "t.1.$ending" -a -s "t.2.$ending" -a -s "t.3.$ending"
done
is "$(events_each clGetPlatformIDs -- t*.json | awk '{ sum += $1 } END { print sum }')" 100000 "and all calls"
ok "compressed ones are whole" gzip -t t*.pftrace.gz
rm -f t*
gone=$(env TRACELAYER_SPLIT=64K LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=t.json "$app" fork 3000 2>&1)
is "$gone $(events_each clGetPlatformIDs -- t*.json | awk '{ sum += $1 } END { print sum }')" " 9000" \
	"split files of several processes get different names"
rm -f t*

# Few calls: no chunk is ever full. The program ends when its third file is there.
cat >few.py <<'END'
import ctypes, os, time
cl, count, calls, end = ctypes.CDLL("libOpenCL.so.1"), ctypes.c_uint(), 0, time.monotonic() + 60
while not os.path.exists("t.2.tlt") and time.monotonic() < end:
    cl.clGetPlatformIDs(0, None, ctypes.byref(count))
    calls += 1
    time.sleep(0.01)
print(calls if os.path.exists("t.2.tlt") else "too late")
END
calls=$(env TRACELAYER_SPLIT=100ms LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=t.tlt "$python" few.py)
is "$("$tracelayer" summary --csv --name=clGetPlatformIDs --table=calls t*.tlt | awk -F, 'NR > 1 { print $2 }')" "$calls" "a program of few calls is split by time while it runs"
rm -f t*
# A chunk has some thousand calls, so it is full in the middle of a file's time.
cat >some.py <<'END'
import ctypes, glob, json, os, sys, time
if len(sys.argv) > 1:
    for name in sorted(glob.glob("t*.json"), key=os.path.getmtime)[:-1]:
        times = [event["ts"] for event in json.load(open(name)) if event["ph"] == "X"]
        if times[-1] - times[0] < 250000:
            print(name, times[-1] - times[0])
    sys.exit()
cl, count, end = ctypes.CDLL("libOpenCL.so.1"), ctypes.c_uint(), time.monotonic() + 60
while not os.path.exists("t.6.json") and time.monotonic() < end:
    cl.clGetPlatformIDs(0, None, ctypes.byref(count))
    time.sleep(0.0005)
END
env TRACELAYER_SPLIT=500ms LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=t.json "$python" some.py
ok "each file has the calls of its time" test "$(ls t*.json | wc -l)" -ge 7 -a -z "$("$python" some.py times)"
rm -f t* some.py
# Of 300 nested calls 124 have an entry. The others return when several files have ended; or never do.
echo 'void deep(void (*inner)(void));' >deep.h
echo 'void deep(void (*inner)(void)) { inner(); }' >deep_library.c
cat >deep.c <<'END'
#include <stdlib.h>
#include <unistd.h>
#include "deep.h"
static int depth, stays;
static void nothing(void) { }
static void go(void)
{
	if (depth++ < 300) {
		deep(go);
		return;
	}
	for (int i = 0; i < 25; i++) {
		usleep(10000);
		deep(nothing);
	}
	if (stays)
		exit(0);
}
int main(int argc, char **argv)
{
	stays = argc > 1;
	(void)argv;
	go();
	return 0;
}
END
${CC:-cc} -fPIC -shared -Wl,-soname,libdeep.so -o libdeep.so deep_library.c && ${CC:-cc} -o deep deep.c -L. -ldeep
for way in "" stay; do
	LD_LIBRARY_PATH=$PWD "$tracelayer" run --header="$PWD/deep.h" --lib="$PWD/libdeep.so" --split=100ms -o t.tlt -- ./deep $way >said 2>&1
	test -z "$way" && has=" 325" || has="176 lost) 149"
	is "$(grep -o '[0-9]* lost)' said) $("$tracelayer" summary --csv --name=deep --table=calls t*.tlt 2>said.too | awk -F, 'NR > 1 { print $2 }')" "$has" \
		"split files, calls without an entry that are open at a file's end and ${way:-return}: lost are those that never return" || cat said
	rm -f t*
done

# A pipe: the reader gets all of it, in order and with its end, however slow it is; and its end is nobody's death. The shell has the pipe
# open both ways until the reader is there, since to open it one way waits for the other.
mkfifo p.json
for calls in 5 40000; do
	exec 9<>p.json
	{ sleep 0.3; exec 9<&-; timeout 60 cat; } <p.json >read.json & reader=$!
	env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=p.json timeout 60 "$app" change-folder $calls 2>err 9<&-
	is "$? $(cat err)" "0 " "a trace can be written to a pipe ($calls calls)"
	exec 9<&-
	wait $reader
	is "$(events read.json clGetPlatformIDs)" $calls "and its reader has all of it"
	ok "and its end" ended read.json
done
exec 9<>p.json
# The reader goes when it has some calls: were it gone before the first call, that call would say so in a line of its own. The shell's other end of the pipe keeps
# the reader waiting for the program.
exec 8>p.json
{ exec 8>&- 9<&-; : >opened; head -c 100000 >/dev/null; } <p.json & reader=$!
until test -e opened || ! kill -0 $reader; do sleep 0.05; done
exec 9<&-
env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=p.json TRACELAYER_MEMORY=1M timeout 60 "$app" change-folder 400000 2>err 8>&-
is $? 0 "a reader that goes away does not kill the program, nor keep it waiting"
exec 8>&-
wait $reader
like "$(cat err)" '^tracelayer: .*p\.json: (Broken pipe|nobody reads it), [0-9]+ events lost; .tracelayer recover [0-9]+. brings ([0-9]+ of )?them back once' "and is said, with what can be had back"
is "$(losses_lines)" 1 "in one line"
forget_buffers

env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=t.json TRACELAYER_LEVLE=all "$app" fork 5 2>err
is "$(cat err)" "tracelayer: TRACELAYER_LEVLE: no such setting; did you mean TRACELAYER_LEVEL?" \
	"a misspelt setting is said once, though there are two processes"

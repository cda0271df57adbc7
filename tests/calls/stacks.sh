#!/bin/bash
# SPDX-License-Identifier: MIT
# run --stack: the stacks of calls are those that backtrace() tells, of programs without frame pointers, through libraries, exceptions, signal handlers,
# coroutines and threads; a library that takes another's place; code whose tables are damaged; a killed process; names by build ids, on another machine.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
: "${CC:=gcc}" "${CXX:=g++}"
top_builddir=$(cd "$top_builddir" && pwd)
top_srcdir=$(cd "$top_srcdir" && pwd)
libtracelayer=$top_builddir/.libs/libtracelayer.so
tracelayer=$top_builddir/tracelayer
export XDG_CACHE_HOME=$tmp/cache OCL_ICD_VENDORS=$tmp/none
cd "$tmp" || exit 99
plan 31

# Copies with damaged tables.
damaged=${STACKS_DAMAGED:-60}

cat >mid.h <<'END'
#ifdef __cplusplus
extern "C" {
#endif
void mid_call(void (*then)(int), int with);
#ifdef __cplusplus
}
#endif
END
cat >mid.c <<'END'
#include "mid.h"
__attribute__((noinline)) static int inner(void (*then)(int), int with)
{
	then(with);
	return with;
}
void mid_call(void (*then)(int), int with)
{
	volatile char room[300];
	room[with] = 1;
	inner(then, with);
	room[0] = 2;
}
END
cat >first.c <<'END'
void plugin_run(void (*then)(int), int with)
{
	volatile char room[40];
	room[1] = 1;
	then(with);
	room[0] = 2;
}
END
cat >second.c <<'END'
static __attribute__((noinline)) int second(void (*then)(int), int with)
{
	volatile char room[400];
	room[1] = 1;
	then(with + room[1]);
	return room[1];
}
void plugin_run(void (*then)(int), int with)
{
	volatile char room[140];
	room[1] = (char)second(then, with);
	room[0] = 2;
}
END
flags='-O2 -fomit-frame-pointer -fPIC'
for name in first second; do $CC $flags -shared $name.c -o $name.so || exit 99; done
$CC $flags -shared mid.c -o libmid.so || exit 99
$CXX -O2 -g -fomit-frame-pointer -Wl,--build-id -DCL_TARGET_OPENCL_VERSION=300 "$top_srcdir/tests/apps/stack_calls.cc" -o stack_calls \
	-L. -lmid -Wl,-rpath,'$ORIGIN' -lOpenCL -pthread || { echo "Bail out! stack_calls can't be built"; exit 99; }

# --- the same as backtrace()
TRACELAYER_STACK='*' traced t.json ./stack_calls all ./first.so first ./second.so second ./first.so first ./second.so second >wanted 2>err
is $? 0 "the program ends as it does without us"
same err /dev/null "and prints nothing of ours"
"$python" "$top_srcdir/tests/calls/stacks.py" t.json wanted >compared
for kind in plain aligned library again deep10 deep100 unwinding catch signal altstack coroutine between coroutine2 thread first second; do
	is "$(awk -v kind=$kind '$1 == kind && $2 == "same" { same++ } $1 == kind { all++ } END { print all && same == all }' compared)" 1 \
		"$kind: the stack is the one that backtrace() tells" || diag "$(grep "^$kind " compared | head -c 3000)"
done

# --- only some functions; nothing without the setting
traced plain.tlt ./stack_calls all >out 2>&1
is "$("$tracelayer" export plain.tlt -o - | grep -c '"stack"\|"sf"\|stackFrames')" 0 "without --stack there is none"
TRACELAYER_STACK='clGetDevice*,clFin*' traced some.json ./stack_calls all >out 2>&1
is "$(grep -c '"stack":\[' some.json)" 0 "with --stack=GLOBS, a function that no glob matches has none"

# --- damaged tables: the program must not notice
cat >damage.py <<'END'
import random, struct, sys
path, seed, to = sys.argv[1], int(sys.argv[2]), sys.argv[3]
data = bytearray(open(path, "rb").read())
shoff, = struct.unpack_from("<Q", data, 40)
size, count, names = struct.unpack_from("<HHH", data, 58)
section = lambda i: struct.unpack_from("<IIQQQQ", data, shoff + i * size)
strings = section(names)[4]
rng = random.Random(seed)
for i in range(count):
    name, _, _, _, offset, length = section(i)
    text = bytes(data[strings + name:data.index(0, strings + name)])
    if text == b".eh_frame" or (text == b".eh_frame_hdr" and seed % 2):
        for _ in range(rng.choice((1, 2, 8, 64))):
            data[offset + rng.randrange(length)] = rng.choice((0, 0xff, 0x7f, 0x80, rng.randrange(256)))
open(to, "wb").write(data)
END
mkdir damaged
for seed in $(seq "$damaged"); do echo "second.so $seed damaged/$seed.so"; done | xargs -n 3 "$python" damage.py
TRACELAYER_STACK='*' traced damaged.json ./stack_calls plugins $(printf 'damaged/%s.so ' $(seq "$damaged")) >out 2>err
is $? 0 "a program with damaged tables ends as it does without us" || diag "$(cat err)"
is "$(grep -c '"name":"clGetPlatformIDs"' damaged.json) $(grep '"name":"clGetPlatformIDs"' damaged.json | grep -c '"stack":\["stack_calls+0x')" \
	"$damaged $damaged" "and each call has the frames up to there"

# --- names
"$tracelayer" run --stack -o n.tlt -- ./stack_calls all >out 2>err
"$tracelayer" export n.tlt -o n.json >out 2>&1
cat >names.py <<'END'
import json, sys
trace = json.load(open(sys.argv[1]))
frames = trace["stackFrames"]
calls = [e for e in trace["traceEvents"] if e.get("name") == "clGetPlatformIDs"]
for call in sorted(calls, key=lambda e: e["ts"]):
    names, at = [], call["sf"]
    while at:
        names.append(frames[at]["name"])
        at = frames[at].get("parent")
    print(" < ".join(names))
END
"$python" names.py n.json >names
like "$(sed -n 3p names)" '^leaf\(int\) < (inner < )?mid_call < all\(\) < main < ' "export writes the functions' names as stackFrames"
like "$("$tracelayer" summary --by=stack --csv n.tlt)" '^leaf\(int\) < thread\(void\*\) < |^leaf\(int\) < aligned\(int\) < thread\(void\*\) < [^,]*,' \
	"summary --by=stack groups by them"

# --- another machine: the program is stripped, and its files lie elsewhere
objcopy --only-keep-debug stack_calls symbols && strip -o stripped stack_calls && mv stripped stack_calls
"$tracelayer" run --stack -o s.tlt -- ./stack_calls all >out 2>err
id=$(readelf -n stack_calls | sed -n 's/.*Build ID: //p')
mkdir -p there/.build-id/"${id%"${id#??}"}" there/files && mv symbols there/.build-id/"${id%"${id#??}"}/${id#??}.debug"
mv libmid.so stack_calls there/files
rm -f n.json
"$tracelayer" export s.tlt -o n.json >out 2>err
like "$("$python" names.py n.json | sed -n 3p)" '^stack_calls\+0x[0-9a-f]+ < (libmid.so\+0x[0-9a-f]+ < )+stack_calls\+0x' "without the files, frames have their places"
like "$(cat err)" 'stack_calls: not there, so its functions have no names; give a folder that has it with --symbols' "and a line says so"
rm -f n.json
"$tracelayer" export --symbols=there:there/files s.tlt -o n.json >out 2>err
like "$("$python" names.py n.json | sed -n 3p)" '^leaf\(int\) < (inner < )?mid_call < all\(\) < main < ' \
	"with --symbols, the names are those of the files with the same build ids"
echo 'int main(void) { return 0; }' >other.c && $CC -Wl,--build-id other.c -o stack_calls
rm -f n.json
"$tracelayer" export s.tlt -o n.json >out 2>err
like "$("$python" names.py n.json | sed -n 3p) $(cat err)" '^stack_calls\+0x.*not the file that was traced \(another build id\)' "a file with another build id does not count"

# --- killed
cp there/files/* .
("$tracelayer" run --header "$tmp/mid.h" --lib "$tmp/libmid.so" --stack -o k.tlt -- ./stack_calls killed >out 2>err) >/dev/null 2>&1
rm -f k.json
"$tracelayer" export k.tlt -o k.json >>out 2>&1
cat >killed.py <<'END'
import json
trace = json.load(open("k.json"))
frames = trace["stackFrames"]
for call in sorted((e for e in trace["traceEvents"] if e.get("ph") == "X"), key=lambda e: e["ts"]):
    files, at = [], call.get("sf")
    while at:
        files.append(frames[at].get("category", "?"))
        at = frames[at].get("parent")
    print(call["name"], "unfinished" if call["args"].get("unfinished") else "", " ".join(files))
END
"$python" killed.py >killed
is "$(sed 's/ libc.*//; s/  */ /g' killed)" "clGetPlatformIDs stack_calls stack_calls stack_calls stack_calls stack_calls stack_calls
mid_call stack_calls
clGetPlatformIDs stack_calls stack_calls libmid.so stack_calls
mid_call unfinished stack_calls" "after SIGKILL, calls have their stacks, the open one too" || diag "$(cat out err)"

# --- a JSON that recover wrote
("$tracelayer" run --stack -o kj.json -- ./stack_calls killed >out 2>err) >/dev/null 2>&1
is "$(grep -c '"stack":\["stack_calls+0x' kj.json)" 2 "recover writes stacks into the process's JSON" || diag "$(cat out)"
is "$("$python" -c 'import json; print(sum("stack" in e for e in json.load(open("kj.json"))))')" 2 "which is strict JSON"

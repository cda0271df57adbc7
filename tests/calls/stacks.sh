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
plan 47

# Copies with damaged tables, and how often they are made.
damaged=60 rounds=1
test -z "${STRESS:-}" || damaged=400 rounds=25

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
for kind in plain aligned library again deep10 deep100 unwinding catch signal fault altstack coroutine between coroutine2 thread first second; do
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
path, seed, copies, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
whole = open(path, "rb").read()
shoff, = struct.unpack_from("<Q", whole, 40)
size, count, names = struct.unpack_from("<HHH", whole, 58)
section = lambda i: struct.unpack_from("<IIQQQQ", whole, shoff + i * size)
strings = section(names)[4]
rng = random.Random(seed)
for copy in range(1, copies + 1):
    data = bytearray(whole)
    for i in range(count):
        name, _, _, _, offset, length = section(i)
        text = bytes(data[strings + name:data.index(0, strings + name)])
        if text == b".eh_frame" or (text == b".eh_frame_hdr" and copy % 2):
            for _ in range(rng.choice((1, 2, 8, 64))):
                data[offset + rng.randrange(length)] = rng.choice((0, 0xff, 0x7f, 0x80, rng.randrange(256)))
    open(f"{folder}/{copy}.so", "wb").write(data)
END
mkdir damaged
damaged_status=0 damaged_calls=0
for round in $(seq "$rounds"); do
	"$python" damage.py second.so "$round" "$damaged" damaged
	TRACELAYER_STACK='*' traced damaged.json ./stack_calls plugins $(printf 'damaged/%s.so ' $(seq "$damaged")) >out 2>err ||
		{ damaged_status=$?; diag "round $round: $damaged_status $(cat err)"; break; }
	damaged_calls=$((damaged_calls + $(grep '"name":"clGetPlatformIDs"' damaged.json | grep -c '"stack":\["stack_calls+0x')))
done
is $damaged_status 0 "a program with damaged tables ends as it does without us"
is $damaged_calls $((damaged * rounds)) "and each call has the frames up to there"

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

"$tracelayer" run --stack -o p.tlt -- ./stack_calls all ./first.so first >out 2>err
like "$(cd / && "$tracelayer" summary --by=stack --csv "$tmp/p.tlt" 2>&1)" '^"?leaf\(int\) < plugin_run < ' "a library that was opened as ./first.so is found from another folder"

# --- other outputs
"$tracelayer" export n.tlt -o n.folded >out 2>&1
like "$(cat n.folded)" '^_start;__libc_start_main;(__libc_start_call_main|libc\.so\.6\+0x[0-9a-f]+);main;all\(\);mid_call;(inner;)?leaf\(int\);clGetPlatformIDs [0-9]+$' \
	"export -o FILE.folded writes lines for flame graphs"
"$tracelayer" export n.tlt -o n.pftrace >out 2>&1
mkdir protos
if command -v protoc >/dev/null && "$python" -c 'import google.protobuf' 2>/dev/null; then
	protoc --python_out=protos --proto_path="$top_srcdir/tests/format/encode" pftrace.proto
	cat >callstacks.py <<'END'
import os
import sys
sys.path.insert(0, "protos")
import pftrace_pb2
trace = pftrace_pb2.Trace()
trace.ParseFromString(open("n.pftrace", "rb").read())
kept = {}
keep = lambda kind, entries: kept.setdefault(kind, {}).update((entry.iid, entry) for entry in entries)
for packet in trace.packet:
    data = packet.interned_data
    for kind in ("function_names", "mapping_paths", "build_ids", "mappings", "frames", "callstacks"):
        keep(kind, getattr(data, kind))
    if packet.track_event.callstack_iid:
        frames = [kept["frames"][frame] for frame in kept["callstacks"][packet.track_event.callstack_iid].frame_ids]
        for frame in frames:
            mapping = kept["mappings"][frame.mapping_id]
            path = kept["mapping_paths"][mapping.path_string_ids[0]].str
            # On arm64 the code that signal handlers return to is the vDSO's.
            assert path.startswith(b"/") and len(kept["build_ids"][mapping.build_id].str) == 20 or \
                (os.uname().machine, path) == ("aarch64", b"linux-vdso.so.1")
            assert mapping.start < mapping.end
        print(";".join(kept["function_names"][frame.function_name_id].str.decode() for frame in frames))
END
	"$python" callstacks.py >callstacks 2>err
	is "$(sort callstacks)" "$("$python" names.py n.json | awk -F ' < ' '{ for (i = NF; i > 0; i--) printf "%s%s", $i, (i > 1 ? ";" : "\n") }' | sort)" \
		"a .pftrace has the same stacks, interned, with paths and build ids" || diag "$(cat err)"
else
	skip 1 "this machine has no protoc, or no protobuf for Python"
fi
"$tracelayer" run --stack -o second.tlt -- ./stack_calls all >out 2>&1
"$tracelayer" export n.tlt second.tlt -o all.json >out 2>&1
is "$("$python" -c 'import json; print(*{e["stack"][-1] for e in json.load(open("all.json")) if e.get("cat", "").startswith("opencl") and len(e["stack"]) == 6})' 2>&1)" _start \
	"a timeline of several files has lists of names"

# --- many stacks
"$tracelayer" run --stack --split=150K -o many.tlt -- ./stack_calls many 3000 >out 2>&1
cat >whole.py <<'END'
import json, subprocess, sys
calls = found = 0
for path in sys.argv[2:]:
    trace = json.loads(subprocess.run([sys.argv[1], "export", path, "-o", "-"], stdout=subprocess.PIPE).stdout)
    these = [e for e in trace["traceEvents"] if e.get("name") == "clGetPlatformIDs"]
    calls += len(these)
    found += sum(e.get("sf") in trace["stackFrames"] for e in these)
print(calls, found)
END
is "$("$python" whole.py "$tracelayer" many*.tlt)" "3000 3000" "each file of a split trace has the stacks of its calls"
"$tracelayer" run --stack -o full.tlt -- ./stack_calls many 66000 >out 2>err
is "$("$python" whole.py "$tracelayer" full.tlt)" "66000 65536" "a process keeps 65,536 stacks"
like "$(cat err)" 'full.tlt: 464 calls have no stack, since there were too many different ones; select functions with --stack=GLOBS' "and a line says how many calls have none"
like "$("$tracelayer" export full.tlt -o - 2>/dev/null)" '"tracelayer_end".*"stackless":464' "as does the trace"

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

# --- a build id that no program header tells of, as Go's linker makes them
cp there/files/libmid.so .
"$python" - there/files/stack_calls go_calls <<'END'
import struct, sys
file = bytearray(open(sys.argv[1], "rb").read())
start, size, count = struct.unpack_from("<Q", file, 32) + struct.unpack_from("<HH", file, 54)
heads = [at for at in range(start, start + count * size, size) if struct.unpack_from("<I", file, at)[0] == 4]
id_at = file.index(struct.pack("<III4s", 4, 20, 3, b"GNU"))
for at in heads:
    where, room = struct.unpack_from("<Q", file, at + 8)[0], struct.unpack_from("<Q", file, at + 32)[0]
    if where + room != id_at:  # all but the one that ends there
        struct.pack_into("<I", file, at, 0)
open(sys.argv[2], "wb").write(file)
END
chmod +x go_calls
if test "$(readelf -Wl go_calls | grep -c NOTE)" = 0; then
	skip 2 "this machine's linker puts no note before the build id"
else
	"$tracelayer" run --stack -o go.tlt -- ./go_calls all >out 2>err
	is "$(readelf -Wl go_calls | grep -c NOTE)" 1 "a program of which the build id lies behind its notes, as Go's linker leaves them"
	rm -f n.json
	"$tracelayer" export --symbols=there go.tlt -o n.json >out 2>err
	like "$("$python" names.py n.json | sed -n 3p)" '^leaf\(int\) < (inner < )?mid_call < all\(\) < main < ' "is known by it, so that its functions have names" ||
		diag "$(cat out err)"
fi

# --- names as Rust's compiler makes them, the older and the newer way
cat >rust.c <<'END'
#include "mid.h"
void newer(void) __asm__("_RNvCs1234_7mycrate5newer");
void older(void) __asm__("_ZN7mycrate5older17h0123456789abcdefE");
static void nothing(int with) { }
__attribute__((noinline)) void newer(void) { mid_call(nothing, 1); __asm__ volatile(""); }
__attribute__((noinline)) void older(void) { newer(); __asm__ volatile(""); }
int main(void) { older(); return 0; }
END
$CC -w -O1 rust.c -o rust -L. -lmid -Wl,-rpath,"$tmp"
"$tracelayer" run --header "$tmp/mid.h" --lib "$tmp/libmid.so" --stack -o rust.tlt -- ./rust >out 2>err
"$tracelayer" summary --by=stack rust.tlt >>out 2>>err
like "$(tr '\n' ' ' <out)" "mycrate::newer.*mycrate::older" "Rust's functions have the names that its source has" || diag "$(cat out err)"
unlike "$(cat out)" "h0123456789|_RNv" "and nothing of what its compiler adds"

# --- killed
cp there/files/* .
("$tracelayer" run --header "$tmp/mid.h" --lib "$tmp/libmid.so" --stack -o k.tlt -- ./stack_calls killed >out 2>err; true) >/dev/null 2>&1
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
("$tracelayer" run --stack -o kj.json -- ./stack_calls killed >out 2>err; true) >/dev/null 2>&1
is "$(grep -c '"stack":\["stack_calls+0x' kj.json)" 2 "recover writes stacks into the process's JSON" || diag "$(cat out)"
is "$("$python" -c 'import json; print(sum("stack" in e for e in json.load(open("kj.json"))))')" 2 "which is strict JSON"

# --- two functions behind one name: each has an entry that was made at run time
mkdir two
for driver in icd_a icd_b; do
	echo "$top_builddir/tests/drivers/.libs/$driver.so" >two/$driver.icd
done
OCL_ICD_VENDORS=$tmp/two "$tracelayer" run --stack -o two.tlt -- "$top_builddir/tests/apps/cl_extension" >out 2>err
is $? 0 "calls through entries that were made at run time" || diag "$(cat out err)"
"$tracelayer" summary --by=stack two.tlt >out 2>err
like "$(grep -c '^allocate_and_free' out) $(grep -c 'closure\|ffi_' out)" "^[1-9][0-9]* 0$" "they have the program's frames alone" || diag "$(head -40 out)"

# --- the same, as a tool sees their caller
cat >who.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <tracelayer/tool.h>
#include <tracelayer/tracer.h>
const unsigned tl_tool_version = TL_TOOL_VERSION;
static unsigned long calls, from_program;
static void after(const struct tl_view *view, void *user_data, void **instance_data)
{
	Dl_info info;
	__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
	if (dladdr(view->caller, &info) && strstr(info.dli_fname, "cl_extension"))
		__atomic_fetch_add(&from_program, 1, __ATOMIC_RELAXED);
}
int tl_tool_start(const struct tl_tool_host *host)
{
	struct tl_tracer_desc desc = {.size = sizeof(desc)};
	struct tl_tracer *tracer;
	return tl_tracer_create(&desc, &tracer) || tl_tracer_register_glob(tracer, NULL, "clHostMemAllocINTEL,clMemFreeINTEL", NULL, after) ||
	       tl_tracer_enable(tracer);
}
void tl_tool_end(void) { fprintf(stderr, "%lu of %lu\n", from_program, calls); }
END
${CC:-cc} -w -shared -fPIC -I"$top_srcdir/include" who.c -o who.so -L"$top_builddir/.libs" -ltracelayer
OCL_ICD_VENDORS=$tmp/two "$tracelayer" run --level=none --tool ./who.so -- "$top_builddir/tests/apps/cl_extension" >out 2>err
is "$(cat err)" "400 of 400" "and as a tool sees it, the program made them" || diag "$(cat out)"

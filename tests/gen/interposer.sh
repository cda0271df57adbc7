#!/bin/bash
# SPDX-License-Identifier: MIT
# tracegen interposer: the library that it writes is one to binutils, elfutils, gdb and the dynamic linker; it keeps versions; functions that
# can't have a shim are refused by name; unwinders, longjmp and coroutines find what they expect. tests/calls/torture.sh has the arguments.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
tracegen=$(cd "$top_builddir" && pwd)/tracegen
top_builddir=$(cd "$top_builddir" && pwd) top_srcdir=$(cd "$top_srcdir" && pwd)
libtracelayer=$top_builddir/.libs/libtracelayer.so
plan 74

cd "$tmp" || exit 99
cat >sample.h <<'END'
#include <setjmp.h>
#include <stdarg.h>
struct sample_pair { long first; double second; };
struct sample_large { long words[5]; };
int sample_add(int a, long b);
int sample_old(void);
struct sample_pair sample_pair(struct sample_pair pair, float by);
struct sample_large sample_large(struct sample_large large, const char *name);
long sample_sum(int count, ...);
int sample_format(char *to, unsigned long size, const char *format, va_list list);
long double sample_half(long double x);
int sample_run(int (*inside)(void *), void *with);
int sample_setjmp(jmp_buf buffer);
int setjmp_like(void);
int sample_missing(void);
END
cat >sample.c <<'END'
#include <stdio.h>
#include <string.h>
#include "sample.h"
int sample_add(int a, long b) { return a + (int)b; }
int sample_old_1(void) { return 1; }
int sample_old_2(void) { return 2; }
__asm__(".symver sample_old_1, sample_old@SAMPLE_1");
__asm__(".symver sample_old_2, sample_old@@SAMPLE_2");
struct sample_pair sample_pair(struct sample_pair pair, float by) { pair.first += (long)by; pair.second *= by; return pair; }
struct sample_large sample_large(struct sample_large large, const char *name) { large.words[4] += (long)strlen(name); return large; }
long sample_sum(int count, ...)
{
	va_list list;
	long sum = 0;
	va_start(list, count);
	for (int i = 0; i < count; i++) sum += va_arg(list, long);
	va_end(list);
	return sum;
}
int sample_format(char *to, unsigned long size, const char *format, va_list list) { return vsnprintf(to, size, format, list); }
long double sample_half(long double x) { return x / 2; }
int sample_run(int (*inside)(void *), void *with) { return inside(with) + 1; }
int setjmp_like(void) { return 3; }
int _setjmp(jmp_buf buffer);
int vfork_like(void) { return 4; }
END
cat >sample.map <<'END'
SAMPLE_1 { global: sample_old; sample_add; local: *; };
SAMPLE_2 { global: sample_*; setjmp_like; vfork_like; } SAMPLE_1;
END
cat >app.c <<'END'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "sample.h"
static jmp_buf away;
static int jumps(void *with) { (void)with; longjmp(away, 1); }
static int prints(void *with) { printf("inside %s\n", (char *)with); return 5; }
static int formats(char *to, ...)
{
	va_list list;
	va_start(list, to);
	int n = sample_format(to, 100, "%d %s %g %ld %d %d %d", list);
	va_end(list);
	return n;
}
static ucontext_t outside, inside;
static long of_coroutine;
/* Its frame is at the very end of what can be read. */
static void coroutine(void) { of_coroutine = sample_sum(3, 1L, 2L, 3L); swapcontext(&inside, &outside); }
#ifdef OLD
__asm__(".symver sample_old, sample_old@SAMPLE_1");
#endif
int main(void)
{
	char text[100];
	printf("add %d, old %d\n", sample_add(-3, 5), sample_old());
	struct sample_pair pair = sample_pair((struct sample_pair){1, 2.5}, 4);
	printf("pair %ld %g\n", pair.first, pair.second);
	struct sample_large large = sample_large((struct sample_large){{1, 2, 3, 4, 5}}, "four");
	printf("large %ld %ld\n", large.words[0], large.words[4]);
	printf("sum %ld\n", sample_sum(9, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L));
	printf("%d", formats(text, 1, "two", 3.5, 4L, 5, 6, 7));
	printf(" %s\n", text);
	printf("half %Lg\n", sample_half(7));
	printf("run %d\n", sample_run(prints, "here"));
	for (int i = 0; i < 3; i++)
		if (!setjmp(away)) sample_run(jumps, NULL);
	char *stack = mmap(NULL, 3 * 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(stack, 2 * 65536, PROT_READ | PROT_WRITE);
	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = 2 * 65536;
	makecontext(&inside, coroutine, 0);
	swapcontext(&outside, &inside);
	printf("coroutine %ld\n", of_coroutine);
	return 3;
}
END
${CC:-cc} -O1 -fPIC -shared -Wl,-soname,libsample.so.1 -Wl,--version-script=sample.map -o libsample.so.1 sample.c 2>log &&
	${CC:-cc} -O1 -o app app.c ./libsample.so.1 -Wl,-rpath,"$tmp" 2>>log &&
	${CC:-cc} -O1 -DOLD -o old app.c ./libsample.so.1 -Wl,-rpath,"$tmp" 2>>log
is $? 0 "a library with versions, a program, and one linked to an older version" || diag "$(cat log)"

"$tracegen" interposer --header sample.h --lib ./libsample.so.1 -o interposer.so >out 2>err
is $? 0 "an interposer is written" || diag "$(cat err)"
is "$(cat err)" "" "it complains of nothing"
like "$(tail -n 1 out)" '^10 functions of libsample.so.1, 0 of them by name alone; 0 left out, 3 not declared by the headers$' "it says what it has"
mkdir -p again && "$tracegen" interposer --header sample.h --lib ./libsample.so.1 -o again/interposer.so >/dev/null
same interposer.so again/interposer.so "the same input gives the same bytes"

# --- what other tools say of the file
readelf -aW interposer.so >readelf.out 2>readelf.err
is "$?:$(cat readelf.err)$(grep -i 'warning' readelf.out)" "0:" "readelf reads all of it"
objdump -d -x interposer.so >objdump.out 2>&1
is $? 0 "objdump takes it apart"
unlike "$(cat objdump.out)" '\(bad\)|arning' "and each instruction is one"
if command -v eu-elflint >/dev/null; then
	is "$(eu-elflint --gnu-ld interposer.so 2>&1)" "No errors" "eu-elflint finds no errors"
else
	skip 1 "eu-elflint is not on this machine"
fi
if command -v gdb >/dev/null; then
	gdb -q -nx -batch -ex 'info functions sample_' -ex 'disassemble sample_add' interposer.so >gdb.out 2>&1
	like "$(cat gdb.out)" 'End of assembler dump' "gdb opens it"
	unlike "$(cat gdb.out)" 'rror|arning|corrupt' "without complaint"
else
	skip 2 "gdb is not on this machine"
fi
like "$(cat readelf.out)" 'NEEDED.*libtracelayer\.so\.0' "it needs libtracelayer.so.0"
like "$(cat readelf.out)" 'GNU_STACK.* RW +' "the stack is not executable"
like "$(cat readelf.out)" 'GNU_RELRO' "what is constant is made read-only"
like "$(cat readelf.out)" 'Build ID: [0-9a-f]+' "it has a build id"
like "$(cat readelf.out)" 'sample_old@SAMPLE_1' "the old version is there"
like "$(cat readelf.out)" 'sample_old@@SAMPLE_2' "and the default one"
unlike "$(cat readelf.out)" 'vfork_like' "what the header doesn't declare is left out"

# --- programs
interposed()
{
	rm -f t.json
	env LD_PRELOAD="$libtracelayer:$tmp/interposer.so" TRACELAYER_OUTPUT="$tmp/t.json" "$@"
}
for program in app old; do
	./$program >bare.out 2>&1
	is $? 3 "$program: runs bare"
	interposed ./$program >traced.out 2>&1
	is $? 3 "$program: traced it ends the same way"
	same bare.out traced.out "$program: with the same output"
done
like "$(cat t.json)" '"name":"sample_old@SAMPLE_1".*"result":1\}' "the old version's call is recorded as that"
interposed TRACELAYER_LEVEL=none ./app >traced.out 2>&1
like "$(cat traced.out)" 'old 2' "nobody watching: the default version is called"
interposed ./app >/dev/null
is "$(events t.json)" 12 "each call is recorded once"
like "$(cat t.json)" '"sample_add".*"args":\{"a":-3,"b":5,"result":2\}' "with its arguments and its result"
like "$(cat t.json)" '"sample_sum".*"args":\{"count":9,"result":45\}' "a variadic function with those that have a name"
is "$(grep -c '"sample_run".*unwound' t.json)" 3 "calls left by longjmp are recorded as left"
if command -v gdb >/dev/null; then
	gdb -q -nx -batch -ex "set exec-wrapper env LD_PRELOAD=$libtracelayer:$tmp/interposer.so TRACELAYER_OUTPUT=$tmp/g.json" \
		-ex 'set breakpoint pending on' -ex 'break prints' -ex run -ex bt -ex delete -ex continue ./app >gdb.out 2>&1
	like "$(grep -A8 '^#0' gdb.out | tr '\n' ' ')" '#0 .*prints.*sample_run.*tl_generic_entry.*#[34] .*main' "gdb sees through the entry"
else
	skip 1 "gdb is not on this machine"
fi

# --- a library that the program needs calls in its constructor, before tracelayer's own constructor runs; and the program calls exit inside a call
cat >early.c <<'END'
#include "sample.h"
static __attribute__((constructor)) void early(void) { sample_add(40, sample_add(1, 1)); }
int early_is(void) { return sample_old(); }
END
cat >ends.c <<'END'
#include <stdlib.h>
#include "sample.h"
int early_is(void);
static int inside(void *with) { exit(sample_add(*(int *)with, 2)); }
static void at_exit(void) { sample_add(100, 1); }
int main(void) { int three = early_is() + 1; atexit(at_exit); return sample_run(inside, &three); }
END
ok "a library with a constructor and a program are built" sh -c '$0 -w -fPIC -shared -o libearly.so early.c ./libsample.so.1 &&
	$0 -w -o ends ends.c ./libearly.so ./libsample.so.1 -Wl,-rpath,"$PWD"' "${CC:-cc}"
./ends; bare=$?
interposed ./ends; is "$?" "$bare" "traced the program ends the same way ($bare)"
like "$(cat t.json)" '"sample_add".*"args":\{"a":40,"b":2,"result":42\}' "a constructor's call is recorded"
is "$("$python" "$top_srcdir/tests/lib/check_trace.py" --names t.json | sort | tr '\n' ' ')" "sample_add 4 sample_old 1 sample_run 1 " "each call is, once"
like "$(cat t.json)" '"sample_run".*"unwound":true' "the call that exit has left, too, without a result"
ok "the trace is sound" "$python" "$top_srcdir/tests/lib/check_trace.py" t.json
interposed TRACELAYER_TOOLS="$top_builddir/callbacks/.libs/log.so" ./ends 2>log
like "$(cat log)" 'sample_run\(.*left without a result' "and tools see its end"

# --- another library has a function of the same name, and the dynamic linker finds it first: the library's own calls get there, too
cat >shared.h <<'END'
int shared_inner(int a);
int shared_outer(int a);
int shared_twice(int a);
END
cat >shared.c <<'END'
#include "shared.h"
int shared_inner(int a) { return a + 1; }
int shared_outer(int a) { return 2 * shared_inner(a); }
int shared_twice(int a) { return shared_inner(2 * a); }
END
cat >before.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
int shared_inner(int a) { return 100 + ((int (*)(int))dlsym(RTLD_NEXT, "shared_inner"))(a); }
int shared_twice(int a) { return shared_inner(2 * a); } /* a jump */
END
cat >both.c <<'END'
#include <stdio.h>
#include "shared.h"
int main(void) { return printf("%d %d %d\n", shared_inner(1), shared_outer(1), shared_twice(1)) < 0; }
END
ok "two libraries with one function are built" sh -c '$0 -w -fPIC -shared -o libshared.so shared.c && $0 -w -O2 -fPIC -shared -o libbefore.so before.c &&
	$0 -w -o both both.c -Wl,--no-as-needed ./libbefore.so ./libshared.so -Wl,-rpath,"$PWD"' "${CC:-cc}"
is "$(./both)" "102 204 103" "bare, the first one gets the other's calls"
shared() { timeout 60 "$top_builddir/tracelayer" run --header shared.h --lib ./libshared.so -o t.json -- "$@"; }
for now in '' 1; do
	rm -f t.json
	is "$(LD_BIND_NOW=$now shared ./both 2>said)" "102 204 103" "traced, it gets them, too${now:+, where all is bound at the start}"
done
is "$("$python" "$top_srcdir/tests/lib/check_trace.py" --names t.json | sort | tr '\n' ' ')" "shared_inner 2 shared_outer 1 shared_twice 1 " \
	"the first one's jump is recorded as a call, and what the other calls of itself is not"

# --- the library that is loaded is older than the one of which the interposer was made: a program that looks for what it lacks does not find it
echo 'int grown_old(void), grown_new(void);' >grown.h
cat >asks.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int grown_old(void);
int main(void)
{
	const char *names[] = {"grown_old", "grown_new"};
	int found = grown_old();
	for (int i = 0; i < 2; i++)
		printf("%d %d %d ", !!dlsym(RTLD_DEFAULT, names[i]), !!dlsym(RTLD_NEXT, names[i]), !!dlsym(dlopen(NULL, RTLD_NOW), names[i]));
	const char *why = dlerror();
	printf("%s\n", why ? why : "no error");
	return found;
}
END
ok "a library and an older version of it are built" sh -c 'echo "int grown_old(void) { return 4; } int grown_new(void) { return 5; }" >grown.c &&
	$0 -w -fPIC -shared -Wl,-soname,libgrown.so -o new-grown.so grown.c && echo "int grown_old(void) { return 4; }" >grown.c &&
	$0 -w -fPIC -shared -Wl,-soname,libgrown.so -o libgrown.so grown.c && $0 -w -o asks asks.c ./libgrown.so -Wl,-rpath,"$PWD"' "${CC:-cc}"
"$tracegen" interposer --header grown.h --lib ./new-grown.so -o grown-interposer.so >/dev/null
bare=$(./asks; echo "$?")
like "$bare" '^1 1 1 0 0 0 .*undefined symbol: grown_new' "bare, the program does not find the newer function"
rm -f t.json
is "$(LD_PRELOAD="$libtracelayer:$tmp/grown-interposer.so" TRACELAYER_OUTPUT="$tmp/t.json" ./asks; echo "$?")" "$bare" "traced, it does not, either"
like "$(cat t.json)" '"name":"grown_old"' "and the older one is recorded"

# --- two libraries that are both traced, of which one calls the other: those are calls like a program's
echo 'int under_add(int), over_add(int), over_jump(int);' >pair.h
echo 'int under_twice(int n) { return n * 2; } int under_add(int n) { return under_twice(n) + 1; }' >under.c
echo '#include "pair.h"
static volatile int zero; int over_add(int n) { return under_add(n) + under_add(n) + zero; } int over_jump(int n) { return under_add(n); }' >over.c
echo '#include "pair.h"
#include <stdio.h>
int main(void) { printf("%d %d %d\n", over_add(1), over_jump(2), under_add(3)); return 0; }' >pair.c
ok "a library that calls another one is built" sh -c '$0 -w -O1 -fPIC -shared -o libunder.so under.c && $0 -w -O2 -fPIC -shared -o libover.so over.c ./libunder.so &&
	$0 -w -o pair pair.c ./libover.so ./libunder.so -Wl,-rpath,"$PWD"' "${CC:-cc}"
for now in '' 1; do
	rm -f t.json
	is "$(LD_BIND_NOW=$now "$top_builddir/tracelayer" run --header pair.h --lib ./libover.so --lib ./libunder.so -o t.json -- ./pair 2>said)" "6 5 7" \
		"traced, the program gives the same${now:+, where all is bound at the start}"
	is "$("$python" "$top_srcdir/tests/lib/check_trace.py" --names t.json | sort | tr '\n' ' ')" "over_add 1 over_jump 1 under_add 4 " \
		"and what one library calls of the other is recorded${now:+ there, too}"
done

# --- a library that is named twice, with the same name in the trace
rm -f twice.tlt
"$top_builddir/tracelayer" run --quiet --header pair.h --lib ./libunder.so --lib ./libunder.so -o twice.tlt -- ./pair >out 2>err
"$top_builddir/tracelayer" summary twice.tlt >>out 2>>err
is "$? $(cat err) $(grep -o '^under_add *[0-9]*' out | xargs)" "0  under_add 4" "a library that is named twice: its trace is sound"

# --- libraries without section headers: the dynamic linker needs none, and neither does tracegen
stripped() { "$python" -c 'import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
struct.pack_into("<Q", data, 0x28, 0)
struct.pack_into("<HHH", data, 0x3a, 0, 0, 0)
open(sys.argv[2], "wb").write(data)' "$1" "$2"; }
mkdir -p bare && stripped libsample.so.1 bare/libsample.so.1
is "$(readelf -hW bare/libsample.so.1 2>&1 | sed -n 's/.*Number of section headers: *//p')" 0 "a library without section headers"
"$tracegen" interposer --header sample.h --lib ./bare/libsample.so.1 -o bare/interposer.so >out 2>err
is "$?:$(cat err)" 0: "has an interposer"
same interposer.so bare/interposer.so "with the same functions and versions"
rm -f t.json; env LD_LIBRARY_PATH="$tmp/bare" LD_PRELOAD="$libtracelayer:$tmp/interposer.so" TRACELAYER_OUTPUT="$tmp/t.json" ./app >traced.out
is "$(events t.json)" 12 "and its calls are recorded"
for style in sysv gnu; do
	mkdir -p $style && ${CC:-cc} -O1 -fPIC -shared -Wl,-soname,libsample.so.1,--version-script=sample.map,--hash-style=$style -o $style/whole.so sample.c &&
		stripped $style/whole.so $style/libsample.so.1 &&
		"$tracegen" interposer --header sample.h --lib ./$style/libsample.so.1 -o $style/interposer.so >out 2>err
	same interposer.so $style/interposer.so "symbols are counted by the hash table of style $style"
done
# The file ends at each of these bytes, or has others there: refused or read, but never a crash.
for size in 16 63 64 100 500 700 1000 2000 4000; do
	head -c $size gnu/libsample.so.1 >cut.so
	timeout 20 "$tracegen" interposer --lib ./cut.so -o cut.interposer.so >/dev/null 2>>cut.err || echo $? >>cut.codes
done
is "$(sort -u cut.codes)" 1 "libraries that were cut short are refused"
for seed in $(seq 40); do
	"$python" -c 'import random, sys
random.seed(int(sys.argv[1]))
data = bytearray(open("gnu/libsample.so.1", "rb").read())
for _ in range(30):
    data[random.randrange(64, 2500)] = random.randrange(256)
open("cut.so", "wb").write(data)' "$seed"
	timeout 20 "$tracegen" interposer --lib ./cut.so -o cut.interposer.so >/dev/null 2>&1; test $? -le 1 || echo "seed $seed ends with $?" >>broken
done
is "$(cat broken 2>/dev/null)" "" "and damaged ones do no harm"
# A file whose segments all have the whole file as their code.
segments()
{
	"$python" -c 'import struct, sys
data = bytearray(open("gnu/libsample.so.1", "rb").read())
data += b"\x8d" * (int(sys.argv[2]) - len(data) % 8)
start, = struct.unpack_from("<Q", data, 32)
count, = struct.unpack_from("<H", data, 56)
headers = data[start:start + 56 * count]
more = int(sys.argv[1])
size = len(data) + len(headers) + 56 * more
struct.pack_into("<Q", data, 32, len(data))
struct.pack_into("<H", data, 56, count + more)
data += headers + struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, size, size, 4096) * more
open("cut.so", "wb").write(data)' "$1" "$2"
	timeout 10 "$tracegen" interposer --lib ./cut.so -o cut.interposer.so >/dev/null 2>cut.err
}
segments 60000 80000
is "$? $(cat cut.err)" "1 tracegen: ./cut.so: it has more segments than a library has; name the shared library that programs load" \
	"a file with 60,000 segments is refused at once"
segments 200 16000000
is $? 0 "with 200 it is read, and the same code once" || diag "$(cat cut.err)"

# --- parameters of which the generic entry would pass on a part
cat >huge.h <<'END'
struct huge { long words[300]; };
long huge_ends(struct huge huge);
long huge_half(struct huge *huge);
END
cat >huge.c <<'END'
#include "huge.h"
long huge_ends(struct huge huge) { return huge.words[0] + huge.words[299]; }
long huge_half(struct huge *huge) { return huge->words[150]; }
END
cat >huge_app.c <<'END'
#include <stdio.h>
#include "huge.h"
int main(void)
{
	static struct huge huge = {{1, [150] = 4, [299] = 2}};
	printf("%ld %ld\n", huge_ends(huge), huge_half(&huge));
	return 0;
}
END
${CC:-cc} -fPIC -shared -Wl,-soname,libhuge.so -o libhuge.so huge.c && ${CC:-cc} -o huge_app huge_app.c ./libhuge.so -Wl,-rpath,"$tmp"
"$tracegen" interposer --header huge.h --lib ./libhuge.so -o huge.so >out
is "$(head -n 1 out)" "huge_ends: its parameters are larger than 2 KiB" "a function of large structs by value is left out, with the reason"
rm -f t.json
is "$(env LD_PRELOAD="$libtracelayer:$tmp/huge.so" TRACELAYER_OUTPUT="$tmp/t.json" ./huge_app)" "3 4" "so it gets all of them"
is "$(events t.json)" 1 "and the other function is traced"

# --- no header, and refusals
"$tracegen" interposer --lib ./libsample.so.1 -o named.so >out
like "$(tail -n 1 out)" '^13 functions of libsample.so.1, 13 of them by name alone' "without a header: all exports, by name"
rm -f t.json; env LD_PRELOAD="$libtracelayer:$tmp/named.so" TRACELAYER_OUTPUT="$tmp/t.json" ./app >traced.out
./app >bare.out
same bare.out traced.out "the program is the same with these"
is "$(events t.json)" 12 "and each call is recorded"
cat >jumps.c <<'END'
int _setjmp(void *buffer) { (void)buffer; return 0; }
int vfork(void) { return 1; }
int harmless(void) { return 2; }
END
${CC:-cc} -w -ffreestanding -fPIC -shared -o libjumps.so jumps.c
"$tracegen" interposer --lib ./libjumps.so -o jumps.so >out
like "$(cat out)" '^vfork: it returns twice' "vfork is refused, with the reason"
like "$(cat out)" '^_setjmp: it returns twice' "so is setjmp"
echo 'int nothing_of_it(void);' >other.h
"$tracegen" interposer --header other.h --lib ./libsample.so.1 -o other.so >out 2>err
is "$?:$(grep -c 'exports none of the functions' err):$(test -e other.so; echo $?)" 1:1:1 "a library with none of the header's functions is refused"
"$tracegen" interposer --header sample.h --lib ./app.c -o other.so >out 2>err
like "$(cat err)" 'app.c: not an ELF file' "what is no library is refused"
"$tracegen" interposer --header sample.h -o other.so >out 2>err
is $? 2 "without a library it says what it needs"

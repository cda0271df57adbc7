#!/bin/bash
# SPDX-License-Identifier: MIT
# What a result says besides its value: errno of a call that failed, where the header says that it is set; the text that a const char * leads
# to. The library is written here, with a wrong guess of each kind; zlib is the real one.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
: "${CC:=cc}"
top_builddir=$(cd "$top_builddir" && pwd)
top_srcdir=$(cd "$top_srcdir" && pwd)
plan 24
export XDG_CACHE_HOME=$tmp/cache
cd "$tmp" || exit 99

cat >jar.h <<'END'
#include <sys/types.h>
/** Opens a jar. \return -1 with \p errno set to \c ENOENT if there is none. */
int jar_open(const char *name);
/**
 * Reads. On error, -1 is returned, and errno is set appropriately.
 */
ssize_t jar_read(int jar, char *to, size_t size);
/** Its memory, or NULL; check errno then. */
void *jar_memory(int jar);
/** Returns a negative errno where it fails, or 1 for a jar_errno. */
int jar_close(int jar);
/** Says what was wrong with jar_errno. */
int jar_plain(int jar);
const char *jar_name(int jar);
const char *jar_long(int errno_);
const char *jar_wild(long address);
const char *jar_unended(void);
/** Sets errno to a number that nobody knows. */
int jar_odd(int errno, const char *result);
END
cat >jar.c <<'END'
#include <errno.h>
#undef errno
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
extern int *__errno_location(void);
#define ERROR (*__errno_location())
int jar_open(const char *name) { ERROR = strcmp(name, "jam") ? ENOENT : EBUSY; return strcmp(name, "jam") ? -1 : 3; }
ssize_t jar_read(int jar, char *to, size_t size) { (void)jar; memset(to, 'x', size); ERROR = EIO; return size > 4 ? -1 : 4; }
void *jar_memory(int jar) { static int memory; ERROR = ENOMEM; return jar ? &memory : NULL; }
int jar_close(int jar) { ERROR = EINTR; return jar ? 0 : -EBADF; }
int jar_plain(int jar) { ERROR = EINTR; return -jar; }
const char *jar_name(int jar) { return jar ? "plum \"jam\"" : NULL; }
const char *jar_long(int size) { static char text[2000]; memset(text, 'a', sizeof(text)); text[size] = 0; return text; }
const char *jar_wild(long address) { return (const char *)address; }
const char *jar_unended(void)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(pages + 4096, 4096);
	return memset(pages + 4090, 'z', 6);
}
int jar_odd(int error, const char *result) { (void)result; ERROR = error; return -1; }
END
cat >main.c <<'END'
#include <errno.h>
#undef errno
#include <stdio.h>
#include "jar.h"
extern int *__errno_location(void);
#define SHOW(call) do { *__errno_location() = 7; call; printf("%d ", *__errno_location()); } while (0)
int main(void)
{
	char buffer[8];
	SHOW(jar_open("honey")); SHOW(jar_open("jam")); SHOW(jar_read(1, buffer, 8)); SHOW(jar_read(2, buffer, 4));
	SHOW(jar_memory(0)); SHOW(jar_memory(1)); SHOW(jar_close(0)); SHOW(jar_plain(5));
	SHOW(jar_name(1)); SHOW(jar_name(0)); SHOW(jar_long(300)); SHOW(jar_long(100)); SHOW(jar_wild(16)); SHOW(jar_unended());
	SHOW(jar_odd(4095, "text"));
	puts("");
	return 0;
}
END
$CC -shared -fPIC -w -Wl,-soname,libjar.so.1 -o libjar.so.1 jar.c && $CC -w -o main main.c ./libjar.so.1 -Wl,-rpath,"$tmp" || exit 99
./main >bare

# seen FILE: a line for each call: what is in args that begins with "result" or ends with "errno", and if it failed
seen() { "$python" - "$1" <<'END'
import json, sys
for e in json.load(open(sys.argv[1])):
    if e.get("ph") == "X" and e["name"].startswith("jar_"):
        print(e["name"], e["args"].get("to", "-"), *(f"{k}={v}" for k, v in e["args"].items() if k == "result" or k.endswith("errno")),
              "failed" if "failed" in e["cat"] else "")
END
}
run() { "$top_builddir/tracelayer" run --header ./jar.h --lib ./libjar.so.1 "$@" -- ./main >out 2>err; }
line() { sed -n "$1p" seen | sed 's/ *$//'; }
run -o t.json
is "$?:$(cat out)" "0:$(cat bare)" 'the program finds errno as it does without us' || diag "$(cat err)"
seen t.json >seen
is "$(line 1)" 'jar_open - result=-1 errno=ENOENT failed' 'a failed call has errno by name'
is "$(line 2)" 'jar_open - result=3' 'a call that did not fail has none, whatever errno is'
is "$(line 3 | sed 's|0x[0-9a-f]*|0x|')" 'jar_read 0x result=-1 errno=EIO failed' 'of a result of 64 bits, too; and nothing is shown as read'
is "$(line 4)" 'jar_read xxxx result=4' 'and a success shows what was read'
is "$(line 5)" 'jar_memory - result=0x0 errno=ENOMEM failed' 'and of a pointer'
like "$(line 6)" 'jar_memory - result=0x[0-9a-f]{2,}$' 'and no errno where it succeeds'
is "$(line 7)" 'jar_close - result=-9 failed' 'a result that is an errno itself does not set it'
is "$(line 8)" 'jar_plain - result=-5 failed' 'a word that ends in errno is not errno'
is "$(line 9)" 'jar_name - result=plum "jam"' 'a const char * is shown as text'
is "$(line 10)" 'jar_name - result=0x0' 'and NULL as that'
is "$(line 11)" "jar_long - result=$(printf 'a%.0s' $(seq 256))…" 'long text is cut, and says so'
is "$(line 12)" "jar_long - result=$(printf 'a%.0s' $(seq 100))" 'text of some length is whole'
is "$(line 13)" 'jar_wild - result=0x10' 'what cannot be read is an address'
like "$(line 14)" 'jar_unended - result=0x[0-9a-f]+$' 'and so is what no NUL ends'
is "$(line 15)" 'jar_odd - errno=4095 result=-1 tracelayer_errno=4095 failed' 'an errno without a name is a number, under a key that no parameter has'

run -o t.tlt && "$top_builddir/tracelayer" export t.tlt -o u.json && seen u.json >exported
is "$(sed 's/0x[0-9a-f]*/0x/' exported)" "$(sed 's/0x[0-9a-f]*/0x/' seen)" 'a trace in the record format says the same'
run -o t.pftrace
is "$(grep -aoE 'ENOENT|EIO|ENOMEM|plum "jam"' t.pftrace | sort -u | tr '\n' ' ')" 'EIO ENOENT ENOMEM plum "jam" ' 'and so does one for Perfetto'
run --tool log -o l.json
like "$(grep jar_name err | head -n 1)" '"plum \\"jam\\""' 'tools print the text'
run --args scalars -o s.json; seen s.json >seen
is "$(line 1):$(line 9 | sed 's/0x.*/0x/')" 'jar_open - result=-1 failed:jar_name - result=0x' 'with --args scalars neither is kept'

# --- as a descriptor has it
"$top_builddir/tracegen" suggest jar.h -o jar.json 2>/dev/null
is "$("$python" -c 'import json
for r in json.load(open("jar.json"))["results"]:
    print(r["failure"], r.get("errno", False), r.get("text", False), *r["functions"])')" "negative True False jar_open jar_read jar_odd
null True False jar_memory
negative False False jar_close jar_plain
never False True jar_name jar_long jar_wild jar_unended" 'tracegen suggest writes what it has guessed'
"$top_builddir/tracegen" emit --api jar.json -o . 2>err && $CC -O2 -w -fexceptions -shared -fPIC -DTL_SHIM_LIBRARY -I"$top_srcdir/include" -I. \
	-o libjar-shims.so jar_shims.c jar_tables.c "$libtracelayer" || diag "$(cat err)"
LD_PRELOAD=$tmp/libjar-shims.so LD_LIBRARY_PATH=$top_builddir/.libs TRACELAYER_OUTPUT=c.json ./main >out
seen c.json >compiled; seen u.json >seen
is "$(cat out):$(sed 's/0x[0-9a-f]*/0x/' compiled)" "$(cat bare):$(sed 's/0x[0-9a-f]*/0x/' seen)" 'compiled shims show the same'
sed 's/"errno": true/"errno": "yes"/' jar.json >wrong.json
"$top_builddir/tracegen" model --api wrong.json -o m.json 2>err
like "$(cat err)" 'wrong.json:[0-9]+: "errno" must be true or false' 'a descriptor that says neither yes nor no is refused'

# --- a real one
"$top_builddir/tracelayer" run --header zlib.h --lib libz.so.1 -o z.json -- "$python" -c 'import zlib; print(zlib.ZLIB_RUNTIME_VERSION)' >out 2>err
is "$("$python" -c 'import json; print([e["args"]["result"] for e in json.load(open("z.json")) if e.get("name") == "zlibVersion"][-1])')" "$(cat out)" \
	"zlib's version is text"

#!/bin/bash
# SPDX-License-Identifier: MIT
# What a result says besides its value: errno of a call that failed, where the header says that it is set; the text that a const char * leads
# to. The library is written here, with a wrong guess of each kind; zlib is the real one.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
: "${CC:=cc}"
top_builddir=$(cd "$top_builddir" && pwd)
top_srcdir=$(cd "$top_srcdir" && pwd)
plan 35
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
const char *jar_label(const char *name, const char *other);
int jar_behind(int error); /* sets errno */
int jar_first(int error); int jar_second(int error); // errno is set if it fails
/** Shuts it. */
int jar_shut(int error)   /* on failure, errno is
                             set to the reason */;
int jar_turn(int jar,   /* which */
             int error); /* sets errno to it */
struct jar_shape { short wide; enum { JAR_FLAT, JAR_ROUND } bottom; };
union jar_mass { float pounds; unsigned char bytes[4]; };
struct jar_shape jar_shape(int jar);
union jar_mass jar_mass(int jar);
typedef enum { JAR_GROUP_ERRNO = 0, JAR_GROUP_OWN = 0x10000000, JAR_OK = 0, JAR_FINE = 0, JAR_EMPTY = 0x10000001 } jar_status;
jar_status jar_look(int jar);
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
const char *jar_label(const char *name, const char *other) { return name ? name : other; }
int jar_behind(int error) { ERROR = error; return -1; }
int jar_first(int error) { ERROR = error; return -1; }
int jar_second(int error) { ERROR = error; return -1; }
int jar_shut(int error) { ERROR = error; return -1; }
int jar_turn(int jar, int error) { ERROR = error; return -1; }
struct jar_shape { short wide; int bottom; } jar_shape(int jar) { return (struct jar_shape){(short)jar, 1}; }
union jar_mass { float pounds; unsigned char bytes[4]; } jar_mass(int jar) { return (union jar_mass){(float)jar / 2}; }
unsigned jar_look(int jar) { return jar ? 0 : 0x10000001; }
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
	SHOW(jar_odd(4095, "text")); SHOW(jar_label(NULL, "0x0")); SHOW(jar_label("JAM", (char *)16));
	SHOW(jar_behind(ENOENT)); SHOW(jar_first(ENOENT)); SHOW(jar_second(ENOENT)); SHOW(jar_shut(ENOENT)); SHOW(jar_turn(1, ENOENT));
	SHOW(jar_shape(-9)); SHOW(jar_mass(7)); SHOW(jar_look(1)); SHOW(jar_look(0));
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
is "$(line 15)" 'jar_odd - errno=4095 result=-1 tracelayer_errno=4095 failed' 'an errno without a name is a number, under a key that no parameter has'is "$(line 18)" 'jar_behind - result=-1 errno=ENOENT failed' 'a comment behind a declaration says that errno is set'
is "$(line 19):$(line 20)" 'jar_first - result=-1 failed:jar_second - result=-1 errno=ENOENT failed' 'it belongs to the last one on its line'
is "$(line 21)" 'jar_shut - result=-1 errno=ENOENT failed' 'one in front of the declaration does not hide it'
is "$(line 22)" 'jar_turn - result=-1 failed' 'behind the last of some parameters with comments, it belongs to that'
is "$(line 23)" "jar_shape - result={'wide': -9, 'bottom': 'JAR_ROUND'}" 'a struct that is returned in registers has its members'
is "$(line 24)" "jar_mass - result={'pounds': 3.5}" 'and a union the first of its members'

is "$(line 25):$(line 26)" 'jar_look - result=JAR_OK:jar_look - result=JAR_EMPTY failed' 'of several names of 0, the one that says success is shown'

shown() { "$python" -c 'import json; print([e["args"] for e in json.load(open("'"$1"'")) if e.get("name") == "jar_label"])'; }
is "$(shown t.json)" "[{'name': '0x0', 'other': '0x0', 'result': '0x0'}, {'name': 'JAM', 'other': 16, 'result': 'JAM'}]" 'a text that is NULL is 0x0, and a number where one is'

run -o t.tlt && "$top_builddir/tracelayer" export t.tlt -o u.json && seen u.json >exported
is "$(sed 's/0x[0-9a-f]*/0x/' exported)" "$(sed 's/0x[0-9a-f]*/0x/' seen)" 'a trace in the record format says the same'
run -o t.pftrace
is "$(grep -aoE 'ENOENT|EIO|ENOMEM|plum "jam"' t.pftrace | sort -u | tr '\n' ' ')" 'EIO ENOENT ENOMEM plum "jam" ' 'and so does one for Perfetto'
is "$(grep -aoE 'JAR_ROUND|wide|bottom|pounds' t.pftrace | sort -u | tr '\n' ' ')" 'JAR_ROUND bottom pounds wide ' 'with the members of a struct'
run --tool log -o l.json
like "$(grep jar_name err | head -n 1)" '"plum \\"jam\\""' 'tools print the text'
is "$(sed -n 's/.*\(jar_label.*\) <.*/\1/p' err | paste -sd' ')" 'jar_label(name=0x0, other="0x0") = "0x0" jar_label(name="JAM", other=16) = "JAM"' 'and tell it from NULL by its quotes'
run --args scalars -o s.json; seen s.json >seen
is "$(line 1):$(line 9 | sed 's/0x.*/0x/')" 'jar_open - result=-1 failed:jar_name - result=0x' 'with --args scalars neither is kept'

# --- as a descriptor has it
"$top_builddir/tracegen" suggest jar.h -o jar.json 2>/dev/null
is "$("$python" -c 'import json
for r in json.load(open("jar.json"))["results"]:
    print(r["failure"], r.get("errno", False), r.get("text", False), *r["functions"])')" "negative True False jar_open jar_read jar_odd jar_behind jar_second jar_shut
null True False jar_memory
negative False False jar_close jar_plain jar_first jar_turn
never False True jar_name jar_long jar_wild jar_unended jar_label
nonzero False False jar_look" 'tracegen suggest writes what it has guessed'
"$top_builddir/tracegen" emit --api jar.json -o . 2>err && $CC -O2 -w -fexceptions -shared -fPIC -DTL_SHIM_LIBRARY -I"$top_srcdir/include" -I. \
	-o libjar-shims.so jar_shims.c jar_tables.c "$libtracelayer" || diag "$(cat err)"
LD_PRELOAD=$tmp/libjar-shims.so LD_LIBRARY_PATH=$top_builddir/.libs TRACELAYER_OUTPUT=c.json ./main >out
seen c.json >compiled; seen u.json >seen
is "$(shown c.json)" "$(shown t.json)" 'compiled shims show NULL in the same way'
is "$(cat out):$(sed 's/0x[0-9a-f]*/0x/' compiled)" "$(cat bare):$(sed 's/0x[0-9a-f]*/0x/' seen)" 'compiled shims show the same'
sed 's/"errno": true/"errno": "yes"/' jar.json >wrong.json
"$top_builddir/tracegen" model --api wrong.json -o m.json 2>err
like "$(cat err)" 'wrong.json:[0-9]+: "errno" must be true or false' 'a descriptor that says neither yes nor no is refused'

# --- NULL is the usual answer of what takes something out, or asks for what may not be there
cat >shelf.h <<'END'
struct jam;
struct jam *shelf_jam_new(void);
struct jam *shelf_poll_for_jam(void);
struct jam *shelf_pop(void);
struct jam *shelf_pop_nth(int n);
struct jam *shelf_list_remove(struct jam *list, int n);
struct jam *shelf_request_check(int request);
struct jam *shelf_update_hook(struct jam *now);
struct jam *shelf_jam_nocheck(void);
struct jam *shelf_popup(void);
END
is "$("$top_builddir/tracegen" suggest shelf.h 2>/dev/null | "$python" -c 'import json, sys
print(*[f for r in json.load(sys.stdin)["results"] if r["failure"] == "null" for f in r["functions"]])')" \
	"shelf_jam_new shelf_jam_nocheck shelf_popup" 'NULL is no failure of a poll, a pop, a removal or a check'

# --- a real one
"$top_builddir/tracelayer" run --header zlib.h --lib libz.so.1 -o z.json -- "$python" -c 'import zlib; print(zlib.ZLIB_RUNTIME_VERSION)' >out 2>err
is "$("$python" -c 'import json; print([e["args"]["result"] for e in json.load(open("z.json")) if e.get("name") == "zlibVersion"][-1])')" "$(cat out)" \
	"zlib's version is text"

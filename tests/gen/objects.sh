#!/bin/bash
# SPDX-License-Identifier: MIT
# Tables of functions in structs, by a descriptor's "objects": those of a library's objects, and those that a program gives. The toy library is
# written here; SQLite's virtual tables and libfabric's objects are real ones.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
: "${CC:=cc}"
top_builddir=$(cd "$top_builddir" && pwd)
top_srcdir=$(cd "$top_srcdir" && pwd)
export XDG_CACHE_HOME=$tmp/cache
plan 21
cd "$tmp" || exit 99
cat >toy.h <<'END'
#include <stddef.h>
struct toy;
struct toy_ops { size_t size; int (*wind)(struct toy *toy, int turns); int (*twist)(struct toy *toy, int turns); const char *(*name)(struct toy *toy); int (*newer)(struct toy *toy); };
struct toy_base { int kind; const struct toy_ops *ops; };
struct toy { struct toy_base base; int turns; };
struct toy_play { int (*begin)(void *play, const char *what); int (*again)(void *play, const char *what); void (*end)(void *play); };
int toy_make(int kind, struct toy **out);
struct toy *toy_shared(void);
int toy_wind_all(struct toy *toy);
int toy_play(const struct toy_play *play, void *with);
END
cat >toy.c <<'END'
#include <stdlib.h>
#include "toy.h"
static int wind(struct toy *toy, int turns) { return toy->turns += turns; }
static int wind_back(struct toy *toy, int turns) { return toy->turns -= turns; }
static const char *name(struct toy *toy) { return toy->base.kind ? "car" : "bear"; }
/* as of an older version, whose table ends before .newer */
static const struct { size_t size; void *members[3]; long behind; } old = {4 * sizeof(void *), {wind, wind, name}, 0x1234};
static const struct toy_ops back = {sizeof(back), wind_back, wind, name, (int (*)(struct toy *))0};
static const struct toy shared = {{2, (const struct toy_ops *)&old}, 0};
int toy_make(int kind, struct toy **out)
{
	if (kind > 1) { *out = (struct toy *)(kind == 2 ? (void *)0x10 : (void *)"no toy at all, but text"); return kind == 2 ? -1 : 0; }
	*out = calloc(1, sizeof(**out));
	(*out)->base = (struct toy_base){kind, kind ? &back : (const struct toy_ops *)&old};
	return 0;
}
struct toy *toy_shared(void) { return (struct toy *)&shared; }
int toy_wind_all(struct toy *toy) { return toy->base.ops->wind(toy, 10) + toy->base.ops->twist(toy, 1); }
int toy_play(const struct toy_play *play, void *with)
{
	int sum = play->begin(with, "first") + (play->begin == play->again ? 100 : 0);
	if (play->end) play->end(with);
	return sum;
}
END
cat >main.c <<'END'
#include <stdio.h>
#include <string.h>
#include "toy.h"
static int begin(void *play, const char *what) { *(int *)play += 1; return (int)strlen(what); }
static int other(void *play, const char *what) { (void)what; *(int *)play += 2; return 1; }
static void end(void *play) { *(int *)play += 5; }
static const struct toy_play same = {begin, begin, end}, none = {other, begin, 0};
int main(void)
{
	struct toy *bear, *car, *second, *odd;
	int played = 0;
	int made = toy_make(0, &bear) + toy_make(0, &second) + toy_make(1, &car);

	printf("%d %d %d %d\n", made, bear->base.ops->wind(bear, 3), second->base.ops->wind(second, 4), bear->base.ops->twist(bear, 1));
	printf("%s %s %d\n", bear->base.ops->name(bear), car->base.ops->name(car), car->base.ops->wind(car, 2));
	printf("%d %d %zu\n", bear->base.ops == second->base.ops, bear->base.ops->wind == bear->base.ops->twist, bear->base.ops->size);
	printf("%d %d\n", toy_wind_all(bear), toy_make(2, &odd) + toy_make(3, &odd));
	printf("%s\n", toy_shared()->base.ops->name(toy_shared()));
	printf("%d %d %d\n", toy_play(&same, &played), toy_play(&none, &played), played);
	return 0;
}
END
cat >toy.json <<'END'
{
 "name": "toy", "prefix": "toy", "version": "1", "headers": ["toy.h"], "sonames": ["libtoy.so.1"], "guesses": true,
 "objects": {
  "struct toy_ops": {"size": "size", "functions": {"wind": "toy_wind", "twist": "toy_twist", "*": "toy_ops_*"}},
  "struct toy_play": {"functions": {"*": "toy_play_*"}}
 }
}
END
$CC -shared -fPIC -w -Wl,-soname,libtoy.so.1 -o libtoy.so.1 toy.c && $CC -w -o main main.c ./libtoy.so.1 -Wl,-rpath,"$tmp" || exit 99
./main >bare || exit 99
counts() { "$python" - "$1" <<'END'
import collections, json, sys
c = collections.Counter(e["name"] for e in json.load(open(sys.argv[1])) if e.get("ph") == "X")
print(*(f"{n}={c[n]}" for n in sorted(c)))
END
}
arg() { "$python" -c 'import json, sys; print(*[e["args"].get(sys.argv[3]) for e in json.load(open(sys.argv[1])) if e.get("name") == sys.argv[2]])' "$@"; }
all='toy_make=5 toy_ops_name=2 toy_play=2 toy_play_begin=2 toy_play_end=1 toy_shared=2 toy_wind=4 toy_wind_all=1'

# --- by an interposer
export LD_LIBRARY_PATH=$tmp
"$top_builddir/tracelayer" run --api ./toy.json -o t.json -- ./main >out 2>err
is "$?:$(cat out)" "0:$(cat bare)" 'the program gets the same, and finds its tables as they are alone' || diag "$(cat err)"
is "$(counts t.json)" "$all" 'each call by a table is traced, and none that the library makes itself' || diag "$(cat err)"
is "$(arg t.json toy_wind turns | tr ' ' '\n' | sort | tr '\n' ' ')" '1 2 3 4 ' 'with its arguments, by the names that the struct has'
is "$(arg t.json toy_ops_name result | tr ' ' '\n' | sort | tr '\n' ' ')" 'bear car ' 'and results'
is "$(arg t.json toy_play_begin what)" 'first first' 'so are calls that a library makes by a table of the program'
"$top_builddir/tracelayer" run --api ./toy.json --level none -o n.json -- ./main >out 2>err
is "$(cat out)" "$(cat bare)" 'nothing changes where nothing is recorded'

# --- by compiled shims
"$top_builddir/tracegen" emit --api toy.json -o . 2>err && $CC -O2 -w -fexceptions -shared -fPIC -DTL_SHIM_LIBRARY -I"$top_srcdir/include" -I. \
	-o shims.so toy_shims.c toy_tables.c "$libtracelayer" || diag "$(cat err)"
LD_PRELOAD=$tmp/shims.so LD_LIBRARY_PATH=$top_builddir/.libs:$tmp TRACELAYER_OUTPUT=c.json ./main >out
is "$(cat out)" "$(cat bare)" 'compiled shims: the program gets the same'
is "$(counts c.json)" "$all" 'and the same calls are traced'

# --- what is wrong in a descriptor
wrong() { sed "$1" toy.json >wrong.json; "$top_builddir/tracegen" model --api wrong.json -o m.json 2>err; like "$(cat err)" "$2" "$3"; }
wrong 's/struct toy_ops/struct toy_oops/' 'wrong.json:4: no function leads to a struct called struct toy_oops' 'a struct that there is not'
wrong 's/"toy_wind"/"toy_make"/' 'there is a function toy_make already; give wind another name' 'a name that is taken'
wrong 's/"functions": {"\*": "toy_play_\*"}/"functions": 3/' '"functions" must be \{"MEMBER": "FUNCTION"\}' 'members that are none'

# --- SQLite
cat >table.c <<'END'
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
struct cursor { sqlite3_vtab_cursor base; int at; };
static int make(sqlite3 *db, void *with, int n, const char *const *v, sqlite3_vtab **out, char **e)
{ *out = calloc(1, sizeof(**out)); return sqlite3_declare_vtab(db, "create table x(n)"); }
static int best(sqlite3_vtab *t, sqlite3_index_info *i) { i->estimatedCost = 5; return SQLITE_OK; }
static int drop(sqlite3_vtab *t) { free(t); return SQLITE_OK; }
static int begin(sqlite3_vtab *t, sqlite3_vtab_cursor **c) { *c = calloc(1, sizeof(struct cursor)); return SQLITE_OK; }
static int end(sqlite3_vtab_cursor *c) { free(c); return SQLITE_OK; }
static int filter(sqlite3_vtab_cursor *c, int i, const char *s, int n, sqlite3_value **v) { return SQLITE_OK; }
static int next(sqlite3_vtab_cursor *c) { ((struct cursor *)c)->at++; return SQLITE_OK; }
static int eof(sqlite3_vtab_cursor *c) { return ((struct cursor *)c)->at >= 5; }
static int column(sqlite3_vtab_cursor *c, sqlite3_context *x, int i) { sqlite3_result_int(x, ((struct cursor *)c)->at); return SQLITE_OK; }
static int rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *r) { *r = ((struct cursor *)c)->at; return SQLITE_OK; }
static const sqlite3_module module = {.xCreate = make, .xConnect = make, .xBestIndex = best, .xDisconnect = drop, .xDestroy = drop, .xOpen = begin,
	.xClose = end, .xFilter = filter, .xNext = next, .xEof = eof, .xColumn = column, .xRowid = rowid};
static int row(void *sum, int n, char **v, char **names) { *(int *)sum += atoi(v[0]); return 0; }
int main(void)
{
	sqlite3 *db;
	int sum = 0;
	char *wrong = NULL;
	sqlite3_open(":memory:", &db);
	printf("%d\n", sqlite3_create_module(db, "numbers", &module, NULL));
	/* works without "create virtual table" if xCreate and xConnect are one function */
	sqlite3_exec(db, "select n from numbers", row, &sum, &wrong);
	printf("%d %s\n", sum, wrong ? wrong : "fine");
	return sqlite3_close(db);
}
END
if $CC -w -o table table.c -lsqlite3 2>err; then
	"$top_builddir/tracelayer" run --api "$top_srcdir/gen/apis/sqlite3.json" -o q.json -- ./table >out 2>err
	is "$?:$(cat out)" "0:0
10 fine" "SQLite with a program's virtual table gives what it gives alone" || diag "$(cat err)"
	is "$(counts q.json | tr ' ' '\n' | grep -E 'xEof|xColumn|xNext|xOpen|xClose' | tr '\n' ' ')" \
		'sqlite3_module_xClose=1 sqlite3_module_xColumn=5 sqlite3_module_xEof=6 sqlite3_module_xNext=5 sqlite3_module_xOpen=1 ' \
		"and its calls of the table's functions are traced"
else
	skip 2 'no sqlite3.h on this machine'
fi

# --- libfabric
port=$((20000 + $$ % 20000))
fabric() { timeout 60 fi_pingpong -p tcp -e msg -I 100 -S 64 -B $port "$@"; }
{ test -e /usr/include/rdma/fabric.h && command -v fi_pingpong >/dev/null; } || { skip 8 'no libfabric-dev and libfabric-bin on this machine'; exit 0; }
fabric >served 2>&1 & server=$!
for _ in $(seq 50); do grep -qi ":$(printf '%04x' $port) 00000000:0000 0A" /proc/net/tcp && break; sleep 0.1; done
"$top_builddir/tracelayer" run --api "$top_srcdir/gen/apis/libfabric.json" -o f.json -- timeout 60 fi_pingpong -p tcp -e msg -I 100 -S 64 -P $port 127.0.0.1 >out 2>err
is "$?" 0 'fi_pingpong runs as alone, over TCP' || diag "$(cat out err)"
wait $server
is "$?" 0 'and so does the one that it talks to, which is not traced'
counts f.json | tr ' ' '\n' >calls
is "$(grep -cE '^fi_(fabric|domain|endpoint|enable|connect|eq_open)=1$' calls)" 5 'it opens each object once'
is "$(grep -cE '^fi_(inject|send)=10[0-9]$' calls)" 1 'and sends 100 times, and once to begin with' || diag "$(cat calls)"
is "$(sed -n 's/^fi_cq_open=//p' calls)" 2 'two queues are opened'
is "$(grep -c fi_cq_readfrom calls)" 0 "what the library calls by its own tables is not the program's"
is "$(arg f.json fi_endpoint result)" 0 'results are there'
like "$(arg f.json fi_cq_read result)" '(-11 )+' 'and failures of those that find nothing yet'

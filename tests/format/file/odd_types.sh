#!/bin/bash
# SPDX-License-Identifier: MIT
# A library with odd types and names: things of no size, members in any order, a type of 3 GiB, functions' names of 300 and 5,000 bytes. A .tlt file
# has all calls of it, with the arguments that JSON has; so has a trace that was recovered.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
test -x "$top_builddir/tracelayer" || skip_all "not built"
plan 10

long=f$(printf '%0300d' 7) longer=f$(printf '%05000d' 7)
cat >"$tmp/odd.h" <<END_OF_FILE
struct empty {};
struct empties { struct empty a, b, c, d, e, f, g, h, i, j, k, l; };
struct row { struct empty many[1]; int number; };
struct huge { char bytes[3UL << 30]; };
union either { int number; float real; };
struct nested { struct { struct { struct { struct { struct { struct { struct { struct { int deep; } h; } g; } f; } e; } d; } c; } b; } a; };
int take_empties(struct empties *what, int n);
int take_row(struct row row, union either either);
int take_huge(struct huge *huge, unsigned long size);
int take_nested(struct nested nested);
int take_wide(__int128 a, unsigned __int128 b, __int128 c);
int $long(int n);
int $longer(int n);
END_OF_FILE
cat >"$tmp/odd.c" <<END_OF_FILE
#include "odd.h"
int take_empties(struct empties *what, int n) { return n + 1; }
int take_row(struct row row, union either either) { return row.number + either.number; }
int take_huge(struct huge *huge, unsigned long size) { return size == sizeof(*huge); }
int take_wide(__int128 a, unsigned __int128 b, __int128 c) { return 0; }
int take_nested(struct nested nested) { return nested.a.b.c.d.e.f.g.h.deep; }
int $long(int n) { return n + 2; }
int $longer(int n) { return n + 3; }
END_OF_FILE
cat >"$tmp/app.c" <<END_OF_FILE
#include <signal.h>
#include <stdlib.h>
#include "odd.h"
int main(int argc, char **argv)
{
	struct empties empties;
	struct row row = {.number = 5};
	struct nested nested = {.a.b.c.d.e.f.g.h.deep = 6};
	int sum = take_empties(&empties, 1) + take_row(row, (union either){2}) + take_huge(NULL, 3UL << 30) + take_nested(nested) + $long(3) + $longer(4);
	sum += take_wide(((__int128)-1 << 100) - 1, ((unsigned __int128)1 << 127) + 9, -3);
	if (argc > 1)
		raise(SIGKILL);
	return sum != 28;
}
END_OF_FILE
${CC:-cc} -w -g -shared -fPIC -Wl,-soname,libodd.so -o "$tmp/libodd.so" "$tmp/odd.c" && ${CC:-cc} -w -o "$tmp/app" "$tmp/app.c" -L"$tmp" -lodd -Wl,-rpath,"$tmp" ||
	{ fail "it compiles"; exit 1; }
export XDG_CACHE_HOME=$tmp/cache

# calls FILE: the calls, without addresses.
calls()
{
	"$python" - "$1" <<-'END'
		import json, re, sys
		for e in json.load(open(sys.argv[1])):
		    if e["ph"] == "X":
		        print(len(e["name"]), e["name"][:20], re.sub(r'"0x[0-9a-f]+"', '"address"', json.dumps(e.get("args"), sort_keys=True)))
	END
}
for how in "--lib=$tmp/libodd.so" "--header=$tmp/odd.h --lib=$tmp/libodd.so"; do
	what=${how%%=*}
	rm -f "$tmp"/t.*
	for format in json tlt; do
		# shellcheck disable=SC2086
		"$top_builddir/tracelayer" run --quiet $how -o "$tmp/t.$format" -- "$tmp/app" >"$tmp/out" 2>&1 || { diag "$(cat "$tmp/out")"; fail "$what, $format: the program ends well"; }
	done
	"$top_builddir/tracelayer" export -o "$tmp/t.tlt.json" "$tmp/t.tlt" >"$tmp/out" 2>&1
	calls "$tmp/t.json" >"$tmp/json"
	calls "$tmp/t.tlt.json" >"$tmp/tlt"
	is "$(wc -l <"$tmp/json")" 7 "$what: JSON has all calls"
	like "$(cat "$tmp/json")" '^4094 f000.*"n": 4, "result": 7' "$what: of a long name its beginning, and the arguments"
	like "$(cat "$tmp/json")" '"a": "-1267650600228229401496703205377", "b": "170141183460469231731687303715884105737", "c": -3' "$what: integers of 128 bits are whole"
	same "$tmp/json" "$tmp/tlt" "$what: .tlt has the same"
done
"$top_builddir/tracelayer" run --quiet --lib="$tmp/libodd.so" -o "$tmp/killed.json" -- "$tmp/app" kill >"$tmp/out" 2>&1
is $? 137 "a program that is killed ends so"
calls "$tmp/killed.json" >"$tmp/recovered" && sed -i '/unfinished/d' "$tmp/recovered"
rm -f "$tmp"/t.*
"$top_builddir/tracelayer" run --quiet --lib="$tmp/libodd.so" -o "$tmp/t.json" -- "$tmp/app" >"$tmp/out" 2>&1
calls "$tmp/t.json" >"$tmp/json"
same "$tmp/json" "$tmp/recovered" "and its calls are recovered"

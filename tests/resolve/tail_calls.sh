#!/bin/bash
# SPDX-License-Identifier: MIT
# API functions that tail-call other exported functions of their library: each call is recorded once, and the libraries that are loaded are not
# searched again at every one. Counted, not timed: zlib's crc32, and inserts into SQLite. A library's calls of its own functions don't reach a
# shim; memory that the dynamic linker made read-only is so again.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
: "${CC:=cc}"

plan 16

cat >"$tmp/walks.c" <<'END'
/* How many walks over the loaded libraries there were, how many went past the first of them, and the mappings of $library that may be written. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
	int (*callback)(struct dl_phdr_info *, size_t, void *);
	void *data;
	int visited;
};
static _Atomic unsigned long whole, all;

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	struct walk *walk = data;
	whole += walk->visited == 1;
	all += walk->visited++ == 0;
	return walk->callback(info, size, walk->data);
}

int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
{
	static int (*real)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
	struct walk walk = {callback, data, 0};
	if (!real)
		real = (int (*)(int (*)(struct dl_phdr_info *, size_t, void *), void *))dlsym(RTLD_NEXT, "dl_iterate_phdr");
	return real(visit, &walk);
}

__attribute__((destructor)) static void tell(void)
{
	const char *library = getenv("library");
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	fprintf(stderr, "walks %lu\nall %lu\n", whole, all);
	while (maps && library && fgets(line, sizeof(line), maps))
		if (strstr(line, library)) {
			char *rights = strchr(line, ' ');
			long start = strtol(line, NULL, 16), end = strtol(strchr(line, '-') + 1, NULL, 16);

			fprintf(stderr, "map %.4s %ld\n", rights + 1, end - start);
		}
}
END
cat >"$tmp/zlib.c" <<'END'
#include <stdio.h>
#include <zlib.h>
int main(void)
{
	unsigned char bytes[16] = "tail call";
	unsigned long sum = 0;
	for (int i = 0; i < 20000; i++)
		sum = crc32(sum, bytes, sizeof bytes);
	printf("%lx\n", sum);
	return 0;
}
END
cat >"$tmp/sqlite3.c" <<'END'
#include <sqlite3.h>
#include <stdio.h>
int main(void)
{
	sqlite3 *db;
	sqlite3_stmt *s;
	int rc = sqlite3_open(":memory:", &db) + sqlite3_exec(db, "create table t(n, s)", 0, 0, 0);
	rc += sqlite3_prepare_v2(db, "insert into t values(?, ?)", -1, &s, 0);
	for (int i = 0; i < 20000; i++) {
		rc += sqlite3_bind_int(s, 1, i) + sqlite3_bind_text(s, 2, "text", 4, SQLITE_STATIC);
		rc += (sqlite3_step(s) != SQLITE_DONE) + sqlite3_reset(s);
	}
	printf("%d %d\n", rc + sqlite3_finalize(s), sqlite3_total_changes(db));
	return sqlite3_close(db);
}
END

ok 'what counts walks is built' $CC -O1 -shared -fPIC -w "$tmp/walks.c" -o "$tmp/walks.so"
# Of each library's functions, whose shims take long to compile, those that the program calls, their likes, and what these call themselves.
for api in zlib sqlite3; do
	library=z function=crc32 part='(crc32|adler32|compress|uncompress|deflate|inflate).*'
	test $api = zlib || {
		library=sqlite3 function=sqlite3_bind_text
		part='sqlite3_(open|close|exec|prepare|bind_|step|reset|finalize|total_changes|initialize|malloc|realloc|free|mutex_|err|changes).*'
	}
	make_shims()
	{
		"$top_builddir/tracegen" model --api "$top_srcdir/gen/apis/$api.json" -o "$tmp/$api.json" &&
			test "$("$python" -B "$top_srcdir/tests/gen/model_part.py" "$tmp/$api.json" "$part")" -gt 20 &&
			"$top_builddir/tracegen" emit --model "$tmp/$api.json" -o "$tmp" &&
			$CC -std=c11 -O1 -fPIC -fexceptions -fvisibility=hidden -I"$top_srcdir/include" -shared -DTL_SHIM_LIBRARY \
				-o "$tmp/lib$api-shims.so" "$tmp/${api}_shims.c" "$tmp/${api}_tables.c" \
				-L"$top_builddir/.libs" -ltracelayer -Wl,-rpath,"$PWD/$top_builddir/.libs" &&
			$CC -O2 "$tmp/$api.c" -o "$tmp/$api" -l$library
	}
	ok "$api: shims are made" make_shims
	library=lib$library.so LD_PRELOAD="$tmp/walks.so" "$tmp/$api" >"$tmp/bare" 2>"$tmp/err.bare"
	library=lib$library.so TRACELAYER_OUTPUT=$tmp/trace.$api.json LD_PRELOAD="$tmp/walks.so:$libtracelayer:$tmp/lib$api-shims.so" "$tmp/$api" >"$tmp/traced" 2>"$tmp/err"
	same "$tmp/bare" "$tmp/traced" "$api: the program gives the same"
	is "$(grep -c "\"name\":\"$function\"" "$tmp/trace.$api.json")" 20000 "$api: its calls are in the trace, once"
	walks=$(sed -n 's/^walks //p' "$tmp/err")
	ok "$api: the libraries are not searched at every call ($walks times)" test "${walks:-1000000}" -lt 1000
	all=$(sed -n 's/^all //p' "$tmp/err")
	ok "$api: and nobody asks at every call whether others were loaded ($all times)" test "${all:-1000000}" -lt 2000
	grep '^map' "$tmp/err.bare" >"$tmp/maps.bare"
	grep '^map' "$tmp/err" >"$tmp/maps"
	same "$tmp/maps.bare" "$tmp/maps" "$api: the library's memory is protected as it is without us"
done

# --- a library of more functions than TL_ROLES_NAMES, so that some, the first and the last, share the place in which it is kept what is known of them
"$python" -c 'for n in range(4300): print("int many_%d(int a) { return a + %d; }" % (n, n))
print("int (*many_table[])(int) = {many_1, many_999};")' >"$tmp/many.c"
echo 'extern int (*many_table[])(int); int many_z(int a) { return many_table[a & 1](a); }' >"$tmp/many_z.c"
cat >"$tmp/calls.c" <<'END'
#include <stdio.h>
int many_z(int a);
int main(void)
{
	long sum = 0;
	for (int i = 0; i < 5000; i++)
		sum += many_z(i);
	printf("%ld\n", sum);
	return 0;
}
END
# Only many_z has to be optimized: it ends with a jump.
$CC -O0 -fPIC -c -o "$tmp/many.o" "$tmp/many.c" && $CC -O2 -fPIC -c -o "$tmp/many_z.o" "$tmp/many_z.c" &&
	$CC -shared -Wl,-soname,libmany.so -o "$tmp/libmany.so" "$tmp/many.o" "$tmp/many_z.o" && $CC -o "$tmp/calls" "$tmp/calls.c" "$tmp/libmany.so" -Wl,-rpath,"$tmp" &&
	"$top_builddir/tracegen" interposer --lib "$tmp/libmany.so" -o "$tmp/many-shims.so" >/dev/null
"$tmp/calls" >"$tmp/bare"
env LD_PRELOAD="$tmp/walks.so:$libtracelayer:$tmp/many-shims.so" TRACELAYER_OUTPUT="$tmp/many.json" timeout 100 "$tmp/calls" >"$tmp/out" 2>"$tmp/err"
same "$tmp/bare" "$tmp/out" "4,301 functions: the program gets the same results"
is "$(events "$tmp/many.json" many_z)" 5000 "each call is recorded"
walks=$(awk '$1 == "walks" { print $2 }' "$tmp/err")
ok "the libraries are searched fewer than 100 times ($walks)" test "${walks:-100}" -lt 100

#!/bin/sh
# SPDX-License-Identifier: MIT
# Shim libraries that a user makes for zlib and SQLite, with the real layer: the program gets right results, and its calls are in
# the trace with their arguments; zlib, traced, does not see the layer's own compression.
# SQLite's shims take a compiler long: the short form has those of a part of its functions. STRESS=1 (make stress): all of them, from the header alone.
set -u
here=$top_srcdir/tests/gen/emit
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
layer=$top_builddir/.libs
python=/usr/bin/python3
test -x $python || python=python3
echo 1..8

say() {
	if test "$1" = 0; then echo "ok $2 - $3"; else echo "not ok $2 - $3"; sed 's/^/# /' "$work/log"; fi
}

# Without optimisation, as they may be built, too: emit_shims.sh and tail_calls.sh have them with it.
make_library() { # NAME, then what tracegen is told
	"$top_builddir/tracegen" emit "$2" ${3:+"$3"} -o "$work" >/dev/null 2>&1 &&
		$CC -std=c11 -O0 -fPIC -fexceptions -fvisibility=hidden -I"$top_srcdir/include" -shared -DTL_SHIM_LIBRARY \
			-o "$work/lib$1-shims.so" "$work/$1_shims.c" "$work/$1_tables.c" -L"$layer" -ltracelayer -Wl,-rpath,"$layer"
}

make_sqlite() {
	if test -n "${STRESS:-}"; then
		make_library sqlite3 /usr/include/sqlite3.h
		return
	fi
	"$top_builddir/tracegen" model /usr/include/sqlite3.h -o "$work/model.json" 2>/dev/null &&
		"$python" -B "$top_srcdir/tests/gen/model_part.py" "$work/model.json" 'sqlite3_(mprintf|open|exec|prepare.*|step|column_.*|finalize|free|close)' &&
		make_library sqlite3 --model "$work/model.json"
}

trace() { # NAME ENDING PROGRAM
	LD_PRELOAD="$layer/libtracelayer.so:$work/lib$1-shims.so" TRACELAYER_OUTPUT="$work/$1$2" timeout 60 "$3"
}

cat >"$work/z.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <zlib.h>
int main(void)
{
	static char text[5000], back[5000];
	static Bytef packed[6000];
	uLongf n = sizeof packed, m = sizeof back;
	memset(text, 'x', sizeof text);
	int a = compress(packed, &n, (Bytef *)text, sizeof text), b = uncompress((Bytef *)back, &m, packed, n);
	printf("%d %d %d %s\n", a, b, memcmp(text, back, sizeof text), zlibVersion());
	return 0;
}
END
cat >"$work/s.c" <<'END'
#include <sqlite3.h>
#include <stdio.h>
int main(void)
{
	sqlite3 *db;
	sqlite3_stmt *s;
	char *text = sqlite3_mprintf("select %d + n from t", 40);
	int rc = sqlite3_open(":memory:", &db);
	rc += sqlite3_exec(db, "create table t(n); insert into t values (2)", 0, 0, 0);
	rc += sqlite3_prepare_v2(db, text, -1, &s, 0);
	printf("%d %d %d\n", rc, sqlite3_step(s) == SQLITE_ROW, sqlite3_column_int(s, 0));
	sqlite3_finalize(s);
	sqlite3_free(text);
	return sqlite3_close(db);
}
END
{
	make_library zlib /usr/include/zlib.h && make_sqlite &&
		$CC -o "$work/z" "$work/z.c" -lz && $CC -o "$work/s" "$work/s.c" -lsqlite3
} >"$work/log" 2>&1
say $? 1 "shim libraries are made from headers alone"
"$work/z" >"$work/plain"
trace zlib .json.gz "$work/z" >"$work/log" 2>&1 && cmp -s "$work/plain" "$work/log"
say $? 2 "zlib gives the same, and prints no more"
gzip -dc "$work/zlib.json.gz" >"$work/log" 2>&1
test "$(grep -c '"name":"compress"' "$work/log")" = 1 && test "$(grep -c '"name":"uncompress"' "$work/log")" = 1 &&
	grep -q '"name":"zlibVersion"' "$work/log"
say $? 3 "its calls are in the trace, once"
trace zlib .json "$work/z" >/dev/null 2>&1
test "$(grep -c '"ph":"X"' "$work/log")" = "$(grep -c '"ph":"X"' "$work/zlib.json")"
say $? 4 "what compresses the trace is not: a compressed one has no event more"
"$work/s" >"$work/plain"
trace sqlite3 .json "$work/s" >"$work/log" 2>&1 && cmp -s "$work/plain" "$work/log"
say $? 5 "SQLite gives the same, and prints no more"
cp "$work/sqlite3.json" "$work/log"
grep -q '"name":"sqlite3_prepare_v2".*"zSql":"select 40 + n from t"' "$work/log" && ! grep -q '"name":"sqlite3_mprintf"' "$work/log"
say $? 6 "its calls are in the trace with their arguments, but for variadic ones"

(cd "$work" && LD_PRELOAD="$work/libzlib-shims.so" timeout 60 ./z >out 2>log && grep -q '"name":"compress"' trace.z.*.json)
say $? 7 "a shim library that is preloaded alone brings the layer along, which then records"

# --- the constructor of a library that the program needs calls before the shim library's own constructor runs
cat >"$work/early.c" <<'END'
#include <zlib.h>
static unsigned long at_start;
static __attribute__((constructor)) void early(void) { at_start = crc32(0, (const Bytef *)"early", 5); }
unsigned long early_is(void) { return at_start; }
END
cat >"$work/e.c" <<'END'
#include <stdio.h>
#include <zlib.h>
unsigned long early_is(void);
int main(void) { return early_is() != crc32(0, (const Bytef *)"early", 5); }
END
(cd "$work" && $CC -w -fPIC -shared -o libearly.so early.c -lz && $CC -w -o e e.c ./libearly.so -lz -Wl,-rpath,"$work" &&
	LD_PRELOAD="$work/libzlib-shims.so" TRACELAYER_OUTPUT=early.json timeout 60 ./e) >"$work/log" 2>&1 &&
	test "$(grep -c '"name":"crc32"' "$work/early.json")" = 2
say $? 8 "a constructor's call that comes before the shim library's own constructor is recorded"

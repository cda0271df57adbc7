#!/bin/bash
# SPDX-License-Identifier: MIT
# Parameters that are sums of macros: which macros, by comments and by names, and where nothing can be told. SQLite's header is the real one.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
top_builddir=$(cd "$top_builddir" && pwd)
plan 15
export XDG_CACHE_HOME=$tmp/cache
cd "$tmp" || exit 99
cat >jar.h <<'END'
#define JAR_FLAG_OPEN 1
#define JAR_FLAG_FULL 2
#define JAR_FLAG_BOTH 3
#define JAR_LID_FLAG_TIGHT 0x10u
#define JAR_LID_FLAG_LOOSE 0x20u
#define JAR_KIND_ROUND 1
#define JAR_KIND_SQUARE 2
#define JAR_LEVEL_LOW 0
#define JAR_LEVEL_MIDDLE 1
#define JAR_LEVEL_HIGH 2
#define JAR_LEVEL_FULL 3
#define JAR_MODE_A 1
#define JAR_MODE_B 2

/* flags for jar_wash and jar_dry, or'd together */
#define WET_SOAP 1
#define WET_HOT 4

/* modes of another library */
#define POT_X 1
#define POT_Y 2

/* any jar */
int jar_make(int flags);
int jar_lid(unsigned long flags, int mode);
/** @see JAR_KIND_* */
int jar_kind(unsigned flags);
int jar_wash(int);
int jar_two(int, int);
/**
 * @param mode JAR_LEVEL_LOW, JAR_LEVEL_MIDDLE, JAR_LEVEL_HIGH or JAR_LEVEL_FULL
 */
int jar_fill(int mode);
int pot_make(int flags);
int jar_size(int size);
int jar_make_in(const char *place, long mode);
END
"$top_builddir/tracegen" suggest jar.h -o jar.json 2>err
sets() { "$python" -c 'import json
for name, s in json.load(open("jar.json")).get("enums", {}).items():
    print(name, "flags" if s["flags"] else "one", s["type"], *s["where"], *s["constants"])' | grep "^$1 "; }
is "$(sets jar_make_flags)" '' 'names that fit in two ways say nothing'
sed -i '/JAR_MODE_/d' jar.h; "$top_builddir/tracegen" suggest jar.h -o jar.json 2>err
is "$(sets jar_make_flags)" 'jar_make_flags flags int jar_make:flags JAR_FLAG_OPEN JAR_FLAG_FULL JAR_FLAG_BOTH' 'flags that are called after the library'
is "$(sets jar_lid_flags)" 'jar_lid_flags flags unsigned long jar_lid:flags JAR_LID_FLAG_TIGHT JAR_LID_FLAG_LOOSE' 'and closer ones, that are called after the function'
is "$(sets jar_kind_flags)" 'jar_kind_flags flags unsigned int jar_kind:flags JAR_KIND_ROUND JAR_KIND_SQUARE' 'a comment that says @see NAME_*'
is "$(sets jar_wash_arg0)" 'jar_wash_arg0 flags int jar_wash:arg0 WET_SOAP WET_HOT' "a comment above macros that names the function, whose parameter has no name"
is "$(sets jar_fill_mode)" 'jar_fill_mode one int jar_fill:mode JAR_LEVEL_LOW JAR_LEVEL_MIDDLE JAR_LEVEL_HIGH JAR_LEVEL_FULL' 'values that count are no bits'
is "$(sets jar_make_in_mode)" 'jar_make_in_mode flags long jar_make_in:mode JAR_FLAG_OPEN JAR_FLAG_FULL JAR_FLAG_BOTH' 'values that count, but are called flags'
is "$(sets 'jar_two.*')$(sets pot_make_flags)$(sets jar_size.*)" '' 'nothing is guessed of what nothing tells of'
"$top_builddir/tracegen" model jar.h -o guessed.json 2>err && "$top_builddir/tracegen" model --api jar.json -o described.json 2>>err
is "$("$python" -c 'import json
a, b = (json.load(open(x)) for x in ("guessed.json", "described.json"))
print(all(a[k] == b[k] for k in ("functions", "types")))')" True 'the suggested descriptor gives the same model' || diag "$(cat err)"

# --- real ones
find / -xdev -name sqlite3.h -path '/usr/include/*' 2>/dev/null | grep -q . || { skip 6 'no sqlite3.h on this machine'; exit 0; }
cat >main.py <<'END'
import ctypes
lib = ctypes.CDLL("libsqlite3.so.0")
db = ctypes.c_void_p()
for flags in 0x6, 0x8086, 0x40000006:
    lib.sqlite3_open_v2(b":memory:", ctypes.byref(db), flags, None)
lib.sqlite3_wal_checkpoint_v2(db, None, 2, None, None)
lib.sqlite3_wal_checkpoint_v2(db, None, 9, None, None)
END
"$top_builddir/tracelayer" run --header sqlite3.h --lib libsqlite3.so.0 -o t.json -- "$python" main.py >out 2>err
arg() { "$python" -c 'import json, sys
for e in json.load(open("t.json")):
    if e.get("name") == sys.argv[1]: print(e["args"][sys.argv[2]])' "$1" "$2" | sed -n "$3p"; }
is "$(arg sqlite3_open_v2 flags 1)" 'SQLITE_OPEN_READWRITE|SQLITE_OPEN_CREATE' "a call of SQLite's shows its flags by name" || diag "$(cat err)"
is "$(arg sqlite3_open_v2 flags 2)" 'SQLITE_OPEN_READWRITE|SQLITE_OPEN_CREATE|SQLITE_OPEN_MEMORY|SQLITE_OPEN_NOMUTEX' 'all of them'
is "$(arg sqlite3_open_v2 flags 3)" 'SQLITE_OPEN_READWRITE|SQLITE_OPEN_CREATE|0x40000000' 'and a bit without a name as a number'
is "$(arg sqlite3_wal_checkpoint_v2 eMode 1)" SQLITE_CHECKPOINT_RESTART 'a value that counts, by its name'
is "$(arg sqlite3_wal_checkpoint_v2 eMode 2)" 9 'and one that has none as a number'
is "$(grep -c . out)" 0 'the program has printed nothing'

#!/bin/bash
# SPDX-License-Identifier: MIT
# Parameters that are sums of macros: which macros, by comments and by names, and where nothing can be told. SQLite's header is the real one. And types
# whose bits are constants of their own type, up to the 64th, as Vulkan's newer flags.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
top_builddir=$(cd "$top_builddir" && pwd)
plan 26
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
#define JAR_LEVEL_NONE -1
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
 * @param mode JAR_LEVEL_NONE, JAR_LEVEL_LOW, JAR_LEVEL_MIDDLE, JAR_LEVEL_HIGH or JAR_LEVEL_FULL
 */
int jar_fill(int mode);
int pot_make(int flags);
int jar_size(int size);
int jar_make_in(const char *place, long mode);

enum { JAR_SEAL_WAX = 1, JAR_SEAL_CORK = 2 };
/** @see JAR_SEAL_* */
int pot_seal(int flags);
END
"$top_builddir/tracegen" suggest jar.h -o jar.json 2>err
sets() { "$python" -c 'import json
for name, s in json.load(open("jar.json")).get("enums", {}).items():
    print(name, "flags" if s["flags"] else "one", s["type"], *s["where"], *s["constants"])' | grep "^$1 "; }
is "$(sets jar_make_flags)" '' 'names that fit in two ways say nothing'
sed -i '/JAR_MODE_/d' jar.h; "$top_builddir/tracegen" suggest jar.h -o jar.json 2>err
is "$(sets jar_make_flags)" 'jar_make_flags flags int jar_make:flags JAR_FLAG_OPEN JAR_FLAG_FULL JAR_FLAG_BOTH' 'flags that are called after the library'
mkdir headers model
"$top_builddir/tracegen" emit -o headers jar.h 2>err && "$top_builddir/tracegen" model jar.h -o jar.model 2>>err &&
	"$top_builddir/tracegen" emit --model=jar.model -o model 2>>err
is "$? $(diff -r headers model)" "0 " 'a model guesses what its headers do, also where an enum without a name would fit'
is "$(sets jar_lid_flags)" 'jar_lid_flags flags unsigned long jar_lid:flags JAR_LID_FLAG_TIGHT JAR_LID_FLAG_LOOSE' 'and closer ones, that are called after the function'
is "$(sets jar_kind_flags)" 'jar_kind_flags flags unsigned int jar_kind:flags JAR_KIND_ROUND JAR_KIND_SQUARE' 'a comment that says @see NAME_*'
is "$(sets jar_wash_arg0)" 'jar_wash_arg0 flags int jar_wash:arg0 WET_SOAP WET_HOT' "a comment above macros that names the function, whose parameter has no name"
is "$(sets jar_fill_mode)" 'jar_fill_mode one int jar_fill:mode JAR_LEVEL_NONE JAR_LEVEL_LOW JAR_LEVEL_MIDDLE JAR_LEVEL_HIGH JAR_LEVEL_FULL' 'values that count are no bits, nor is -1 beside them'
is "$(sets jar_make_in_mode)" 'jar_make_in_mode flags long jar_make_in:mode JAR_FLAG_OPEN JAR_FLAG_FULL JAR_FLAG_BOTH' 'values that count, but are called flags'
is "$(sets 'jar_two.*')$(sets pot_make_flags)$(sets jar_size.*)" '' 'nothing is guessed of what nothing tells of'
"$top_builddir/tracegen" model jar.h -o guessed.json 2>err && "$top_builddir/tracegen" model --api jar.json -o described.json 2>>err
is "$("$python" -c 'import json
a, b = (json.load(open(x)) for x in ("guessed.json", "described.json"))
print(all(a[k] == b[k] for k in ("functions", "types")))')" True 'the suggested descriptor gives the same model' || diag "$(cat err)"

# --- constants of a type, as Vulkan writes flags of 64 bits
cat >lamp.h <<'END'
#include <stdint.h>
typedef uint64_t LampFlags64;
typedef LampFlags64 LampAccessFlags2;
typedef LampFlags64 LampAccessFlagBits2;
static const LampAccessFlagBits2 LAMP_ACCESS_2_NONE = 0ULL;
static const LampAccessFlagBits2 LAMP_ACCESS_2_READ_BIT = 0x00000001ULL;
static const LampAccessFlagBits2 LAMP_ACCESS_2_READ_BIT_KHR = 0x00000001ULL;
static const LampAccessFlagBits2 LAMP_ACCESS_2_LOW_BIT = 0x100000000ULL;
static const LampAccessFlagBits2 LAMP_ACCESS_2_HIGH_BIT = 0x200000000ULL;
static const LampAccessFlagBits2 LAMP_ACCESS_2_BOTH = 0x300000000ULL;
static const LampAccessFlagBits2 LAMP_ACCESS_2_TOP_BIT = 0x8000000000000000ULL;
typedef LampAccessFlags2 LampAccessFlags2KHR;
typedef LampAccessFlagBits2 LampAccessFlagBits2KHR;
/* one constant, and a vendor's name */
typedef LampFlags64 LampMethodFlagsNV;
typedef LampFlags64 LampMethodFlagBitsNV;
static const LampMethodFlagBitsNV LAMP_METHOD_GLOW_BIT_NV = 0x1ULL;
/* an enum with a vendor's name */
typedef uint32_t LampModeFlagsEXT;
typedef enum { LAMP_MODE_A_BIT_EXT = 1, LAMP_MODE_B_BIT_EXT = 2 } LampModeFlagBitsEXT;
/* nothing but the typedef that it stands for says flags */
typedef LampFlags64 LampUsage;
static const LampUsage LampUsage_None = 0;
static const LampUsage LampUsage_Read = 1;
static const LampUsage LampUsage_Write = 2;
/* and nothing at all, but there are four bits */
typedef int lamp_side;
static const lamp_side LAMP_LEFT = 1, LAMP_RIGHT = 2, LAMP_FRONT = 4, LAMP_BACK = 8;
/* limits and numbers are no bits */
typedef uint64_t lamp_width;
static const lamp_width LAMP_WIDTH_LEAST = 1, LAMP_WIDTH_MOST = 4096;
typedef uint32_t lamp_kind;
static const lamp_kind LAMP_KIND_A = 1, LAMP_KIND_B = 2, LAMP_KIND_C = 3, LAMP_KIND_D = 4, LAMP_KIND_E = 8, LAMP_KIND_F = 5, LAMP_KIND_G = 16;
static const uint32_t LAMP_FIRST = 1, LAMP_SECOND = 2, LAMP_THIRD = 4, LAMP_FOURTH = 8;
typedef struct { uint32_t size; LampAccessFlags2 access; } lamp_barrier;
int lamp_set(LampAccessFlags2 access, LampAccessFlags2KHR again, const lamp_barrier *barrier);
int lamp_use(LampUsage usage, lamp_side side, LampMethodFlagsNV method, LampModeFlagsEXT mode);
int lamp_number(lamp_width width, lamp_kind kind, uint32_t number, LampFlags64 any);
END
cat >lamp.c <<'END'
#include "lamp.h"
int lamp_set(LampAccessFlags2 access, LampAccessFlags2KHR again, const lamp_barrier *barrier) { return access + again == barrier->access; }
int lamp_use(LampUsage usage, lamp_side side, LampMethodFlagsNV method, LampModeFlagsEXT mode) { return usage + side + method == mode; }
int lamp_number(lamp_width width, lamp_kind kind, uint32_t number, LampFlags64 any) { return width + kind + number == any; }
END
cat >lamps.c <<'END'
#include "lamp.h"
int main(void)
{
	lamp_barrier low = {8, LAMP_ACCESS_2_LOW_BIT | LAMP_ACCESS_2_READ_BIT}, none = {8, 0};
	lamp_set(LAMP_ACCESS_2_TOP_BIT | LAMP_ACCESS_2_HIGH_BIT | 0x4000000000000000, LAMP_ACCESS_2_BOTH | LAMP_ACCESS_2_READ_BIT, &low);
	lamp_set(0, LAMP_ACCESS_2_LOW_BIT, &none);
	lamp_use(LampUsage_Read | LampUsage_Write, LAMP_LEFT | LAMP_BACK, LAMP_METHOD_GLOW_BIT_NV, LAMP_MODE_A_BIT_EXT | LAMP_MODE_B_BIT_EXT);
	lamp_use(0, 0, 0, 0);
	lamp_number(1, 2, 3, 1);
	return 0;
}
END
CC=${CC:-cc}
$CC -shared -fPIC -Wl,-soname,liblamp.so -o liblamp.so lamp.c && $CC -o lamps lamps.c -L. -llamp -Wl,-rpath,"$tmp" || exit 99
# lamps FILE: the program, traced to FILE.
lamps() { "$top_builddir/tracelayer" run --header lamp.h --lib ./liblamp.so -o "$1" "${@:2}" -- ./lamps >>out 2>err; }
# lamp FILE FUNCTION NUMBER: the arguments of that call.
lamp() { "$python" -c 'import json, sys
for e in json.load(open(sys.argv[1])):
    if e.get("name") == sys.argv[2]: print(*(f"{k}={v}" for k, v in e["args"].items() if k != "result"))' "$1" "$2" | sed -n "$3p"; }
lamps lamps.json
is "$(lamp lamps.json lamp_set 1)" "access=LAMP_ACCESS_2_HIGH_BIT|LAMP_ACCESS_2_TOP_BIT|0x4000000000000000 again=LAMP_ACCESS_2_BOTH|LAMP_ACCESS_2_READ_BIT \
barrier={'size': 8, 'access': 'LAMP_ACCESS_2_READ_BIT|LAMP_ACCESS_2_LOW_BIT'}" 'constants of 64 bits, by name, up to the highest' || diag "$(cat err)"
is "$(lamp lamps.json lamp_set 2)" "access=LAMP_ACCESS_2_NONE again=LAMP_ACCESS_2_LOW_BIT barrier={'size': 8, 'access': 'LAMP_ACCESS_2_NONE'}" \
	'the name of 0 stands alone, and one bit is not the sum that has it'
is "$(lamp lamps.json lamp_use 1)" 'usage=LampUsage_Read|LampUsage_Write side=LAMP_LEFT|LAMP_BACK method=LAMP_METHOD_GLOW_BIT_NV mode=LAMP_MODE_A_BIT_EXT|LAMP_MODE_B_BIT_EXT' \
	"of a type that stands for flags, of four bits, and with a vendor's name"
is "$(lamp lamps.json lamp_use 2)" 'usage=LampUsage_None side=0 method=0 mode=0' 'and no bits'
is "$(lamp lamps.json lamp_number 1)" 'width=1 kind=2 number=3 any=1' 'limits, numbers and constants of a plain type make no set'
"$top_builddir/tracegen" model lamp.h -o lamp.json 2>>err
is "$("$python" -c 'import json
for t in json.load(open("lamp.json"))["types"]:
    if t.get("name") in ("LampAccessFlags2KHR", "lamp_width"):
        print(t["kind"], *("%s=%x" % (e["name"], e["value"]) for e in t.get("enumerators", []) if not e.get("alias")))')" \
	"flags LAMP_ACCESS_2_NONE=0 LAMP_ACCESS_2_READ_BIT=1 LAMP_ACCESS_2_LOW_BIT=100000000 LAMP_ACCESS_2_HIGH_BIT=200000000 LAMP_ACCESS_2_BOTH=300000000 \
LAMP_ACCESS_2_TOP_BIT=-8000000000000000
uint" "a model has them once each, with a vendor's spellings as aliases" || diag "$(cat err)"
lamps lamps.tlt && "$top_builddir/tracelayer" export lamps.tlt -o of_tlt.json >>out 2>>err
is "$(for i in 1 2; do lamp of_tlt.json lamp_set $i; lamp of_tlt.json lamp_use $i; done)" "$(for i in 1 2; do lamp lamps.json lamp_set $i; lamp lamps.json lamp_use $i; done)" \
	'a .tlt has them, too' || diag "$(cat err)"
names() { grep -aoE 'LAMP_ACCESS_2_[A-Z_]*(\|[A-Za-z0-9_]*)*' "$1" | sort -u | tr '\n' ' '; }
lamps lamps.pftrace
is "$(names lamps.pftrace)" "$(names lamps.json)" 'and a trace for Perfetto' || diag "$(cat err)"
lamps none.json --tool log
like "$(cat err)" 'lamp_set\(access=LAMP_ACCESS_2_HIGH_BIT\|LAMP_ACCESS_2_TOP_BIT\|0x4000000000000000, ' 'and the log'
is "$(grep -c . out)" 0 'the program has printed nothing'

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

#!/bin/bash
# SPDX-License-Identifier: MIT
# Types from debug information: the model of a library is the one that its header gives, in whatever form and place the debug information is;
# what C has no types for is left to names; files that are damaged, absent or another library's do no harm.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
top_srcdir=$(cd "$top_srcdir" && pwd) top_builddir=$(cd "$top_builddir" && pwd)
tracegen=$top_builddir/tracegen
: "${CC:=cc}"
plan 67
unset DEBUGINFOD_CACHE_PATH DEBUGINFOD_URLS
export XDG_CACHE_HOME=$tmp/cache HOME=$tmp
cd "$tmp" || exit 99

# --- the library: a header, two files, one of them with what the header hides
cat >lamp.h <<'END'
#include <complex.h>
#include <stddef.h>
#include <stdint.h>
typedef struct lamp_s *lamp;
typedef struct lamp_list_s lamp_list;
typedef int lamp_visitor(int, const char *name, ...);
typedef uint32_t lamp_flags_t;
typedef enum { LAMP_FLAG_ON = 1, LAMP_FLAG_DIM = 2 } lamp_flag_t;
typedef float lamp_vector __attribute__((vector_size(16)));
typedef struct { int x, y; } lamp_point;
enum lamp_colour { LAMP_DARK = -1, LAMP_RED, LAMP_GREEN = 200, LAMP_BLUE = 0x7fffffff };
enum lamp_mask { LAMP_NONE, LAMP_ALL = 0xffffffff };
union lamp_word { long number; double real; const char *text; };
struct lamp_node { struct lamp_node *next; struct lamp_list_s *list; lamp_point at; };
struct lamp_box {
	char name[16];
	int (*call)(int, char *);
	unsigned a : 3, b : 5;
	signed char narrow;
	long wide : 40, wider : 20;
	struct { int u; long v; } inside;
	struct { short p, q; };
	union { int either; double or; };
	int grid[2][3];
	const char *const *list;
	enum { LAMP_ONE, LAMP_TWO } number;
	int (*row)[4];
	volatile int v;
	lamp_point points[];
};
struct __attribute__((packed)) lamp_packed { char c; int i; };
lamp lamp_open(const char *name, enum lamp_colour colour, enum lamp_mask mask, lamp_flags_t flags, lamp_flag_t flag);
unsigned long lamp_take(lamp it, const struct lamp_box *box, lamp_point by_value, const lamp_point *at, size_t n, uint8_t c, union lamp_word word);
double _Complex lamp_wide(float _Complex c, long double l, __int128 i, unsigned __int128 u, lamp_vector v, __float128 q);
void lamp_visit(lamp_list *list, void (*before)(void), lamp_visitor *visit, void *with, const void *from, ...);
const char *lamp_text(char **names, const char *const *others, volatile int *count, char *restrict to, char *const fixed);
_Bool lamp_scalars(char c, signed char s, unsigned char u, short h, unsigned short hu, long long l, unsigned long long lu, float f, double d, wchar_t w);
struct lamp_node lamp_node(struct lamp_node node, struct lamp_packed packed, void (*(*chosen)(int))(void));
int lamp_plus(int a, int b);
int lamp_add(int a, int b);
void lamp_none(void);
END
cat >lamp_private.h <<'END'
#include "lamp.h"
struct lamp_s { int secret; struct lamp_s *next; };
struct lamp_list_s { lamp first; };
END
cat >lamp.c <<'END'
#include "lamp_private.h"
struct context { int of_lamp; };
static int lamp_hidden(const struct context *c) { return c->of_lamp; }
lamp lamp_open(const char *name, enum lamp_colour colour, enum lamp_mask mask, lamp_flags_t flags, lamp_flag_t flag)
{
	struct context c = { colour };
	return *name && mask + flags + flag + lamp_hidden(&c) ? (lamp)name : NULL;
}
unsigned long lamp_take(lamp it, const struct lamp_box *box, lamp_point by_value, const lamp_point *at, size_t n, uint8_t c, union lamp_word word)
{
	return (it ? it->secret : 0) + box->a + by_value.x + at->y + n + c + word.number;
}
double _Complex lamp_wide(float _Complex c, long double l, __int128 i, unsigned __int128 u, lamp_vector v, __float128 q)
{
	return c + l + i + u + v[0] + q;
}
_Bool lamp_scalars(char c, signed char s, unsigned char u, short h, unsigned short hu, long long l, unsigned long long lu, float f, double d, wchar_t w)
{
	return c + s + u + h + hu + l + lu + f + d + w;
}
END
cat >list.c <<'END'
#include "lamp_private.h"
void lamp_visit(lamp_list *list, void (*before)(void), lamp_visitor *visit, void *with, const void *from, ...)
{
	if (before) before();
	visit(list->first != NULL, "x", with, from);
}
const char *lamp_text(char **names, const char *const *others, volatile int *count, char *restrict to, char *const fixed)
{
	return *count ? *names : to ? fixed : *others;
}
struct lamp_node lamp_node(struct lamp_node node, struct lamp_packed packed, void (*(*chosen)(int))(void))
{
	if (chosen) chosen(packed.i)();
	return node;
}
int lamp_plus(int a, int b) { return a + b; }
extern __typeof__(lamp_plus) lamp_add __attribute__((alias("lamp_plus")));
void lamp_none(void) { }
END
# types: what tracegen says of where they come from. A model of a library whose types are all there has one line.
model() { timeout 60 "$tracegen" model --no-guesses -o "$1" --lib "$2" 2>err; grep '^types: ' err >types; }
library() { "$@" -O2 -w -shared -fPIC -Wl,--build-id -Wl,-soname,liblamp.so.1 -o liblamp.so.1 lamp.c list.c; }
all='types of 10 of 10 functions, from the debug information in'
"$tracegen" model --no-guesses -o header.json lamp.h 2>/dev/null
# equals DESCRIPTION [FILE]: the model is the header's, and comes from that file. The models that are asked about are kept until compared.
asked=0
equals()
{
	asked=$((asked + 1))
	model model.$asked ./liblamp.so.1
	cp types types.$asked
	printf '%s\n' "$1" >what.$asked; printf '%s\n' "${2:-./liblamp.so.1}" >from.$asked
}
# compared: one Python compares all these models, and a result for each follows.
compared()
{
	local number
	"$python" "$top_srcdir/tests/gen/compare_models.py" header.json $(seq -f model.%g $asked) 2>errors
	for number in $(seq $asked); do
		is "$(cat errors model.$number.said types.$number 2>&1)" "types: liblamp.so.1: $all $(cat from.$number)" "$(cat what.$number): the header's model"
	done
}
# form COMPILER…: debug information of this kind.
form()
{
	rm -f liblamp.so.1 ./*.dwo
	if library "$@" 2>build.err; then equals "$*"; else skip 1 "this machine does not compile so: $*"; fi
}
for options in '' -gdwarf-4 '-gdwarf-2 -gstrict-dwarf' -gz -O0 -flto -fdebug-types-section '-gdwarf-4 -fdebug-types-section' -gsplit-dwarf '-gdwarf-4 -gsplit-dwarf'; do
	# shellcheck disable=SC2086
	form $CC -g $options
done
for options in '' -gdwarf-4 -gdwarf-2 -gz -fdebug-types-section -gsplit-dwarf '-gdwarf-4 -gsplit-dwarf'; do
	# shellcheck disable=SC2086
	form "$clang" -g $options
done

# --- where it lies
# apart FOLDER NAME: the debug information goes there.
apart()
{
	rm -f liblamp.so.1 liblamp.debug; library $CC -g || return
	mkdir -p "$1"
	objcopy --only-keep-debug liblamp.so.1 "$1/$2"
	strip -g liblamp.so.1
}
build_id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
apart . liblamp.debug; objcopy --add-gnu-debuglink=liblamp.debug liblamp.so.1
equals '.gnu_debuglink, in the library'"'"'s folder' "$tmp/liblamp.debug"
mkdir .debug; mv liblamp.debug .debug
equals '.gnu_debuglink, in .debug' "$tmp/.debug/liblamp.debug"
objcopy --compress-debug-sections=zlib-gnu .debug/liblamp.debug .debug/old 2>/dev/null && mv .debug/old .debug/liblamp.debug
equals 'compressed as it was once' "$tmp/.debug/liblamp.debug"
sed -i 's/return a + b;/return b + a + 0;/' list.c; library $CC -g3; strip -g liblamp.so.1; objcopy --add-gnu-debuglink=.debug/liblamp.debug liblamp.so.1
model debug.json ./liblamp.so.1
like "$(cat types)" '^types: liblamp.so.1: names and times alone: there is no debug information; --header gives types' 'debug information of another build counts for nothing'
rm -r .debug
apart . debuginfo; id=$(build_id liblamp.so.1)
for folder in DEBUGINFOD_CACHE_PATH=$tmp/own XDG_CACHE_HOME=$tmp/xdg HOME=$tmp/home; do
	case $folder in DEB*) place=$tmp/own ;; XDG*) place=$tmp/xdg/debuginfod_client ;; *) place=$tmp/home/.cache/debuginfod_client ;; esac
	mkdir -p "$place/$id"; cp debuginfo "$place/$id"
	case $folder in HOME*) unset XDG_CACHE_HOME ;; esac
	(export "${folder?}"; equals "debuginfod's cache, by ${folder%%=*}" "$place/$id/debuginfo"); asked=$((asked + 1))
	rm -r "$place"
	export XDG_CACHE_HOME=$tmp/cache
done
model debug.json ./liblamp.so.1
like "$(cat types)" 'names and times alone: there is no debug information' 'no debug information: this is told'
is "$("$python" -c 'import json; print({f.get("passed") for f in json.load(open("debug.json"))["functions"]})')" '{1}' 'and all functions have names alone'

# --- dwz
if command -v dwz >/dev/null; then
	apart . liblamp.debug; objcopy --add-gnu-debuglink=liblamp.debug liblamp.so.1
	dwz liblamp.debug 2>/dev/null
	equals 'dwz' "$tmp/liblamp.debug"
	cp liblamp.debug other.debug
	apart . liblamp.debug; objcopy --add-gnu-debuglink=liblamp.debug liblamp.so.1; cp liblamp.debug other.debug
	dwz -m common.debug -M common.debug liblamp.debug other.debug 2>/dev/null
	ok 'dwz makes a common file' test -s common.debug
	equals 'dwz, with a common file beside it' "$tmp/liblamp.debug"
	id=$(build_id common.debug); mkdir -p "$XDG_CACHE_HOME/debuginfod_client/$id"; mv common.debug "$XDG_CACHE_HOME/debuginfod_client/$id/debuginfo"
	equals "dwz, with a common file in debuginfod's cache" "$tmp/liblamp.debug"
	rm -r "$XDG_CACHE_HOME/debuginfod_client"
	model debug.json ./liblamp.so.1
	is "$?:$(sed 's/.*; /; /' types)" '0:; common.debug, which has a part of it, is not there' 'dwz, without the common file: this is told'
	rm -f ./*.debug
else
	skip 5 'this machine has no dwz'
fi
compared
library $CC -g -gsplit-dwarf; rm -f ./*.dwo
model debug.json ./liblamp.so.1
like "$?:$(cat types)" "^0:types: liblamp.so.1: types of 0 of 10 .*; .*\.dwo, which has a part of it, can't be read" 'split, without the .dwo files: this is told'

# --- versions, aliases, names that several files have, and what is no C
cat >odd.c <<'END'
struct context { double of_odd; char name[3]; };
int odd_old(int a) { return a; }
int odd_new(double a, const char *b) { return a + *b; }
__asm__(".symver odd_old, odd_it@ODD_1\n.symver odd_new, odd_it@@ODD_2");
int odd_same_1(int a) { return a; }
int odd_same_2(int a) { return a + 1; }
__asm__(".symver odd_same_1, odd_same@ODD_1\n.symver odd_same_2, odd_same@@ODD_2");
int odd_context(const struct context *c) { return c->name[0]; }
static int one(int a, char b) { return a + b; }
static int (*choose(void))(int, char) { return one; }
int odd_chosen(int a, char b) __attribute__((ifunc("choose")));
int odd_listed(a, b) int a; char b; { return a + b; }
int odd_float(a) float a; { return a; }
_Decimal64 odd_decimal(_Decimal64 a) { return a; }
__attribute__((noinline)) static int odd_static(void) { return 1; }
int odd_calls(int n) { return n ? odd_calls(n - 1) + odd_static() : 0; }
END
cat >odd2.c <<'END'
struct context { int of_two; };
int odd_context2(const struct context *c) { return c->of_two; }
int odd_chosen(int first, char second);
int odd_chooses(void) { return odd_chosen(1, 2); }
END
cat >odd.cc <<'END'
struct base { virtual ~base() {} int b; };
struct derived : base { int d; };
struct plain { int a, b; };
extern "C" int odd_by_value(derived it) { return it.d; }
extern "C" int odd_plain(plain it) { return it.a; }
extern "C" int odd_reference(const plain &it, derived *other) { return it.a + other->d; }
int odd_mangled(int a) { return a; }
END
printf 'ODD_1 { global: odd*; _Z*; local: *; };\nODD_2 { } ODD_1;\n' >odd.map
cat >odd_asm.s <<'END'
	.globl odd_written
	.type odd_written, @function
odd_written:
	ret
	.size odd_written, .-odd_written
	.section .note.GNU-stack,"",@progbits
END
built=true
for each in odd.c odd2.c odd_asm.s; do $CC -g -O1 -fPIC -c $each -o $each.o || built=false; done
${CXX:-c++} -g -O1 -fPIC -c odd.cc -o odd.cc.o || built=false
$built && $CC -shared -Wl,--version-script=odd.map -Wl,-soname,libodd.so.1 -o libodd.so.1 odd*.o -lstdc++
model odd.json ./libodd.so.1
odd() { "$python" -c 'import json, sys; m = json.load(open("odd.json")); f = {x["name"]: x for x in m["functions"]}; t = {x["spelling"]: x for x in m["types"]}
p = lambda n: [x["spelling"] + " " + x["name"] for x in f[n].get("params", [])]; print(eval(sys.argv[1]))' "$1"; }
is "$(odd 'p("odd_it"), p("odd_it@ODD_1")')" "(['double a', 'const char * b'], ['int a'])" 'a version whose parameters differ has its own'
is "$(odd '"odd_same" in f, "odd_same@ODD_1" in f')" '(True, False)' 'another has the same'
is "$(odd '[sorted(x["name"] for x in t[s]["members"]) for s in t if s.startswith("struct context")]')" "[['name', 'of_odd'], ['of_two']]" 'structs of one name in two files stay apart'
is "$(odd 'p("odd_chosen")')" "['int arg0', 'char arg1']" "an ifunc has its callers' declaration"
is "$(odd 'p("odd_listed"), f["odd_float"].get("passed")')" "(['int a', 'char b'], 1)" 'without a prototype: what callers pass as it is declared'
is "$(odd '[f[x].get("passed") for x in ("odd_decimal", "odd_by_value", "odd_written", "_Z11odd_mangledi")]')" '[1, 1, 1, 1]' 'what is none of C'"'"'s types has a name alone'
is "$(odd 'p("odd_plain"), p("odd_reference")[1]')" "(['struct plain it'], 'struct derived * other')" 'functions that C++ defines for C have types'
ok 'an interposer is made of it' "$tracegen" interposer --lib ./libodd.so.1 -o odd-interposer.so
is "$(readelf --dyn-syms -W odd-interposer.so | grep -o 'odd_it@[@A-Z0-9_]*' | sort)" "$(printf 'odd_it@@ODD_2\nodd_it@ODD_1')" 'with both versions'

# --- commands
rm -f liblamp.so.1; library $CC -g
"$tracegen" interposer --header=./lamp.h --lib ./liblamp.so.1 -o i.so >said 2>&1
is "$?$(grep -c types: said)" 00 'a header wins'
"$tracegen" interposer --lib ./liblamp.so.1 -o i.so >said 2>&1
is "$?:$(head -n 1 said)" "0:types: liblamp.so.1: $all ./liblamp.so.1" 'an interposer is made without one'
is "$(tail -n 1 said)" '10 functions of liblamp.so.1, 0 of them by name alone; 0 left out, 0 not declared by the headers' 'with all functions, variadic ones, too'
"$tracegen" suggest --lib ./liblamp.so.1 -o suggested.json 2>said
is "$?:$("$python" -c 'import json; d = json.load(open("suggested.json")); print(d["name"], d["headers"], d["sonames"], d["creates"])')" \
	"0:lamp [] ['liblamp.so.1'] ['lamp_open']" 'a descriptor is suggested of debug information'
LD_LIBRARY_PATH=. "$tracegen" interposer --api suggested.json -o i.so >said 2>&1
is "$?:$(sed -n 1p said)" "0:types: liblamp.so.1: $all ./liblamp.so.1" 'which serves without a header'
is "$("$tracegen" emit --api suggested.json --lib ./liblamp.so.1 2>&1 | tail -n 1)" "tracegen: emit: its code includes the API's headers, and none is named; use tracegen interposer" \
	'code needs a header'

# --- a run
cat >use.c <<'END'
#include <stdio.h>
#include "lamp.h"
int main(void)
{
	struct lamp_box box = { .name = "a box", .a = 5, .narrow = -3, .number = LAMP_TWO, .inside = { .v = 77 } };
	lamp it = lamp_open("bright", LAMP_GREEN, LAMP_ALL, LAMP_FLAG_ON | LAMP_FLAG_DIM, LAMP_FLAG_DIM);
	printf("%d %lu\n", it != NULL, lamp_take(NULL, &box, (lamp_point){ 1, 2 }, &(lamp_point){ 3, 4 }, 5, 6, (union lamp_word){ .number = 7 }));
	return 0;
}
END
ln -sf liblamp.so.1 liblamp.so
$CC -o use use.c -L. -llamp -Wl,-rpath,"$tmp"; bare=$(./use)
run() { rm -f t.json; timeout 60 "$tracelayer" run -o t.json --lib ./liblamp.so.1 -- ./use 2>err; }
is "$(run)" "$bare" 'a program under run --lib prints the same'
is "$(head -n 1 err)" "tracelayer: liblamp.so.1: $all ./liblamp.so.1" 'and run says where types come from'
like "$(cat t.json)" '"name":"lamp_open".*"args":\{"name":"bright","colour":"LAMP_GREEN","mask":"LAMP_ALL","flags":"LAMP_FLAG_ON\|LAMP_FLAG_DIM","flag":"LAMP_FLAG_DIM"' \
	'texts, enums and flags are shown'
like "$(cat t.json)" '"name":"lamp_take".*"box":\{"name":"a box".*"a":5.*"narrow":-3.*"v":77.*"number":"LAMP_TWO".*"by_value":\{"x":1,"y":2\},"at":\{"x":3,"y":4\},"n":5,"c":6' \
	'and structs, by pointer and by value'
run >out; is "$(cat out):$(grep -c functions err)" "$bare:0" 'the next run says nothing of it'
objcopy --only-keep-debug liblamp.so.1 kept; strip -g liblamp.so.1
"$tracegen" interposer --lib ./liblamp.so.1 -o i.so --sources sources >said 2>&1
like "$(cat sources)" '^\?/usr/lib/debug/.build-id/' 'what would have been read is a source of an interposer, too'
run >out; like "$(head -n 1 err)" 'liblamp.so.1: names and times alone: there is no debug information; --header gives types' 'without debug information, it says so'
nok 'and has no arguments' grep -q '"name":"bright"' t.json
id=$(build_id liblamp.so.1); mkdir -p "$XDG_CACHE_HOME/debuginfod_client/$id"; cp kept "$XDG_CACHE_HOME/debuginfod_client/$id/debuginfo"
run >out; ok 'once it is installed, arguments are back' grep -q '"name":"bright"' t.json
rm -r "$XDG_CACHE_HOME/debuginfod_client"; run >out; nok 'and gone with it' grep -q '"name":"bright"' t.json

# --- Fortran passes addresses of what its parameters are said to be. A compiler's text is made Fortran's by its language.
echo 'int in_c(int a) { return a; }' >in_c.c; echo 'int in_fortran_(int *at) { return *at; }' >in_fortran.c
$CC -g -dA -fPIC -S -o in_fortran.s in_fortran.c && sed -i -E 's/(\.byte[[:space:]]+)0x[0-9a-f]+([[:space:]].*DW_AT_language)/\10x23\2/' in_fortran.s
$CC -g -shared -fPIC -o libboth.so in_c.c in_fortran.s
is "$(readelf --debug-dump=info libboth.so | grep -c 'DW_AT_language.*Fortran')" 1 'a library of C and Fortran'
"$tracegen" model --lib ./libboth.so >both.json 2>said
is "$(jq -r '.functions[] | "\(.name) \(.params | length)"' both.json | sort | paste -sd' ')" "in_c 1 in_fortran_ 0" 'of Fortran there are names and times alone'
$CC -g -shared -fPIC -o libfortran.so in_fortran.s; "$tracegen" model --lib ./libfortran.so >both.json 2>said
like "$(cat said)" '^types: libfortran.so: names and times alone: the debug information in ./libfortran.so is Fortran.s, which does not say how parameters' 'which the line says'

# --- damage
library $CC -g; objcopy --dump-section .debug_info=info liblamp.so.1 whole.so
head -c 200 info >cut; objcopy --update-section .debug_info=cut liblamp.so.1 damaged.so 2>/dev/null
"$tracegen" interposer --lib ./damaged.so -o i.so >said 2>&1
like "$?:$(grep -c types: said):$(cat said)" '^0:1:types: liblamp.so.1: names and times alone: the debug information in ./damaged.so has none of its functions' \
	'half a section: one line, and names alone'
like "$(tail -n 1 said)" '^10 functions of liblamp.so.1, 10 of them by name alone; 0 left out, ' 'for all functions'
printf '\143' | dd of=info bs=1 seek=4 conv=notrunc status=none; objcopy --update-section .debug_info=info liblamp.so.1 damaged.so 2>/dev/null
"$tracegen" interposer --lib ./damaged.so -o i.so >said 2>&1
like "$?:$(grep -c types: said):$(cat said)" '^0:1:types: liblamp.so.1: names and times alone: the debug information in ./damaged.so is damaged \(.*\); install it anew' \
	'of a version that is none: one line, and names alone'
printf '#include <stdlib.h>\nint dwarf_get_units(void) { abort(); }\n' >abort.c; $CC -shared -fPIC -o abort.so abort.c
LD_PRELOAD=$tmp/abort.so "$tracegen" interposer --lib ./liblamp.so.1 -o i.so >said 2>&1
like "$?:$(grep -c . said):$(cat said)" '^0:2:types: liblamp.so.1: names and times alone: the debug information in ./liblamp.so.1 is damaged \(tracegen could not read it' \
	'a crash in libdw does not end tracegen'
. "$top_srcdir/tests/lib/sanitizers.sh"
if works address,undefined; then
	sources=$(sed -n '/^tracegen_\(debug\|interposer\) =/,/[^\\]$/p' "$top_srcdir/gen/local.mk" | grep -o '[a-z0-9_/]*\.c')
	sources=$(printf "$top_srcdir/%s " $sources common/library_file.c common/library_path.c gen/exports.c gen/model.c gen/comment.c gen/guess.c gen/guess_flags.c gen/guess_objects.c gen/library.c gen/refused.c)
	# shellcheck disable=SC2046,SC2086
	ok 'the reader builds with sanitizers' $CC -std=gnu11 -D_GNU_SOURCE -g -w -fsanitize=address,undefined -fno-sanitize-recover=all -I"$top_srcdir/include" -I"$top_srcdir" \
		-I"$top_builddir" $(pkg-config --cflags libdw libelf zlib) -o fuzz "$top_srcdir/tests/gen/fuzz_debug_info.c" $sources $(pkg-config --libs libdw libelf zlib)
	library $CC -g -gdwarf-4; mkdir fuzzed
	ASAN_OPTIONS=detect_leaks=0:malloc_context_size=1:exitcode=99:log_path=$tmp/finding UBSAN_OPTIONS=log_path=$tmp/finding timeout 500 ./fuzz liblamp.so.1 fuzzed 1 "${FUZZ_COUNT:-300}" >said 2>&1
	like "$(tail -n 1 said)" "^[0-9]* made, 0 refused, [0-9]* crashed, 0 hung" "${FUZZ_COUNT:-300} libraries with changed bytes end in an interposer" || diag "$(cat said)"
	# libdw's own crashes are what the guard is for.
	for log in finding.*; do test ! -f "$log" || grep -m 1 -E '/gen/|libdw|libelf' "$log"; done >found
	nok 'and in no finding' grep /gen/ found
else
	skip 3 "this machine's compiler has no AddressSanitizer"
fi

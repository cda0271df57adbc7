#!/bin/bash
# SPDX-License-Identifier: MIT
# Any library's headers: umbrella headers, the functions that a library exports, symbols that differ from names, headers that need others in
# front, and a clear message about what can't be traced. The headers and the library are written here, one for each case.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99

tracegen=$top_builddir/tracegen
case $tracegen in /*) ;; *) tracegen=$PWD/$tracegen ;; esac
: "${CC:=cc}"
plan 125
mkdir "$tmp/box" "$tmp/out"
cd "$tmp" || exit 99

# says STATUS REGEX DESCRIPTION COMMAND…: it ends so, and its stderr has such a line.
says()
{
	_want=$1; _regex=$2; _name=$3; shift 3
	timeout 60 "$@" >"$tmp/out.txt" 2>"$tmp/err"
	is $? "$_want" "$_name: ends with $_want"
	like "$(cat "$tmp/err")" "$_regex" "$_name: is told"
}
model() { timeout 60 "$tracegen" model -o "$tmp/model.json" "$@" 2>"$tmp/err"; }
# ask EXPRESSION: of the model m, its functions f by name
ask() { "$python" -c 'import json, sys; m = json.load(open(sys.argv[1])); f = {x["name"]: x for x in m["functions"]}; print(eval(sys.argv[2]))' \
	"$tmp/model.json" "$1"; }

# --- a library with an umbrella header
cat >box/box.h <<'END_OF_HEADER'
#ifndef BOX_H
#define BOX_H
#include <stdlib.h>
#include "../parts.h"
#include "box_open.h"
#include "more/box_shut.h"
#define BOX_DEPTH 3
enum { BOX_WIDTH = 4, BOX_NONE = -1 };
enum box_kind { BOX_OPEN };
typedef enum { BOX_ROUND } box_shape;
#endif
END_OF_HEADER
echo 'int box_open(const char *name); int box_later(void); extern int box_count; static inline int box_area(int a) { return a * a; }' >box/box_open.h
mkdir box/more
echo 'void box_shut(int box); int box_old(int a) __asm__("box_new"); extern int box_shown(void);' >box/more/box_shut.h
echo 'int part_of(int box); int part_gone(int box);' >parts.h
cat >box.c <<'END_OF_SOURCE'
int box_open(const char *name) { return !!name; }
void box_shut(int box) { (void)box; }
int box_new(int a) { return a; }
int part_of(int box) { return box; }
int box_shown = 4;
int box_count = 5;
END_OF_SOURCE
$CC -shared -fPIC -Wl,-soname,libbox.so.4 -o libbox.so.4 box.c || exit 99

model box/box.h
is "$?:$(ask 'sorted(f)')" "0:['box_later', 'box_new', 'box_open', 'box_shown', 'box_shut']" 'an umbrella header stands for those of its folder and below'
is "$(ask 'f["box_new"]["declared"]')" 'box_old' 'a label in the header gives a function its symbol'
is "$(ask '[c["name"] for g in m["constants"] for c in g["values"]]')" "['BOX_DEPTH', 'BOX_WIDTH', 'BOX_NONE']" 'constants stay those of these headers, and of enums without a name'
model box/box.h --lib ./libbox.so.4
is "$?:$(ask 'sorted(f)')" "0:['box_new', 'box_open', 'box_shut', 'part_of']" 'with a library: what it exports, whatever header declares it'
is "$(ask 'm["sonames"]')" "['libbox.so.4']" "and the model has the library's soname"
like "$(cat err)" "libbox.so.4: it doesn't export 1 functions of the headers: box_later; they have no shim" 'what it does not export is told, once'
LD_LIBRARY_PATH=$tmp model box/box.h --lib libbox.so.4
is "$?:$(ask 'len(f)')" '0:4' 'a library is found as the loader finds it'
is "$(LD_LIBRARY_PATH=$tmp "$tracegen" check --model model.json libbox.so.4 | tail -n 1)" \
	'4 with a shim, 0 left out, 0 missing, 0 not declared; 0 more not in this library' 'check finds it so, too'
mkdir here && echo 'int beside_it(void);' >here/beside.h && echo '#include "beside.h"' >here/all.h
is "$(cd here && "$tracegen" model all.h | grep -c '"name": "beside_it"')" 1 'the folder may be the current one'
says 1 'libbox.so.5: the loader finds no library of this name' 'a library that is not there' "$tracegen" model box/box.h --lib libbox.so.5
says 1 'model.json: not an ELF file' 'a library that is none' "$tracegen" model box/box.h --lib ./model.json
echo '#include "../parts.h"' >box/only.h
says 1 'box/only.h: it declares no function itself, but .*parts.h:1 has part_of and other headers 1 more; name those headers, or the library with --lib' \
	'a header without functions' "$tracegen" model box/only.h
echo 'typedef int number;' >empty.h
says 1 'empty.h: it declares no function; name the header that does' 'headers without any function' "$tracegen" model empty.h
echo 'int box_opens(int a); int zebra(void);' >near.h
says 1 "libbox.so.4: it exports none of the functions that the headers declare \(the nearest to box_opens is box_open\); name the library" 'a library of something else' \
	"$tracegen" model near.h --lib ./libbox.so.4
echo 'int zebra(void);' >far.h
says 1 'it has nothing like zebra' 'a library of something quite else' "$tracegen" model far.h --lib ./libbox.so.4
echo 'int _Z5zebrav(void) { return 1; }' >zebra.c
$CC -shared -fPIC -o libzebra.so zebra.c
says 1 'it has zebra for C\+\+ alone, as _Z5zebrav' 'a library that has the function in C++ only' "$tracegen" model far.h --lib ./libzebra.so
printf '{"name": "b", "prefix": "b", "version": "1", "headers": ["%s/box/only.h"], "included": ["*/parts.h"]}\n' "$tmp" >included.json
model --api included.json
is "$?:$(ask 'sorted(f)')" "0:['part_gone', 'part_of']" 'a descriptor names included headers by patterns'

"$tracegen" suggest box/box.h --lib ./libbox.so.4 -o box.json 2>/dev/null
ok 'a descriptor that was suggested with a library serves without it' "$tracegen" model --api box.json

# --- what can't be traced, by name
descriptor() { printf '{"name": "b", "prefix": "b", "version": "1", "headers": ["%s/box/box_open.h"],\n "creates": ["%s"]}\n' "$tmp" "$1" >b.json; }
descriptor box_area
says 1 "b.json:2: box_area can't be traced: it is static or inline: compilers put it into the program \(.*box_open.h:1\)" 'a static function' \
	"$tracegen" model --api b.json
descriptor box_count
says 1 "b.json:2: box_count can't be traced: it is data, and only calls are traced" 'a variable' "$tracegen" model --api b.json
printf '{"name": "b", "prefix": "b", "version": "1", "headers": ["%s/box/more/box_shut.h"],\n "creates": ["box_shown"]}\n' "$tmp" >shown.json
says 1 "shown.json:2: box_shown can't be traced: the library exports it as data, not as a function" 'a function that the library has as data' \
	"$tracegen" model --api shown.json --lib ./libbox.so.4
descriptor box_later
LD_LIBRARY_PATH=$tmp model --api b.json --lib libbox.so.4
is $? 0 'a descriptor may name what another version of the library exports'
cat >twice.h <<'END_OF_HEADER'
struct frame { long words[8]; };
int box_twice(int a) __attribute__((returns_twice));
int _setjmp(struct frame *to);
int vfork(void);
int _Ux86_64_getcontext(void *context);
int fine(int a);
END_OF_HEADER
model twice.h
is "$?:$(ask '[n for n in f if "left_out" not in f[n]]')" "0:['fine']" 'functions that return twice have no shim'
like "$(cat err)" 'twice.h:3: _setjmp is left out: it returns twice, the second time to a frame that a shim has already left' 'and the reason is told'
is "$(ask '[n for n in f if f[n].get("only_generic")]')" '[]' 'of any kind'
# Only x86-64 has this attribute.
echo 'int windows(int a, int b, int c, int d, int e) __attribute__((ms_abi)); int here(void) __attribute__((sysv_abi)); int fine(int a);' >windows.h
echo 'int __attribute__((ms_abi)) windows(int a, int b, int c, int d, int e) { return e; }' >windows.c
if $CC -shared -fPIC -Werror -o libwindows.so windows.c 2>/dev/null; then
	model windows.h
	is "$?:$(ask 'sorted(n for n in f if "left_out" not in f[n])')" "0:['fine', 'here']" 'a function that is called as those of Windows are has no shim'
	is "$("$tracegen" interposer --header windows.h --lib ./libwindows.so -o windows.so | head -n 1)" \
		'windows: it is called in another way than functions of C: a shim would change registers that it keeps' 'of any kind, either'
else
	skip 2 "this machine's compiler has no such functions"
fi
if "$clang" -g -shared -fPIC -Werror -o libwindows.so windows.c 2>/dev/null; then
	is "$("$tracegen" interposer --lib ./libwindows.so -o windows.so | grep ^windows:)" \
		'windows: it is called in another way than functions of C: a shim would change registers that it keeps' 'as debug information of clang has it, too'
else
	skip 1 "this machine has no clang that makes such functions"
fi

# --- what compilers put into programs, and the library exports, too
echo 'static inline int shelf_depth(int a) { return a; } static inline int shelf_width(int a) { return a; } int shelf(void);' >shelf.h
printf 'int shelf_depth(int a) { return a; }\nint shelf(void) { return 1; }\nint shelf_hidden_from_headers(void) { return 2; }\n' >shelf.c
$CC -shared -fPIC -Wl,-soname,libshelf.so -o libshelf.so shelf.c
is "$("$tracegen" interposer --header shelf.h --lib ./libshelf.so -o shelf.so)" \
	'2 functions of libshelf.so, 0 of them by name alone; 0 left out, 1 not declared by the headers' "an interposer has an inline function that the library exports"
"$tracegen" emit shelf.h --lib ./libshelf.so -o out 2>err
is "$(tr '\n' ' ' <out/shelf.exports)" 'shelf ' 'shims in C do not'
like "$(cat err)" 'shelf_depth is left out: it is static or inline: compilers put it into the program' 'and the reason is told'

# --- a type without a name that has two members
echo 'typedef struct { struct { int x, y; } least, most; } seat; int seat_size(seat *of, const seat *like);' >seat.h
printf 'int seat_size(void *of, const void *like) { return of == like; }\n' >seat.c
$CC -shared -fPIC -Wl,-soname,libseat.so -o libseat.so seat.c
mkdir of_model && "$tracegen" interposer --header seat.h --lib ./libseat.so -o seat.so >/dev/null && "$tracegen" model seat.h --lib ./libseat.so -o seat.json &&
	"$tracegen" interposer --model seat.json --lib ./libseat.so -o of_model/seat.so >/dev/null
same seat.so of_model/seat.so 'headers and their model give the same interposer'

# --- C++
cxx() # DESCRIPTION WORD HEADER
{
	says 1 "$3:[0-9]*:[0-9]*: this is C\+\+ \($2\), and tracegen reads C; name the library's C header" "$1" "$tracegen" model "$3"
}
printf '\nextern "C" {\nint f(int);\n}\n' >extern.h
printf '#include <string>\nint f(std::string);\n' >text.h
printf 'namespace a {\nint f(int);\n}\n' >namespace.h
printf 'struct a { int f(); };\n' >struct.hpp
printf 'int f(int &a);\n' >reference.h
printf 'int f(int a = 3);\n' >default.h
cxx 'a header for C++ alone' 'extern "C"' extern.h
cxx "a header that includes C++'s own" 'string' text.h
cxx 'a namespace' 'namespace' namespace.h
cxx 'a header that is called so' '.hpp' struct.hpp
cxx 'a header that compiles as C++ alone' 'in C: expected .*' reference.h
cxx 'a header with a default argument' 'in C: .*default arguments' default.h
printf 'int f(int &a;\n' >neither.h
says 1 'neither.h:1:[0-9]+: expected .*give it with --cflags, as in --cflags=-DNAME' 'a header that is neither' "$tracegen" model neither.h
printf '#ifdef HAVE_F\nint f(int a);\n#endif\nint g(int a);\n' >asked.h
"$tracegen" model --cflags="-DHAVE_F -I." asked.h -o model.json
is "$?:$(ask 'sorted(f)')" "0:['f', 'g']" 'compiler flags may be in an option'

# --- files that are no library for 64-bit programs
echo 'INPUT(-lm)' >libscript.so
says 1 'libscript.so: a linker script, which names libraries; name the shared library' "a linker's script" "$tracegen" interposer --lib ./libscript.so -o no.so
cp libbox.so.4 lib32.so && printf '\001' | dd of=lib32.so bs=1 seek=4 conv=notrunc 2>/dev/null
says 1 'lib32.so: (a library for 32-bit programs|not an ELF file|it has no)' 'a library of another class' "$tracegen" interposer --lib ./lib32.so -o no.so
echo 'int only_data = 3;' >data.c && $CC -shared -fPIC -o libdata.so data.c
says 1 'libdata.so: it exports no function; name the shared library' 'a library without functions' "$tracegen" interposer --lib ./libdata.so -o no.so
head -c 600 libbox.so.4 >libcut.so
says 1 'libcut.so: ' 'a library that was cut short' "$tracegen" interposer --lib ./libcut.so -o no.so
is "$(ls no.so 2>/dev/null)" '' 'nothing is written for these'

# --- headers that need something
printf 'size_t f(FILE *file, uint32_t n);\nbool g(void);\n' >needs.h
model needs.h
is "$?:$(ask 'm["flags"]')" "0:['-includestddef.h', '-includestdio.h', '-includestdint.h', '-includestdbool.h']" \
	'a header gets in front what it leaves to others to include' || diag "$(cat err)"
printf 'struct one { struct timeval at; struct sockaddr_in from; fd_set set; }; int f(struct one *one, struct timespec by_value, socklen_t size);\n' >structs.h
model structs.h
is "$?:$(ask 'm["flags"]')" "0:['-includesys/time.h', '-includenetinet/in.h', '-includesys/select.h', '-includesys/socket.h']" \
	"structs of the system, too (libnfs)" || diag "$(cat err)"
printf 'struct one { char bytes[sizeof(struct stat)]; }; int f(struct one *one);\n' >sizes.h
model sizes.h
is "$?:$(ask 'm["flags"]')" "0:['-includesys/stat.h']" "also where only their size is asked for" || diag "$(cat err)"
ok 'and so does the code made from it' sh -c '"$0" emit needs.h -o out && $1 -std=c11 -O2 -fexceptions -Werror -fsyntax-only -I"$2/include" -I. out/needs_shims.c' \
	"$tracegen" "$CC" "$(cd "$OLDPWD" && cd "$top_srcdir" && pwd)"
cat >asks.h <<'END_OF_HEADER'
/* More if <stdio.h> was included first. */
#if defined (SOME_STDIO_H) \
	|| defined (_STDIO_H)
int asks_print(FILE *to);
#endif
#ifdef INTMAX_C
int asks_large(intmax_t a);
#endif
#if !defined(_STDARG_H)
int asks_alone(void);
#endif
END_OF_HEADER
model asks.h
is "$?:$(ask 'sorted(f)')" "0:['asks_alone', 'asks_large', 'asks_print']" 'a header that asks whether others were included before it gets them'
is "$(ask 'm["flags"]')" "['-includestdio.h', '-includestdint.h']" 'and only these'
echo '#include <stdio.h>' | cat - asks.h >has.h
model has.h
is "$(ask 'm["flags"]')" "['-includestdint.h']" 'one that includes it itself does not'
ok 'code is made of it' "$tracegen" emit asks.h -o out
printf 'typedef _Float16 half;\nint f(int a);\nhalf g(half a);\nint many(const half *a, int n);\n' >half.h
model half.h
is "$?:$(ask '[n for n in f if "left_out" not in f[n]]')" "0:['f', 'many']" 'a header with 16-bit floats is read'
mkdir pkg
printf 'Name: box\nDescription: box\nVersion: 1\nCflags: -I%s/box -DBOX_FLAG=7\n' "$tmp" >pkg/box.pc
printf '#if BOX_FLAG == 7\nint seven(void);\n#endif\n' >box/flag.h
PKG_CONFIG_PATH=$tmp/pkg model flag.h --pkg box
is "$?:$(ask '[sorted(f), m["flags"], m["headers"]]')" "0:[['seven'], ['-DBOX_FLAG=7'], ['flag.h']]" "a package's flags are taken from pkg-config"
says 1 "pkg-config doesn't know it; install the package's -dev package" 'a package that is not there' "$tracegen" model flag.h --pkg no-such-box
is "$(wc -l <err)" 1 'in one line, without what pkg-config prints'
printf 'Name: lid\nDescription: lid\nVersion: 1\nRequires: no-such-hinge\n' >pkg/lid.pc
PKG_CONFIG_PATH=$tmp/pkg says 1 "--pkg lid: pkg-config says: .*no-such-hinge.*; install what it needs" 'a package that needs one that is not there' \
	"$tracegen" model flag.h --pkg lid
is "$(wc -l <err)" 1 'in one line'
PKG_CONFIG=no-such-program says 1 "--pkg box: no-such-program can't be started; install it" 'no pkg-config' "$tracegen" model flag.h --pkg box
is "$(wc -l <err)" 1 'in one line'
says 1 'no name of a package' 'a package that is none' "$tracegen" model flag.h --pkg "box';ls"

# --- comments
printf '/** Does.\n * @param [out] a x\n * \\param  [in,out]\tb y\n * @param c z\n */\nint f(int *a, int *b, const char *c);\n' >comment.h
model comment.h
is "$(ask '[p["direction"] for p in f["f"]["params"][:2]]')" "[['out', 'obliged'], ['in', 'out', 'obliged']]" 'a tag behind @param may stand apart'

# --- functions whose type has a qualifier, and labels: the code compiles
cat >odd.h <<'END_OF_HEADER'
void odd_die(int code) __attribute__((noreturn));
_Noreturn void odd_end(int code);
int odd_const(int a) __attribute__((const));
int odd_pure(int a) __attribute__((pure, nothrow));
int odd_old(int a) __asm__("odd_new");
typedef struct odd_s { int a; } *restrict odd_restricted;
int odd_alone(odd_restricted it, const char *restrict text);
END_OF_HEADER
ok 'code is made for functions with attributes and labels' "$tracegen" emit odd.h -o out
for compiler in "$CC" "$clang"; do
	if command -v "${compiler%% *}" >/dev/null; then
		ok "it compiles ($compiler)" $compiler -std=c11 -O2 -fPIC -fexceptions -Wall -Wextra -Werror -I"$(cd "$OLDPWD" && cd "$top_srcdir" && pwd)/include" -I. \
			-c -o odd.o out/odd_shims.c
	else
		skip 1 "this machine has no $compiler"
	fi
done
is "$(tr '\n' ' ' <out/odd.exports)" 'odd_alone odd_const odd_die odd_end odd_new odd_pure ' 'and exports the symbols'
like "$(nm odd.o)" ' T odd_new' 'under which libraries have them'

# --- a word in place of "..."
cat >set.h <<'END_OF_HEADER'
typedef enum { SET_NAME, SET_DEPTH } set_option;
int set_option_of(int box, set_option option, ...);
int set_two(int box, ...);
int set_none(int box);
int set_text(const char *format, ...);
END_OF_HEADER
cat >set.c <<'END_OF_SOURCE'
#include <stdarg.h>
#include "set.h"
int set_option_of(int box, set_option option, ...)
{
	va_list list;
	va_start(list, option);
	int result = option == SET_NAME ? *va_arg(list, char *) : (int)va_arg(list, long);
	va_end(list);
	return box + result;
}
int set_two(int box, ...)
{
	va_list list;
	va_start(list, box);
	double first = va_arg(list, double);
	int second = va_arg(list, int);
	va_end(list);
	return box + (int)first + second;
}
int set_none(int box) { return box; }
int set_text(const char *format, ...) { return *format; }
END_OF_SOURCE
cat >set_main.c <<'END_OF_SOURCE'
#include <stdio.h>
#include "set.h"
int main(void)
{
	printf("%d %d %d %d\n", set_option_of(1, SET_NAME, "a"), set_option_of(2, SET_DEPTH, 400L), set_two(3, 2.5, 40), set_none(5));
	return 0;
}
END_OF_SOURCE
set_descriptor() { printf '{"name": "set", "prefix": "set", "version": "1", "headers": ["set.h"],\n "variadic": {%s}}\n' "$1" >set.json; }
set_descriptor '"set_option_of": "void *", "set_two": ["double", "int"], "set_*": "long"'
ok 'code is made for variadic functions that a descriptor describes' "$tracegen" emit --api set.json -o out -- -I.
top=$(cd "$OLDPWD" && cd "$top_srcdir" && pwd) layer=$(cd "$OLDPWD" && cd "$top_builddir" && pwd)/.libs
ok 'it compiles' $CC -std=c11 -O2 -fPIC -fexceptions -Wall -Wextra -Werror -shared -DTL_SHIM_LIBRARY -I"$top/include" -I. -o libset-shims.so \
	out/set_shims.c out/set_tables.c -L"$layer" -ltracelayer -Wl,-rpath,"$layer"
ok 'so do library and program' sh -c '$0 -shared -fPIC -o libset.so set.c && $0 -o set_main set_main.c -L. -lset -Wl,-rpath,"$PWD"' "$CC"
LD_PRELOAD=$layer/libtracelayer.so:$PWD/libset-shims.so TRACELAYER_OUTPUT=$PWD/set.trace.json timeout 60 ./set_main >got 2>&1
is "$(cat got)" "$(./set_main)" 'the program gets the same results'
like "$(cat set.trace.json)" '"name":"set_option_of".*"option":"SET_DEPTH","arg":"0x190"' 'the word is shown'
like "$(cat set.trace.json)" '"name":"set_two".*"box":"?3"?,"arg1":"?2.5"?,"arg2":"?40"?' 'so are several'
model --api set.json -- -I.
is "$?:$(ask '[p["name"] for p in f["set_text"]["params"]], "left_out" in f["set_text"]')" "0:(['format', 'arg'], False)" 'a pattern is for those that no rule before it names'
set_descriptor '"set_none": "int"'
says 1 'set.json:2: set_none has no "..."; correct the name' 'a function without ...' "$tracegen" model --api set.json -- -I.
set_descriptor '"set_two": "float"'
says 1 'set.json:2: float is no type that "..." can stand for; write one of the headers, or int' 'a type that is never passed there' \
	"$tracegen" model --api set.json -- -I.

# --- guesses
cat >ends.h <<'END_OF_HEADER'
typedef struct torch_s *torch;
torch torch_new(void);
int torch_open(torch it, const char *where);
int torch_close(torch it);
void torch_free(torch it);
torch torch_dup(torch it);
void torch_delete(torch it);
typedef struct pipe_s *pipe;
int pipe_open(pipe *made);
int pipe_close(pipe it);
void pipe_free(pipe it);
void pipe_delete(pipe it, const char *what);
void valve_delete(pipe it, torch valve);
typedef struct link_s *link;
link link_connect(void);
int link_disconnect(link it);
void link_unref(link it);
typedef struct bulb_s *bulb;
bulb bulb_alloc_cold(int watts);
void bulb_free_cold(bulb it);
void bulb_free_heat(bulb it);
void bulb_create_row(bulb it, int number);
void bulb_delete_row(bulb it, int number);
typedef struct fuse_s *fuse;
fuse fuse_init(void);
void fuse_close(fuse it);
link link_ref(link it);
void link_up_ref(link it);
int bulb_get_ref(bulb it, int number);
struct nobody *nobody_ref(struct nobody *it);
typedef struct tap_s *tap;
tap tapCreate(void);
void tapDestroy(tap it);
void tapRelease(tap it);
void tapAddRef(tap it);
typedef struct cork_s *cork;
cork cork_new(void);
void cork_destroy(cork it);
void cork_release(cork it);
cork cork_reference(cork it);
typedef struct hose_s *hose;
hose hose_alloc(void);
void hose_unref(hose it);
void hose_free(hose *it);
hose hose_ref(hose it);
hose hoseOpenMain(int number);
int hoseCloseMain(hose it);
typedef struct pump_s *pump;
typedef unsigned long valve_number;
pump pump_open(void);
void pumpDestroyValves(pump it, valve_number valve);
void pumpFreeText(pump it, char *text);
void pumpFreePump(pump it, int flags);
void pumpFreeAll(pump it, int flags);
void pump_destroy_flags(pump it, int flags);
void pump_free(pump it, int flags);
END_OF_HEADER
"$tracegen" suggest ends.h -o ends.json 2>err
is "$?:$(cat err):$("$python" -c 'import json; d = json.load(open("ends.json")); print(*d["destroys"], d["retains"])')" \
	"0::torch_free torch_delete pipe_close pipe_free valve_delete link_unref bulb_free_cold fuse_close tapRelease cork_destroy cork_release hose_free hoseCloseMain pumpFreePump pumpFreeAll pump_destroy_flags pump_free ['link_ref', 'link_up_ref', 'tapAddRef', 'cork_reference', 'hose_ref']" 'which functions end objects, and which take references, by their names and those of others'
cat >guess.h <<'END_OF_HEADER'
typedef struct lamp_s *lamp;
typedef enum { LAMP_OK, LAMP_BROKEN, LAMP_DARK = 5 } lamp_status;
typedef enum { LAMP_RED = 1, LAMP_GREEN = 2, LAMP_BLUE = 4, LAMP_ALARM = 8 } lamp_colours;
typedef enum { LAMP_FLAG_NONE, LAMP_FLAG_A, LAMP_FLAG_B, LAMP_FLAG_AB } lamp_flags;
typedef enum { LAMP_ONE = 1, LAMP_TWO, LAMP_THREE, LAMP_FOUR } lamp_number;
struct lamp_text { const char *name; unsigned line_count; const unsigned *lines; };
lamp lamp_create(const char *name, lamp_colours colours);
lamp_status lamp_open(lamp *made, int argc, char **argv, lamp_flags flags);
void lamp_destroy(lamp it);
lamp_status lamp_get_all(unsigned *pLampCount, lamp *pLamps, lamp_number number);
int lamp_write(lamp it, void *data, unsigned long size);
int lamp_read(lamp it, void *buf, unsigned long nbytes);
int lamp_set(lamp it, const struct lamp_text *text, const double *values, int num_values);
int lamp_compare(lamp a, lamp b);
const char *lamp_name(lamp it);
lamp lamp_find(const char *text, int *where);
void lamp_where(lamp it, const char *name, unsigned name_len, char *data, int datalen, unsigned **rows, unsigned *rows_size);
void lamp_told(lamp it, int *in /* [in][range(0, count)] */, int count);
END_OF_HEADER
"$tracegen" suggest guess.h -o suggested.json 2>err
is "$?:$(cat err)" 0: 'a descriptor is suggested'
suggested() { "$python" -c 'import json; d = json.load(open("suggested.json")); v = {k: x["tags"].replace("[checked]", "") for k, x in d["variables"].items()}; print(eval(__import__("sys").argv[1]))' "$1"; }
is "$(suggested 'd["name"], d["prefix"], d["headers"]')" "('guess', 'guess', ['guess.h'])" 'with the name of its header'
is "$(suggested '{r["failure"]: r["functions"] for r in d["results"]}')" \
	"{'null': ['lamp_create'], 'nonzero': ['lamp_open', 'lamp_get_all'], 'negative': ['lamp_write', 'lamp_read', 'lamp_set'], 'never': ['lamp_name']}" 'failures are guessed'
is "$(suggested 'd["creates"], d["destroys"]')" "(['lamp_create', 'lamp_open'], ['lamp_destroy'])" 'so are makers and enders of objects'
is "$(suggested 'd["flag_enums"]')" "['lamp_colours', 'lamp_flags']" 'and enums that are bits'
is "$(suggested 'v["lamp_get_all:pLamps"], v["lamp_get_all:pLampCount"]')" "('[out][range(0, *pLampCount)]', '[in,out][elements(1)]')" 'an array and its count'
is "$(suggested 'v["lamp_open:made"], v.get("lamp_open:argv"), v.get("lamp_destroy:it")')" "('[out][elements(1)]', None, None)" 'a place for an object'
is "$(suggested 'v["lamp_write:data"], v["lamp_read:buf"]')" "('[in][range(0, size)]', '[out][range(0, nbytes)]')" 'bytes that go in, and that come out'
is "$(suggested 'v["lamp_set:values"], v["lamp_find:where"]')" "('[in][range(0, num_values)]', '[out][elements(1)]')" 'an array of numbers, and a number'
is "$(suggested 'v["struct lamp_text.lines"], v.get("lamp_set:text")')" "('[in][range(0, line_count)]', None)" 'an array in a struct'
is "$(suggested 'v.get("lamp_where:name"), v["lamp_where:data"], v["lamp_where:rows"], v["lamp_where:rows_size"]')" \
	"(None, '[out][range(0, datalen)]', '[out][elements(1)]', '[out][elements(1)]')" 'text stays text, and an array that the call makes is one pointer'
is "$(suggested '[k for k in v if "lamp_told" in k]')" '[]' 'what a comment says is not guessed'
is "$(suggested 'all(x["comment"] for x in d["variables"].values()) and all(r["comment"] for r in d["results"]) and bool(d["comment on creates"])')" True 'each guess has its reason'
same_functions() { "$python" -c 'import json, sys; a, b = (json.load(open(x)) for x in sys.argv[1:]); print(all(a[k] == b[k] for k in ("functions", "types")))' "$1" "$2"; }
"$tracegen" model guess.h -o guessed.json && "$tracegen" model --api suggested.json -o described.json
is "$(same_functions guessed.json described.json)" True 'the suggested descriptor gives the model that there is without one'
"$tracegen" model --no-guesses guess.h -o plain.json
is "$(same_functions guessed.json plain.json)" False 'guesses can be left out'
printf '{"name": "g", "prefix": "g", "version": "", "headers": ["guess.h"], "guesses": true,\n "destroys": [], "variables": {"lamp_read:buf": {"tags": "[address]", "comment": "slow"}}}\n' >mine.json
model --api mine.json
is "$?:$(ask '[f[x].get("flags") for x in ("lamp_create", "lamp_destroy")], ["length" in f[x]["params"][1] for x in ("lamp_read", "lamp_write")]')" \
	"0:([['creates'], None], [False, True])" 'a descriptor can ask for guesses, and has the last word'
says 1 'mine.json:1: "guesses" must be true or false' 'guesses that are neither' sh -c 'sed -i "s/\"guesses\": true/\"guesses\": 1/" mine.json; "$0" model --api mine.json' "$tracegen"
says 2 'suggest needs a header' 'suggest without a header' "$tracegen" suggest

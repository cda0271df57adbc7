#!/bin/bash
# SPDX-License-Identifier: MIT
# Bit-fields of each kind of struct, packed ones that end before their unit does or begin in one and end in the next: by headers and by debug information,
# in .json and by way of .tlt. The program says itself what it passes.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
top_builddir=$(cd "$top_builddir" && pwd)
tracelayer=$top_builddir/tracelayer
export XDG_CACHE_HOME=$tmp/cache
cd "$tmp" || exit 99
plan 7

cat >bits.h <<'C'
#include <stdbool.h>
enum e { E_A, E_B, E_C };
struct plain { char c : 3; bool b : 1; enum e e : 2; unsigned long long big : 60; };
struct packed_end { double d; unsigned bits : 7; int more : 13; } __attribute__((packed));
struct straddle { unsigned char a : 5, b : 7, c : 4; } __attribute__((packed));
struct wide { unsigned long long a : 5, b : 64, c : 3; } __attribute__((packed));
struct huge { __int128 a : 40; __int128 b : 62; __int128 c : 20; };
struct widest { __int128 a : 100; int b : 5; };
struct tiny { int a : 3; int b : 2; } __attribute__((packed));
struct nested { char first; struct { unsigned x : 9; unsigned y : 10; } __attribute__((packed)); char last; } __attribute__((packed));
union overlaid { struct { unsigned lo : 4, hi : 4; }; unsigned char byte; };
int take_plain(const struct plain *p);
int take_end(const struct packed_end *p, struct packed_end v);
int take_straddle(const struct straddle *p);
int take_wide(const struct wide *p);
int take_huge(const struct huge *p);
int take_widest(const struct widest *p, struct widest v);
int take_tiny(const struct tiny *p);
int take_nested(const struct nested *p);
int take_overlaid(const union overlaid *p);
C
cat >bits.c <<'C'
#include "bits.h"
int take_plain(const struct plain *p) { return p->c; }
int take_end(const struct packed_end *p, struct packed_end v) { return p->more + v.more; }
int take_straddle(const struct straddle *p) { return p->b; }
int take_wide(const struct wide *p) { return p->c; }
int take_huge(const struct huge *p) { return p->c; }
int take_widest(const struct widest *p, struct widest v) { return (int)v.a + (v.a >> 90 == p->a >> 90) + v.b; }
int take_tiny(const struct tiny *p) { return p->b; }
int take_nested(const struct nested *p) { return p->y; }
int take_overlaid(const union overlaid *p) { return p->byte; }
C
cat >main.c <<'C'
#include "bits.h"
#include <stdio.h>
int main(void)
{
	struct plain p = {.c = -3, .b = 1, .e = E_C, .big = 0xabcdef123456789};
	struct packed_end e = {.d = 1.5, .bits = 100, .more = -4000};
	struct straddle s = {21, 99, 9};
	struct wide w = {17, 0x123456789abcdef1, 5};
	struct huge h = {-12345678901, 1234567890123456789, -500000};
	struct widest x = {-70, -9};
	struct tiny t = {-4, 1};
	struct nested n = {.first = 'a', .x = 400, .y = 999, .last = 'z'};
	union overlaid u = {.byte = 0x5a};
	int sum = take_plain(&p) + take_end(&e, e) + take_straddle(&s) + take_wide(&w) + take_huge(&h) + take_widest(&x, x) + take_tiny(&t) + take_nested(&n) +
		  take_overlaid(&u);
	printf("%d\n", sum);
}
C
cat >want <<'WANT'
take_plain {"p":{"c":-3,"b":true,"e":"E_C","big":"773738363261118345"},"result":-3}
take_end {"p":{"d":1.5,"bits":100,"more":-4000},"v":{"d":1.5,"bits":100,"more":-4000},"result":-8000}
take_straddle {"p":{"a":21,"b":99,"c":9},"result":99}
take_wide {"p":{"a":17,"b":"1311768467463790321","c":5},"result":5}
take_huge {"p":{"a":-12345678901,"b":"1234567890123456789","c":-500000},"result":-500000}
take_widest {"p":{"a":-70,"b":-9},"v":{"a":-70,"b":-9},"result":-78}
take_tiny {"p":{"a":-4,"b":1},"result":1}
take_nested {"p":{"first":"a","x":400,"y":999,"last":"z"},"result":999}
take_overlaid {"p":{"lo":10},"result":90}
WANT
build() { ${CC:-cc} -w -Wno-psabi -g -shared -fPIC -o libbits.so bits.c && ${CC:-cc} -w -Wno-psabi -o main main.c -L. -lbits -Wl,-rpath,"$PWD"; }
ok "a library builds, and a program" build
said=$(./main)
calls() { sed -n 's/.*"name":"\(take_[a-z]*\)".*"args":\(.*\)},\{0,1\}$/\1 \2/p' "$1"; }
# by HOW OPTION...: what the program says, and the calls of both traces.
by()
{
	rm -f t.json t.tlt u.json
	is "$("$tracelayer" run --quiet -o t.json "${@:2}" --lib "$PWD/libbits.so" -- ./main 2>&1)" "$said" "$1: the program says the same as alone"
	is "$(calls t.json)" "$(cat want)" "$1: each field has its value"
	"$tracelayer" run --quiet -o t.tlt "${@:2}" --lib "$PWD/libbits.so" -- ./main >said 2>&1
	is "$("$tracelayer" export -o u.json t.tlt 2>&1; calls u.json)" "$(cat want)" "$1: and so in a .tlt that is exported"
}
by "by the header" --header "$PWD/bits.h"
by "by debug information"

#!/bin/bash
# SPDX-License-Identifier: MIT
# Keys of descriptors that interposers alone use: headers beside the descriptor, packages, companions, Fortran's hidden lengths, functions that
# compiled shims leave out, words that may be texts, and retains. The libraries are written here.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
top_builddir=$(cd "$top_builddir" && pwd)
tracegen=$top_builddir/tracegen
tracelayer=$top_builddir/tracelayer
need_library
: "${CC:=cc}"
plan 24
export XDG_CACHE_HOME=$tmp/cache LD_LIBRARY_PATH=$tmp
mkdir "$tmp/apis"
cd "$tmp" || exit 99

cat >apis/jar.h <<'END_OF_HEADER'
#include <stdarg.h>
typedef struct jar *jar_t;
typedef struct { int size; char name[12]; } pot;
/* Seven parameters: the lengths of both texts lie on the stack. */
void jar_fill_(const char *side, const int *n, const double *alpha, const int *a, const int *b, const int *c, const char *trans);
int jar_set(int option, ...);
int jar_printf(const char *format, ...);
jar_t jar_open(int size);
jar_t jar_again(jar_t jar);
void jar_keep(jar_t jar);
void jar_shut(jar_t jar);
int pot_begin(pot *made);
int pot_end(pot *made);
char *jar_grow(void *old, int size);
int jar_is_valid(jar_t jar);
int lid_turn(int times);
/* The library and the program are newer, and have a seventh parameter, on the stack. */
int jar_mix(int a, int b, int c, int d, int e, int f);
typedef struct { int handles; int lids; int lid[4]; } jar_sizes;
void jar_measure(int jars, jar_sizes *made, const pot *with);
void jar_number(const jar_sizes *sizes, long *numbers);
int jar_weigh(jar_t jar);
void jar_rack(const jar_sizes *sizes, jar_t *jars);
int jar_crate(int most, jar_t *jars, int *made);
END_OF_HEADER
cat >jar.c <<'END_OF_SOURCE'
#include "apis/jar.h"
#include <stdio.h>
#include <stdlib.h>
void jar_fill(const char *side, const int *n, const double *alpha, const int *a, const int *b, const int *c, const char *trans, long sides, long transs)
	__asm__("jar_fill_");
void jar_fill(const char *side, const int *n, const double *alpha, const int *a, const int *b, const int *c, const char *trans, long sides, long transs)
{
	printf("%.*s %d %g %d %.*s\n", (int)sides, side, *n, *alpha, *a + *b + *c, (int)transs, trans);
}
int jar_set(int option, ...)
{
	va_list list;
	va_start(list, option);
	printf("%d %ld\n", option, option == 1 ? va_arg(list, long) : option == 2 ? (long)*va_arg(list, const char *) : -1);
	va_end(list);
	return option == 4;
}
int jar_printf(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int n = vprintf(format, list);
	va_end(list);
	return n;
}
jar_t jar_open(int size) { return malloc((unsigned)size); }
jar_t jar_again(jar_t jar) { return jar; }
void jar_keep(jar_t jar) { (void)jar; }
void jar_shut(jar_t jar) { (void)jar; }
int pot_begin(pot *made) { made->size = 1; return 0; }
int pot_end(pot *made) { made->size = 0; return 0; }
char *jar_grow(void *old, int size) { (void)old; return malloc((unsigned)size); }
int jar_is_valid(jar_t jar) { return jar != 0; }
void jar_measure(int jars, jar_sizes *made, const pot *with)
{
	made->handles = jars + with->size;
	made->lids = 2;
	for (int i = 0; i < 4; i++)
		made->lid[i] = 40 + i;
}
void jar_number(const jar_sizes *sizes, long *numbers)
{
	for (int i = 0; i < sizes->handles; i++)
		numbers[i] = 70 + i;
}
static char shelf[4];
int jar_weigh(jar_t jar) { return jar != 0; }
void jar_rack(const jar_sizes *sizes, jar_t *jars)
{
	for (int i = 0; i < sizes->handles; i++)
		jars[i] = (jar_t)&shelf[i];
}
int jar_crate(int most, jar_t *jars, int *made)
{
	for (int i = 0; i < most && i < 2; i++)
		jars[i] = (jar_t)&shelf[i];
	*made = 2;
	return 0;
}
int mix(int a, int b, int c, int d, int e, int f, int g) __asm__("jar_mix");
int mix(int a, int b, int c, int d, int e, int f, int g) { return a + b + c + d + e + f + 100 * g; }
END_OF_SOURCE
echo 'int lid_turn(int times) { return 2 * times; }' >lid.c
cat >use.c <<'END_OF_SOURCE'
#include "apis/jar.h"
#include <stdio.h>
#include <stdlib.h>
void fill(const char *, const int *, const double *, const int *, const int *, const int *, const char *, long, long) __asm__("jar_fill_");
int mix(int, int, int, int, int, int, int) __asm__("jar_mix");
int main(int argc, char **argv)
{
	int n = 5, one = 1;
	double alpha = 2.5;
	struct { void *pointer; } object = {&n};

	(void)argv;
	fill("Left side", &n, &alpha, &one, &one, &one, "Transposed", 4, 5);
	jar_set(1, 30L);
	jar_set(2, "caf\303\251");
	jar_set(3, (void *)&object);
	jar_set(4, "\001\002");
	jar_printf("%s %g %d %d %d %d %d %d %g\n", "printed", 1.5, 1, 2, 3, 4, 5, 6, 2.5);
	printf("%d %d\n", lid_turn(21), mix(1, 2, 3, 4, 5, 6, 7));
	jar_t first = jar_open(1), second = jar_open(2);
	jar_keep(first);
	jar_shut(first);
	jar_again(second);
	jar_shut(second);
	jar_shut(second);
	jar_is_valid(second);
	if (argc == 1)
		jar_shut(first);
	pot x, y;
	jar_sizes sizes;
	long numbers[3];
	pot_begin(&x);
	jar_measure(2, &sizes, &x);
	jar_number(&sizes, numbers);
	pot_begin(&y);
	pot_end(&x);
	char *old = jar_grow(NULL, 8);
	old = jar_grow(old, 100);
	if (argc == 1)
		pot_end(&y);
	return 0;
}
END_OF_SOURCE
cat >rack.c <<'END_OF_SOURCE'
#include "apis/jar.h"
int main(void)
{
	jar_t jars[4] = {0, 0, (jar_t)&jars[2], (jar_t)&jars[3]};
	jar_sizes sizes = {.handles = 2};
	int made;

	jar_crate(4, jars, &made);
	jar_shut(jars[0]);
	jar_shut(jars[1]);
	jar_rack(&sizes, jars);
	jar_weigh(jars[1]);
	jar_weigh(jars[0]);
	return 0;
}
END_OF_SOURCE
$CC -shared -fPIC -Wl,-soname,libjar.so.1 -o libjar.so.1 jar.c && $CC -shared -fPIC -Wl,-soname,liblid.so.1 -o liblid.so.1 lid.c &&
	$CC -o use use.c ./libjar.so.1 ./liblid.so.1 && $CC -o rack rack.c ./libjar.so.1 ./liblid.so.1 || exit 99
cat >apis/jar.json <<'END_OF_DESCRIPTOR'
{
 "name": "jar", "prefix": "jar", "version": "1",
 "headers": ["jar.h"],
 "pkgs": ["no-such-package"],
 "sonames": ["libjar.so.1"],
 "companions": ["liblid.so.1", "libnowhere.so.1"],
 "fortran": ["*_"],
 "more_words": {"jar_mix": 1},
 "variadic": {"jar_set": "const char *"},
 "not_compiled": {"jar_printf": "it takes any number of arguments"},
 "results": [
  {"functions": ["jar_set"], "failure": "nonzero", "unsupported": "0"},
  {"type": "void", "failure": "never"},
  {"type": "*", "failure": "never", "unsupported": "0"}
 ],
 "creates": ["jar_open", "jar_grow", "jar_crate", "pot_begin"],
 "outputs": ["jar_measure"],
 "destroys": ["jar_shut", "jar_grow", "pot_end"],
 "retains": ["jar_keep", "jar_again"],
 "variables": {
  "jar_fill_:@(side|trans)": "[in][elements(1)]",
  "jar_fill_:@(n|alpha)": "[in]",
  "jar_sizes.lid": "[range(0, lids)]",
  "jar_number:numbers": "[out][range(0, sizes->handles)]",
  "jar_rack:jars": "[out][range(0, sizes->handles)]",
  "jar_crate:jars": "[out][range(0, most)]",
  "jar_crate:made": "[out]",
  "jar_set:arg": "[in][text]"
 }
}
END_OF_DESCRIPTOR

./use >bare.out
"$tracelayer" run --api "$tmp/apis/jar.json" -o t.json --tool=log=file=log --tool=leaks=file=leaks -- ./use >got.out 2>err
same bare.out got.out "a header beside the descriptor, a package that is not there: the program does what it does bare"
log=$(cat log)
like "$log" 'jar_fill_\(side="L", n=5, alpha=2.5, a=0x[0-9a-f]+, .*trans="T"\)' "Fortran's lengths are passed on, and not shown"
like "$log" 'jar_set\(option=1, arg=30\)' "a number in a text's place is a number"
like "$log" 'jar_set\(option=2, arg="café"\)' "text is text"
like "$log" 'jar_set\(option=3, arg="?0x[0-9a-f]+"?\)' "what leads elsewhere is an address"
like "$log" 'jar_set\(option=4, arg="?0x[0-9a-f]+"?\) = 1' "also if its bytes are no text"
like "$log" 'jar_printf\(format="%s %g' "functions that are not compiled are in the interposer"
like "$log" 'lid_turn\(times=21\) = 42' "and those of a companion"
like "$log" 'jar_mix\(\) ' "and those that have more parameters than the header says, by name"
like "$log" 'jar_measure\(jars=2, made=\{handles=3, lids=2, lid=\[40, 41\]\}, with=\{size=1' "a pointer leads to output, and an array ends where its count says"
like "$log" 'jar_number\(.*numbers=\[70, 71, 72\]\)' "and another where a struct's member says"
sed 's/sizes->handles/sizes->nothing/' apis/jar.json >apis/wrong.json
like "$("$tracegen" model --api apis/wrong.json 2>&1)" 'jar_number has no sizes->nothing to count numbers by' "which the struct must have"
like "$(cat leaks)" 'leaks: 1 object never destroyed, 0 wrong calls' \
	"retained objects, memory that was handed in, and memory that grew: all are destroyed but the last"
like "$(cat leaks)" '1 memory created by jar_grow' "which is named"
"$tracelayer" run --api "$tmp/apis/jar.json" -o t2.json --tool=leaks=file=leaks2 -- ./use more >/dev/null 2>&1
like "$(cat leaks2)" 'leaks: 3 objects never destroyed, 0 wrong calls' "what is kept or set up once more is a leak"
like "$(cat leaks2)" '1 memory created by pot_begin' "also in memory of the caller's"
like "$(cat leaks2)" '1 jar_t created by jar_open' "and a retained handle"
"$tracelayer" run --api "$tmp/apis/jar.json" -o t3.json --tool=leaks=file=leaks3 -- ./rack >/dev/null 2>&1
like "$(cat leaks3)" 'leaks: 0 objects never destroyed, 0 wrong calls' \
	"an array that is half filled has half as many objects, and what one gives out whose length a struct has is in use"
is "$("$python" "$top_srcdir/tests/lib/check_trace.py" --names t.json | awk '$1 == "jar_set" { print $2 }')" 4 "each call is in the trace"

"$tracegen" emit --api apis/jar.json -o . >emit.out 2>emit.err
is "$?$(cat emit.err)" 0 "compiled shims leave out without a word what the descriptor says"
is "$(grep -cE '^jar_(printf|fill_)$' jar.exports)" 0 "and don't have it, nor functions with hidden lengths"
"$tracegen" model --api apis/jar.json -o model.json && "$tracegen" interposer --model model.json -o from_model.so >model.out 2>&1
like "$(cat model.out)" '^18 functions of libjar.so.1' "a model keeps it all"
LD_PRELOAD="$libtracelayer ./from_model.so" TRACELAYER_OUTPUT=t3.json ./use >model.got 2>&1
same bare.out model.got "and its interposer passes lengths on, too"
sed 's/"fortran"/"comment on fortran"/; s/jar.json/plain.json/' apis/jar.json >apis/plain.json
"$tracelayer" run --api "$tmp/apis/plain.json" -o t4.json -- ./use >plain.out 2>&1
nok "without \"fortran\" they would be lost" cmp bare.out plain.out

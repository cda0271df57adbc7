#!/bin/bash
# SPDX-License-Identifier: MIT
# dladdr and dladdr1 of an API's function name the API's library, as they do untraced: asked by the program, and by the library about itself, as
# ALSA's does to find its plugins. The pointers themselves stay equal.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
: "${CC:=cc}"

plan 9

mkdir "$tmp/lib"
cat >"$tmp/oneself.h" <<'END_OF_FILE'
typedef int (*oneself_function)(int);
int oneself_number(int n);
const char *oneself_file(void);
int oneself_is_number(oneself_function function);
END_OF_FILE
cat >"$tmp/oneself.c" <<'END_OF_FILE'
#define _GNU_SOURCE
#include <dlfcn.h>
#include "oneself.h"
int oneself_number(int n) { return n + 1; }
const char *oneself_file(void)
{
	Dl_info info;
	return dladdr((void *)oneself_file, &info) ? info.dli_fname : "none";
}
int oneself_is_number(oneself_function function) { return function == oneself_number; }
END_OF_FILE
cat >"$tmp/app.c" <<'END_OF_FILE'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include "oneself.h"
static void tell(const char *what, void *function)
{
	Dl_info info = {0};
	struct link_map *map = 0;
	const ElfW(Sym) *symbol = 0;
	int found = dladdr(function, &info);
	printf("%s %d %s %s %d", what, found, info.dli_fname, info.dli_sname ? info.dli_sname : "-", info.dli_saddr == function);
	found = dladdr1(function, &info, (void **)&map, RTLD_DL_LINKMAP);
	printf(" %d %s %d", found, map ? map->l_name : "-", info.dli_saddr == function);
	found = dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT);
	printf(" %d %d %d\n", found, symbol != 0, info.dli_fname && !!strstr(info.dli_fname, "oneself.so"));
}
int main(int argc, char **argv)
{
	int here;
	void *handle = dlopen(argv[1], RTLD_NOW);

	tell("before the first call", (void *)oneself_number);
	printf("%d %s %d\n", oneself_number(1), oneself_file(), oneself_is_number(oneself_number));
	tell("after it", (void *)oneself_number);
	/* A second library of the same name: its function is another. */
	tell("another's", handle ? dlsym(handle, "oneself_number") : 0);
	tell("the program's", (void *)main);
	tell("libc's", (void *)strchr(argv[0], 0));
	printf("%d\n", dladdr(&here, &(Dl_info){0}));
	return 0;
}
END_OF_FILE
cat >"$tmp/oneself.json" <<'END_OF_FILE'
{
 "name": "oneself",
 "prefix": "oneself",
 "version": "1",
 "headers": ["oneself.h"],
 "sonames": ["liboneself.so.1"],
 "results": [{"type": "*", "failure": "never", "unsupported": "0"}],
 "levels": [{"level": "runtime", "functions": ["*"]}]
}
END_OF_FILE
build()
{
	mkdir "$tmp/other" &&
		$CC -O2 -shared -fPIC -Wl,-soname,liboneself.so.1 -o "$tmp/lib/liboneself.so" "$tmp/oneself.c" -I"$tmp" -ldl &&
		cp "$tmp/lib/liboneself.so" "$tmp/lib/liboneself.so.1" &&
		$CC -O2 -shared -fPIC -Wl,-soname,liboneself.so.1.2 -o "$tmp/other/liboneself.so" "$tmp/oneself.c" -I"$tmp" -ldl &&
		$CC -O2 -fPIE -pie -o "$tmp/app" "$tmp/app.c" -I"$tmp" -L"$tmp/lib" -loneself -Wl,-rpath,"$tmp/lib" -ldl &&
		"$top_builddir/tracegen" emit --api "$tmp/oneself.json" -o "$tmp" -- -I"$tmp" &&
		$CC -std=c11 -O2 -fPIC -fexceptions -fvisibility=hidden -I"$top_srcdir/include" -I"$tmp" -shared -DTL_SHIM_LIBRARY \
			-o "$tmp/oneself-shims.so" "$tmp/oneself_shims.c" "$tmp/oneself_tables.c" -L"$top_builddir/.libs" -ltracelayer
}
ok 'a library that asks about itself is built' build

"$tmp/app" "$tmp/other/liboneself.so" >"$tmp/bare"
ok 'without us the library is named' grep -q "^2 $tmp/lib/liboneself.so.1 1" "$tmp/bare"
preload=$libtracelayer:$tmp/oneself-shims.so
LD_PRELOAD=$preload TRACELAYER_OUTPUT=$tmp/trace.json "$tmp/app" "$tmp/other/liboneself.so" >"$tmp/traced" 2>"$tmp/err"
same "$tmp/bare" "$tmp/traced" 'recording: the answers are the same'
is "$(cat "$tmp/err")" "" 'recording: nothing is said'
ok 'recording: the calls are in the trace' grep -q '"name":"oneself_is_number"' "$tmp/trace.json"
LD_PRELOAD=$preload TRACELAYER_START=paused TRACELAYER_OUTPUT=$tmp/none.json "$tmp/app" "$tmp/other/liboneself.so" >"$tmp/traced" 2>"$tmp/err"
same "$tmp/bare" "$tmp/traced" 'paused: the answers are the same'
LD_PRELOAD=$preload TRACELAYER_LEVEL=none TRACELAYER_OUTPUT=$tmp/none.json "$tmp/app" "$tmp/other/liboneself.so" >"$tmp/traced" 2>"$tmp/err"
same "$tmp/bare" "$tmp/traced" 'with nothing recorded: the answers are the same'
LD_PRELOAD=$preload LD_BIND_NOW=1 TRACELAYER_OUTPUT=$tmp/bound.json "$tmp/app" "$tmp/other/liboneself.so" >"$tmp/traced" 2>"$tmp/err"
same "$tmp/bare" "$tmp/traced" 'with all bound at the start: the answers are the same'

# The constructor of a library that the program needs: it runs before ours.
cat >"$tmp/early.c" <<'END_OF_FILE'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int clGetPlatformIDs(unsigned, void *, unsigned *);
__attribute__((constructor)) static void tell(void)
{
	Dl_info info, further;
	void *extra;
	dladdr((void *)clGetPlatformIDs, &info);
	dladdr1((void *)clGetPlatformIDs, &further, &extra, RTLD_DL_LINKMAP);
	printf("%s %s %s %d\n", info.dli_fname, info.dli_sname, further.dli_fname, info.dli_saddr == (void *)clGetPlatformIDs);
}
END_OF_FILE
printf 'int clGetPlatformIDs(unsigned a, void *b, unsigned *c) { return 0; }\n' >"$tmp/opencl.c"
printf 'int clGetPlatformIDs(unsigned, void *, unsigned *);\nint main(void) { return clGetPlatformIDs(0, 0, 0); }\n' >"$tmp/main.c"
early()
{
	$CC -shared -fPIC -Wl,-soname,libOpenCL.so.1 -o "$tmp/lib/libOpenCL.so.1" "$tmp/opencl.c" &&
		$CC -shared -fPIC -o "$tmp/lib/libearly.so" "$tmp/early.c" "$tmp/lib/libOpenCL.so.1" -ldl &&
		$CC -o "$tmp/main" "$tmp/main.c" -Wl,--no-as-needed "$tmp/lib/libearly.so" "$tmp/lib/libOpenCL.so.1" -Wl,-rpath,"$tmp/lib" &&
		"$tmp/main" >"$tmp/bare" && LD_PRELOAD=$libtracelayer TRACELAYER_OUTPUT=$tmp/early.json "$tmp/main" >"$tmp/traced" &&
		grep -q "^$tmp/lib/libOpenCL.so.1 clGetPlatformIDs $tmp/lib/libOpenCL.so.1 1\$" "$tmp/bare" && diff "$tmp/bare" "$tmp/traced"
}
ok 'asked by a constructor that runs before ours: the same' early

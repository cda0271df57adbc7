#!/bin/bash
# SPDX-License-Identifier: MIT
# A program that asks dlsym for a function of an interposer without a handle finds it only where it would without tracelayer: not in a library that was
# opened with RTLD_LOCAL, nor behind that. What it has found stays: the library is not unloaded.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
: "${CC:=cc}"
test -x "$top_builddir/tracelayer" || skip_all "not built"
plan 4

echo 'int scoped(int a) { return a + 1; }' >"$tmp/scoped.c"
cat >"$tmp/app.c" <<'END_OF_FILE'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
static int (*ask(const char *where, void *handle))(int)
{
	int (*found)(int) = (int (*)(int))dlsym(handle, "scoped");
	char *error = dlerror();
	printf("%s: %s\n", where, found ? "found" : error ? error : "no error");
	return found;
}
static void ask_all(const char *when)
{
	puts(when);
	ask("default", RTLD_DEFAULT);
	ask("next", RTLD_NEXT);
	ask("the program", dlopen(NULL, RTLD_LAZY));
}
int main(int argc, char **argv)
{
	void *local, *global;
	int (*found)(int);
	ask_all("at first");
	local = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	ask_all("opened with RTLD_LOCAL");
	found = ask("by handle", local);
	printf("%d\n", found ? found(1) : -1);
	global = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
	ask_all("opened with RTLD_GLOBAL");
	found = ask("default", RTLD_DEFAULT);
	dlclose(global);
	dlclose(local);
	ask_all("closed");
	printf("%d\n", found ? found(2) : -1);
	return 0;
}
END_OF_FILE
$CC -O1 -shared -fPIC -Wl,-soname,libscoped.so -o "$tmp/libscoped.so" "$tmp/scoped.c" && $CC -O1 -o "$tmp/app" "$tmp/app.c" -ldl || { fail "it compiles"; exit 1; }
"$tmp/app" "$tmp/libscoped.so" >"$tmp/bare"
is "$(grep -c found "$tmp/bare") $(sed -n '/RTLD_LOCAL/,/by handle/p' "$tmp/bare" | grep -c undefined)" "8 3" "bare: found by handle, and where RTLD_GLOBAL was given" || diag "$(cat "$tmp/bare")"
XDG_CACHE_HOME=$tmp/cache "$top_builddir/tracelayer" run --quiet --lib "$tmp/libscoped.so" -o "$tmp/t.json" -- "$tmp/app" "$tmp/libscoped.so" >"$tmp/out" 2>"$tmp/err"
is $? 0 "traced: it runs" || diag "$(cat "$tmp/err")"
same "$tmp/out" "$tmp/bare" "and finds the same"
is "$(events "$tmp/t.json" scoped)" 2 "both calls are recorded"

#!/bin/bash
# SPDX-License-Identifier: MIT
# An API whose descriptor names no library ("sonames" is not there): the library in which its functions are found counts as its loader. A
# program reaches it by a plugin that it opens, by a call whose return address says nothing of the plugin, and by dlsym with a handle.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
: "${CC:=cc}"

plan 12

mkdir "$tmp/lib"
cat >"$tmp/quux.h" <<'END_OF_FILE'
int quux_start(int n);
int quux_step(int n);
int quux_work(int n);
int quux_end(int n);
END_OF_FILE
cat >"$tmp/quux.c" <<'END_OF_FILE'
#include "quux.h"
int quux_start(int n) { return n + 1; }
int quux_step(int n) { return n * 2; }
int quux_work(int n) { return quux_step(n) + quux_step(n + 1); }
int quux_end(int n) { return quux_step(n); }
END_OF_FILE
cat >"$tmp/plugin.c" <<'END_OF_FILE'
#include "quux.h"
int plugin_run(int n) { return quux_start(n) + quux_work(n); }
int plugin_end(int n) { return quux_end(n); }
END_OF_FILE
cat >"$tmp/app.c" <<'END_OF_FILE'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	void *handle = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	int by_name = !strcmp(argv[2], "name");
	int (*run)(int) = handle ? (int (*)(int))dlsym(handle, by_name ? "quux_work" : "plugin_run") : 0;
	int (*end)(int) = handle ? (int (*)(int))dlsym(handle, by_name ? "quux_end" : "plugin_end") : 0;
	if (!run || !end)
		return 2;
	/* The plugin's call is a jump: it returns here. The first call of all in the third case. */
	int first = !strcmp(argv[2], "end") ? end(7) : run(3);
	printf("%d %d\n", first, end(5));
	return 0;
}
END_OF_FILE
cat >"$tmp/quux.json" <<'END_OF_FILE'
{
 "name": "quux",
 "prefix": "quux",
 "version": "1",
 "headers": ["quux.h"],
 "results": [{"type": "*", "failure": "never", "unsupported": "-1"}],
 "levels": [{"level": "runtime", "functions": ["*"]}]
}
END_OF_FILE
build()
{
	$CC -O2 -shared -fPIC -o "$tmp/lib/libquux.so" "$tmp/quux.c" &&
		$CC -O2 -shared -fPIC -o "$tmp/lib/plugin.so" "$tmp/plugin.c" -L"$tmp/lib" -lquux -Wl,-rpath,"$tmp/lib" &&
		$CC -O2 -o "$tmp/app" "$tmp/app.c" -ldl &&
		"$top_builddir/tracegen" emit --api "$tmp/quux.json" -o "$tmp" -- -I"$tmp" &&
		$CC -std=c11 -O2 -fPIC -fexceptions -fvisibility=hidden -I"$top_srcdir/include" -I"$tmp" -shared -DTL_SHIM_LIBRARY \
			-o "$tmp/quux-shims.so" "$tmp/quux_shims.c" "$tmp/quux_tables.c" -L"$top_builddir/.libs" -ltracelayer
}
ok 'an API without the name of a library is built' build

# try LIBRARY HOW WANTED DESCRIPTION: the calls that WANTED names are in the trace, in this order.
try()
{
	"$tmp/app" "$tmp/lib/$1" "$2" >"$tmp/bare"
	LD_PRELOAD="$libtracelayer:$tmp/quux-shims.so" TRACELAYER_OUTPUT=$tmp/$2.json \
		timeout 60 "$tmp/app" "$tmp/lib/$1" "$2" >"$tmp/traced" 2>"$tmp/err"
	same "$tmp/bare" "$tmp/traced" "$4: the program gives the same"
	is "$(grep -o '"name":"quux_[a-z]*"' "$tmp/$2.json" 2>/dev/null | cut -d'"' -f4 | tr '\n' ' ')" "$3" "$4: its calls are recorded, and the library's own are not"
	is "$(cat "$tmp/err")" "" "$4: and nothing is said"
}
try plugin.so run "quux_start quux_work quux_end " 'called by a plugin'
try plugin.so end "quux_end quux_end " 'called for a plugin first'
try libquux.so name "quux_work quux_end " 'asked for by name'

LD_PRELOAD=$tmp/quux-shims.so LD_LIBRARY_PATH=$top_builddir/.libs "$top_builddir/tracelayer" run -o "$tmp/command.json" \
	"$tmp/app" "$tmp/lib/libquux.so" name >/dev/null 2>"$tmp/err"
is "$(grep -o '"name":"quux_[a-z]*"' "$tmp/command.json" | cut -d'"' -f4 | tr '\n' ' ')" "quux_work quux_end " 'tracelayer run has these calls, too'

# The functions of one API lie in two libraries, of which one calls the other.
cat >"$tmp/parts.c" <<'END_OF_FILE'
#include "quux.h"
#if PART == 1
int quux_start(int n) { return quux_end(n) + quux_end(n + 1); }
#else
int quux_work(int n) { return n + 1; }
int quux_end(int n) { return n * 2; }
#endif
END_OF_FILE
echo '#include "quux.h"
int main(void) { return quux_work(quux_start(1)) == 7 ? 0 : 1; }' >"$tmp/whole.c"
parts()
{
	$CC -O2 -shared -fPIC -DPART=2 -o "$tmp/lib/libpart2.so" "$tmp/parts.c" &&
		$CC -O2 -shared -fPIC -DPART=1 -o "$tmp/lib/libpart1.so" "$tmp/parts.c" -L"$tmp/lib" -lpart2 &&
		$CC -O2 -o "$tmp/whole" "$tmp/whole.c" -L"$tmp/lib" -lpart1 -lpart2 -Wl,-rpath,"$tmp/lib" &&
		LD_PRELOAD="$libtracelayer:$tmp/quux-shims.so" TRACELAYER_OUTPUT=$tmp/parts.json "$tmp/whole" &&
		grep -o '"name":"quux_[a-z]*"' "$tmp/parts.json" | cut -d'"' -f4 | tr '\n' ' '
}
is "$(parts)" "quux_start quux_work " 'in two libraries: what one calls of the other is not recorded'

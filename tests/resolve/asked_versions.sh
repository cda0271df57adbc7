#!/bin/bash
# SPDX-License-Identifier: MIT
# Versions of symbols: a program or plugin that was linked to an older version of a library gets the functions of that version through shims
# that have none, and another one in the same process gets the newer ones.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
: "${CC:=cc}"

plan 12

mkdir "$tmp/old" "$tmp/lib"
cat >"$tmp/vers.h" <<'END_OF_FILE'
int vers_tell(int n);
int vers_same(int n);
END_OF_FILE
cat >"$tmp/old.c" <<'END_OF_FILE'
int vers_tell(int n) { return n + 1000; }
int vers_same(int n) { return n; }
END_OF_FILE
cat >"$tmp/new.c" <<'END_OF_FILE'
int old_tell(int n) { return n + 1000; }
int new_tell(int n) { return n + 2000; }
int vers_same(int n) { return n; }
__asm__(".symver old_tell,vers_tell@VERS_1");
__asm__(".symver new_tell,vers_tell@@VERS_2");
END_OF_FILE
echo 'VERS_1 { global: vers_tell; vers_same; local: *; };' >"$tmp/old.map"
echo 'VERS_1 { global: vers_tell; vers_same; local: *; }; VERS_2 { global: vers_tell; } VERS_1;' >"$tmp/new.map"
cat >"$tmp/plugin.c" <<'END_OF_FILE'
#include "vers.h"
int plugin_tell(int n) { int told = vers_tell(n); return told + vers_same(0); }
END_OF_FILE
cat >"$tmp/app.c" <<'END_OF_FILE'
#include <dlfcn.h>
#include <stdio.h>
#include "vers.h"
int main(int argc, char **argv)
{
	int (*pointer)(int) = vers_tell;
	void *handle = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
	int (*plugin)(int) = handle ? (int (*)(int))dlsym(handle, "plugin_tell") : 0;

	if (plugin && argc > 2)
		printf("plugin first %d\n", plugin(1));
	for (int i = 0; i < 3; i++)
		printf("%d %d %d %d\n", vers_tell(i), pointer(i), vers_same(i), plugin ? plugin(i) : 0);
	return 0;
}
END_OF_FILE
cat >"$tmp/vers.json" <<'END_OF_FILE'
{
 "name": "vers",
 "prefix": "vers",
 "version": "1",
 "headers": ["vers.h"],
 "sonames": ["libvers.so.1"],
 "results": [{"type": "*", "failure": "never", "unsupported": "-1"}],
 "levels": [{"level": "runtime", "functions": ["*"]}]
}
END_OF_FILE
library() # FOLDER SOURCE
{
	$CC -O2 -shared -fPIC -Wl,-soname,libvers.so.1 -Wl,--version-script="$tmp/$2.map" -o "$tmp/$1/libvers.so.1" "$tmp/$2.c" &&
		ln -s libvers.so.1 "$tmp/$1/libvers.so"
}
build()
{
	library old old && library lib new || return
	for from in old lib; do
		$CC -O2 -o "$tmp/app.$from" "$tmp/app.c" -I"$tmp" -L"$tmp/$from" -lvers -Wl,-rpath,"$tmp/lib" -ldl &&
			$CC -O2 -shared -fPIC -o "$tmp/plugin.$from" "$tmp/plugin.c" -I"$tmp" -L"$tmp/$from" -lvers -Wl,-rpath,"$tmp/lib" || return
	done
	"$top_builddir/tracegen" emit --api "$tmp/vers.json" -o "$tmp" -- -I"$tmp" &&
		$CC -std=c11 -O2 -fPIC -fexceptions -fvisibility=hidden -I"$top_srcdir/include" -I"$tmp" -shared -DTL_SHIM_LIBRARY \
			-o "$tmp/vers-shims.so" "$tmp/vers_shims.c" "$tmp/vers_tables.c" -L"$top_builddir/.libs" -ltracelayer
}
ok 'two versions of a library, and what is linked to each, are built' build
is "$("$tmp/app.old" | head -1) $("$tmp/app.lib" | head -1)" "1000 1000 0 0 2000 2000 0 0" 'without us each gets its version'

try() # DESCRIPTION CALLS COMMAND…
{
	what=$1 calls=$2
	shift 2
	"$@" >"$tmp/bare"
	rm -f "$tmp/trace.json"
	LD_PRELOAD="$libtracelayer:$tmp/vers-shims.so" TRACELAYER_OUTPUT=$tmp/trace.json "$@" >"$tmp/traced" 2>"$tmp/err"
	same "$tmp/bare" "$tmp/traced" "$what: the program gives the same"
	is "$(grep -c '"name":"vers_tell"' "$tmp/trace.json")" "$calls" "$what: its calls are recorded"
}
try 'an old program' 6 "$tmp/app.old"
try 'a new program' 6 "$tmp/app.lib"
try 'an old plugin in a new program' 10 "$tmp/app.lib" "$tmp/plugin.old" first
try 'a new plugin in an old program' 9 "$tmp/app.old" "$tmp/plugin.lib"

# --- once the process is confined, nobody may look any more
cat >"$tmp/strict.c" <<'END_OF_FILE'
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "vers.h"
int main(void)
{
	char told[32];
	int length = vers_tell(0);

	if (length < 0 || prctl(PR_SET_SECCOMP, 1))
		return 1;
	length = snprintf(told, sizeof(told), "%d %d\n", vers_tell(1), vers_same(1));
	syscall(SYS_write, 1, told, length);
	syscall(SYS_exit, 0);
}
END_OF_FILE
for from in old lib; do
	$CC -O2 -o "$tmp/strict.$from" "$tmp/strict.c" -I"$tmp" -L"$tmp/$from" -lvers -Wl,-rpath,"$tmp/lib"
	is "$(LD_PRELOAD="$libtracelayer:$tmp/vers-shims.so" TRACELAYER_OUTPUT=$tmp/strict.json "$tmp/strict.$from" 2>"$tmp/err")" "$("$tmp/strict.$from")" \
		"confined, what is linked to \"$from\" keeps its version"
done

#!/bin/bash
# SPDX-License-Identifier: MIT
# A machine without libclang: headers can't be read, and one line says so; what needs no header works. Here a library that audits the dynamic linker sends it to a
# folder that isn't there, wherever it looks for libclang.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
top_builddir=$(cd "$top_builddir" && pwd)
export XDG_CACHE_HOME=$tmp/cache
cd "$tmp" || exit 99
soname=$(grep -aoE 'libclang-?[0-9]*\.so\.[0-9]+' "$top_builddir/tracegen" | head -n 1)
cat >none.c <<END
#include <link.h>
#include <stdint.h>
#include <string.h>

unsigned la_version(unsigned version) { return version; }

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
	const char *file = strrchr(name, '/');

	return strcmp(file ? file + 1 : name, "$soname") == 0 ? "$tmp/none/$soname" : (char *)name;
}
END
${CC:-cc} -w -D_GNU_SOURCE -shared -fPIC -o none.so none.c || exit 99
echo 'int zlibCompileFlags(void);' >z.h
"$top_builddir/tracegen" model z.h -o with.json || exit 99
without() { LD_AUDIT=$tmp/none.so "$@"; }
plan 9
without "$top_builddir/tracegen" model z.h -o model.json 2>err
status=$?
unlike "$(readelf -d "$top_builddir/tracegen")" 'libclang' 'tracegen is not linked to libclang'
is "$status" 1 'a header cannot be read'
is "$(wc -l <err)" 1 'which one line says'
like "$(cat err)" "^tracegen: headers can't be read without libclang \(.*$soname.*\); install it \(Debian: libclang1-[0-9]+\), or name no header: " 'that names the package, and the way without'
without "$top_builddir/tracegen" interposer --lib libz.so.1 -o z.so >log 2>err
is "$?:$(cat err)" 0: 'an interposer of a library alone is made' || diag "$(cat log)"
without "$top_builddir/tracelayer" run --lib libz.so.1 -o t.json -- "$python" -c 'import zlib; print(len(zlib.compress(b"a" * 1000)))' >out 2>err
like "$?:$(cat out):$("$python" -c 'import json; print({e["name"] for e in json.load(open("t.json")) if e["ph"] == "X"})')" '0:[0-9]+:.*deflateInit2_' \
	'and run --lib traces with it' || diag "$(cat err)"
without "$top_builddir/tracelayer" run --header z.h --lib libz.so.1 -o u.json -- true >out 2>err
is "$?:$(grep -c 'install it (Debian: libclang1-' err)" 1:1 'run --header says the line'
# the cache tells folders of libraries apart
"$top_builddir/tracelayer" run --header z.h --lib libz.so.1 -o u.json -- true >out 2>err
without "$top_builddir/tracelayer" run --header z.h --lib libz.so.1 -o u.json -- true >out 2>err
is "$?:$(grep -c libclang err)" 0:0 'unless the interposer is in the cache'
without "$top_builddir/tracegen" emit --model with.json -o . 2>err
is "$?:$(cat err)" 0: 'nor does a model that was written need it'

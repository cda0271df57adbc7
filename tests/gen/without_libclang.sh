#!/bin/bash
# SPDX-License-Identifier: MIT
# A machine without libclang: headers can't be read, and one line says so; what needs no header works. Here a file that is no library stands
# where the dynamic linker looks first.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
top_builddir=$(cd "$top_builddir" && pwd)
export XDG_CACHE_HOME=$tmp/cache
cd "$tmp" || exit 99
soname=$(grep -aoE 'libclang-?[0-9]*\.so\.[0-9]+' "$top_builddir/tracegen" | head -n 1)
mkdir none
echo "no library" >"none/$soname"
echo 'int zlibCompileFlags(void);' >z.h
"$top_builddir/tracegen" model z.h -o with.json || exit 99
without() { LD_LIBRARY_PATH=$tmp/none "$@"; }
without "$top_builddir/tracegen" model z.h -o model.json 2>err && skip_all "this machine has $soname in a second place"
status=$?
plan 9
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
mv "none/$soname" away
without "$top_builddir/tracelayer" run --header z.h --lib libz.so.1 -o u.json -- true >out 2>err
mv away "none/$soname"
without "$top_builddir/tracelayer" run --header z.h --lib libz.so.1 -o u.json -- true >out 2>err
is "$?:$(grep -c libclang err)" 0:0 'unless the interposer is in the cache'
without "$top_builddir/tracegen" emit --model with.json -o . 2>err
is "$?:$(cat err)" 0: 'nor does a model that was written need it'

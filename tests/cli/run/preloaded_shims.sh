#!/bin/bash
# SPDX-License-Identifier: MIT
# Shims that the user preloads, with tracelayer in a prefix that the dynamic linker does not search: the command starts, and traces by them.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
: "${CC:=cc}"
top_builddir=$(cd "$top_builddir" && pwd)
top_srcdir=$(cd "$top_srcdir" && pwd)
plan 5
cd "$tmp" || exit 99
mkdir -p prefix/bin prefix/lib
cp "$top_builddir/tracelayer" prefix/bin/ && cp "$libtracelayer" prefix/lib/libtracelayer.so.0 && ln -s libtracelayer.so.0 prefix/lib/libtracelayer.so || exit 99
echo 'int cup_fill(int a);' >cup.h
echo 'int cup_fill(int a) { return a + 1; }' >cup.c
printf '#include <stdio.h>\n#include "cup.h"\nint main(void) { printf("%%d\\n", cup_fill(3)); return 4; }\n' >main.c
$CC -shared -fPIC -Wl,-soname,libcup.so.1 -o libcup.so.1 cup.c && $CC -o main main.c ./libcup.so.1 -Wl,-rpath,"$tmp" || exit 99
"$top_builddir/tracegen" emit cup.h --lib ./libcup.so.1 -o . &&
	$CC -O2 -fexceptions -shared -fPIC -DTL_SHIM_LIBRARY -I"$top_srcdir/include" -I. -o shims.so cup_shims.c cup_tables.c -Lprefix/lib -ltracelayer || exit 99
unlike "$(readelf -d shims.so)" 'R(UN)?PATH' 'the shims say nothing of where libtracelayer.so is'
LD_PRELOAD=$tmp/shims.so ./main >out 2>err
is $? 127 'so no program starts with them alone'
LD_PRELOAD=$tmp/shims.so prefix/bin/tracelayer run -o t.json -- ./main >out 2>err
is "$?:$(cat out)" 4:4 'run starts one' || diag "$(cat err)"
is "$(grep -c '"name":"cup_fill"' t.json)" 1 'and its call is traced'
LD_PRELOAD=$tmp/shims.so prefix/bin/tracelayer run --annotations=yes -o t.json -- ./main >out 2>err
like "$?:$(cat out):$(cat err)" '^1::tracelayer: libtracelayer-annotations.so: not found beside this command' 'a library that is missing there is told of where it was asked for'

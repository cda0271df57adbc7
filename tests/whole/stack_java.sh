#!/bin/bash
# SPDX-License-Identifier: MIT
# Java: a virtual machine that handles SIGSEGV, makes code at run time and moves threads about; its zlib's calls traced, and those of a JNI library.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
need javac openjdk-17-jdk-headless
plan 15

shims toy "$top_srcdir/tests/apps/toy_sum.json" -- "-I$top_srcdir/tests/apps"
shims zlib "$top_srcdir/gen/apis/zlib.json"
home=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
ok "the program and its library are built" eval "
	${CC:-cc} -O1 -fPIC -shared -Wl,-soname,libtoy.so -o '$tmp/libtoy.so' '$top_srcdir/tests/apps/toy_sum.c' &&
	${CC:-cc} -w -O1 -fPIC -shared -I'$top_srcdir/tests/apps' -I'$home/include' -I'$home/include/linux' -o '$tmp/libcalls.so' \
		'$top_srcdir/tests/apps/java_calls.c' -L'$tmp' -ltoy -Wl,-rpath,'$tmp' &&
	javac -d '$tmp' '$top_srcdir/tests/apps/Calls.java'"

# The machine's ways to collect garbage use signals and memory differently.
for options in "" "-XX:+UseSerialGC -XX:TieredStopAtLevel=1" "-XX:+UseZGC"; do
	# shellcheck disable=SC2086
	foreign "java $options" "300900 toy_sum" java $options -Xmx512m -Xshare:auto -cp "$tmp" Calls "$tmp/libcalls.so"
	found=$(slices '(deflate|inflate|crc32).*')
	ok "java $options: $found calls of zlib, too" test "$found" -gt 2000
done

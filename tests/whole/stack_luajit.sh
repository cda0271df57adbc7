#!/bin/bash
# SPDX-License-Identifier: MIT
# LuaJIT, which calls a library by its FFI from code that it makes at run time, and unwinds through the library, and through the shims, where a callback fails.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
need luajit luajit
plan 23

shims jit "$top_srcdir/tests/apps/jit_calls.json" -- "-I$top_srcdir/tests/apps"
ok "the library is built" ${CC:-cc} -O1 -fPIC -fexceptions -shared -Wl,-soname,libjit.so -o "$tmp/libjit.so" "$top_srcdir/tests/apps/jit_calls.c"

as_counted() { "$python" "$check_trace" --counts "$tmp/traced/calls" "$tmp"/traces/luajit*.json; }

for options in "" -joff "-Ohotloop=2 -Ohotexit=2"; do
	for rounds in 100 30000; do
		# shellcheck disable=SC2086
		foreign "luajit $options, $rounds rounds" "$((rounds * 2)) jit_.*" luajit $options "$top_srcdir/tests/apps/jit_calls.lua" "$tmp/libjit.so" $rounds
		test "$rounds" = 100 && continue
		ok "luajit $options: each call is in the trace, also those that errors left" as_counted
	done
done

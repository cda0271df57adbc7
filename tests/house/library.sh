#!/bin/bash
# SPDX-License-Identifier: MIT
# What enters the program: the library's dynamic section, exports, thread-local storage and segments.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
library=$top_builddir/.libs/libtracelayer.so
test -f "$library" || skip_all "libtracelayer.so is not built"
plan 9

# is_same FILE FILE: without their order.
is_same() { sort "$1" >"$tmp/one" && sort "$2" >"$tmp/two" && diff "$tmp/one" "$tmp/two"; }

readelf -dW "$library" >"$tmp/dynamic"
sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$tmp/dynamic" | grep -v '^ld-linux' >"$tmp/needed"
echo libc.so.6 >"$tmp/libc"
ok "it needs libc and nothing else" is_same "$tmp/needed" "$tmp/libc"
ok "it is never unloaded" grep -q 'FLAGS_1.*NODELETE' "$tmp/dynamic"
ok "it is bound when it is loaded" grep -q 'FLAGS_1.*NOW' "$tmp/dynamic"
ok "it has no search path" sh -c "! grep -qE 'RPATH|RUNPATH' '$tmp/dynamic'"
ok "it has no relocations in its code" sh -c "! grep -q TEXTREL '$tmp/dynamic'"

# Without versions, and without the version's own symbol.
exported() { nm -D --defined-only "$library" | sed -n 's/.* [A-Z] \([^@]*\).*/\1/p' | grep -v '^TRACELAYER_'; }
exported | grep -v '^tl_' >"$tmp/exports"
sed -e '/^#/d' -e '/^$/d' "$top_srcdir/layer/exports" | grep -v '^tl_' |
	cat - $(ls "$top_builddir"/apis/*.exports | grep -v /mpi_words) | grep -v "^#" | sort -u >"$tmp/wanted"
ok "it exports the shims, its own interface and nothing else" is_same "$tmp/exports" "$tmp/wanted"
exported | grep '^tl_' >"$tmp/own"
grep '^tl_' "$top_srcdir/layer/exports" >"$tmp/listed"
ok "its own interface is what layer/exports lists" is_same "$tmp/own" "$tmp/listed"

readelf -lW "$library" >"$tmp/segments"
size=$(awk '$1 == "TLS" { print $6 }' "$tmp/segments")
ok "its thread-local storage takes less than 256 bytes" test "$((size))" -lt 256
ok "it asks for no executable stack" sh -c "grep -q 'GNU_STACK.* RW ' '$tmp/segments'"

#!/bin/bash
# SPDX-License-Identifier: MIT
# configure with a compiler for musl ends at once, and says why.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
command -v musl-gcc >/dev/null || skip_all "this machine has no musl-gcc"
plan 3

source=$(cd "$top_srcdir" && pwd)
mkdir "$tmp/build" && cd "$tmp/build" || exit 99
"$source/configure" -q CC=musl-gcc >"$tmp/said" 2>&1
is $? 1 "configure fails"
like "$(cat "$tmp/said")" '^configure: error: musl-gcc compiles for another C library than glibc \(musl\?\), which tracelayer needs: it answers dlsym.* by glibc.s symbol versions' "one line says why"
is "$(grep -c . "$tmp/said") $(ls)" "1 config.log" "and nothing else is said or made"

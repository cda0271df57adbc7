#!/bin/bash
# SPDX-License-Identifier: MIT
# `make bench` in a build folder of its own, where nothing was built before: it makes what its parts run.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
plan 4

mkdir "$tmp/build" && cd "$tmp/build" || exit 99
ok "configure" "$top_srcdir/configure" -q CFLAGS=-O0
ok "make bench runs through" make -j2 bench BENCH_SHORT=1
ok "it has rows" grep -qE '^  [^ ].* \+?-?[0-9]+\.[0-9]{2,3}   ' bench.txt
nok "no row has failed" grep "  failed" bench.txt

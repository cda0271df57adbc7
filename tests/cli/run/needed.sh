#!/bin/bash
# SPDX-License-Identifier: MIT
# Each traced program waits until `tracelayer run` has loaded its libraries: it loads few, and the commands that need more are in tracelayer-traces.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
plan 5

needed() { readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
is "$(needed "$tracelayer" | grep -vE '^(ld-linux.*|lib(c|m|dl|pthread|jansson|z|deflate|asan|ubsan|tsan)\.so\.[0-9]+)$')" "" \
	"run loads jansson, zlib, libdeflate and the C library"
is "$("$tracelayer-traces" run -- true 2>&1 >/dev/null; echo $?)" "tracelayer: run: tracelayer has this command, not tracelayer-traces
2" "tracelayer-traces runs no program"
cp "$tracelayer" "$tmp/tracelayer"
like "$("$tmp/tracelayer" summary none.tlt 2>&1; echo $?)" "^tracelayer: summary: tracelayer-traces is not installed; install tracelayer again
1\$|^tracelayer: none\.tlt: " "where it is missing, tracelayer says so (unless another one is installed)"
like "$("$tracelayer" --complete summary)" "^--by" "it tells shells what they may complete"
like "$("$tracelayer" help summary)" "^Usage: tracelayer summary " "it answers tracelayer help"

#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_libraries.sh: all libraries of tests/gen/libraries.list: a model of their headers, an interposer, and a process that loads them.
# tests/gen/libraries.py says what is compared. doc/libraries.md has the figures.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
top_builddir=$(cd "$top_builddir" && pwd) CC=${CC:-cc} "$python" "$top_srcdir/tests/gen/libraries.py" "$top_srcdir/tests/gen/libraries.list" all "$tmp" \
	"$top_srcdir/doc/libraries.md"

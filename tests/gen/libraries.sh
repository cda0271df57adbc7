#!/bin/bash
# SPDX-License-Identifier: MIT
# Ten libraries of Debian: a model of their headers, an interposer, and a process that loads them. tests/gen/libraries.py says what is compared;
# tests/whole/stack_libraries.sh does the same with all of the list.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
top_builddir=$(cd "$top_builddir" && pwd) CC=${CC:-cc} "$python" "$top_srcdir/tests/gen/libraries.py" "$top_srcdir/tests/gen/libraries.list" check "$tmp"

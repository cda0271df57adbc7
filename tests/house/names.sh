#!/bin/bash
# SPDX-License-Identifier: MIT
# Comments and pages name files and functions that exist, and a static function's name says its object (names.py).
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99

names() { "$python" -B "$top_srcdir/tests/house/names.py" "$1"; }

plan 5
ok "the tree's comments and pages name what is there" names "$top_srcdir"

# said FILE TEXT: what names.py says of a small tree in which FILE has TEXT.
said()
{
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/layer/write" "$tmp/tree/doc"
	printf '/* lines.c: lines of text. */\nvoid tl_line_end(void)\n{\n}\n' >"$tmp/tree/layer/write/lines.c"
	printf '%s\n' "$2" >>"$tmp/tree/$1"
	names "$tmp/tree"
	echo "exit $?"
}
is "$(said layer/write/lines.c '/* See lines.c, layer/write/lines.c, PREFIX_lines.c, tl_line_end and "words.c". */
static const char text[] = "/*";')" "layer/write/lines.c:5: words.c: no such file
exit 1" "a comment that names a file which is not there is named with its line"
is "$(said doc/lines.md 'tests/write/lines.sh tries layer/write/lines.c.')" "doc/lines.md:1: tests/write/lines.sh: no such file
exit 1" "so is a page"
is "$(said layer/write/lines.c '/* tl_line_end and tl_line_begin */')" "layer/write/lines.c:5: tl_line_begin: nothing has this name
exit 1" "so is a comment that names a function which is not there"
is "$(said layer/write/lines.c 'static inline int *line_put(int a)
{
}
static int put(int a,
	       int b)
{
}')" "layer/write/lines.c:8: put: a static function's name says its object
exit 1" "so is a static function named by one word"

#!/bin/bash
# SPDX-License-Identifier: MIT
# tracegen built with AddressSanitizer and UndefinedBehaviorSanitizer, on headers that include very many others, and on those that are at hand.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/sanitizers.sh"

works address,undefined || skip_all "this machine's compiler has no AddressSanitizer"
pkg-config --exists jansson libelf libdw zlib || skip_all 'this machine has no jansson, libelf, libdw or zlib'
: "${CC:=cc}"

# Those of the packages that every check has; tests/whole/stack_gen_sanitized.sh has larger ones.
: "${headers=zlib sqlite3 CL/cl}"
plan $((6 + $(set -- $headers; echo $#)))

# Some have quotes, which the shell takes away as make's shell does.
eval "flags=($(sed -n 's/^LIBCLANG_CFLAGS = //p' "$top_builddir/Makefile"))"
sources=
for name in $(sed -n '/^tracegen_[a-zA-Z]* =/,/[^\\]$/p' "$top_srcdir/gen/local.mk" | grep -o '[a-z0-9_/]*\.c'); do
	sources="$sources $top_srcdir/$name"
done
# -w: the ordinary build shows the warnings.
ok 'tracegen builds with sanitizers' $CC -std=gnu11 -D_GNU_SOURCE -g -w -fsanitize=address,undefined -fno-sanitize-recover=all \
	-I"$top_srcdir/include" -I"$top_srcdir" -I"$top_builddir" "${flags[@]}" $(pkg-config --cflags jansson libelf libdw zlib) $sources \
	-o "$tmp/tracegen" $(pkg-config --libs jansson libelf libdw zlib)
# What it builds, it keeps to its end.
export ASAN_OPTIONS=detect_leaks=0

# --- 900 files; a third of them with types, comments and a function whose parameters lie in two of them
mkdir "$tmp/many"
for i in $(seq 300); do
	printf '#define MANY_%d %d /* the %dth */\ntypedef struct many_%d {\n\tint member; /* of %d */\n\tstruct many_%d *next;\n} many_%d_t;\n' $i $i $i $i $i $i $i >"$tmp/many/many_$i.h"
	printf '/* Takes the %dth. */\nint many_take_%d(\n#include "param_%d.h"\n\tint more /* and more */);\n' $i $i $i >>"$tmp/many/many_$i.h"
	printf 'many_%d_t *from, /* first */\n' $i >"$tmp/many/param_$i.h"
	echo "#define MANY_MACRO_$i $i" >"$tmp/many/macro_$i.h"
	printf '#define MANY_BEFORE_%d 1\n#include "macro_%d.h"\n#include "many_%d.h"\n' $i $i $i
done >"$tmp/many/all.h"
ok 'it reads no freed memory where a header includes 900 others' "$tmp/tracegen" model "$tmp/many/all.h" -o "$tmp/all.json"
ok 'nor where the headers are named one by one' "$tmp/tracegen" model "$tmp"/many/many_*.h -o "$tmp/each.json"
is "$(grep -c '"comment": "and more"' "$tmp/each.json")" 300 'and every parameter has its comment'
"$top_builddir/tracegen" model "$tmp"/many/many_*.h -o "$tmp/plain.json"
same "$tmp/plain.json" "$tmp/each.json" 'the model is the one of the ordinary build'
ok 'what it emits of them, it emits without a finding' "$tmp/tracegen" emit --model "$tmp/each.json" -o "$tmp/many"

# --- headers that nobody here wrote
for header in $headers; do
	folder=
	test "$header" != mpi || folder=$(for each in $(mpicc -show 2>/dev/null); do case $each in -I*) echo "$each" ;; esac; done)
	if printf '#include <%s.h>\n' "$header" | $CC $folder -fsyntax-only -x c - 2>/dev/null; then
		{ "$tmp/tracegen" suggest "$header.h" -o "$tmp/suggested.json" -- $folder &&
			"$tmp/tracegen" model --api "$tmp/suggested.json" -o "$tmp/model.json" -- $folder; } >"$tmp/said" 2>&1
		nok "$header.h: no finding" grep -E 'Sanitizer|runtime error' "$tmp/said"
	else
		skip 1 "this machine has no $header.h"
	fi
done

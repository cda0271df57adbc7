#!/bin/sh
# SPDX-License-Identifier: MIT
# Shims that gen/copies.awk makes of others': the object has the same functions, in the same sizes but for the order that the compiler chooses, and
# each entry asks for its own shim, its own traced body and the same functions of the layer as where the compiler makes all of them.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
cd "$top_builddir" || exit 99
headers=gen/made/include
test -d apis/include && headers=apis/include

# compile API OUT FLAG…
compile()
{
	api=$1 out=$2; shift 2
	# shellcheck disable=SC2086
	gcc -D_GNU_SOURCE -I"$top_srcdir/include" -isystem $headers -I"$top_srcdir/gen/apis" -std=gnu11 -O2 -fexceptions -fvisibility=hidden \
		-fno-stack-protector -fno-var-tracking -fPIC -S "$@" -o "$out" "apis/${api}_shims.c"
}

# from_table START: a place in the section of tables as one in the table of shims, which starts at START there.
from_table()
{
	"$python" -c 'import re, sys
for line in sys.stdin:
    print(re.sub(r"\.data\.rel\+(0x\w+)", lambda at: sys.argv[2] + "_shims%+d" % (int(at[1], 0) - int(sys.argv[1], 0)),
                 re.sub(r"(_shims)([-+]0x\w+)", lambda at: at[1] + "%+d" % int(at[2], 0), line)), end="")' "$1" "$api"
}

plan 8
for api in cl mpi_words; do
	compile $api "$tmp/all.s" || exit 99
	compile $api "$tmp/some.s" -DTL_COPIES || exit 99
	awk -f "$top_srcdir/gen/copies.awk" "$tmp/some.s" >"$tmp/made.s"
	is $? 0 "$api: the copies are made"
	gcc -c -o "$tmp/all.o" "$tmp/all.s" && gcc -c -o "$tmp/made.o" "$tmp/made.s" || exit 99
	for object in all made; do
		nm "$tmp/$object.o" | sed 's/^[0-9a-f ]* //; / \.L/d; /shim_of_/d' | sort >"$tmp/$object.names"
		# A line for each function and what it refers to; not for invoke_…, which the compiler may merge.
		objdump -dr "$tmp/$object.o" | awk '/^[0-9a-f]+ </ { name = $2 } / R_[A-Z0-9_]+/ { print name, $3 } /(call|jmp) .*<traced_[A-Za-z0-9_]*>$/ { print name, $NF }' |
			grep -v 'invoke_\|\.cold\|\.text\.unlikely\|^<traced_.*<traced_' | from_table "0x$(nm "$tmp/$object.o" | sed -n "s/ . ${api}_shims\$//p")" | sort >"$tmp/$object.uses"
	done
	is "$(diff "$tmp/all.names" "$tmp/made.names")" "" "$api: the same symbols"
	is "$(diff "$tmp/all.uses" "$tmp/made.uses" | head -n 10)" "" "$api: each function refers to the same things"
	ok "$api: the compiler was given at most three of four" test "$(grep -c 'cfi_startproc' "$tmp/some.s")" -lt "$(($(grep -c 'cfi_startproc' "$tmp/all.s") * 3 / 4))"
done

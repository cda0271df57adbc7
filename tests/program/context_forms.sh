#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer/trace_context.h in C and in C++, under each way of having the library: not at all, linked, preloaded; and what its macros cost.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
strict="-D_GNU_SOURCE -O2 -pedantic -Wall -Wextra -Werror -I$top_srcdir/include"

# forms NAME COMPILER…: the program of all forms, once with the library linked.
forms()
{
	local name=$1; shift
	# shellcheck disable=SC2086
	"$@" $strict "$top_srcdir/tests/apps/context_forms.c" -o "$tmp/$name" -ldl &&
		"$@" $strict -DTRACELAYER_LINKED "$top_srcdir/tests/apps/context_forms.c" -o "$tmp/$name.linked" \
			-L"${libtracelayer%/*}" -ltracelayer -Wl,-rpath,"${libtracelayer%/*}"
}

plan 23
for language in c:c11 c++:c++11 c++:c++17; do
	standard=${language#*:}
	compiler=${CC:-cc}
	test "${language%:*}" = c || compiler="${CXX:-c++}"
	# shellcheck disable=SC2086
	ok "$standard, pedantic: compiles without a warning" forms "$standard" $compiler -x "${language%:*}" -std="$standard"
	ok "$standard: without the library nothing is logged" "$tmp/$standard" absent "$tmp/absent.json"
	ok "$standard: preloaded, everything is as the header says" env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="$tmp/own.json" "$tmp/$standard" there "$tmp/$standard.json"
	ok "$standard: linked, and not recording" "$tmp/$standard.linked" there "$tmp/linked.json"
done
ok "no process's trace comes of a library that is linked" test -z "$(cd "$tmp" && "./c11.linked" there own.json && ls trace.* 2>/dev/null)"
ok "no file comes of a dump without the library" test ! -e "$tmp/absent.json"

# field EXPRESSION: of the events that the program leaves.
field()
{
	"$python" -c "import json, sys; e = [x for x in json.load(open(sys.argv[1])) if x['ph'] != 'M']; print($1)" "$tmp/c11.json"
}
is "$(field '[x["ts"] for x in e] == sorted(x["ts"] for x in e) and len(e)')" 12 "the dump is strict JSON, by time"
is "$(field '[(x["name"], x["dur"]) for x in e if x["ph"] == "X"]')" \
	"[('back\\\\slash', 0.1), ('\\x01', 0.1), ('umlaut ä', 0.014), ('line\\nfeed', 0.012), ('a \"quote\"', 0.01)]" \
	"... of those at the same time the longer first, then in their order; texts are escaped"
is "$(field 'e[0]["args"]')" "{'k\"': 'v\\t', 'request': 9}" "... with arguments and request"
is "$(field '[x["name"] for x in e][6]')" "cut �" "... what is no UTF-8 is replaced"
is "$("$python" -c 'import json, sys; print([x["args"]["name"] for x in json.load(open(sys.argv[1])) if "name" in x["args"] and x["ph"] == "M"])' \
	"$tmp/c11.json")" "['forms \"of\" it', 'thread \"one\"']" "... and names"

# What is executed where the context is NULL: the jump behind the first test is taken, and no other.
cat >"$tmp/cost.c" <<'END'
#include <tracelayer/trace_context.h>
extern struct tl_context *trace;
void work(void);
void instant(void) { TL_TRACE_INSTANT(trace, TL_TRACE_RUNTIME, "x"); }
void pair(void) { TL_TRACE_BEGIN(trace, TL_TRACE_RUNTIME, "x"); work(); TL_TRACE_END(trace, TL_TRACE_RUNTIME, "x"); }
void scope(void) { TL_TRACE_SCOPE(trace, TL_TRACE_RUNTIME, "x"); work(); }
END
walk()
{
	objdump -d -j .text --no-show-raw-insn "$tmp/cost.o" | "$python" -c '
import re, sys
code = {}
at = None
for line in sys.stdin:
	match = re.match(r"([0-9a-f]+) <(\w+)>:", line)
	if match: here = match.group(2)
	match = re.match(r"\s*([0-9a-f]+):\t(\S+)\s*(.*)", line)
	if not match: continue
	if here == sys.argv[1] and at is None: at = int(match.group(1), 16)
	code[int(match.group(1), 16)] = match.group(2), match.group(3)
places, done, taken = sorted(code), [], False
while True:
	what, how = code[at]
	if what not in ("endbr64", "nop", "nopw", "nopl"): done.append(what)
	if what in ("ret", "retq", "repz"): break
	jump = what[0] == "j" and (what == "jmp" or not taken)
	if what == "jmp" and "R_" in how: break
	if jump: taken = taken or what != "jmp"
	at = int(how.split()[0], 16) if jump and how[0] in "0123456789abcdef" else places[places.index(at) + 1]
print(" ".join(done))' "$1"
}
# Ubuntu's compiler adds checks of its own by default. They are not the macros' cost.
bare="-fcf-protection=none -fno-stack-protector -fno-stack-clash-protection -U_FORTIFY_SOURCE -fno-pic"
if test "$(uname -m)" = x86_64 && command -v objdump >/dev/null; then
	# shellcheck disable=SC2086
	ok "macros compile by themselves" ${CC:-cc} -std=c11 -O2 $bare $strict -c "$tmp/cost.c" -o "$tmp/cost.o"
	diag "instant: $(walk instant)"
	diag "scope: $(walk scope)"
	is "$(walk instant)" "mov test je ret" "with a NULL context an instant is a load and a branch"
	is "$(walk scope | tr ' ' '\n' | grep -c '^j')" 2 "... and a scope a branch at either end"
	is "$(walk scope | tr ' ' '\n' | grep -c '^call')" 1 "... where nothing is called but what it is around"
else
	skip 4 "this machine is no x86-64, or has no objdump"
fi

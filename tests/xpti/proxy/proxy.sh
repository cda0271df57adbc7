#!/bin/bash
# SPDX-License-Identifier: MIT
# The static proxy of XPTI: what it holds, what its functions return without a dispatcher, the messages about dispatchers that can't be used; and the
# dispatcher's own tests with the dispatcher preloaded.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/sanitizers.sh"
proxy=$top_builddir/libtracelayer-xptiproxy.a
library=$top_builddir/.libs/libtracelayer-xpti.so
test -f "$proxy" || { echo "Bail out! $proxy is missing; run make first"; exit 99; }
unset XPTI_SUBSCRIBERS XPTI_TRACE_ENABLE XPTI_FRAMEWORK_DISPATCHER
cc="${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -g -I$top_srcdir/include"
plan 24

# ---- the archive
nm --defined-only "$proxy" | sed -n 's/.* [A-Z] //p' | sort >"$tmp/holds"
{ sed '/^#/d' "$top_srcdir/xpti/dispatcher/exports"; echo xptiTraceTryToEnable; } | sort >"$tmp/wanted"
same "$tmp/holds" "$tmp/wanted" "it holds the dispatcher's functions and xptiTraceTryToEnable, and no other name"
ok "programs and libraries are built with it" eval "
	$cc '$top_srcdir/tests/xpti/proxy/xpti_nothing.c' '$proxy' -o '$tmp/nothing' &&
	$cc '$top_srcdir/tests/xpti/dispatcher/xpti_app.c' '$proxy' -o '$tmp/app' &&
	$cc -shared -fPIC '$top_srcdir/tests/xpti/dispatcher/xpti_app.c' '$proxy' -o '$tmp/libproxied.so' -Wl,-z,defs -Wl,-z,text"

# ---- without a dispatcher

# nothing DISPATCHER [LATER]: what is said is in $tmp/out and $tmp/err.
nothing() { XPTI_FRAMEWORK_DISPATCHER=$1 timeout 20 "$tmp/nothing" "${@:2}" >"$tmp/out" 2>"$tmp/err"; }

timeout 20 "$tmp/nothing" >"$tmp/out" 2>&1
is "$? $(cat "$tmp/out")" "0 " "with no dispatcher each function returns at once what is documented, and nothing is said"
nothing ""
is "$? $(cat "$tmp/out" "$tmp/err")" "0 " "so it is where the variable is empty"
nothing "" "$library"
is "$(cat "$tmp/out")" "before 255
after 2" "a program may name a dispatcher later, and try again"
is "$(cat "$tmp/err")" "" "and nothing is said"

# unusable WHAT PATH REASON
unusable()
{
	nothing "$2"
	is "$? $(cat "$tmp/out")" "0 " "$1: each function returns at once what is documented"
	is "$(cat "$tmp/err")" "tracelayer: XPTI dispatcher $2: $3; check XPTI_FRAMEWORK_DISPATCHER" "and one line names it and the reason"
}

unusable "a dispatcher that is missing" "$tmp/missing.so" "cannot open shared object file: No such file or directory"
echo text >"$tmp/text.so"
unusable "a file that is no library" "$tmp/text.so" "file too short"
sed -e '/^#/d' -e '/^xptiAddMetadata$/d' -e 's/.*/int &(void); int &(void) { return 0; }/' "$top_srcdir/xpti/dispatcher/exports" >"$tmp/lacks.c"
$cc -w -shared -fPIC "$tmp/lacks.c" -o "$tmp/lacks.so"
unusable "a dispatcher that lacks a function" "$tmp/lacks.so" "it has no xptiAddMetadata"
unusable "a library that holds a proxy" "$tmp/libproxied.so" "it is a proxy, not a dispatcher"
long=$(printf 'x%.0s' $(seq 1 5000)).so
nothing "$long"
is "$? $(cat "$tmp/err")" "0 tracelayer: XPTI dispatcher ...${long: -600}: cannot open shared object file: File name too long; check XPTI_FRAMEWORK_DISPATCHER" \
	"a name of 5000 characters is told by its end"
grep -v -e xptiReset -e xptiGetEffective "$top_srcdir/xpti/dispatcher/exports" | sed -e '/^#/d' -e 's/.*/int &(void); int &(void) { return 7; }/' >"$tmp/older.c"
$cc -w -shared -fPIC "$tmp/older.c" -o "$tmp/older.so"
nothing "" "$tmp/older.so"
is "$(cat "$tmp/out" "$tmp/err")" "before 255
after 7" "one that has no xptiReset and no xptiGetEffectiveStreamDetailLevel is a dispatcher"

# ---- in a program that runs with other rights than its user's

# The program's owner is root and its user nobody: its user must not choose what it loads.
as_nobody() { XPTI_FRAMEWORK_DISPATCHER=$tmp/missing.so timeout 20 setpriv --reuid=65534 --clear-groups "$@" 2>&1; }
if test "$(id -u)" = 0 && chmod 755 "$tmp" && install -m 4755 "$(command -v id)" "$tmp/id" && test "$(as_nobody "$tmp/id" -u)" = 0 &&
   as_nobody "$tmp/nothing" | grep -q missing && install -m 4755 "$tmp/nothing" "$tmp/owned"; then
	is "$(as_nobody "$tmp/owned")" "" "a program that runs with other rights than its user's loads none"
else
	skip 1 "no program can be given other rights on this machine"
fi

# ---- threads whose first calls meet

# meet PROGRAM TIMES NUMBER [DISPATCHER]: what is said by runs in which not every thread gets that number.
meet()
{
	for _ in $(seq 1 "$2"); do
		out=$(timeout 60 "$tmp/$1" $4 2>&1) && test "$out" = "$3 $3 $3 $3 $3 $3 $3 $3 " || echo "$out"
	done | head -n 20
}

$cc "$top_srcdir/tests/xpti/dispatcher/xpti_first.c" "$proxy" -o "$tmp/first" -pthread
is "$(XPTI_FRAMEWORK_DISPATCHER=$library meet first 50 2)" "" "threads whose first calls meet have one dispatcher"
is "$(meet first 50 2 "$library")" "" "also where they have one only later"
is "$(XPTI_FRAMEWORK_DISPATCHER=$tmp/missing.so timeout 20 "$tmp/first" 2>&1 | grep -c missing)" 1 "that there is none is said once"
if works thread; then
	$cc -fsanitize=thread -w "$top_srcdir/tests/xpti/dispatcher/xpti_first.c" -I"$top_srcdir" "$top_srcdir/xpti/proxy/proxy.c" -o "$tmp/first_tsan" -pthread
	is "$(XPTI_FRAMEWORK_DISPATCHER=$tmp/older.so meet first_tsan 5 7; meet first_tsan 5 7 "$tmp/older.so")" "" "without a data race"
else
	skip 1 "ThreadSanitizer does not work on this machine"
fi

# ---- with one
$cc -shared -fPIC -DNAME='"a"' -DCALLS "$top_srcdir/tests/xpti/dispatcher/xpti_subscriber.c" -o "$tmp/a.so" -L"$top_builddir/.libs/tracelayer/xpti" -lxptifw
XPTI_FRAMEWORK_DISPATCHER=$library XPTI_SUBSCRIBERS=$tmp/a.so timeout 20 "$tmp/app" >"$tmp/out" 2>"$tmp/err"
is "$? $(grep -e task -e finish -e done "$tmp/out" | paste -sd,) $(cat "$tmp/err")" \
	"0 a task the task 1,a finish xpti.framework,a finish app,done " "a program with the proxy notifies a subscriber"
$cc "$top_srcdir/tests/xpti/dispatcher/xpti_steps.c" "$proxy" -o "$tmp/steps"
is "$(XPTI_FRAMEWORK_DISPATCHER=$library timeout 20 "$tmp/steps" begin register:app end register:app begin end register:next 2>&1 | paste -sd,)" \
	"begin = 0,register:app = 2,end = 0,register:app = 2,begin = 0,end = 0,register:next = 3" "its functions can be called after the framework has ended"
sed -e '/^#/d' -e 's/.*/int &(void); int &(void) { return 0; }/' "$top_srcdir/xpti/dispatcher/exports" >"$tmp/idle.c"
mkdir "$tmp/idle"
$cc -w -shared -fPIC "$tmp/idle.c" -Wl,-soname,libxptifw.so -o "$tmp/idle/libxptifw.so"
cp "$library" "$tmp/preloaded.so"
ok "the dispatcher's tests pass with it preloaded" env LD_LIBRARY_PATH="$tmp/idle" LD_PRELOAD="$tmp/preloaded.so" \
	CK_RUN_CASE=dispatcher timeout 120 "$top_builddir/xpti_test"

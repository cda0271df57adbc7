#!/bin/bash
# SPDX-License-Identifier: MIT
# The XPTI dispatcher under stress: 8 threads that register, notify, unregister, reset and fork, callbacks that do it, too; plain, and under sanitizers.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
rounds=1000
test -z "$STRESS" || rounds=15000
sources=$top_srcdir/tests/xpti/dispatcher/xpti_stress.c
for file in $(sources_of libtl_xpti_la xpti | grep -v /exceptions); do sources="$sources $top_srcdir/$file.c"; done
unset XPTI_SUBSCRIBERS XPTI_TRACE_ENABLE

# -w: gcc says that ThreadSanitizer doesn't follow fences; what they order are atomics here, which it does follow.
build() { ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -g -w -I"$top_srcdir/include" -I"$top_srcdir" "${@:2}" $sources -o "$tmp/$1" -pthread; }

echo 'int main(void) { return 0; }' >"$tmp/empty.c"
# works FLAG: the sanitizer does, here.
works() { ${CC:-cc} "$1" "$tmp/empty.c" -o "$tmp/empty" 2>/dev/null && "$tmp/empty"; }

plan 4
ok "it builds" build plain
ok "threads do everything at once, and fork" timeout 300 "$tmp/plain" 8 "$rounds" forks
if works -fsanitize=thread && build tsan -fsanitize=thread -DTL_PIN_SEQ_CST; then
	ok "without a data race" timeout 400 "$tmp/tsan" 8 "$rounds"
else
	skip 1 "ThreadSanitizer does not work on this machine"
fi
if works -fsanitize=address,undefined && build asan -fsanitize=address,undefined; then
	ok "without a wrong access" env ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1 timeout 400 "$tmp/asan" 8 "$rounds" forks
else
	skip 1 "AddressSanitizer does not work on this machine"
fi

#!/bin/bash
# SPDX-License-Identifier: MIT
# The XPTI dispatcher as a library: what it exports and needs, and that it stays.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
library=$top_builddir/.libs/libtracelayer-xpti.so
by_soname=$top_builddir/.libs/tracelayer/xpti
test -f "$library" || { echo "Bail out! $library is missing; run make first"; exit 99; }
unset XPTI_SUBSCRIBERS XPTI_TRACE_ENABLE XPTI_FRAMEWORK_DISPATCHER
cc="${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -g -I$top_srcdir/include"
plan 8

# ---- the library
readelf -dW "$library" >"$tmp/dynamic"
is "$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$tmp/dynamic" | grep -v '^ld-linux')" libc.so.6 "it needs libc and nothing else"
is "$(sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p' "$tmp/dynamic")" libxptifw.so "it has the original's soname"
like "$(cat "$tmp/dynamic")" 'FLAGS_1.*NODELETE' "it is never unloaded"
nm -D --defined-only "$library" | sed 's/.* //' | sort >"$tmp/exports"
sed '/^#/d' "$top_srcdir/xpti/dispatcher/exports" | sort >"$tmp/wanted"
same "$tmp/exports" "$tmp/wanted" "it exports the functions that xpti/dispatcher/exports lists, and nothing else"
is "$(wc -l <"$tmp/exports")" 50 "they are 50"
readelf -lW "$library" >"$tmp/segments"
ok "its thread-local storage takes less than 256 bytes" test "$(($(awk '$1 == "TLS" { print $6 }' "$tmp/segments")))" -lt 256

# ---- loaded, not linked
$cc -shared -fPIC -DNAME='"calls"' -DCALLS "$top_srcdir/tests/xpti/dispatcher/xpti_subscriber.c" -o "$tmp/calls.so" -L"$by_soname" -lxptifw
cat >"$tmp/loads.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < 3; i++) {
		void *handle = dlopen(argv[1], RTLD_LAZY);
		_Bool (*enabled)(void) = handle ? (_Bool (*)(void))dlsym(handle, "xptiTraceEnabled") : NULL;
		int (*initialize)(const char *, unsigned, unsigned, const char *) = enabled ? dlsym(handle, "xptiInitialize") : NULL;
		if (!initialize || !enabled() || initialize("app", 1, 0, "1") != 0)
			return 1;
		dlclose(handle);
		if (!enabled())		/* it is still there */
			return 2;
	}
	return 0;
}
END
$cc "$tmp/loads.c" -o "$tmp/loads" -ldl
ok "a program loads it, and unloads it, again and again" env XPTI_SUBSCRIBERS="$tmp/calls.so" "$tmp/loads" "$library"
ok "whatever the file is called" eval "cp '$library' '$tmp/other.so' && XPTI_SUBSCRIBERS='$tmp/calls.so' '$tmp/loads' '$tmp/other.so'"

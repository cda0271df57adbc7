#!/bin/bash
# SPDX-License-Identifier: MIT
# Which ways lead to the XPTI dispatcher: programs of each kind with subscribers of each kind, the dispatcher under each of its names, and with another
# libxptifw.so where the loader looks. All ways must lead to one and the same dispatcher: one callback for one notification, no message.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
proxy=$top_builddir/libtracelayer-xptiproxy.a
library=$top_builddir/.libs/libtracelayer-xpti.so
by_soname=$top_builddir/.libs/tracelayer/xpti
test -f "$proxy" || { echo "Bail out! $proxy is missing; run make first"; exit 99; }
unset XPTI_SUBSCRIBERS XPTI_TRACE_ENABLE XPTI_FRAMEWORK_DISPATCHER LD_LIBRARY_PATH
cc="${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -g -w -I$top_srcdir/include"
hide=-Wl,--exclude-libs,libtracelayer-xptiproxy.a
kinds="linked plain proxied hidden"
plan 36

# ---- what there is

# A libxptifw.so that does nothing: who gets to it hears of nothing.
sed -e '/^#/d' -e 's/.*/int &(void); int &(void) { return 0; }/' "$top_srcdir/xpti/dispatcher/exports" >"$tmp/idle.c"
cat >"$tmp/calls.c" <<'END'
void trace(void);
int main(void) { trace(); return 0; }
END
cat >"$tmp/plugs.c" <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	void (*trace)(void) = plugin ? (void (*)(void))dlsym(plugin, "trace") : 0;
	if (!trace)
		return 1;
	trace();
	return 0;
}
END
subscriber() { $cc -shared -fPIC -DNAME="\"$1\"" -DCALLS "$top_srcdir/tests/xpti/dispatcher/xpti_subscriber.c" -o "$tmp/$1.so" "${@:2}"; }
traced_library() { $cc -shared -fPIC -DLIBRARY "$top_srcdir/tests/xpti/dispatcher/xpti_app.c" -o "$tmp/$1.so" "${@:2}"; }
build()
{
	mkdir -p "$tmp/idle" "$tmp/copy" && cp "$library" "$tmp/copy/anything.so" &&
	$cc -shared -fPIC "$tmp/idle.c" -Wl,-soname,libxptifw.so -o "$tmp/idle/libxptifw.so" &&
	$cc "$top_srcdir/tests/xpti/dispatcher/xpti_app.c" -o "$tmp/app_linked" -L"$by_soname" -lxptifw -Wl,-rpath,"$by_soname" &&
	$cc "$top_srcdir/tests/xpti/dispatcher/xpti_app.c" -o "$tmp/app_preloaded" -L"$tmp/idle" -lxptifw -Wl,-rpath,"$tmp/idle" &&
	$cc "$top_srcdir/tests/xpti/dispatcher/xpti_app.c" -o "$tmp/app_proxied" "$proxy" &&
	traced_library libtraced "$proxy" && traced_library libhides "$proxy" $hide &&
	$cc "$tmp/calls.c" -o "$tmp/app_library" "$tmp/libtraced.so" -Wl,-rpath,"$tmp" &&
	$cc "$tmp/calls.c" -o "$tmp/app_hides" "$tmp/libhides.so" -Wl,-rpath,"$tmp" &&
	$cc "$tmp/plugs.c" -o "$tmp/app_plugin" &&
	subscriber linked -L"$by_soname" -lxptifw && subscriber plain && subscriber proxied "$proxy" && subscriber hidden "$proxy" $hide
}
ok "programs and subscribers of each kind are built" build

# ---- the ways

# heard WHAT SUBSCRIBER... -- COMMAND...: each of these subscribers hears of the one task once, and nothing is said.
heard()
{
	local what=$1 subscribers= kind wanted=
	shift
	while test "$1" != --; do subscribers=$subscribers${subscribers:+,}$tmp/$1.so; wanted="$wanted$1 task the task 1
"; shift; done
	shift
	XPTI_SUBSCRIBERS=$subscribers timeout 20 env "$@" >"$tmp/out" 2>"$tmp/err"
	is "$? $(grep ' task ' "$tmp/out") $(cat "$tmp/err")" "0 ${wanted%?} " "$what"
}

named=XPTI_FRAMEWORK_DISPATCHER=$library
for kind in $kinds; do
	heard "a linked program, a $kind subscriber" $kind -- "$named" "$tmp/app_linked"
	heard "a program that the dispatcher is preloaded to, a $kind subscriber" $kind -- "$named" LD_PRELOAD="$library" "$tmp/app_preloaded"
	heard "a program with the proxy, a $kind subscriber" $kind -- "$named" "$tmp/app_proxied"
	heard "a library with the proxy, a $kind subscriber" $kind -- "$named" "$tmp/app_library"
	heard "a library that hides the proxy, a $kind subscriber" $kind -- "$named" "$tmp/app_hides"
	heard "a plugin with the proxy, a $kind subscriber" $kind -- "$named" "$tmp/app_plugin" "$tmp/libtraced.so"
done
for app in linked proxied; do
	heard "a $app program, subscribers of all kinds at once" $kinds -- "$named" "$tmp/app_$app"
	heard "a $app program, and another libxptifw.so where the loader looks" $kinds -- "$named" LD_LIBRARY_PATH="$tmp/idle" \
		LD_PRELOAD="$(test $app = proxied || echo "$library")" "$tmp/app_$app"
done
for kind in linked plain proxied; do
	heard "a linked program, a $kind subscriber, and no dispatcher is named" $kind -- "$tmp/app_linked"
done

# ---- the dispatcher's names
heard "the dispatcher under its original name" $kinds -- XPTI_FRAMEWORK_DISPATCHER="$by_soname/libxptifw.so" "$tmp/app_proxied"
heard "a copy of another name" $kinds -- XPTI_FRAMEWORK_DISPATCHER="$tmp/copy/anything.so" "$tmp/app_proxied"
heard "a name without a folder, which the loader finds" $kinds -- XPTI_FRAMEWORK_DISPATCHER=libxptifw.so LD_LIBRARY_PATH="$by_soname" "$tmp/app_proxied"
heard "a path from the current folder" $kinds -- -C "$tmp/copy" XPTI_FRAMEWORK_DISPATCHER=./anything.so "$tmp/app_proxied"

#!/bin/bash
# SPDX-License-Identifier: MIT
# What doc/stability.md promises of binaries and files: sonames, exported names and their versions by the lists in tests/house/stability/, and that a
# .tlt file of each release stays readable.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
kept=$(cd "$top_srcdir/tests/house/stability" && pwd)
plan 14

exported() { nm -D --defined-only "$1" | awk '$2 ~ /[TDBRVWi]/ { print $3 }'; }
listed() { grep -v '^#' "$kept/$1"; }

is "$(soname "$libtracelayer")" libtracelayer.so.0 "libtracelayer.so's soname has the number of its interface"
is "$(exported "$libtracelayer" | grep '^tl_' | LC_ALL=C sort)" "$(listed libtracelayer.so.0 | LC_ALL=C sort)" \
	"it exports the names of stability/libtracelayer.so.0, in their version"
is "$(exported "$libtracelayer" | grep '@' | grep -v '^tl_')" "" "shims and the C library's functions have no version of ours"
# Who asks for a function of the C library in its version, and who asks for none, both get the library's.
cat >"$tmp/asks.c" <<'END2'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	Dl_info by_link, by_name;
	void *call = dlsym(RTLD_DEFAULT, "tl_pause");
	void *versioned = dlvsym(RTLD_DEFAULT, "tl_pause", "TRACELAYER_0");

	if (!dladdr(dlsym(RTLD_DEFAULT, "execve"), &by_name) || !dladdr((void *)execve, &by_link))
		return 1;
	printf("%d %d %d\n", call && call == versioned, by_link.dli_saddr == by_name.dli_saddr,
	       dlvsym(RTLD_DEFAULT, "tl_pause", "TRACELAYER_1") == NULL);
	return 0;
}
END2
${CC:-cc} -o "$tmp/asks" "$tmp/asks.c"
is "$(LD_PRELOAD=$libtracelayer "$tmp/asks")" "1 1 1" "both are found, and a version that there is not is not"
xpti=$top_builddir/.libs/libtracelayer-xpti.so
is "$(soname "$xpti")" libxptifw.so "the dispatcher has the original's soname"
is "$(exported "$xpti" | LC_ALL=C sort)" "$(listed libxptifw.so | LC_ALL=C sort)" "and its names, without versions"
needed() { readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(libtracelayer.*\)\]/\1/p'; }
is "$(needed "$top_builddir/callbacks/.libs/summary.so")" libtracelayer.so.0 "a tool that is linked with the library needs that soname"
echo 'int zlibCompileFlags(void);' >"$tmp/z.h"
ok "an interposer is made" "$top_builddir/tracegen" interposer --header "$tmp/z.h" --lib libz.so.1 -o "$tmp/z.so"
is "$(needed "$tmp/z.so")" libtracelayer.so.0 "and needs it, too"

# ---- files
gzip -dc "$kept/0.9.0.tlt.gz" >"$tmp/0.9.0.tlt"
"$tracelayer" summary "$tmp/0.9.0.tlt" >"$tmp/summary" 2>"$tmp/err"
is "$?" 0 "summary reads release 0.9.0's file"
is "$(grep -E '^host calls|^zeMemFree|^kernels|^vector_add' "$tmp/summary" | awk '{ $0 = $1 " " $2 " " $3 " " $4 " " $5; sub(/ +$/, ""); print }')" "host calls: 39 in 24
zeMemFree 6 0 78.79 us
kernels: 1
vector_add 1 7.656 us 20.1" "and finds its calls and commands"
"$tracelayer" export -o "$tmp/0.9.0.json" "$tmp/0.9.0.tlt" 2>"$tmp/err"
is "$?" 0 "export reads it"
like "$(cat "$tmp/0.9.0.json")" '"name":"zeInit".*"ts":18296506647\.940,"dur":18\.224.*"flags":"ZE_INIT_FLAG_GPU_ONLY","result":"ZE_RESULT_SUCCESS"' "times and arguments are there"
ok "it is strict JSON" strict_json "$tmp/0.9.0.json"

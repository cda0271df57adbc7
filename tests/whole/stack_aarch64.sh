#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_aarch64.sh: libtracelayer.so itself on aarch64, under qemu-user: it is built with Debian's cross compiler, and records calls of random signatures
# through an interposer (tests/calls/torture.py) that return, throw and are cancelled. STRESS=1: 1,000 signatures.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
results=23
for tool in aarch64-linux-gnu-g++ qemu-aarch64; do
	command -v $tool >/dev/null || { echo "Bail out! $tool is missing; ./scripts/install-packages stacks installs it"; exit 99; }
done
here=$top_srcdir/tests/calls
cd "$tmp" || exit 99

# libdeflate and libffi of the other architecture: apt's files are apart from those of this machine, which knows no second architecture.
sysroot=$kept/arm64-bookworm-2
sysroot_make()
{
	local apt=(-o "Dir::State::Lists=$tmp/apt/lists" -o "Dir::Cache=$tmp/apt/cache" -o Dir::State::Status=/dev/null
		-o APT::Architecture=arm64 -o APT::Architectures::=arm64)
	mkdir -p apt/lists/partial apt/cache/archives/partial debs "$kept" && rm -rf "$sysroot.new" &&
		timeout 200 apt-get "${apt[@]}" -q update &&
		(cd debs && timeout 100 apt-get "${apt[@]}" -q download libdeflate-dev libdeflate0 libffi-dev libffi8) || return
	for package in debs/*.deb; do dpkg -x "$package" "$sysroot.new" || return; done
	mv "$sysroot.new" "$sysroot"
}
if ! test -d "$sysroot"; then
	test "${TRACELAYER_OFFLINE-}" != 1 || { plan $results; skip $results "this machine is offline, and $sysroot is not there"; exit 0; }
	sysroot_make >log 2>&1 || { plan $results; skip $results "this machine gets no packages of arm64: $(tail -n 1 log)"; exit 0; }
fi
plan $results

# The generated sources are those of this machine: tracegen can't run there. They are all of one time, so that make takes none for older than what it is
# made of. What the command alone needs is not there, and not built.
library_build()
{
	local include=$sysroot/usr/include
	mkdir -p build headers && ln -sfn /usr/include/CL /usr/include/level_zero /usr/include/xxhash.h headers/ && cd build &&
		PKG_CONFIG_LIBDIR=$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig PKG_CONFIG_SYSROOT_DIR=$sysroot "$top_srcdir/configure" -q \
			--host=aarch64-linux-gnu CC=aarch64-linux-gnu-gcc CXX=aarch64-linux-gnu-g++ \
			CPPFLAGS="-I$include -I$include/aarch64-linux-gnu -I$tmp/headers" LDFLAGS="-L$sysroot/usr/lib/aarch64-linux-gnu" \
			JANSSON_CFLAGS=' ' JANSSON_LIBS=' ' LIBELF_CFLAGS=' ' LIBELF_LIBS=' ' LIBDW_CFLAGS=' ' LIBDW_LIBS=' ' CHECK_CFLAGS=' ' CHECK_LIBS=' ' \
			ZLIB_CFLAGS=' ' ZLIB_LIBS=' ' SIMDJSON_CFLAGS=' ' SIMDJSON_LIBS=' ' &&
		cp "$top_builddir"/apis/*.{c,h,json,exports,stamp} apis/ && cp -r "$top_builddir/apis/include" apis/ &&
		find apis -type f -exec touch -d "$(date)" {} + && : >tracegen && touch -d 2020-01-01 tracegen &&
		make -s -j2 -o tracegen libtracelayer.la
}
ok "the library is built for aarch64" library_build
like "$(readelf -h "$tmp/build/.libs/libtracelayer.so")" 'Machine: *AArch64' "and is of that machine"
is "$(readelf -d "$tmp/build/.libs/libtracelayer.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^ld-linux' | sort | tr '\n' ' ')" "libc.so.6 " "and needs the C library alone"

count=100
test -z "${STRESS-}" || count=1000
torture_build()
{
	mkdir -p "$tmp/t" && cd "$tmp/t" &&
		"$python" "$here/torture.py" . "${TORTURE_SEED:-7}" $count aarch64 &&
		aarch64-linux-gnu-gcc -O1 -w -Wno-psabi -fexceptions -fPIC -c callee.c caller.c &&
		aarch64-linux-gnu-g++ -O1 -fPIC -c "$here/torture_inside.cc" "$here/torture_main.cc" &&
		aarch64-linux-gnu-g++ -shared -Wl,-soname,libtorture.so -o libtorture.so callee.o torture_inside.o &&
		aarch64-linux-gnu-g++ -o torture caller.o torture_main.o -L. -ltorture -pthread &&
		"$top_builddir/tracegen" interposer --header torture.h --lib ./libtorture.so -o interposer.so -- --target=aarch64-linux-gnu >names.out &&
		sed -n 's/: by name alone.*//p' names.out >names
}
ok "functions of random signatures are made, and an interposer for them" torture_build
cd "$tmp/t" || exit 99
is "$(sed -n '$s/ functions of.*//p' names.out)" $count "which has all of them"

# qemu takes paths below its own root first. Folders of this machine are there, too, in a mount namespace.
root=$tmp/root
mkdir -p "$root"
cp -a /usr/aarch64-linux-gnu/lib "$root/"
outside=$(echo "$tmp" | cut -d/ -f2)
mkdir -p "$root/$outside" "$root/dev" "$root/proc"
emulated() { qemu-aarch64 -L "$root" -E LD_LIBRARY_PATH="$PWD" "$@"; }
# interposed ARGS WAY VARIABLE=VALUE...: recorded, with so much of the arguments.
interposed()
{
	rm -f t.json t.tlt
	unshare -rm bash -c 'for folder in '"$outside"' dev proc; do mount --rbind "/$folder" "$0/$folder" || exit; done; exec "$@"' "$root" \
		timeout 300 qemu-aarch64 -L "$root" -E LD_LIBRARY_PATH="$PWD" -E LD_PRELOAD="$tmp/build/.libs/libtracelayer.so $PWD/interposer.so" \
		-E TRACELAYER_OUTPUT="$PWD/t.json" -E TRACELAYER_ARGS="$1" "${@:3}" ./torture "$2" 2
}
for way in return throw cancel; do
	unwound=1
	test $way = return && unwound=0
	interposed none $way >said 2>&1
	is "$? $(cat said)" "0 " "$way: recorded without arguments, as if nobody were there"
	for args in scalars full; do
		ok "$way: recorded, args $args" interposed $args $way
		ok "$way: each call twice in the trace, with the numbers that it passed (args $args)" "$python" "$here/torture.py" --check . t.json 2 $unwound names
	done
done

# Who called: each function's own caller, up to main and the C library's start. Names are found here, by build ids; that C library lies elsewhere here.
rm -f t.tlt
interposed none return -E TRACELAYER_STACK='*' -E TRACELAYER_OUTPUT="$PWD/t.tlt" >said 2>&1
is "$? $(cat said)" "0 " "recorded with stacks, as if nobody were there"
ok "they are shown by name" "$tracelayer" export t.tlt -o t.folded
# callers FILE: each line's caller of the traced function, beside what calls it in caller.c.
callers()
{
	sed -n 's/^void \(call_[0-9]*\)(void).*/\1/p; s/^static .*void \(call_[0-9]*\)(void).*/\1/p' caller.c | sort >own
	sed 's/ [0-9]*$//' t.folded | awk -F';' '{ print $(NF - 1) }' | sort -u >seen
	wc -l <own
	comm -3 own seen
	sed 's/ [0-9]*$//' t.folded | grep -v '^_start;\([^;]*libc[^;]*;\)\{1,2\}main;call_[0-9]*;[^;]*$' | head -n 5
}
is "$(callers)" $count "each function has its own caller, main and the start before it"

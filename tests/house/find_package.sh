#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs are built against what make install installs, by pkg-config and by CMake's find_package, and run.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
command -v cmake >/dev/null || { echo "Bail out! cmake is missing; ./scripts/install-packages test installs it"; exit 99; }
plan 11

env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$top_builddir" install DESTDIR="$tmp/dest" >"$tmp/make.log" 2>&1 </dev/null
is $? 0 "make install" || diag "$(tail -n 5 "$tmp/make.log")"
libdir=$(dirname "$(find "$tmp/dest" -name libtracelayer.so)")
is "$(readlink "$libdir/libtracelayer.so") $(readlink "$libdir/libtracelayer.so.0")" "libtracelayer.so.0.0.0 libtracelayer.so.0.0.0" "the names that lead to the library"

mkdir "$tmp/source"
echo '#include <tracelayer/tracelayer.h>
int main(void) { return tl_recording() ? 1 : 0; }' >"$tmp/source/layer.c"
echo '#include <tracelayer/xpti.h>
int main(void) { return xptiTraceEnabled() ? 1 : 0; }' >"$tmp/source/xpti.c"
echo '#include <tracelayer/profiler.h>
#include <stdio.h>
int main(void) { return tl_profile_start() == 0 && tl_profile_finish_to(stdout) == 0 ? 0 : 1; }' >"$tmp/source/profiler.c"
cat >"$tmp/source/CMakeLists.txt" <<'END2'
cmake_minimum_required(VERSION 3.18)
project(user C)
find_package(tracelayer 0.9 REQUIRED)
foreach(part layer xpti profiler)
  add_executable(${part} ${part}.c)
endforeach()
target_link_libraries(layer tracelayer::tracelayer)
target_link_libraries(xpti tracelayer::xpti)
target_link_libraries(profiler tracelayer::profiler)
END2

# runs PROGRAM: with the installed library.
runs() { (cd "$tmp" && LD_LIBRARY_PATH=$libdir "$1"); }
for part in layer xpti profiler; do
	package=tracelayer-$part
	test $part = layer && package=tracelayer
	# shellcheck disable=SC2046
	${CC:-cc} -o "$tmp/$part" "$tmp/source/$part.c" \
		$(PKG_CONFIG_PATH=$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp/dest pkg-config --cflags --libs $package) 2>"$tmp/err"
	is $? 0 "pkg-config $package" || diag "$(cat "$tmp/err")"
	ok "its program runs" runs "$tmp/$part"
done
# Moved as a whole.
mv "$tmp/dest" "$tmp/moved"
libdir=${libdir/dest/moved}
cmake -S "$tmp/source" -B "$tmp/cmake" -DCMAKE_C_COMPILER="${CC##* }" -Dtracelayer_DIR="$libdir/cmake/tracelayer" >"$tmp/log" 2>&1 && cmake --build "$tmp/cmake" >>"$tmp/log" 2>&1
is $? 0 "find_package, in a folder that was moved" || diag "$(tail -n 20 "$tmp/log")"
ok "its programs run" eval 'for part in layer xpti profiler; do runs "$tmp/cmake/$part" || exit 1; done'
sed -i 's/tracelayer 0.9 /tracelayer 1.0 /' "$tmp/source/CMakeLists.txt"
cmake -S "$tmp/source" -B "$tmp/newer" -DCMAKE_C_COMPILER="${CC##* }" -Dtracelayer_DIR="$libdir/cmake/tracelayer" >"$tmp/log" 2>&1
is "$?:$(grep -c 'compatible with requested version "1.0"' "$tmp/log")" 1:1 "a newer release than is there is refused"

#!/bin/bash
# SPDX-License-Identifier: MIT
# configure --enable-portable, where a library's archives can't be linked: it says so, and not that the package is missing.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
test -d "$top_srcdir/gen/made" && skip_all "a release's tarball needs no libelf"
real=$(command -v pkg-config) || skip_all "this machine has no pkg-config"
plan 2

# The archive is as Debian 13's: it calls a function that none has.
mkdir "$tmp/build" "$tmp/archive" || exit 99
echo 'extern int eu_none(void); int elf_getdata_rawchunk(void); int elf_getdata_rawchunk(void) { return eu_none(); }' >"$tmp/elf.c"
${CC:-cc} -c -o "$tmp/elf.o" "$tmp/elf.c" && ar rc "$tmp/archive/libelf.a" "$tmp/elf.o" || exit 99
cat >"$tmp/pkg-config" <<END
#!/bin/sh
case "\$*" in
"--static --libs libelf") echo "-L$tmp/archive -lelf" ;;
*) exec "$real" "\$@" ;;
esac
END
chmod +x "$tmp/pkg-config"
source=$(cd "$top_srcdir" && pwd)
cd "$tmp/build" || exit 99
"$source/configure" -q --enable-portable PKG_CONFIG="$tmp/pkg-config" CC="${CC:-cc}" CXX="${CXX:-c++}" >"$tmp/said" 2>&1
is "$? $(grep -c 'configure: error:' "$tmp/said")" "1 1" "configure fails, with one error"
like "$(cat "$tmp/said")" "^configure: error: --enable-portable: the archives of libelf can't be linked \(-L$tmp/archive -l:libelf.a; config.log says why\), as on Debian 13; build on Debian 12, or leave out --enable-portable$" \
	"which says what can't be linked, and what to do"

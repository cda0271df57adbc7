#!/bin/bash
# SPDX-License-Identifier: MIT
# What make install installs works from where it lies, also when it was moved as a whole; make uninstall leaves nothing.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
plan 12

# Another layout than the build was configured for: what the command looks for is relative to itself.
quiet_make() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$top_builddir" "$@" >"$tmp/make.log" 2>&1 </dev/null; }
files() { (cd "$tmp" && find "$@" ! -type d | sort); }

ok "make install DESTDIR" quiet_make install DESTDIR="$tmp/dest"
prefix=$(cd "$tmp/dest" && find . -name bin -type d | head -n 1)
prefix=$tmp/dest/${prefix%/bin}
library=$(find "$prefix" -name libtracelayer.so)
preloaded() { "$1/bin/tracelayer" run -- sh -c 'echo $LD_PRELOAD' 2>/dev/null; }
is "$(readlink -f "$(preloaded "$prefix")")" "$(readlink -f "$library")" "the command finds the library beside it"
mv "$tmp/dest" "$tmp/moved"
like "$(readlink -f "$(preloaded "${prefix/dest/moved}")")" "^$(readlink -f "$tmp")/moved/.*/libtracelayer\.so\.0[.0-9]*$" "and where both were moved"
like "$("${prefix/dest/moved}/bin/tracelayer" summary --help)" "^Usage: tracelayer summary " "the command finds its program that reads traces"
mv "$tmp/moved" "$tmp/dest"
is "$(cd "$prefix" && ls bin | paste -sd' ')" "tracegen tracelayer tracelayer-xpti-bench" "the commands"
is "$(cd "$prefix/share/man" && ls man*/* | grep -c '^man1/tracelayer')" $(($("$tracelayer" --help | grep -c '^  [a-z]') + 2)) "a page for tracelayer, each of its commands, and tracelayer-xpti-bench"
ok "the format's page" test -e "$prefix/share/man/man5/tracelayer-trace.5"
is "$(cd "$prefix/share" && ls bash-completion/completions/tracelayer zsh/site-functions/_tracelayer fish/vendor_completions.d/tracelayer.fish | wc -l)" 3 \
	"what bash, zsh and fish complete"
cat >"$tmp/user.c" <<'END'
#include <tracelayer/api.h>
int main(void) { return TL_LEVEL_NONE; }
END
flags=$(PKG_CONFIG_PATH=$(dirname "$library")/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp/dest pkg-config --cflags --libs tracelayer)
ok "a program is built by what pkg-config says" ${CC:-cc} "$tmp/user.c" $flags -o "$tmp/user"
echo '#include <tracelayer/xpti.h>
int main(void) { return xptiGetDefaultStreamID(); }' >"$tmp/user.c"
${CC:-cc} "$tmp/user.c" $flags -ltracelayer-xptiproxy -o "$tmp/user"
"$tmp/user"; alone=$?
XPTI_FRAMEWORK_DISPATCHER=${library%/*}/libtracelayer-xpti.so "$tmp/user"
is "$alone $?" "255 1" "a program with XPTI's static proxy runs without the dispatcher, and with it"
ok "make uninstall" quiet_make uninstall DESTDIR="$tmp/dest"
is "$(files dest; find "$prefix" -name '*tracelayer*')" "" "nothing is left of it, and no folder of its own"

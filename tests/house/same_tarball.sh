#!/bin/bash
# SPDX-License-Identifier: MIT
# make dist makes the same tarball again, whatever the umask and the files' own times are; make spack has its sum.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
plan 5

name=$(sed -n 's/^AC_INIT(\[\([^]]*\)\], \[\([^]]*\)\].*/\1-\2/p' "$top_srcdir/configure.ac")
# made TARGET: in the build folder. The tarball that a user has made there is as it was afterwards.
made() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top_builddir" "$1" </dev/null >"$tmp/make.log" 2>&1 || { diag "$(tail -n 5 "$tmp/make.log")"; false; }; }
sum() { sha256sum "$1" | cut -d' ' -f1; }
test ! -f "$top_builddir/$name.tar.gz" || mv "$top_builddir/$name.tar.gz" "$tmp/was"
(umask 022 && made dist-gzip)
is $? 0 "make dist-gzip"
mv "$top_builddir/$name.tar.gz" "$tmp/first.tar.gz"
touch "$top_srcdir/LICENSE"
(umask 077 && made spack)
is $? 0 "make spack"
is "$(sum "$top_builddir/$name.tar.gz")" "$(sum "$tmp/first.tar.gz")" "the same tarball, by another umask, with a file that is newer"
is "$(sed -n 's/^    version("[0-9.]*", sha256="\([0-9a-f]*\)")$/\1/p' "$top_builddir/spack/package.py")" "$(sum "$tmp/first.tar.gz")" "the recipe has its sum"
is "$(tar -tvf "$tmp/first.tar.gz" --full-time | awk '{ print $2, $4, $5 }' | sort -u | wc -l)" 1 "one owner and one time for all"
rm -rf "$top_builddir/spack" "$top_builddir/$name.tar.gz"
test ! -f "$tmp/was" || mv "$tmp/was" "$top_builddir/$name.tar.gz"

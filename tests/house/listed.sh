#!/bin/bash
# SPDX-License-Identifier: MIT
# `make dist` packs every file that is in git: a file that no local.mk lists would be missing from a release. Each test is in one list, and can be run.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99

git -C "$top_srcdir" rev-parse --git-dir >/dev/null 2>&1 || skip_all "this machine has the sources without git"
plan 4

here=$(cd "$top_srcdir" && pwd)
(cd "$top_builddir" && printf 'listed:\n\t@echo $(DISTFILES)\n' | env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -f Makefile -f - listed) |
	tr ' ' '\n' | sed "s,^$here/,,; s,^$top_srcdir/,,; s,^\(\.\./\)*,," | sort -u >"$tmp/listed"
ok "make says what it packs" grep -qx tests/house/listed.sh "$tmp/listed"
# Folders are packed whole.
(cd "$top_srcdir" && while read -r name; do test ! -d "$name" || find "$name" -type f; done <"$tmp/listed") >>"$tmp/listed"
git -C "$top_srcdir" ls-files | grep -vxF -f "$tmp/listed" | grep -vE '^(\.ci/|\.git)' >"$tmp/missing"
is "$(cat "$tmp/missing")" "" "every file in git is among them"
for list in check_scripts long_scripts stress_scripts stack_scripts long_stack_scripts deep_scripts deep_stress_scripts package_scripts unit_tests; do
	(cd "$top_builddir" && printf 'listed:\n\t@echo $(%s)\n' $list | env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -f Makefile -f - listed)
done | tr ' ' '\n' | sort | uniq -d >"$tmp/twice"
is "$(cat "$tmp/twice")" "" "and no test is in two lists"
for list in check_scripts long_scripts stress_scripts stack_scripts long_stack_scripts deep_scripts deep_stress_scripts package_scripts; do
	(cd "$top_builddir" && printf 'listed:\n\t@echo $(%s)\n' $list | env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -f Makefile -f - listed)
done | tr ' ' '\n' | while read -r script; do test -x "$top_builddir/$script" || test -x "$top_srcdir/$script" || echo "$script"; done >"$tmp/not"
is "$(cat "$tmp/not")" "" "every test script is executable"

#!/bin/bash
# SPDX-License-Identifier: MIT
# RPM packages: built by Debian's rpmbuild of a release's tarball; installed by rpm in a root with little else, where debian/tests/quickstart makes the
# first trace; and removed, without a trace. Debian has no RPM packages, so rpm is told that what others provide is there.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/root.sh"
need_group=packages
need rpmbuild rpm
# Of Debian's packages those whose libraries the RPM packages need, and what the first trace needs.
root_make rpm clpeak gcc libc6-dev libze-dev pocl-opencl-icd libclang1-14 libdeflate0 libdw1 libelf1 libjansson4 libopen-trace-format2-10 libsqlite3-0 zlib1g
plan 15

name=$(distribution_name)
ok "make distdir" distribution "$tmp/$name" || exit 1
tar -C "$tmp" -czf "$tmp/$name.tar.gz" "$name"
compile_once
# Its dependencies for the build have Fedora's names.
rpmbuild -ta --nodeps --define "_topdir $tmp/rpm" --define "_smp_mflags -j$(nproc)" "$tmp/$name.tar.gz" >"$tmp/log" 2>&1 </dev/null
is $? 0 "rpmbuild" || { diag "$(tail -n 20 "$tmp/log")"; exit 1; }
is "$(grep -c '^warning:' "$tmp/log")" 0 "without a warning" || diag "$(grep -A3 '^warning:' "$tmp/log")"
mkdir "$tmp/packages"
cp "$tmp"/rpm/RPMS/*/*.rpm "$tmp/packages/" && rm -f "$tmp"/packages/*-debug*.rpm
packages=$(cd "$tmp/packages" && ls | sed 's/-[0-9].*//' | paste -sd' ')
is "$packages" "tracelayer tracelayer-devel tracelayer-libs tracelayer-tools" "the packages"
is "$(ls "$tmp"/rpm/SRPMS/*.src.rpm | wc -l)" 1 "and the source's"

# rpm_in OPTION…: rpm, with the packages of the root. From outside: there is no rpm in it.
rpm_in() { with_root rpm --root "$root" "$@"; }
ok "rpm has a list of packages" rpm_in --initdb
root_state >"$tmp/before"
# Whatever else they ask for is Debian's business.
is "$(rpm_in -i --test "$tmp"/packages/*.rpm 2>&1 | grep 'is needed by' | grep '^[[:space:]]*\(lib\)\?tracelayer')" "" "each finds what it needs of the others"
is "$(rpm_in -i --test "$tmp"/packages/tracelayer-[0-9]*.rpm 2>&1 | grep 'is needed by' | grep -c '^[[:space:]]*\(lib\)\?tracelayer')" 2 "the command asks for its library's package"
ok "they are installed" rpm_in -i --nodeps "$tmp"/packages/*.rpm
inside ldconfig
is "$(rpm_in -Va --nodeps 2>&1)" "" "every file is as it was packed"
mkdir "$root/try/sources" && cp -R "$top_srcdir"/{debian,include,layer,format,common,gen,tests} "$root/try/sources/"
inside_folder=/try/sources
inside 'mkdir /try/traces && AUTOPKGTEST_TMP=/try/traces sh debian/tests/quickstart' >"$tmp/log" 2>&1
is $? 0 "the first trace" || diag "$(tail -n 20 "$tmp/log")"
like "$(cat "$tmp/log")" '^clEnqueueNDRangeKernel ' "its summary has OpenCL's calls"
is "$(inside 'tracegen --version; tracelayer --version' 2>&1 | grep -c "${name#tracelayer-}")" 2 "both commands run"
# shellcheck disable=SC2086
ok "they are removed" rpm_in -e $packages
inside ldconfig
root_state >"$tmp/after"
# Folders that are other packages' where there are RPM packages; and rpm's list.
is "$(diff "$tmp/before" "$tmp/after" | grep '^[<>]' | grep -vE '^> d .*/(pkgconfig|licenses) $|/\.rpmdb/')" "" "nothing is left of them"

#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's packages: built of a release's tarball, without a word of lintian's; installed in a root with little else, by autopkgtest, which runs debian/tests
# there; and purged, without a trace.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/root.sh"
need_group=packages
for tool in dpkg-buildpackage:dpkg-dev dh:debhelper lintian:lintian autopkgtest:autopkgtest; do need "${tool%:*}" "${tool#*:}"; done

# What the tests of the packages need, and not the packages themselves.
mapfile -t others < <(sed -n 's/^Depends: //p' "$top_srcdir/debian/tests/control" | tr -d ' ' | tr ',' '\n' | grep -v tracelayer | sort -u)
# And what autopkgtest installs; sensible-utils, since apt keeps that for other packages.
root_make deb "${others[@]}" apt-utils dpkg-dev sensible-utils
plan 10

source=$tmp/deb/$(distribution_name)
mkdir "$tmp/deb"
ok "make distdir" distribution "$source" || exit 1
compile_once
(cd "$source" && dpkg-buildpackage -b -us -uc -j"$(nproc)") >"$tmp/log" 2>&1 </dev/null
is $? 0 "dpkg-buildpackage" || { diag "$(tail -n 20 "$tmp/log")"; exit 1; }
changes=$(ls "$tmp"/deb/*.changes)
is "$(cd "$tmp/deb" && ls ./*.deb | sed 's,^\./,,; s/_.*//' | sort | paste -sd' ')" "libtracelayer-dev libtracelayer0 libtracelayer0-dbgsym tracelayer tracelayer-dbgsym tracelayer-doc tracelayer-tools tracelayer-tools-dbgsym" "the packages"
lintian --allow-root --fail-on error,warning --tag-display-limit 0 \
	--suppress-tags bad-distribution-in-changes-file,initial-upload-closes-no-bugs "$changes" >"$tmp/lintian" 2>&1
is "$? $(grep '^[EW]:' "$tmp/lintian")" "0 " "lintian finds neither errors nor warnings"
rm -f "$tmp"/deb/*-dbgsym_*.deb

cp /etc/resolv.conf "$root/etc/"
with_root chroot "$root" apt-get -q update >"$tmp/log" 2>&1 || diag "$(tail -n 3 "$tmp/log")"
root_state >"$tmp/before"
# Its programs are built by the compiler of the root, whatever this build has.
with_root env -u CC -u CXX TMPDIR=/tmp autopkgtest --no-built-binaries "$tmp"/deb/*.deb "$source/" -- chroot "$root" >"$tmp/autopkgtest" 2>&1
is $? 0 "autopkgtest" || diag "$(tail -n 40 "$tmp/autopkgtest")"
for name in quickstart build; do
	like "$(cat "$tmp/autopkgtest")" "^$name  *PASS" "its test $name"
done
mkdir "$root/try/debs" && cp "$tmp"/deb/*.deb "$root/try/debs/"
inside 'apt-get -qq -y --no-install-recommends install /try/debs/*.deb' >"$tmp/log" 2>&1
is $? 0 "all of the packages can be there together" || diag "$(tail -n 5 "$tmp/log")"
inside 'apt-get -qq -y purge "*tracelayer*" && apt-get -qq -y autoremove --purge' >"$tmp/log" 2>&1
is $? 0 "they are purged" || diag "$(tail -n 5 "$tmp/log")"
root_state >"$tmp/after"
# Of what is new, files of Debian's packages that apt keeps, for those that others recommend, are not ours.
cat "$root"/var/lib/dpkg/info/*.list | sort -u >"$tmp/owned"
diff "$tmp/before" "$tmp/after" | awk 'NR == FNR { owned[$1] = 1; next }
	/^[<>]/ { path = $2 ~ /^[0-9]+$/ ? "/" $4 : substr($5, 2); if (!(path in owned) && !(substr(path, 5) in owned) && (path !~ "^/var/lib/dpkg/(info|alternatives)/" || path ~ /tracelayer/)) print }' "$tmp/owned" - >"$tmp/left"
is "$(cat "$tmp/left")" "" "nothing is left of them"

#!/bin/bash
# SPDX-License-Identifier: MIT
# The version has one place, AC_INIT in configure.ac. What is generated takes it from there; here is that all other files agree.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
plan 8

version=$(sed -n 's/^AC_INIT(\[tracelayer\], \[\(.*\)\])$/\1/p' "$top_srcdir/configure.ac")
like "$version" '^[0-9]+\.[0-9]+\.[0-9]+$' "configure.ac has a version"
is "$("$tracelayer" --version | head -n 1)" "tracelayer $version" "tracelayer --version"
is "$(sed -n 's/^Version: //p' "$top_builddir"/tracelayer{,-xpti,-profiler}.pc | sort -u)" "$version" "pkg-config's files"
# The newest release comes first in each of these.
is "$(sed -n '/^## /{s/^## \([^ ,]*\).*/\1/p;q}' "$top_srcdir/CHANGELOG.md")" "$version" "CHANGELOG.md"
is "$(sed -n '1s/^tracelayer (\(.*\)-[0-9]*) .*/\1/p' "$top_srcdir/debian/changelog")" "$version" "debian/changelog"
is "$(sed -n 's/^Version: //p' "$top_srcdir/packaging/tracelayer.spec") $(sed -n '/^%changelog/,$s/^\* .* - \(.*\)-[0-9]*$/\1/p' "$top_srcdir/packaging/tracelayer.spec" | head -n 1)" \
	"$version $version" "the RPM spec, and its %changelog"
is "$(sed -n 's/^ *version("\([^"]*\)".*/\1/p' "$top_srcdir/packaging/spack/package.py" | head -n 1)" "$version" "Spack's recipe"
ok "a .tlt file of this release is kept for later ones" test -s "$top_srcdir/tests/house/stability/$version.tlt.gz"

# SPDX-License-Identifier: MIT
# root.sh: sourced after stack.sh by tests that need a root of its own: Debian's packages in a folder, entered by chroot. mmdebstrap makes it once, and it
# is kept for the next run.
need mmdebstrap mmdebstrap
test "$(id -u)" = 0 || skip_all "this machine's user may not change the root"
unshare --mount true 2>/dev/null || skip_all "this machine allows no mount namespaces"

# root_make NAME [PACKAGE…]: $root becomes a root with these packages and what they need; its folder /try is the user's home. $root_suite is the release of
# Debian; unset: this machine's.
root_make()
{
	local suite made name=$1 packages; shift
	suite=${root_suite:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
	packages=$(test $# = 0 || printf '%s,' "$@")
	made=$kept/root-$name-$suite-$(echo "$packages" | cksum | cut -d' ' -f1).tar
	mkdir -p "$kept"
	if ! test -f "$made"; then
		test "${TRACELAYER_OFFLINE-}" != 1 || skip_all "this machine is offline, and has not made a root for $name before"
		mmdebstrap --quiet --variant=minbase ${packages:+--include="${packages%,}"} "$suite" "${made%.tar}.$$.tar" >"$tmp/mmdebstrap.log" 2>&1 &&
			mv "${made%.tar}.$$.tar" "$made" ||
			{ rm -f "${made%.tar}.$$.tar"; diag "$(tail -n 5 "$tmp/mmdebstrap.log")"; skip_all "mmdebstrap makes no root, as where this machine reaches no archive"; }
	fi
	root=$tmp/root
	mkdir "$root" && tar -xf "$made" -C "$root" --exclude='./dev/*' && mkdir "$root/try" || exit 99
}

# with_root COMMAND…: runs it outside, with /proc, /sys and /dev in place there.
with_root()
{
	unshare --mount sh -c 'mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" && mount -t tmpfs tmpfs "$1/dev/shm" && shift && exec "$@"' \
		sh "$root" "$@" </dev/null
}

# inside COMMAND: runs it with sh in the root, in $inside_folder there.
inside()
{
	with_root chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/try LC_ALL=C DEBIAN_FRONTEND=noninteractive \
		sh -c "cd ${inside_folder:-/try} && $1"
}

# root_state: a line for each thing in the root: its kind, mode, owner, name, and where a link leads or the sum of a file's content. Without /try, which is
# the test's, and the package managers' own lists, caches and logs.
root_state()
{
	(cd "$root" && find . -xdev \( -path ./try -o -path ./proc -o -path ./sys -o -path ./dev -o -path ./var/cache -o -path ./var/log -o -path ./var/lib/apt \
		-o -path './var/lib/dpkg/*-old' -o -path ./var/lib/dpkg/status -o -path './var/lib/dpkg/lock*' -o -path ./var/lib/dpkg/triggers -o -path ./var/lib/rpm \
		-o -path ./etc/ld.so.cache \) -prune -o -printf '%y %m %U:%G %p %l\n' | sort
	find etc usr var/lib opt home root run -xdev -type f ! -path 'var/lib/apt/*' ! -path 'var/lib/dpkg/*' ! -path 'var/lib/rpm/*' ! -path etc/ld.so.cache \
		-print0 | sort -z | xargs -0 cksum)
}

# distribution FOLDER: the sources as a release's tarball has them.
distribution() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top_builddir" distdir distdir="$1" </dev/null >"$tmp/make.log" 2>&1 || { diag "$(tail -n 5 "$tmp/make.log")"; false; }; }
distribution_name() { sed -n 's/^AC_INIT(\[\([^]]*\)\], \[\([^]]*\)\].*/\1-\2/p' "$top_srcdir/configure.ac"; }

# compile_once: a later run compiles what has changed since, where ccache is there. Each run builds in another folder.
compile_once()
{
	test -d /usr/lib/ccache || return 0
	export PATH=/usr/lib/ccache:$PATH CCACHE_DIR=$kept/ccache CCACHE_MAXSIZE=500M CCACHE_BASEDIR=$tmp CCACHE_NOHASHDIR=1
}

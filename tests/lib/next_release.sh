# SPDX-License-Identifier: MIT
# next_release.sh: sourced by tests that need packages of Debian's next release. They are unpacked in a folder of their own, and lie over the installed files
# in a mount that only the given command sees.
installed=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
case $installed in
trixie) next=forky ;;
*) next=trixie ;;
esac

# next_apt FOLDER: apt's files for that release are made there. Then `apt-get "${next_options[@]}"` has its newest index, and takes no package for installed.
next_apt()
{
	local apt=$1 archive
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/packages" || return
	# shellcheck disable=SC2016
	archive=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' | awk -v installed="$installed" '$2 == installed { print $1; exit }')
	test -n "$archive" || { echo "apt knows no archive of $installed"; return 1; }
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $next main" >"$apt/sources.list"
	: >"$apt/status"
	next_options=(-qq -y -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State="$apt" -o Dir::State::status="$apt/status"
		-o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root -o Debug::NoLocking=1
		-o Acquire::Check-Valid-Until=false) # a mirror may be behind: a release in the making is valid for a week
	apt-get "${next_options[@]}" update
}

# over FROM THERE COMMAND…: with the files of the folder FROM in the place of those of the same names in THERE.
over()
{
	# shellcheck disable=SC2016
	unshare -rm sh -ec 'from=$1 there=$2; shift 2
		mount -t overlay -o "lowerdir=$from:$there" overlay "$there"
		exec "$@"' - "$@"
}

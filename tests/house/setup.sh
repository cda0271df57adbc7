#!/bin/bash
# SPDX-License-Identifier: MIT
# If scripts/install-packages may not install, it says what is missing; and it names everything that configure asks for.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
plan 11

script=$top_srcdir/scripts/install-packages
list=$(sh "$script" --list)
stubs=$tmp/stubs
mkdir "$stubs"
for tool in sh awk sed cat wc mktemp rm tail env; do ln -s "$(command -v $tool)" "$stubs/$tool"; done
stub() { printf '#!/bin/sh\n%s\n' "$2" >"$stubs/$1"; chmod +x "$stubs/$1"; }
with_stubs() { PATH=$stubs "$stubs/sh" "$script" "$@"; }

stub id 'echo 1000'
out=$(with_stubs build 2>&1); code=$?
like "$code $out" '^1 install-packages: this is no Debian' "elsewhere than on Debian: exit 1"
is "$(printf '%s\n' "$out" | sed -n 's/^  //p')" "$(printf '%s\n' "$list" | awk '$1 == "build" { print $2 }')" "and the packages"

stub dpkg-query 'case $* in *libelf-dev*|*check*) exit 1;; esac; printf "installed installed "'
is "$(with_stubs build 2>&1; echo $?)" "install-packages: packages are missing, and only root may install them; as root, run
  apt-get install libelf-dev check
1" "a user who may not install is told what is missing"
stub id 'echo 0'
stub apt-get 'echo "$@" >>'"$tmp"'/apt; exit 0'
with_stubs build >/dev/null 2>&1; is $? 0 "root: exit 0"
is "$(cat "$tmp/apt")" "-qq -y --no-install-recommends install libelf-dev check" "and just these are installed"
stub apt-get 'echo no space; exit 100'
like "$(with_stubs build 2>&1; echo $?)" '^install-packages: apt-get could not install libelf-dev check' "where that fails, it is said"
stub dpkg-query 'printf "installed "'
like "$(with_stubs build)" '^All [0-9]+ packages are installed' "with nothing missing, nothing is done"

# The large group is for who asks for it.
rm -f "$tmp/apt"
stub dpkg-query 'exit 1'
stub apt-get 'echo "$@" >>'"$tmp"'/apt; exit 0'
with_stubs >/dev/null 2>&1
is "$(tr ' ' '\n' <"$tmp/apt" | sed '1,/^install$/d' | sort)" "$(printf '%s\n' "$list" | awk '$1 == "build" || $1 == "demo" || $1 == "test" { print $2 }' | sort)" \
	"without a group: the groups build, demo and test"
is "$(with_stubs wrong 2>&1; echo $?)" "install-packages: wrong: no such group; use build, demo, test, stacks, packages or bench
2" "a group that there is not gives a one-line error"

# What configure tells the user to install stands in the list.
unlisted=
for package in opencl-c-headers check $(grep -oE '\blib[a-z0-9-]+-dev\b' "$top_srcdir/configure.ac" | sort -u); do
	printf '%s\n' "$list" | cut -f2 | grep -qx "$package" || unlisted="$unlisted $package"
done
is "$unlisted" "" "every package that configure asks for is in the list"

# What scripts/check tries is installed for it, and not for the stacks alone.
is "$(awk '/^check / { print "test " $3 } /^stacks / { print "stacks " $3 }' "$top_srcdir/tests/gen/libraries.list" | sort -u | while read -r group package; do
	printf '%s\n' "$list" | awk -v group="$group" -v package="$package" '$2 == package && ($1 == group || $1 == "build" || $1 == "test") { found = 1 }
		END { if (!found) print package }'
done)" "" "the headers of each library in libraries.list come with the check that tries it"

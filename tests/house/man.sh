#!/bin/bash
# SPDX-License-Identifier: MIT
# Manual pages: mandoc finds nothing wrong with them, lexgrog finds what whatis and apropos show, and what they show reads well.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
for tool in mandoc lexgrog; do
	command -v $tool >/dev/null || { echo "Bail out! $tool is missing; ./scripts/install-packages test installs mandoc and man-db"; exit 99; }
done
pages=("$top_srcdir"/doc/*.[1-8] "$top_builddir"/doc/tracelayer-run.1)
plan 7

ok "there are pages" test "${#pages[@]}" -gt 20
is "$(mandoc -T lint -W warning "${pages[@]}" 2>&1)" "" "mandoc has no warning"
is "$(for page in "${pages[@]}"; do name=${page##*/}; lexgrog "$page" | grep -q "\"${name%.*} - " || echo "$page: $(lexgrog "$page")"; done)" "" \
	"each page says in a line what it is about, under its own name"
# What a page shows as one quotation has no other in it (".Ql a , Ql b"), and ".Nm" in tracelayer-run(1) is no command.
wrong()
{
	local -x LC_ALL=C.UTF-8
	for page; do
		mandoc -T utf8 "$page" | col -b | tr -s ' \t\n' ' ' | grep -oE "‘[^’]*‘[^’]*’|tracelayer-[a-z]+ run" | sed "s,^,${page##*/}: ,"
	done
}
is "$(wrong "${pages[@]}")" "" "no quotation within another, no command that there is not"
synopsis=$(sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/s/^\.Cm //p' "$top_srcdir/doc/tracelayer.1" | tr -s ' |' '\n')
is "$("$tracelayer" --complete | cut -f1 | while read -r command; do printf '%s\n' "$synopsis" | grep -qx -- "$command" || echo "$command"; done)" "" \
	"tracelayer(1) has every command in its synopsis"
# A page that is wrong is found.
printf '.Dd November 26, 2026\n.Dt X 1\n.Os\n.Sh NAME\n.Nm tracelayer-x\n.Nd y\n.Sh DESCRIPTION\n.Pq Ql a , Ql b\n.Nm\n.Cm run\n' >"$tmp/x.1"
is "$(wrong "$tmp/x.1")" "x.1: ‘a, ‘b’
x.1: tracelayer-x run" "and a quotation within another is found"
printf '.Dd November 26, 2026\n.Dt X 1\n.Os\n.Sh NAME\n.Nm x\n.Nd y\n.Sh SEE ALSO\n.Xr x 1\n' >"$tmp/x.1"
like "$(mandoc -T lint -W warning "$tmp/x.1")" 'cross reference to self' "and mandoc has one for a page that refers to itself"

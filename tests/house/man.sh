#!/bin/bash
# SPDX-License-Identifier: MIT
# Manual pages: mandoc finds nothing wrong with them, and lexgrog finds what whatis and apropos show.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
for tool in mandoc lexgrog; do
	command -v $tool >/dev/null || { echo "Bail out! $tool is missing; ./scripts/install-packages test installs mandoc and man-db"; exit 99; }
done
pages=("$top_srcdir"/doc/*.[1-8] "$top_builddir"/doc/tracelayer-run.1)
plan 4

ok "there are pages" test "${#pages[@]}" -gt 20
is "$(mandoc -T lint -W warning "${pages[@]}" 2>&1)" "" "mandoc has no warning"
is "$(for page in "${pages[@]}"; do name=${page##*/}; lexgrog "$page" | grep -q "\"${name%.*} - " || echo "$page: $(lexgrog "$page")"; done)" "" \
	"each page says in a line what it is about, under its own name"
# A page that is wrong is found.
printf '.Dd November 26, 2026\n.Dt X 1\n.Os\n.Sh NAME\n.Nm x\n.Nd y\n.Sh SEE ALSO\n.Xr x 1\n' >"$tmp/x.1"
like "$(mandoc -T lint -W warning "$tmp/x.1")" 'cross reference to self' "and mandoc has one for a page that refers to itself"

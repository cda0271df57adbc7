#!/bin/bash
# SPDX-License-Identifier: MIT
# The manual pages are sound. They, doc/settings.md and --help agree on the settings. README.md
# is short, and the links of all pages lead somewhere.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command

pages="$top_srcdir/doc/tracelayer.1 $top_srcdir/doc/tracelayer-pause.1 $top_srcdir/doc/tracelayer-phases.1 $top_srcdir/doc/tracelayer-recover.1 $top_srcdir/doc/tracelayer-diff.1 $top_srcdir/doc/tracelayer-report.1 $top_srcdir/doc/tracelayer-view.1 $top_srcdir/doc/tracelayer-export.1 $top_srcdir/doc/tracelayer-record.5 $top_srcdir/doc/tracelayer-summary.1 $top_srcdir/doc/tracelayer-trace.5 $top_srcdir/doc/tracelayer-tools.7 $top_srcdir/doc/tracelayer-layers.7 $top_srcdir/doc/tracelayer-contexts.7 $top_srcdir/doc/tracelayer-profiler.7 $top_srcdir/doc/tracelayer-profile.1 $top_srcdir/doc/tracelayer-apis.1 $top_srcdir/doc/tracelayer-xpti.7 $top_srcdir/doc/tracelayer-nntrace.7 $top_srcdir/doc/tracelayer-descriptor.5 $top_srcdir/doc/tracegen.1 $top_builddir/doc/tracelayer-run.1"
commands=$("$tracelayer" --help | sed -n 's/^  \([a-z]\+\) .*/\1/p')
plan $(($(echo $pages $commands | wc -w) + 6))

# By groff itself, 80 columns wide: where a system was made small, as Ubuntu's images are, `man` shows no pages. groff 1.23
# warns of each line that is one word too long to be spread.
command -v groff >/dev/null || { echo "Bail out! groff is missing; ./scripts/install-packages test installs groff-base"; exit 99; }
for page in $pages; do
	is "$(groff -w mac -K utf8 -t -mandoc -T utf8 -rLL=80n -P-cbou "$page" 2>&1 >"$tmp/$(basename "$page").txt" | grep -v ' warning .*: cannot adjust line$')" "" \
		"$(basename "$page"): no warning"
done

# The settings' own table, as the source has it.
"$top_builddir/settings_doc" markdown >"$tmp/table"
ok "the table is not empty" grep -q '`TRACELAYER_OUTPUT`' "$tmp/table"
is "$(sed -n '/^| option of/,/^$/{/^|/p}' "$top_srcdir/doc/settings.md")" "$(cat "$tmp/table")" "doc/settings.md has the same table"
is "$(grep -o 'TRACELAYER_[A-Z_]*' "$tmp/tracelayer-run.1.txt" | sort -u | grep -vx 'TRACELAYER_\(CHECKED\|REPORT\|STEP\|STEP_AGAIN\|\)')" \
	"$(grep -o 'TRACELAYER_[A-Z_]*' "$tmp/table" | sort -u)" "the page has its variables, and no others"
options() { grep -oE -e '--[a-z]+(-[a-z]+)*' | sort -u; }
is "$("$tracelayer" run --help | grep -E '^ +(-., +)?--' | options)" \
	"$({ cut -d'|' -f2 "$tmp/table"; echo "--ring --lib --header --api --pkg --cflags --quiet --mpi --config --show-settings --help --usage --version"; } | options)" "--help has its options, and no others"

# Every command that there is has a page. A line may end at the hyphen, or within a word.
sed -z 's/-\n */-/g; s/‐\n *//g' "$tmp/tracelayer.1.txt" >"$tmp/named"
for command in $commands; do
	ok "tracelayer $command has a page" grep -q "tracelayer-$command" "$tmp/named"
done

# ---- the pages in Markdown
ok "README.md has at most 200 lines" test "$(wc -l <"$top_srcdir/README.md")" -le 200
broken=
for page in README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md $(cd "$top_srcdir" && echo doc/*.md); do
	for link in $(grep -o '](\([^)#]*\)' "$top_srcdir/$page" | sed 's/^](//' | grep -v '^http'); do
		test -e "$top_srcdir/$(dirname "$page")/$link" || broken="$broken $page:$link"
	done
done
is "$broken" "" "the links in README.md, CONTRIBUTING.md and doc/*.md lead to files"

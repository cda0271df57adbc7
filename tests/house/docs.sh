#!/bin/bash
# SPDX-License-Identifier: MIT
# The manual pages are sound, and they, README.md and --help say the same of the settings.
. "${top_srcdir:-.}/tests/lib/lib.sh"
need_command

pages="$top_srcdir/doc/tracelayer.1 $top_srcdir/doc/tracelayer-pause.1 $top_srcdir/doc/tracelayer-phases.1 $top_srcdir/doc/tracelayer-recover.1 $top_srcdir/doc/tracelayer-export.1 $top_srcdir/doc/tracelayer-record.5 $top_srcdir/doc/tracelayer-summary.1 $top_srcdir/doc/tracelayer-trace.5 $top_srcdir/doc/tracelayer-tools.7 $top_srcdir/doc/tracelayer-layers.7 $top_srcdir/doc/tracelayer-contexts.7 $top_srcdir/doc/tracelayer-profiler.7 $top_srcdir/doc/tracelayer-profile.1 $top_srcdir/doc/tracelayer-xpti.7 $top_srcdir/doc/tracelayer-nntrace.7 $top_builddir/doc/tracelayer-run.1"
commands=$("$tracelayer" --help | sed -n 's/^  \([a-z]\+\) .*/\1/p')
plan $(($(echo $pages $commands | wc -w) + 4))

for page in $pages; do
	is "$(man --warnings -E UTF-8 -l "$page" 2>&1 >"$tmp/$(basename "$page").txt")" "" "$(basename "$page"): no warning"
done

# The settings' own table, as the source has it.
"$top_builddir/settings_doc" markdown >"$tmp/table"
ok "the table is not empty" grep -q '`TRACELAYER_OUTPUT`' "$tmp/table"
is "$(grep -Fxc -f "$tmp/table" "$top_srcdir/README.md")" "$(wc -l <"$tmp/table")" "README.md has each of its lines"
is "$(grep -o 'TRACELAYER_[A-Z_]*' "$tmp/tracelayer-run.1.txt" | sort -u | grep -vx 'TRACELAYER_\(CHECKED\|REPORT\|\)')" \
	"$(grep -o 'TRACELAYER_[A-Z_]*' "$tmp/table" | sort -u)" "the page has its variables, and no others"
options() { grep -oE -e '--[a-z]+(-[a-z]+)*' | sort -u; }
is "$("$tracelayer" run --help | grep -E '^ +(-., +)?--' | options)" \
	"$({ cut -d'|' -f2 "$tmp/table"; echo "--ring --help --usage --version"; } | options)" "--help has its options, and no others"

# Every command that there is has a page.
for command in $commands; do
	ok "tracelayer $command has a page" grep -q "tracelayer-$command" "$tmp/tracelayer.1.txt"
done

#!/bin/bash
# SPDX-License-Identifier: MIT
# The benchmarks run through, and each prints all its rows. What they measure here means nothing.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
plan 6

BENCH_SHORT=1 BENCH_PARTS="$(cd "$top_srcdir" && echo bench/call.sh bench/generic.sh bench/start.sh bench/encode.sh bench/phases.sh bench/profiler.sh)" \
	timeout 100 bash "$top_srcdir/bench/bench" >"$tmp/out" 2>"$tmp/err"
is $? 0 "the benchmarks run through"
is "$(cat "$tmp/err")" "" "and complain of nothing"
nok "no row has failed" grep -n 'failed' "$tmp/out"
# A ratio, or a difference, and its spread. A small difference may come out negative.
row='^  [^ ].* +-?[0-9]+\.[0-9]{2,3}   '
# A library that is not here takes a row with it, and a tracer two.
rows=$((70 + ($(nproc) > 1) - $(grep -c ': not here$' "$tmp/out") - 2 * $(grep -c 'trace is not here' "$tmp/out")))
is "$(grep -cE "$row" "$tmp/out")" $rows "every row is there"
ok "the date, the machine and the compiler are there" grep -qE "^tracelayer bench, $(date -u +%Y)-[0-9-]+$" "$tmp/out"

# The parts run only programs that make bench builds, and none that only make check builds.
needed=$(make -C "$top_builddir" -pn bench 2>/dev/null | sed -n 's/^bench: //p')
missing=$(cd "$top_srcdir/bench" && find . -name '*.sh' ! -name bench_test.sh -exec grep -oh '\$top_builddir/[^" )]*' bench {} + | sed -e 's,\$top_builddir/,,' -e 's,\.libs/\(.*\)\.so$,\1.la,' | sort -u |
	while read -r file; do
		case " $needed libtracelayer.la libtracelayer-annotations.la tracelayer tracelayer-xpti-bench .libs " in *" $file "*) ;; *) echo "$file" ;; esac
	done)
is "$missing" "" "whatever they run is built before them"

# SPDX-License-Identifier: MIT
# report.sh: what `tracelayer report` takes for a million calls, of all of them, of a part, and with stacks. A part of bench/bench.
report_calls=1000000
test -z "$short" || report_calls=20000

# report_row TEXT TRACE OPTION...: a row in seconds, with the page's size.
report_row()
{
	local text=$1 trace=$2 used size
	shift 2
	for _ in 1 2 3; do
		used=$(spent "$top_builddir/tracelayer" report -f "$@" "$work/$trace" -o "$work/page.html")
		echo "${used% *}" | awk '{ print $1 / 1e9, 1 }'
	done >"$work/rows"
	size=$(stat -c %s "$work/page.html" 2>>"$work/errors") || : >"$work/rows"
	ratio_row "$text" "$work/rows" "s; $report_calls calls, ${size:-0} bytes, ${used#* } KB of memory"
	rm -f "$work/page.html"
}

section "tracelayer report of .tlt: seconds for a page of a million calls, wanted: 3 or less, and 25 MB"
output=$work/report.tlt traced TRACELAYER_ARGS=scalars "$top_builddir/bench_call" four 1 "$report_calls" >/dev/null
output=$work/stacks.tlt traced TRACELAYER_ARGS=scalars TRACELAYER_STACK='*' "$top_builddir/bench_call" four 1 "$report_calls" >/dev/null
report_row "all of it" report.tlt
report_row "with stacks" stacks.tlt
report_row "a selection that has all of it" report.tlt --time=0:
report_row "a selection that has a tenth of a millisecond" report.tlt --time=1ms:1.1ms
rm -f "$work/report.tlt" "$work/stacks.tlt"

# SPDX-License-Identifier: MIT
# xpti.sh: the XPTI dispatcher beside the original, libxptifw.so, which comes with SYCL's runtime. A part of bench/bench.

section "XPTI dispatchers: what the original takes ÷ what ours takes (ns, ours)"
xpti_original=${XPTIFW:-$(ls -d "${XDG_CACHE_HOME:-$HOME/.cache}"/tracelayer-stacks/sycl-*/lib/libxptifw.so.1 2>/dev/null | tail -n 1)}
if test -n "$xpti_original"; then
	for _ in $(seq "$rounds"); do
		"$top_builddir/tracelayer-xpti-bench" -r 1 ${short:+-t 100} --against "$xpti_original" 2>>"$work/errors"
	done >"$work/xpti"
	xpti_row()
	{
		awk -v threads="$1" -v name="$2" '/^serial/ { now = 0 } /^[0-9]+ threads/ { now = $1 } /^events per second/ { now = -1 }
			now == threads && index($0, name) == 1 && substr($0, length(name) + 1, 1) == " " {
				n = split(substr($0, length(name) + 1), v, " "); print v[threads ? 3 : 2], v[1] }' "$work/xpti" >"$work/rows"
		awk '{ print $2, $1 }' "$work/rows" >"$work/ours"
		local spread ours
		spread=$(awk '$2 > 0 { print $1 / $2 }' "$work/rows" | quartiles)
		ours=$(awk '{ print $1 }' "$work/ours" | quartiles | awk '{ print $2 }')
		test -n "$spread" || { printf '  %-58s  failed\n' "$2"; return; }
		# shellcheck disable=SC2086
		test "$1" = 0 && set -- "$2, serially" $spread "$ours" || set -- "$2, $1 threads" $spread "$ours"
		printf '  %-58s %7.2f   %6.2f .. %-6.2f  (%.4g ns)\n' "$1" "$3" "$2" "$4" "$5"
	}
	for xpti_threads in 0 2; do
		for xpti_test in "string insert" "string lookup" "string insert+lookup" "trace point create" "trace point re-create" \
			"trace point lookup by uid" "notify, tracing off" "bare notify, 1 callback" "bare notify, 4 callbacks" "composite, tracing off" \
			"composite, tracing on"; do
			xpti_row $xpti_threads "$xpti_test"
		done
	done
else
	note "the original is not here: ./scripts/check stacks keeps it with SYCL's runtime; or name it, XPTIFW=.../libxptifw.so"
fi

# SPDX-License-Identifier: MIT
# xpti.sh: the XPTI dispatcher beside the original, libxptifw.so, which comes with SYCL's runtime. A part of bench/bench.

section "XPTI dispatchers: what the original takes ÷ what ours takes (ns, ours)"
xpti_original=${XPTIFW:-$(ls -d "${XDG_CACHE_HOME:-$HOME/.cache}"/tracelayer-stacks/sycl-*/lib/libxptifw.so.1 2>/dev/null | tail -n 1)}
if test -n "$xpti_original"; then
	# Functions that return at once, in a library as dispatchers are: what calls by pointers take, whatever is called.
	sed -e '/^#/d' -e 's/.*/int &(void) { return 0; }/' "$top_srcdir/xpti/dispatcher/exports" >"$work/empty.c"
	${CC:-cc} -w -O2 -shared -fPIC "$work/empty.c" -o "$work/empty.so" 2>>"$work/errors" || note "there is no compiler: a row is missing"
	for _ in $(seq "$rounds"); do
		"$top_builddir/tracelayer-xpti-bench" -r 1 ${short:+-t 100} --against "$xpti_original" \
			$(test -e "$work/empty.so" && echo --against "$work/empty.so") 2>>"$work/errors"
	done >"$work/xpti"
	# xpti_row THREADS NAME [LABEL OF BY]: the column OF ÷ the column BY, which are the original and ours.
	xpti_row()
	{
		local of=${4:-2} by=${5:-1} label=${3:-$2}
		awk -v threads="$1" -v name="$2" -v of="$of" -v by="$by" 'function column(library) { return library == 1 ? 1 : (threads ? 3 : 2) * (library - 1) }
			/^serial/ { now = 0 } /^[0-9]+ threads/ { now = $1 } /^events per second/ { now = -1 }
			now == threads && index($0, name) == 1 && substr($0, length(name) + 1, 1) == " " {
				n = split(substr($0, length(name) + 1), v, " "); print v[column(of)], v[column(by)] }' "$work/xpti" >"$work/rows"
		awk '{ print $2, $1 }' "$work/rows" >"$work/ours"
		local spread ours
		spread=$(awk '$2 > 0 { print $1 / $2 }' "$work/rows" | quartiles)
		ours=$(awk '{ print $1 }' "$work/ours" | quartiles | awk '{ print $2 }')
		test -n "$spread" || { printf '  %-58s  failed\n' "$label"; return; }
		# shellcheck disable=SC2086
		test "$1" = 0 && set -- "$label, serially" $spread "$ours" || set -- "$label, $1 threads" $spread "$ours"
		printf '  %-58s %7.2f   %6.2f .. %-6.2f  (%.4g ns)\n' "$1" "$3" "$2" "$4" "$5"
	}
	for xpti_threads in 0 2; do
		for xpti_test in "string insert" "string lookup" "string insert+lookup" "trace point create" "trace point re-create" \
			"trace point lookup by uid" "notify, tracing off" "bare notify, 1 callback" "bare notify, 4 callbacks" "composite, tracing off" \
			"composite, tracing on"; do
			xpti_row $xpti_threads "$xpti_test"
			case $xpti_test in
			"string lookup" | "notify, tracing off")
				! test -e "$work/empty.so" || xpti_row $xpti_threads "$xpti_test" "the most: ÷ functions that return at once" 2 3 ;;
			esac
		done
	done
else
	note "the original is not here: ./scripts/check stacks keeps it with SYCL's runtime; or name it, XPTIFW=.../libxptifw.so"
fi

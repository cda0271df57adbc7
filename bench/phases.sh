# SPDX-License-Identifier: MIT
# phases.sh: how fast tracelayer phases reads a systrace, on one core. A part of bench/bench.
#
# The trace has 200 runs among other programs' rows; one row in eight is of interest. It is compared with grep, which looks for the marks once
# and does nothing with them; tracelayer phases reads everything twice.

phases_bytes=1000000000 phases_runs=200
test -z "$short" || phases_bytes=4000000
"$top_builddir/bench_phases_trace" "$phases_bytes" "$phases_runs" >"$work/systrace"

# cpu_time COMMAND...: nanoseconds of processor time for a byte of the trace.
cpu_time()
{
	local TIMEFORMAT='%U %S'
	{ time taskset -c "$phases_core" "$@" "$work/systrace" >"$work/phases.printed" 2>"$work/phases.said"; } 2>&1 |
		awk -v bytes="$(stat -c %s "$work/systrace")" '{ printf "%.4f", ($1 + $2) * 1e9 / bytes }'
}

phases_core=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
for _ in $(seq "$rounds"); do
	echo "$(cpu_time "$top_builddir/tracelayer" phases) $(cpu_time grep -cF '[NN_')" >>"$work/phases.rows"
done

section "Timing statistics of a systrace of $((phases_bytes / 1000000)) MB and $phases_runs runs, processor time for a byte ÷ grep's"
ratio_row "tracelayer phases" "$work/phases.rows" \
	"ns: $(awk '{ print 1e3 / $1 }' "$work/phases.rows" | quartiles | awk '{ printf "%.0f", $2 }') MB/s; wanted: 200 or more"
rm -f "$work/systrace"

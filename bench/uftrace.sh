# uftrace.sh: the same calls to a shared library, recorded by uftrace, which takes them in the program's PLT. A part of bench/bench.

uftrace_part()
{
	local shape who
	$CC -std=gnu11 -D_GNU_SOURCE -O2 -DBENCH_BY_POINTER -I"$top_srcdir" -I"$top_srcdir/include" "$top_srcdir/bench/bench_call.c" \
		"$top_srcdir/bench/harness.c" -o "$work/uftrace_call" -L"$top_builddir/.libs" -lbench_callee \
		-Wl,-z,lazy,-rpath,"$top_builddir/.libs" || { note "it does not build"; return; }
	for _ in $(seq "$rounds"); do
		for shape in $(shuffled none four); do
			for who in $(shuffled ours uftrace); do
				uftrace_run $who "$shape" >"$work/uftrace.$who" 2>>"$work/uftrace.log"
			done
			# Each in multiples of its own process's floor.
			paste -d' ' "$work/uftrace.uftrace" "$work/uftrace.ours" |
				awk 'NF == 6 { print $3 / $2, $6 / $5 }' >>"$work/uftrace.rows.$shape"
		done
	done
	ratio_row "no arguments" "$work/uftrace.rows.none" "floors; wanted: 6 or more"
	ratio_row "4 scalar arguments (uftrace keeps none)" "$work/uftrace.rows.four" "floors; wanted: 6 or more"
	uftrace report -d "$work/uftrace.data" 2>/dev/null | grep -q bench_ || note "uftrace has recorded nothing: its rows mean nothing"
	export_row "uftrace dump --chrome, a call's two events ÷ our JSON" 2 uftrace dump --chrome -d "$work/uftrace.data"
}

uftrace_run()
{
	case $1 in
	ours) traced TRACELAYER_ARGS=scalars "$top_builddir/bench_call" "$2" $call_turns $call_count ;;
	uftrace) rm -rf "$work/uftrace.data" && uftrace record --force --no-event --no-pager -d "$work/uftrace.data" \
		"$work/uftrace_call" "$2" $call_turns $call_count ;;
	esac
}

section "uftrace ÷ ours"
if command -v uftrace >/dev/null; then
	uftrace_part
else
	note "uftrace is not here: apt-get install uftrace"
fi

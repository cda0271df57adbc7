# SPDX-License-Identifier: MIT
# uftrace.sh: the same calls to a shared library, recorded by uftrace, which takes them in the program's PLT. A part of bench/bench.

uftrace_part()
{
	plt_call_build || return
	against_peer uftrace
	ratio_row "no arguments" "$work/uftrace.rows.none" "floors; wanted: 6 or more"
	ratio_row "4 scalar arguments (uftrace keeps none)" "$work/uftrace.rows.four" "floors; wanted: 6 or more"
	uftrace report -d "$work/uftrace.data" 2>/dev/null | grep -q bench_ || note "uftrace has recorded nothing: its rows mean nothing"
	export_row "uftrace dump --chrome, a call's two events ÷ our JSON" 2 uftrace dump --chrome -d "$work/uftrace.data"
}

uftrace_run()
{
	rm -rf "$work/uftrace.data" && uftrace record --force --no-event --no-pager -d "$work/uftrace.data" \
		"$work/plt_call" "$1" "$call_turns" "$call_count"
}

section "uftrace ÷ ours"
if command -v uftrace >/dev/null; then
	uftrace_part
else
	note "uftrace is not here: apt-get install uftrace"
fi

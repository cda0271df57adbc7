# SPDX-License-Identifier: MIT
# generic.sh: what a call through the generic entry costs: an interposer that tracegen has written without a compiler, beside compiled shims
# of the same functions. A part of bench/bench.
#
# Each configuration is one process of bench_call; a ratio is between two of the same round, each in multiples of its own floor.

generic_interposer=$work/interposer.so
"$top_builddir/tracegen" interposer --model "$top_builddir/bench/bench_model.json" --lib "$top_builddir/.libs/libbench_callee.so" \
	-o "$generic_interposer" >/dev/null

# generic_run SHIMS ARGS SHAPE: "bare floor row"
generic_run()
{
	local shims=$top_builddir/.libs/libbench_shims.so setting=TRACELAYER_ARGS=$2
	test "$1" = compiled || shims=$generic_interposer
	test "$2" != unwatched || setting=TRACELAYER_LEVEL=none
	env LD_PRELOAD="$layer:$shims" TRACELAYER_OUTPUT=/dev/null "$setting" "$top_builddir/bench_call" "$3" $call_turns $call_count
}

generic_rows="unwatched:four scalars:none scalars:one scalars:four full:pointer"
for _ in $(seq "$rounds"); do
	for row in $(shuffled $generic_rows); do
		for who in $(shuffled compiled generic); do
			generic_run "$who" "${row%:*}" "${row#*:}" >"$work/generic.$who" 2>>"$work/generic.log"
		done
		paste -d' ' "$work/generic.generic" "$work/generic.compiled" |
			awk -v unwatched="${row%%:*}" 'NF == 6 { if (unwatched == "unwatched") print $3 - $1, 1; else print $3 / $2, $6 / $5 }' \
				>>"$work/generic.rows.$row"
	done
done

section "A call through the generic entry, nobody watching, less the bare call"
ratio_row "4 scalar arguments" "$work/generic.rows.unwatched:four" "ns; wanted: 2 or less"
section "A recorded call through the generic entry ÷ the same through a compiled shim, both in floors"
ratio_row "no arguments" "$work/generic.rows.scalars:none" "floors; wanted: 1.25 or less"
ratio_row "1 scalar argument" "$work/generic.rows.scalars:one" "floors; wanted: 1.25 or less"
ratio_row "4 scalar arguments" "$work/generic.rows.scalars:four" "floors; wanted: 1.25 or less"
ratio_row "2 arguments, one a pointer that is followed (args full)" "$work/generic.rows.full:pointer" "floors; wanted: 1.25 or less"

# Other tracers of any library's functions: generic_peer PEER SHAPE prints "bare floor row" of the same calls, taken in the program's PLT.
generic_peer()
{
	case $1 in
	# uftrace writes files; it follows no pointer.
	uftrace) uftrace record --force --no-event --no-pager -d "$work/generic.uftrace" "$work/plt_call" "$2" $call_turns $call_count ;;
	# Each call stops the program twice. It prints the arguments, as numbers.
	ltrace) ltrace -e 'bench_*' -o /dev/null "$work/plt_call" "$2" first $call_count ;;
	esac
	rm -rf "$work/generic.uftrace"
}

# generic_peer_rows PEER
generic_peer_rows()
{
	local shape
	command -v "$1" >/dev/null || { note "$1 is not here: apt-get install $1"; return; }
	for _ in $(seq "$rounds"); do
		for shape in none four; do
			generic_peer "$1" "$shape" >"$work/generic.peer" 2>>"$work/generic.log"
			generic_run generic scalars "$shape" >"$work/generic.generic" 2>>"$work/generic.log"
			paste -d' ' "$work/generic.peer" "$work/generic.generic" | awk 'NF == 6 { print $3 / $2, $6 / $5 }' >>"$work/generic.rows.$1.$shape"
		done
	done
	ratio_row "$1, no arguments" "$work/generic.rows.$1.none" floors
	ratio_row "$1, 4 scalar arguments" "$work/generic.rows.$1.four" floors
}

section "Other tracers of any library ÷ a recorded call through the generic entry, both in floors"
if plt_call_build; then
	generic_peer_rows uftrace
	generic_peer_rows ltrace
fi

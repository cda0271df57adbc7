# SPDX-License-Identifier: MIT
# zel_doors.sh: what zel_preload.sh and zel_layer.sh share; they define door, which runs a program behind their door. The programs' own
# results are renumbered into one list.

apps=$top_builddir/tests/apps

# part NAME COMMAND…: its results, under that name. One that dies, or says nothing, fails by that.
part()
{
	local name=$1; shift
	door timeout 120 "$@" >"$tmp/part" 2>"$tmp/part.err"
	local status=$?
	while read -r line; do
		case $line in
		"ok "*) pass "$name: ${line#ok * - }" ;;
		"not ok "*) fail "$name: ${line#not ok * - }" ;;
		"1.."*) ;;
		*) diag "${line#\# }" ;;
		esac
	done <"$tmp/part"
	is "$status $(grep -cE '^(not )?ok ' "$tmp/part")" "0 $(sed -n 's/^1\.\.//p' "$tmp/part")" "$name: it ends well, having shown all" ||
		diag "$(tail -n 5 "$tmp/part.err")"
}

part "contract" "$apps/zel_contract"
TRACELAYER_NESTED=0 part "without nested calls" "$apps/zel_contract"
part "each function" "$apps/zel_every"

died=0
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	door timeout 60 "$apps/zel_contract" exit >"$tmp/out" 2>&1 || died=$((died + 1))
done
is "$died" 0 "threads that still call while the process ends get through, 20 times"
plan "$_count"

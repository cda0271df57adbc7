# SPDX-License-Identifier: MIT
# encode.sh: how fast records become JSON and .pftrace, and how large events are. A part of bench/bench.

encode_turns=15
test -z "$short" || encode_turns=1

# encode_run SHAPE.FORMAT[@disk]
encode_run()
{
	local shape=${1%%.*} format=${1#*.} file=/dev/null turns=$encode_turns
	case $format in
	*@disk) format=${format%@disk} file=$work/encoded ;;
	*.gz | *.zlib | *.libdeflate) turns=$(((encode_turns + 4) / 5)) ;;
	esac
	"$top_builddir/bench_encode" "$shape" "$format" "$file" $turns >>"$work/encode.$1"
}

for _ in $(seq "$rounds"); do
	for name in $(shuffled none.json four.json four.json@disk four.json.gz four.json.libdeflate four.json.zlib none.pftrace four.pftrace); do
		encode_run "$name"
	done
done

# encode_row TEXT NAME [WANTED]
encode_row()
{
	local rate
	rate=$(awk '{ print 1e3 / $1 }' "$work/encode.$2" | quartiles | awk '{ printf "%.1f", $2 }')
	ratio_row "$1" "$work/encode.$2" "ns: $rate million events/s${3:+; wanted: $3 or more}"
}

# size_row TEXT SHAPE BYTES-IN-MEMORY: as a real process leaves them, to its end.
size_row()
{
	local calls=100000 events json gz
	output=$work/size.json traced "$top_builddir/bench_call" "$2" 1 $calls >"$work/rows"
	output=$work/size.json.gz traced "$top_builddir/bench_call" "$2" 1 $calls >"$work/rows"
	events=$(grep -c '"ph":"X"' "$work/size.json")
	json=$(stat -c %s "$work/size.json")
	gz=$(stat -c %s "$work/size.json.gz")
	awk -v text="$1" -v n="$events" -v m="$3" -v j="$json" -v z="$gz" 'BEGIN {
		printf "  %-58s %7.2f   gz %.2f  (%d, %.1f, %.1f bytes)\n", text, j / n / m, z / n / m, m, j / n, z / n }'
	rm -f "$work/size.json" "$work/size.json.gz"
}

# pftrace_row TEXT SHAPE: the same in .pftrace.
pftrace_row()
{
	local calls=100000 ending
	for ending in json json.gz pftrace pftrace.gz; do
		output=$work/size.$ending traced "$top_builddir/bench_call" "$2" 1 $calls >"$work/rows"
	done
	(cd "$work" && stat -c %s size.json size.json.gz size.pftrace size.pftrace.gz && grep -c '"ph":"X"' size.json) | xargs |
		awk -v text="$1" '{ printf "  %-58s %7.2f   gz %.2f  (%.1f, %.1f bytes)\n", text, $3 / $1, $4 / $2, $3 / $5, $4 / $5 }'
	rm -f "$work"/size.*
}

section "Encoding an event as Chrome JSON, one core, into /dev/null where nothing else is said ÷ the floor"
encode_row "no arguments" none.json
encode_row "4 scalar arguments" four.json 8
encode_row "4 scalar arguments, into a file ($(stat -f -c %T "$work"))" four.json@disk
encode_row "4 scalar arguments, .json.gz" four.json.gz 4
for peer in libdeflate zlib; do
	if test -s "$work/encode.four.json.$peer"; then
		encode_row "the same, compressed by $peer at level 1" "four.json.$peer"
	else
		note "$peer: not here"
	fi
done
section "Encoding an event as .pftrace into /dev/null, one core ÷ the floor"
encode_row "no arguments" none.pftrace
encode_row "4 scalar arguments" four.pftrace
section "An event in JSON ÷ in memory"
size_row "no arguments" none 32
size_row "4 scalar arguments" four 64
section "An event in .pftrace ÷ in JSON"
pftrace_row "no arguments" none
pftrace_row "4 scalar arguments" four

#!/bin/bash
# SPDX-License-Identifier: MIT
# Tables on a terminal: on 80 columns no row is longer; titles are bold and failures red, unless NO_COLOR is set or the terminal is dumb; a file or a
# pipe gets neither.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
need_library
plan 16
cd "$tmp" || exit 99

"$tracelayer" run --quiet -o t.tlt -- "$top_builddir/tests/apps/cl_device" >/dev/null 2>&1
"$tracelayer" run --quiet -o u.tlt -- "$top_builddir/tests/apps/cl_device" >/dev/null 2>&1

# terminal COLUMNS COMMAND: what the command prints on a terminal of so many columns, in `shown`, and without colours in `plain`.
terminal()
{
	TERM=${TERM_WANTED-xterm} script -qec "stty cols $1; $2" /dev/null </dev/null | tr -d '\r' >shown
	sed 's/\x1b\[[0-9;]*m//g' shown >plain
}
# fits WHAT COMMAND: on 80 columns no row is longer. There are rows.
fits()
{
	terminal 80 "$2"
	is "$(awk 'length($0) > 80' plain) $(test "$(wc -l <plain)" -gt 2; echo $?)" " 0" "$1: on 80 columns no row is longer"
}
summary="'$tracelayer' summary"
for by in function thread queue process; do
	fits "summary --by=$by" "$summary --by=$by t.tlt"
done
fits "diff" "'$tracelayer' diff t.tlt u.tlt"
fits "apis" "'$tracelayer' apis"
terminal 80 "$summary --table=queues t.tlt"
like "$(head -n 3 plain | tail -n 1)" "^queue .* idle mostly for *$" "what a queue waited for stays"
terminal 80 "$summary --table=transfers t.tlt"
like "$(head -n 3 plain | tail -n 1)" " bandwidth *$" "and the bandwidth of a transfer"
terminal 40 "$summary --table=calls t.tlt"
like "$(head -n 3 plain | tail -n 1)" "^function +calls" "on 40 columns a name and a number are left"
terminal 300 "$summary t.tlt"
is "$(cat plain)" "$("$tracelayer" summary t.tlt)" "on a wide terminal all is there, as in a file"

bold=$(printf '\033[1m') red=$(printf '\033[31m') plain=$(printf '\033[m')
like "$(grep -cF "$bold" shown)" '^[1-9]' "titles are bold"
is "$(grep -F "$red" shown | grep -cF "$plain")" "$("$tracelayer" summary --csv --table=calls t.tlt | tr -d '\r' | awk -F, 'NR > 1 && $3 > 0 { n++ } END { print n + 0 }')" \
	"failures are red, and nothing else of such rows"
NO_COLOR=1 terminal 300 "$summary t.tlt"
same shown plain "NO_COLOR: no colours"
TERM_WANTED=dumb terminal 300 "$summary t.tlt"
same shown plain "a dumb terminal: none"
"$tracelayer" summary t.tlt >shown
is "$(grep -c "$(printf '\033')" shown)" 0 "in a file: none"
NO_COLOR='' terminal 300 "$summary t.tlt"
like "$(grep -cF "$bold" shown)" '^[1-9]' "an empty NO_COLOR is none"

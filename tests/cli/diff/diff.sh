#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer diff: two traces of known calls against a count of all pairs (diff_traces.py), every kind of input, the conditions of --fail-if, and two runs of a real
# program.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
need_command
need_library
plan 45

cd "$tmp" || exit 99
compare() { "$tracelayer" diff "$@"; }
"$python" "$top_srcdir/tests/cli/diff/diff_traces.py" . || exit 99

# ---- the numbers and the verdicts
is "$(compare --csv a.json b.json | tr -d '\r' | "$python" "$top_srcdir/tests/cli/diff/diff.py" want.csv)" "compared 12" \
	"calls, totals, medians, the chance that B's call is longer, and the verdict are those of all pairs"
compare a.json b.json >text
is $? 0 "a difference alone is no failure"
is "$(head -n 1 text)" "host calls: 12 functions, 2 slower, 1 faster, 1 new, 1 gone" "the heading counts the verdicts"
is "$(awk '$1 == "slower" || $1 == "faster" { print $1, $NF }' text)" "slower slower
faster faster" "each row ends with its verdict"
like "$(grep onlyInA text)" ' 10 +0 .* - +- +gone$' "what B lacks has no median there"
is "$(sed -n '4p' text | cut -d' ' -f1)" longTail "rows are sorted by how much their totals differ"
is "$(compare --changed --csv a.json b.json | tr -d '\r' | sed 1d | cut -d, -f1 | sort | tr '\n' ' ')" "faster fiveOfEach onlyInA onlyInB slower " "--changed has only rows that differ"
is "$(compare --name='once,same*' --csv a.json b.json | sed 1d | cut -d, -f1 | sort | tr '\n' ' ')" "once sameNarrow sameWide " "--name selects by globs"
is "$(compare --json a.json b.json | "$python" -c 'import json, sys
rows = json.load(sys.stdin)["tables"][0]["rows"]
print([(row["failed_a"], row["failed_b"], row["verdict"]) for row in rows if row["name"] == "slower"])')" "[(0, 5, 'slower')]" "--json has failures, too"
is "$(compare a.json a.json | sed -n 1p)" "host calls: 11 functions, all alike" "a trace is like itself"
is "$(compare --csv a.json a.json | tr -d '\r' | sed 1d | cut -d, -f8,11 | sort -u)" "0,0.000000" "with no difference"
is "$(compare --csv b.json a.json | tr -d '\r' | awk -F, '$1 == "slower" { print $NF } $1 == "onlyInA" { print $NF }' | sort | tr '\n' ' ')" "faster new " "and the other way round the opposite"

# ---- a narrow terminal
if script -qec true /dev/null >/dev/null 2>&1; then
	NO_COLOR=1 script -qec "stty cols 80; '$tracelayer' diff a.json b.json" /dev/null | tr -d '\r' >narrow
	is "$(awk 'length($0) > 80' narrow)" "" "on 80 columns no row is longer"
	like "$(sed -n 3p narrow)" '^Name .*Total B-A +Median A +Median B +Change  B is$' "columns that can be spared are left out"
	NO_COLOR=1 script -qec "stty cols 200; '$tracelayer' diff a.json b.json" /dev/null | tr -d '\r' >wide
	like "$(sed -n 3p wide)" 'Calls A +Calls B +Total A +Total B +Total B-A' "a wide one has all"
else
	skip 3 "this machine has no script(1)"
fi

# ---- kinds of input
"$tracelayer" summary --save=a.sum a.json >said || cat said
is "$? $(head -c 5 a.sum) $(stat -c %s a.sum | awk '{ print ($1 < 10000) }')" "0 tlsum 1" "summary --save writes a small file"
is "$(compare --csv a.sum b.json | sha256sum)" "$(compare --csv a.json b.json | sha256sum)" "which stands for its trace"
is "$("$tracelayer" summary --save=a.sum b.json 2>&1 >/dev/null)" "tracelayer: a.sum: that name is taken; written to a.1.sum (-f overwrites)" "it is not overwritten"
is "$(compare --csv a.json a.1.sum | sha256sum)" "$(compare --csv a.json b.json | sha256sum)" "but gets a number"
"$tracelayer" summary --save=a.1.sum --force a.json >/dev/null
is "$(compare a.sum a.1.sum | sed -n 1p)" "host calls: 11 functions, all alike" "unless --force is given"
gzip -k b.json
is "$(compare --csv a.sum b.json.gz | sha256sum)" "$(compare --csv a.json b.json | sha256sum)" "a compressed trace does as well"
is "$(compare --csv a.sum - <b.json | sha256sum)" "$(compare --csv a.json b.json | sha256sum)" "and standard input"
"$tracelayer" summary --save=nowhere/a.sum a.json >/dev/null 2>said
is "$? $(cat said)" "1 tracelayer: --save=nowhere/a.sum: its folder is not there; give another place" "a sum that can't be written is said"

# ---- conditions
condition() { compare a.json b.json --name='*' --table=calls "$@" >/dev/null 2>said; echo "$? $(cat said)"; }
is "$(condition --fail-if 'slower.median > +50%')" "0 " "a condition that does not hold says nothing"
like "$(condition --fail-if 'slower.median > +5%')" "^1 tracelayer: --fail-if 'slower.median > \+5%': slower: median was [0-9.]+ us and is [0-9.]+ us \(\+[23][0-9]\.[0-9] %\)$" \
	"one that holds is a line, and exit code 1"
is "$(condition --fail-if 's*.median > +5%' | wc -l)" 2 "globs: a line for each name"
like "$(condition --fail-if 'slowerLess*.median>5%')" '^1 .*, not more than the times vary$' "the line says where it is noise"
is "$(condition --beyond-noise --fail-if 'slowerLess*.median > +5%')" "0 " "--beyond-noise leaves that out"
like "$(condition --beyond-noise --fail-if 'slower.median > +5%')" '^1 ' "but not what is more"
like "$(condition --fail-if 'faster.calls >= +400')" '^1 .*: faster: calls was 500 and is 900 \(\+80\.0 %\)$' "numbers"
is "$(condition --fail-if 'faster.calls > +400')" "0 " "a comparison means what it says"
like "$(condition --fail-if 'longTail.total > +299ms')" '^1 ' "a time"
is "$(condition --fail-if 'longTail.total > +0.301s')" "0 " "and its unit"
like "$(condition --fail-if 'slower.failed > 0')" '^1 .*: failed was 0 and is 5$' "failures"
like "$(condition --fail-if 'onlyInA.calls < -10%')" '^1 .*: calls was 10 and is 0 \(-100\.0 %\)$' "what is gone"
like "$(condition --fail-if 'onlyInB.calls > +10%')" '^1 .*: calls was 0 and is 10$' "what is new"
is "$(condition --fail-if 'onlyInB.median > +10%')" "0 " "has no median to compare with"
like "$(condition --fail-if 'nothing.median > +5%')" "^2 .*neither trace has such a name; the condition could never hold$" "a condition on nothing is a mistake"
wrong() { compare a.json b.json --fail-if "$1" 2>&1 >/dev/null | sed -n "1s/.*': //p"; }
is "$(wrong 'median > 5%'; wrong 'a.most > 5%'; wrong 'a.median'; wrong 'a.median > x'; wrong 'a.median > 5 pounds'; wrong 'a.median > 5'; wrong 'a.calls > 5ms'; wrong 'a.median > 5us'; wrong 'a.calls >= 10')" \
	"it does not say what to compare; give NAME.median, say
there is no such figure to compare; give calls, failed, total, mean, median, p99, min, max or bytes
no comparison; give NAME.median > +5%, say
no amount; give a change, such as +5%, +100us or +10
unknown unit; give %, ns, us, ms, s or none
a time changes by a share or a time, such as +5% or +100us
a number changes by a share or a number, such as +5% or +10
a change needs its sign, such as +100us or +10: how much more B has than A
a change needs its sign, such as +100us or +10: how much more B has than A" "a condition that can't be read is said to be wrong, and how"

# ---- bad input
is "$(compare a.json 2>&1 >/dev/null | head -n 1)" "tracelayer diff: give two traces, A and B" "one trace is too few"
head -c 200 a.sum >short.sum
is "$(compare short.sum a.json 2>&1; echo $?)" "tracelayer: short.sum: it is cut short; make the sum again with \`tracelayer summary --save\`
1" "a sum that is cut short"
is "$(compare none.json a.json 2>&1 | wc -l)" 1 "a trace that is not there"

# ---- a real program
traced() { "$tracelayer" run --quiet -o "$1" -- "${@:2}" >/dev/null 2>&1; }
traced one.tlt clinfo && traced two.tlt clinfo && traced list.tlt clinfo -l || diag "clinfo failed"
is "$(compare --csv --table=calls one.tlt two.tlt | tr -d '\r' | sed 1d | awk -F, '$2 != $3')" "" "clinfo twice: the same calls"
like "$(compare --fail-if '*.calls < 0' one.tlt list.tlt 2>&1 >/dev/null)" 'clGetDeviceInfo: calls was [0-9]+ and is [0-9]+ \(-[0-9.]+ %\)' "clinfo -l asks less"
"$tracelayer" run --quiet --job="$tmp/J" -- clinfo >/dev/null 2>&1
is "$(compare --csv --table=calls one.tlt J | tr -d '\r' | sed 1d | awk -F, '$2 != $3')" "" "the folder of a job is a trace, too"

#!/bin/bash
# tracelayer phases: the cases of tests/nnapi/, and everything around them: where a trace comes from, what is said, and what it costs.
. "${top_srcdir:-.}/tests/lib.sh"
need_command

cases=$(cd "$top_srcdir/tests/nnapi" && ls | grep -v README)
plan $(($(echo "$cases" | wc -l)))

# section CASE NAME
section() { awk -v name="$2" '/^== / { on = $2 == name; next } on' "$top_srcdir/tests/nnapi/$1"; }
phases() { timeout 60 "$tracelayer" phases "$@" 2>"$tmp/said"; }

# What is wrong with a form of a case, if anything.
form() # CASE FORM EXIT [OPTION]
{
	section "$1" "$2" >"$tmp/expected"
	phases ${4:+"$4"} "$tmp/trace" >"$tmp/printed"
	test $? = "$3" || echo "$2: the exit code"
	cmp "$tmp/expected" "$tmp/printed" 2>&1 || diff "$tmp/expected" "$tmp/printed" | head -n 20
	section "$1" said >"$tmp/expected"
	test ! -s "$tmp/expected" || grep -Eqf "$tmp/expected" "$tmp/said" || { echo "said:"; cat "$tmp/said"; }
}

for case in $cases; do
	code=$(sed -n 's/^== exit //p' "$top_srcdir/tests/nnapi/$case")
	section "$case" trace >"$tmp/trace"
	wrong=
	if test "$code" = 1; then
		for option in '' --total-times --per-execution; do
			wrong=$wrong$(form "$case" text 1 $option)
		done
		phases --json "$tmp/trace" >"$tmp/printed"
		wrong=$wrong$(python3 -m json.tool "$tmp/printed" 2>&1 >/dev/null)
	else
		wrong=$(form "$case" text "${code:-0}"; form "$case" total-times "${code:-0}" --total-times
			form "$case" per-execution "${code:-0}" --per-execution; form "$case" json "${code:-0}" --json)
	fi
	is "$wrong" "" "$case"
done

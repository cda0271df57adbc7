#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer summary of .tlt files, and of JSON with more than a million events, sums up as it reads: what it prints is what --exact prints,
# percentiles to 1.6 % where there are more than a million events, and takes no memory for a call.
# The short form shows most of it for fewer traces, and by a command that was built to sum up from a 32nd of that number on (tests/cli/local.mk), STRESS=1 by the users' own.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
plan 43

random() { "$python" "$top_srcdir/tests/cli/summary/summary_device.py" "$@"; }
flat() { "$python" "$top_srcdir/tests/cli/summary/summary_flat.py" "$@"; }

few=$top_builddir/tests/cli/summary/small_tracelayer copies=80 times=160 plain=33200 members=32 long=plain seeds="1 2"
test -z "${STRESS:-}" || seeds="1 2 3" few=$tracelayer copies=2500 times=5100 plain=1060000 members=1 long=more

for seed in $seeds; do
	mkdir "$tmp/$seed"
	random make "$tmp/$seed" "$seed" && flat make "$tmp/$seed" "$seed" || exit 99
done
in_all()	# BY FILE…
{
	local seed by=$1 files=()
	shift
	for seed in $seeds; do
		files+=(-- "${@/#/$tmp/$seed/}")
	done
	flat compare "$tracelayer" "$by" "${files[@]}"
}

# --- calls, devices, queues and what they waited for
for by in function thread process request queue; do
	ok "every row by $by is that of --exact" in_all $by 100.tlt 200.tlt
	ok "and with the program's own events and marks" in_all $by 100.own.tlt 200.own.tlt
done

# --- a part of it
for part in "--name=call_1*,write*,layer" "--time=0.000001-0.000004" "--failed" "--longer-than=200ns" "--thread=101,queue*"; do
	ok "$part: every row is that of --exact" in_all "process $part" 100.own.tlt 200.own.tlt
done
of_one() { "$tracelayer" summary --table=calls --thread=101 "$@" "$tmp/1/100.own.tlt" | sed -n '1s/.*, on //p'; }
is "$(of_one) $(of_one --exact)" "1 thread 1 thread" "the heading counts the threads of what is selected"

# --- many stretches of time
flat large "$tmp/1" $copies || exit 99
ok "more commands than are looked up at once" flat compare "$few" function "$tmp/1/large.tlt"
ok "by queue, too" flat compare "$few" queue "$tmp/1/large.tlt"

# --- memory
test $copies = 2500 || flat large "$tmp/1" 2500 || exit 99
ok "a hundred thousand calls and commands take little more memory than a few" flat memory "$tracelayer" "$tmp/1/100.tlt" "$tmp/1/large.tlt" 32768

# --- damage
head -c $(($(stat -c %s "$tmp/1/100.tlt") / 2)) "$tmp/1/100.tlt" >"$tmp/1/cut.tlt"
ok "a file that was cut: the same rows, message and exit code" flat compare "$tracelayer" function "$tmp/1/cut.tlt"

# --- standard input
flat_csv=$("$tracelayer" summary --csv "$tmp/1/100.tlt")
is "$("$tracelayer" summary --csv - <"$tmp/1/100.tlt")" "$flat_csv" "a file as standard input"
is "$(cat "$tmp/1/100.tlt" | "$tracelayer" summary --csv -)" "$flat_csv" "a pipe"
is "$(cat "$tmp/1/100.tlt" | "$tracelayer" summary --csv --exact - | wc -l)" "$("$tracelayer" summary --csv --exact "$tmp/1/100.tlt" | wc -l)" "a pipe, each call kept"
is "$( (printf trace; sleep 0.1) | "$tracelayer" summary - 2>&1)" "tracelayer: standard input:1: not a trace; give a .json, .json.gz, .pftrace, .sqlite or .tlt trace, as \`tracelayer run\` writes it" \
	"one that ends before it says what it is"

# --- JSON with more than a million events
json=$tmp/1
flat json "$json" $times $plain $members || exit 99
ok "they are summed up: more of them take little more memory" flat memory "$few" "$json/late.json.gz" "$json/plain.json.gz" 8192
for by in function thread process request queue; do
	ok "JSON by $by: every row is that of --exact" flat compare "$few" $by "$json/large.json"
done
for part in "--time=0.000001-0.002" "--thread=101,queue*" "--failed"; do
	ok "JSON, $part: every row is that of --exact" flat compare "$few" "function $part" "$json/large.json"
done
for file in late mixed; do
	ok "device work after a million calls ($file)" flat compare "$few" function "$json/$file.json.gz"
	ok "and a part of it" flat compare "$few" "process --time=0-0.0001" "$json/$file.json.gz"
done
json_csv=$("$few" summary --csv "$json/mixed.json.gz")
is "$(cat "$json/mixed.json.gz" | "$few" summary --csv -)" "$json_csv" "a pipe, which can't be read again"
"$few" summary --exact --save="$tmp/exact.sum" "$json/large.json" >/dev/null 2>&1
is "$("$few" diff "$tmp/exact.sum" "$json/large.json" | grep -c 'all alike$')" 5 "diff makes the same sum of it"
ok "several files, one of them in the record format" flat compare "$few" process "$json/large.json" "$json/200.own.tlt"
ok "more than a million plain events: every row is that of --exact" flat compare "$tracelayer" function "$json/plain.json.gz"
ok "five million events take little more memory than one million" flat memory "$tracelayer" "$json/plain.json.gz" "$json/more.json.gz" 8192
head -c $(($(stat -c %s "$json/$long.json.gz") / 2)) "$json/$long.json.gz" >"$tmp/cut.json.gz"
ok "JSON that was cut: the same rows, message and exit code" flat compare "$few" function "$tmp/cut.json.gz"

#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer export: a .tlt file becomes the file that its process would have written. Of a cut or damaged file, the sound part is exported.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
plan 85

maker=$top_builddir/trace_maker
ok "a file by the contract" "$maker" "$tmp/t.tlt" "$tmp/expected.json" 3 40 300

run() { "$tracelayer" export -f "$@" 2>"$tmp/said"; }
said() { cat "$tmp/said"; }
size=$(stat -c %s "$tmp/t.tlt")

# --- whole
run "$tmp/t.tlt" -o "$tmp/t.json"
is $? 0 "a whole file: exit code 0"
is "$(said)" "" "and nothing is said"
ok "its JSON is what the encoder makes of it in one go" cmp "$tmp/t.json" "$tmp/expected.json"
ok "which is a trace as every viewer wants it" "$python" "$top_srcdir/tests/lib/check_trace.py" --total 36160 --lanes 4 "$tmp/t.json"
run "$tmp/t.tlt" -o "$tmp/t.json.gz"
is $? 0 "compressed"
ok "one sound gzip file" gzip -t "$tmp/t.json.gz"
ok "with the same in it" sh -c "zcat '$tmp/t.json.gz' | cmp - '$tmp/expected.json'"
run "$tmp/t.tlt" -o "$tmp/t.pftrace"
is $? 0 "for Perfetto"
ok "in its fields" sh -c "cd '$top_srcdir/tests/format/encode' && mkdir '$tmp/python' && protoc --python_out='$tmp/python' pftrace.proto"
slices=$("$python" -B "$top_srcdir/tests/format/encode/pftrace.py" "$tmp/python" "$tmp/t.pftrace")
like "$slices" '(^| )36160 slices' "each call is there"
run "$tmp/t.tlt" -o - >"$tmp/out.json"
ok "- is standard output" cmp "$tmp/out.json" "$tmp/expected.json"
run "$tmp/t.tlt" -o /dev/stdout >"$tmp/out.json"
is "$(cmp "$tmp/out.json" "$tmp/expected.json")$(ls /dev/stdout.* 2>/dev/null)" "" "/dev/stdout, too"
run - -o "$tmp/in.json" <"$tmp/t.tlt"
ok "- is standard input" cmp "$tmp/in.json" "$tmp/expected.json"
cat "$tmp/t.tlt" | run - -o "$tmp/in.json"
ok "a pipe, too" cmp "$tmp/in.json" "$tmp/expected.json"
cp "$tmp/t.tlt" "$tmp/name.tlt"
run "$tmp/name.tlt"
ok "without -o the name stays, with .json" cmp "$tmp/name.json" "$tmp/expected.json"
run "$tmp/t.tlt" -o /dev/null
is "$?$(stat -c %F /dev/null)" "0character special file" "/dev/null stays what it is"
taskset -c 0 "$tracelayer" export "$tmp/t.tlt" -o "$tmp/one.json"
ok "on one core the same" cmp "$tmp/one.json" "$tmp/expected.json"
is "$(stat -c %a "$tmp/t.json")" 600 "nobody else may read it"
is "$("$tracelayer" summary --json "$tmp/t.json" 2>"$tmp/said" | grep -c scalars)" 1 "and the summary knows it"

"$tracelayer" summary --csv "$tmp/t.json" >"$tmp/json.csv" 2>"$tmp/json.said"
"$tracelayer" summary --csv --exact "$tmp/t.tlt" >"$tmp/tlt.csv" 2>"$tmp/tlt.said"
is $? 0 "the summary reads the file itself, too"
ok "with the same table" cmp "$tmp/json.csv" "$tmp/tlt.csv"
ok "and the same losses" cmp "$tmp/json.said" "$tmp/tlt.said"

# A file of nothing but its beginning and its end.
"$maker" "$tmp/none.tlt" "$tmp/none.expected" 0 0 0
run "$tmp/none.tlt" -o "$tmp/none.json"
is $? 0 "a file without calls"
ok "is a trace without calls" cmp "$tmp/none.json" "$tmp/none.expected"

# A program's own file has what it would have had in JSON.
export ZE_ENABLE_ALT_DRIVERS=$top_builddir/tests/drivers/.libs/ze_driver_a.so
names() { "$python" "$top_srcdir/tests/lib/check_trace.py" --names "$1"; }
"$tracelayer" run -o "$tmp/run.tlt" -- "$top_builddir/tests/apps/ze_vector_add" >"$tmp/run.out" 2>&1
is $? 0 "a program is recorded"
run "$tmp/run.tlt" -o "$tmp/run.json"
is "$? $(said)" "0 " "what it recorded is sound"
"$tracelayer" run -o "$tmp/direct.json" -- "$top_builddir/tests/apps/ze_vector_add" >"$tmp/direct.out" 2>&1
names "$tmp/run.json" >"$tmp/run.names"
names "$tmp/direct.json" >"$tmp/direct.names"
ok "it has the calls that the program has in JSON" test -s "$tmp/run.names" -a "$(cksum <"$tmp/run.names")" = "$(cksum <"$tmp/direct.names")"
# Addresses, times and results that are handles differ from run to run; and much of what devices do.
arguments() { "$python" -c 'import json, re, sys
for event in json.load(open(sys.argv[1])):
    if event["ph"] == "X" and not event["cat"].startswith("device"):
        print(event["name"], event["cat"], re.sub("0x[0-9a-f]+", "0x", json.dumps(event["args"])))' "$1" | sort; }
arguments "$tmp/run.json" >"$tmp/run.args"
arguments "$tmp/direct.json" >"$tmp/direct.args"
ok "and their arguments" cmp "$tmp/run.args" "$tmp/direct.args"
unset ZE_ENABLE_ALT_DRIVERS

# --- cut short
cut_at() { head -c "$1" "$tmp/t.tlt" >"$tmp/cut.tlt"; }
events() { grep -c '"ph":"X"' "$1"; }
cut_at "$("$maker" --places "$tmp/t.tlt" | awk '$1 == 7 { print $2 }')"
run "$tmp/cut.tlt" -o "$tmp/cut.json"
is $? 3 "without its end: exit code 3"
case $(said) in *"cut.tlt: it ends early: "*"\`tracelayer recover\` may find the rest"*) pass "and a line says so" ;; *) fail "not said: $(said)" ;; esac
is "$(wc -l <"$tmp/said")" 1 "one line"
ok "all events are there" cmp "$tmp/cut.json" "$tmp/expected.json"
cut_at $((size / 2))
run "$tmp/cut.tlt" -o "$tmp/cut.json"
is $? 3 "half of it: exit code 3"
is "$("$tracelayer" summary --json "$tmp/cut.tlt" >"$tmp/cut.table" 2>&1; echo $?)" 3 "for the summary, too"
ok "half of it is sound" "$python" "$top_srcdir/tests/lib/check_trace.py" "$tmp/cut.json"
n=$(events "$tmp/cut.json")
ok "and has half of the events ($n)" test "$n" -gt 17000 -a "$n" -lt 19000
ok "those that stand in the whole" sh -c "grep '\"ph\":\"X\"' '$tmp/cut.json' | sed 's/,\$//' | sort >'$tmp/a'; sed 's/,\$//' '$tmp/expected.json' | sort >'$tmp/b'; test -z \"\$(comm -23 '$tmp/a' '$tmp/b')\""
is "$(wc -l <"$tmp/said")" 1 "one line says it"

cut_at 100
run "$tmp/cut.tlt" -o "$tmp/cut.json"
is "$? $(said)" "1 tracelayer: $tmp/cut.tlt: it ends within its header, so it is a part of a file; give a .tlt file, as \`tracelayer run -o trace.tlt\` writes it" "its first bytes are no trace"
cut_at $(("$("$maker" --places "$tmp/t.tlt" | sed -n 's/^3 //p' | head -n 1)"))
run "$tmp/cut.tlt" -o "$tmp/cut.json"
is $? 3 "cut before the first clock: exit code 3"
ok "without calls, it has no need of one" grep -q 'ends early' "$tmp/said"
if test "$(od -An -tu4 -j28 -N4 "$tmp/run.tlt" | tr -d ' ')" = 1; then
	clock=$("$maker" --places "$tmp/run.tlt" | sed -n 's/^3 //p' | head -n 1)
	head -c $((clock - 8)) "$tmp/run.tlt" >"$tmp/cut.tlt"
	run "$tmp/cut.tlt" -o "$tmp/cut.json"
	like "$? $(said)" "^3 .*; times are ticks of the processor's counter, not nanoseconds, since its clock is missing; $tmp/cut.json has all" \
		"with calls, a line says what times are"
else
	skip 1 "this machine's records have nanoseconds"
fi

# --- damaged
chunk=$("$maker" --places "$tmp/t.tlt" | sed -n 's/^6 //p' | sed -n 50p)
cp "$tmp/t.tlt" "$tmp/bad.tlt"
"$maker" --lie $((chunk + 128)) 0xffffffffffffffff "$tmp/bad.tlt"
run "$tmp/bad.tlt" -o "$tmp/bad.json"
is $? 3 "a chunk whose first record can't be stepped over: exit code 3"
case $(said) in *"bad.tlt: byte $((chunk + 128)): damaged records, up to the end of their chunk"*) pass "it is said where" ;; *) fail "not said: $(said)" ;; esac
is "$(events "$tmp/bad.json")" 35859 "its 300 calls and its event are missing, and no others"
api=$("$maker" --places "$tmp/t.tlt" | sed -n 's/^4 //p')
cp "$tmp/t.tlt" "$tmp/bad.tlt"
"$maker" --lie $((api + 24)) 0 "$tmp/bad.tlt"
run "$tmp/bad.tlt" -o "$tmp/bad.json"
is $? 3 "without a description there are no names: exit code 3"
ok "which is said" grep -q 'records are damaged, or of functions that the file does not describe' "$tmp/said"
ok "and the rest is a trace" "$python" "$top_srcdir/tests/lib/check_trace.py" --total 160 "$tmp/bad.json"

# --- what can't be done
echo '[{"ph":"X"}]' >"$tmp/no.tlt"
made='and only .tlt files become one timeline or are selected by rank; give the .tlt that it was made of, or export it by itself'
run "$tmp/no.tlt" "$tmp/t.tlt" -o "$tmp/no.json"
is "$? $(said)" "3 tracelayer: $tmp/no.tlt: it is JSON, $made" "JSON is not put together with .tlt files: why, and what to do"
run "$tmp/t.pftrace" --rank=0 -o "$tmp/no.json"
is "$? $(said)" "1 tracelayer: $tmp/t.pftrace: it is a Perfetto trace, $made" "nor does a Perfetto trace have ranks"
run "$tmp/t.tlt" "$tmp/t.json.gz" -o "$tmp/no.json"
is "$? $(said)" "3 tracelayer: $tmp/t.json.gz: it is compressed, so not a .tlt file, $made" "nor what is compressed"
run /etc/passwd -o "$tmp/no.json"
is "$? $(said)" "1 tracelayer: /etc/passwd:1: not a trace; give a .json, .json.gz, .pftrace, .sqlite or .tlt trace, as \`tracelayer run\` writes it" "nor something else"
run "$tmp/nothing" -o "$tmp/no.json"
is "$? $(said)" "1 tracelayer: $tmp/nothing: No such file or directory; give a .tlt file, as \`tracelayer run -o trace.tlt\` writes it" "a file that is not there"
"$tracelayer" summary "$tmp/t.tlt" >"$tmp/of.tlt" 2>&1
"$tracelayer" summary "$tmp/t.pftrace" >"$tmp/of.pftrace" 2>&1
same "$tmp/of.pftrace" "$tmp/of.tlt" "summary has the same tables of a Perfetto trace"
gzip -k "$tmp/t.pftrace"
"$tracelayer" summary "$tmp/t.pftrace.gz" >"$tmp/of.pftrace" 2>&1
same "$tmp/of.pftrace" "$tmp/of.tlt" "and of a compressed one"
run "$tmp/t.tlt" -o "$tmp/t.xml"
is $? 2 "no such format: exit code 2"
run "$tmp/t.tlt" -o "$tmp/there/t.json"
is $? 1 "no such folder: exit code 1"
ulimit_size=$(($(stat -c %s "$tmp/expected.json") / 2048))
cp "$tmp/none.json" "$tmp/before.json"
(ulimit -f "$ulimit_size"; trap '' XFSZ; run "$tmp/t.tlt" -o "$tmp/before.json")
is $? 1 "no room for it: exit code 1"
ok "what stood there before is still there" cmp "$tmp/before.json" "$tmp/none.json"
is "$(ls "$tmp" | grep -c 'json\.......$')" 0 "and nothing is left beside it"

# --- a name that is taken
names() { (cd "$tmp/names" && ls -A | paste -sd' '); }
keep() { (cd "$tmp/names" && "$tracelayer" export "$@" 2>"$tmp/said"); }
mkdir "$tmp/names"
cp "$tmp/t.tlt" "$tmp/names"
tracelayer=$(realpath "$tracelayer")
echo mine >"$tmp/names/t.json"
keep t.tlt
is "$?" 0 "a name that is taken is no error"
is "$(said)" "tracelayer: t.json: that name is taken; written to t.1.json (-f overwrites)" "the name that was written is said"
is "$(names) $(cat "$tmp/names/t.json")" "t.1.json t.json t.tlt mine" "what is there stays"
ok "the other has the trace" cmp "$tmp/names/t.1.json" "$tmp/expected.json"
keep t.tlt -o t.json
is "$(said)" "tracelayer: t.json: that name is taken; written to t.2.json (-f overwrites)" "with -o the same, and the next number"
keep t.tlt -o g.json.gz; keep t.tlt -o g.json.gz
ok "the number stands before the whole ending" gzip -t "$tmp/names/g.1.json.gz"
ln -s /nowhere/at/all "$tmp/names/l.json"
keep t.tlt -o l.json
is "$(said)" "tracelayer: l.json: that name is taken; written to l.1.json (-f overwrites)" "a link is a name that is taken, too"
keep -f t.tlt
is "$(said)" "" "-f says nothing"
ok "and overwrites" cmp "$tmp/names/t.json" "$tmp/expected.json"
mkdir "$tmp/names/folder"
keep t.tlt -o folder
ok "a folder gets the default name" cmp "$tmp/names/folder/t.json" "$tmp/expected.json"
keep t.tlt -o folder/
is "$(said)" "tracelayer: folder/t.json: that name is taken; written to folder/t.1.json (-f overwrites)" "which may be taken, too"
head -c $((size / 2)) "$tmp/t.tlt" >"$tmp/names/cut.tlt"
echo mine >"$tmp/names/cut.json"
keep cut.tlt
like "$(said)" "; cut.1.json has all that is sound$" "where something is said of the output, it is of that name"
rm -f "$tmp/names/s.systrace"; cp "$tmp/expected.json" "$tmp/names/s.json"
keep --systrace s.json; keep --systrace s.json
like "$(said)" "^tracelayer: s.systrace: that name is taken; written to s.1.systrace" "ftrace's text, too"
keep t.tlt -o missing/t.json
is "$? $(said)" "1 tracelayer: missing/t.json: its folder is not there; give another place with -o" "a folder that is not there"
ln -s way "$tmp/names/round"; ln -s round "$tmp/names/way"
keep t.tlt -o round/t.json
is "$? $(said)" "1 tracelayer: round/t.json: Too many levels of symbolic links; give another place with -o" "links that lead in a circle"
(ulimit -n 4; keep t.tlt -o files.json)
is "$(said)" "tracelayer: files.json: Too many open files; raise the limit of open files (ulimit -n)" "no more files may be open"
(ulimit -f 1; trap '' XFSZ; keep t.tlt -o limit.json)
is "$(said)" "tracelayer: limit.json: File too large; no file was left there; raise the limit of a file's size (ulimit -f), or put it elsewhere" "files may not be that large"
is "$(cd "$tmp/names" && ls | grep -c '\.[0-9a-f]\{6\}$')" 0 "nothing is left beside them"

# --- what somebody else has put there
mkdir -m 1777 "$tmp/names/sticky"; chmod 755 "$tmp" "$tmp/names"
other="setpriv --reuid=65534 --regid=65534 --clear-groups"
if test "$(id -u)" = 0 && $other mkfifo -m 666 "$tmp/names/sticky/p.json" 2>/dev/null; then
	($other timeout 20 cat "$tmp/names/sticky/p.json" >"$tmp/stolen") & thief=$!
	keep t.tlt -o sticky/p.json
	is "$? $(said)" "1 tracelayer: sticky/p.json: it is a pipe of somebody else, who would get the trace; give another place with -o" "a pipe of somebody else is refused"
	kill $thief 2>/dev/null; wait $thief 2>/dev/null
	is "$(cat "$tmp/stolen")" "" "and its reader gets nothing"
	echo mine >"$tmp/victim"
	$other ln -s "$tmp/victim" "$tmp/names/sticky/l.json"; $other ln -s "$tmp" "$tmp/names/sticky/way"
	keep -f t.tlt -o sticky/l.json
	is "$(cat "$tmp/victim")" mine "nor is a link of somebody else followed, also with -f"
	keep t.tlt -o sticky/way/t.json
	like "$(said)" "a symbolic link on the way belongs to somebody else; give another place with -o" "nor one on the way"
else
	skip 4 "this machine's user can't play another one"
fi
mkfifo "$tmp/names/own.json"
cat "$tmp/names/own.json" >"$tmp/from.own" &
keep t.tlt -o own.json; wait $!
ok "one's own pipe is written to" cmp "$tmp/from.own" "$tmp/expected.json"
(ulimit -s 128 && "$tracelayer" export -f "$tmp/t.tlt" -o "$tmp/little.json") 2>"$tmp/little.said"
is "$? $(cat "$tmp/little.said") $(cmp "$tmp/little.json" "$tmp/expected.json" && echo same)" "0  same" "a stack of 128 KiB is enough"

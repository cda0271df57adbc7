#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer summary: its numbers, its formats, and its messages about files that are cut, damaged or no traces.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
plan 98

summary() { "$tracelayer" summary "$@"; }

# A trace whose numbers can be told by hand. "each" lasts 1, 2, ... 200 us: sum 20100, median 100, 99 % 198.
# "outer" is a B/E pair of 1.5 us around an "inner" X event of 0.25 us. "fails" fails once in two calls of 0.001 us.
"$python" - "$tmp" <<-'END'
	import gzip, json, sys
	tmp = sys.argv[1]
	events = [{"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "main"}}]
	at = 86400000000.0
	order = [(i * 77) % 200 + 1 for i in range(200)]
	for i in order:
	    events.append({"ph": "X", "pid": 1, "tid": 1, "ts": at, "dur": i, "name": "each", "args": {"n": i}})
	    at += 1000
	events.append({"ph": "B", "pid": 1, "tid": 2, "ts": 100.125, "name": "outer"})
	events.append({"ph": "X", "pid": 1, "tid": 2, "ts": 100.5, "dur": 0.25, "name": "inner"})
	events.append({"ph": "E", "pid": 1, "tid": 2, "ts": 101.625})
	events.append({"ph": "X", "pid": 1, "tid": 1, "ts": at, "dur": 0.001, "name": "fails", "cat": "api,runtime,failed", "args": {"result": "E"}})
	events.append({"ph": "X", "pid": 1, "tid": 1, "ts": at + 1, "dur": 0.001, "name": "fails", "cat": "api,failed_not,runtime", "args": {"result": "OK"}})
	events.append({"ph": "C", "pid": 1, "tid": 1, "ts": 5, "name": "counter", "args": {"v": 18446744073709551616}})
	lines = "[\n" + ",\n".join(json.dumps(e) for e in events) + "\n]\n"
	def write(name, text):
	    open(f"{tmp}/{name}", "w").write(text)
	write("lines.json", lines)
	write("one.json", json.dumps(events))
	write("pretty.json", json.dumps(events, indent=4))
	write("object.json", json.dumps({"otherData": {"a": [1, "]}"]}, "traceEvents": events, "displayTimeUnit": "ns"}))
	write("object_pretty.json", json.dumps({"displayTimeUnit": "ms", "traceEvents": events}, indent=1))
	write("comma.json", lines.replace("\n]", ",\n]"))
	write("open.json", lines.replace("\n]\n", ""))
	write("cut.json", lines[:lines.index('"name": "inner"')])
	packed = gzip.compress(lines.encode())
	open(f"{tmp}/lines.json.gz", "wb").write(packed)
	half = len(lines) // 2
	open(f"{tmp}/members.json.gz", "wb").write(gzip.compress(lines[:half].encode()) + gzip.compress(lines[half:].encode()))
	big = "[\n" + ",\n".join(json.dumps({"ph": "X", "pid": 1, "tid": 1, "ts": i, "dur": 1, "name": "f%d" % (i % 7)})
	                             for i in range(50000)) + "\n]\n"
	packed = gzip.compress(big.encode())
	open(f"{tmp}/big.json.gz", "wb").write(packed)
	open(f"{tmp}/cut.json.gz", "wb").write(packed[:len(packed) // 2])
	open(f"{tmp}/noend.json.gz", "wb").write(packed[:-4])
	damaged = bytearray(packed)
	damaged[len(damaged) // 2] ^= 0xff
	damaged[len(damaged) // 2 + 9] ^= 0xff
	open(f"{tmp}/damaged.json.gz", "wb").write(bytes(damaged))
	bad = lines.split("\n")
	bad[41] = bad[41][:-3] + "?,"
	write("bad.json", "\n".join(bad))
	write("text.txt", "Dear reader\n")
	write("empty.json", "")
	write("noevents.json", '{"a": 1}')
	write("trailing.json", lines + "[]")
	write("unended.json", lines.replace('"ph": "E"', '"ph": "i"'))
	write("lost.json", lines.replace("\n]", ',\n{"ph":"M","pid":1,"name":"tracelayer_end","tid":0,"args":{"events":204,"lost":17}}\n]'))
	names = ['quote " comma , end', "line\nbreak", "escape \x1b[31m red", "tab\tbell\x07", "euro €"]
	write("names.json", json.dumps([{"ph": "X", "pid": "p", "tid": "t", "ts": 1, "dur": 2, "name": n} for n in names]))
	write("long.json", json.dumps([{"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "name": "n" * 300}]))
END

# --- the numbers
text=$(summary "$tmp/lines.json"); is $? 0 "a whole trace: exit 0"
csv=$(summary --csv "$tmp/lines.json" | tr -d '\r')
is "$(printf '%s\n' "$csv" | head -n 1)" \
	"function,calls,failed,total_ns,share,average_ns,min_ns,median_ns,p99_ns,max_ns" "CSV begins with the columns' names"
like "$csv" '^each,200,0,20100000,0\.999913,100500,1000,100000,198000,200000$' "calls, total, share, average and percentiles are exact"
like "$csv" '^outer,1,0,1500,' "a B and an E event are one call"
like "$csv" '^inner,1,0,250,' "a call inside another counts by itself"
like "$csv" '^fails,2,1,2,0\.000000,1,1,1,1,1$' "failed calls are counted"
is "$(printf '%s\n' "$csv" | cut -d, -f1 | paste -sd' ')" "function each outer inner fails" "rows go by total, counters and metadata are no calls"
like "$text" '^each +200 +0 +20\.10 ms +100\.0 % +100\.5 us +1\.000 us +100\.0 us +198\.0 us +200\.0 us$' "text has units"
like "$text" '^host calls: 204 in 4 functions, on 2 threads$' "the heading has the sums"

# --- a part of it. The trace begins with "outer", at 100.125 us; "each" begins at 86,400 s, and comes every millisecond.
selected() { summary --csv "$@" | tr -d '\r' | awk -F, 'NR > 1 { print $1, $2 }' | paste -sd' '; }
is "$(selected --longer-than=150us "$tmp/lines.json")" "each 51" "--longer-than counts what took so long"
is "$(selected --failed "$tmp/lines.json")" "fails 1" "--failed counts calls that failed"
is "$(selected --name='?n*,f*' --name=outer "$tmp/lines.json")" "outer 1 inner 1 fails 2" "--name takes globs, and several times"
is "$(selected --thread=main "$tmp/lines.json")" "each 200 fails 2" "--thread takes a thread's name"
is "$(selected --thread=2 "$tmp/lines.json")" "outer 1 inner 1" "or its number"
is "$(selected --process=2 "$tmp/lines.json")" "" "--process takes a process's number"
is "$(selected --time=-1 "$tmp/lines.json")" "outer 1 inner 1" "--time counts from the start of the trace"
is "$(selected --time=86400.0098: --longer-than=1us --name=each "$tmp/lines.json")" "each 190" "and takes what lies in it in part, as with --longer-than and --name"
like "$(summary --thread=2 "$tmp/lines.json")" '^host calls: 2 in 2 functions, on 1 thread$' "the heading counts the threads of what is selected"
is "$(summary --time=5-3 "$tmp/lines.json" 2>&1 | head -n 1; summary --longer-than=1 "$tmp/lines.json" 2>&1 | head -n 1)" \
	"tracelayer summary: --time=5-3: give two times, such as 0.5:2, 500ms:, :2026-11-24T04:05:44 or @begin:@end, or one @NAME
tracelayer summary: --longer-than=1: give a number and ns, us, ms or s, like 1ms" "no such time"
like "$(summary --name=none "$tmp/lines.json" 2>"$tmp/said")" '^host calls: 0 in 0 functions' "nothing may be left"
is "$(cat "$tmp/said")" "tracelayer: the trace has nothing that is selected; see --name, --thread, --time and the other options that select" "... and that is said"
mkdir -p "$tmp/job/a.1/host" && touch "$tmp/job/a.1/host/0.tlt"
like "$(summary --failed "$tmp/job" 2>&1)" 'the sums of a job have all calls; name .tlt files in it to select some' "a job's sums are of all"

# --- the order of rows, and which rows and columns
rows() { summary --csv --table=calls "$@" "$tmp/lines.json" | tr -d '\r' | paste -sd' '; }
is "$(rows --columns=calls --sort=calls)" "function,calls each,200 fails,2 inner,1 outer,1" "--sort by a number: largest first"
is "$(rows --columns=calls --sort=function --top=3)" "function,calls each,200 fails,2 inner,1" "by a text: in its order; --top cuts"
is "$(rows --columns='99 %,Failed' --sort=p99 --top=2)" "function,p99_ns,failed each,198000,0 outer,1500,0" "columns by their titles, or by their keys without the unit, in the order that is asked for"
is "$(rows --columns=calls --sort=max_ns --top=1)" "function,calls each,200" "a column that sorts need not be shown"
is "$(summary --by=thread --columns=calls --top=1 --csv --table=calls "$tmp/lines.json" | tr -d '\r' | paste -sd' ')" "thread,function,calls 1 main,each,200 2,outer,1" \
	"--top is of each group"
is "$(summary --json --columns=median --sort=median --top=1 --table=calls "$tmp/lines.json" | "$python" -c 'import json, sys; print(json.load(sys.stdin)["tables"][0]["rows"])')" \
	"[{'function': 'each', 'median_ns': 100000}]" "the same in JSON"
is "$(summary --columns=total --top=1 "$tmp/lines.json" | tail -n 1 | tr -s ' ')" "each 20.10 ms" "and in text"
is "$(rows --by=thread --columns=thread,calls --top=1)" "thread,function,calls 1 main,each,200 2,outer,1" "the column of --by may be named: it is there anyway"
is "$(rows --by=thread --columns=total --sort=thread --top=1; rows --by=process --columns=process,function --sort=process)" \
	"thread,function,total_ns 1 main,each,20100000 2,outer,1500
process,function 1,each 1,outer 1,inner 1,fails" "and rows sorted by it: groups by their names"
is "$(rows --columns=function)" "function each outer inner fails" "the rows' names alone"
is "$(rows --columns=,calls,,total, --top=1)" "function,calls,total_ns each,200,20100000" "a comma too many is no column"
for wrong in --sort=size --columns=calls,size,total; do
	said=$(summary $wrong "$tmp/lines.json" 2>&1)
	is "$? $said" "2 tracelayer: size: no table here has such a column; give a column's title, or its name in --csv" "$wrong is told of"
done
is "$(summary --columns=, "$tmp/lines.json" 2>&1; echo $?)" "tracelayer summary: --columns=,: give a column's title, or its name in --csv
2" "a list of commas alone is refused"
is "$(summary --columns= "$tmp/lines.json" 2>&1; echo $?; summary --sort= "$tmp/lines.json" 2>&1; echo $?)" \
	"tracelayer summary: --columns=: give a column's title, or its name in --csv
2
tracelayer summary: --sort=: give a column's title, or its name in --csv
2" "no columns at all are none"
is "$(summary --top=0 "$tmp/lines.json" 2>&1 | head -n 1)" "tracelayer summary: --top=0: give a number of rows, 1 or more" "no rows at all are none"

# --- every layout gives the same numbers
for layout in one pretty object object_pretty comma; do
	is "$(summary --csv "$tmp/$layout.json" | tr -d '\r')" "$csv" "the same from $layout.json"
done
is "$(summary --csv "$tmp/lines.json.gz" | tr -d '\r')" "$csv" "the same from a gzip-compressed file"
is "$(summary --csv "$tmp/members.json.gz" | tr -d '\r')" "$csv" "the same from concatenated gzip members"
is "$(summary --csv - <"$tmp/lines.json.gz" | tr -d '\r')" "$csv" "the same from standard input"
like "$(summary --csv "$tmp/lines.json" "$tmp/one.json")" '^each,400,0,40200000,' "several files are taken together"

# --- formats that programs read
ok "CSV is read by Python's csv, hostile names and all" "$python" - "$tracelayer" "$tmp/names.json" <<-'END'
	import csv, io, subprocess, sys
	out = subprocess.run([sys.argv[1], "summary", "--csv", sys.argv[2]], stdout=subprocess.PIPE, check=True).stdout
	rows = list(csv.reader(io.StringIO(out.decode(), newline=""), strict=True))
	assert sorted(r[0] for r in rows[1:]) == sorted(['quote " comma , end', "line\nbreak", "escape \x1b[31m red",
	    "tab\tbell\x07", "euro €"]), rows
	assert all(len(r) == 10 for r in rows)
	assert all(line.endswith("\r\n") for line in out.decode().replace("line\nbreak", "").splitlines(True))
END
ok "JSON is read by Python's json, and has the same numbers" "$python" - "$tracelayer" "$tmp/lines.json" <<-'END'
	import json, subprocess, sys
	out = subprocess.run([sys.argv[1], "summary", "--format=json", sys.argv[2]], stdout=subprocess.PIPE, check=True).stdout
	table, = json.loads(out)["tables"]
	assert table["table"] == "host calls"
	row = table["rows"][0]
	assert row == {"function": "each", "calls": 200, "failed": 0, "total_ns": 20100000, "share": 0.999913,
	    "average_ns": 100500, "min_ns": 1000, "median_ns": 100000, "p99_ns": 198000, "max_ns": 200000}, row
END
is "$(summary "$tmp/names.json" | tr -d '\n' | tr -c -d '\000-\011\013-\037')" "" "no control character of a name reaches the terminal"
like "$(LC_ALL=C.UTF-8 summary "$tmp/names.json")" '^euro € +1 ' "letters beyond ASCII do, where the locale has them"

# --- terminals
in_terminal() { "$python" - "$@" <<-'END'
	import fcntl, os, pty, struct, sys, termios
	pid, fd = pty.fork()
	if not pid:
	    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
	    os.execv(sys.argv[1], sys.argv[1:])
	out = b""
	try:
	    while chunk := os.read(fd, 4096):
	        out += chunk
	except OSError:
	    pass
	sys.stdout.write(out.decode())
	END
}
narrow=$(NO_COLOR=1 in_terminal "$tracelayer" summary "$tmp/long.json" | tr -d '\r')
like "$narrow" '^n{20,60}\.\.\. ' "on a terminal a long name is shortened"
is "$(printf '%s\n' "$narrow" | awk 'length > 120' | wc -l)" 0 "and no line is wider than the terminal"
like "$(summary "$tmp/long.json")" '^n{300} ' "in a file it is whole"

ok "while a file is read, a terminal shows how far" "$python" "$top_srcdir/tests/cli/summary/summary_progress.py" "$tracelayer"

# --- files that end early: what is there is used
out=$(summary --csv "$tmp/cut.json" 2>"$tmp/said"); is $? 3 "a cut file: exit 3"
like "$out" '^each,200,0,20100000,' "and the table of what is there"
is "$(cat "$tmp/said")" "tracelayer: $tmp/cut.json: cut short after line 203: the end of the trace is missing; the 202 events before that are used
tracelayer: 1 call without an end; not in the table" "and what is missing is said"
out=$(summary --csv "$tmp/open.json" 2>/dev/null | tr -d '\r'); is "$out" "$csv" "a trace without its closing bracket loses nothing"
out=$(summary --csv "$tmp/cut.json.gz" 2>"$tmp/said"); is $? 3 "a cut gzip file: exit 3"
like "$out" '^f0,[0-9]{4},0,' "and most of its first half is used"
out=$(summary --csv "$tmp/noend.json.gz" 2>"$tmp/said"); is $? 3 "a gzip file without its checksum: exit 3"
is "$(printf '%s\n' "$out" | awk -F, 'NR > 1 { n += $2 } END { print n }')" 50000 "and every event is used"
summary "$tmp/unended.json" 2>&1 >/dev/null | grep -q '^tracelayer: 1 call without an end'; is $? 0 "calls without an end are told of"
like "$(summary "$tmp/lost.json" 2>&1 >/dev/null)" '^tracelayer: 17 events were lost' "so are events that the trace lacks"

# --- files that are broken: one line, with the place
refused()	# FILE WANTED-LINE DESCRIPTION
{
	out=$(summary "$tmp/$1" 2>&1)
	is "$? $out" "1 tracelayer: $tmp/$2" "$3"
}
chrome="give a .json, .json.gz, .pftrace, .sqlite or .tlt trace, as \`tracelayer run\` writes it"
out=$(summary "$tmp/bad.json" 2>&1)
like "$? $out" "^1 tracelayer: $tmp/bad.json:42: .*; $chrome\$" "an event that is no JSON: its line"
out=$(summary "$tmp/damaged.json.gz" 2>&1)
like "$? $(printf '%s' "$out" | wc -l) $out" "^1 0 tracelayer: $tmp/damaged.json.gz[: ]" "damaged gzip data: one line"
refused text.txt "text.txt:1: not a trace; $chrome" "another file"
# other FILE WORDS DESCRIPTION: the file is told by what it begins with, which is on standard input.
other()
{
	cat >"$tmp/$1"
	refused "$1" "$1: it is $2" "$3"
}
other one.sum 'a sum of traces; `tracelayer diff` reads it' "a sum" < <(printf 'tlsum\0\0\2')
other one.tlt.gz 'a compressed .tlt file; unpack it first, with `gunzip`' "a .tlt that was compressed" < <(printf 'tracelyr' | gzip)
other one.otf2 "a part of an OTF2 archive, which other tools read; give the .tlt that it was made of" "an OTF2 archive" < <(printf '\3BOTF2\0\3')
other one.systrace 'text of ftrace; `tracelayer phases` reads it' "a systrace" < <(printf '# tracer: nop\n#\n')
other page.html 'a page for a browser; give the trace that it was made of, or a page of systrace to `tracelayer phases`' "a page" < <(printf '<!DOCTYPE html>')
other one.tar 'a .tar; unpack it first, with `tar -x`, and give the traces in it' "a .tar" < <(tar -c --format=ustar -C "$tmp" text.txt)
other one.json.xz 'compressed by xz, and only gzip is read; unpack it first, with `unxz`' "another compression" < <(printf '\3757zXZ\0 ')
other two.json.gz 'compressed twice; unpack it first, with `gunzip`' "the same one twice" < <(printf '[]' | gzip | gzip)
other wide.json 'text in UTF-16; make it UTF-8, with `iconv -f UTF-16 -t UTF-8`' "UTF-16" < <(printf '\377\376[\0]\0')
other program 'a program or a library; `tracelayer run` makes a trace of what a program does' "a program" < <(head -c 1000 "$tracelayer")
refused empty.json "empty.json:1: is empty (if its process was killed, try \`tracelayer recover\` of its folder); $chrome" "an empty file"
gzip -c "$tmp/lines.json" | head -c 12 >"$tmp/begun.json.gz"
refused begun.json.gz "begun.json.gz:1: the gzip data is cut short, with nothing in it; $chrome" "a compressed file of which the beginning is there"
refused noevents.json "noevents.json:1: the object has no \"traceEvents\"; $chrome" "an object without events"
refused trailing.json "trailing.json:210: something follows the end of the trace; $chrome" "text after the end"
refused nosuch.json "nosuch.json: cannot open: No such file or directory; give the path of a trace file" "no such file"

# --- times as some tools write them
printf '[{"name":"f","ph":"X","ts":"1.5","dur":"2","pid":"main","tid":"worker"}]' >"$tmp/strings.json"
like "$(summary --csv "$tmp/strings.json")" '^f,1,0,2000,' "times that are strings"
printf '[{"name":"f","ph":"X","ts":1e300,"dur":1e300,"pid":1,"tid":1},{"name":"g","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]' >"$tmp/huge.json"
like "$(summary --csv "$tmp/huge.json")" '^f,1,0,0,.*' "times beyond all clocks are none"

# --- usage
summary >/dev/null 2>&1; is $? 2 "no file: exit 2"
like "$(summary --format=xml "$tmp/lines.json" 2>&1; echo "$?")" '^2$' "no such format: exit 2"
summary "$tmp/lines.json" >/dev/full 2>/dev/null; is $? 1 "a table that can't be written: exit 1"

# --- files that were made to fill memory
head -c 200M /dev/zero | tr '\0' ' ' | gzip >"$tmp/bomb.json.gz"
(echo '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"'; head -c 40M /dev/urandom | base64 -w 0; echo '"}]') | gzip -1 >"$tmp/string.json.gz"
# bounded FILE LINE: refused with this line, in little memory
bounded()
{
	local command
	for command in summary "export --systrace -o /dev/null" phases; do
		# shellcheck disable=SC2086
		said=$( (ulimit -v 400000; timeout 60 "$tracelayer" $command "$1" 2>&1 >/dev/null) )
		is $? 1 "$command refuses $(basename "$1")"
		like "$said" "$2" "$command says why"
	done
}
bounded "$tmp/bomb.json.gz" 'grows more than 250 times, as no trace does'
gunzip -c "$tmp/string.json.gz" >"$tmp/string.json"
said=$( (ulimit -v 400000; timeout 60 "$tracelayer" summary "$tmp/string.json" "$tmp/string.json.gz" 2>&1) )
like "$? $said" '^1 .*string.json:1: an event of more than 16 MB, as no trace has' "a string of 53 MB is refused, in little memory"

# --- what is not there is told, and so is what can't be printed
echo '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"call","cat":"x"}]' >"$tmp/calls.json"
like "$("$tracelayer" summary --table=kernels "$tmp/calls.json" 2>&1)" '--table=kernels: the trace has nothing for it' "a table without rows is told of"
wrong=
for command in --help --version "summary --help" "phases --help" "run --help" "export --help" "recover --help" "profile --help" \
	"pause --help" "summary $tmp/calls.json" "summary --json $tmp/calls.json" "recover --version"; do
	# shellcheck disable=SC2086
	said=$("$tracelayer" $command 2>&1 >/dev/full)
	code=$?
	case $code$said in
	1*'cannot write'*) ;;
	*) wrong="$wrong [$command: $code $said]" ;;
	esac
done
for command in "tracegen --help" "tracegen --version" "tracegen emit --help" "tracelayer-xpti-bench --help" "tracelayer-xpti-bench --version"; do
	# shellcheck disable=SC2086
	said=$("$top_builddir"/$command 2>&1 >/dev/full)
	code=$?
	case $code$said in
	1*'cannot write'*) ;;
	*) wrong="$wrong [$command: $code $said]" ;;
	esac
done
is "$wrong" "" "what can't be printed gives a line, and an exit code"
unset said
ok "a program's name can't steer a terminal" sh -c "printf '[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"name\":\"a\\\\u202eb\\\\u001b[2Jc\\\\u009b\"}]' >'$tmp/esc.json'; \
	'$tracelayer' summary '$tmp/esc.json' | grep -aq 'x1b\[2J' && ! '$tracelayer' summary '$tmp/esc.json' | LC_ALL=C grep -aq '[^ -~]'"

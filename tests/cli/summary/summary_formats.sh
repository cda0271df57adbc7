#!/bin/bash
# SPDX-License-Identifier: MIT
# Every format that we write can be read again: summary, diff, report, phases and export give of .pftrace, .sqlite and JSON, compressed or not, and of
# standard input what they give of the .tlt that these were made of. The trace is a real OpenCL program's.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
command -v sqlite3 >/dev/null || { echo "Bail out! sqlite3 is missing; ./scripts/install-packages installs it"; exit 99; }
app=$(cd "$top_builddir" && pwd)/tests/apps/cl_requests
cd "$tmp" || exit 99
export TZ=UTC
timeout 100 "$app" >out 2>&1 || skip_all "OpenCL does not work on this machine"
plan 57

timeout 100 "$tracelayer" run --quiet --full=drop -o %p.tlt -- "$app" >out 2>&1
mv "$(ls -S [0-9]*.tlt | head -n 1)" t.tlt # the child's is the smaller one
formats="json pftrace sqlite"
for format in $formats; do
	"$tracelayer" export t.tlt -o t.$format >out 2>&1
	gzip -k t.$format
done

# tables FILE: all of them, in all groupings
tables()
{
	local by
	for by in function thread queue process request size; do
		"$tracelayer" summary --by=$by --csv --sort=self "$@" || echo "failed: $?"
	done
	"$tracelayer" summary --exact "$@"
}
tables t.tlt >tables.tlt 2>said.tlt
ok "the trace has calls, kernels and requests" grep -q '^1,first,5,' tables.tlt
part="--time=@clBuildProgram: --thread=* --longer-than=1us"
"$tracelayer" summary $part t.tlt >part.tlt 2>&1
"$tracelayer" summary t.tlt >plain.tlt 2>&1
"$tracelayer" diff t.tlt t.tlt >diff.tlt 2>&1
"$tracelayer" phases t.tlt >phases.tlt 2>&1
for format in $formats; do
	for file in t.$format t.$format.gz; do
		tables $file >got 2>said
		same got tables.tlt "$file: summary, by everything"
		same said said.tlt "$file: ... and it says the same"
	done
	"$tracelayer" summary - <t.$format >got 2>&1
	same got plain.tlt "standard input, $format: summary"
	cat t.$format.gz | "$tracelayer" summary $part - >got 2>&1
	same got part.tlt "a pipe, $format, compressed: a part of it"
	"$tracelayer" diff t.tlt t.$format >got 2>&1
	same got diff.tlt "$format: diff finds nothing that differs from the .tlt"
	"$tracelayer" phases t.$format >got 2>&1
	same got phases.tlt "$format: phases"
	cat t.$format | "$tracelayer" phases - >got 2>&1
	same got phases.tlt "... of standard input, too"
	ok "$format: report makes a page" "$tracelayer" report -f t.$format -o page.html
	ok "... which has the kernels" grep -q '"second"' page.html
	"$tracelayer" export t.$format -o again.sqlite >out 2>&1
	"$tracelayer" summary again.sqlite >got 2>&1
	same got plain.tlt "$format: export makes a database of it"
	rm -f again.sqlite
	"$tracelayer" export t.$format -o again.txt --systrace >out 2>&1
	"$tracelayer" phases again.txt >got 2>&1
	is "$(grep -c '^Total' got)" "$(grep -c '^Total' phases.tlt)" "$format: ... and a systrace"
	rm -f again.txt
done

# --- what a program dies with, what was lost
head -c $(($(stat -c %s t.pftrace) / 2)) t.pftrace >cut.pftrace
"$tracelayer" summary cut.pftrace >got 2>said
is "$? $(cat said | head -n 1)" "3 tracelayer: cut.pftrace: cut short: the end of the trace is missing; the events before that are used" "a .pftrace that is cut: what is there counts"
ok "... in tables" grep -q '^clGetPlatformIDs' got
head -c 20000 t.sqlite >cut.sqlite
"$tracelayer" summary cut.sqlite >got 2>said
is "$?" 1 "a database that is cut is broken"
like "$(cat said)" '^tracelayer: cut.sqlite: the database can.t be read: .*; make it again with `tracelayer export`$' "... which is said"

# --- of others
"$python" - <<-'END'
	# A packet of a sequence with a slice, as any program's.
	def field(number, content):
	    return bytes([number << 3 | 2, len(content)]) + content
	event = field(11, bytes([9 << 3, 1]) + bytes([11 << 3, 7])) # type, track
	packet = bytes([8 << 3, 5, 10 << 3, 1]) + event
	open("foreign.pftrace", "wb").write(field(1, packet) * 3)
	open("damaged.pftrace", "wb").write(open("t.pftrace", "rb").read()[:5000] + b"\xff" * 5000)
END
foreign="a Perfetto trace of another tool, which only viewers can read; give one that \`tracelayer run\` or \`tracelayer export\` wrote"
"$tracelayer" summary foreign.pftrace >got 2>&1
is "$? $(cat got)" "1 tracelayer: foreign.pftrace: $foreign" "another tool's Perfetto trace: one line"
gzip -k foreign.pftrace
"$tracelayer" report foreign.pftrace.gz -o page.html -f >got 2>&1
is "$? $(cat got)" "1 tracelayer: foreign.pftrace.gz: $foreign" "... compressed, and for report"
"$tracelayer" summary damaged.pftrace >got 2>said
like "$? $(cat said)" '^1 tracelayer: damaged.pftrace: byte [0-9]+: damaged, or no Perfetto trace; give a trace as' "a damaged one: where"
sqlite3 foreign.sqlite 'CREATE TABLE call (id)'
"$tracelayer" summary foreign.sqlite >got 2>&1
is "$? $(cat got)" "1 tracelayer: foreign.sqlite: a database of something else; give one that \`tracelayer export -o NAME.sqlite\` made" "another program's database: one line"
"$tracelayer" export --gpu-tracks=perfetto t.tlt -o gpu.pftrace >out 2>&1
"$tracelayer" summary gpu.pftrace >got 2>&1
is "$? $(cat got)" "1 tracelayer: gpu.pftrace: its device commands are Perfetto's own GPU events (--gpu-tracks), which can't be read again; give the .tlt or JSON that it was made of" "Perfetto's GPU events can't be read: one line"

# --- what is not quite JSON: Python's json writes NaN and Infinity, programs that print JSON themselves nan, inf, lone backslashes and any bytes
"$python" - <<-'END'
	import json
	event = {"ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1}
	numbers = {"gigabytes": float("inf"), "least": [float("-inf"), float("nan"), 1.5], "NaN": "inf"}
	json.dump([event | {"name": "fine"}, event | {"name": "numbers", "args": numbers}, event | {"name": "late", "dur": float("nan")}], open("numbers.json", "w"))
	start = b'{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,'
	open("printed.json", "wb").write(b"[\n" + start + b'"name":"fine"},\n' + start + b'"name":"C:\\windows\\x.exe \xff\t\xc3\xa9\xc3"},\n' +
	                                 start + b'"name":"nan","args":{"a":nan,"b":-inf,"c":[-nan,inf],"d":null}}\n]\n')
	open("wrong.json", "wb").write(b"[\n" + start + b'"name":"fine"},\n' + start + b'"name":"nonsense","args":{"a":nano,"b":inf}}]\n')
	open("short.json", "wb").write(b"[\n" + start + b'"name":"nan","args":{"a":nan}},\n' + start + b'"name":"nan","args":{"a":nan,"b":')
END
"$tracelayer" export numbers.json -o numbers.out.json 2>said
is "$? $(grep -v ' events in ' said)" "0 tracelayer: numbers.json:1: not JSON: invalid token near 'Infinity'; it is read all the same, and so are others" "Python's numbers that are not JSON: one line"
is "$(jq -c '.[] | [.name, .dur, .args]' numbers.out.json | xargs -d '\n')" \
	'["fine",2,null] ["numbers",2,{"gigabytes":"Infinity","least":["-Infinity","NaN",1.5],"NaN":"inf"}] ["late","NaN",null]' "... and all else is there"
"$tracelayer" summary numbers.json >got 2>said
is "$? $(awk '$2 == 1 { print $1, $4 }' got | sort | xargs)" "0 fine 2.000 late 0 numbers 2.000" "... in tables, too"
"$tracelayer" export printed.json -o printed.out.json 2>said
is "$? $(grep -v ' events in ' said)" "0 tracelayer: printed.json:3: not JSON: invalid escape near '\"C:\w'; it is read all the same, and so are others" "texts that are not JSON: one line"
is "$(jq -c '.[] | [.name, .args]' printed.out.json | xargs -d '\n')" \
	'["fine",null] ["C:\\windows\\x.exe �\té�",null] ["nan",{"a":"nan","b":"-inf","c":["-nan","inf"],"d":null}]' "... and all else is there"
"$tracelayer" summary wrong.json >got 2>said
is "$? $(cat said)" "1 tracelayer: wrong.json:3: invalid token near 'nano'; give a .json, .json.gz, .pftrace, .sqlite or .tlt trace, as \`tracelayer run\` writes it" "what is wrong beside that is said, with its line"
"$tracelayer" summary short.json >got 2>said
is "$? $(tail -n 1 said)" "3 tracelayer: short.json: cut short after line 2: the end of the trace is missing; the 1 event before that is used" "a trace that is cut beside that counts up to there"
is "$(awk '$1 == "nan" { print $2 }' got)" 1 "... in tables"

#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer report: the page has each call and command of its traces, with its arguments; no text of a trace becomes markup; each mistake gives a message.
# tests/whole/report.sh drives a page in a browser.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
apps=$(cd "$top_builddir/tests/apps" && pwd)
need_command
need_library
plan 55

cd "$tmp" || exit 99
traces="$top_srcdir/tests/cli/report/report_traces.py"
report() { "$tracelayer" report "$@"; }
page() { "$python" -B "$traces" read "$1"; }

# ---- a real program
timeout 60 "$tracelayer" run -o t.tlt -- "$apps/cl_vector_add" >/dev/null 2>&1
"$tracelayer" export -f t.tlt -o t.json 2>/dev/null
report t.tlt -o t.html >said 2>&1
is "$? $(cat said)" "0 " "a page is made without a word"
"$python" -B - t.json t.html "$(dirname "$traces")" >compared <<'END'
import json, sys
sys.path.insert(0, sys.argv[3])
import report_traces
events = json.load(open(sys.argv[1]))
page, facts, slices, arrows = report_traces.read(sys.argv[2])
wanted = [(str(e["pid"]), str(e["tid"]), round(e["ts"] * 1000), round(e["dur"] * 1000), e["name"], json.dumps(e["args"], sort_keys=True)) for e in events if e["ph"] == "X"]
found = [(one[0], one[1], facts["first"] + one[3], one[4], one[5], json.dumps(one[7], sort_keys=True)) for one in slices]
print(len(found) > 20, sorted(wanted) == sorted(found), arrows == sum(e["ph"] == "s" for e in events), arrows > 0)
facts_of = [e["args"] for e in events if e["ph"] == "M" and e["name"] == "tracelayer"]
# Readers of JSON have numbers as doubles.
plain = lambda value: {name: float(one) if isinstance(one, int) else one for name, one in value.items()}
print(facts_of and plain(facts["processes"][0]["facts"]) == plain(facts_of[0]))
print([lane["queue"] for lane in facts["lanes"] if lane["rows"]].count(True))
print(any(row["failed"] == 0 for table in facts["summary"]["tables"] for row in table["rows"] if "failed" in row), [table["table"] for table in facts["summary"]["tables"]].count("queues"))
END
is "$(sed -n 1p compared)" "True True True True" "it has each call and command with its time and its arguments, and each arrow"
is "$(sed -n 2p compared)" "True" "what the trace says of the machine and the settings"
is "$(sed -n 3p compared)" "1" "one lane is a queue's"
is "$(sed -n 4p compared)" "True 1" "the tables of summary"
"$python" -B - t.html <(for t in calls kernels transfers; do "$tracelayer" summary --json --table=$t t.tlt; done | "$python" -c '
import json, re, sys
print(json.dumps([table for one in re.split(r"(?<=^\})$", sys.stdin.read(), flags=re.M) if one.strip() for table in json.loads(one)["tables"]]))') "$(dirname "$traces")" >compared <<'END'
import json, sys
sys.path.insert(0, sys.argv[3])
import report_traces
tables = {table["table"]: table["rows"] for table in report_traces.read(sys.argv[1])[1]["summary"]["tables"]}
for table in json.load(open(sys.argv[2])):
	print(table["table"], len(table["rows"]) > 0, table["rows"] == tables[table["table"]])
END
is "$(paste -sd, compared)" "host calls True True,kernels True True,transfers True True" "which have the same numbers, percentiles among them"
report t.json -o j.html
is "$(page j.html | sort | sha256sum)" "$(page t.html | sort | sha256sum)" "JSON gives the same page as .tlt"
gzip -k t.json
report t.json.gz -o z.html
is "$(page z.html | sha256sum)" "$(page j.html | sha256sum)" "compressed JSON does, too"
report - -o - <t.tlt >r.html
is "$(page r.html | sha256sum)" "$(page t.html | sha256sum)" "a .tlt file from standard input"
report - -o - <t.json >o.html
is "$(page o.html | sha256sum)" "$(page j.html | sha256sum)" "standard input and output"
report t.tlt t.json -o two.html
is "$(page two.html | sed -n 1p | cut -d' ' -f1)" "$(($(page t.html | sed -n 1p | cut -d' ' -f1) * 2))" "two traces are one page"

# ---- a part of it: quickly of .tlt, by a tree of JSON of JSON
cat >tables.py <<'END'
import json, sys
sys.path.insert(0, sys.argv[2])
import report_traces
page, facts, slices, arrows = report_traces.read(sys.argv[1])
print(arrows, json.dumps(facts["summary"]))
END
timeout 60 "$tracelayer" run -o q.tlt -- "$apps/cl_requests" >/dev/null 2>&1
"$tracelayer" export q.tlt -o q.json 2>/dev/null
for trace in t q; do
	for options in --time=0.001:0.2 --time=@clBuildProgram: "--name=clEnqueue*,vector_add,write*,r*" --longer-than=2us --failed "--thread=cl_*" "--queue=*" --request=1; do
		report -f "$options" $trace.tlt -o some.html 2>some.said
		report -f "$options" $trace.json -o other.html 2>other.said
		is "$(page some.html | sort; "$python" -B tables.py some.html "$(dirname "$traces")"; cat some.said)" \
			"$(page other.html | sort; "$python" -B tables.py other.html "$(dirname "$traces")"; cat other.said)" "$trace, $options: the same of .tlt and JSON"
	done
done

# ---- who called
timeout 60 "$tracelayer" run --stack -o s.tlt -- "$apps/cl_vector_add" >/dev/null 2>&1
report s.tlt -o s.html >said 2>&1
is "$? $(cat said)" "0 " "a trace with stacks gives its page"
"$tracelayer" export s.tlt -o s.json 2>/dev/null
cat >stacks.py <<'END'
import json, sys
sys.path.insert(0, sys.argv[3])
import report_traces
trace = json.load(open(sys.argv[1]))
def chain(at):
    while at:
        yield trace["stackFrames"][at]["name"]
        at = trace["stackFrames"][at].get("parent")
page, facts, slices, arrows = report_traces.read(sys.argv[2])
wanted = sorted((round(e["ts"] * 1000), e["name"], *chain(e.get("sf"))) for e in trace["traceEvents"] if e["ph"] == "X")
print(sum("main" in one for one in wanted) > 20, wanted == sorted((facts["first"] + one[3], one[5], *one[8]) for one in slices))
END
is "$("$python" -B stacks.py s.json s.html "$(dirname "$traces")")" "True True" "each call has the functions that called, by name"
report s.json -o sj.html
is "$(page sj.html | sort | sha256sum)" "$(page s.html | sort | sha256sum)" "Chrome's stackFrames give the same page"
size=$(stat -c %s s.json) frames=$(grep -b -o '"stackFrames"' s.json | cut -d: -f1)
for place in $(seq "$((frames - 50))" "$(((size - frames) / 40))" "$((size - 2))"); do
	head -c "$place" s.json >cut.json
	report -f cut.json -o cut.html >said 2>&1
	echo "$? $(grep -c 'cut short' said)"
done | sort | uniq -c | sed 's/^ *//' >cuts
like "$(cat cuts)" '^4[0-9] 3 1$' "a file that ends in them gives its page, wherever that is"
is "$(grep -c . cuts)" 1 "and exit code 3"
report --name='clEnqueue*' s.tlt -o ss.html
is "$(page ss.html | grep -c '"main"')" "$(page s.html | grep -c '"clEnqueue.*"main"')" "a selection has them, too"
TRACELAYER_STACK='*' traced l.json "$apps/cl_vector_add" >/dev/null 2>&1
report l.json -o l.html
is "$(page l.html | grep -c '"cl_vector_add+0x')" "$(grep -c '"stack":\[.*"cl_vector_add+0x' l.json)" "and lists of names, as a process writes them itself"
cp "$apps/cl_vector_add" gone && timeout 60 "$tracelayer" run --stack -o g.tlt -- ./gone >/dev/null 2>&1
mkdir -p there && mv gone there/
report g.tlt -o g.html >said 2>&1
report --symbols=there g.tlt -o g2.html
is "$(grep -c "gone: not there, so its functions have no names; give a folder that has it with --symbols" said) $(page g.html | grep -c '"gone+0x') $(page g2.html | grep -c '"main"')" \
	"1 $(page s.html | grep -c '"main"') $(page s.html | grep -c '"main"')" "a program that is gone has no names, and a line says so; --symbols finds it elsewhere"

# ---- a folder
mkdir job && cp t.tlt job/
report job -o job.html >said 2>&1
is "$? $(cat said)" "1 tracelayer: job: it is a folder, and this needs a file; name a trace in it, or \`tracelayer export job -o all.json\` makes one of its .tlt files" "a folder is no trace, but can become one"
is "$(report t.tlt -o job 2>&1; report -f t.tlt -o . 2>&1; ls -d job*)" "tracelayer: job: it is a folder; give another place with -o
tracelayer: .: it is a folder; give another place with -o
job" "nor is it a page's place, with a number or without"
"$tracelayer" export job -o all.json 2>/dev/null && report all.json -o job.html
is "$(page job.html | sed -n 1p)" "$(page t.html | sed -n 1p)" "as that line says"

# ---- hostile texts
"$python" -B "$traces" hostile evil.json
report evil.json -o evil.html 2>said
is "$? $(cat said)" "0 " "a trace with hostile texts is a trace"
is "$(page evil.html | sed -n 1p)" "5 slices, 1 arrows, 8 scripts, 0 pictures" "no text becomes an element"
is "$(tr -d '\n' <evil.html | grep -c '<script>')" 0 "no script lacks the nonce or a type that is no script"
"$python" -B - evil.html "$(dirname "$traces")" >compared <<'END'
import sys
sys.path.insert(0, sys.argv[2])
import report_traces
page, facts, slices, arrows = report_traces.read(sys.argv[1])
evil = report_traces.EVIL
print([one[8] for one in slices if one[5] == evil] == [[evil, "circle" + evil]])
print([one[7] for one in slices if one[5] == evil] == [{evil: [evil, {evil: -1.5}, 7, None, True, "0x1f", "0x01"]}])
print(facts["processes"][0]["name"] == evil, facts["processes"][0]["facts"] == {evil: evil}, facts["lanes"][0]["name"] == evil)
END
is "$(cat compared)" "True
True
True True True" "and each text is in the page as it was"
like "$(grep -o "content=\"default-src[^\"]*" evil.html)" "default-src 'none'; script-src 'nonce-[0-9a-f]{32}'; style-src 'nonce-[0-9a-f]{32}'" "the page may ask for nothing, and run only its own script"
is "$(page evil.html | grep -o '[01] [0-9]* 5000 0 "cross[a-z]*"' | sort)" "0 0 5000 0 \"crossing\"
1 2000 5000 0 \"crossed\"" "slices that cross are on two rows"
like "$(page evil.html | grep '"unended"')" '^1 2 0 9000 2000 2 ' "a mark without an end goes on to the trace's end, and says so"
like "$(page evil.html | grep '"instant"')" '^1 2 0 11000 0 0 ' "an instant has no duration"

# ---- the file
report evil.json -o evil.html >said 2>&1
is "$? $(cat said)" "0 tracelayer: evil.html: that name is taken; written to evil.1.html (-f overwrites)" "a page that is there is kept"
echo old >old.html
report -f evil.json -o old.html
is "$? $(head -n 1 old.html)" "0 <!DOCTYPE html>" "--force replaces it"
report nothing.json -o n.html >said 2>&1
like "$? $(cat said)" "^1 tracelayer: nothing.json: .*No such file" "a trace that is missing"
ok "leaves no page" test ! -e n.html
report evil.json -o nowhere/n.html >said 2>&1
like "$? $(cat said)" "^1 tracelayer: nowhere/n.html: its folder is not there" "a place that is missing"
echo '[]' >empty.json
report empty.json -o empty.html >said 2>&1
is "$? $(cat said) $(page empty.html | sed -n 1p)" "0 tracelayer: the trace has no calls and no commands; the page is empty 0 slices, 0 arrows, 8 scripts, 0 pictures" "an empty trace"
head -c 2000 t.json >short.json
report short.json -o short.html >said 2>&1
is $? 3 "a trace that ends early gives its page, and exit code 3"
report -o n.html >said 2>&1
is $? 2 "no trace is a mistake"
head -c $(($(stat -c %s t.tlt) * 3 / 4)) t.tlt >short.tlt
report short.tlt -o short2.html >said 2>&1
is "$? $(grep -c 'short.tlt' said)" "3 1" "what is not sound in a .tlt file is said once"

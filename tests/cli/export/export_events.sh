#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer export of traces that are no .tlt: JSON, .pftrace and .sqlite become JSON and folded stacks, with what those of the .tlt have that they
# were made of. The trace is a real OpenCL program's, with stacks.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
command -v sqlite3 >/dev/null || { echo "Bail out! sqlite3 is missing; ./scripts/install-packages installs it"; exit 99; }
apps=$(cd "$top_builddir/tests/apps" && pwd)
cd "$tmp" || exit 99
plan 44

export_to() { "$tracelayer" export -f "$@"; }
timeout 60 "$tracelayer" run --quiet --stack -o t.tlt -- "$apps/cl_vector_add" >/dev/null 2>&1
for format in json pftrace sqlite folded; do export_to t.tlt -o t.$format; done
"$tracelayer" summary t.tlt >summary.tlt 2>&1
"$tracelayer" summary --by=stack t.tlt >stacks.tlt 2>&1
export_to t.tlt "--name=clEnqueue*" -o part.json
"$tracelayer" summary part.json >part.tlt 2>&1

# events FILE WITHOUT...: its events, sorted, without what that kind of file does not have.
cat >events.py <<'END'
import json, sys
trace, kind = json.load(open(sys.argv[1]), parse_int=float), sys.argv[2]
frames = trace["stackFrames"]
def chain(at):
    while at:
        yield frames[at]["name"]
        at = frames[at].get("parent")
for event in trace["traceEvents"]:
    if "sf" in event:
        event["sf"] = " < ".join(chain(event["sf"]))
    args = event.get("args", {})
    if event["name"] == "tracelayer":
        args.pop("realtime_ns")  # more digits than a number of JSON's readers has
    if kind == "json":
        continue
    if event["name"] == "tracelayer_end":
        event["args"] = args["lost"]
    if event["ph"] == "C":
        event.pop("tid")
    if event["ph"] == "C" or kind == "sqlite" and event["ph"] in "sf":
        event.pop("cat")  # doc/tracelayer-export.1 says so
    if event["ph"] in "sf" and kind == "sqlite":
        event.pop("id")
        event.pop("args", None)
print("\n".join(sorted(json.dumps(event, sort_keys=True) for event in trace["traceEvents"])))
END
for format in json pftrace sqlite; do
	export_to t.$format -o out.json 2>said
	is "$? $(cat said)" "0 " "$format: becomes JSON"
	"$python" events.py t.json $format >wanted
	"$python" events.py out.json $format >got
	same got wanted "$format: ... with the events and stacks of the .tlt's"
	"$tracelayer" summary out.json >got 2>&1
	same got summary.tlt "$format: ... of which summary says the same"
	"$tracelayer" summary --by=stack out.json >got 2>&1
	same got stacks.tlt "$format: ... by stack, too"
	export_to t.$format -o out.json.gz
	ok "$format: compressed it is the same" sh -c "zcat out.json.gz | cmp - out.json"
	export_to - -o - <t.$format >got
	same got out.json "$format: from standard input, to standard output"
	export_to out.json -o again.json
	same again.json out.json "$format: what was made is made again, byte for byte"
	export_to t.$format "--name=clEnqueue*" -o out.json
	"$tracelayer" summary out.json >got 2>&1
	same got part.tlt "$format: a part"
	for to in json sqlite; do export_to t.$format --name=nothing -o nothing.$to; done 2>said
	is "$(sort said | uniq -c | tr -s ' ')" " 2 tracelayer: the trace has nothing that is selected; see --name, --thread, --time and the other options that select" \
		"$format: a part with nothing in it is said to be that"
	export_to t.$format -o out.folded 2>said
	same out.folded t.folded "$format: folded stacks"
	is "$(cat said)" "" "$format: ... without a word"
	is "$(export_to t.$format -o out.pftrace 2>&1; echo $?)" "tracelayer: t.$format: only .tlt files become a .pftrace, a .tar or .otf2, which are made of records; give the .tlt that it was made of, or write .json, .sqlite or .folded
2" "$format: what it can't become, and what to do"
done
ok "of a .pftrace's counters the process is known" test "$(export_to t.pftrace -o p.sqlite && sqlite3 p.sqlite 'SELECT count(*) FROM process')" = 1
made='and only .tlt files become one timeline or are selected by rank; give the .tlt that it was made of, or export it by itself'
is "$(export_to t.json t.pftrace -o out.json 2>&1; echo $?)" "tracelayer: t.json: it is JSON, $made
tracelayer: t.pftrace: it is a Perfetto trace, $made
1" "several files"

# ---- of another tool
cat >other.json <<'END'
[{"ph":"X","name":"a\"'\u0000\u00e9\ud83d\ude00<b>\\\n","pid":"p","tid":"t","ts":1.0015,"dur":2.5,"args":{"n":1,"x":0.1,"big":1e300,"small":-2.5e-7,"list":[1,[2],{}],"none":null,"yes":true,"no":false}},
{"ph":"?","own":{"deep":[]}}]
END
export_to other.json -o out.json 2>said
is "$? $("$python" -c 'import json; print(json.load(open("other.json")) == json.load(open("out.json")))')" "0 True" "a trace of another tool stays what it is"
long=$(printf 'é%.0s' $(seq 1500))
echo "[{\"ph\":\"X\",\"name\":\"$long\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1},{\"ph\":\"X\",\"name\":\"x$long\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1}]" >long.json
export_to long.json -o out.json
is "$(grep -c "\"$long\"" out.json) $(grep -c "\"x$long\"" out.json)" "1 1" "long texts are whole"
export_to other.json -o out.folded 2>said
like "$(cat said)" '^tracelayer: other.json: it has no stacks, only functions; ' "without stacks there are only functions"

# ---- what is not whole
head -c 3000 t.json >cut.json
is "$(export_to cut.json -o out.json 2>/dev/null; echo $?) $("$python" -m json.tool out.json >/dev/null && echo sound)" "3 sound" "a trace that ends early: what is there, and exit code 3"
echo nonsense >bad.json
rm -f out.json
is "$(export_to bad.json -o out.json 2>/dev/null; echo $?) $(ls out.json* | grep -v gz)" "1 " "what is no trace leaves nothing behind"
like "$(bash -c 'ulimit -f 4; trap "" XFSZ; exec "$@"' - "$tracelayer" export t.json -o out.json 2>&1; ls out.json 2>&1)" \
	'^tracelayer: .*free some space' "no room: it is said, and nothing is left"

#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer phases: the cases of tests/cli/phases/nnapi/, and everything around them: the sources of a trace, the messages, and the cost.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command

cases=$(cd "$top_srcdir/tests/cli/phases/nnapi" && ls | grep -v README)
plan $(($(echo "$cases" | wc -l) + 72))

# section CASE NAME
section() { awk -v name="$2" '/^== / { on = $2 == name; next } on' "$top_srcdir/tests/cli/phases/nnapi/$1"; }
phases() { timeout 60 "$tracelayer" phases "$@" 2>"$tmp/said"; }

# One Python runs all forms of all cases: a line for each case, with what is wrong with it, if anything.
"$python" - "$tracelayer" "$top_srcdir/tests/cli/phases/nnapi" "$tmp/trace" $cases >"$tmp/cases" <<'END'
import json, re, subprocess, sys
tracelayer, folder, trace = sys.argv[1:4]
FORMS = {"text": [], "total-times": ["--total-times"], "per-execution": ["--per-execution"], "json": ["--json"]}


def sections(case):
    found, name = {}, None
    with open(f"{folder}/{case}", "rb") as file:
        for line in file:
            if line.startswith(b"== "):
                words = line.decode().split()
                name = words[1]
                found[name] = b" ".join(word.encode() for word in words[2:])
            else:
                found[name] += line
    return found


def phases(*options):
    done = subprocess.run([tracelayer, "phases", *options, trace], capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def form(has, name, code, options):
    """What is wrong with this form of a case."""
    got, printed, said = phases(*options)
    if got != code:
        yield f"{name}: the exit code is {got}"
    if printed != has.get(name, b""):
        yield f"{name}: printed {printed!r}"
    wanted = has.get("said", b"").decode().splitlines()
    if wanted and not any(re.search(one, line, re.ASCII) for one in wanted for line in said.splitlines()):
        yield f"said: {said!r}"


def case(name):
    has = sections(name)
    code = int(has.get("exit", b"0"))
    with open(trace, "wb") as file:
        file.write(has["trace"])
    # What Android's tool makes of no trace at all.
    like = ["--like-android"] if name == "19f_no_header" else []
    if code != 1:
        for one, options in FORMS.items():
            yield from form(has, one, code, like + options)
        return
    for options in ([], ["--total-times"], ["--per-execution"]):
        yield from form(has, "text", 1, like + options)
    try:
        json.loads(phases("--json")[1])
    except ValueError as error:
        yield f"json: {error}"


for name in sys.argv[4:]:
    print(name, "; ".join(case(name)))
END
while read -r case wrong; do
	is "$wrong" "" "$case"
done <"$tmp/cases"

# --- the same trace, however it comes
section 12_warmup_benchmark trace >"$tmp/trace"
section 12_warmup_benchmark text >"$tmp/expected"
mkdir "$tmp/inputs"
ok "a trace in many forms" "$python" "$top_srcdir/tests/cli/phases/phases_inputs.py" "$tmp/trace" "$tmp/inputs"
same() # DESCRIPTION FILE
{
	phases "$tmp/inputs/$2" >"$tmp/printed"
	is "$?$(cat "$tmp/said")" 0 "$1: exit code 0, and nothing is said"
	ok "$1: the same table" cmp "$tmp/expected" "$tmp/printed"
}
same "an HTML page" plain.html
same "a page with the trace compressed in it" packed.html
same "the same, in lines" wrapped.html
same "compressed" text.gz
same "a page, compressed" page.gz
same "two compressed files, one behind the other" two.gz
same "lines that end as on DOS" dos.txt
same "lines that end as on a Macintosh" mac.txt
same "no end of the last line" no_end.txt
same "a line that is longer than any row" long.txt
same "a newer kernel's header" newer.txt
same "a newer kernel's header, without processes" newer_old.txt
same "a process that ftrace did not know, in a newer kernel's dashes" dashes.txt
phases - <"$tmp/trace" >"$tmp/printed"
ok "standard input: the same table" cmp "$tmp/expected" "$tmp/printed"
cat "$tmp/inputs/packed.html" | phases - >"$tmp/printed"
ok "a pipe: the same table" cmp "$tmp/expected" "$tmp/printed"
phases "$tmp/inputs/cut.gz" >"$tmp/printed"
is $? 3 "a compressed file that is cut: exit code 3"
like "$(cat "$tmp/said")" 'cut\.gz: cut short' "and it is said"
phases "$tmp/inputs/cut.html" >"$tmp/printed"
is $? 3 "a page that is cut: exit code 3"
phases "$tmp/inputs/damaged.gz" >"$tmp/printed"
is $? 1 "a damaged file: exit code 1"
like "$(cat "$tmp/said")" 'damaged\.gz: the compressed data is damaged' "and it is said"
# none NAME FILE: there is no trace in it
none()
{
	phases "$2" >"$tmp/printed"
	is "$? $(wc -c <"$tmp/printed")" "3 0" "$1: exit code 3, and no table"
	like "$(cat "$tmp/said")" 'no trace in it' "$1: no trace in it, and it is said"
	phases --json "$2" >"$tmp/printed"
	is "$? $(tr -d '\n' <"$tmp/printed")" "3 []" "$1, as JSON: exit code 3, and an empty list"
	phases --like-android "$2" >"$tmp/printed"
	is "$? $(grep -c '^Total' "$tmp/printed")" "0 1" "$1, as Android's tool has it: exit code 0, and an empty table"
}
echo 'some text' >"$tmp/inputs/text.txt"
echo '[]' >"$tmp/inputs/list.json"
none "an empty file" "$tmp/inputs/nothing.txt"
none "a text" "$tmp/inputs/text.txt"
none "an empty list" "$tmp/inputs/list.json"
row='  app-12    (   12) [000] ...1   100.0%s0000: tracing_mark_write: '
printf "#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n${row}B|12|[NN_LA_PO]net\x1b]0;title\x07\xc2\x9b31m\xe2\x80\xaex\n${row}B|12|[NN_LR_PP]p\x1b[2J\n${row}E|12\n${row}E|12\n" \
	1 2 3 4 >"$tmp/inputs/escapes.txt"
for option in --total-times --print-detail; do
	phases $option "$tmp/inputs/escapes.txt" >"$tmp/printed"
	ok "marks can't steer a terminal ($option)" sh -c "LC_ALL=C; export LC_ALL; ! grep -q '[^	 -~]' '$tmp/printed' && grep -qF '\\x1b]0;title\\x07\\xc2\\x9b31m\\xe2\\x80\\xaex' '$tmp/printed'"
done
head -c 200M /dev/zero | gzip >"$tmp/inputs/bomb.gz"
phases "$tmp/inputs/bomb.gz" >"$tmp/printed"
is $? 1 "what becomes a thousand times as large as it is: exit code 1"
like "$(cat "$tmp/said")" 'bomb\.gz: the compressed data grows more than 250 times' "and it is said"
printf 'P\0ftrace' >"$tmp/inputs/binary"
phases "$tmp/inputs/binary" >"$tmp/printed"
is "$?$(cat "$tmp/printed")" 1 "a file that is no text: exit code 1"
{
	echo '#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION'
	printf '  app-1  (    1) [000] ...1   100.000000: tracing_mark_write: B|1|[NN_LA\0%0900000d_PE]run\n' 0
	echo '  app-1  (    1) [000] ...1   100.002000: tracing_mark_write: E|1'
} >"$tmp/inputs/nul"
phases "$tmp/inputs/nul" >"$tmp/printed"
is "$? $(grep -c '^Total' "$tmp/printed")" "0 1" "a NUL in a layer's name, and much behind it: a table"
phases "$tmp/inputs" >"$tmp/printed"
is $? 1 "a folder: exit code 1"
phases "$tmp/none" >"$tmp/printed"
is $? 1 "no file: exit code 1"
phases "$tmp/trace" "$tmp/trace" >"$tmp/printed"
is $? 2 "two files: exit code 2"
phases "$tmp/trace" >/dev/full
is $? 1 "a table that can't be written: exit code 1"

# --- traces of ours
# slices LINE...: "B|E TIME NAME" is a mark, "TIME DURATION NAME LAYER_PHASE" a call; microseconds, all of one thread.
slices()
{
	printf '%s\n' "$@" | "$python" -c '
import json, sys
events = [{"ph": "M", "pid": 7, "name": "process_name", "tid": 7, "args": {"name": "prog"}}]
for line in sys.stdin:
    word = line.split()
    if word[0] in "BE":
        events.append({"ph": word[0], "pid": 7, "tid": 7, "ts": float(word[1]), "name": word[2], "cat": "nntrace,runtime", "args": {}})
    else:
        events.append({"ph": "X", "pid": 7, "tid": 7, "ts": float(word[0]), "dur": float(word[1]), "name": word[2], "cat": "cl,runtime,NN_" + word[3], "args": {}})
json.dump(events, sys.stdout)'
}
# columns FILE ROW: the numbers of a row
columns() { sed -n "s/^$2  *//p" "$1" | tr -s ' '; }

slices "B 1000 [NN_LA_PO]net" "B 2000 [NN_LA_PP]load" "3000 1000 clCreateBuffer LR_PP" "E 5000 [NN_LA_PP]load" "B 10000 [NN_LA_PE]run" \
	"12000 6000 clEnqueueNDRangeKernel LD_PE" "E 30000 [NN_LA_PE]run" "E 41000 [NN_LA_PO]net" >"$tmp/ours.json"
phases "$tmp/ours.json" >"$tmp/expected"
is "$?$(cat "$tmp/said")" 0 "a trace of ours: exit code 0, and nothing is said"
is "$(columns "$tmp/expected" Application)" "n/a 2.00 n/a n/a n/a n/a 14.00 n/a 33.00*" "what the application spends itself"
is "$(columns "$tmp/expected" Runtime)" "- 1.00 - - - - - - 1.00" "what the runtime does"
is "$(columns "$tmp/expected" Driver)" "- - - n/a n/a n/a 6.00 - 6.00" "calls of the driver's layer are the driver's, which runs in the process"
gzip -c "$tmp/ours.json" >"$tmp/ours.json.gz"
phases "$tmp/ours.json.gz" >"$tmp/printed"
ok "compressed: the same table" cmp "$tmp/expected" "$tmp/printed"
cat "$tmp/ours.json.gz" | phases - >"$tmp/printed"
ok "through a pipe: the same table" cmp "$tmp/expected" "$tmp/printed"
"$top_builddir/trace_maker" "$tmp/ours.tlt" "$tmp/made.json" 2 10 10 && phases "$tmp/ours.tlt" >"$tmp/printed"
is $? 0 "a .tlt file: exit code 0"
head -c 700 "$tmp/ours.json" >"$tmp/cut.json"
phases "$tmp/cut.json" >"$tmp/printed"
is $? 3 "one that is cut: exit code 3"
echo '[{"ph":]' >"$tmp/broken.json"
phases "$tmp/broken.json" >"$tmp/printed"
is $? 1 "one that is none: exit code 1"
slices "B 1000 [NN_LR_PP]p" "B 2000 [NN_LR_PC]c" "E 3000 [NN_LR_PC]c" "E 4000 [NN_LR_PP]p" >"$tmp/ours.json"
phases "$tmp/ours.json" >"$tmp/printed"
is $? 1 "marks that break the contract: exit code 1"
like "$(cat "$tmp/said")" 'ours\.json: at 0\.002000000 s: thread 7: .*\[NN_LR_PC\]c" stands below .*\[NN_LR_PP\]p" \(: at 0\.001000000 s\): phase PC' \
	"where is said by the time"

phases /dev/zero >"$tmp/printed"
is "$? $(cat "$tmp/said")" "1 tracelayer: /dev/zero: it is a device; give the path of a trace file" "a device, which may never end, is no trace"

# --- details
section 15e_la_to_ipc_wrong_phase_moved trace >"$tmp/trace"
phases --print-detail "$tmp/trace" >"$tmp/printed"
like "$(cat "$tmp/printed")" '^ *PO LI_PC 1\.000000 B\|5143\|\[NN_LI_PC\]c counted here$' "the details say what was counted elsewhere"

# --- random traces
rounds=60
test "${STRESS:-0}" = 0 || rounds=3000
ok "random traces, $rounds of them: the same as a plain model of the rules" timeout 1800 "$python" "$top_srcdir/tests/cli/phases/phases_model.py" "$tracelayer" $rounds

# --- how far it is, on a terminal; and what it takes
ok "a terminal sees how far it is, and none of it stays" timeout 120 "$python" "$top_srcdir/tests/cli/phases/phases_progress.py" "$tracelayer" "$tmp/inputs/text.gz"
ok "memory is that of a run, not of the file" timeout 300 "$python" "$top_srcdir/tests/cli/phases/phases_memory.py" "$tracelayer" \
	"$top_builddir/bench_phases_trace" "${STRESS:-0}"

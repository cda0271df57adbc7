#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer export --systrace: traces as ftrace's text, in the form that Android's tool reads, by the rules of that tool.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
rows() { "$python" "$top_srcdir/tests/cli/export/systrace.py" "$1"; }

# slices LINE…: a trace of these, "TID START DURATION NAME [CATEGORY [ARGS]]" with _ for blanks, or "TID B|E TIME NAME".
slices()
{
	printf '%s\n' "$@" | "$python" -c '
import json, sys
events = [{"ph": "M", "pid": 7, "name": "process_name", "tid": 7, "args": {"name": "prog[1]"}}]
for line in sys.stdin:
    word = line.split()
    if word[1] in "BE":
        events.append({"ph": word[1], "pid": 7, "tid": int(word[0]), "ts": float(word[2]), "name": word[3], "cat": "nntrace,runtime", "args": {}})
    else:
        events.append({"ph": "X", "pid": 7, "tid": int(word[0]), "ts": float(word[1]), "dur": float(word[2]), "name": word[3].replace("_", " "),
                       "cat": word[4] if len(word) > 4 else "opencl,debug", "args": json.loads(word[5]) if len(word) > 5 else {}})
json.dump(events, sys.stdout)'
}
# becomes DESCRIPTION WANT LINE…: the rows of a trace of these lines, E and B with commas between.
becomes()
{
	local what=$1 want=$2; shift 2
	slices "$@" >"$tmp/slices.json"
	"$tracelayer" export -f --systrace "$tmp/slices.json" -o "$tmp/slices.txt" 2>"$tmp/said"
	is "$(rows "$tmp/slices.txt" 2>&1 | sed 's/^[0-9]* B //; s/^[0-9]* \(E\|open .*\)/\1/' | paste -sd,)" "$want" "$what"
}

plan 40

# Whole programs, whatever they record to.
for kind in json json.gz tlt; do
	traced "$tmp/cl.$kind" timeout 60 "$top_builddir/tests/apps/cl_vector_add" >/dev/null
	is "$("$tracelayer" export -f --systrace "$tmp/cl.$kind" 2>&1)" "" "$kind: nothing is said"
	ok "... its rows are such as Android's tool reads, in order and in balance" rows "$tmp/cl.systrace"
	is "$(rows "$tmp/cl.systrace" | grep -c ' open ')" 0 "... and all have ended"
	ok "... tracelayer phases takes it" "$tracelayer" phases "$tmp/cl.systrace"
	rm -f "$tmp/cl.systrace"
done
"$tracelayer" export -f --systrace "$tmp/cl.json" -o - >"$tmp/out.txt"
is "$(rows "$tmp/out.txt" | grep -c '\[NN_L')" "$("$python" -c '
import json, sys
print(1 + sum(2 if "NN_LD" in x["cat"] else "NN_L" in x["cat"] for x in json.load(open(sys.argv[1])) if x["ph"] == "X"))' "$tmp/cl.json")" \
	"each call has its mark, those to the driver one of the runtime around it, and the application one around all"
is "$("$tracelayer" export -f --systrace - -o - <"$tmp/cl.json" | cmp - "$tmp/out.txt" 2>&1)" "" "standard input gives the same"

# What calls count for in what they lie in.
becomes "calls of a program without marks" "[NN_LA_PO]prog_1_,[NN_LR_PP]a,E,[NN_LR_PE]b,[NN_LD_PE]b,E,E,c (1),E,[NN_LR_PT]d,E,E" \
	"7 10 5 a cl,runtime,NN_LR_PP" "7 20 5 b cl,runtime,NN_LD_PE" "7 30 5 c_[1]" "7 40 0 d cl,NN_LR_PT"
becomes "in the application's marks a call keeps its phase, where the contract moves it" "[NN_LA_PE]m,[NN_LR_PP]a,E,[NN_LR_PIO]b,[NN_LD_PIO]b,E,E,E" \
	"7 B 1 [NN_LA_PE]m" "7 10 5 a cl,runtime,NN_LR_PP" "7 20 5 b cl,runtime,NN_LD_PIO" "7 E 50 [NN_LA_PE]m"
becomes "... and has the mark's, where it may not stand" "[NN_LA_PP]m,[NN_LR_PP]a,[NN_LD_PP]a,E,E,E" \
	"7 B 1 [NN_LA_PP]m" "7 10 5 a cl,runtime,NN_LD_PE" "7 E 50 [NN_LA_PP]m"
becomes "a call to the driver in the runtime's mark needs none of the runtime around it" "[NN_LR_PE]m,[NN_LD_PR]a,E,[NN_LR_PE]b,E,E" \
	"7 B 1 [NN_LR_PE]m" "7 10 5 a cl,runtime,NN_LD_PR" "7 20 5 b cl,runtime,NN_LR_PC" "7 E 50 [NN_LR_PE]m"
becomes "in the CPU's mark calls to the driver are the CPU's, others utilities" "[NN_LC_PCO]m,[NN_LC_PCO]a,E,[NN_LU_PU]b,E,E" \
	"7 B 1 [NN_LC_PCO]m" "7 10 5 a cl,runtime,NN_LD_PR" "7 20 5 b cl,runtime,NN_LR_PE" "7 E 50 [NN_LC_PCO]m"
becomes "a utility's mark has utilities in it" "[NN_LR_PE]r,[NN_LU_PU]m,[NN_LU_PU]a,E,E,E" \
	"7 B 1 [NN_LR_PE]r" "7 B 2 [NN_LU_PU]m" "7 10 5 a cl,runtime,NN_LD_PR" "7 E 40 x" "7 E 50 x"
becomes "behind a switch its phase counts" "[NN_LC_PTR]m,[NN_LC_PTR]a,E,[SW][NN_LC_PCO]m,[NN_LC_PCO]b,E,E,E" \
	"7 B 1 [NN_LC_PTR]m" "7 10 5 a cl,runtime,NN_LD_PR" "7 B 18 [SW][NN_LC_PCO]m" "7 20 5 b cl,runtime,NN_LD_PR" "7 E 40 x" "7 E 50 x"
becomes "a warm-up's calls are execution" "[NN_LA_PWU]m,[NN_LR_PE]a,[NN_LD_PE]a,E,E,E" \
	"7 B 1 [NN_LA_PWU]m" "7 10 5 a cl,runtime,NN_LD_PE" "7 E 50 x"
becomes "a call within a call of the driver's counts for that" "[NN_LA_PO]m,[NN_LR_PC]a,[NN_LD_PC]a,[NN_LU_PU]b,E,E,E,E" \
	"7 B 1 [NN_LA_PO]m" "7 12 2 b cl,debug,NN_LR_PI" "7 10 5 a cl,runtime,NN_LD_PC" "7 E 50 x"
becomes "a call in which the program made marks has none" "[NN_LA_PO]m,a,[NN_LA_PE]c,E,E,E" \
	"7 B 1 [NN_LA_PO]m" "7 B 12 [NN_LA_PE]c" "7 E 14 x" "7 10 5 a cl,runtime,NN_LD_PC" "7 E 50 x"
is "$("$tracelayer" phases "$tmp/slices.txt" >"$tmp/phases.out" 2>&1; echo $?)" 0 "... so that the contract's rules hold"

# Times and order.
becomes "of those with the same times the one that ended last is around the other" "[NN_LA_PP]m,[NN_LR_PP]a,E,E" \
	"7 B 10 [NN_LA_PP]m" "7 10 5 a cl,runtime,NN_LR_PP" "7 E 15 x"
becomes "what begins where another ends lies behind it" "[NN_LA_PP]m,[NN_LR_PP]a,E,[NN_LR_PP]b,E,E" \
	"7 B 1 [NN_LA_PP]m" "7 10 5 a cl,runtime,NN_LR_PP" "7 15 5 b cl,runtime,NN_LR_PP" "7 E 50 x"
becomes "a slice that outlasts the one around it ends with it" "[NN_LA_PP]m,[NN_LR_PP]a,E,E" \
	"7 B 1 [NN_LA_PP]m" "7 10 500 a cl,runtime,NN_LR_PP" "7 E 50 x"
becomes "threads' rows are in the order of time" "[NN_LA_PP]m,[NN_LA_PC]n,E,E" \
	"7 B 1 [NN_LA_PP]m" "7 E 50 x" "8 B 2 [NN_LA_PC]n" "8 E 20 x"
becomes "an end without a beginning is left out" "[NN_LA_PP]m,E" "7 E 1 x" "7 B 2 [NN_LA_PP]m" "7 E 50 x"
like "$(cat "$tmp/said")" "1 ends have no beginning" "... and told of"
becomes "what has not ended stays open" "[NN_LA_PP]m,[NN_LR_PP]a,open [NN_LA_PP]m,open [NN_LR_PP]a" \
	"7 B 1 [NN_LA_PP]m" '7 10 5 a cl,runtime,NN_LR_PP {"unfinished":true}'
"$tracelayer" phases "$tmp/slices.txt" >/dev/null 2>&1
is $? 3 "... and tracelayer phases says that the run is incomplete"

# What goes wrong.
printf '[\n{"ph":"X","pid":7,"tid":7,"ts":1,"dur":1,"name":"a","cat":"cl,NN_LR_PP","args":{}},\n{"ph":' >"$tmp/cut.json"
"$tracelayer" export -f --systrace "$tmp/cut.json" 2>"$tmp/said"
is "$? $(rows "$tmp/cut.systrace" | wc -l)" "3 4" "of a trace that is cut short there is what is sound"
echo nonsense >"$tmp/bad.json"
"$tracelayer" export -f --systrace "$tmp/bad.json" 2>"$tmp/said"
is "$? $(ls "$tmp"/bad.s* 2>/dev/null)" "1 " "of what is no trace there is nothing"
like "$("$tracelayer" export "$tmp/slices.json" -o "$tmp/x.systrace" 2>&1)" "no format has this ending; .*--systrace for ftrace's text$" "without the option, its ending alone names it"

# Programs without marks: the table is that of their calls.
export ZE_ENABLE_ALT_DRIVERS=$top_builddir/tests/drivers/.libs/ze_driver_a.so
for app in cl_vector_add ze_vector_add; do
	for kind in json tlt; do
		traced "$tmp/$app.$kind" timeout 60 "$top_builddir/tests/apps/$app" >/dev/null
	done
	"$tracelayer" phases --json --call-tree "$tmp/$app.json" >"$tmp/table.json" 2>"$tmp/said"
	is "$? $("$python" "$top_srcdir/tests/cli/phases/phases_calls.py" "$tmp/$app.json" "$tmp/table.json" 2>&1)" "0 " "$app: phases says what its calls say"
	"$tracelayer" export -f "$tmp/$app.tlt" -o "$tmp/exported.json"
	"$tracelayer" phases --json --call-tree "$tmp/$app.tlt" >"$tmp/table.json" 2>>"$tmp/said"
	is "$? $("$python" "$top_srcdir/tests/cli/phases/phases_calls.py" "$tmp/exported.json" "$tmp/table.json" 2>&1)" "0 " "... also of records (.tlt)"
done

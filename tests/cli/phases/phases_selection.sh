#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer phases: the options that select a part of a trace, of a systrace and of a real OpenCL program's trace.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
app=$(cd "$top_builddir" && pwd)/tests/apps/cl_requests
cd "$tmp" || exit 99
export TZ=UTC
timeout 100 "$app" >out 2>&1 || skip_all "OpenCL does not work on this machine"
plan 46

phases() { timeout 60 "$tracelayer" phases "$@" 2>said; }
# spent OPTION… FILE: "LAYER_PHASE=MS" of all times of all runs that are not 0, apart from the other layers' PO, which are sums.
spent()
{
	phases --json "$@" | "$python" -c '
import json, sys
print(*sorted("%s_%s=%.2f" % (layer, phase, ms) for run in json.load(sys.stdin) for phase, layers in run["times"].items()
              for layer, ms in layers.items() if ms and layer != "LT" and (phase != "PO" or layer == "LA")))'
}

# --- a systrace: each number is that of the rows
rows()
{
	echo "#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION"
	while read -r task process at what; do
		echo "  $task  (   $process) [000] ...1   100.$at: tracing_mark_write: $what"
	done
}
rows >t.txt <<-'END'
	app-12 12 000000 B|12|[NN_LA_PO]net
	app-12 12 010000 B|12|[NN_LA_PP]load
	app-12 12 012000 B|12|[NN_LR_PP]create
	app-12 12 016000 E|12
	app-12 12 020000 E|12
	app-12 12 030000 B|12|[NN_LA_PC]build
	app-12 12 031000 B|12|[NN_LR_PC]compile
	app-12 12 032000 B|12|[NN_LI_PC]HIDL::IDevice::prepareModel::client
	worker-13 12 032000 B|12|[NN_LR_PC]aside
	other-14 14 033000 B|14|[NN_LR_PI]elsewhere
	other-14 14 034000 E|14
	worker-13 12 037000 E|12
	app-12 12 038000 E|12
	app-12 12 039000 E|12
	app-12 12 040000 E|12
	app-12 12 100000 E|12
END
is "$(spent t.txt)" "LA_PC=10.00 LA_PO=100.00 LA_PP=10.00 LI_PC=6.00 LR_PC=13.00 LR_PI=1.00 LR_PP=4.00" "everything"
is "$(spent --name='*compile' t.txt)" "LI_PC=6.00 LR_PC=8.00" "--name: marks of that name, and what lies in them"
is "$(spent --name=compile t.txt)" "LI_PC=6.00 LR_PC=8.00" "... without their brackets"
is "$(spent --name='[[]NN_LR_*' t.txt)" "LI_PC=6.00 LR_PC=13.00 LR_PI=1.00 LR_PP=4.00" "... with them"
is "$(spent --name=create,load --name=aside t.txt)" "LA_PP=10.00 LR_PC=5.00 LR_PP=4.00" "... several names"
is "$(spent --longer-than=5ms t.txt)" "LA_PC=10.00 LA_PO=100.00 LA_PP=10.00 LI_PC=6.00 LR_PC=13.00" "--longer-than: what is short is left out"
phases --longer-than=5ms t.txt >printed
like "$(cat printed)" '^Application +n/a +10\.00 ' "... and its time is that of the mark around it"
is "$(spent --time=0.005:0.014 t.txt)" "LA_PO=9.00 LA_PP=4.00 LR_PP=2.00" "--time: of marks that lie partly in it, the part"
is "$(spent --time=5ms:14ms t.txt)" "LA_PO=9.00 LA_PP=4.00 LR_PP=2.00" "... in other units"
is "$(spent --time=:0.014 t.txt)" "LA_PO=14.00 LA_PP=4.00 LR_PP=2.00" "... without a beginning"
is "$(spent --time=0.035: t.txt)" "LA_PC=5.00 LA_PO=65.00 LI_PC=3.00 LR_PC=6.00" "... without an end"
is "$(spent --time==100.035:=100.036 t.txt)" "LA_PC=1.00 LA_PO=1.00 LI_PC=1.00 LR_PC=2.00" "... by the trace's clock"
is "$(spent --time=@build t.txt)" "LA_PC=10.00 LA_PO=10.00 LI_PC=6.00 LR_PC=13.00 LR_PI=1.00" "... while a mark lasts"
is "$(spent "--time=@[NN_LA_PC]build" t.txt)" "$(spent --time=@build t.txt)" "... whose name is given with its brackets"
is "$(spent --time=@create:@compile t.txt)" "LA_PC=9.00 LA_PO=27.00 LA_PP=8.00 LI_PC=6.00 LR_PC=13.00 LR_PI=1.00 LR_PP=4.00" "... from one mark to the end of another"
phases --time=2026-11-24T04:05:44: t.txt >printed
is "$? $(cat said)" "2 tracelayer: --time: the trace does not say on which day it began; give seconds from its start" "... a systrace has no date"
phases --time=@nix t.txt >printed
is "$? $(cat said)" "2 tracelayer: --time: the trace has no slice or mark named nix; \`tracelayer summary\` lists the names" "... a name that is not there"
is "$(spent --thread=worker t.txt)" "LR_PC=5.00" "--thread: by its name"
is "$(spent --thread=13,14 t.txt)" "LR_PC=5.00 LR_PI=1.00" "... by numbers"
is "$(spent --process=other t.txt)" "LR_PI=1.00" "--process: by the name of its first thread"
is "$(spent --process=12 t.txt)" "LA_PC=10.00 LA_PO=100.00 LA_PP=10.00 LI_PC=6.00 LR_PC=13.00 LR_PP=4.00" "... by its number"
is "$(spent --process=app --thread='w*' t.txt)" "LR_PC=5.00" "both: threads of that process"
is "$(spent --thread=app --time=@build --longer-than=7ms t.txt)" "LA_PC=10.00 LA_PO=10.00 LR_PC=8.00" "several options: what all of them select"
phases --process=worker t.txt >printed
is "$?$(cat printed)" 0 "nothing is selected: no table"
is "$(cat said)" "tracelayer: t.txt: no mark is selected; leave out some of --time, --thread, --process, --name and --longer-than" "... and it is said"
gzip -c t.txt | phases --time=@build - >printed
phases --time=@build t.txt >wanted
ok "standard input: the same" cmp wanted printed

# --- executions, which are added up from single calls
rows >e.txt <<-'END'
	app-12 12 000000 B|12|[NN_LA_PO]net
	app-12 12 001000 B|12|[NN_LR_PE]ANeuralNetworksExecution_create
	app-12 12 002000 E|12
	app-12 12 010000 B|12|[NN_LR_PE]ANeuralNetworksExecution_startCompute
	app-12 12 011000 E|12
	app-12 12 019000 B|12|[NN_LR_PE]ANeuralNetworksEvent_wait
	app-12 12 020000 E|12
	app-12 12 030000 B|12|[NN_LR_PE]ANeuralNetworksExecution_create
	app-12 12 031000 E|12
	app-12 12 040000 B|12|[NN_LR_PE]ANeuralNetworksExecution_startCompute
	app-12 12 041000 E|12
	app-12 12 059000 B|12|[NN_LR_PE]ANeuralNetworksEvent_wait
	app-12 12 060000 E|12
	app-12 12 100000 E|12
END
is "$(spent e.txt)" "LA_PO=100.00 LR_PE=32.00" "executions"
is "$(spent --time=0.03:0.05 e.txt)" "LA_PO=20.00 LR_PE=11.00" "... the part of one that has begun and is not yet waited for"
is "$(phases --time=0.025: --json e.txt | "$python" -c 'import json, sys; print(json.load(sys.stdin)[0]["execution_counts"]["PO"])' 2>&1)" 1 "... and only it is counted"
is "$(spent --name='*startCompute' e.txt)" "LR_PE=30.00" "... by the name of the call that starts them"

# --- runs
rows >r.txt <<-'END'
	app-12 12 000000 B|12|[NN_LA_PO]first
	app-12 12 010000 E|12
	app-12 12 020000 B|12|[NN_LA_PO]second
	app-12 12 040000 E|12
END
phases --time=0.015: r.txt >printed
is "$(grep -c 'NN_LA_PO' printed) $(grep -c second printed)" "1 1" "of runs, only those that lie in the time have tables"
# A thread that is not selected may lack the end of its marks.
rows >b.txt <<-'END'
	app-12 12 000000 B|12|[NN_LA_PO]net
	bad-13 12 001000 B|12|[NN_LR_PP]p
	bad-13 12 002000 B|12|[NN_LR_PC]c
	app-12 12 040000 E|12
END
is "$(spent --thread=app b.txt)" "LA_PO=40.00" "what is wrong with a thread that is not selected does not matter"
phases b.txt >printed
is $? 3 "... and does otherwise"
for option in queue=x device=x request=1 failed; do
	phases --$option t.txt >printed
	is $? 2 "--$option is not offered: marks have none"
done

# --- a real program
timeout 100 "$tracelayer" run --quiet -o %p.tlt -- "$app" >out 2>&1
mv "$(ls -S [0-9]*.tlt | head -n 1)" t.tlt # the child's is the smaller one
"$tracelayer" export t.tlt -o t.json 2>out
# call NAME: when its first call begins and ends, in seconds from the start; its length, ms; its thread; the program.
call()
{
	"$python" - "$1" <<-'END'
	import json, sys
	every = json.load(open("t.json"))
	start = next(x["args"]["monotonic_ns"] for x in every if x["name"] == "tracelayer")
	call = min((x for x in every if x["ph"] == "X" and x["name"] == sys.argv[1] and "device" not in x["cat"]), key=lambda x: x["ts"])
	begin = round(call["ts"] * 1000) - start
	name = next(x["args"]["name"] for x in every if x["name"] == "process_name")
	print("%.9f %.9f %.2f %d %s" % (begin / 1e9, (begin + round(call["dur"] * 1000)) / 1e9, call["dur"] / 1000, call["tid"], name))
	END
}
read -r from to length thread program < <(call clBuildProgram)
is "$(spent "--time=$from:$to" t.tlt)" "LA_PO=$length LD_PC=$length LR_PC=$length" "a trace of tracelayer: while a call lasts"
is "$(spent --time=@clBuildProgram t.tlt)" "$(spent "--time=$from:$to" t.tlt)" "... by its name"
is "$(spent --time=@clBuildProgram t.json)" "$(spent --time=@clBuildProgram t.tlt)" "... of JSON, too"
phases --time=@clBuildProgram t.json >wanted
cat t.json | phases --time=@clBuildProgram - >printed
ok "... of standard input, too" cmp wanted printed
is "$(spent "--process=$program" t.tlt)" "$(spent t.tlt)" "its program is known by its name"
is "$(spent "--thread=$thread" --name=clBuildProgram t.tlt)" "LD_PC=$length LR_PC=$length" "... its threads by their numbers"
is "$(spent --thread=nix t.tlt)$(spent --process=nix t.tlt)" "" "... and no others"
is "$(spent --name=clBuildProgram t.tlt)" "$("$tracelayer" summary --name=clBuildProgram --json t.tlt 2>out | "$python" -c '
import json, sys
row = next(table for table in json.load(sys.stdin)["tables"] if table["table"] == "host calls")["rows"][0]
print("LD_PC=%.2f LR_PC=%.2f" % (row["total_ns"] / 1e6, row["total_ns"] / 1e6))')" "--name: the time that summary has, too"
phases --time=2020-01-01T00:00:00:2100-01-01T00:00:00 t.tlt >printed
phases t.tlt >wanted
ok "its date is known" cmp wanted printed

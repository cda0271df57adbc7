#!/bin/bash
# SPDX-License-Identifier: MIT
# The calls that threads are in when their process ends are in the trace as unfinished, in each format, and for each reader of it. Each
# call is there once.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
app=$(cd "$top_builddir" && pwd)/tests/apps/ends_within
tracelayer=$(cd "$top_builddir" && pwd)/tracelayer
OCL_ICD_VENDORS=$(cd "$top_builddir" && pwd)/tests/drivers/.libs/icd_a.so
export OCL_ICD_VENDORS
cd "$tmp" || exit 99
plan 40

# within WAY OPTION...: traced; the trace's name is the last option.
within()
{
	local way=$1
	shift
	rm -f t.*
	"$tracelayer" run --quiet "$@" -- timeout 60 "$app" "$way" 2>err
}

# unfinished FILE: thread, call and whether it is unfinished, of all waits and releases, sorted; and how many events have a thread and a time
# in common, and whether the end counts all.
unfinished()
{
	"$python" -B - "$1" <<-'END'
	import json, sys
	events = json.load(open(sys.argv[1]))
	names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
	calls = [event for event in events if event["ph"] == "X"]
	for line in sorted("%s %s %s" % (names[call["tid"]], call["name"], call["args"].get("unfinished", False))
			   for call in calls if call["name"] in ("clWaitForEvents", "clReleaseMemObject")):
	    print(line)
	end = [event["args"]["events"] for event in events if event["name"] == "tracelayer_end"]
	print(len(calls) - len({(call["tid"], call["ts"], call["dur"]) for call in calls}),
	      end == [sum(event["ph"] != "M" for event in events)])
	END
}

three="releases clReleaseMemObject True
releases clWaitForEvents True
waits clWaitForEvents True
0 True"

for way in return _exit quick_exit exec; do
	within $way -o t.json
	is "$? $(cat err)" "5 " "$way: the program's own end, and nothing said"
	is "$(unfinished t.json)" "$three" "$way: the calls that threads were in are there, by name, once"
done

within exec-fails -o t.json
is "$?" 5 "an exec fails: the program goes on"
is "$(unfinished t.json)" "${three//True
/False
}" "and its calls are there as they ended, once"

for options in "--full=ring" "--full=drop" "--stack=*" "--args=none" "--include=clWait*,clReleaseMem*"; do
	within return "$options" -o t.json
	is "$(unfinished t.json)" "$three" "$options: the same"
done

for format in json.gz tlt pftrace; do
	within return -o t.$format
	is "$("$tracelayer" summary --csv t.$format | grep -cE '^"?(clWaitForEvents"?,2|clReleaseMemObject"?,1),')" 2 "$format: the summary has them"
	if test $format = pftrace; then
		is "$(grep -ac unfinished t.$format)" 1 "$format: the word is there"
	else
		"$tracelayer" export -f -o x.json t.$format
		is "$(unfinished x.json)" "$three" "$format: exported, they are the same"
	fi
done

# No other call was made.
within return "--include=clWait*,clReleaseMem*" -o t.tlt
is "$("$tracelayer" report -f -o t.html t.tlt 2>&1; grep -q clReleaseMemObject t.html && echo there)" there "the report of a process that is in its only calls"
is "$("$tracelayer" summary --csv t.tlt | grep -c ^cl)" 2 "and its summary"

within return "--stack=clWait*" -o t.tlt
is "$("$tracelayer" export -f -o t.folded t.tlt 2>&1; grep -c 'wait_for_it;clWaitForEvents ' t.folded)" 1 "folded stacks have them"

# A pipe gets its end once.
mkfifo t.fifo
cat t.fifo >t.copy &
env LD_PRELOAD="$top_builddir/.libs/libtracelayer.so" TRACELAYER_OUTPUT=t.fifo "$app" return
is $? 5 "into a pipe: the program's own end"
wait
is "$(unfinished t.copy)" "$three" "and all is there"

# Threads that make calls all the time: none is there twice, and none is both.
for turn in 1 2 3 4 5; do
	within busy -o t.json
	is "$(unfinished t.json)" "$three" "others make calls all the time, $turn: each call once"
done

# outside FILE: how many calls the unfinished clReleaseMemObject's thread made, and ended, outside of that call.
outside()
{
	"$python" -B - "$1" <<-'END'
	import decimal, json, sys
	calls = [event for event in json.load(open(sys.argv[1]), parse_float=decimal.Decimal) if event["ph"] == "X"]
	(outer,) = [call for call in calls if call["args"].get("unfinished") and call["name"] == "clReleaseMemObject"]
	inner = [call for call in calls if call["tid"] == outer["tid"] and call is not outer]
	print(len(inner) > 5, sum(not outer["ts"] <= call["ts"] <= call["ts"] + call["dur"] <= outer["ts"] + outer["dur"] for call in inner))
	END
}

for turn in 1 2 3 4 5; do
	within calls -o t.json
	is "$(outside t.json)" "True 0" "calls that are made within an unfinished one lie within it, $turn"
done

# Many threads, and many calls of one thread.
for format in json tlt; do
	for way in many,6500 deep,100; do
		within ${way%,*} "--include=clWait*,clReleaseMem*" -o t.$format
		is "$("$tracelayer" summary --csv t.$format | awk -F, '/^cl/ { all += $2 } END { print all }')" ${way#*,} "$way, $format: all are there"
	done
done

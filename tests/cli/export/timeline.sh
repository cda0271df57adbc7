#!/bin/bash
# SPDX-License-Identifier: MIT
# timeline.sh: tracelayer export of several files: one timeline on one clock, in which nothing collides, or a part of it. Machines are
# made of one: timeline.py gives a recording another machine's name and clock, so that all of its numbers are there twice.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
plan 83
apps=$top_builddir/tests/apps
ask() { "$python" -B "$top_srcdir/tests/cli/export/timeline.py" "$@"; }
export_to() { "$tracelayer" export -f "$@" 2>"$tmp/said"; }
# What it says of the time of day depends on the machine.
said() { grep -v 'set by the time of day: ' "$tmp/said"; }
all=$tmp/all
in=$tmp/in
mkdir "$tmp/python" "$in"
ok "Perfetto's fields" sh -c "cd '$top_srcdir/tests/format/encode' && protoc --python_out='$tmp/python' pftrace.proto"

# record RANK COMMAND…: one process of a job.
record()
{
	local rank=$1
	shift
	PMI_RANK=$rank "$tracelayer" run -o "$in/$rank.tlt" -- "$@" >"$tmp/out" 2>&1 || diag "$(cat "$tmp/out")"
}
record 0 "$apps/cl_vector_add"
ZE_ENABLE_ALT_DRIVERS=$top_builddir/tests/drivers/.libs/ze_driver_a.so record 1 "$apps/ze_vector_add" -t 3
# A program with marks; it writes its profile beside them.
LD_PRELOAD=$libtracelayer TRACELAYER_OUTPUT=$in/4.tlt PMI_RANK=4 timeout 120 "$apps/agree" "$tmp/profile" >"$tmp/out" 2>&1
ask host "$in/0.tlt" "$in/2.tlt" nodeb 2 0.3
ask host "$in/1.tlt" "$in/3.tlt" nodec 3 -0.25
for rank in 0 1 2 3 4; do "$tracelayer" export "$in/$rank.tlt" -o "$tmp/one.$rank.json"; done

# --- all of them, in each format
export_to "$in" -o "$all.json"
is "$? $(said)" "0 " "a folder becomes one timeline: exit code 0, and nothing is said"
ask json "$all.json" "$tmp"/one.?.json >"$tmp/numbers"
is $? 0 "it has the events of each process, once; no process, thread, lane, flow or correlation is two processes'"
is "$(cut -d';' -f1 <"$tmp/numbers")" "300000 300000 0 550000 300000 us" "each process's times are moved to the clock of the machine that was started first"
ok "it is a trace as viewers want it" strict_json "$all.json"
export_to "$in/3.tlt" "$in/1.tlt" "$in/0.tlt" "$in/4.tlt" "$in/2.tlt" -o "$tmp/files.json"
same "$tmp/files.json" "$all.json" "files in another order are the same timeline: it is in the order of ranks"
export_to "$in" -o "$all.pftrace"
is $? 0 "as .pftrace"
like "$(ask pftrace "$tmp/python" "$all.pftrace" "$all.json")" 'slices, [1-9][0-9]* arrows, 5 processes' "it has the same slices, arrows and counters as JSON"
for format in json pftrace; do
	export_to "$in" -o "$all.$format.gz"
	ok "compressed: the same $format" sh -c "zcat '$all.$format.gz' | cmp - '$all.$format'"
done
export_to "$in" -o - >"$tmp/out.json"
ok "- is standard output, as JSON" cmp "$tmp/out.json" "$all.json"
export_to "$in" -o "$all.tar"
is $? 0 "as .tar"
ok "which tar reads" tar tf "$all.tar"
is "$(tar tf "$all.tar" | tr '\n' ' ')" "perfetto_manifest.json $(uname -n)/0.pftrace $(uname -n)/1.pftrace nodeb/2.pftrace nodec/3.pftrace $(uname -n)/4.pftrace " "with the manifest and a file for each rank"
like "$(ask tar "$tmp/python" "$all.tar" "$all.pftrace")" "slices; rank 0 $(uname -n), rank 1 $(uname -n), rank 2 nodeb, rank 3 nodec, rank 4 $(uname -n)" "put together by the manifest, they are the timeline"
export_to "$in" -o "$all.tar.gz"
ok "a compressed one has the same files" sh -c "test \"\$(zcat '$all.tar.gz' | tar xO | cksum)\" = \"\$(tar xOf '$all.tar' | cksum)\""
if "$tracelayer" export "$in" -o "$tmp/none/x.otf2" 2>&1 | grep -q 'built without OTF2'; then
	skip 9 "OTF2's library was not installed when this machine built tracelayer"
else
	export_to "$in" -o "$all.otf2"
	is "$? $(said)" "0 " "as OTF2"
	ask otf2 "$all.otf2" "$all.json" >"$tmp/otf2"
	is $? 0 "otf2-print finds the same slices and values in it"
	like "$(cat "$tmp/otf2")" '5 of them queues; .*rank 2 \(cl_vector_add [0-9]*\) on nodeb; ' "locations, location groups and hosts ($(cut -d';' -f1 <"$tmp/otf2"))"
	for format in otf2 json; do export_to "$in" --name='clEnqueue*,ze*' -o "$tmp/some.$format"; done
	export_to "$in" --name=nothing -o "$tmp/nothing.otf2"
	like "$(said)" '^tracelayer: the traces have nothing that is selected; ' "a part with nothing in it is said to be that"
	ok "a part of it, in which some threads have nothing" ask otf2 "$tmp/some.otf2" "$tmp/some.json"
	"$tracelayer" export "$in" -o "$all.otf2" 2>"$tmp/said"
	is "$? $(said)" "0 tracelayer: $all.otf2: that name is taken; written to $tmp/all.1.otf2 (-f overwrites)" "a second one gets another name"
	: >"$tmp/app"
	"$tracelayer" export "$in" -o "$tmp/app.otf2" -f 2>"$tmp/said"
	is "$? $(said)" "1 tracelayer: $tmp/app.otf2: another file beside it has a name that the archive needs; no archive was left there; give another name with -o" \
		"no file that is not of an archive is replaced, such as the program"
	cat >"$tmp/taker.c" <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdlib.h>
		/* Somebody else makes an archive of that name while the command makes its own. */
		char *mkdtemp(char *name)
		{
			char *(*real)(char *) = (char *(*)(char *))dlsym(RTLD_NEXT, "mkdtemp");
			char *made = real(name);
			return system("cd $TAKEN && mkdir race && echo theirs | tee race.def >race.otf2") ? NULL : made;
		}
	END
	${CC:-cc} -shared -fPIC -o "$tmp/taker.so" "$tmp/taker.c"
	TAKEN=$tmp LD_PRELOAD=$tmp/taker.so "$tracelayer" export "$in" -o "$tmp/race.otf2" 2>"$tmp/said"
	is "$? $(said)" "0 tracelayer: $tmp/race.otf2: that name is taken; written to $tmp/race.1.otf2 (-f overwrites)" "so does one whose name somebody takes meanwhile"
	is "$(cat "$tmp/race.otf2" "$tmp/race.def")" $'theirs\ntheirs' "... and what that one made stays"
	ok "... and it is whole" ask otf2 "$tmp/race.1.otf2" "$all.json"
fi

# --- a part
# part WHAT VALUE DESCRIPTION: --WHAT=VALUE gives what the whole timeline has of it; and the arrows that are left are whole in Perfetto.
part()
{
	export_to "$in" "--$1=$2" -o "$tmp/part.json"
	ask select "$all.json" "$tmp/part.json" "$1$4" "$2" >"$tmp/selected"
	is $? 0 "$3 ($(cat "$tmp/selected"))"
	export_to "$in" "--$1=$2" -o "$tmp/part.pftrace"
	ok "and in .pftrace, with no arrow that Perfetto would complain of" ask pftrace "$tmp/python" "$tmp/part.pftrace" "$tmp/part.json"
}
IFS=';' read -r _ start middle later <"$tmp/numbers"
part name 'clEnqueue*,vector_add' "calls and commands of some names"
part name 'zeCommandQueueExecuteCommandLists,*opy*' "another API's"
part thread 'queue*' "the queues alone"
part thread 'cl_*' "the threads of one program alone"
part time "0-$middle" "the beginning" ":$start"
part time "$middle-" "the rest" ":$start"
part time "$middle-$later" "a part that marks reach into from outside" ":$start"
part name '*run,*agree' "some marks"
export_to "$in" --time=0- -o "$tmp/part.json"
same "$tmp/part.json" "$all.json" "all of the time is all"
export_to "$in" --rank=1-2 -o "$tmp/part.json"
export_to "$in/1.tlt" "$in/2.tlt" -o "$tmp/two.json"
is "$(ask json "$tmp/part.json" "$tmp/one.1.json" "$tmp/one.2.json" | cut -d';' -f1)" "300000 0 us" "two ranks"
for set in '*/2' '0,2' '0-3/2' '0,2-4'; do
	export_to "$in" "--rank=$set" -o "$tmp/part.json"
	case $set in
	0,2-4) count=4 ;;
	\*/2) count=3 ;;
	*) count=2 ;;
	esac
	is "$(grep -c '"name":"process_name"' "$tmp/part.json")" "$count" "--rank=$set: $count processes"
done
export_to "$in" --process='ze_*' -o "$tmp/part.json"
is "$(grep -c '"name":"process_name","tid":0,"args":{"name":"ze_vector_add"}' "$tmp/part.json") $(grep -c '"name":"process_name"' "$tmp/part.json")" "2 2" "the processes of one program"
export_to "$in" --rank=7 -o "$tmp/none.json"
is "$? $(ls "$tmp/none.json" 2>&1 | grep -c 'No such')" "2 1" "no process is selected: exit code 2, and no file"
for wrong in --rank=x --rank=3-1 --rank= --time=x --time=3-1 --time=-; do
	export_to "$in" "$wrong" -o "$tmp/none.json"
	is $? 2 "$wrong is no such text"
done

# --- a job's folder
for step in 1 2; do
	for rank in 0 1; do
		SLURM_JOB_ID=7 SLURM_STEP_ID=$step SLURM_PROCID=$rank SLURM_NTASKS=2 "$tracelayer" run --quiet --job="$tmp/job" -- "$apps/cl_vector_add" >"$tmp/out" 2>&1
	done
done
export_to "$tmp/job" -o "$tmp/job.json"
is "$? $(said | grep -c 'this is the newest, 7\.2;')" "0 1" "a job's folder: the newest run, and a line says so"
export_to "$tmp/job/7.2" -o "$tmp/step.json"
is "$? $(said)" "0 " "a run's own folder"
same "$tmp/step.json" "$tmp/job.json" "is the same"
is "$(grep -c '"name":"process_name"' "$tmp/step.json") $(grep -o '"labels":"rank [01], ' "$tmp/step.json" | tr '\n' ' ')" '2 "labels":"rank 0,  "labels":"rank 1,  ' "with its ranks"

# --- clocks
mkdir "$tmp/clocks"
for rank in 0 2 3; do cp "$in/$rank.tlt" "$tmp/clocks"; done
# shifts: how far each process's times are moved in the timeline, in microseconds.
shifts()
{
	local file
	rm -f "$tmp"/clock.*.json
	for file in "$tmp"/clocks/*.tlt; do "$tracelayer" export "$file" -o "$tmp/clock.$(basename "$file").json"; done
	ask json "$tmp/clocks.json" "$tmp"/clock.*.json | cut -d';' -f1
}
ask time "$tmp/clocks/0.tlt" 1 2.5 0
ask time "$tmp/clocks/2.tlt" 1 40 0
ask time "$tmp/clocks/3.tlt" 2 0 0
export_to "$tmp/clocks" -o "$tmp/clocks.json"
like "$(cat "$tmp/said")" "^tracelayer: the clocks of 3 machines are set by the time of day: nodec \(not synchronized\), nodeb \(right to 40(\.[0-9]+)? ms\), $(uname -n) \(right to 2\.5[0-9]* ms\)$" \
	"a line says how right the time of day is on each machine"
is "$(shifts)" "300000 0 550000 us" "which relates their clocks"
ask time "$tmp/clocks/2.tlt" 1 7 100
export_to "$tmp/clocks" -o "$tmp/clocks.json"
like "$(cat "$tmp/said")" 'nodeb \(right to 7(\.[0-9]+)? ms; set by 100 ms while it was recorded\)' "and on which one it was set meanwhile"
is "$(shifts)" "200000 0 450000 us" "the clock is then related by what is most right: the end"
for rank in 0 2 3; do ask older "$tmp/clocks/$rank.tlt"; done
export_to "$tmp/clocks" -o "$tmp/clocks.json"
is "$(cat "$tmp/said")" "" "files of an older version do not tell: nothing is said"
is "$(shifts)" "300000 0 550000 us" "and their beginnings relate their clocks"
rm "$tmp"/clocks/*
cp "$in/0.tlt" "$in/1.tlt" "$tmp/clocks"
export_to "$tmp/clocks" -o "$tmp/clocks.json"
is "$(cat "$tmp/said");$(shifts)" ";0 0 us" "processes of one machine have one clock, and nothing is said"
ask namespace "$tmp/clocks/1.tlt" 0.05
export_to "$tmp/clocks" -o "$tmp/clocks.json"
is "$(cat "$tmp/said");$(shifts)" ";50000 0 us" "that of another time namespace is another one, however near it is"

# --- files of one process, and files that are not sound
"$tracelayer" run --split=200K -o "$tmp/split.tlt" -- "$apps/cl_threads" -t 4 -i 2000 >"$tmp/out" 2>&1
parts=$(ls "$tmp"/split*.tlt | wc -l)
ok "a process's output is split into $parts files" test "$parts" -gt 3
export_to "$tmp"/split*.tlt -o "$tmp/split.json"
is "$? $(grep -c '"name":"process_name"' "$tmp/split.json")" "0 1" "they are one process again"
for part in "$tmp"/split*.tlt; do
	"$tracelayer" export -f "$part" -o "$tmp/part.json" && grep '"ph":"X"' "$tmp/part.json"
done | sed 's/,$//' | sort >"$tmp/parts"
ok "with the events of all files, once ($(wc -l <"$tmp/parts"))" sh -c "grep '\"ph\":\"X\"' '$tmp/split.json' | sed 's/,\$//' | sort | cmp - '$tmp/parts'"
export_to "$tmp"/split*.tlt -o "$tmp/split.pftrace"
ok "as .pftrace, too" ask pftrace "$tmp/python" "$tmp/split.pftrace" "$tmp/split.json"

cp "$in/0.tlt" "$tmp/cut.tlt"
truncate -s -8 "$tmp/cut.tlt"
echo nothing >"$tmp/no.tlt"
export_to "$in/1.tlt" "$tmp/cut.tlt" "$tmp/no.tlt" -o "$tmp/cut.json"
is $? 3 "one file ends early, and one is none: exit code 3"
like "$(said)" "cut\.tlt: .*; $tmp/cut.json has all that" "a line says what is missing"
like "$(said)" 'no\.tlt: it is not in the record format' "and another what can't be read"
is "$(grep -c '"name":"process_name"' "$tmp/cut.json")" 2 "the sound ones are there"
export_to "$tmp/no.tlt" "$tmp/nothing.tlt" -o "$tmp/none.json"
is $? 1 "no file can be read: exit code 1"
mkdir "$tmp/empty"
export_to "$tmp/empty" -o "$tmp/none.json"
is "$?$(said | grep -c 'there is no .tlt file in it; .*`tracelayer recover ')" 11 "a folder without such files"
export_to "$in"
is "$?$(said | grep -c 'name the output')" 21 "several files need a name for their output"

# --- many
# Each file has 36160 events; those without a boot's number are processes of their own.
"$top_builddir/trace_maker" "$tmp/many.tlt" "$tmp/many.json" 3 40 300
mkdir "$tmp/many"
for i in $(seq 150); do ln "$tmp/many.tlt" "$tmp/many/$i.tlt"; done
peak() { "$python" -c 'import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$@" 2>"$tmp/said"; }
read -r code memory <<<"$(peak "$tracelayer" export -f "$tmp/many"/?.tlt "$tmp/many"/1?.tlt -o /dev/null)"
is "$code $(said)" "0 " "19 files of 3 MB"
ok "take little memory ($memory MB)" test "$memory" -lt 64
# 150 of them are counted before the first event is written, for which this output has no room.
export_to "$tmp/many" -o /dev/full
like "$(said)" '/dev/full: it has about 5\.4 million events, and viewers open about 5 million; select some with --rank, .* \(--time=0-' "more events than viewers open: a line says so, and what to select"
export_to "$tmp/many" --name='nothing*' -o /dev/null
is "$(said)" "tracelayer: the traces have nothing that is selected; see --name, --thread, --time and the other options that select" \
	"but not if so many are not selected; that nothing is, is said"

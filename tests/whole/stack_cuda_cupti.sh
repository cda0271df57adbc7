#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_cuda_cupti.sh: the times of CUDA's device lanes by CUPTI's activity records (`run --cupti`), on software drivers: a libcuda.so.1, and a
# libcupti.so.12 that is compiled with NVIDIA's header. NVIDIA's own libcupti refuses to work with the software driver; then the lanes are made by events.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/kept_venv.sh"
. "$top_srcdir/tests/lib/cuda_header.sh"
results=63
plan $results
cuda_software "$kept" $results
cupti_software "$kept" $((results - 1))
cd "$tmp" || exit 99
program_build() { ${CC:-cc} -Wall -Wextra -pthread -o lanes "$drivers/cuda_lanes.c" -Ldriver -l:libcuda.so.1; }
ok "the program is built" program_build || exit 1

# traced NAME COMMAND…: the program under `run --cupti`. The trace is in NAME.json, the driver's log in NAME.log, how often it was asked in NAME.counts, how
# many records CUPTI made in NAME.records, and what the layer says in NAME.err.
traced()
{
	local name=$1; shift
	rm -f "$name.log" "$name.json"
	CUDA_DRIVER_WORK=$tmp/$name.log CUDA_DRIVER_LOG=$tmp/$name.counts CUPTI_LOG=$tmp/$name.records \
		timeout 60 "$tracelayer" run --quiet -o "$tmp/$name.json" "${cupti:---cupti}" --api cuda -- "$@" >traced.out 2>"$name.err"
}
# times NAME: how the commands got their times, with how many of them: "cupti 40, host function 2".
times()
{
	"$python" -B - "$1.json" <<-'END_OF_PYTHON'
	import collections, json, sys
	slices = [e for e in json.load(open(sys.argv[1])) if e["ph"] == "X" and e["cat"].startswith("device")]
	print(*(f"{how} {n}" for how, n in sorted(collections.Counter(e["args"].get("times", "events of " + e["name"]) for e in slices).items())), sep=", ")
	END_OF_PYTHON
}
# by_cupti NAME COMMAND…: five results: the program notices nothing; each command is on a lane; all have CUPTI's times; arrows; the trace is sound.
by_cupti()
{
	local name=$1; shift
	CUDA_DRIVER_LOG=$tmp/$name.bare timeout 60 "$@" >bare.out 2>bare.err; bare=$?
	traced "$name" "$@"; traced=$?
	is "$traced $(cat traced.out "$name.err")" "$bare $(cat bare.out bare.err)" "$name: prints the same, ends the same ($bare)"
	is "$(grep -E '^(void|captured) event' "$name.bare" "$name.counts")" "" "$name: the driver sees no event where none may be"
	ok "$name: each command is on a lane, with its bytes" "$python" -B "$top_srcdir/tests/whole/cuda_lanes.py" counts "$name.json" "$name.log"
	like "$(times "$name")" "${by:-^cupti [0-9]+\$}" "$name: their times are CUPTI's"
	ok "$name: the trace is sound" "$python" -B "$check_trace" "$name.json"
}
recorded() { awk '$1 == "cuEventRecord" { print $2 }' "$1"; }

# If the processors are busy, the clock of the events can't be read in time.
by="^cupti 44, (events of host function|host) 4\$" by_cupti work ./lanes work
arrows() { "$python" -B "$top_srcdir/tests/device/ze/ze_lanes.py" calls "$1.json"; }
ok "work: commands lie between the call that submitted them and the call that waited for them, with arrows" arrows work
ok "work: the layer records few events of its own: $(recorded work.counts), the program $(recorded work.bare)" \
	test "$(($(recorded work.counts) - $(recorded work.bare)))" -le 60
is "$(awk '{ n[$1] = $2 } END { print (n[39] == n[10] + n[1] + n[2] + n[51]), (n[39] > 0) }' work.records)" "1 1" \
	"work: CUPTI was told the number of each command of which it has a record"
by_cupti capture ./lanes capture
by_cupti contexts ./lanes contexts
by_cupti threads ./lanes threads
by_cupti streams ./lanes streams

# The times are CUPTI's own. The processors may be busy, so one run of three has to be right.
for _ in 1 2 3; do
	traced times ./lanes times
	"$python" -B "$top_srcdir/tests/whole/cuda_lanes.py" times times.json times.log 1000 >times.out && break
done
ok "times: slices are where the driver's log has the commands: $(tail -n 1 times.out)" \
	"$python" -B "$top_srcdir/tests/whole/cuda_lanes.py" times times.json times.log 1000

# The end: what CUPTI has no times of has not ended.
traced unfinished ./lanes unfinished
is "$(times unfinished)" "cupti 1, events of spin 2" "what has not ended is shown so"
# A driver, and CUPTI, that are gone after their exit handlers are asked before these.
CUDA_DRIVER_PASSES=strict by_cupti left ./lanes left
CUDA_DRIVER_PASSES=strict traced unfinished ./lanes unfinished
is "$? $(times unfinished)" "0 cupti 1, events of spin 2" "what has not ended is shown so"
CUDA_DRIVER_PASSES=lax by_cupti after ./lanes after
by_cupti forks ./lanes forks

# --- a program that nobody here wrote
need ffmpeg ffmpeg
by_cupti ffmpeg ffmpeg -v error -nostats -init_hw_device cuda=c -filter_hw_device c -f lavfi -i testsrc2=size=320x240:rate=10:duration=3 \
	-vf format=yuv420p,hwupload_cuda,scale_cuda=160:120,hwdownload,format=yuv420p -bitexact -f framemd5 -

# --- where CUPTI can't be used
# refused NAME REASON DESCRIPTION COMMAND…
refused()
{
	local name=$1 reason=$2 text=$3; shift 3
	traced "$name" "$@"
	like "$(cat "$name.err")" "^tracelayer: cupti: can't be used: .*$reason.*; device lanes have the times of events\$" "$text: a line says so"
	is "$(times "$name" | grep -c cupti) $("$python" -B "$top_srcdir/tests/whole/cuda_lanes.py" counts "$name.json" "$name.log" | tail -n 1)" \
		"0 $(wc -l <"$name.log") commands" "$text: the lanes are made by events"
}
cupti=--cupti=/nowhere/libcupti.so.12 refused none "/nowhere/libcupti.so.12" "there is none" ./lanes work
CUPTI_REFUSES=51 refused kind "CUPTI_ERROR_INVALID_KIND" "it lacks a kind of record" ./lanes work
cat >itself.c <<'END_OF_C'
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	return dlopen("libcupti.so.12", RTLD_NOW) ? execlp("true", "true", NULL) : 1;
}
__attribute__((constructor)) static void begin(void)
{
	dlopen("libcupti.so.12", RTLD_NOW);
}
END_OF_C
program_with_cupti() { ${CC:-cc} -fPIC -shared -o itself.so itself.c && ${CC:-cc} -Wall -pthread -o lanes_itself "$drivers/cuda_lanes.c" -Ldriver -l:libcuda.so.1 -Wl,--no-as-needed -L. -l:itself.so -Wl,-rpath,"$tmp"; }
ok "a program that has CUPTI itself is built" program_with_cupti
refused itself "the program uses it itself" "the program has it" ./lanes_itself work
cupti=--cupti=$cupti_real refused real "libcupti|CUPTI_ERROR" "NVIDIA's own, on the software driver" ./lanes work

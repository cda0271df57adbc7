#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_cuda_lanes.sh: device lanes of CUDA, on the software driver: programs print the same, and the lanes have what the driver's own log has.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/kept_venv.sh"
. "$top_srcdir/tests/lib/cuda_header.sh"
plan 111
cuda_software "$kept" 111
cd "$tmp" || exit 99
program_build() { ${CC:-cc} -Wall -Wextra -pthread -o lanes "$drivers/cuda_lanes.c" -Ldriver -l:libcuda.so.1; }
ok "the program is built" program_build || exit 1

# lanes NAME COMMAND…: two results: bare and with device lanes, it prints and ends the same; and the layer has done nothing that it must not: no event of
# its own is in a capture, and it uses no event of a context that is gone. The trace is in NAME.json, the driver's log of the same run in NAME.log.
lanes()
{
	local name=$1; shift
	rm -f "$name.log" "$name.json"
	CUDA_DRIVER_LOG=$tmp/$name.bare timeout 60 "$@" >bare.out 2>&1; bare=$?
	CUDA_DRIVER_WORK=$tmp/$name.log CUDA_DRIVER_LOG=$tmp/$name.counts \
		timeout 60 "$tracelayer" run --quiet -o "$tmp/$name.json" --api cuda -- "$@" >traced.out 2>&1; traced=$?
	is "$traced $(cat traced.out)" "$bare $(cat bare.out)" "$name: prints the same, ends the same ($bare)"
	is "$(grep -E '^(void|captured) event' "$name.bare" "$name.counts")" "" "$name: the driver sees no event where none may be"
}
# checked WHAT NAME [NANOSECONDS] DESCRIPTION
checked()
{
	local what=$1 name=$2 most=${4+$3} text=${4-$3}
	ok "$name: $text" "$python" -B "$top_srcdir/tests/whole/cuda_lanes.py" "$what" "$name.json" "$name.log" $most
}
arrows() { ok "$1: commands lie between the call that submitted them and the call that waited for them, with arrows" \
	"$python" -B "$top_srcdir/tests/device/ze/ze_lanes.py" calls "$1.json"; }
sound() { ok "$1: the trace is sound" "$python" -B "$check_trace" "$1.json"; }
waits() { "$python" -B "$top_srcdir/tests/device/ze/ze_lanes.py" waits "$@"; }
commands() { "$python" -B - "$1.json" <<'END_OF_PYTHON'
import collections, json, sys
slices = [e for e in json.load(open(sys.argv[1])) if e["ph"] == "X" and e["cat"].startswith("device")]
print(*sorted(collections.Counter((e["name"], bool(e["args"].get("unfinished"))) for e in slices).items()))
END_OF_PYTHON
}
argument() { "$python" -B -c 'import json, sys
print(*sorted({str(e["args"].get(sys.argv[3])) for e in json.load(open(sys.argv[1])) if e["ph"] == "X" and e["name"] == sys.argv[2]}))' "$@"; }

# --- every kind of command
lanes work ./lanes work
checked counts work "each command that the driver executed is on a lane, with its bytes"
checked streams work "on that of its stream"
arrows work
sound work
is "$(waits work.json cuEventSynchronize) $(waits work.json cuMemcpyDtoH_v2) $(waits work.json cuCtxSynchronize)" "16 8 8" \
	"calls that wait by an event, for a copy and for the context are known"
is "$(argument work.json add global) $(argument work.json add local)" "4096x1x1 32x1x1 64x1x1" "kernels have their sizes"
# sizes FILE: rows of the kernels' table: the size, the kernel, the count
sizes() { "$tracelayer" summary --by=size --table=kernels --columns=count --csv "$1" | tr -d '\r' | sed 1d | sort; }
timeout 60 "$tracelayer" run --quiet -o sizes.tlt --api cuda -- ./lanes work >sizes.out 2>&1
for format in json pftrace; do "$tracelayer" export sizes.tlt -o sizes.$format >sizes.out 2>&1; done
for file in work.json sizes.tlt sizes.json sizes.pftrace; do
	is "$(sizes $file)" "4096x1x1 in 32x1x1,add,4
4096x1x1 in 64x1x1,add,8" "$file: summary --by=size has a row for each of them"
done
is "$("$tracelayer" summary work.json | sed -n 's/^\(kernels\|transfers\|queues\): //p' | tr '\n' ' ')" "12 32 3 " "the summary counts them"

is "$(argument work.json memset pci)" "0000:1a:00.0 None" "a queue's first command has the device's address on the bus"
counter() { "$python" -B -c 'import json, sys
values = [e["args"]["bytes"] for e in sorted(json.load(open(sys.argv[1])), key=lambda e: e.get("ts", 0)) if e["ph"] == "C" and e["name"] == sys.argv[2]]
print(max(values), values[-1])' "$@"; }
is "$(counter work.json "memory, software device")" "32768 0" "memory is counted, and so is its end"

# --- memory of each kind
lanes memory ./lanes memory
checked counts memory "each command that the driver executed is on a lane, with its bytes"
arrows memory
is "$(counter memory.json "memory, software device")" "65536 0" "memory that is plain, managed, pitched, of a pool and in a stream's order is counted, and its end"
is "$(commands memory)" "(('memcpy', False), 2) (('memcpy DtoD', False), 1) (('memset', False), 1) (('prefetch', False), 1)" "a prefetch is a command"

# --- the same programs as cuda.h makes them for a default stream per thread: cuMemcpyHtoD is cuMemcpyHtoD_v2_ptds, cuLaunchKernel is cuLaunchKernel_ptsz
own_build() { ${CC:-cc} -Wall -Wextra -pthread -DCUDA_API_PER_THREAD_DEFAULT_STREAM -o own "$drivers/cuda_lanes.c" -Ldriver -l:libcuda.so.1; }
ok "programs for a default stream per thread are built" own_build
is "$(nm -u own | grep -c '_pt[ds][sz]')" "23" "and call 23 functions for that"
lanes own ./own work
checked counts own "each command is on a lane, with its bytes"
checked streams own "on the lane of its stream, and none on that of the default stream of all threads"
arrows own
is "$("$python" -B -c 'import json
print(*sorted({e["args"]["name"].split(",")[0].split(" (")[0] for e in json.load(open("own.json")) if e["ph"] == "M" and e["name"] == "thread_name" and "software device" in e["args"]["name"]}))')" \
	"stream 1 stream 2 stream 3" "there is no default stream's lane"
lanes own_memory ./own memory
checked counts own_memory "memory: each command is on a lane, with its bytes"
is "$(counter own_memory.json "memory, software device")" "65536 0" "memory: it is counted"
lanes own_capture ./own capture
checked counts own_capture "each command that the driver executed is on a lane, and what it captured is on none"

# --- the clock: the processors may be busy with other things, so one run of three has to be right
for _ in 1 2 3; do
	rm -f times.json times.log
	CUDA_DRIVER_WORK=$tmp/times.log timeout 60 "$tracelayer" run --quiet -o "$tmp/times.json" --api cuda -- ./lanes times >times.out 2>&1
	"$python" -B "$top_srcdir/tests/whole/cuda_lanes.py" times times.json times.log 2000000 >>times.out && break
done
diag "$(tail -n 1 times.out)"
checked times times 2000000 "slices are where the driver's log has the commands"

# --- rounded times: by more than a driver rounds, so that two readings of the clock tell different times of an instant
export CUDA_DRIVER_RESOLUTION=200000
lanes queued ./lanes queued
unset CUDA_DRIVER_RESOLUTION
checked counts queued "each command that the driver executed is on a lane"
is "$(grep -o '"name":"stream [^"]*' queued.json | sort -u)" '"name":"stream 1, software device' "commands of one stream don't overlap"

# --- captures: what is captured is no command, and a graph's launch is one
lanes capture ./lanes capture
checked counts capture "each command that the driver executed is on a lane, and what it captured is on none"
arrows capture
like "$(commands capture)" "'graph', False., 8." "each launch of a graph is one command"

# --- contexts and threads that come and go
lanes contexts ./lanes contexts
checked counts contexts "each command is on a lane"
arrows contexts
lanes threads ./lanes threads
checked counts threads "each command is on a lane"
sound threads
lane_count() { grep -c '"name":"thread_name".*software device' "$1.json"; }
lanes streams ./lanes streams
checked counts streams "each command is on a lane"
ok "streams: 60 streams that come and go share lanes" test "$(lane_count streams)" -le 40

program_of_calls_build() { ${CC:-cc} -Wall -Wextra -o program "$drivers/cuda_program.c" -ldl; }
ok "the program that asks for every function is built" program_of_calls_build
lanes program ./program
checked streams program "what is launched on a thread's own stream, by the name or by a flag, is on that stream's lane"

# --- the end
lanes unfinished ./lanes unfinished
is "$(commands unfinished)" "(('spin', False), 1) (('spin', True), 2)" "what has not ended is shown so"
lanes within ./lanes within
is "$(commands within)" "(('spin', False), 1) (('spin', True), 2)" "also where it ends inside of the driver"

# A driver that is gone after its exit handler is asked before that, and not again.
for what in left unfinished; do
	CUDA_DRIVER_PASSES=strict lanes $what ./lanes $what
done
is "$(commands left)" "(('spin', False), 3)" "left: what the device has done is shown with its end, though a handler of the driver has run"
is "$(commands unfinished)" "(('spin', False), 1) (('spin', True), 2)" "unfinished: what has not ended is shown so"
for handlers in none lax; do
	if test $handlers = lax; then export CUDA_DRIVER_PASSES=lax; fi
	lanes after ./lanes after
	checked counts after "an exit handler of the program uses the device; the driver has $handlers: each command is on a lane"
	is "$(argument after.json spin times)" None "after: with its own times"
done
unset CUDA_DRIVER_PASSES

lanes forks ./lanes forks
checked counts forks "each command of the parent is on a lane"
{ timeout 60 "$tracelayer" run --quiet -o killed.json --api cuda -- ./lanes killed >killed.out 2>&1; } 2>/dev/null
is "$(commands killed)" "(('spin', False), 5)" "what had been waited for before a SIGKILL is in the trace"

# --- programs that nobody here wrote. The driver runs no kernels of theirs, so results are zeros, with and without tracelayer.
foreign_lanes()
{
	lanes "$@"
	checked counts "$1" "each command is on a lane, with its bytes"
	arrows "$1"
}

need ffmpeg ffmpeg
foreign_lanes ffmpeg ffmpeg -v error -nostats -init_hw_device cuda=c -filter_hw_device c -f lavfi -i testsrc2=size=320x240:rate=10:duration=3 \
	-vf format=yuv420p,hwupload_cuda,scale_cuda=160:120,hwdownload,format=yuv420p -bitexact -f framemd5 -
like "$(commands ffmpeg)" "'Subsample_Bicubic_yuv420p_yuv420p', False., 30. .*'memcpy 2D', False., 180." "FFmpeg's filter has its kernels, by name, and its copies"
is "$(argument ffmpeg.json "memcpy 2D" kind)" "read write" "these are reads and writes"

if venv=$(kept_venv "$kept" cuda-bindings-12.8.0-numba-0.61.2 cuda-bindings==12.8.0 numba==0.61.2); then
	foreign_lanes bindings "$venv/bin/python" "$top_srcdir/tests/whole/cuda_bindings.py"
	foreign_lanes numba "$venv/bin/python" "$top_srcdir/tests/whole/cuda_numba.py"
else
	skip 8 "$venv"
fi

if tinygrad=$(kept_tinygrad "$kept"); then
	export PYTHONPATH=$tinygrad PYTHONDONTWRITEBYTECODE=1 DEV=CUDA:PTX CC=$clang CACHELEVEL=0
	foreign_lanes tinygrad "$python" "$top_srcdir/tests/whole/tinygrad_program.py"
	foreign_lanes steps "$python" "$top_srcdir/tests/whole/cuda_tinygrad.py"
	like "$(commands steps)" "'graph', False., [3-6]." "tinygrad's graphs are commands"
else
	skip 9 "$tinygrad"
fi

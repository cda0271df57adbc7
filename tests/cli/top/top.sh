#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer top: a program that waits for this test to go on, so that how many calls each interval had is known (in a ring nothing is written out before it is looked at); the screen, at a terminal; bad words.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
plan 11
top_srcdir=$(cd "$top_srcdir" && pwd)

is "$("$tracelayer" top no-such-program 2>&1; echo "exit code $?")" "tracelayer: no-such-program: you have no process of that name or number that has made a traced call; start one with \`tracelayer run\`, give the program's own number, or run this command as the user that the process became
exit code 1" "a program that does not run"
like "$("$tracelayer" top --delay=0 2>&1; echo "exit code $?")" '^tracelayer top: --delay=0: give seconds, from 0.1 to 3600' "no such delay"
like "$("$tracelayer" top --count=-1 2>&1; echo "exit code $?")" '^tracelayer top: --count=-1: give a number, 1 or more' "no such number"

is "$("$python" -B "$top_srcdir/tests/cli/top/top.py" "$tracelayer" "$top_srcdir/tests/cli/top/top_target.py" 2>&1)" "calls about 4000
clGetPlatformIDs about 3600
clGetPlatformInfo about 400
failed about 400
commands about 200 True True
now True
screen 0 True True
threads and functions True
program 0
top 0" "calls and failures are counted, an open call is shown for as long as it is open, and both programs end well"

# --- a program that records far more than is read of it
is "$("$python" -B "$top_srcdir/tests/cli/top/top_fast.py" "$tracelayer" "$tmp" 2>&1)" "enough True
calls as it is
clGetPlatformIDs as it is
failed as it is
share True" "calls of a fast program are estimated, within 15 %"

# --- a script, whose file is Python: by the name that it was started by, and by its file's
printf '#!%s -S\nimport ctypes, time\nctypes.CDLL("libz.so.1").crc32(0, b"a", 1)\nprint("ready", flush=True)\ntime.sleep(60)\n' "$(readlink -f "$(command -v "$python")")" >"$tmp/a-worker"
chmod +x "$tmp/a-worker"
"$tracelayer" run --lib=libz.so.1 -o "$tmp/worker.tlt" -- "$tmp/a-worker" >"$tmp/worker.said" 2>&1 &
running=$!
until grep -q ready "$tmp/worker.said" || ! kill -0 $running 2>/dev/null; do sleep 0.05; done
for name in a-worker "$(basename "$(readlink -f "$(command -v "$python")")")"; do
	like "$("$tracelayer" top --batch -d 0.1 -n 1 "$name" 2>&1)" '^[0-9.]+,total,' "a script is found as $name"
done
pkill -P $running
wait $running 2>/dev/null

# --- all processes of this user; SIGINT ends it
: >"$tmp/all"
# A shell's background job ignores SIGINT, and a newer timeout then leaves it so.
env --default-signal=INT timeout 100 "$tracelayer" top --batch -d 0.1 >>"$tmp/all" &
top=$!
while test "$(wc -l <"$tmp/all")" -lt 4; do sleep 0.05; done
kill -INT $top
wait $top
is $? 0 "it ends when it is interrupted"
is "$(tr -d '\r' <"$tmp/all" | grep time_s)" "time_s,what,process,name,calls_per_s,failed_per_s,share,average_ns,depth,now" "one header"
is "$("$tracelayer" top --batch -d 0.1 -n 3 | grep -c ',total,')" 3 "or after so many intervals"

# --- a queue whose commands overlap has several lanes in the trace
cat >"$tmp/overlap.py" <<'END'
import os, numpy, pyopencl
context = pyopencl.create_some_context(interactive=False)
flags = pyopencl.command_queue_properties
queue = pyopencl.CommandQueue(context, properties=flags.OUT_OF_ORDER_EXEC_MODE_ENABLE)
program = pyopencl.Program(context, """kernel void turn(global float *at, int times)
{ float x = at[0]; for (int i = 0; i < times; i++) x = x * 1.0001f + 0.1f; at[0] = x; }""").build()
memory = [pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE, 4) for _ in range(4)]
kernels = [program.turn for _ in memory]
while not os.path.exists("stop"):
    for kernel, buffer in zip(kernels, memory):
        kernel(queue, (1,), (1,), buffer, numpy.int32(5000000))
    queue.finish()
    open("ready", "w").close()
END
(cd "$tmp" && POCL_MAX_PTHREAD_COUNT=2 exec "$tracelayer" run --quiet --session=overlap -o o.tlt -- "$python" overlap.py) &
while ! test -e "$tmp/ready" && kill -0 $! 2>/dev/null; do sleep 0.05; done
"$tracelayer" top --batch -d 0.5 -n 3 overlap >"$tmp/top.csv"
touch "$tmp/stop"
wait $!
if "$tracelayer" export "$tmp/o.tlt" -o - | grep -q '"queue 1 (2)'; then
	is "$(sed -n 's/.*,queue,[0-9]*,"\(queue [^,]*\),.*/\1/p' "$tmp/top.csv" | sort -u)" "queue 1" "a queue whose commands overlap is one row"
else
	skip 1 "no commands overlap on this machine"
fi

#!/bin/bash
# SPDX-License-Identifier: MIT
# Device lanes of OpenCL on PoCL: this project's programs, clinfo, clpeak and PyOpenCL. As many slices as commands, by the count of a layer of the loader's own
# (tests/whole/cl_counter.c) in the same run.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
. "$top_srcdir/tests/lib/whole.sh"
. "$top_srcdir/tests/whole/cl_counter.sh"
. "$top_srcdir/tests/device/opencl/cl_common.sh"
need_library
plan 31

# The driver compiles a kernel once and keeps it; from then on runs are alike.
"$apps/cl_device" >/dev/null

for door in preload layer; do
	unnoticed "every command, $door" $door "$apps/cl_device"
	lanes "every command, $door: each is on its lane, with the times that the program read" --commands "$(commands traced)" --times "$tmp/traced.out"
done
unnoticed "forty thousand events, the last one first" preload "$apps/cl_device_ends" reversed
prompt "forty thousand events, the last one first"
for program in answers hostile; do
	unnoticed "cl_device_$program" preload "$apps/cl_device_$program"
	lanes "cl_device_$program: each command is on its lane" --commands "$(commands traced)"
done
unnoticed "commands behind a user event that nobody sets" preload "$apps/cl_device_ends" gated
lanes "commands behind a user event that nobody sets: they are marked" --commands "$(commands traced)" --unfinished 2
unnoticed "_exit" preload "$apps/cl_device_ends" abrupt
lanes "_exit: what had ended is on its lane" --commands "$(commands traced)"
unnoticed "an event that is the last to hold its context" preload "$apps/cl_device_ends" released
lanes "an event that is the last to hold its context: its command is on its lane" --commands "$(commands traced)"
unnoticed "a context that is given up while a command of it waits" preload "$apps/cl_device_ends" abandoned
lanes "a context that is given up while a command of it waits: its command is on its lane" --commands "$(commands traced)"
unnoticed "kernels without a pause" preload "$apps/cl_device_ends" paced 100
lanes "kernels without a pause: each is on its lane" --commands "$(commands traced)"

"$python" "$top_srcdir/tests/device/opencl/cl_command_buffer.py" >"$tmp/buffers.out" 2>&1
if test $? = 77; then
	skip 2 "no cl_khr_command_buffer on this machine: $(tail -n 1 "$tmp/buffers.out")"
else
	unnoticed "a command buffer, executed three times" preload "$python" "$top_srcdir/tests/device/opencl/cl_command_buffer.py"
	lanes "a command buffer: each execution is on its lane, with the times that the program read" --commands "$(commands traced)" --times "$tmp/traced.out"
fi

# counted WHAT COMMAND…: two results.
counted()
{
	local what=$1; shift
	rm -f "$tmp/counts"
	run traced preload env WHOLE_COUNTS="$tmp/counts" OPENCL_LAYERS="$counter" "$@"
	layer_counts "$tmp/counts" >"$tmp/want"
	ok "$what: runs" grep -q '^exit code 0$' "$tmp/traced.out"
	lanes "$what: a slice for each of the $(awk '/^clEnqueue/ { n += $2 } END { print n + 0 }' "$tmp/want") commands that the loader's layer counted" \
		--counts "$tmp/want"
}
# Whatever else the machine does: PoCL stamps by a clock of the host's, which is read between two readings of another. In one run of five no reading is interrupted.
cat >"$tmp/spread.py" <<-'END'
	import json, sys
	work = [event for event in json.load(open(sys.argv[1])) if event.get("cat", "").startswith("device") and event["ph"] == "X"]
	ahead = [event["ts"] - event["args"]["start"] / 1000 for event in work]
	print("%d commands, from %.1f to %.1f us ahead" % (len(ahead), min(ahead), max(ahead)))
	sys.exit(not ahead or max(ahead) - min(ahead) > 20)
END
for _ in 1 2 3 4 5; do
	run bare bare "$python" "$top_srcdir/tests/device/opencl/cl_two_queues.py"
	run traced preload "$python" "$top_srcdir/tests/device/opencl/cl_two_queues.py"
	if ! alike >/dev/null || "$python" "$tmp/spread.py" "$tmp/traced.json" >/dev/null; then break; fi
done
ok "PyOpenCL, two queues, one out of order: says the same, ends the same ($(grep '^exit code' "$tmp/bare.out")), and the driver sees no misuse" alike
lanes "PyOpenCL, two queues, one out of order: each command is on its lane" --commands "$(commands traced)" --times "$tmp/traced.out"
ok "and all are as far from the driver's stamps" "$python" "$tmp/spread.py" "$tmp/traced.json"
counted "PyOpenCL" "$python" "$top_srcdir/tests/device/opencl/cl_two_queues.py"
counted "clinfo" clinfo
counted "clpeak" clpeak --kernel-latency

#!/bin/bash
# SPDX-License-Identifier: MIT
# Commands of OpenCL's extensions on device lanes: memory that is shared by pointers (cl_intel_unified_shared_memory), semaphores (cl_khr_semaphore) and memory
# of other APIs (cl_khr_external_memory). The driver is the test driver, which has them all. Programs find these functions by name alone.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/device/opencl/cl_common.sh"
need_library
export OCL_ICD_VENDORS=$drivers/icd_a.so
plan 9
program="$python -B $top_srcdir/tests/device/opencl/cl_extensions.py"

for door in preload layer; do
	# shellcheck disable=SC2086
	unnoticed "commands of extensions, $door" $door $program
	lanes "commands of extensions, $door: each is on its lane, with the times that the driver knows, its bytes, and arrows" \
		--commands "$(commands traced)" --log "$tmp/traced.log"
	test $door != preload || cp "$tmp/traced.json" "$tmp/preload.json"
done
is "$(sed -n 's/^commands //p' "$tmp/bare.out") $(grep -cE ' -?[1-9][0-9]*$' <(grep ^clEnqueue "$tmp/bare.out"))" "9 0" "the driver takes all of them"

# Each command's name, kind, bytes and peer, in order.
said()
{
	"$python" - "$tmp/preload.json" <<-'PYTHON'
	import json, sys
	work = [e for e in json.load(open(sys.argv[1])) if e["ph"] == "X" and e["cat"].startswith("device")]
	for event in sorted(work, key=lambda event: event["args"]["correlation"]):
	    print(event["name"], event["args"]["kind"], event["args"].get("bytes", "-"), event["args"].get("peer", "-"))
	PYTHON
}
is "$(said)" "USM fill fill 4096 -
USM copy copy 4096 -
USM migrate migrate 512 -
USM advice other - -
USM copy copy 1024 -
wait for semaphores sync - -
signal semaphores sync - -
acquire external memory other 8192 -
release external memory other 4096 -" "they have their names, kinds and bytes"

# In the trace, the queue that waits ends its wait after the other one has signalled.
waits_end()
{
	"$python" - "$tmp/preload.json" <<-'PYTHON'
	import json, sys
	work = {e["name"]: e["args"] for e in json.load(open(sys.argv[1])) if e["ph"] == "X" and e["cat"].startswith("device")}
	wait, signal = work["wait for semaphores"], work["signal semaphores"]
	sys.exit(not (wait["start"] < signal["start"] < wait["end"] and wait["queue"] != signal["queue"]))
	PYTHON
}
ok "a wait for semaphores lasts until the other queue has signalled" waits_end
counter() { "$python" -c 'import json, sys
values = [e["args"]["bytes"] for e in json.load(open(sys.argv[1])) if e["ph"] == "C" and e["name"] == sys.argv[2]]
print(max(values), values[-1])' "$tmp/preload.json" "$1"; }
is "$(counter "memory, tracelayer test device")" "16384 0" "the device's and shared memory is counted with its buffers, and so is its end"
is "$(counter "memory, host")" "4096 0" "and the host's by itself"

#!/bin/bash
# SPDX-License-Identifier: MIT
# Device lanes of OpenCL, on the test driver: nothing is noticed, no command is missing, and times and arrows are right; whatever the driver can't
# do, and whatever its clock does. STRESS=1 (make stress): more commands that a program asks for until they end.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/device/opencl/cl_common.sh"
need_library
export OCL_ICD_VENDORS=$drivers/icd_a.so
plan 83

# Every kind of command; by each door.
for door in preload layer both; do
	unnoticed "every command, $door" $door "$apps/cl_device"
	nothing_kept "every command, $door"
	is "$(commands traced) $(logged bare)" "$(logged traced) $(logged traced)" "every command, $door: the driver gets no more"
	lanes "every command, $door: each is on its lane, with the times that the program and the driver know" \
		--commands "$(commands traced)" --log "$tmp/traced.log" --times "$tmp/traced.out"
done

# The checker finds what is wrong. One Python makes all of it and looks.
"$python" -B - "$check_lanes" "$tmp" --commands "$(commands traced)" --log "$tmp/traced.log" "$tmp/wrong.json" >"$tmp/found" <<'END'
import contextlib, json, os, re, sys
checker, tmp, *options = sys.argv[1:]
sys.path.insert(0, os.path.dirname(checker))
import cl_lanes
WRONG = {
    "a command that is missing": 'events.remove(work[40])',
    "one that is there twice": 'events.append(work[40])',
    "one that begins before its call": 'work[40]["ts"] -= 500',
    "one that ends late": 'work[40]["dur"] += 100000',
    "a wrong time": 'work[40]["args"]["start"] += 1',
    "a wrong correlation": 'work[40]["args"]["correlation"] = work[41]["args"]["correlation"]',
    "an arrow that is missing": 'events.remove(arrows[40])',
    "an arrow that leads elsewhere": 'arrows[40]["ts"] = arrows[60]["ts"] + 50',
    "wrong bytes": 'next(e for e in work if e["name"] == "unmap")["args"]["bytes"] += 1',
    "a wrong depth": 'samples[40]["args"]["commands"] += 1000',
}
traced = open(tmp + "/traced.json").read()
for what, change in WRONG.items():
    events = json.loads(traced)
    work = [event for event in events if event.get("ph") == "X" and event.get("cat", "").startswith("device")]
    arrows = [event for event in events if event.get("ph") == "f"]
    samples = [event for event in events if event.get("ph") == "C" and event["name"].endswith("depth")]
    exec(change)
    # Times have three decimals.
    text = re.sub(r'"(ts|dur)": ([0-9.]+)', lambda m: '"%s": %.3f' % (m[1], float(m[2])), json.dumps(events))
    with open(tmp + "/wrong.json", "w") as file:
        file.write(text)
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        status = cl_lanes.main(options)
    print(status, what)
END
while read -r status what; do is "$status" 1 "the checker finds $what"; done <"$tmp/found"
"$python" "$check_lanes" --commands "$(commands traced)" "$tmp/traced.json" >"$tmp/ok" 2>&1
is $? 0 "and nothing in what was right"

# What OpenCL 1.1 had gives no event out: the driver gets markers of ours for them.
unnoticed "markers and barriers of OpenCL 1.1" preload "$apps/cl_device" -o
nothing_kept "markers and barriers of OpenCL 1.1"
lanes "markers and barriers of OpenCL 1.1: each is on its lane" --commands "$(commands traced)" --own $(($(logged traced) - $(commands traced))) \
	--times "$tmp/traced.out"

# Memory, over time: with no commands that hold it.
unnoticed "memory" preload "$apps/cl_device" -n 0
lanes "memory: the counter has what the driver has" --commands 0 --memory --log "$tmp/traced.log"

# timed WHAT LANES WORST OPTIONS COMMAND…: two results; times are wrong by WORST ns at most.
# A device's clock is known as well as it could be read: where others use the processors, a reading may be interrupted, and the times around it are less
# certain. So the times of one run of five have to be right. All else has to be so in each.
timed()
{
	local what=$1 where=$2 worst=$3 options=$4 precise held; shift 4
	for _ in 1 2 3 4 5; do
		run bare bare "$@"
		run traced preload "$@"
		options="${options% --commands *} --commands $(commands traced)"
		precise="$options --error 50000 --worst $worst"
		# shellcheck disable=SC2086
		lanes_look $precise
		held=$?
		# shellcheck disable=SC2086
		if ! alike >/dev/null || test $held = 0 || ! lanes_hold $options; then break; fi
	done
	ok "$what: says the same, ends the same ($(grep '^exit code' "$tmp/bare.out")), and the driver sees no misuse" alike
	lanes_tell "$what: $where" $held
}
lanes_hold() { "$python" "$check_lanes" --sound "$@" "$tmp/traced.json" >/dev/null 2>&1; }

# Two platforms with a device each, of the same name, and with clocks of their own.
mkdir "$tmp/two"
for driver in icd_a icd_b; do
	echo "$drivers/$driver.so" >"$tmp/two/$driver.icd"
done
export OCL_ICD_VENDORS=$tmp/two TEST_ICD_B_CLOCK_OFFSET=5000000000 TEST_ICD_B_CLOCK_DRIFT_PPM=-100
timed "two platforms" "each command is on its lane, by its device's clock" 1000000 "--times $tmp/traced.out --log $tmp/traced.log --log $tmp/traced.log.b" \
	"$apps/cl_device" -2
is "$("$python" -c 'import json, sys
print(sorted({e["args"]["device"] for e in json.load(open(sys.argv[1])) if e.get("cat", "").startswith("device") and e["ph"] == "X"}))' \
	"$tmp/traced.json")" "['tracelayer test device', 'tracelayer test device #2']" "two platforms: devices of the same name are told apart"
export OCL_ICD_VENDORS=$drivers/icd_a.so
unset TEST_ICD_B_CLOCK_OFFSET TEST_ICD_B_CLOCK_DRIFT_PPM

# What the program asks, and what no polite program does.
for door in preload layer; do
	for program in answers hostile; do
		unnoticed "cl_device_$program, $door" $door "$apps/cl_device_$program"
		nothing_kept "cl_device_$program, $door"
		lanes "cl_device_$program, $door: each command is on its lane" --commands "$(commands traced)" \
			--untimed "$(grep -c '^- [0-9]* [A-Z_]* [0-9]* -' "$tmp/traced.log")" --log "$tmp/traced.log"
	done
done
TEST_ICD_FAIL=clEnqueueFillBuffer=-6 unnoticed "calls that fail" preload "$apps/cl_device_hostile"

# Drivers that can do less. Where there are no times at all, it is known when a command was submitted and when it had ended.
for setting in VERSION=1.2 PLATFORM=1.1 FAIL=clGetDeviceAndHostTimer=-59; do
	export "TEST_ICD_$setting"
	unnoticed "$setting" preload "$apps/cl_device"
	nothing_kept "$setting"
	lanes "$setting: each command is on its lane" --commands "$(commands traced)" --log "$tmp/traced.log"
	unset "TEST_ICD_${setting%%=*}"
done
# The program asks ten thousands of times whether commands have ended, which needs not be recorded here again.
for setting in PROFILING=refused PROFILING=unavailable PROFILING=constant; do
	export "TEST_ICD_$setting"
	TRACELAYER_EXCLUDE=clGetEventInfo unnoticed "$setting" preload "$apps/cl_device_answers"
	nothing_kept "$setting"
	lanes "$setting: each command is on its lane, without times" --commands "$(commands traced)" --untimed "$(commands traced)" --log "$tmp/traced.log"
	# Five more calls fail that the program says less of.
	is "$("$python" -c 'import json, sys
print(sum(e["name"].startswith("clCreateCommandQueue") and e["args"]["result"] == "0x0" for e in json.load(open(sys.argv[1])) if e["ph"] == "X"))' "$tmp/traced.json")" \
		$(($(grep -c '^--- .*, none$' "$tmp/traced.out") + 5)) "$setting: calls that gave a queue have it as their result"
	unset "TEST_ICD_${setting%%=*}"
done

# What is recorded.
for args in none scalars; do
	TRACELAYER_ARGS=$args unnoticed "$args arguments" preload "$apps/cl_device" -n 1
	lanes "$args arguments: each command is on its lane" --commands "$(commands traced)" --log "$tmp/traced.log" --times "$tmp/traced.out"
done
TRACELAYER_LEVEL=operator run traced preload "$apps/cl_device" -n 1
lanes "devices only: each command is on its lane" --commands "$(commands traced)" --log "$tmp/traced.log" --few
TRACELAYER_LEVEL=runtime run traced preload "$apps/cl_device" -n 1
lanes "host only: no lanes of devices" --commands 0 --few
TEST_ICD_COUNTS=$tmp/want TRACELAYER_DEVICE=0 run bare bare "$apps/cl_device" -n 1
TEST_ICD_COUNTS=$tmp/got TRACELAYER_DEVICE=0 run traced preload "$apps/cl_device" -n 1
lanes "TRACELAYER_DEVICE=0: no lanes of devices" --commands 0 --few
same "$tmp/got" "$tmp/want" "TRACELAYER_DEVICE=0: the driver gets the same calls"

# Clocks. Kernels of 0.2 to 2 ms in three queues. The times of a command that runs while the clock steps say nothing of the step: they may be
# wrong by the whole step (the second argument, in ns), besides what any time may be wrong by.
clock()
{
	local what=$1 worst=$2; shift 2
	timed "a device clock $what" "nothing is before its call or after those that waited" $((worst + 50000)) "--log $tmp/traced.log" \
		env "$@" "$apps/cl_device_ends" paced 250
}
clock "that is the host's" 1000000 TEST_ICD_CLOCK_OFFSET=0
clock "that drifts by 100 ppm" 1000000 TEST_ICD_CLOCK_DRIFT_PPM=100
clock "that drifts, and steps forward by 7 ms" 7000000 TEST_ICD_CLOCK_DRIFT_PPM=100 TEST_ICD_CLOCK_STEP=350:7000000
clock "that drifts, and steps back by 7 ms" 7000000 TEST_ICD_CLOCK_DRIFT_PPM=-100 TEST_ICD_CLOCK_STEP=350:-7000000
clock "that steps by an hour" 7000000 TEST_ICD_CLOCK_STEP=350:3600000000000

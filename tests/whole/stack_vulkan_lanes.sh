#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_vulkan_lanes.sh: device lanes of Vulkan, on Mesa's software driver: each batch of command buffers that a program submits is on a lane, with arrows;
# programs print the same, and Khronos' validation layer says the same of them.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
need vkcube vulkan-tools
need xvfb-run xvfb
need ffmpeg ffmpeg
test -e /usr/include/vulkan/vulkan.h || { echo "Bail out! vulkan.h is missing; ./scripts/install-packages stacks installs it (libvulkan-dev)"; exit 99; }
test -e /usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json ||
	{ echo "Bail out! the validation layer is missing; ./scripts/install-packages stacks installs it (vulkan-validationlayers)"; exit 99; }
driver=$(ls /usr/share/vulkan/icd.d/lvp_icd*.json 2>/dev/null | head -n 1)
test -e "$driver" || { echo "Bail out! Mesa's software driver is missing; ./scripts/install-packages stacks installs it (mesa-vulkan-drivers)"; exit 99; }
plan 79
export VK_ICD_FILENAMES=$driver XDG_RUNTIME_DIR=$tmp LP_NUM_THREADS=2
cd "$tmp" || exit 99
ok "the program is built" ${CC:-cc} -O1 -Wall -Wextra -pthread -o vk_lanes "$top_srcdir/tests/whole/vk_lanes.c" -lvulkan || exit 1

# lanes NAME COMMAND…: two results. Bare and with device lanes, it prints and ends the same; and the trace, NAME.json, is sound.
lanes()
{
	local name=$1 bare traced; shift
	rm -f "$name".json
	timeout -k 5 60 "$@" >bare.out 2>bare.err </dev/null; bare=$?
	timeout -k 5 60 "$tracelayer" run --quiet -o "$tmp/$name.json" --api vulkan -- "$@" >traced.out 2>traced.err </dev/null; traced=$?
	is "$traced $(cat traced.out traced.err)" "$bare $(cat bare.out bare.err)" "$name: prints the same, ends the same ($bare)"
	ok "$name: the trace is sound" "$python" -B "$check_trace" "$name.json"
}
# device FILE WHAT: "ended unfinished" slices of its device; or how far, at most and as a rule, their times are from the driver's, in microseconds.
device() { "$python" -B - "$1" "$2" <<'END_OF_PYTHON'
import json, statistics, sys
slices = [e for e in json.load(open(sys.argv[1])) if e["ph"] == "X" and isinstance(e["args"].get("queue"), int)]
if sys.argv[2] == "count":
    unfinished = sum(bool(e["args"].get("unfinished")) for e in slices)
    print(len(slices) - unfinished, unfinished)
else:
    # The software driver's clock is the host's.
    away = [abs(e["ts"] * 1000 - e["args"]["start"]) / 1000 for e in slices if "start" in e["args"]]
    print(round(max(away)), round(statistics.median(away)))
END_OF_PYTHON
}
printed() { sed -n 's/^batches //p' traced.out; }
arrows() { ok "$1: batches lie between the call that submitted them and the call that waited for them, with arrows" \
	"$python" -B "$top_srcdir/tests/device/ze/ze_lanes.py" calls "$1.json"; }
waits() { "$python" -B "$top_srcdir/tests/device/ze/ze_lanes.py" waits "$@"; }

# --- batches of all kinds
lanes work ./vk_lanes work
is "$(device work.json count)" "$(printed) 0" "work: each batch that has command buffers is on the lane: $(printed)"
arrows work
is "$(waits work.json vkWaitForFences) $(waits work.json vkGetFenceStatus) $(test "$(waits work.json vkQueueWaitIdle)" -gt 50 && echo many)" "2 5 many" \
	"work: calls that wait by a fence, find it signaled, or wait for the queue are known"
read -r most median <<<"$(device work.json away)"
diag "times are at most $most us from the driver's, as a rule $median"
ok "work: and their times are the driver's" test "$most" -lt 5000 -a "$median" -lt 2000
lanes threads ./vk_lanes threads
is "$(device threads.json count)" "$(printed) 0" "threads: devices that come and go: each batch is on a lane: $(printed)"
arrows threads
# memory FILE: how many samples the counter of memory has, the highest in pages (one for each device), and the last one.
memory() { "$python" -B - "$1" <<'END_OF_PYTHON'
import json, sys
at = [e["args"]["bytes"] for e in sorted((e for e in json.load(open(sys.argv[1])) if e["ph"] == "C" and e["name"].startswith("memory,")), key=lambda e: e["ts"])]
print(len(at), max(at) // 4096, at[-1])
END_OF_PYTHON
}
like "$(memory threads.json)" '24 [123] 0' "threads: and the memory that each of them allocates is counted until it is freed"
lanes fork ./vk_lanes fork
is "$(device fork.json count)" "$(printed) 0" "fork: each batch of the parent's is on the lane, and none of the child's"
lanes leave ./vk_lanes leave
is "$(device leave.json count | awk '{ print $1 + $2 }')" "$(printed)" "leave: without a wait at the end, too"
lanes within ./vk_lanes within
is "$(device within.json count)" "1 2" "within: what was waited for has ended, and the others are shown as unfinished"
for mode in wait leak atexit fence values ahead names many; do
	lanes $mode ./vk_lanes $mode
	is "$(device $mode.json count)" "$(printed) 0" "$mode: each batch is on a lane: $(printed)"
done
lanes late ./vk_lanes late
is "$(device late.json count) $(grep -c '"start":' late.json)" "100 0 100" "late: and so is what an exit handler waits for, with its times"
is "$(memory leak.json)" "2 1 0" "leak: a device that is left to its instance leaves no memory"
is "$(waits fence.json vkWaitForFences)" 10 "fence: a fence of a call without batches is waited for with those before it"
is "$(waits values.json vkWaitSemaphores) $(waits values.json vkGetSemaphoreCounterValue)" "10 5" "values: calls that wait for a semaphore's value, or find it, are known, but none that waits for a stage alone"
arrows values
timeout -k 5 100 "$tracelayer" run -o most.json --api vulkan -- ./vk_lanes most >traced.out 2>traced.err
said=$(sed -n 's/^tracelayer: vulkan: \([0-9]*\) batches have no slice: 65,000 before had not ended.*/\1/p' traced.err)
is "$((${said:-0} + $(grep -c '"command_buffers":' most.json))) $(test "${said:-0}" -gt 1000 && echo many)" "$(printed) many" "most: a line says how many of $(printed) batches have no slice"
rm -f most.json
# names FILE: the names of its batches, in order, with how many command buffers each has, how many fills, and their bytes.
names() { "$python" -B - "$1" <<'END_OF_PYTHON'
import json, sys
for e in sorted((e for e in json.load(open(sys.argv[1])) if e["ph"] == "X" and isinstance(e["args"].get("queue"), int)), key=lambda e: e["ts"]):
    print("%s: %d %d %d" % (e["name"], e["args"]["command_buffers"], e["args"].get("fills", 0), e["args"].get("bytes", 0)))
END_OF_PYTHON
}
is "$(names names.json)" "fill: 2 2 2048
ocean: 2 2 2048
fill: 1 4 4096
rocks: 1 4 4096
island: 1 4 4096
a label that is so long that it has to be cut, in the middle of its last but one letter: äää: 1 4 4096
1 command buffer: 1 0 0
copy: 1 0 208
fill: 1 1 0" "names: a batch has the name or the label of its command buffer, or what it contains"
"$tracelayer" run --quiet -o none.json --device=no --api vulkan -- ./vk_lanes work >traced.out
is "$(cat traced.out | tail -n 1) $(device none.json count)" "batches 110 0 0" "--device=no: there are no lanes"
"$tracelayer" run --quiet -o work.tlt --api vulkan -- ./vk_lanes work >traced.out
like "$("$tracelayer" summary --by=queue --csv work.tlt | tr -d '\r')" 'queue 0 of family 0, [^,"]*' "a lane is called by its queue"

# --- a layer that is gone after its exit handler, which it registers late, as newer validation layers do: from then on nobody asks it anything
ok "a layer that goes is built" ${CC:-cc} -O1 -Wall -Wextra -I"$top_srcdir" -fPIC -shared -o passing.so "$top_srcdir/tests/whole/vk_passing.c"
cat >passing.json <<'END_OF_LAYER'
{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_passing", "type": "GLOBAL", "library_path": "./passing.so", "api_version": "1.3.0",
"implementation_version": "1", "description": "goes"}}
END_OF_LAYER
for mode in leave atexit; do
	VK_LAYER_PATH=$tmp VK_INSTANCE_LAYERS=VK_LAYER_passing lanes $mode ./vk_lanes $mode
done
is "$(device leave.json count | awk '{ print $1 + $2 }')" 111 "leave: and each batch is on the lane"

# --- the validation layer: nothing that it would not say without the lanes, best practices neither
cat >vk_layer_settings.txt <<'END_OF_SETTINGS'
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT,VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT
khronos_validation.report_flags = error,warn,perf
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.duplicate_message_limit = 1000
END_OF_SETTINGS
sed 's/,VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT//' vk_layer_settings.txt >no_best_practices.txt
settings=vk_layer_settings.txt
validated()
{
	local name=$1; shift
	(
		export VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation VK_LAYER_SETTINGS_PATH=$tmp/$settings
		timeout -k 5 100 "$@" >validated.bare 2>&1 </dev/null
		timeout -k 5 100 "$tracelayer" run --quiet -o validated.json --api vulkan -- "$@" >validated.traced 2>&1 </dev/null
	)
	# Sorted, for threads.
	is "$(sed 's/0x[0-9a-f]*/HANDLE/g' validated.traced | sort)" "$(sed 's/0x[0-9a-f]*/HANDLE/g' validated.bare | sort)" \
		"$name: the validation layer says the same ($(grep -c Warning validated.bare) warnings)"
	ok "$name: and there are lanes" grep -q '"command_buffers":' validated.json
	rm -f validated.json
}
validated work ./vk_lanes work
validated threads ./vk_lanes threads
validated ahead ./vk_lanes ahead

# --- programs that nobody here wrote
blur=(ffmpeg -nostdin -hide_banner -loglevel error -init_hw_device vulkan=v:0 -filter_hw_device v -f lavfi -i testsrc=d=1:s=64x64:r=25
	-vf format=rgba,hwupload,avgblur_vulkan,hwdownload,format=rgba -f md5 -)
calls() { "$python" -B "$check_trace" --names "$1" | awk -v name="$2" '$1 == name { print $2 }'; }
lanes blur "${blur[@]}"
is "$(names blur.json | sort | uniq -c | awk '{ print $2, $1 }' | grep -v ^1)" "copy: 50
dispatch: 25" "FFmpeg: for each of 25 frames a batch that computes and two that copy"
is "$(device blur.json count)" "$(calls blur.json vkQueueSubmit) 0" "FFmpeg: each of its $(calls blur.json vkQueueSubmit) batches is on the lane"
arrows blur
# How often best practices warn FFmpeg differs from run to run, bare too.
settings=no_best_practices.txt
validated FFmpeg "${blur[@]}"
lanes cube xvfb-run -a vkcube --c 20
is "$(device cube.json count)" "$(calls cube.json vkQueueSubmit) 0" "vkcube: each of its $(calls cube.json vkQueueSubmit) batches is on the lane"
arrows cube

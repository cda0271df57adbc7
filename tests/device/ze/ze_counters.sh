#!/bin/bash
# SPDX-License-Identifier: MIT
# Counters of Level Zero's devices (--sample-device): what the software device tells by sysman, beside its own log.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
plan 18

app=$top_builddir/tests/apps/ze_device
export ZE_ENABLE_ALT_DRIVERS=$top_builddir/tests/drivers/.libs/ze_driver_a.so ZES_ENABLE_SYSMAN=1
export TEST_ZE_COUNTS=$tmp/counts TEST_ZE_LOG=$tmp/log

# run OPTION… -- COMMAND…: with the trace in t.json, what is printed in out, and the driver's log and counts.
run()
{
	rm -f "$tmp"/t.* "$tmp/log" "$tmp/counts"
	timeout 120 "$tracelayer" run -o "$tmp/t.json" "$@" >"$tmp/out" 2>&1
}
sampled() { grep -c '^zes' "$tmp/counts"; }

# amounts FILE: each counter of sysman, its unit, how often, the integral of its values over time, the least and the most. A power or a load is that since the
# sample before, which the first sample has not; so integrals are of the samples that all counters have.
cat >"$tmp/amounts.py" <<'PYTHON'
import json, sys
series = {}
for event in json.load(open(sys.argv[1])):
    if event["ph"] == "C" and ", tracelayer test device" in event["name"]:
        (unit, value), = event["args"].items()
        series.setdefault((event["name"].split(",")[0], unit), []).append((event["ts"], value))
common = min(map(len, series.values()), default=0)
for (name, unit), values in sorted(series.items()):
    values.sort()
    shared = values[-common:]
    area = sum((b[0] - a[0]) * b[1] for a, b in zip(shared, shared[1:])) / 1e6
    print(name, unit, len(values), round(area, 6), min(v for _, v in values), max(v for _, v in values), sep="\t")
PYTHON
amounts() { "$python" -B "$tmp/amounts.py" "$tmp/t.json" >"$tmp/amounts"; }
# of NAME FIELD: 2 the unit, 3 how many, 4 the integral, 5 the least, 6 the most.
of() { awk -F'\t' -v name="$1" -v field="$2" '$1 == name { print $field }' "$tmp/amounts"; }

ok "a program is sampled" run --sample-device=2ms -- "$app" time 400
ok "its trace is strict JSON" strict_json "$tmp/t.json"
amounts
is "$(cut -f1,2 "$tmp/amounts" | tr '\t\n' ' ;')" \
	"compute engine %;compute engine 2 %;copy engine %;copy engine 2 %;frequency MHz;memory frequency MHz;memory in use bytes;power W;" \
	"each domain is a counter, with its unit"
is "$(of frequency 5) $(of frequency 6) $(of 'memory frequency' 5) $(of 'memory frequency' 6)" "1500 1500 2400 2400" "frequencies"
# The program takes 400 ms and more. A busy machine takes fewer samples.
ok "there are many samples" test "$(of 'frequency' 3)" -ge 20
# What the driver's log says of the time between the first sample and the last: all but some kernels, each of 1 ms; on a busy machine half of them.
busy=$(awk -F'\t' '$2 == 0 && $3 == 0 { all += $10 - $9 } END { print all / 1e9 }' "$tmp/log")
echo "busy for $busy s, load says $(of 'compute engine' 4) percent seconds"
ok "the load adds up to the time that kernels took" awk -v busy="$busy" -v loaded="$(of 'compute engine' 4)" \
	'BEGIN { exit !(busy > 0.005 && loaded / 100 <= busy * 1.02 + 0.003 && loaded / 100 >= busy * 0.4) }'
ok "and power to ten watts, and five more for the load" awk -v power="$(of power 4)" -v loaded="$(of 'compute engine' 4)" -v idle="$(of 'frequency' 4)" \
	'BEGIN { want = idle / 1500 * 10 + loaded / 100 * 5; exit !(power > want * 0.97 - 0.05 && power < want * 1.03 + 0.05) }'
is "$(of 'copy engine' 6)" 0 "an engine that does nothing has no load"

ok "a program that allocates" run --sample-device=1ms -- "$app" work 2 40
cp "$tmp/out" "$tmp/sampled"
amounts
ok "memory in use goes up, and down" test "$(of 'memory in use' 6)" -gt 0
run -- "$app" work 2 40
is "$(grep -v '^tracelayer: trace' "$tmp/sampled")" "$(grep -v '^tracelayer: trace' "$tmp/out")" "it prints the same as without"
is "$(sampled) $(grep -c '"name":"power, ' "$tmp/t.json")" "0 0" "without the option the driver is asked for nothing"

# --- a driver that tells nothing
TEST_ZE_FAIL=zesDeviceEnumPowerDomains=0x78000001,zesDeviceEnumFrequencyDomains=0x78000001,zesDeviceEnumEngineGroups=0x78000001,zesDeviceEnumMemoryModules=0x78000001 \
	run --sample-device=1ms -- "$app" time 60
is "$(grep -c "^tracelayer: tracelayer test device: its driver tells no counters for --sample-device; set ZES_ENABLE_SYSMAN=1 in the program's environment" \
	"$tmp/out")" 1 "a driver that tells nothing: a line says what to set, once"

# --- ends
run --sample-device=1ms -- "$app" fork
is "$(cat "$tmp"/t*.json | grep -o '"pid":[0-9]*,"name":"power, ' | sort -u | wc -l)" 2 "a forked child has counters of its own"
cat >"$tmp/leaves.c" <<'C'
#include <level_zero/ze_api.h>
#include <pthread.h>
#include <time.h>
static void *stays(void *unused)
{
	nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
	return unused;
}
int main(void)
{
	ze_driver_handle_t driver;
	ze_device_handle_t device;
	ze_context_handle_t context;
	ze_command_list_handle_t list;
	ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
	ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
	uint32_t one = 1;
	pthread_t thread;
	if (zeInit(0) || zeDriverGet(&one, &driver) || zeDeviceGet(driver, &one, &device) ||
	    zeContextCreate(driver, &desc, &context) || zeCommandListCreateImmediate(context, device, &queue, &list))
		return 1;
	pthread_create(&thread, NULL, stays, NULL);
	pthread_exit(NULL);
}
C
# shellcheck disable=SC2086
ok "a program whose main thread ends first builds" ${CC:-cc} -I"$top_builddir/apis/include" "$tmp/leaves.c" -o "$tmp/leaves" -pthread -lze_loader
ok "the sampling thread does not keep it" timeout 60 "$tracelayer" run --quiet --sample-device=1ms -o "$tmp/l.json" -- "$tmp/leaves"
ok "it was sampled before" grep -q '"name":"frequency, tracelayer test device"' "$tmp/l.json"

# --- the other format
"$tracelayer" run --quiet --sample-device=1ms -o "$tmp/t.pftrace" -- "$app" time 60 >/dev/null
is "$(grep -ao 'power, tracelayer test device' "$tmp/t.pftrace" | sort -u | wc -l) $(grep -aco 'MHz' "$tmp/t.pftrace" | head -n 1 | sed 's/[1-9][0-9]*/some/')" \
	"1 some" "a .pftrace has the counters, and their units"

#!/bin/bash
# SPDX-License-Identifier: MIT
# Queues that are made with a priority hint (cl_khr_priority_hints) have it in their lanes' names, and the driver gets the hint. The driver is
# the test driver: PoCL has no such queues.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
plan 3

builds=$(cd "$top_builddir" && pwd)
mkdir "$tmp/vendors"
echo "$builds/tests/drivers/.libs/icd_a.so" >"$tmp/vendors/a.icd"
export OCL_ICD_VENDORS=$tmp/vendors
program="$python -B $top_srcdir/tests/device/opencl/cl_priority.py"
$program >"$tmp/bare" 2>&1
"$tracelayer" run --quiet -o "$tmp/t.json" -- $program >"$tmp/traced" 2>&1
is "$(cut -d' ' -f1 "$tmp/bare" | paste -sd' ')" "0 0 0 0 0" "the driver makes such queues"
same "$tmp/traced" "$tmp/bare" "the program is told the same"
is "$("$python" - "$tmp/t.json" <<'END'
import json, re, sys
names = [e["args"]["name"] for e in json.load(open(sys.argv[1])) if e["ph"] == "M" and e["name"] == "thread_name"]
print("; ".join(sorted(re.sub(r",.*", "", name) for name in names if "queue" in name)))
END
)" "queue 1; queue 5; queue of high priority; queue of low priority; queue of medium priority" "each lane says the priority that its queue was made with"

#!/bin/bash
# SPDX-License-Identifier: MIT
# Each command that a call waited for has an arrow to that call, also where it had ended before, and the program, or another thread of it, asked for
# counts of references in between; and those counts are a bare run's. On the test driver, and on PoCL.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/device/opencl/cl_common.sh"
need_library
ways="none other retain context devices queue retain-queue event own-event"
plan $((5 * $(echo "$ways" | wc -w)))

# Commands, arrows to them, arrows from them.
arrows()
{
	"$python" -B - "$tmp/traced.json" <<-'END'
	import json, sys
	events = json.load(open(sys.argv[1]))
	def arrows(name): return sum(event["ph"] == "s" and event["name"] == name for event in events)
	print(arrows("submitted"), arrows("awaited"))
	END
}

for driver in test PoCL; do
	if test $driver = test; then export OCL_ICD_VENDORS=$drivers/icd_a.so; else unset OCL_ICD_VENDORS; fi
	for way in $ways; do
		# On a busy machine a driver's thread may keep a command that has ended for a while, also in a bare run.
		for _ in 1 2 3 4 5; do
			run bare bare "$apps/cl_awaited" "$way"
			run traced preload "$apps/cl_awaited" "$way"
			if alike >/dev/null; then break; fi
		done
		ok "$driver, $way: says the same, ends the same ($(grep '^exit code' "$tmp/bare.out")), and the driver sees no misuse" alike
		if test $driver = test; then nothing_kept "$driver, $way"; fi
		is "$(arrows)" "$(commands bare) $(commands bare)" "$driver, $way: each command has been waited for"
	done
done

#!/bin/bash
# SPDX-License-Identifier: MIT
# Each command that a call waited for has an arrow to that call, also where it had ended before, and the program, or another thread of it, asked for
# counts of references in between; and those counts are a bare run's. On the test driver, and on PoCL.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/device/opencl/cl_common.sh"
need_library
ways="none other retain context devices queue retain-queue event own-event"
plan $((5 * $(echo "$ways" | wc -w) + 8))

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

# --- 2400 questions while 500 commands have ended that nothing waited for
asked() { awk '$1 == "clGetEventInfo" { print $2 }' "$tmp/counts"; }
for driver in test PoCL; do
	if test $driver = test; then export OCL_ICD_VENDORS=$drivers/icd_a.so; else unset OCL_ICD_VENDORS; fi
	for what in held released; do
		run bare bare "$apps/cl_questions" $what
		TEST_ICD_COUNTS=$tmp/counts run traced preload "$apps/cl_questions" $what
		ok "$driver, events $what: many questions for counts of references have a bare run's answers" alike
		test $driver = test || continue
		ok "$driver, events $what: ... and the layer asks few of its own ($(asked))" test "$(asked)" -lt 200000
	done
	run traced preload "$apps/cl_questions" few
	is "$(arrows)" "510 510" "$driver: few commands whose events the program has keep their arrows, also if they were many at the last question"
done

#!/bin/bash
# SPDX-License-Identifier: MIT
# Several OpenCL platforms in one program: each has functions of its own behind the same extension names, and gets the calls meant for it.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library

apps=$top_builddir/tests/apps
drivers=$top_builddir/tests/drivers/.libs

# vendors FOLDER DRIVER…: a folder for the loader to read.
vendors()
{
	local folder=$1 driver; shift
	mkdir -p "$folder"
	for driver; do
		echo "$driver" >"$folder/$(basename "$driver").icd"
	done
}

# sum FILE… NAME: calls of that function that the drivers counted.
sum() { awk -v name="${!#}" '$1 == name { n += $2 } END { print n + 0 }' "${@:1:$#-1}"; }

plan 13
vendors "$tmp/two" "$drivers/icd_a.so" "$drivers/icd_b.so"
export OCL_ICD_VENDORS=$tmp/two
timeout 60 "$apps/cl_extension" >"$tmp/bare"
is $? 0 "two platforms' extension functions differ, without us"
TEST_ICD_COUNTS=$tmp/counts traced "$tmp/trace.json" timeout 60 "$apps/cl_extension" >"$tmp/out"
is $? 0 "and with us each platform's own is called"
same "$tmp/out" "$tmp/bare" "the program sees no difference: its pointers stay the same when asked again, and differ by platform"
is "$(events "$tmp/trace.json" clHostMemAllocINTEL)" 200 "calls through both platforms' pointers are recorded under the function's name"
is "$(sum "$tmp/counts" "$tmp/counts.b" clHostMemAllocINTEL)" 200 "as many as the drivers counted"
is "$(sum "$tmp/counts" clMemFreeINTEL) $(sum "$tmp/counts.b" clMemFreeINTEL)" "100 100" "and each driver got its own"
is "$(events "$tmp/trace.json" clMemFreeINTEL)" 200 "those of another function too"
is "$(events "$tmp/trace.json" clGetHostTimer)" 2 "a core function got from a platform is recorded"
is "$(events "$tmp/trace.json" clGetExtensionFunctionAddressForPlatform)" 10 "and so is the asking"

# Programs that know none of this.
ok "work on both platforms" traced "$tmp/trace.json" timeout 60 "$apps/cl_linked" calls
is "$(events "$tmp/trace.json" clEnqueueNDRangeKernel)" 2 "is recorded for both"

pocl=$(cat /etc/OpenCL/vendors/pocl.icd 2>/dev/null)
if test -z "$pocl" || ! command -v clinfo >/dev/null; then
	skip 2 "PoCL or clinfo is not installed"
else
	vendors "$tmp/pocl" "$drivers/icd_a.so" "$pocl"
	OCL_ICD_VENDORS=$tmp/pocl timeout 120 clinfo >"$tmp/bare" 2>&1
	OCL_ICD_VENDORS=$tmp/pocl traced "$tmp/trace.json" timeout 120 clinfo >"$tmp/out" 2>&1
	same "$tmp/out" "$tmp/bare" "clinfo says the same of our driver and of PoCL beside it"
	is "$(sed -n 's/^  Platform Name  *//p' "$tmp/out" | sort -u)" "$(printf 'Portable Computing Language\ntracelayer test platform')" \
		"and lists them both"
fi

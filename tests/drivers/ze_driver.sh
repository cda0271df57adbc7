#!/bin/bash
# SPDX-License-Identifier: MIT
# The Level Zero test programs on the stock loader with the test driver, without tracelayer: they
# work, and the calls that the driver counts are those that the programs made, and the loader's own.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/ze_loader.sh"
plan 35

apps=$top_builddir/tests/apps
driver=$top_builddir/tests/drivers/.libs/ze_driver_a.so
export ZE_ENABLE_ALT_DRIVERS=$driver

ok "a program that is measured for what the loader calls" ze_loader_calls "$tmp/loader"
is "$(grep -vcE '^ze(Init|InitDrivers|DriverGet|DriverGetProperties|DeviceGet|DeviceGetProperties) [12]$' "$tmp/loader")" 0 "that is little" ||
	diag "$(cat "$tmp/loader")"

# The program's own count of its calls, as the driver should have counted them. Calls for the
# loader's tables end in the loader.
expected() { grep -v 'ProcAddrTable ' "$1" | counts_with - "$tmp/loader"; }

# counted DESCRIPTION PROGRAM ARGUMENTS…: it ends well, and both counts are the same.
counted()
{
	local what=$1 program=$2; shift 2
	rm -f "$tmp/driver" "$tmp/program"
	ok "$what" env TEST_ZE_COUNTS="$tmp/driver" TEST_ZE_APP_COUNTS="$tmp/program" \
		timeout 60 "$apps/$program" "$@"
	cp "$tmp/.ok" "$tmp/said"
	expected "$tmp/program" >"$tmp/want"
	sort "$tmp/driver" >"$tmp/got"
	local calls=$(awk '{ n += $2 } END { print n }' "$tmp/want")
	same "$tmp/got" "$tmp/want" "$what: the driver counted $calls calls, as the program"
}

counted "vectors are added by queues" ze_vector_add -t 4 -n 20
counted "vectors are added through immediate lists" ze_vector_add -t 3 -n 20 -i
counted "kernel timestamps are in order" ze_events
# 22 bits wrap after 218 ms, which these kernels take more than; and no pause of the machine should
# be long enough to look like a wrap.
TEST_ZE_CLOCK_KERNEL_BITS=22 counted "and where the clock wraps" ze_events 500
like "$(cat "$tmp/said")" 'the clock wrapped' "the clock did wrap in that"
counted "functions are taken by dlsym" ze_dlopen
counted "and with RTLD_DEEPBIND" ze_dlopen deep
counted "calls go through tables" ze_ddi
counted "chains, arrays, strings and errors" ze_chain
counted "system management and tools functions" ze_sysman
is "$(grep -c '^ze[st]' "$tmp/got")" 145 "which are 145"
counted "calls that do not return" ze_unwind
counted "every function is called" ze_calls

counts_without "$tmp/driver" "$tmp/loader" >"$tmp/once"
is "$(awk '$2 != 1' "$tmp/once"; wc -l <"$tmp/once")" 144 "each of the 144 functions, once"
declared=$(sed -n 's/^\(ze[A-Z][A-Za-z0-9]*\)($/\1/p' /usr/include/level_zero/ze_api.h | sort -u)
if grep -q zeInitDrivers <<<"$declared"; then
	is "$(awk '{ print $1 }' "$tmp/once" | grep -vxF "$declared")" "" "and the header, which is newer, declares all of them"
else
	is "$(awk '{ print $1 }' "$tmp/once")" "$declared" "and these are the functions that the header declares"
fi

# The log.
TEST_ZE_LOG=$tmp/log "$apps/ze_vector_add" -t 2 -n 10 >/dev/null
is "$(awk -F'\t' '$5 == "vector_add"' "$tmp/log" | wc -l)" 20 "the log has a line for every kernel executed"
is "$(awk -F'\t' '$5 == "copy" && $6 == 4000' "$tmp/log" | wc -l)" 60 "and for every copy, with its bytes"
is "$(awk -F'\t' 'NF != 10 || $8 < $7 || $10 < $9' "$tmp/log")" "" "and no line ends before it starts"

# Two drivers at once; the second writes files of its own.
ZE_ENABLE_ALT_DRIVERS=$driver,${driver%a.so}b.so TEST_ZE_COUNTS=$tmp/two "$apps/ze_vector_add" >"$tmp/out"
is $? 0 "a program runs with two drivers loaded"
like "$(cat "$tmp/two.b")" '^zeInit [1-9]' "and the second was asked too"

nok "an injected failure reaches the program" env TEST_ZE_FAIL=zeKernelCreate=0x78000011@1 "$apps/ze_vector_add"
is "$(nm -D --defined-only "$driver" | awk '$3 !~ /^(ze[st]?Get[A-Za-z]*ProcAddrTable|test_ze_[a-z_]*)$/ { print $3 }')" "" \
	"the driver exports its tables and its test functions, no function of the API"

#!/bin/bash
# SPDX-License-Identifier: MIT
# Traces of arm64 are read by the command of this machine, and its traces by that of arm64. make check-arm64 runs this outside of the root, and it runs
# arm64's programs inside. The build folder is that of arm64, and lies in this machine's; it is where it is on both sides.
export TMPDIR=$top_builddir
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
theirs=$top_builddir
ours=${ARM64_OURS:-${top_builddir%/*}}
test -x "$ours/tracelayer" || { echo "Bail out! $ours/tracelayer is missing; run make first"; exit 99; }
plan 35

machine_of() { readelf -h "$1" | sed -n 's/^ *Machine: *//p'; }
is "$(machine_of "$theirs/tracelayer")" AArch64 "one command is arm64's"
is "$(test "$(machine_of "$ours/tracelayer")" != AArch64 && echo another)" another "the other is not"

# theirs_run ARGUMENT…, ours_run ARGUMENT…: each machine's command.
theirs_run() { timeout 200 "$top_srcdir/tests/arm64/inside" "$theirs/tracelayer" "$@"; }
ours_run() { timeout 200 "$ours/tracelayer" "$@"; }
# trace WHOSE BUILD: calls, and work of a device.
trace()
{
	ZE_ENABLE_ALT_DRIVERS=$2/tests/drivers/.libs/ze_driver_a.so TEST_ZE_APP_COUNTS=$tmp/counts \
		"$1_run" run --quiet -o "$tmp/$1.tlt" -- "$2/tests/apps/ze_vector_add" -t 2 -n 20
}
ok "a trace of arm64" trace theirs "$theirs"
like "$(cat "$tmp/counts")" '^zeCommandListAppendLaunchKernel ' "whose program has launched kernels"
ok "a trace of this machine" trace ours "$ours"

# both WHAT COMMAND…: both commands print the same, and it is something.
both()
{
	local what=$1; shift
	theirs_run "$@" >"$tmp/from_theirs" 2>&1
	local status=$?
	ours_run "$@" >"$tmp/from_ours" 2>&1
	is "$status $?" "0 0" "$what: both can" || diag "$(head -n 5 "$tmp/from_theirs" "$tmp/from_ours")"
	if test -s "$tmp/from_ours"; then same "$tmp/from_theirs" "$tmp/from_ours" "$what: and say the same"; else fail "$what: it says nothing"; fi
}
for trace in theirs ours; do
	for options in "" --by=queue "--by=thread --format=csv" "--by=process --format=json" "--time=0: --name=ze*"; do
		# shellcheck disable=SC2086
		both "$trace.tlt, summary $options" summary $options "$tmp/$trace.tlt"
	done
	for ending in json pftrace; do
		theirs_run export "$tmp/$trace.tlt" -o "$tmp/from_theirs.$ending" >"$tmp/log" 2>&1 && ours_run export "$tmp/$trace.tlt" -o "$tmp/from_ours.$ending" >>"$tmp/log" 2>&1
		is $? 0 "$trace.tlt, export to .$ending: both can" || diag "$(cat "$tmp/log")"
		same "$tmp/from_theirs.$ending" "$tmp/from_ours.$ending" "$trace.tlt, export to .$ending: byte for byte the same"
	done
done
# The table of functions; that of idle queues may name the function, too, when a queue waited for its call.
launches() { ours_run summary --format=csv "$1" | awk -F, '$1 == "function" { there = 1 } !NF { there = 0 } there && $1 == "zeCommandListAppendLaunchKernel" { print $2 }'; }
is "$(launches "$tmp/theirs.tlt") $(launches "$tmp/ours.tlt")" "2 2" "the launches are in both"
like "$(ours_run summary "$tmp/theirs.tlt")" '^zeCommandListAppendLaunchKernel ' "and by their names"

#!/bin/bash
# SPDX-License-Identifier: MIT
# Level Zero programs on the stock loader: however they come by their functions, they do what they do untraced, the loader gets its own
# tables and the driver's, and each of their calls is recorded once, as counted by the program and by the driver.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/ze_loader.sh"
need_library

apps=$top_builddir/tests/apps
driver=$top_builddir/tests/drivers/.libs/ze_driver_a.so
export ZE_ENABLE_ALT_DRIVERS=$driver

recorded()
{
	"$python" - "$1" <<-'END'
	import collections, json, sys
	calls = collections.Counter(e["name"] for e in json.load(open(sys.argv[1])) if e.get("ph") == "X")
	print("\n".join("%s %d" % call for call in sorted(calls.items())))
	END
}

ze_loader_calls "$tmp/loader" || exit 99

# check DESCRIPTION COMMAND…
check()
{
	local what=$1; shift
	timeout 60 "$@" >"$tmp/bare" 2>&1
	local status=$?
	# Device lanes have events and driver calls of their own.
	TRACELAYER_DEVICE=0 TEST_ZE_COUNTS=$tmp/driver TEST_ZE_APP_COUNTS=$tmp/program traced "$tmp/trace.json" timeout 60 "$@" >"$tmp/out" 2>&1
	is "$? $status" "0 0" "$what: it ends well, as it does without us" || diag "$(tail -n 5 "$tmp/out")"
	recorded "$tmp/trace.json" >"$tmp/recorded"
	sort "$tmp/program" >"$tmp/want"
	same "$tmp/recorded" "$tmp/want" "$what: each call that the program made is recorded once, and no other"
	# The loader asks for the driver's tables itself, whoever asks for its own.
	grep -v 'ProcAddrTable ' "$tmp/recorded" >"$tmp/got"
	counts_without "$tmp/driver" "$tmp/loader" >"$tmp/want"
	same "$tmp/got" "$tmp/want" "$what: and so says the driver"
}

plan 16
check "linked" "$apps/ze_vector_add" -t 2 -n 5
unlike "$(cat "$tmp/recorded")" ProcAddrTable "the tables that the loader asks itself for are not recorded"
check "dlopen RTLD_LOCAL" "$apps/ze_dlopen"
check "dlopen RTLD_DEEPBIND" "$apps/ze_dlopen" deep
check "tables and extension functions" "$apps/ze_ddi"
check "every function" "$apps/ze_calls"

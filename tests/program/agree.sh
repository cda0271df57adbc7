#!/bin/bash
# SPDX-License-Identifier: MIT
# A program annotated with tracelayer/nntrace.h and tracelayer/profiler.h, on OpenCL: in one run its timeline, its phases and its profile agree within 2 %.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
app=$top_builddir/tests/apps/agree

# A profile is looks at an instant: a busy machine may take some from it, so that a second and a third run may show what the first did not.
agrees()
{
	local tries=3

	while test "$tries" -gt 0; do
		tries=$((tries - 1))
		rm -rf "$tmp/cache"
		POCL_CACHE_DIR=$tmp/cache traced "$tmp/agree.json" timeout 120 "$app" "$tmp/profile" || return
		"$tracelayer" phases --json --call-tree "$tmp/agree.json" >"$tmp/table.json" || return
		"$python" "$top_srcdir/tests/program/agree.py" "$tmp/agree.json" "$tmp/table.json" "$tmp/profile" >"$tmp/agreement" && return
		cat "$tmp/agreement" "$tmp/profile"
	done
	return 1
}

plan 3
ok "timeline, phases and profile agree within 2 %" agrees
diag "$(cat "$tmp/agreement")"
ok "... and the table of it is printed" "$tracelayer" phases "$tmp/agree.json"
POCL_CACHE_DIR=$tmp/cache timeout 120 "$app" "$tmp/bare" >"$tmp/out" 2>&1
is "$? $(cat "$tmp/out")" "0 " "without tracelayer the program runs, and has its profile"

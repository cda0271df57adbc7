#!/bin/bash
# SPDX-License-Identifier: MIT
# report.sh: a page of `tracelayer report`, in a headless Chromium: zoom, search, pointer, arrows, tables, the flame graph, with few calls and with a million. REPORT_PICTURES=DIR keeps
# pictures of it.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
need_library
viewers=$top_srcdir/tests/whole/viewers
apps=$top_builddir/tests/apps
need_chromium
plan 2

timeout 60 "$tracelayer" run --stack -o "$tmp/small.tlt" -- "$apps/cl_vector_add" >/dev/null 2>&1
"$tracelayer" report "$tmp/small.tlt" -o "$tmp/small.html"
"$tracelayer" export "$tmp/small.tlt" -o "$tmp/small.folded" 2>/dev/null
for kind in "stacks $tmp/stacks.json 1000" "hostile $tmp/evil.json"; do
	set -- $kind
	"$python" -B "$top_srcdir/tests/cli/report/report_traces.py" "$@"
	"$tracelayer" report "$2" -o "${2%.json}.html"
done
timeout 60 "$tracelayer" run --stack -o "$tmp/large.tlt" -- "$apps/cl_threads" -t 8 -i 125000 >/dev/null 2>&1
"$tracelayer" report "$tmp/large.tlt" -o "$tmp/large.html"
size=$(stat -c %s "$tmp/large.html")
diag "the page of a million calls has $size bytes"
ok "a million calls are 25 MB or less" test "$size" -le 25000000 -a "$size" -gt 1000000
TMPDIR=$tmp timeout 300 "$python" -B "$viewers/report.py" "$tmp/small.html" "$tmp/large.html" "$tmp/stacks.html" "$tmp/evil.html" "$tmp/small.folded" "${REPORT_PICTURES:-$tmp}" >"$tmp/said" 2>&1
status=$?
sed 's/^/# /' "$tmp/said"
is "$status $(grep -c '^ok' "$tmp/said")" "0 78" "the page does what its manual says"

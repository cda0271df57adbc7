#!/bin/bash
# SPDX-License-Identifier: MIT
# Every row of NNAPI's contract that a program's own marks can have, by tracelayer/nntrace.h: `tracelayer phases` gives what the contract gives for the
# times in the trace. The trace is tracelayer's, as it is and exported; and the kernel's, where this machine lets the test write there.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
rows="baseline local switch twice subphase detail synchronous subtract once utility"
app=$top_builddir/tests/apps/nntrace_rows
tracefs=/sys/kernel/tracing
# Not every machine has it mounted: then this test does so, where only the test sees it.
if test ! -e "$tracefs/README" && test -z "${tracefs_tried-}" && unshare -m true 2>/dev/null; then
	export tracefs_tried=yes
	rm -rf "$tmp"	# it makes another
	exec unshare -m sh -c 'mount -t tracefs none "$0" 2>/dev/null; exec "$@"' "$tracefs" "$0" "$@"
fi
instance=

# right ROW TRACE [FILE]: phases of FILE (the trace) says of the row what the trace's times say.
right()
{
	"$tracelayer" phases --json --call-tree "${3:-$2}" >"$tmp/table.json" 2>"$tmp/said" && test -z "$(grep -v "no mark of NNAPI's runtime" "$tmp/said")" &&
		test -z "$("$python" "$top_srcdir/tests/program/nntrace_rows.py" "$1" "$tmp/table.json" "$2" | tee "$tmp/differs")" && return
	cat "$tmp/said" "$tmp/differs"
	return 1
}

plan 32
for row in $rows; do
	traced "$tmp/$row.json" timeout 60 "$app" "$row"
	"$tracelayer" export -f --systrace "$tmp/$row.json"
	ok "$row" right "$row" "$tmp/$row.json"
	ok "$row, exported" right "$row" "$tmp/$row.systrace"
done

# A buffer of the kernel's for us alone.
if test -w "$tracefs/instances" && instance=$tracefs/instances/tracelayer.$$ && mkdir "$instance" 2>/dev/null; then
	trap 'rmdir "$instance" 2>/dev/null; rm -rf "$tmp"' EXIT
	echo 1 >"$instance/options/record-tgid"
	for row in $rows; do
		echo >"$instance/trace"
		TRACELAYER_TRACE_MARKER=$instance/trace_marker timeout 60 "$app" "$row"
		cat "$instance/trace" >"$tmp/$row.trace"
		ok "$row, in the kernel's trace" right "$row" "$tmp/$row.trace"
	done
	TRACELAYER_TRACE_MARKER=1 timeout 60 "$app" baseline
	like "$(tail -n 40 "$tracefs/trace")" 'tracing_mark_write: B\|[0-9]+\|\[NN_LR_PP\]funcP$' "TRACELAYER_TRACE_MARKER=1 is the kernel's own"
	"$tracelayer" run -o "$tmp/run.json" --trace-marker="$instance/trace_marker" -- timeout 60 "$app" baseline >/dev/null 2>&1
	like "$(cat "$instance/trace")" 'tracing_mark_write: E\|[0-9]+$' "tracelayer run --trace-marker says it to the program"
else
	skip 12 "the kernel's trace can't be written on this machine"
fi

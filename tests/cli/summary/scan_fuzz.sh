#!/bin/sh
# SPDX-License-Identifier: MIT
# Sums of files in the record format, damaged and made up; see fuzz.sh. Lists are short, so that a file needs several scans.
cli=$top_srcdir/cli
sources="-DEVENTS_KEPT=60 -DEVENTS_AT_ONCE=9 -DCOMMANDS_AT_ONCE=4 -DCALLS_AT_ONCE=8 $top_srcdir/tests/cli/summary/fuzz_scan.c $top_srcdir/common/proc.c $top_srcdir/common/command_kinds.c $top_srcdir/common/settings.c $top_srcdir/common/rank_set.c
	$top_srcdir/format/encode/trace_source.c $(ls "$top_srcdir"/format/file/*.c | grep -v stack_text | tr '\n' ' ')
	$(cd "$cli" && for name in summary/record_scan summary/scan_run summary/scan_known summary/scan_marks summary/scan_commands summary/scan_files summary/event_runs summary/queue_map summary/kept_times summary/stack_groups summary/self_times read/event_stacks summary/history_reader summary/plain_history summary/filter read/selection read/event_category read/shown_names read/event_members read/lane_keys summary/flat summary/flat_calls summary/flat_search summary/flat_commands summary/flat_waits summary/flat_events summary/history summary/history_events summary/waits summary/tabulate summary/tabulate_groups summary/tabulate_queues summary/tabulate_sums read/trace_events read/chrome_reader read/loose_json read/pftrace_reader read/pftrace_frames read/pftrace_values read/sqlite_reader read/block_reader read/plain_event read/temporary_file \
		read/inflater outputs/trace_encoder tally/tally basics/interned basics/lane_spans; do printf '%s/%s.c ' "$cli" "$name"; done) $(ls "$top_srcdir"/tables/*.c | tr '\n' ' ')
	-I. -lsqlite3 -lz -lm -lpthread"
what="sums of hostile files in the record format are made safely"
. "$top_srcdir/tests/lib/fuzz.sh"

/* SPDX-License-Identifier: MIT */
/*
 * scan_marks.c: goes through the marks of files: see record_scan.h.
 *
 * Marks are ended by the thread's later events, and where records are missing (open_marks.h). So they
 * are gone through in order, by one thread, in a scan of their own. It leaves out the runs that have
 * no mark, unless records are missing in the file: then a mark ends with the thread's last record
 * before them, whatever that is.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/summary/scan_worker.h"
#include "format/encode/encode.h"
#include "format/encode/trace_source.h"

static void mark_begin(struct scan_worker *worker, uint32_t lane,
		       const struct tl_event_record *event, int64_t start)
{
	const struct known category = *scan_known(worker, KNOWN_CATEGORY, event->category);
	const struct tl_event_arg *args[KEYS];
	struct lane *of = &worker->scan->history->lanes[lane];

	scan_args_find(worker, event, args);
	if (of->depth == of->room) {
		of->room = of->room ? 2 * of->room : 64;
		of->stack = need(reallocarray(of->stack, of->room, sizeof(*of->stack)));
	}
	of->stack[of->depth++] = (struct begun){
		.start = start,
		.name = scan_known(worker, KNOWN_NAME, event->name)->number,
		.request = scan_request(worker, scan_event_request(event, args)),
		.failed = category.failed,
		.own = category.own,
	};
}

/* False: it had begun before the trace did. */
static bool mark_end(struct scan_worker *worker, uint32_t lane, const struct tl_event_record *event,
		     int64_t end)
{
	struct history *history = worker->scan->history;
	struct lane *of = &history->lanes[lane];

	if (!of->depth)
		return false;
	struct begun begun = of->stack[--of->depth];

	of->calls |= !begun.own;
	history->processes[of->process].events = true;
	scan_worker_call(
		worker, NULL,
		&(struct host_call){
			.start = begun.start,
			.duration = time_within(end - begun.start, 0, LONGEST),
			.thread = lane,
			.name = begun.name & 0x3fffffff,
			.failed = begun.failed ||
				  scan_known(worker, KNOWN_CATEGORY, event->category)->failed,
			.own = begun.own,
			.request = begun.request});
	return true;
}

/* Whether it ended a mark. */
static bool mark_event(struct scan_worker *worker, uint32_t tid,
		       const struct tl_event_record *event)
{
	uint32_t shown = tl_event_shown(&worker->encoder, event),
		 lane = scan_known(worker, KNOWN_LANE, shown ? shown : tid)->number;
	uint64_t start, stop;

	tl_event_times(&worker->encoder, event, &start, &stop);
	if (event->phase == 'E')
		return mark_end(worker, lane, event, scan_time(start));
	mark_begin(worker, lane, event, scan_time(start));
	return false;
}

static void marks_of_record(struct scan_worker *worker, uint32_t tid,
			    const struct tl_call_record *record)
{
	const struct tl_event_record *event = (const void *)record;
	struct tl_event_record end;

	if (record->type == TL_RECORD_EVENT) {
		if (!tl_event_is_sound(event))
			return;
		tl_encoder_note(&worker->encoder, tid, record);
		if (event->phase == 'B' || event->phase == 'E')
			mark_event(worker, tid, event);
	} else if (!tl_record_is_gap(record)) {
		tl_encoder_note(&worker->encoder, tid, record);
	} else {
		while (tl_encoder_gap(&worker->encoder, tid, &end))
			worker->scan->history->cut += mark_event(worker, tid, &end);
	}
}

bool record_scan_has_marks(const struct record_scan *scan)
{
	return scan->marks;
}

void record_scan_marks(struct record_scan *scan, const struct scan_visitor *visitor, void *user)
{
	struct scan_worker worker = {0};
	uint32_t file = UINT32_MAX;

	scan_worker_start(&worker, scan, visitor, user);
	for (uint32_t i = 0; i < scan->history->nlanes; i++)
		scan->history->lanes[i].depth = 0;
	scan->history->cut = 0;
	for (size_t i = 0; i < scan->nruns; i++) {
		const struct tl_trace *trace = scan->files[scan->runs[i].file].trace;
		const struct tl_trace_run *run = &trace->runs[scan->runs[i].run];
		struct tl_trace_place place = {0};
		const struct tl_call_record *record;

		if (!scan->runs[i].marks && !scan->files[scan->runs[i].file].gaps)
			continue;
		if (scan->runs[i].file != file) {
			free(worker.encoder.marks);
			worker.encoder.marks = need(calloc(1, sizeof(struct tl_open_marks)));
			file = scan->runs[i].file;
			scan_worker_take_file(&worker, file);
		}
		while ((record = tl_trace_next(run, &place))) {
			marks_of_record(&worker, trace->lanes[run->lane].shown, record);
			tl_trace_passed(trace, run, &place, &worker.passed);
		}
		tl_trace_left(trace, run, &place, &worker.passed);
	}
	free(worker.encoder.marks);
	scan_worker_free(&worker);
}

/* SPDX-License-Identifier: MIT */
/*
 * timeline_records.c: see timeline_records.h.
 *
 * An event is selected if its name and its lane are, and if it takes place, at least in part, in the
 * time that is selected. The E of a mark goes with its B: a B that is too early waits for its E,
 * which tells whether the mark reaches into that time.
 *
 * An arrow is kept if both of its ends lie in slices that are. To know that, the process's records
 * are read twice.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/selected_arrows.h"
#include "cli/export/timeline_records.h"
#include "cli/export/timeline_renumber.h"
#include "cli/export/timeline_selected.h"
#include "cli/read/read.h"

#define BATCH (256u * 1024)

/* --- what is selected */

bool timeline_records_has_lane(const struct timeline_records *records, uint32_t shown)
{
	return !records->left_out.count || numbers_find(&records->left_out, shown) == NO_NUMBER;
}

bool timeline_records_has_open(const struct timeline_records *records,
			       const struct tl_trace_lane *lane, const struct tl_unfinished *open)
{
	return timeline_records_has_lane(records, lane->shown) && !records->selection->failed &&
	       !records->selection->request && timeline_selects_call(records, open->function) &&
	       timeline_selects_span(records, tl_trace_ns(records->trace, open->start),
				     tl_trace_ns(records->trace, records->trace->last));
}

/* --- the batch */

static void *batch_room(struct timeline_records *records, size_t size)
{
	if (records->room - records->size < size) {
		records->room = 2 * records->room + BATCH + size;
		records->bytes = need(realloc(records->bytes, records->room));
	}
	records->size += size;
	return records->bytes + records->size - size;
}

static void batch_put(struct timeline_records *records, const void *record)
{
	size_t size = ((const struct tl_call_record *)record)->size * 8u;

	if (!records->lists)
		memcpy(batch_room(records, size), record, size);
}

/* --- marks */

static struct timeline_marks *marks_of(struct timeline_records *records, uint32_t shown)
{
	uint32_t count = records->marked.count, place = numbers_add(&records->marked, shown);

	if (place == count) {
		records->marks = need(reallocarray(records->marks, records->marked.count,
						   sizeof(*records->marks)));
		records->marks[place] = (struct timeline_marks){0};
	}
	return &records->marks[place];
}

static void mark_begin(struct timeline_records *records, const struct tl_event_record *event,
		       uint32_t shown, uint64_t ns)
{
	struct timeline_marks *marks = marks_of(records, shown);
	struct timeline_mark *mark;

	if (marks->depth == marks->room) {
		marks->room = 2 * marks->room + 8;
		marks->list = need(reallocarray(marks->list, marks->room, sizeof(*marks->list)));
	}
	mark = &marks->list[marks->depth++];
	*mark = (struct timeline_mark){.start = ns};
	mark->wanted = timeline_records_has_lane(records, shown) &&
		       timeline_selects_text(records, event->name) && ns <= records->to &&
		       timeline_selects_event(records, event);
	mark->put = mark->wanted && ns >= records->from && !records->selection->longer;
	if (mark->put)
		batch_put(records, event);
	else if (mark->wanted && !records->lists)
		mark->record = memcpy(need(malloc(event->size * 8u)), event, event->size * 8u);
}

static void mark_end(struct timeline_records *records, const struct tl_event_record *event,
		     uint32_t shown, uint64_t ns)
{
	struct timeline_marks *marks = marks_of(records, shown);
	struct timeline_mark mark = {.wanted = false};

	if (marks->depth)
		mark = marks->list[--marks->depth];
	if (mark.wanted && (mark.put || timeline_selects_span(records, mark.start, ns))) {
		if (mark.record)
			batch_put(records, mark.record);
		batch_put(records, event);
		if (records->lists)
			lane_spans_add(&records->slices, shown, (int64_t)mark.start, (int64_t)ns);
	}
	free(mark.record);
}

/* Records of the thread are missing: nobody knows which marks end. */
static void marks_forget(struct timeline_records *records, uint32_t shown)
{
	struct timeline_marks *marks = marks_of(records, shown);

	while (marks->depth)
		free(marks->list[--marks->depth].record);
}

/* --- selecting */

static void select_flow(struct timeline_records *records, const struct tl_event_record *event,
			uint32_t shown, uint64_t ns)
{
	if (records->lists)
		selected_flow_add(records, event, shown, ns);
	else if (lane_spans_have(&records->slices, shown, (int64_t)ns) &&
		 numbers_find(&records->flows, event->duration) != NO_NUMBER)
		batch_put(records, event);
}

static void select_event(struct timeline_records *records, const struct tl_event_record *event,
			 uint32_t tid)
{
	uint32_t shown = timeline_event_shown(records, event, tid);
	uint64_t start, end;

	timeline_event_span(records, event, &start, &end);
	if (event->phase == 'B') {
		mark_begin(records, event, shown, start);
		return;
	}
	if (event->phase == 'E') {
		mark_end(records, event, shown, start);
		return;
	}
	if (strchr("stf", event->phase)) {
		select_flow(records, event, shown, start);
		return;
	}
	if (!timeline_records_has_lane(records, shown) ||
	    !timeline_selects_span(records, start, end) ||
	    !timeline_selects_text(records, event->name) || !timeline_selects_event(records, event))
		return;
	if (records->lists && event->phase == 'X')
		lane_spans_add(&records->slices, shown, (int64_t)start, (int64_t)end);
	batch_put(records, event);
}

static void select_call(struct timeline_records *records, const struct tl_call_record *call,
			uint32_t tid)
{
	uint64_t start = tl_trace_ns(records->trace, call->start),
		 end = tl_trace_ns(records->trace, tl_record_end(call->start, call->duration));
	/* What was lost shows, wherever it was, unless it is too short. */
	bool wanted =
		call->type == TL_RECORD_LOST || (timeline_selects_call(records, call->function) &&
						 timeline_selects_result(records, call));

	if (!timeline_records_has_lane(records, tid) ||
	    !timeline_selects_span(records, start, end) || !wanted)
		return;
	if (records->lists && call->type == TL_RECORD_CALL)
		lane_spans_add(&records->slices, tid, (int64_t)start, (int64_t)end);
	batch_put(records, call);
}

static void select_record(struct timeline_records *records, const struct tl_call_record *record,
			  uint32_t tid)
{
	const struct tl_event_record *event = (const void *)record;

	if (!records->selects) {
		batch_put(records, record);
		return;
	}
	if (tl_record_is_gap(record))
		marks_forget(records, tid);
	if (record->type == TL_RECORD_EVENT) {
		if (event->phase && strchr("XBEiCstf", event->phase))
			select_event(records, event, tid);
	} else if (record->type == TL_RECORD_PAD) {
		batch_put(records, record);
	} else {
		select_call(records, record, tid);
	}
}

/* --- reading */

static void trace_enter(struct timeline_records *records, size_t at)
{
	records->at = at;
	records->run = 0;
	records->place = (struct tl_trace_place){0};
	records->trace = records->traces[at];
	records->correlation = 0;
	timeline_find_left_out(records);
}

/* The next run that has records, in this file or the next. NULL: there is none. */
static const struct tl_trace_run *run_next(struct timeline_records *records)
{
	for (;;) {
		if (records->run < records->trace->nruns) {
			const struct tl_trace_run *run = &records->trace->runs[records->run];
			if (records->place.at + 8 <= run->size)
				return run;
			records->run++;
			records->place = (struct tl_trace_place){0};
		} else if (records->at + 1 < records->ntraces) {
			trace_enter(records, records->at + 1);
		} else {
			return NULL;
		}
	}
}

bool timeline_records_next(struct timeline_records *records)
{
	const struct tl_trace_run *run;

	records->size = 0;
	while (!records->size && (run = run_next(records))) {
		uint32_t tid = records->trace->lanes[run->lane].shown;
		const struct tl_call_record *record;

		while (records->size < BATCH && (record = tl_trace_next(run, &records->place)))
			select_record(records, record, tid);
		if (records->size < BATCH && records->place.unsound && !records->lists)
			record_file_damaged(records->traces[records->at],
					    run->offset + records->place.unsound - 1);
		if (records->size < BATCH)
			records->place.at = run->size;
		records->batch = (struct tl_trace_run){.lane = run->lane,
						       .records = records->bytes,
						       .size = records->size,
						       .offset = run->offset};
		records->tid = records->numbers ? timeline_number(records->numbers, tid) : tid;
	}
	if (records->size && records->numbers)
		timeline_renumber(records);
	return records->size != 0;
}

static void records_free_marks(struct timeline_records *records)
{
	for (uint32_t i = 0; i < records->marked.count; i++) {
		marks_forget(records, (uint32_t)records->marked.list[i]);
		free(records->marks[i].list);
	}
	numbers_free(&records->marked);
	free(records->marks);
	records->marked = (struct numbers){0};
	records->marks = NULL;
}

/* The first of two readings: finds the slices that are selected. */
static void records_list_slices(struct timeline_records *records)
{
	records->lists = true;
	while (timeline_records_next(records))
		;
	records->lists = false;
	lane_spans_sort(&records->slices);
	selected_flows_find(records);
	records_free_marks(records);
	trace_enter(records, 0);
}

static void records_set_time(struct timeline_records *records, uint64_t start)
{
	const struct selection *selection = records->selection;
	records->to = UINT64_MAX;
	if (!selection->has_time)
		return;
	records->from = timeline_own_ns(records->process, start + selection->from);
	records->to = timeline_own_ns(records->process, start + selection->to);
}

static bool records_open(struct timeline_records *records, const struct timeline_process *process,
			 const struct selection *selection, uint64_t start)
{
	*records = (struct timeline_records){.process = process,
					     .selection = selection,
					     .selects = selection_is_within(selection)};
	records->traces = need(calloc(process->nparts, sizeof(*records->traces)));
	records->paths = need(calloc(process->nparts, sizeof(*records->paths)));
	for (size_t i = 0; i < process->nparts; i++) {
		struct tl_trace *trace = record_file_open(process->parts[i].path);
		if (!trace)
			continue;
		records->paths[records->ntraces] = process->parts[i].path;
		records->traces[records->ntraces++] = trace;
	}
	records_set_time(records, start);
	if (records->ntraces)
		trace_enter(records, 0);
	return records->ntraces;
}

/* Numbers do not depend on what is selected. */
static void records_number(struct timeline_records *records)
{
	timeline_number(records->numbers, records->process->pid);
	for (size_t at = 0; at < records->ntraces; at++) {
		const struct tl_trace *trace = records->traces[at];

		for (size_t i = 0; i < trace->nlanes; i++)
			timeline_number(records->numbers, trace->lanes[i].shown);
		for (size_t i = 0; i < trace->nnamed; i++)
			timeline_number(records->numbers, trace->named[i].shown);
	}
}

bool timeline_records_open(struct timeline_records *records, const struct timeline_process *process,
			   struct timeline_numbers *numbers, const struct selection *selection,
			   uint64_t start)
{
	if (!records_open(records, process, selection, start))
		return false;
	if (records->selects)
		records_list_slices(records);
	records->numbers = numbers;
	records_number(records);
	return true;
}

uint64_t timeline_records_count(const struct timeline_process *process,
				const struct selection *selection, uint64_t start)
{
	struct timeline_records records;
	uint64_t count = 0;

	if (records_open(&records, process, selection, start))
		while (timeline_records_next(&records)) {
			struct tl_trace_place place = {0};
			const struct tl_call_record *record;
			while ((record = tl_trace_next(&records.batch, &place)))
				count += tl_record_counts(record->type);
		}
	timeline_records_close(&records);
	return count;
}

void timeline_records_close(struct timeline_records *records)
{
	for (size_t i = 0; i < records->ntraces; i++)
		tl_trace_close(records->traces[i]);
	records_free_marks(records);
	numbers_free(&records->left_out);
	numbers_free(&records->queues);
	free(records->queue_numbers);
	numbers_free(&records->flows);
	free(records->traces);
	free(records->paths);
	free(records->begun);
	lane_spans_free(&records->slices);
	free(records->bytes);
}

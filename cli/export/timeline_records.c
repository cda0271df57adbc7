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

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/timeline_records.h"
#include "cli/read/read.h"
#include "common/settings.h"
#include "format/args/args_kept.h"
#include "tracelayer/api.h"

#define BATCH (256u * 1024)

/* --- what is selected */

static uint64_t records_ns(const struct timeline_records *records,
			   const struct tl_event_record *event, uint64_t time)
{
	return event->flags & TL_EVENT_NS ? time : tl_trace_ns(records->trace, time);
}

/* When an event began and ended, by the process's clock. */
static void event_span(const struct timeline_records *records, const struct tl_event_record *event,
		       uint64_t *start, uint64_t *end)
{
	*end = *start = records_ns(records, event, event->start);
	if (event->phase == 'X')
		*end = records_ns(records, event, tl_record_end(event->start, event->duration));
	if (*end < *start)
		*end = *start;
}

static bool span_is_selected(const struct timeline_records *records, uint64_t start, uint64_t end)
{
	return start <= records->to && end >= records->from &&
	       end - start >= (uint64_t)records->selection->longer;
}

static bool text_is(const struct timeline_records *records, uint32_t number, const char *word)
{
	size_t size = 0;
	const char *text = tl_trace_string(records->trace, number, &size);

	return text && size == strlen(word) && !memcmp(text, word, size);
}

/* The event's argument of this name; NULL: it has none. */
static const struct tl_event_arg *arg_named(const struct timeline_records *records,
					    const struct tl_event_record *event, const char *name)
{
	for (unsigned i = 0; i < event->args; i++)
		if (text_is(records, event->arg[i].key, name))
			return &event->arg[i];
	return NULL;
}

static struct event_category event_category(const struct timeline_records *records,
					    const struct tl_event_record *event)
{
	size_t size = 0;
	const char *text = tl_trace_string(records->trace, event->category, &size);
	char words[128];

	size = text ? strnlen(text, size < sizeof(words) ? size : sizeof(words) - 1) : 0;
	memcpy(words, text ? text : "", size);
	words[size] = 0;
	return category_of(words);
}

static bool request_is_selected(const struct timeline_records *records, uint32_t request)
{
	char id[16];

	snprintf(id, sizeof(id), "%u", request);
	return selection_has_request(records->selection, id);
}

/* By its result and its request. Both are looked for only if the user asks for them. */
static bool event_is_selected(const struct timeline_records *records,
			      const struct tl_event_record *event)
{
	const struct selection *selection = records->selection;

	if (selection->failed && !event_category(records, event).failed)
		return false;
	if (!selection->request)
		return true;
	const struct tl_event_arg *arg = arg_named(records, event, "request");

	return request_is_selected(records, event->request ? event->request
					    : arg	   ? (uint32_t)arg->value
							   : 0);
}

static bool text_is_selected(const struct timeline_records *records, uint32_t number)
{
	const char *list = records->selection->name;
	size_t size = 0;
	const char *text = list ? tl_trace_string(records->trace, number, &size) : NULL;
	char name[512];

	if (!list)
		return true;
	size = text ? strnlen(text, size < sizeof(name) ? size : sizeof(name) - 1) : 0;
	memcpy(name, text ? text : "", size);
	name[size] = 0;
	return tl_glob_any(list, name);
}

bool timeline_records_has_lane(const struct timeline_records *records, uint32_t shown)
{
	return !records->left_out.count || numbers_find(&records->left_out, shown) == NO_NUMBER;
}

static bool call_is_selected(const struct timeline_records *records, uint32_t function)
{
	const struct tl_function *called = tl_trace_function(records->trace, function);

	return !records->selection->name ||
	       (called && tl_glob_any(records->selection->name, called->name));
}

/* By its result and its request. */
static bool result_is_selected(const struct timeline_records *records,
			       const struct tl_call_record *call)
{
	const struct selection *selection = records->selection;

	if (selection->request && !request_is_selected(records, tl_record_cause(call).request))
		return false;
	if (!selection->failed)
		return true;
	const struct tl_function *function = tl_trace_function(records->trace, call->function);

	return function && tl_call_has_result(function) && !(call->flags & TL_RECORD_UNWOUND) &&
	       tl_call_failed(function, call->result);
}

bool timeline_records_has_open(const struct timeline_records *records,
			       const struct tl_trace_lane *lane, const struct tl_unfinished *open)
{
	return timeline_records_has_lane(records, lane->shown) && !records->selection->failed &&
	       !records->selection->request && call_is_selected(records, open->function) &&
	       span_is_selected(records, tl_trace_ns(records->trace, open->start),
				tl_trace_ns(records->trace, records->trace->last));
}

/* The lane that an event is shown on. */
static uint32_t event_shown(const struct timeline_records *records,
			    const struct tl_event_record *event, uint32_t tid)
{
	if (!event->lane)
		return tid;
	if (event->flags & TL_EVENT_TID)
		return event->lane;
	uint32_t shown = tl_trace_shown_lane(records->trace, event->lane);
	return shown ? shown : tid;
}

/* Lanes of a file that have device commands, and their queues' numbers. */
static void find_queues(struct timeline_records *records)
{
	for (size_t i = 0; i < records->trace->nruns; i++) {
		const struct tl_trace_run *run = &records->trace->runs[i];
		uint32_t tid = records->trace->lanes[run->lane].shown;
		struct tl_trace_place place = {0};
		const struct tl_event_record *event;

		while ((event = (const void *)tl_trace_next(run, &place))) {
			if (event->type != TL_RECORD_EVENT || event->phase != 'X' ||
			    !event_category(records, event).device)
				continue;
			uint32_t shown = event_shown(records, event, tid);

			if (numbers_find(&records->queues, shown) != NO_NUMBER)
				continue;
			const struct tl_event_arg *arg = arg_named(records, event, "queue");

			numbers_add(&records->queues, shown);
			records->queue_numbers =
				need(reallocarray(records->queue_numbers, records->queues.count,
						  sizeof(*records->queue_numbers)));
			records->queue_numbers[records->queues.count - 1] = arg ? arg->value : 0;
		}
	}
}

static bool lane_is_selected(const struct timeline_records *records, const char *name,
			     uint32_t shown)
{
	char number[16], queue[24];
	uint32_t place = numbers_find(&records->queues, shown);
	const struct selected_lane about = {
		.name = name,
		.number = number,
		.is_queue = place != NO_NUMBER,
		.queue = place != NO_NUMBER ? queue : NULL,
	};

	snprintf(number, sizeof(number), "%u", shown);
	if (place != NO_NUMBER)
		snprintf(queue, sizeof(queue), "%" PRIu64, records->queue_numbers[place]);
	return selection_has_lane(records->selection, &about);
}

/* Lanes of the file that are not selected. */
static void find_left_out(struct timeline_records *records)
{
	const struct tl_trace *trace = records->trace;
	const struct selection *selection = records->selection;
	bool selects = selection->thread || selection_wants_queues(selection);

	numbers_free(&records->left_out);
	records->left_out = (struct numbers){0};
	numbers_free(&records->queues);
	records->queues = (struct numbers){0};
	if (selection_wants_queues(selection))
		find_queues(records);
	for (size_t i = 0; i < trace->nlanes && selects; i++)
		if (!lane_is_selected(records, trace->lanes[i].name, trace->lanes[i].shown))
			numbers_add(&records->left_out, trace->lanes[i].shown);
	for (size_t i = 0; i < trace->nnamed && selects; i++) {
		size_t size = 0;
		const char *text = tl_trace_string(trace, trace->named[i].name, &size);
		char *name = need(strndup(text ? text : "", size));

		if (!lane_is_selected(records, name, trace->named[i].shown))
			numbers_add(&records->left_out, trace->named[i].shown);
		free(name);
	}
}

/* --- slices that are selected */

static void slice_add(struct timeline_records *records, uint32_t shown, uint64_t start,
		      uint64_t end)
{
	if (records->nslices == records->slices_room) {
		records->slices_room = 2 * records->slices_room + 1024;
		records->slices = need(reallocarray(records->slices, records->slices_room,
						    sizeof(*records->slices)));
	}
	records->slices[records->nslices++] = (struct timeline_slice){shown, start, end, 0};
}

static int slices_by_start(const void *left, const void *right)
{
	const struct timeline_slice *a = left, *b = right;

	if (a->shown != b->shown)
		return a->shown < b->shown ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

static void slices_sort(struct timeline_records *records)
{
	struct timeline_slice *slices = records->slices;

	if (records->nslices)
		qsort(slices, records->nslices, sizeof(*slices), slices_by_start);
	for (size_t i = 0; i < records->nslices; i++) {
		bool same = i && slices[i - 1].shown == slices[i].shown;

		slices[i].latest = same && slices[i - 1].latest > slices[i].end
					   ? slices[i - 1].latest
					   : slices[i].end;
	}
}

/* A selected slice of the lane is there at that time. */
static bool slices_have(const struct timeline_records *records, uint32_t shown, uint64_t ns)
{
	size_t low = 0, high = records->nslices;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct timeline_slice *slice = &records->slices[middle];

		if (slice->shown < shown || (slice->shown == shown && slice->start <= ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low && records->slices[low - 1].shown == shown &&
	       records->slices[low - 1].latest >= ns;
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
		       text_is_selected(records, event->name) && ns <= records->to &&
		       event_is_selected(records, event);
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
	if (mark.wanted && (mark.put || span_is_selected(records, mark.start, ns))) {
		if (mark.record)
			batch_put(records, mark.record);
		batch_put(records, event);
		if (records->lists)
			slice_add(records, shown, mark.start, ns);
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

/* --- arrows */

static bool traces_have_call(const struct timeline_records *records, uint32_t tid, uint64_t ns)
{
	for (size_t i = 0; i < records->ntraces; i++)
		if (tl_trace_has_call(records->traces[i], tid, ns))
			return !records->selects || slices_have(records, tid, ns);
	return false;
}

static struct tl_event_arrows *event_arrows(struct tl_event_record *event)
{
	return event->flags & TL_EVENT_ARROWS ? (void *)&event->arg[event->args] : NULL;
}

static void flow_list(struct timeline_records *records, const struct tl_event_record *event,
		      uint32_t shown, uint64_t ns)
{
	if (event->phase != 's')
		return;
	if (records->nbegun == records->begun_room) {
		records->begun_room = 2 * records->begun_room + 64;
		records->begun = need(
			reallocarray(records->begun, records->begun_room, sizeof(*records->begun)));
	}
	records->begun[records->nbegun++] = (struct timeline_flow){event->duration, ns, shown};
}

/* Those that begin in a slice that is selected. */
static void flows_find(struct timeline_records *records)
{
	for (size_t i = 0; i < records->nbegun; i++)
		if (slices_have(records, records->begun[i].shown, records->begun[i].ns))
			numbers_add(&records->flows, records->begun[i].number);
	free(records->begun);
	records->begun = NULL;
	records->nbegun = records->begun_room = 0;
}

static void select_flow(struct timeline_records *records, const struct tl_event_record *event,
			uint32_t shown, uint64_t ns)
{
	if (records->lists)
		flow_list(records, event, shown, ns);
	else if (slices_have(records, shown, ns) &&
		 numbers_find(&records->flows, event->duration) != NO_NUMBER)
		batch_put(records, event);
}

/* --- selecting */

static void select_event(struct timeline_records *records, const struct tl_event_record *event,
			 uint32_t tid)
{
	uint32_t shown = event_shown(records, event, tid);
	uint64_t start, end;

	event_span(records, event, &start, &end);
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
	if (!timeline_records_has_lane(records, shown) || !span_is_selected(records, start, end) ||
	    !text_is_selected(records, event->name) || !event_is_selected(records, event))
		return;
	if (records->lists && event->phase == 'X')
		slice_add(records, shown, start, end);
	batch_put(records, event);
}

static void select_call(struct timeline_records *records, const struct tl_call_record *call,
			uint32_t tid)
{
	uint64_t start = tl_trace_ns(records->trace, call->start),
		 end = tl_trace_ns(records->trace, tl_record_end(call->start, call->duration));
	/* What was lost shows, wherever it was, unless it is too short. */
	bool wanted = call->type == TL_RECORD_LOST || (call_is_selected(records, call->function) &&
						       result_is_selected(records, call));

	if (!timeline_records_has_lane(records, tid) || !span_is_selected(records, start, end) ||
	    !wanted)
		return;
	if (records->lists && call->type == TL_RECORD_CALL)
		slice_add(records, tid, start, end);
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

/* --- other numbers */

/* A device command's correlation is that of the call that submitted it. */
static void renumber_args(struct timeline_records *records, struct tl_event_record *event)
{
	for (unsigned i = 0; i < event->args && event->phase == 'X' && event->lane; i++) {
		struct tl_event_arg *arg = &event->arg[i];

		if (arg->kind != TL_VALUE_UNSIGNED_64 || arg->value > UINT32_MAX)
			continue;
		if (!records->correlation && text_is(records, arg->key, "correlation"))
			records->correlation = arg->key;
		if (records->correlation && arg->key == records->correlation)
			arg->value = timeline_number_of_correlation(records->numbers,
								    (uint32_t)arg->value);
	}
}

static void renumber_arrows(struct timeline_records *records, struct tl_event_arrows *arrows)
{
	if (!arrows)
		return;
	if (arrows->from && !traces_have_call(records, arrows->from, arrows->from_ns))
		arrows->from = 0;
	if (arrows->to && !traces_have_call(records, arrows->to, arrows->to_ns))
		arrows->to = 0;
	arrows->from = timeline_number(records->numbers, arrows->from);
	arrows->to = timeline_number(records->numbers, arrows->to);
	arrows->from_ns = timeline_ns(records->process, arrows->from_ns);
	arrows->to_ns = timeline_ns(records->process, arrows->to_ns);
	arrows->number = timeline_number_of_flow(records->numbers, arrows->number);
}

static void renumber_time(const struct timeline_records *records, struct tl_event_record *event)
{
	uint64_t start = timeline_ns(records->process, event->start);

	if (event->phase == 'X')
		event->duration = timeline_ns(records->process,
					      tl_record_end(event->start, event->duration)) -
				  start;
	event->start = start;
}

static void renumber_event(struct timeline_records *records, struct tl_event_record *event)
{
	renumber_args(records, event);
	renumber_arrows(records, event_arrows(event));
	if (event->flags & TL_EVENT_NS)
		renumber_time(records, event);
	if (event->flags & TL_EVENT_TID)
		event->lane = timeline_number(records->numbers, event->lane);
	if (event->phase && strchr("stf", event->phase))
		event->duration = timeline_number_of_flow(records->numbers, event->duration);
}

static void renumber_call(struct timeline_records *records, struct tl_call_record *call)
{
	uint32_t *correlation = (void *)(call + 1);

	if (call->type == TL_RECORD_CALL && call->flags & TL_RECORD_CAUSE)
		*correlation = timeline_number_of_correlation(records->numbers, *correlation);
}

static void batch_renumber(struct timeline_records *records)
{
	struct tl_trace_place place = {0};
	const struct tl_call_record *record;

	while ((record = tl_trace_next(&records->batch, &place))) {
		struct tl_call_record *own =
			(void *)(records->bytes + ((const char *)record - records->bytes));

		if (own->type == TL_RECORD_EVENT)
			renumber_event(records, (void *)own);
		else
			renumber_call(records, own);
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
	find_left_out(records);
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
		batch_renumber(records);
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
	slices_sort(records);
	flows_find(records);
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
	free(records->slices);
	free(records->bytes);
}

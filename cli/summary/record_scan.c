/* SPDX-License-Identifier: MIT */
/*
 * record_scan.c: see record_scan.h. Each worker takes the next run, until there is none. What it knows, it
 * asks the history for once (scan_known.c).
 */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cli/read/read.h"
#include "cli/summary/scan_worker.h"
#include "format/args/args.h"
#include "format/encode/encode.h"
#include "format/encode/trace_source.h"

static int64_t scan_duration(uint64_t start, uint64_t stop)
{
	return stop <= start ? 0 : time_within((int64_t)(stop - start), 0, LONGEST);
}

/* ---- calls ---- */

void scan_worker_call(struct scan_worker *worker, struct scan_run *index,
		      const struct host_call *call)
{
	if (index)
		scan_run_note_call(index, call);
	if (worker->visitor->call)
		worker->visitor->call(worker->user, call);
}

/* `place`: of the thread's lane. */
static void worker_record_call(struct scan_worker *worker, struct scan_run *index, uint32_t place,
			       const struct tl_call_record *record)
{
	const struct known *function = scan_known(worker, KNOWN_FUNCTION, record->function);
	struct known *lane = &worker->known[place];
	struct tl_args_kept kept;

	if (!function->sound || !tl_args_find(&kept, function->function, record)) {
		worker->files[worker->nfile].unknown++;
		return;
	}
	const struct tl_cause cause = tl_record_cause(record);
	uint64_t start = tl_encoder_ns(&worker->encoder, record->start),
		 stop = tl_encoder_ns(&worker->encoder,
				      tl_record_end(record->start, record->duration));
	bool returned = function->has_result && !(record->flags & TL_RECORD_UNWOUND);
	struct host_call call = {
		.start = scan_time(start),
		.duration = scan_duration(start, stop),
		.thread = lane->number,
		.name = function->number & 0x3fffffff,
		.failed = function->failed ||
			  (returned &&
			   (record->result ? tl_call_failed(function->function, record->result)
					   : function->zero_failed)),
		.own = function->own,
		.correlation = function->takes_correlation ? cause.correlation : 0,
	};

	lane->has_calls |= !call.own;
	lane->has_events = true;
	if (worker->scan->history->symbols)
		call.request = scan_known(worker, KNOWN_STACK, tl_record_stack(record))->number;
	else if (cause.request && function->takes_request)
		call.request = scan_known(worker, KNOWN_REQUEST, cause.request)->number;
	scan_worker_call(worker, index, &call);
}

/* ---- events ---- */

bool scan_arg_is_number(const struct tl_event_arg *arg, double *number)
{
	double value;

	switch (arg->kind) {
	case TL_VALUE_HEX_64:
	case TL_VALUE_TRUTH:
	case TL_VALUE_STRING:
		return false;
	case TL_VALUE_DOUBLE_64:
		memcpy(&value, &arg->value, sizeof(value));
		*number = value;
		return isfinite(value);
	default:
		*number = arg->kind == TL_VALUE_SIGNED_64 ? (double)(int64_t)arg->value
							  : (double)arg->value;
		return tl_text_is_whole(arg->value, arg->kind == TL_VALUE_SIGNED_64);
	}
}

uint32_t scan_arg_number(const struct tl_event_arg *arg)
{
	double number;

	return arg && scan_arg_is_number(arg, &number) && number > 0 && number <= UINT32_MAX
		       ? (uint32_t)number
		       : 0;
}

static bool arg_is_text(const struct tl_event_arg *arg)
{
	double number;

	return arg && arg->kind != TL_VALUE_TRUTH && arg->kind != TL_VALUE_DOUBLE_64 &&
	       !scan_arg_is_number(arg, &number);
}

void scan_args_find(struct scan_worker *worker, const struct tl_event_record *event,
		    const struct tl_event_arg *args[KEYS])
{
	memset(args, 0, KEYS * sizeof(*args));
	for (unsigned i = 0; i < event->args; i++)
		args[scan_known(worker, KNOWN_KEY, event->arg[i].key)->number] = &event->arg[i];
}

uint32_t scan_event_request(const struct tl_event_record *event,
			    const struct tl_event_arg *const args[KEYS])
{
	return event->request ? event->request : scan_arg_number(args[KEY_REQUEST]);
}

uint32_t scan_request(struct scan_worker *worker, uint32_t id)
{
	/* With stacks in place of requests, only calls have one. */
	return id && !worker->scan->history->symbols ? scan_known(worker, KNOWN_REQUEST, id)->number
						     : 0;
}

static void worker_command(struct scan_worker *worker, struct scan_run *index,
			   const struct scan_command *command)
{
	if (index)
		scan_run_note_command(index, command->start);
	if (worker->visitor->command)
		worker->visitor->command(worker->user, command);
}

/* An event X: a device command, or one of the program's own. */
static void worker_slice(struct scan_worker *worker, struct scan_run *index, uint32_t tid,
			 const struct tl_event_record *event)
{
	const struct known category = *scan_known(worker, KNOWN_CATEGORY, event->category);
	uint32_t shown = tl_event_shown(&worker->encoder, event),
		 name = scan_known(worker, KNOWN_NAME, event->name)->number;
	const struct tl_event_arg *args[KEYS];
	uint64_t start, stop;

	scan_args_find(worker, event, args);
	tl_event_times(&worker->encoder, event, &start, &stop);
	uint32_t request = scan_request(worker, scan_event_request(event, args));
	struct known *lane = scan_known(worker, KNOWN_LANE, shown ? shown : tid);

	lane->has_events = true;
	if (category.device ? arg_is_text(args[KEY_KIND]) : lane->no_thread && category.context) {
		worker_command(worker, index,
			       &(struct scan_command){.place = (uintptr_t)event,
						      .file = worker->nfile,
						      .lane = lane->number,
						      .start = scan_time(start),
						      .end = scan_time(start) +
							     scan_duration(start, stop)});
		return;
	}
	lane->has_calls |= !category.own;
	scan_worker_call(
		worker, index,
		&(struct host_call){.start = scan_time(start),
				    .duration = scan_duration(start, stop),
				    .thread = lane->number,
				    .name = name & 0x3fffffff,
				    .failed = category.failed,
				    .own = category.own,
				    .request = request,
				    .correlation = scan_arg_number(args[KEY_CORRELATION])});
}

static void worker_mark(struct scan_worker *worker, struct scan_run *index)
{
	worker->marks = true;
	if (index)
		index->marks = true;
}

static void worker_event(struct scan_worker *worker, struct scan_run *index, uint32_t tid,
			 const struct tl_event_record *event)
{
	worker->bytes += event->size * 8u;
	if (!tl_event_is_sound(event))
		worker->files[worker->nfile].unknown++;
	else if (event->phase == 'X')
		worker_slice(worker, index, tid, event);
	else if (event->phase == 'B' || event->phase == 'E')
		worker_mark(worker, index);
}

/* ---- runs ---- */

void scan_worker_take_file(struct scan_worker *worker, uint32_t file)
{
	if (file != worker->nfile)
		worker->passed = (struct tl_trace_passed){.bytes = 0};
	worker->nfile = file;
	worker->file = &worker->scan->files[file];
	tl_encoder_read_from(&worker->encoder, NULL, worker->file->trace, NULL,
			     worker->encoder.marks);
	worker->encoder.frame_name = worker->scan->history->frame_name;
	worker->encoder.names = worker->scan->history->symbols;
}

/* The calls that had not returned when the process ended: the inner ones first, as they would have ended. */
static void worker_open_calls(struct scan_worker *worker, struct scan_run *index)
{
	const struct tl_trace *trace = worker->file->trace;

	for (size_t i = 0; i < trace->nlanes; i++) {
		const struct tl_trace_lane *lane = &trace->lanes[i];
		uint32_t place = scan_known_place(worker, KNOWN_LANE, lane->shown);

		for (size_t j = lane->nopens; j-- > 0;) {
			const struct tl_unfinished_record record =
				tl_unfinished_unwound(&lane->opens[j], trace->last);
			worker_record_call(worker, index, place, &record.call);
		}
	}
}

static void worker_run(struct scan_worker *worker, struct scan_run *at, bool indexed)
{
	const struct tl_trace *trace = worker->scan->files[at->file].trace;
	struct scan_run *index = indexed ? NULL : at;
	struct tl_trace_place place = {0};
	const struct tl_call_record *record;

	scan_worker_take_file(worker, at->file);
	if (at->run == trace->nruns) {
		worker_open_calls(worker, index);
		return;
	}
	const struct tl_trace_run *run = &trace->runs[at->run];
	uint32_t tid = trace->lanes[run->lane].shown;
	uint32_t lane = scan_known_place(worker, KNOWN_LANE, tid);

	while ((record = tl_trace_next(run, &place))) {
		if (record->type == TL_RECORD_CALL)
			worker_record_call(worker, index, lane, record);
		else if (record->type == TL_RECORD_EVENT)
			worker_event(worker, index, tid, (const void *)record);
		else
			worker->files[at->file].gaps |= tl_record_is_gap(record);
		tl_trace_passed(trace, run, &place, &worker->passed);
	}
	worker->files[at->file].unsound |= place.unsound != 0;
	tl_trace_left(trace, run, &place, &worker->passed);
}

/* ---- runs of events ---- */

static void worker_event_commands(struct scan_worker *worker, struct event_cursor *cursor,
				  size_t run)
{
	struct device_command command;

	for (uint32_t i = 0; event_next_command(cursor, &command); i++)
		worker->visitor->command(worker->user,
					 &(struct scan_command){.place = (uint64_t)run << 32 | i,
								.start = command.start,
								.end = command.end});
}

static void worker_run_events(struct scan_worker *worker, size_t run)
{
	struct event_cursor *cursor = &worker->cursor;
	const struct scan_visitor *visitor = worker->visitor;
	bool sound = true;

	cursor->runs = worker->scan->events;
	if (visitor->call && (sound = event_cursor_calls(cursor, run)))
		while (event_next_call(cursor))
			visitor->call(worker->user, &cursor->call);
	if (visitor->command && sound && (sound = event_cursor_commands(cursor, run)))
		worker_event_commands(worker, cursor, run);
	worker->unread |= !sound;
}

/* ---- workers ---- */

static void *worker_main(void *context)
{
	struct scan_worker *worker = context;
	struct record_scan *scan = worker->scan;
	bool indexed = scan->indexed;

	for (;;) {
		size_t next = atomic_fetch_add(worker->next, 1);
		if (next >= scan->nruns || (worker->stop && atomic_load(worker->stop)))
			return NULL;
		if (worker->visitor->wants &&
		    !worker->visitor->wants(worker->user, &scan->runs[next]))
			continue;
		if (worker->visitor->run)
			worker->visitor->run(worker->user, next);
		if (worker->tells)
			progress_show("%zu of %zu parts gone through", next, scan->nruns);
		if (scan->events)
			worker_run_events(worker, next);
		else
			worker_run(worker, &scan->runs[next], indexed);
	}
}

/* What the worker saw of lanes, and how much. */
static void worker_tell(const struct scan_worker *worker)
{
	struct history *history = worker->scan->history;

	for (uint32_t i = 0; i < worker->keys.count; i++) {
		const struct known *known = &worker->known[i];
		if ((worker->keys.list[i] >> 32 & 0xff) != KNOWN_LANE)
			continue;
		struct lane *lane = &history->lanes[known->number];
		lane->calls |= known->has_calls;
		history->processes[lane->process].events |= known->has_events;
	}
	history->bytes += worker->bytes;
	worker->scan->marks |= worker->marks;
	for (uint32_t i = 0; i < worker->scan->nfiles; i++) {
		worker->scan->files[i].unknown += worker->files[i].unknown;
		worker->scan->files[i].unsound |= worker->files[i].unsound;
		worker->scan->files[i].gaps |= worker->files[i].gaps;
	}
}

void scan_worker_free(struct scan_worker *worker)
{
	event_cursor_free(&worker->cursor);
	numbers_free(&worker->keys);
	free(worker->known);
	free(worker->files);
}

void scan_worker_start(struct scan_worker *worker, struct record_scan *scan,
		       const struct scan_visitor *visitor, void *user)
{
	worker->scan = scan;
	worker->visitor = visitor;
	worker->user = user;
	worker->files = need(calloc(scan->nfiles + 1, sizeof(*worker->files)));
}

void record_scan_all(struct record_scan *scan, const struct scan_visitor *visitor, void **users,
		     const atomic_bool *stop)
{
	struct scan_worker workers[SCAN_WORKERS] = {0};
	_Atomic size_t next = 0;
	unsigned started = 0;

	for (unsigned i = 0; i < scan->workers; i++) {
		scan_worker_start(&workers[i], scan, visitor, users[i]);
		workers[i].stop = stop;
		workers[i].next = &next;
		started += i && i == started + 1 &&
			   !pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]);
	}
	workers[0].tells = true;
	worker_main(&workers[0]);
	for (unsigned i = 1; i <= started; i++)
		pthread_join(workers[i].thread, NULL);
	for (unsigned i = 0; i < scan->workers; i++) {
		if (!scan->indexed)
			worker_tell(&workers[i]);
		scan->unread |= workers[i].unread;
		scan_worker_free(&workers[i]);
	}
	scan->indexed = true;
}

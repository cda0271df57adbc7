/* SPDX-License-Identifier: MIT */
/*
 * record_scan.c: see record_scan.h. Each worker takes the next run, until there is none. It knows
 * functions, texts and lanes by its own table (struct known), so that it asks the history, which all
 * share under a lock, once for each.
 *
 * Marks are ended by the thread's later events, and where records are missing (open_marks.h). So they
 * are gone through in order, by one thread, in a scan of their own. It leaves out the runs that have
 * no mark, unless records are missing in the file: then a mark ends with the thread's last record
 * before them, whatever that is.
 */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/read/read.h"
#include "cli/summary/event_runs.h"
#include "cli/summary/record_scan.h"
#include "common/command_kinds.h"
#include "common/levels.h"
#include "common/stages.h"
#include "format/args/args.h"
#include "format/encode/encode.h"
#include "format/encode/trace_source.h"

#define TEXT_ROOM 4096u

struct scan_file {
	struct tl_trace *trace;
	char process[16]; /* its number */
	uint64_t unknown; /* records */
	bool unsound;	  /* a run could not be read to its end */
	bool gaps;	  /* records are missing */
};

struct worker;

struct record_scan {
	struct history *history;
	struct scan_file *files;
	struct scan_run *runs;
	size_t nruns;
	uint32_t nfiles;
	unsigned workers;
	bool indexed; /* .runs is filled: the first scan is done */
	bool marks;
	pthread_mutex_t lock;	   /* of the history, while workers run */
	struct worker *maker;	   /* of device commands; NULL: none was made yet */
	struct event_runs *events; /* NULL: the runs are those of .files */
	bool unread;		   /* a run of events could not be read */
	struct {		   /* the run of events that was unpacked last */
		size_t run;
		struct device_command *commands;
		size_t count, room;
	} unpacked;
};

/* ---- what a worker knows ---- */

enum known_kind {
	KNOWN_FUNCTION,
	KNOWN_NAME,
	KNOWN_CATEGORY,
	KNOWN_KEY,
	KNOWN_LANE,
	KNOWN_REQUEST
};

/* Keys of a device command's arguments. */
enum known_key {
	KEY_OTHER,
	KEY_KIND,
	KEY_QUEUE,
	KEY_CORRELATION,
	KEY_REQUEST,
	KEY_PEER,
	KEY_DEVICE,
	KEY_BYTES,
	KEY_UNFINISHED,
	KEY_PCI,
	KEY_UUID,
	KEYS
};
static const char *const key_words[KEYS] = {"",		  "kind", "queue",  "correlation",
					    "request",	  "peer", "device", "bytes",
					    "unfinished", "pci",  "uuid"};

struct known {
	uint32_t number; /* in the history, or enum known_key */
	bool sound;	 /* a function, which the file describes */
	bool zero_failed, has_result, takes_correlation, takes_request; /* functions */
	bool own, failed, device, context;				/* by the category */
	bool no_thread, has_calls, has_events;				/* lanes */
	const struct tl_function *function;
};

struct worker {
	pthread_t thread;
	struct record_scan *scan;
	const struct scan_visitor *visitor;
	void *user;
	const atomic_bool *stop;
	_Atomic size_t *next; /* run */
	bool tells;	      /* how far all of them are: the caller's thread */
	struct scan_file *file;
	uint32_t nfile;
	struct tl_encoder encoder; /* asks the file; encodes nothing */
	struct numbers keys;
	struct known *known;
	uint32_t room;
	struct {
		uint64_t unknown; /* records */
		bool unsound, gaps;
	} * files;
	unsigned long long bytes;
	bool marks;
	struct tl_trace_passed passed;
	struct event_cursor cursor; /* in runs of events */
	bool unread;
};

/* The text's bytes as a JSON reader would give them, up to a NUL. */
static const char *worker_text(const struct worker *worker, uint32_t number, char room[TEXT_ROOM])
{
	size_t size = 0;
	const char *bytes = tl_encoder_string(&worker->encoder, number, &size);
	struct tl_text text = {room, room + TEXT_ROOM - 1, false};

	if (!bytes)
		return NULL;
	tl_text_utf8(&text, bytes, size);
	*text.at = 0;
	return room;
}

static void category_know(struct known *known, const char *words)
{
	struct event_category category = category_of(words);

	known->own = category.own;
	known->context = category.context;
	known->failed = category.failed;
	known->device = category.device;
}

static void function_know(struct worker *worker, struct known *known, uint32_t id)
{
	const struct tl_function *function = tl_encoder_function(&worker->encoder, id);
	char category[TEXT_ROOM];
	struct tl_text text = {category, category + sizeof(category) - 1, false};

	if (!function)
		return;
	tl_text_string(&text, function->api->name);
	tl_text_levels(&text, function->level);
	tl_text_stage(&text, function);
	*text.at = 0;
	category_know(known, category);
	known->sound = true;
	known->function = function;
	known->has_result = tl_call_has_result(function);
	known->zero_failed = tl_call_failed(function, 0);
	known->takes_correlation =
		!strcmp(tl_args_own_key(function, "tracelayer_correlation"), "correlation");
	known->takes_request = !strcmp(tl_args_own_key(function, "tracelayer_request"), "request");
	known->number = names_number(&worker->scan->history->names, function->name) & 0x3fffffff;
}

static void lane_know(struct worker *worker, struct known *known, uint32_t shown)
{
	struct history *history = worker->scan->history;
	char number[16];

	snprintf(number, sizeof(number), "%u", shown);
	known->number = history_lane(history, (int)worker->nfile, worker->file->process, number);
	known->no_thread = history->lanes[known->number].no_thread;
}

static void key_know(struct worker *worker, struct known *known, uint32_t number)
{
	char room[TEXT_ROOM];
	const char *key = worker_text(worker, number, room);

	for (uint32_t i = KEY_KIND; key && i < KEYS; i++)
		if (!strcmp(key, key_words[i]))
			known->number = i;
}

static void known_fill(struct worker *worker, struct known *known, enum known_kind kind,
		       uint32_t number)
{
	struct history *history = worker->scan->history;
	char room[TEXT_ROOM];
	const char *text;

	switch (kind) {
	case KNOWN_FUNCTION:
		function_know(worker, known, number);
		return;
	case KNOWN_NAME:
		text = worker_text(worker, number, room);
		known->number = names_number(&history->names, text ? text : "?") & 0x3fffffff;
		return;
	case KNOWN_CATEGORY:
		text = worker_text(worker, number, room);
		category_know(known, text ? text : "tracelayer");
		return;
	case KNOWN_KEY:
		key_know(worker, known, number);
		return;
	case KNOWN_LANE:
		lane_know(worker, known, number);
		return;
	case KNOWN_REQUEST:
		known->number = history_request(history, number);
		return;
	}
}

/* Its place in .known. */
static uint32_t worker_place(struct worker *worker, enum known_kind kind, uint32_t number)
{
	uint64_t file = kind == KNOWN_REQUEST ? 0 : worker->nfile;
	uint32_t count = worker->keys.count,
		 place = numbers_add(&worker->keys, file << 40 | (uint64_t)kind << 32 | number);

	if (place < count)
		return place;
	if (place == worker->room) {
		worker->room = worker->room ? 2 * worker->room : 256;
		worker->known =
			need(reallocarray(worker->known, worker->room, sizeof(*worker->known)));
	}
	worker->known[place] = (struct known){.number = 0};
	pthread_mutex_lock(&worker->scan->lock);
	known_fill(worker, &worker->known[place], kind, number);
	pthread_mutex_unlock(&worker->scan->lock);
	return place;
}

/* Holds until a new one is asked for. */
static struct known *worker_known(struct worker *worker, enum known_kind kind, uint32_t number)
{
	uint32_t place = worker_place(worker, kind, number);

	return &worker->known[place];
}

/* ---- times ---- */

static int64_t scan_time(uint64_t ns)
{
	return ns < (uint64_t)LATEST ? (int64_t)ns : LATEST;
}

static int64_t scan_duration(uint64_t start, uint64_t stop)
{
	return stop <= start ? 0 : time_within((int64_t)(stop - start), 0, LONGEST);
}

/* ---- calls ---- */

void scan_run_note_call(struct scan_run *index, const struct host_call *call)
{
	if (call->start < index->first)
		index->first = call->start;
	if (call->start + call->duration > index->last)
		index->last = call->start + call->duration;
	if (!call->correlation)
		return;
	if (!index->least || call->correlation < index->least)
		index->least = call->correlation;
	if (call->correlation > index->most)
		index->most = call->correlation;
}

static void worker_call(struct worker *worker, struct scan_run *index, const struct host_call *call)
{
	if (index)
		scan_run_note_call(index, call);
	if (worker->visitor->call)
		worker->visitor->call(worker->user, call);
}

/* `place`: of the thread's lane. */
static void worker_record_call(struct worker *worker, struct scan_run *index, uint32_t place,
			       const struct tl_call_record *record)
{
	const struct known *function = worker_known(worker, KNOWN_FUNCTION, record->function);
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
	if (cause.request && function->takes_request)
		call.request = worker_known(worker, KNOWN_REQUEST, cause.request)->number;
	worker_call(worker, index, &call);
}

/* ---- events ---- */

/* A number as JSON would have it: large ones are texts there. NULL: it is none. */
static bool arg_is_number(const struct tl_event_arg *arg, double *number)
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

static uint32_t arg_number(const struct tl_event_arg *arg)
{
	double number;

	return arg && arg_is_number(arg, &number) && number > 0 && number <= UINT32_MAX
		       ? (uint32_t)number
		       : 0;
}

static bool arg_is_text(const struct tl_event_arg *arg)
{
	double number;

	return arg && arg->kind != TL_VALUE_TRUTH && arg->kind != TL_VALUE_DOUBLE_64 &&
	       !arg_is_number(arg, &number);
}

/* The event's arguments that matter, by their keys. Of several with one key the last counts. */
static void event_args_find(struct worker *worker, const struct tl_event_record *event,
			    const struct tl_event_arg *args[KEYS])
{
	memset(args, 0, KEYS * sizeof(*args));
	for (unsigned i = 0; i < event->args; i++)
		args[worker_known(worker, KNOWN_KEY, event->arg[i].key)->number] = &event->arg[i];
}

static uint32_t event_request(const struct tl_event_record *event,
			      const struct tl_event_arg *const args[KEYS])
{
	return event->request ? event->request : arg_number(args[KEY_REQUEST]);
}

static uint32_t worker_request(struct worker *worker, uint32_t id)
{
	return id ? worker_known(worker, KNOWN_REQUEST, id)->number : 0;
}

void scan_run_note_command(struct scan_run *index, int64_t start)
{
	if (!index->ncommands++ || start < index->first_command)
		index->first_command = start;
	if (index->ncommands == 1 || start > index->last_command)
		index->last_command = start;
}

static void worker_command(struct worker *worker, struct scan_run *index,
			   const struct scan_command *command)
{
	if (index)
		scan_run_note_command(index, command->start);
	if (worker->visitor->command)
		worker->visitor->command(worker->user, command);
}

/* An event X: a device command, or one of the program's own. */
static void worker_slice(struct worker *worker, struct scan_run *index, uint32_t tid,
			 const struct tl_event_record *event)
{
	const struct known category = *worker_known(worker, KNOWN_CATEGORY, event->category);
	uint32_t shown = tl_event_shown(&worker->encoder, event),
		 name = worker_known(worker, KNOWN_NAME, event->name)->number;
	const struct tl_event_arg *args[KEYS];
	uint64_t start, stop;

	event_args_find(worker, event, args);
	tl_event_times(&worker->encoder, event, &start, &stop);
	uint32_t request = worker_request(worker, event_request(event, args));
	struct known *lane = worker_known(worker, KNOWN_LANE, shown ? shown : tid);

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
	worker_call(worker, index,
		    &(struct host_call){.start = scan_time(start),
					.duration = scan_duration(start, stop),
					.thread = lane->number,
					.name = name & 0x3fffffff,
					.failed = category.failed,
					.own = category.own,
					.request = request,
					.correlation = arg_number(args[KEY_CORRELATION])});
}

static void worker_mark(struct worker *worker, struct scan_run *index)
{
	worker->marks = true;
	if (index)
		index->marks = true;
}

static void worker_event(struct worker *worker, struct scan_run *index, uint32_t tid,
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

static void worker_take_file(struct worker *worker, uint32_t file)
{
	if (file != worker->nfile)
		worker->passed = (struct tl_trace_passed){.bytes = 0};
	worker->nfile = file;
	worker->file = &worker->scan->files[file];
	tl_encoder_read_from(&worker->encoder, NULL, worker->file->trace, NULL,
			     worker->encoder.marks);
}

static void worker_run(struct worker *worker, struct scan_run *at, bool indexed)
{
	const struct tl_trace *trace = worker->scan->files[at->file].trace;
	const struct tl_trace_run *run = &trace->runs[at->run];
	uint32_t tid = trace->lanes[run->lane].shown;
	struct scan_run *index = indexed ? NULL : at;
	struct tl_trace_place place = {0};
	const struct tl_call_record *record;

	worker_take_file(worker, at->file);
	uint32_t lane = worker_place(worker, KNOWN_LANE, tid);

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

static void worker_event_commands(struct worker *worker, struct event_cursor *cursor, size_t run)
{
	struct device_command command;

	for (uint32_t i = 0; event_next_command(cursor, &command); i++)
		worker->visitor->command(worker->user,
					 &(struct scan_command){.place = (uint64_t)run << 32 | i,
								.start = command.start,
								.end = command.end});
}

static void worker_run_events(struct worker *worker, size_t run)
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

static bool unpacked_fill(struct record_scan *scan, size_t run)
{
	struct event_cursor cursor = {.runs = scan->events};
	struct device_command command;

	scan->unpacked.count = 0;
	scan->unpacked.run = run;
	bool sound = event_cursor_commands(&cursor, run);

	while (sound && event_next_command(&cursor, &command)) {
		if (scan->unpacked.count == scan->unpacked.room) {
			scan->unpacked.room = scan->unpacked.room ? 2 * scan->unpacked.room : 256;
			scan->unpacked.commands =
				need(reallocarray(scan->unpacked.commands, scan->unpacked.room,
						  sizeof(*scan->unpacked.commands)));
		}
		scan->unpacked.commands[scan->unpacked.count++] = command;
	}
	event_cursor_free(&cursor);
	scan->unread |= !sound;
	return sound;
}

/* Commands are asked for in the order of their places, so that a run is unpacked once. */
static struct device_command unpacked_command(struct record_scan *scan, uint64_t place)
{
	size_t run = place >> 32, number = (uint32_t)place;

	if ((!scan->unpacked.count || scan->unpacked.run != run) && !unpacked_fill(scan, run))
		return (struct device_command){.thread = NOBODY, .submit = NOBODY};
	return scan->unpacked.commands[number];
}

/* ---- workers ---- */

static void *worker_main(void *context)
{
	struct worker *worker = context;
	struct record_scan *scan = worker->scan;
	bool indexed = scan->indexed;

	for (;;) {
		size_t next = atomic_fetch_add(worker->next, 1);
		if (next >= scan->nruns || (worker->stop && atomic_load(worker->stop)))
			return NULL;
		if (worker->visitor->wants &&
		    !worker->visitor->wants(worker->user, &scan->runs[next]))
			continue;
		if (worker->tells)
			progress_show("%zu of %zu parts gone through", next, scan->nruns);
		if (scan->events)
			worker_run_events(worker, next);
		else
			worker_run(worker, &scan->runs[next], indexed);
	}
}

/* What the worker saw of lanes, and how much. */
static void worker_tell(const struct worker *worker)
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

static void worker_free(struct worker *worker)
{
	event_cursor_free(&worker->cursor);
	numbers_free(&worker->keys);
	free(worker->known);
	free(worker->files);
}

static void worker_start(struct worker *worker, struct record_scan *scan,
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
	struct worker workers[SCAN_WORKERS] = {0};
	_Atomic size_t next = 0;
	unsigned started = 0;

	for (unsigned i = 0; i < scan->workers; i++) {
		worker_start(&workers[i], scan, visitor, users[i]);
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
		worker_free(&workers[i]);
	}
	scan->indexed = true;
}

/* ---- marks ---- */

static void mark_begin(struct worker *worker, uint32_t lane, const struct tl_event_record *event,
		       int64_t start)
{
	const struct known category = *worker_known(worker, KNOWN_CATEGORY, event->category);
	const struct tl_event_arg *args[KEYS];
	struct lane *of = &worker->scan->history->lanes[lane];

	event_args_find(worker, event, args);
	if (of->depth == of->room) {
		of->room = of->room ? 2 * of->room : 64;
		of->stack = need(reallocarray(of->stack, of->room, sizeof(*of->stack)));
	}
	of->stack[of->depth++] = (struct begun){
		.start = start,
		.name = worker_known(worker, KNOWN_NAME, event->name)->number,
		.request = worker_request(worker, event_request(event, args)),
		.failed = category.failed,
		.own = category.own,
	};
}

/* False: it had begun before the trace did. */
static bool mark_end(struct worker *worker, uint32_t lane, const struct tl_event_record *event,
		     int64_t end)
{
	struct history *history = worker->scan->history;
	struct lane *of = &history->lanes[lane];

	if (!of->depth)
		return false;
	struct begun begun = of->stack[--of->depth];

	of->calls |= !begun.own;
	history->processes[of->process].events = true;
	worker_call(worker, NULL,
		    &(struct host_call){
			    .start = begun.start,
			    .duration = time_within(end - begun.start, 0, LONGEST),
			    .thread = lane,
			    .name = begun.name & 0x3fffffff,
			    .failed = begun.failed ||
				      worker_known(worker, KNOWN_CATEGORY, event->category)->failed,
			    .own = begun.own,
			    .request = begun.request});
	return true;
}

/* Whether it ended a mark. */
static bool mark_event(struct worker *worker, uint32_t tid, const struct tl_event_record *event)
{
	uint32_t shown = tl_event_shown(&worker->encoder, event),
		 lane = worker_known(worker, KNOWN_LANE, shown ? shown : tid)->number;
	uint64_t start, stop;

	tl_event_times(&worker->encoder, event, &start, &stop);
	if (event->phase == 'E')
		return mark_end(worker, lane, event, scan_time(start));
	mark_begin(worker, lane, event, scan_time(start));
	return false;
}

static void marks_of_record(struct worker *worker, uint32_t tid,
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
	struct worker worker = {0};
	uint32_t file = UINT32_MAX;

	worker_start(&worker, scan, visitor, user);
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
			worker_take_file(&worker, file);
		}
		while ((record = tl_trace_next(run, &place))) {
			marks_of_record(&worker, trace->lanes[run->lane].shown, record);
			tl_trace_passed(trace, run, &place, &worker.passed);
		}
		tl_trace_left(trace, run, &place, &worker.passed);
	}
	free(worker.encoder.marks);
	worker_free(&worker);
}

/* ---- device commands ---- */

uint64_t record_scan_commands(const struct record_scan *scan, int64_t *first, int64_t *last)
{
	uint64_t count = 0;

	for (size_t i = 0; i < scan->nruns; i++) {
		const struct scan_run *run = &scan->runs[i];
		if (!run->ncommands)
			continue;
		if (!count || run->first_command < *first)
			*first = run->first_command;
		if (!count || run->last_command > *last)
			*last = run->last_command;
		count += run->ncommands;
	}
	return count;
}

static const char *command_text(const struct worker *worker, const struct tl_event_arg *arg,
				char room[TEXT_ROOM])
{
	return arg && arg->kind == TL_VALUE_STRING
		       ? worker_text(worker, arg->value <= UINT32_MAX ? (uint32_t)arg->value : 0,
				     room)
		       : NULL;
}

static uint32_t worker_queue(struct worker *worker, uint32_t lane,
			     const struct tl_event_arg *const args[KEYS])
{
	struct history *history = worker->scan->history;
	char room[TEXT_ROOM], more[TEXT_ROOM];
	uint32_t queue = history_queue(history, lane, arg_number(args[KEY_QUEUE]),
				       command_text(worker, args[KEY_DEVICE], room));

	if (args[KEY_PCI] || args[KEY_UUID])
		history_queue_hardware(history, queue, command_text(worker, args[KEY_PCI], room),
				       command_text(worker, args[KEY_UUID], more));
	return queue;
}

static struct device_command worker_make_command(struct worker *worker,
						 const struct scan_command *command)
{
	const struct tl_event_record *event = (const void *)(uintptr_t)command->place;
	struct history *history = worker->scan->history;
	const struct tl_event_arg *args[KEYS];
	char room[TEXT_ROOM], row[1024];
	double bytes = 0;

	event_args_find(worker, event, args);
	bool own = worker_known(worker, KNOWN_CATEGORY, event->category)->context,
	     has_bytes = args[KEY_BYTES] && arg_is_number(args[KEY_BYTES], &bytes);
	const char *kind_word = own ? NULL : command_text(worker, args[KEY_KIND], room);
	enum tl_device_kind kind = tl_kind_named(kind_word ? kind_word : "");
	uint32_t name = worker_known(worker, KNOWN_NAME, event->name)->number;

	command_row_name(row, sizeof(row), kind, history->names.list[name],
			 command_text(worker, args[KEY_PEER], room));
	return (struct device_command){
		.start = command->start,
		.end = command->end,
		.bytes = bytes > 0 && bytes < (double)LONGEST ? (int64_t)bytes : 0,
		.has_bytes = has_bytes,
		.queue = worker_queue(worker, command->lane, args),
		.row = names_number(&history->names, row),
		.correlation = arg_number(args[KEY_CORRELATION]),
		.request = worker_request(worker, event_request(event, args)),
		.thread = NOBODY,
		.submit = NOBODY,
		.kind = (uint8_t)kind,
		.unfinished = args[KEY_UNFINISHED] &&
			      args[KEY_UNFINISHED]->kind == TL_VALUE_TRUTH &&
			      args[KEY_UNFINISHED]->value,
	};
}

struct device_command record_scan_command(struct record_scan *scan,
					  const struct scan_command *command)
{
	if (scan->events)
		return unpacked_command(scan, command->place);
	if (!scan->maker) {
		scan->maker = need(calloc(1, sizeof(*scan->maker)));
		worker_start(scan->maker, scan, NULL, NULL);
	}
	worker_take_file(scan->maker, command->file);
	return worker_make_command(scan->maker, command);
}

/* ---- files ---- */

struct metadata_of {
	struct history *history;
	int file;
};

static void take_metadata(void *user, const json_t *event)
{
	const struct metadata_of *of = user;

	history_event(of->history, event, of->file);
}

static unsigned workers_for(const struct record_scan *scan)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	size_t count = cores < 1 ? 1 : (size_t)cores;

	count = count < SCAN_WORKERS ? count : SCAN_WORKERS;
	return (unsigned)(count < scan->nruns ? count : scan->nruns ? scan->nruns : 1);
}

static void runs_add(struct record_scan *scan, uint32_t file)
{
	const struct tl_trace *trace = scan->files[file].trace;

	scan->runs =
		need(reallocarray(scan->runs, scan->nruns + trace->nruns + 1, sizeof(*scan->runs)));
	for (size_t i = 0; i < trace->nruns; i++)
		scan->runs[scan->nruns++] = (struct scan_run){
			.file = file, .run = (uint32_t)i, .first = INT64_MAX, .last = INT64_MIN};
}

static void history_note_start(struct history *history, uint64_t ns)
{
	int64_t start = scan_time(ns);

	if (start && (!history->start || start < history->start))
		history->start = start;
}

int record_scan_open(struct record_scan **to, struct history *history, char **paths, int count)
{
	struct record_scan *scan = *to = need(calloc(1, sizeof(*scan)));

	pthread_mutex_init(&scan->lock, NULL);
	scan->history = history;
	scan->files = need(calloc((size_t)count + 1, sizeof(*scan->files)));
	for (int i = 0; i < count; i++) {
		struct scan_file *file = &scan->files[i];
		struct metadata_of of = {history, i};

		file->trace = record_file_open(paths[i]);
		if (!file->trace)
			return EXIT_BROKEN;
		scan->nfiles++;
		snprintf(file->process, sizeof(file->process), "%u", file->trace->facts.pid);
		trace_metadata(file->trace, take_metadata, &of);
		history_note_start(history, file->trace->facts.monotonic_ns);
		history->lost += record_file_lost(file->trace);
		runs_add(scan, (uint32_t)i);
	}
	scan->workers = workers_for(scan);
	return EXIT_DONE;
}

void record_scan_events(struct record_scan **to, struct history *history, struct event_runs *events)
{
	struct record_scan *scan = *to = need(calloc(1, sizeof(*scan)));
	const struct scan_run *list = event_runs_list(events, &scan->nruns);

	pthread_mutex_init(&scan->lock, NULL);
	scan->history = history;
	scan->events = events;
	scan->runs = need(calloc(scan->nruns + 1, sizeof(*scan->runs)));
	if (scan->nruns)
		memcpy(scan->runs, list, scan->nruns * sizeof(*list));
	scan->indexed = true;
	scan->workers = workers_for(scan);
}

/* Which runs could not be read to their ends is found once more: few files have such runs. */
static void file_find_damage(struct scan_file *file)
{
	for (size_t i = 0; i < file->trace->nruns; i++) {
		struct tl_trace_place place = {0};

		while (tl_trace_next(&file->trace->runs[i], &place))
			;
		if (place.unsound)
			record_file_damaged(file->trace,
					    file->trace->runs[i].offset + place.unsound - 1);
	}
}

int record_scan_judge(const struct record_scan *scan, char **paths)
{
	int code = scan->unread ? EXIT_BROKEN : EXIT_DONE;

	for (uint32_t i = 0; i < scan->nfiles; i++) {
		struct scan_file *file = &scan->files[i];

		if (file->unsound)
			file_find_damage(file);
		int state = record_file_judge(file->trace, paths[i], file->unknown, "the table");
		code = state == EXIT_DONE ? code : state;
	}
	return code;
}

pthread_mutex_t *record_scan_lock(struct record_scan *scan)
{
	return &scan->lock;
}

void record_scan_close(struct record_scan *scan)
{
	if (scan->maker)
		worker_free(scan->maker);
	free(scan->maker);
	for (uint32_t i = 0; i < scan->nfiles; i++)
		tl_trace_close(scan->files[i].trace);
	free(scan->files);
	free(scan->runs);
	free(scan->unpacked.commands);
	event_runs_free(scan->events);
	pthread_mutex_destroy(&scan->lock);
	free(scan);
}

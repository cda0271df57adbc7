/* SPDX-License-Identifier: MIT */
/*
 * event_filter.c: see event_filter.h.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/read/chrome_reader.h"
#include "cli/read/event_category.h"
#include "cli/read/event_filter.h"
#include "cli/read/record_file.h"
#include "cli/read/selection_time.h"
#include "common/settings.h"

struct filter_process {
	char *name, *number;
	bool is_judged, is_taken;
};

/* A mark that has begun. */
struct filter_mark {
	json_t *event; /* NULL: not wanted */
	bool wanted;
	int64_t start;
};

struct filter_lane {
	uint32_t process;
	char *name, *number, *device, *hardware, *queue;
	bool is_queue, is_judged, is_taken;
	struct filter_mark *marks;
	size_t depth, room;
};

struct filter_span {
	uint32_t lane;
	int64_t start, end, latest; /* .latest: of all of the lane up to this one */
};

/* An end of an arrow, or a place on its way. */
struct filter_end {
	json_t *event;
	uint32_t arrow, lane;
	int64_t time;
};

struct event_filter {
	struct selection *selection;
	char **paths;
	size_t npaths, file;
	struct names process_keys, lane_keys;
	struct filter_process *processes;
	struct filter_lane *lanes;
	bool has_start;
	int64_t start, first; /* of the trace; of its events */
	int64_t from, to;

	/* of the file that is read */
	void (*each)(void *user, const json_t *event);
	void *user;
	struct filter_span *spans;
	size_t nspans, spans_room;
	struct filter_end *ends;
	size_t nends, ends_room;
	struct names arrows;
};

#define GROW(list, count, room)                                                                    \
	do {                                                                                       \
		if ((count) == (room)) {                                                           \
			(room) = (room) ? (room)*2 : 64;                                           \
			(list) = need(reallocarray(list, room, sizeof(*(list))));                  \
		}                                                                                  \
	} while (0)

/* ---- who ---- */

static void text_keep(char **to, const char *text)
{
	if (*to || !text)
		return;
	*to = need(strdup(text));
}

static uint32_t process_known(struct event_filter *filter, const char *number)
{
	uint32_t count = filter->process_keys.count;
	char key[300];

	snprintf(key, sizeof(key), "%zu %s", filter->file, number);
	uint32_t process = names_number(&filter->process_keys, key);

	if (process == count) {
		filter->processes = need(
			reallocarray(filter->processes, count + 1, sizeof(*filter->processes)));
		filter->processes[process] =
			(struct filter_process){.number = need(strdup(number))};
	}
	return process;
}

static uint32_t lane_known(struct event_filter *filter, const char *process, const char *thread)
{
	uint32_t count = filter->lane_keys.count;
	char key[600];

	snprintf(key, sizeof(key), "%zu %s %s", filter->file, process, thread);
	uint32_t lane = names_number(&filter->lane_keys, key);

	if (lane == count) {
		uint32_t of = process_known(filter, process);

		filter->lanes =
			need(reallocarray(filter->lanes, count + 1, sizeof(*filter->lanes)));
		filter->lanes[lane] =
			(struct filter_lane){.process = of, .number = need(strdup(thread))};
	}
	return lane;
}

static void number_print(char to[256], const json_t *number)
{
	if (json_is_number(number))
		snprintf(to, 256, "%.0f", json_number_value(number));
	else
		snprintf(to, 256, "%s", json_is_string(number) ? json_string_value(number) : "");
}

/* The lanes may move: nothing of an old place may be used after this. */
static struct filter_lane *lane_at(struct event_filter *filter, uint32_t lane)
{
	return &filter->lanes[lane];
}

static uint32_t process_of(struct event_filter *filter, const json_t *event)
{
	char process[256];

	number_print(process, json_object_get(event, "pid"));
	return process_known(filter, process);
}

static uint32_t lane_of(struct event_filter *filter, const json_t *event)
{
	char process[256], thread[256];

	number_print(process, json_object_get(event, "pid"));
	number_print(thread, json_object_get(event, "tid"));
	return lane_known(filter, process, thread);
}

static const char *text_in(const json_t *event, const char *member)
{
	const char *text = json_string_value(json_object_get(event, member));

	return text ? text : "";
}

static const json_t *arg_of(const json_t *event, const char *name)
{
	return json_object_get(json_object_get(event, "args"), name);
}

/* ---- the first reading ---- */

static void note_start(struct event_filter *filter, const json_t *event)
{
	double start = json_number_value(arg_of(event, "monotonic_ns"));

	if (!(start > 0 && start < 1e18) || (filter->has_start && (double)filter->start <= start))
		return;
	filter->has_start = true;
	filter->start = (int64_t)start;
}

static void process_name(struct event_filter *filter, uint32_t process, const json_t *event)
{
	text_keep(&filter->processes[process].name, json_string_value(arg_of(event, "name")));
}

static void note_metadata(struct event_filter *filter, const json_t *event)
{
	const char *what = text_in(event, "name");

	if (!strcmp(what, "tracelayer"))
		note_start(filter, event);
	else if (!strcmp(what, "process_name"))
		process_name(filter, process_of(filter, event), event);
	else if (!strcmp(what, "thread_name"))
		text_keep(&lane_at(filter, lane_of(filter, event))->name,
			  json_string_value(arg_of(event, "name")));
}

static void note_time(struct event_filter *filter, int64_t time)
{
	if (time < filter->first)
		filter->first = time;
}

static void note_event(void *user, const json_t *event)
{
	struct event_filter *filter = user;
	char queue[256];

	if (*text_in(event, "ph") == 'M') {
		note_metadata(filter, event);
		return;
	}
	note_time(filter, trace_nanoseconds(event, "ts", INT64_MAX));
	if (*text_in(event, "ph") != 'X' || !category_of(text_in(event, "cat")).device)
		return;
	struct filter_lane *lane = lane_at(filter, lane_of(filter, event));
	const char *pci = json_string_value(arg_of(event, "pci"));

	lane->is_queue = true;
	text_keep(&lane->device, json_string_value(arg_of(event, "device")));
	text_keep(&lane->hardware, pci ? pci : json_string_value(arg_of(event, "uuid")));
	if (lane->queue || !arg_of(event, "queue"))
		return;
	number_print(queue, arg_of(event, "queue"));
	text_keep(&lane->queue, queue);
}

static const char *plain_end(const struct plain_text *text)
{
	if (text->at)
		text->at[text->size] = 0;
	return text->at;
}

static void note_plain(struct event_filter *filter, struct plain_event *event)
{
	char process[16], thread[16], queue[16];

	note_time(filter, event->start);
	if (event->phase != 'X' || !category_of(plain_end(&event->category)).device)
		return;
	snprintf(process, sizeof(process), "%u", event->process);
	snprintf(thread, sizeof(thread), "%u", event->thread);
	struct filter_lane *lane = lane_at(filter, lane_known(filter, process, thread));

	lane->is_queue = true;
	text_keep(&lane->device, plain_end(&event->device));
	text_keep(&lane->hardware, plain_end(event->pci.at ? &event->pci : &event->uuid));
	if (!event->queue || lane->queue)
		return;
	snprintf(queue, sizeof(queue), "%u", event->queue);
	text_keep(&lane->queue, queue);
}

static int json_note(struct event_filter *filter, const char *path)
{
	struct trace_reader *reader = trace_open(path);
	enum trace_state state = TRACE_EVENT;
	struct plain_event plain;
	json_t *event;

	if (!reader)
		return EXIT_BROKEN;
	while (state == TRACE_EVENT) {
		if (trace_next_plain(reader, &plain)) {
			note_plain(filter, &plain);
			continue;
		}
		state = trace_next(reader, &event);
		if (state != TRACE_EVENT)
			break;
		note_event(filter, event);
		json_decref(event);
	}
	trace_close(reader);
	return state == TRACE_BROKEN ? EXIT_BROKEN : EXIT_DONE;
}

/* Events of a .tlt file, as text: only those of devices say more than the file's beginning. */
static bool pass_over(void *user, const char *text, size_t size)
{
	(void)user;
	return !memmem(text, size, "\"ph\":\"M\"", 8) &&
	       !memmem(text, size, "\"cat\":\"device", 13);
}

static int records_note(struct event_filter *filter, const char *path)
{
	struct trace_totals totals;

	if (selection_wants_queues(filter->selection))
		return trace_event_texts(path, "the selection", pass_over, note_event, filter,
					 &totals);
	struct tl_trace *trace = record_file_open(path);

	if (!trace)
		return EXIT_BROKEN;
	trace_metadata(trace, note_event, filter);
	tl_trace_close(trace);
	return EXIT_DONE;
}

static int files_note(struct event_filter *filter)
{
	filter->first = INT64_MAX;
	for (filter->file = 0; filter->file < filter->npaths; filter->file++) {
		const char *path = filter->paths[filter->file];
		int code =
			record_file_is(path) ? records_note(filter, path) : json_note(filter, path);

		if (code == EXIT_BROKEN)
			return code;
	}
	if (!filter->has_start)
		filter->start = filter->first == INT64_MAX ? 0 : filter->first;
	filter->from = INT64_MIN;
	filter->to = INT64_MAX;
	if (filter->selection->has_time) {
		filter->from = filter->start + (int64_t)filter->selection->from;
		filter->to = filter->start + (int64_t)filter->selection->to;
	}
	return EXIT_DONE;
}

/* ---- verdicts ---- */

static bool process_is_taken(struct event_filter *filter, uint32_t number)
{
	struct filter_process *process = &filter->processes[number];
	const char *list = filter->selection->process;

	if (!process->is_judged) {
		process->is_judged = true;
		process->is_taken = !list || (process->name && tl_glob_any(list, process->name)) ||
				    tl_glob_any(list, process->number);
	}
	return process->is_taken;
}

static bool lane_is_taken(struct event_filter *filter, uint32_t number)
{
	struct filter_lane *lane = &filter->lanes[number];
	const struct selected_lane about = {.name = lane->name,
					    .number = lane->number,
					    .is_queue = lane->is_queue,
					    .queue = lane->queue,
					    .device = lane->device,
					    .hardware = lane->hardware};

	if (!lane->is_judged) {
		lane->is_judged = true;
		lane->is_taken = process_is_taken(filter, lane->process) &&
				 selection_has_lane(filter->selection, &about);
	}
	return lane->is_taken;
}

/* All but its time. A mark may fail at its end. */
static bool event_is_wanted(struct event_filter *filter, const json_t *event, uint32_t lane)
{
	const struct selection *selection = filter->selection;
	char request[256];

	if (!lane_is_taken(filter, lane) ||
	    (selection->name && !tl_glob_any(selection->name, text_in(event, "name"))))
		return false;
	if (!selection->request)
		return true;
	number_print(request, arg_of(event, "request"));
	return selection_has_request(selection, request);
}

static bool times_are_wanted(const struct event_filter *filter, int64_t start, int64_t end)
{
	return end - start >= filter->selection->longer && start <= filter->to &&
	       end >= filter->from;
}

static bool result_is_wanted(const struct event_filter *filter, const json_t *event)
{
	return !filter->selection->failed || category_of(text_in(event, "cat")).failed;
}

/* ---- the second reading ---- */

static void span_add(struct event_filter *filter, uint32_t lane, int64_t start, int64_t end)
{
	GROW(filter->spans, filter->nspans, filter->spans_room);
	filter->spans[filter->nspans++] = (struct filter_span){lane, start, end, end};
}

static void take_slice(struct event_filter *filter, const json_t *event, uint32_t lane,
		       int64_t start)
{
	long long duration = *text_in(event, "ph") == 'X' ? trace_nanoseconds(event, "dur", 0) : 0;
	int64_t end = start + (duration > 0 ? duration : 0);

	if (!times_are_wanted(filter, start, end) || !result_is_wanted(filter, event) ||
	    !event_is_wanted(filter, event, lane))
		return;
	filter->each(filter->user, event);
	if (*text_in(event, "ph") == 'X')
		span_add(filter, lane, start, end);
}

static void take_begin(struct event_filter *filter, const json_t *event, uint32_t number,
		       int64_t start)
{
	bool wanted = event_is_wanted(filter, event, number) && start <= filter->to;
	struct filter_lane *lane = &filter->lanes[number];

	GROW(lane->marks, lane->depth, lane->room);
	lane->marks[lane->depth++] = (struct filter_mark){
		.event = wanted ? json_incref((json_t *)event) : NULL,
		.wanted = wanted,
		.start = start,
	};
}

static void mark_pass(struct event_filter *filter, struct filter_mark *mark, uint32_t lane,
		      int64_t end)
{
	filter->each(filter->user, mark->event);
	span_add(filter, lane, mark->start, end);
}

static void take_end(struct event_filter *filter, const json_t *event, uint32_t number, int64_t end)
{
	struct filter_lane *lane = &filter->lanes[number];

	if (!lane->depth)
		return;
	struct filter_mark *mark = &lane->marks[--lane->depth];

	if (mark->wanted && times_are_wanted(filter, mark->start, end) &&
	    (result_is_wanted(filter, event) || result_is_wanted(filter, mark->event))) {
		mark_pass(filter, mark, number, end);
		filter->each(filter->user, event);
	}
	json_decref(mark->event);
}

static void take_arrow(struct event_filter *filter, const json_t *event, uint32_t lane,
		       int64_t time)
{
	char id[256], *key;

	if (!lane_is_taken(filter, lane))
		return;
	number_print(id, json_object_get(event, "id"));
	if (asprintf(&key, "%s %s", text_in(event, "name"), id) < 0)
		need(NULL);
	GROW(filter->ends, filter->nends, filter->ends_room);
	filter->ends[filter->nends++] = (struct filter_end){
		.event = json_incref((json_t *)event),
		.arrow = names_number(&filter->arrows, key),
		.lane = lane,
		.time = time,
	};
	free(key);
}

static void take_metadata(struct event_filter *filter, const json_t *event)
{
	bool is_lane = !strncmp(text_in(event, "name"), "thread_", 7);

	if (is_lane ? lane_is_taken(filter, lane_of(filter, event))
		    : process_is_taken(filter, process_of(filter, event)))
		filter->each(filter->user, event);
}

static void take_counter(struct event_filter *filter, const json_t *event, uint32_t lane,
			 int64_t time)
{
	if (!filter->selection->failed && !filter->selection->longer &&
	    times_are_wanted(filter, time, time) && event_is_wanted(filter, event, lane))
		filter->each(filter->user, event);
}

static void filter_event(void *user, const json_t *event)
{
	struct event_filter *filter = user;
	char phase = *text_in(event, "ph");

	if (phase == 'M') {
		take_metadata(filter, event);
		return;
	}
	uint32_t lane = lane_of(filter, event);
	int64_t time = trace_nanoseconds(event, "ts", 0);

	switch (phase) {
	case 'X':
	case 'i':
	case 'I':
		take_slice(filter, event, lane, time);
		return;
	case 'B':
		take_begin(filter, event, lane, time);
		return;
	case 'E':
		take_end(filter, event, lane, time);
		return;
	case 'C':
		take_counter(filter, event, lane, time);
		return;
	case 's':
	case 't':
	case 'f':
		take_arrow(filter, event, lane, time);
		return;
	}
}

/* ---- a file's end ---- */

/* Marks that did not end go on to the trace's end. */
static void marks_flush(struct event_filter *filter)
{
	for (uint32_t i = 0; i < filter->lane_keys.count; i++) {
		struct filter_lane *lane = &filter->lanes[i];

		for (size_t j = 0; j < lane->depth; j++) {
			struct filter_mark *mark = &lane->marks[j];

			if (mark->wanted && result_is_wanted(filter, mark->event))
				mark_pass(filter, mark, i, INT64_MAX);
			json_decref(mark->event);
		}
		lane->depth = 0;
	}
}

static int spans_by_start(const void *left, const void *right)
{
	const struct filter_span *a = left, *b = right;

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

static void spans_sort(struct event_filter *filter)
{
	struct filter_span *spans = filter->spans;

	if (filter->nspans)
		qsort(spans, filter->nspans, sizeof(*spans), spans_by_start);
	for (size_t i = 1; i < filter->nspans; i++)
		if (spans[i - 1].lane == spans[i].lane && spans[i - 1].latest > spans[i].latest)
			spans[i].latest = spans[i - 1].latest;
}

/* A slice that is selected is there at that time. */
static bool spans_have(const struct event_filter *filter, uint32_t lane, int64_t time)
{
	size_t low = 0, high = filter->nspans;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct filter_span *span = &filter->spans[middle];

		if (span->lane < lane || (span->lane == lane && span->start <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low && filter->spans[low - 1].lane == lane && filter->spans[low - 1].latest >= time;
}

/* What an arrow has of its two ends. */
enum { ARROW_BEGINS = 1, ARROW_ENDS = 2 };

static void arrows_flush(struct event_filter *filter)
{
	unsigned char *has = need(calloc(filter->arrows.count + 1, 1));

	spans_sort(filter);
	for (size_t i = 0; i < filter->nends; i++) {
		const struct filter_end *end = &filter->ends[i];

		if (spans_have(filter, end->lane, end->time))
			has[end->arrow] |= *text_in(end->event, "ph") == 's'   ? ARROW_BEGINS
					   : *text_in(end->event, "ph") == 'f' ? ARROW_ENDS
									       : 0;
	}
	for (size_t i = 0; i < filter->nends; i++) {
		const struct filter_end *end = &filter->ends[i];

		if (has[end->arrow] == (ARROW_BEGINS | ARROW_ENDS) &&
		    spans_have(filter, end->lane, end->time))
			filter->each(filter->user, end->event);
		json_decref(end->event);
	}
	free(has);
	names_free(&filter->arrows);
	filter->arrows = (struct names){0};
	filter->nends = filter->nspans = 0;
}

int event_filter_read(struct event_filter *filter, size_t file, const char *where,
		      void (*each)(void *user, const json_t *event), void *user,
		      struct trace_totals *totals)
{
	filter->file = file;
	filter->each = each;
	filter->user = user;
	int code = trace_events(filter->paths[file], where, filter_event, filter, totals);

	marks_flush(filter);
	arrows_flush(filter);
	return code;
}

struct event_filter *event_filter_new(struct selection *selection, const char *const *paths,
				      size_t count, int *code)
{
	struct event_filter *filter = need(calloc(1, sizeof(*filter)));

	filter->selection = selection;
	filter->paths = need(calloc(count + 1, sizeof(*filter->paths)));
	*code = EXIT_DONE;
	for (size_t i = 0; i < count && *code == EXIT_DONE; i++) {
		char *path = input_keep(paths[i]);

		if (path)
			filter->paths[filter->npaths++] = path;
		else
			*code = EXIT_BROKEN;
	}
	if (*code == EXIT_DONE)
		*code = selection_time_find(selection, (const char *const *)filter->paths, count);
	if (*code == EXIT_DONE)
		*code = files_note(filter);
	if (*code == EXIT_DONE)
		return filter;
	event_filter_free(filter);
	return NULL;
}

void event_filter_free(struct event_filter *filter)
{
	if (!filter)
		return;
	for (uint32_t i = 0; i < filter->process_keys.count; i++) {
		free(filter->processes[i].name);
		free(filter->processes[i].number);
	}
	for (uint32_t i = 0; i < filter->lane_keys.count; i++) {
		struct filter_lane *lane = &filter->lanes[i];

		free(lane->name);
		free(lane->number);
		free(lane->device);
		free(lane->hardware);
		free(lane->queue);
		free(lane->marks);
	}
	for (size_t i = 0; i < filter->npaths; i++)
		free(filter->paths[i]);
	free(filter->paths);
	free(filter->processes);
	free(filter->lanes);
	free(filter->spans);
	free(filter->ends);
	names_free(&filter->process_keys);
	names_free(&filter->lane_keys);
	free(filter);
}

/* SPDX-License-Identifier: MIT */
/*
 * event_filter.c: see event_filter.h. The first reading is that of lane_filter.h; here is the second.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/read/arrow_filter.h"
#include "cli/read/chrome_reader.h"
#include "cli/read/event_category.h"
#include "cli/read/event_filter.h"
#include "cli/read/lane_filter.h"
#include "cli/read/event_members.h"
#include "cli/read/selection_time.h"
#include "cli/read/shown_names.h"
#include "common/settings.h"

/* A mark that has begun. */
struct filter_mark {
	json_t *event; /* NULL: not wanted */
	bool wanted;
	int64_t start;
};

/* A lane's, one in another. */
struct lane_marks {
	struct filter_mark *list;
	size_t depth, room;
};

struct event_filter {
	struct selection *selection;
	char **paths;
	size_t npaths;
	struct lane_filter lanes;
	int64_t from, to;

	/* of the file that is read */
	const struct trace_listener *listener;
	void *user;
	struct arrow_filter arrows;
	struct lane_marks *marks; /* by lane */
	uint32_t nmarks;
};

/* ---- what is wanted ---- */

/* All but its time. A mark may fail at its end. */
static bool event_is_wanted(struct event_filter *filter, const json_t *event, uint32_t lane)
{
	const struct selection *selection = filter->selection;
	char request[LANE_NUMBER_ROOM];

	if (!lane_filter_has_lane(&filter->lanes, lane) ||
	    (selection->name && !name_matches(selection->name, event_text(event, "name"))))
		return false;
	if (!selection->request)
		return true;
	trace_number_print(request, sizeof(request), event_arg(event, "request"));
	return selection_has_request(selection, request);
}

static bool times_are_wanted(const struct event_filter *filter, int64_t start, int64_t end)
{
	return end - start >= filter->selection->longer && start <= filter->to &&
	       end >= filter->from;
}

static bool result_is_wanted(const struct event_filter *filter, const json_t *event)
{
	return !filter->selection->failed || category_of(event_text(event, "cat")).failed;
}

/* ---- the second reading ---- */

static void take_slice(struct event_filter *filter, const json_t *event, uint32_t lane,
		       int64_t start)
{
	long long duration =
		*event_text(event, "ph") == 'X' ? event_nanoseconds(event, "dur", 0) : 0;
	int64_t end = start + (duration > 0 ? duration : 0);

	if (!times_are_wanted(filter, start, end) || !result_is_wanted(filter, event) ||
	    !event_is_wanted(filter, event, lane))
		return;
	filter->listener->each(filter->user, event);
	if (*event_text(event, "ph") == 'X')
		arrow_filter_span(&filter->arrows, lane, start, end);
}

static struct lane_marks *marks_of(struct event_filter *filter, uint32_t lane)
{
	if (lane >= filter->nmarks) {
		uint32_t count = filter->lanes.keys.lanes.count;

		filter->marks = need(reallocarray(filter->marks, count, sizeof(*filter->marks)));
		memset(&filter->marks[filter->nmarks], 0,
		       (count - filter->nmarks) * sizeof(*filter->marks));
		filter->nmarks = count;
	}
	return &filter->marks[lane];
}

static void take_begin(struct event_filter *filter, const json_t *event, uint32_t number,
		       int64_t start)
{
	bool wanted = event_is_wanted(filter, event, number) && start <= filter->to;
	struct lane_marks *marks = marks_of(filter, number);

	LIST_ROOM(marks->list, marks->depth, marks->room);
	marks->list[marks->depth++] = (struct filter_mark){
		.event = wanted ? json_incref((json_t *)event) : NULL,
		.wanted = wanted,
		.start = start,
	};
}

static void mark_pass(struct event_filter *filter, struct filter_mark *mark, uint32_t lane,
		      int64_t end)
{
	filter->listener->each(filter->user, mark->event);
	arrow_filter_span(&filter->arrows, lane, mark->start, end);
}

static void take_end(struct event_filter *filter, const json_t *event, uint32_t number, int64_t end)
{
	struct lane_marks *marks = marks_of(filter, number);

	if (!marks->depth)
		return;
	struct filter_mark *mark = &marks->list[--marks->depth];

	if (mark->wanted && times_are_wanted(filter, mark->start, end) &&
	    (result_is_wanted(filter, event) || result_is_wanted(filter, mark->event))) {
		mark_pass(filter, mark, number, end);
		filter->listener->each(filter->user, event);
	}
	json_decref(mark->event);
}

/* A trace's end without what is true of the whole trace alone: how many events, and how large. */
static void pass_end(const struct event_filter *filter, const json_t *event)
{
	static const char *const whole[] = {"events", "event_bytes", "device_ns",
					    "event_bytes_per_device_ms"};
	json_t *part = need(json_deep_copy(event));
	json_t *args = json_object_get(part, "args");

	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		json_object_del(args, whole[i]);
	filter->listener->each(filter->user, part);
	json_decref(part);
}

static void take_metadata(struct event_filter *filter, const json_t *event)
{
	const char *name = event_text(event, "name");
	bool is_lane = !strncmp(name, "thread_", 7);

	if (!(is_lane ? lane_filter_has_lane(&filter->lanes,
					     lane_filter_lane(&filter->lanes, event))
		      : lane_filter_has_process(&filter->lanes,
						lane_filter_process(&filter->lanes, event))))
		return;
	if (strcmp(name, "tracelayer_end"))
		filter->listener->each(filter->user, event);
	else
		pass_end(filter, event);
}

static void take_counter(struct event_filter *filter, const json_t *event, uint32_t lane,
			 int64_t time)
{
	if (!filter->selection->failed && !filter->selection->longer &&
	    times_are_wanted(filter, time, time) && event_is_wanted(filter, event, lane))
		filter->listener->each(filter->user, event);
}

static void filter_event(void *user, const json_t *event)
{
	struct event_filter *filter = user;
	char phase = *event_text(event, "ph");

	if (phase == 'M') {
		take_metadata(filter, event);
		return;
	}
	uint32_t lane = lane_filter_lane(&filter->lanes, event);
	int64_t time = event_nanoseconds(event, "ts", 0);

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
		if (lane_filter_has_lane(&filter->lanes, lane))
			arrow_filter_place(&filter->arrows, event, lane, time);
		return;
	}
}

/* ---- texts, which most calls have of which few may be wanted ---- */

static bool text_matches(const char *globs, const struct plain_text *text)
{
	if (!text->at)
		return tl_glob_any(globs, "");
	char quote = text->at[text->size];
	bool matches = name_matches(globs, plain_text_end(text));

	text->at[text->size] = quote;
	return matches;
}

static bool text_failed(const struct plain_text *categories)
{
	if (!categories->at)
		return false;
	char quote = categories->at[categories->size];
	bool failed = category_of(plain_text_end(categories)).failed;

	categories->at[categories->size] = quote;
	return failed;
}

/* As take_slice. */
static bool plain_is_wanted(struct event_filter *filter, const struct plain_event *event)
{
	const struct selection *selection = filter->selection;
	int64_t start = event->start;
	int64_t end = start + (event->duration > 0 ? event->duration : 0);

	if (!times_are_wanted(filter, start, end) ||
	    (selection->failed && !text_failed(&event->category)) ||
	    (selection->name && !text_matches(selection->name, &event->name)))
		return false;
	uint32_t lane = lane_filter_numbered(&filter->lanes, event->process, event->thread);

	if (!lane_filter_has_lane(&filter->lanes, lane))
		return false;
	arrow_filter_span(&filter->arrows, lane, start, end);
	return true;
}

static bool filter_text(void *user, char *text, size_t size)
{
	struct event_filter *filter = user;
	const struct trace_listener *listener = filter->listener;
	struct plain_event event;

	if (filter->selection->request || !trace_text_plain(text, size, &event))
		return false;
	if (plain_is_wanted(filter, &event) &&
	    !(listener->text && listener->text(filter->user, text, size)))
		trace_text_parse(text, size, listener->each, filter->user);
	return true;
}

/* ---- a file's end ---- */

/* Marks that did not end go on to the trace's end. */
static void marks_flush(struct event_filter *filter)
{
	for (uint32_t i = 0; i < filter->nmarks; i++) {
		struct lane_marks *marks = &filter->marks[i];

		for (size_t j = 0; j < marks->depth; j++) {
			struct filter_mark *mark = &marks->list[j];

			if (mark->wanted && result_is_wanted(filter, mark->event))
				mark_pass(filter, mark, i, INT64_MAX);
			json_decref(mark->event);
		}
		marks->depth = 0;
	}
}

static void pass_frame(void *user, const char *id, const json_t *frame)
{
	const struct event_filter *filter = user;

	if (filter->listener->frame)
		filter->listener->frame(filter->user, id, frame);
}

static void pass_stacks(void *user, const struct tl_trace *trace)
{
	const struct event_filter *filter = user;

	if (filter->listener->stacks)
		filter->listener->stacks(filter->user, trace);
}

int event_filter_read(struct event_filter *filter, size_t file, const char *where,
		      const struct trace_listener *listener, void *user,
		      struct trace_totals *totals)
{
	const struct trace_listener calls = {
		.each = filter_event,
		.text = filter_text,
		.frame = pass_frame,
		.stacks = pass_stacks,
	};

	filter->lanes.file = file;
	filter->listener = listener;
	filter->user = user;
	int code = trace_listen(filter->paths[file], where, &calls, filter, totals);

	marks_flush(filter);
	arrow_filter_flush(&filter->arrows, listener->each, user);
	return code;
}

/* From when to when, by the trace's clock. */
static void times_find(struct event_filter *filter)
{
	const struct selection *selection = filter->selection;

	filter->from = INT64_MIN;
	filter->to = INT64_MAX;
	if (selection->has_time) {
		filter->from = filter->lanes.start + (int64_t)selection->from;
		filter->to = filter->lanes.start + (int64_t)selection->to;
	}
}

struct event_filter *event_filter_new(struct selection *selection, const char *const *paths,
				      size_t count, int *code)
{
	struct event_filter *filter = need(calloc(1, sizeof(*filter)));

	filter->selection = selection;
	filter->lanes.selection = selection;
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
		*code = lane_filter_read(&filter->lanes, filter->paths, count);
	if (*code == EXIT_DONE) {
		times_find(filter);
		return filter;
	}
	event_filter_free(filter);
	return NULL;
}

void event_filter_free(struct event_filter *filter)
{
	if (!filter)
		return;
	lane_filter_free(&filter->lanes);
	arrow_filter_free(&filter->arrows);
	for (uint32_t i = 0; i < filter->nmarks; i++)
		free(filter->marks[i].list);
	free(filter->marks);
	for (size_t i = 0; i < filter->npaths; i++)
		free(filter->paths[i]);
	free(filter->paths);
	free(filter);
}

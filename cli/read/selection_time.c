/* SPDX-License-Identifier: MIT */
/*
 * selection_time.c: see selection_time.h.
 *
 * A trace of tracelayer says when it began, by its clock and by the time of day. A trace of another
 * tool has neither: it begins with its first event.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/read/chrome_reader.h"
#include "cli/read/event_members.h"
#include "cli/read/record_file.h"
#include "cli/read/selection_time.h"
#include "cli/read/shown_names.h"
#include "cli/read/temporary_file.h"
#include "cli/read/trace_events.h"

#define START_MOST INT64_C(1000000000000000000) /* no clock has come further */

/* What is looked for, and what was found. */
struct time_search {
	const char *name; /* NULL: no name is looked for, only when the trace began */
	int64_t not_before;
	bool has_start, is_found, is_over;
	int64_t start, date; /* when the trace began; .date: 0 if it does not say */
	int64_t first;	     /* the earliest event */
	int64_t last;	     /* the latest one */
	int64_t from, to;    /* of the slice */
	/* a mark that has begun: its lane, and how many have begun since then */
	double process, thread;
	unsigned depth;
};

static void search_mark(struct time_search *search, const struct time_event *event)
{
	if (!search->is_found || search->is_over || event->process != search->process ||
	    event->thread != search->thread)
		return;
	if (event->phase == 'B')
		search->depth++;
	else if (event->phase == 'E' && !--search->depth) {
		search->to = event->start;
		search->is_over = true;
	}
}

static bool name_is_met(const struct time_search *search, const struct time_event *event)
{
	return search->name && event->phase && strchr("XBiI", event->phase) && event->name &&
	       event->start >= search->not_before && !strcmp(event->name, search->name);
}

void time_search_take(struct time_search *search, const struct time_event *event)
{
	if (event->phase == 'M')
		return;
	if (event->start < search->first)
		search->first = event->start;
	if (event->start + event->duration > search->last)
		search->last = event->start + event->duration;
	search_mark(search, event);
	/* Files have the events thread by thread: the first of the name may come later. */
	if (!name_is_met(search, event) || (search->is_found && event->start >= search->from))
		return;
	search->is_found = true;
	search->is_over = event->phase != 'B';
	search->from = event->start;
	search->to = event->start + event->duration;
	search->process = event->process;
	search->thread = event->thread;
	search->depth = 1;
}

void time_search_start(struct time_search *search, int64_t start, int64_t date)
{
	if (search->has_start && search->start <= start)
		return;
	search->has_start = true;
	search->start = start;
	search->date = date;
}

/* ---- events ---- */

#if HAVE_JANSSON

static double arg_number(const json_t *event, const char *name)
{
	return json_number_value(json_object_get(json_object_get(event, "args"), name));
}

static void take_facts(struct time_search *search, const json_t *event)
{
	const char *name = json_string_value(json_object_get(event, "name"));
	double start = arg_number(event, "monotonic_ns");

	if (name && !strcmp(name, "tracelayer") && start > 0 && start < (double)START_MOST)
		time_search_start(search, (int64_t)start,
				  (int64_t)arg_number(event, "realtime_ns"));
}

static void take_event(void *user, const json_t *event)
{
	struct time_search *search = user;
	const char *phase = json_string_value(json_object_get(event, "ph"));
	const struct time_event event_seen = {
		.phase = phase ? *phase : 0,
		.name = json_string_value(json_object_get(event, "name")),
		.process = json_number_value(json_object_get(event, "pid")),
		.thread = json_number_value(json_object_get(event, "tid")),
		.start = event_nanoseconds(event, "ts", 0),
		.duration = event_nanoseconds(event, "dur", 0),
	};

	if (event_seen.phase == 'M')
		take_facts(search, event);
	time_search_take(search, &event_seen);
}

/* Events of a .tlt file, as text. Most have neither the name nor an end of a mark, and are not parsed. */
static bool pass_over(void *user, char *text, size_t size)
{
	const struct time_search *search = user;

	return !memmem(text, size, "\"ph\":\"M\"", 8) && !memmem(text, size, "\"ph\":\"B\"", 8) &&
	       !memmem(text, size, "\"ph\":\"E\"", 8) && !memmem(text, size, "\\", 1) &&
	       !memmem(text, size, search->name, strlen(search->name));
}

static bool search_plain(void *user, struct plain_event *plain)
{
	const struct time_event event_seen = {
		plain->phase,	plain_text_end(&plain->name),
		plain->process, plain->thread,
		plain->start,	plain->duration,
	};

	time_search_take(user, &event_seen);
	return true;
}

static bool search_parsed(void *user, const json_t *event)
{
	take_event(user, event);
	return true;
}

/* Goes through all events. */
static int events_search(struct time_search *search, const char *path)
{
	static const struct trace_listener listener = {.each = take_event, .text = pass_over};
	static const struct trace_visitor visitor = {.plain = search_plain,
						     .parsed = search_parsed};
	struct trace_totals totals;

	return record_file_is(path)
		       ? trace_listen(path, "the selection", &listener, search, &totals)
		       : trace_walk(path, &visitor, search);
}

#else

static int events_search(struct time_search *search, const char *path)
{
	return say_without_json(search->name ? "--time=@NAME" : path);
}

#endif

/* A file in the record format says when it began, without its events. */
static int start_search(struct time_search *search, const char *path)
{
	struct tl_trace *trace = record_file_open(path);

	if (!trace)
		return EXIT_BROKEN;
	const struct tl_facts *facts = &trace->facts;

	if (trace->has_facts && facts->monotonic_ns && facts->monotonic_ns < START_MOST)
		time_search_start(search, (int64_t)facts->monotonic_ns,
				  (int64_t)facts->realtime_ns);
	tl_trace_close(trace);
	return EXIT_DONE;
}

/* ---- the whole ---- */

static struct time_search search_begin(const char *name, int64_t not_before)
{
	return (struct time_search){.name = name ? name_shown(name) : NULL,
				    .not_before = not_before,
				    .first = INT64_MAX,
				    .last = INT64_MIN};
}

struct files {
	const char *const *paths;
	size_t count;
};

static int files_search(void *user, struct time_search *search)
{
	const struct files *files = user;
	int code = EXIT_DONE;

	for (size_t i = 0; i < files->count && code != EXIT_BROKEN; i++)
		code = !search->name && record_file_is(files->paths[i])
			       ? start_search(search, files->paths[i])
			       : events_search(search, files->paths[i]);
	return code;
}

static int source_search(const struct time_source *source, struct time_search *search)
{
	if (source->search(source->user, search) == EXIT_BROKEN)
		return EXIT_BROKEN;
	if (!search->has_start)
		search->start = search->first == INT64_MAX ? 0 : search->first;
	if (search->is_found && !search->is_over)
		search->to = search->last;
	return EXIT_DONE;
}

/* By the trace's clock. False, after a message. */
static bool point_resolve(const struct time_point *point, const struct time_search *search,
			  bool is_end, int64_t *ns)
{
	switch (point->kind) {
	case POINT_NONE:
		*ns = is_end ? INT64_MAX / 4 : search->start;
		return true;
	case POINT_START:
		*ns = search->start + (int64_t)point->ns;
		return true;
	case POINT_CLOCK:
		*ns = (int64_t)point->ns;
		return true;
	case POINT_DATE:
		*ns = search->start + (int64_t)point->ns - search->date;
		if (!search->date)
			say("--time: the trace does not say on which day it began; give seconds from its start");
		return search->date;
	case POINT_NAME:
		*ns = is_end ? search->to : search->from;
		if (!search->is_found)
			say("--time: the trace has no slice or mark named %s%s; `tracelayer summary` lists the names",
			    point->name, is_end ? " after the beginning" : "");
		return search->is_found;
	}
	return false;
}

static uint64_t time_since(int64_t start, int64_t ns)
{
	return ns > start ? (uint64_t)(ns - start) : 0;
}

int selection_window_find(const struct selection *selection, const struct time_source *source,
			  struct time_window *window)
{
	struct time_search search = search_begin(selection->points[0].name, INT64_MIN);

	if (source_search(source, &search) == EXIT_BROKEN)
		return EXIT_BROKEN;
	window->start = search.start;
	if (!point_resolve(&selection->points[0], &search, false, &window->from))
		return EXIT_USAGE;
	/* The end is looked for behind the beginning. */
	if (selection->points[1].name) {
		search = search_begin(selection->points[1].name, window->from);
		if (source_search(source, &search) == EXIT_BROKEN)
			return EXIT_BROKEN;
	}
	if (!point_resolve(&selection->points[1], &search, true, &window->to))
		return EXIT_USAGE;
	if (window->to >= window->from && window->to >= search.start)
		return EXIT_DONE;
	say("--time: it ends before %s; change the end",
	    window->to < window->from ? "it begins" : "the trace does");
	return EXIT_USAGE;
}

int selection_time_find(struct selection *selection, const char *const *paths, size_t count)
{
	struct files files = {paths, count};
	struct time_window window;

	if (!selection_time_is_open(selection))
		return EXIT_DONE;
	int code = selection_window_find(selection, &(struct time_source){files_search, &files},
					 &window);

	if (code != EXIT_DONE)
		return code;
	selection->from = time_since(window.start, window.from);
	selection->to = time_since(window.start, window.to);
	return EXIT_DONE;
}

char *input_keep(const char *path)
{
	struct stat about;
	char *kept;

	if (strcmp(path, "-") != 0)
		return need(strdup(path));
	int spool = fstat(STDIN_FILENO, &about) || !S_ISREG(about.st_mode)
			    ? spool_pipe(STDIN_FILENO, "standard input")
			    : STDIN_FILENO;

	if (spool < 0)
		return NULL;
	return asprintf(&kept, "/proc/self/fd/%d", spool) < 0 ? need(NULL) : kept;
}

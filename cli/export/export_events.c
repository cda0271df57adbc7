/* SPDX-License-Identifier: MIT */
/*
 * export_events.c: see export_events.h.
 *
 * JSON is an array of events or, if the trace has stacks, an object with "stackFrames". Which of them
 * is known when all events are read, so the events are in a temporary file until then.
 */
#include "config.h"

#include "cli/basics/basics.h"
#include "cli/export/export_events.h"

#if !HAVE_JANSSON

int export_events_json(struct export *export)
{
	return say_without_json(export->input);
}

int export_events_folded(struct export *export)
{
	return say_without_json(export->input);
}

#else

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/basics/list_room.h"
#include "cli/export/export_folded.h"
#include "cli/export/json_print.h"
#include "cli/read/read.h"

/* Reads the events that are selected. */
static int events_read(struct export *export, const struct trace_listener *listener, void *user)
{
	struct trace_totals totals;
	int code = EXIT_DONE;

	if (!selection_is_any(&export->selection))
		return trace_listen(export->input, export->output, listener, user, &totals);
	struct event_filter *filter =
		event_filter_new(&export->selection, &export->input, 1, &code);

	if (filter)
		code = event_filter_read(filter, 0, export->output, listener, user, &totals);
	event_filter_free(filter);
	return code;
}

/* ---- JSON */

struct printing {
	FILE *events, *frames;
	bool has_events, has_frames;
	bool has_selected; /* more than metadata */
};

static void print_event(void *user, const json_t *event)
{
	struct printing *printing = user;

	fputs(printing->has_events ? ",\n" : "\n", printing->events);
	json_print(printing->events, event);
	printing->has_events = true;
	printing->has_selected |= *event_text(event, "ph") != 'M';
}

static void print_frame(void *user, const char *id, const json_t *frame)
{
	struct printing *printing = user;

	fputs(printing->has_frames ? ",\n" : "\n", printing->frames);
	json_print_text(printing->frames, id, strlen(id));
	putc(':', printing->frames);
	json_print(printing->frames, frame);
	printing->has_frames = true;
}

static bool output_put(gzFile to, const char *bytes, size_t size)
{
	return !size || gzwrite(to, bytes, (unsigned)size) == (int)size;
}

static bool output_put_text(gzFile to, const char *text)
{
	return output_put(to, text, strlen(text));
}

static bool output_put_spool(gzFile to, int spool)
{
	char bytes[64 * 1024];
	uint64_t offset = 0;
	ssize_t size;

	while ((size = file_read(spool, "temporary file", bytes, sizeof(bytes), offset)) > 0) {
		if (!output_put(to, bytes, (size_t)size))
			return false;
		offset += (uint64_t)size;
	}
	return !size;
}

/* False: errno says why. Frames: their text. */
static bool json_write(struct export *export, int spool, const char *frames, size_t size)
{
	gzFile to = gzdopen(dup(export->file.fd), export->gzip ? "wb" : "wbT");
	bool written = to && output_put_text(to, size ? "{\"traceEvents\":[" : "[") &&
		       output_put_spool(to, spool);

	if (size)
		written = written && output_put_text(to, "\n],\n\"stackFrames\":{") &&
			  output_put(to, frames, size) && output_put_text(to, "\n}}\n");
	else
		written = written && output_put_text(to, "\n]\n");
	int error = errno;

	if (to && gzclose(to) != Z_OK && written) {
		written = false;
		error = errno;
	}
	errno = error;
	return written;
}

int export_events_json(struct export *export)
{
	/* Not with a selection, which goes by threads. */
	const struct trace_listener listener = {
		.each = print_event, .frame = print_frame, .further_lanes = true};
	struct printing printing = {.has_events = false};
	char *frames = NULL;
	size_t size = 0;
	int spool = spool_open(), code = EXIT_BROKEN;

	if (spool < 0)
		return code;
	printing.events = need(fdopen(dup(spool), "w"));
	printing.frames = need(open_memstream(&frames, &size));
	code = events_read(export, &listener, &printing);
	if (code == EXIT_BROKEN || code == EXIT_USAGE)
		fclose(printing.events);
	else if (!spool_close(printing.events))
		code = EXIT_BROKEN;
	fclose(printing.frames);
	if ((code == EXIT_DONE || code == EXIT_INCOMPLETE) &&
	    (!export_output_open(export) ||
	     !export_output_close(export, json_write(export, spool, frames, size))))
		code = EXIT_BROKEN;
	if (code != EXIT_BROKEN && code != EXIT_USAGE && !printing.has_selected &&
	    selection_is_any(&export->selection))
		selection_say_empty(1);
	free(frames);
	close(spool);
	return code;
}

/* ---- folded stacks */

struct folded_call {
	uint32_t lane, stack, name;
	uint64_t start, end;
};

struct gathering {
	struct lane_keys keys;
	struct event_stacks stacks;
	struct names names;
	struct folded_call *calls;
	size_t ncalls, room;
};

static void gather_frame(void *user, const char *id, const json_t *frame)
{
	struct gathering *gathering = user;

	event_stacks_frame(&gathering->stacks, 0, id, frame);
}

/* Device commands, and slices of the program's own, are no calls. */
static bool event_is_call(const json_t *event)
{
	static const char *const others[] = {"device", "context", "xpti", "annotation", "nntrace"};
	const char *phase = json_string_value(json_object_get(event, "ph")),
		   *category = json_string_value(json_object_get(event, "cat"));

	if (!phase || strcmp(phase, "X"))
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (category_has(category, others[i]))
			return false;
	return true;
}

static uint32_t event_lane(struct gathering *gathering, const json_t *event)
{
	char number[LANE_NUMBER_ROOM];
	uint32_t process, lane;

	lane_number_print(number, event, "pid");
	lane_keys_process(&gathering->keys, 0, number, &process);
	lane_number_print(number, event, "tid");
	lane_keys_lane(&gathering->keys, process, number, &lane);
	return lane;
}

static void gather_event(void *user, const json_t *event)
{
	struct gathering *gathering = user;
	const char *name = json_string_value(json_object_get(event, "name"));

	if (!event_is_call(event))
		return;
	long long start = event_nanoseconds(event, "ts", 0),
		  length = event_nanoseconds(event, "dur", 0);

	start = start > 0 ? start : 0;
	LIST_ROOM(gathering->calls, gathering->ncalls, gathering->room);
	gathering->calls[gathering->ncalls++] = (struct folded_call){
		.lane = event_lane(gathering, event),
		.stack = event_stack(&gathering->stacks, 0, event),
		.name = names_number(&gathering->names, name ? name : "?"),
		.start = (uint64_t)start,
		.end = (uint64_t)(length > 0 ? start + length : start),
	};
}

/* By thread, and then in the order in which they ended, those inside a call before it. */
static int calls_compare(const void *a, const void *b)
{
	const struct folded_call *x = a, *y = b;

	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->start > y->start ? -1 : x->start < y->start;
}

static char *gathered_text(struct gathering *gathering, uint64_t key)
{
	const struct event_stacks *stacks = &gathering->stacks;
	const char *chain[FOLDED_DEEPEST], *name = gathering->names.list[(uint32_t)key];
	char *text = NULL;
	size_t size, count = 0;
	FILE *to = need(open_memstream(&text, &size));

	for (uint32_t frame = event_stacks_innermost(&gathering->stacks, (uint32_t)(key >> 32));
	     frame && count < FOLDED_DEEPEST; frame = event_stacks_caller(stacks, frame))
		chain[count++] = event_stacks_name(stacks, frame);
	while (count > 0) {
		count--;
		folded_put_name(to, chain[count], strlen(chain[count]));
		putc(';', to);
	}
	folded_put_name(to, name, strlen(name));
	fclose(to);
	return need(text);
}

static bool gathered_write(struct gathering *gathering, int fd)
{
	struct folded_sums sums = {.ns = NULL};

	if (gathering->ncalls)
		qsort(gathering->calls, gathering->ncalls, sizeof(*gathering->calls),
		      calls_compare);
	for (size_t i = 0; i < gathering->ncalls; i++) {
		const struct folded_call *call = &gathering->calls[i];

		if (!i || call->lane != call[-1].lane)
			folded_sums_thread(&sums);
		folded_sums_add(&sums, (uint64_t)call->stack << 32 | call->name, call->start,
				call->end - call->start);
	}
	char **texts = need(calloc(sums.keys.count + 1ul, sizeof(*texts)));

	for (uint32_t i = 0; i < sums.keys.count; i++)
		texts[i] = gathered_text(gathering, sums.keys.list[i]);
	bool written = folded_sums_write(&sums, texts, fd);

	free(texts);
	folded_sums_free(&sums);
	return written;
}

int export_events_folded(struct export *export)
{
	const struct trace_listener listener = {.each = gather_event, .frame = gather_frame};
	struct gathering gathering = {.ncalls = 0};
	int code = events_read(export, &listener, &gathering);

	if (code == EXIT_DONE || code == EXIT_INCOMPLETE) {
		if (!gathering.stacks.stacks.count)
			folded_say_stackless(export->input);
		if (!export_output_open(export) ||
		    !export_output_close(export, gathered_write(&gathering, export->file.fd)))
			code = EXIT_BROKEN;
	}
	lane_keys_free(&gathering.keys);
	event_stacks_free(&gathering.stacks);
	names_free(&gathering.names);
	free(gathering.calls);
	return code;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * trace_events.c: see trace_events.h.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/read/record_file.h"
#include "cli/read/trace_events.h"
#include "cli/read/chrome_reader.h"
#include "cli/outputs/trace_encoder.h"
#include "format/encode/formats.h"

/* The functions to call. */
struct listener {
	const struct trace_listener *calls;
	void *user;
};

/* ---- texts ---- */

bool trace_text_plain(char *text, size_t size, struct plain_event *event)
{
	static const char slice[] = "{\"ph\":\"X\"";
	char *at = text + 1 + (text[1] == '\n');
	unsigned long lines = 0;

	/* The first member says what it is. */
	return !strncmp(at, slice, sizeof(slice) - 1) &&
	       plain_event_take(&at, text + size, event, &lines) == PLAIN_TAKEN &&
	       at == text + size - 1 && event->has_process && event->has_thread;
}

void trace_text_parse(const char *text, size_t size, void (*each)(void *user, const json_t *event),
		      void *user)
{
	json_t *events = json_loadb(text, size, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, NULL),
	       *event;
	size_t i;

	json_array_foreach(events, i, event)
		each(user, event);
	json_decref(events);
}

/* ---- files in the record format ---- */

/* Makes each record the event that it would be in a JSON file. */
struct encoding {
	struct tl_encoder encoder;
	char *room;
};

static void start_encoding(struct encoding *encoding, const struct tl_trace *trace,
			   bool further_lanes)
{
	trace_encoder_start(&encoding->encoder, &tl_format_json, trace);
	encoding->encoder.one_lane = !further_lanes;
	/* Who wants their names is given the trace. */
	encoding->encoder.stack_ids = true;
	encoding->room = need(calloc(1, TL_ENCODER_ROOM + PLAIN_SLACK));
}

static struct tl_text new_text(const struct encoding *encoding)
{
	return (struct tl_text){encoding->room, encoding->room + TL_ENCODER_ROOM, false};
}

/*
 * Encoded events, none or several. Each has a comma in front, the first one of the file a bracket.
 */
static void add_events(const struct listener *listener, const struct encoding *encoding,
		       struct tl_text *text)
{
	if (text->at == encoding->room)
		return;
	encoding->room[0] = '[';
	tl_text_string(text, "]");
	if (listener->calls->text && text->at < text->end) {
		*text->at = 0;
		if (listener->calls->text(listener->user, encoding->room,
					  (size_t)(text->at - encoding->room)))
			return;
	}
	trace_text_parse(encoding->room, (size_t)(text->at - encoding->room), listener->calls->each,
			 listener->user);
}

/* The process, and the names of threads and lanes. */
static void add_names(const struct listener *listener, struct encoding *encoding,
		      const struct tl_trace *trace)
{
	struct tl_text text = new_text(encoding);

	if (trace->has_facts)
		tl_format_json.begin(&encoding->encoder, &text, &trace->facts);
	add_events(listener, encoding, &text);
	for (size_t i = 0; i < trace->nlanes; i++) {
		text = new_text(encoding);
		tl_format_json.thread(&encoding->encoder, &text, trace->lanes[i].shown,
				      trace->lanes[i].name);
		add_events(listener, encoding, &text);
	}
	for (size_t i = 0; i < trace->nnamed; i++) {
		text = new_text(encoding);
		trace_encoder_lane(&encoding->encoder, &text, trace, &trace->named[i]);
		add_events(listener, encoding, &text);
	}
}

int trace_metadata_read(const char *path, void (*each)(void *user, const json_t *event), void *user)
{
	const struct trace_listener calls = {.each = each};
	const struct listener listener = {&calls, user};
	struct tl_trace *trace = record_file_open(path);
	struct encoding encoding;

	if (!trace)
		return EXIT_BROKEN;
	start_encoding(&encoding, trace, false);
	add_names(&listener, &encoding, trace);
	trace_encoder_end(&encoding.encoder);
	free(encoding.room);
	tl_trace_close(trace);
	return EXIT_DONE;
}

/* The calls that had not returned when the process ended; the innermost first. */
static void add_unfinished(const struct listener *listener, struct encoding *encoding,
			   const struct tl_trace *trace)
{
	for (size_t i = 0; i < trace->nlanes; i++)
		for (size_t open = trace->lanes[i].nopens; open-- > 0;) {
			struct tl_text text = new_text(encoding);

			tl_format_json.unfinished(&encoding->encoder, &text, trace->lanes[i].shown,
						  &trace->lanes[i].opens[open], trace->last);
			add_events(listener, encoding, &text);
		}
}

/* Returns how many records could not be understood. */
static size_t add_records(const struct listener *listener, struct tl_trace *trace,
			  struct trace_totals *totals)
{
	struct encoding encoding;
	size_t unknown = 0;

	start_encoding(&encoding, trace, listener->calls->further_lanes);
	add_names(listener, &encoding, trace);
	for (size_t i = 0; i < trace->nruns; i++) {
		const struct tl_trace_run *run = &trace->runs[i];
		struct tl_trace_place place = {0};
		const struct tl_call_record *record;

		while ((record = tl_trace_next(run, &place))) {
			struct tl_text text = new_text(&encoding);

			unknown += !tl_format_json.record(&encoding.encoder, &text,
							  trace->lanes[run->lane].shown, record,
							  place.left) ||
				   text.cut;
			add_events(listener, &encoding, &text);
			/* what an exported file's end would say */
			totals->bytes += record->type == TL_RECORD_EVENT ? record->size * 8u : 0;
		}
		if (place.unsound)
			record_file_damaged(trace, run->offset + place.unsound - 1);
	}
	add_unfinished(listener, &encoding, trace);
	trace_encoder_end(&encoding.encoder);
	free(encoding.room);
	return unknown;
}

static int read_records(const struct listener *listener, const char *path, const char *where,
			struct trace_totals *totals)
{
	struct tl_trace *trace = record_file_open(path);

	if (!trace)
		return EXIT_BROKEN;
	size_t unknown = add_records(listener, trace, totals);
	if (listener->calls->stacks)
		listener->calls->stacks(listener->user, trace);
	totals->lost += record_file_lost(trace);
	int code = record_file_judge(trace, path, unknown, where);
	tl_trace_close(trace);
	return code;
}

/* ---- files of either kind ---- */

static bool visit_event(void *user, const json_t *event)
{
	const struct listener *listener = user;

	listener->calls->each(listener->user, event);
	return true;
}

static void visit_frame(void *user, const char *id, const json_t *frame)
{
	const struct listener *listener = user;

	listener->calls->frame(listener->user, id, frame);
}

int trace_listen(const char *path, const char *where, const struct trace_listener *calls,
		 void *user, struct trace_totals *totals)
{
	const struct trace_visitor visitor = {.parsed = visit_event,
					      .frame = calls->frame ? visit_frame : NULL,
					      .further_lanes = calls->further_lanes};
	struct listener listener = {calls, user};

	*totals = (struct trace_totals){0};
	if (record_file_is(path))
		return read_records(&listener, path, where, totals);
	return trace_walk(path, &visitor, &listener);
}

int trace_events(const char *path, const char *where, void (*each)(void *user, const json_t *event),
		 void *user, struct trace_totals *totals)
{
	const struct trace_listener calls = {.each = each};

	return trace_listen(path, where, &calls, user, totals);
}

void trace_number_print(char *to, size_t room, const json_t *number)
{
	if (json_is_number(number))
		snprintf(to, room, "%.0f", json_number_value(number));
	else
		snprintf(to, room, "%s",
			 json_string_value(number) ? json_string_value(number) : "");
}

/* SPDX-License-Identifier: MIT */
/*
 * chrome_reader.c: see chrome_reader.h. The scanner knows just enough of JSON to find where each
 * event begins and ends (braces, brackets, strings); jansson parses what it cut out. So every
 * layout works alike, a cut file loses only its last, unfinished event, and an error message has
 * the line. Plain events (plain_event.h) need neither scanner nor jansson, if they are whole in what
 * there is of the file; anything else takes the way above.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/read/block_reader.h"
#include "cli/read/chrome_reader.h"
#include "cli/read/loose_json.h"
#include "cli/read/pftrace_reader.h"
#include "cli/read/shown_names.h"
#include "cli/read/sqlite_reader.h"
#include "cli/read/trace_kind.h"
#include "format/encode/encode.h"

/* bytes of an event; parsed, it takes many times as much memory */
#define EVENT_MOST (16u << 20)
#define NO_MORE	   (-1) /* char_get(): the stream ended, or failed; reader->failed tells */

struct trace_reader {
	const char *path;
	struct block_reader blocks;
	unsigned char *at, *end; /* what is unread of the block */
	bool ended;
	bool failed;			       /* and a message has told the reason */
	unsigned char first[TRACE_KIND_BYTES]; /* bytes of the file, as far as it has them */
	size_t nfirst;
	const char *other; /* what the file is, if it is another tool's; NULL: not known */

	unsigned long line; /* the line that *at is on */
	unsigned long event_line;
	unsigned long long events;
	bool started, is_object, in_events;

	char *text; /* the value being cut out */
	size_t length, room;
	bool is_skipping; /* the value is skipped, not kept */
	bool has_mended;  /* and a message has told what */

	const struct trace_visitor *visitor; /* NULL: the caller asks for events */
	void *user;
	struct numbers further; /* further lanes of threads; see further_lane */
	struct near_names near;
};

static const char *path_shown(const struct trace_reader *reader)
{
	return strcmp(reader->path, "-") ? reader->path : "standard input";
}

/* `carry` bytes of the block that ends stay in front of the next one. */
static bool block_fill(struct trace_reader *reader, size_t carry)
{
	if (reader->ended)
		return false;
	reader->ended = !block_next(&reader->blocks, &reader->at, &reader->end, carry,
				    &reader->failed, reader->line);
	return !reader->ended;
}

static int char_get(struct trace_reader *reader)
{
	if (reader->at == reader->end && !block_fill(reader, 0))
		return NO_MORE;
	int c = *reader->at++;

	if (c == '\n')
		reader->line++;
	return c;
}

static void char_unget(struct trace_reader *reader, int c)
{
	if (c == NO_MORE)
		return;
	if (c == '\n')
		reader->line--;
	reader->at--;
}

static int char_past_space(struct trace_reader *reader)
{
	int c;

	do {
		c = char_get(reader);
	} while (c == ' ' || c == '\t' || c == '\r' || c == '\n');
	return c;
}

/* One byte more than an event may have, to see that it is too large. */
static void value_keep(struct trace_reader *reader, int c)
{
	if (reader->is_skipping || reader->length > EVENT_MOST)
		return;
	if (reader->length == reader->room) {
		reader->room = reader->room ? 2 * reader->room : 4096;
		reader->text = need(realloc(reader->text, reader->room));
	}
	reader->text[reader->length++] = (char)c;
}

static bool value_is_too_large(const struct trace_reader *reader)
{
	return reader->length > EVENT_MOST;
}

/*
 * Reads the rest of a string, behind its opening quote. False: the file ends in the string, or the
 * string is too large.
 */
static bool value_cut_string(struct trace_reader *reader)
{
	value_keep(reader, '"');
	for (;;) {
		int c = char_get(reader);

		if (c == NO_MORE || value_is_too_large(reader))
			return false;
		value_keep(reader, c);
		if (c == '"')
			return true;
		if (c == '\\') {
			c = char_get(reader);
			if (c == NO_MORE)
				return false;
			value_keep(reader, c);
		}
	}
}

/*
 * Cut out one value that begins with `c`: an object or array up to its closing brace, a string, or
 * a run of other characters up to what separates values. Returns false where the file ends in it,
 * or it is too large.
 */
static bool value_cut(struct trace_reader *reader, int c)
{
	unsigned long depth = 0;

	reader->length = 0;
	for (;; c = char_get(reader)) {
		if (c == NO_MORE || value_is_too_large(reader))
			return false;
		if (c == '"') {
			if (!value_cut_string(reader))
				return false;
		} else if (!depth && (c == ',' || c == ']' || c == '}')) {
			char_unget(reader, c);
			return true;
		} else {
			value_keep(reader, c);
			depth += c == '{' || c == '[';
			depth -= c == '}' || c == ']';
		}
		if (!depth && (c == '"' || c == '}' || c == ']'))
			return true;
	}
}

static enum trace_state trace_is_broken(struct trace_reader *reader, unsigned long line,
					const char *why)
{
	if (!reader->failed)
		say("%s:%lu: %s; give a .json, .json.gz, .pftrace, .sqlite or .tlt trace, as `tracelayer run` writes it",
		    path_shown(reader), line, why);
	reader->failed = true;
	return TRACE_BROKEN;
}

/* The file ended where it should not have. */
static enum trace_state trace_ends_early(struct trace_reader *reader)
{
	if (reader->failed)
		return TRACE_BROKEN;
	if (!reader->in_events)
		return trace_is_broken(
			reader, reader->line,
			reader->started ? "ends before its events begin"
			: reader->blocks.cut
				? "the gzip data is cut short, with nothing in it"
				: "is empty (if its process was killed, try `tracelayer recover` of its folder)");
	say("%s: cut short after line %lu: the end of the trace is missing; the %llu event%s before that %s used",
	    path_shown(reader), reader->event_line ? reader->event_line : 1, reader->events,
	    reader->events == 1 ? "" : "s", reader->events == 1 ? "is" : "are");
	return TRACE_INCOMPLETE;
}

/* Nothing but white space may follow the trace. */
static enum trace_state trace_ends(struct trace_reader *reader)
{
	if (char_past_space(reader) != NO_MORE)
		return trace_is_broken(reader, reader->line,
				       "something follows the end of the trace");
	if (reader->failed)
		return TRACE_BROKEN;
	if (reader->blocks.cut) {
		say("%s: cut short: the end of the gzip data is missing, though all %llu events are there",
		    path_shown(reader), reader->events);
		return TRACE_INCOMPLETE;
	}
	return TRACE_END;
}

/* Another tool's trace may have numbers of more than 64 bits. It is still read. */
#define LOADED (JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY)

/* The value that was cut out, which began on that line. NULL: it is none. */
static json_t *value_parse(struct trace_reader *reader, unsigned long line, json_error_t *error)
{
	json_t *value = json_loadb(reader->text, reader->length, LOADED, error);
	json_error_t first = *error;
	size_t size;
	char *mended = value ? NULL : loose_json_mend(reader->text, reader->length, &size);

	if (!mended)
		return value;
	value = json_loadb(mended, size, LOADED, error);
	free(mended);
	if (value && !reader->has_mended) {
		say("%s:%lu: not JSON: %s; it is read all the same, and so are others",
		    path_shown(reader), line + (unsigned long)first.line - 1, first.text);
		reader->has_mended = true;
	}
	return value;
}

/* One frame of "stackFrames", behind the quote before its id. */
static enum trace_state frame_take(struct trace_reader *reader)
{
	unsigned long line = reader->line;
	json_error_t error;

	reader->length = 0;
	if (!value_cut_string(reader))
		return trace_ends_early(reader);
	json_t *id = value_parse(reader, line, &error);
	int colon = char_past_space(reader);

	if (!id || colon != ':') {
		json_decref(id);
		return colon == NO_MORE ? trace_ends_early(reader)
					: trace_is_broken(reader, line, "not JSON: a frame's id");
	}
	bool is_whole = value_cut(reader, char_past_space(reader));

	if (value_is_too_large(reader)) {
		json_decref(id);
		return trace_is_broken(reader, line, "a frame of more than 16 MB, as no trace has");
	}
	json_t *frame = is_whole ? value_parse(reader, line, &error) : NULL;

	if (frame)
		reader->visitor->frame(reader->user, json_string_value(id), frame);
	json_decref(id);
	json_decref(frame);
	return frame	  ? TRACE_EVENT
	       : is_whole ? trace_is_broken(reader, line, error.text)
			  : trace_ends_early(reader);
}

/*
 * Goes to the next member of an object. A quote: behind that of its name; a brace: behind the
 * object's end. NO_MORE: neither comes, and *wrong is what becomes of the trace.
 */
static int member_start(struct trace_reader *reader, const char *missing, enum trace_state *wrong)
{
	int c = char_past_space(reader);

	if (c == ',')
		c = char_past_space(reader);
	if (c == '"' || c == '}')
		return c;
	*wrong = c == NO_MORE ? trace_ends_early(reader)
			      : trace_is_broken(reader, reader->line, missing);
	return NO_MORE;
}

/* The frames of "stackFrames", behind its opening brace. TRACE_EVENT: all of them. */
static enum trace_state frames_take(struct trace_reader *reader)
{
	enum trace_state state = TRACE_EVENT;
	int c = '"';

	while (state == TRACE_EVENT && c == '"') {
		c = member_start(reader, "not JSON: a frame's id is missing", &state);
		if (c == '"')
			state = frame_take(reader);
	}
	return state;
}

static bool member_is(const struct trace_reader *reader, const char *name)
{
	return reader->length == strlen(name) && !memcmp(reader->text, name, reader->length);
}

/* In the object form: go through its members up to the value of "traceEvents"; after the events: up
 * to the closing brace. */
static enum trace_state trace_members(struct trace_reader *reader)
{
	for (;;) {
		enum trace_state wrong;
		int c = member_start(reader, "not JSON: a member's name is missing", &wrong);

		if (c == NO_MORE)
			return wrong;
		if (c == '}')
			return reader->in_events
				       ? trace_ends(reader)
				       : trace_is_broken(reader, reader->line,
							 "the object has no \"traceEvents\"");
		reader->length = 0;
		if (!value_cut_string(reader))
			return value_is_too_large(reader)
				       ? trace_is_broken(
						 reader, reader->line,
						 "a member's name of more than 16 MB, as no trace has")
				       : trace_ends_early(reader);
		bool here = !reader->in_events && member_is(reader, "\"traceEvents\"");
		bool has_frames = reader->visitor && reader->visitor->frame &&
				  member_is(reader, "\"stackFrames\"");

		c = char_past_space(reader);
		if (c == NO_MORE)
			return trace_ends_early(reader);
		if (c != ':')
			return trace_is_broken(reader, reader->line,
					       "not JSON: no colon after a member's name");
		c = char_past_space(reader);
		if (here) {
			if (c != '[')
				return trace_is_broken(reader, reader->line,
						       "\"traceEvents\" is not an array");
			reader->in_events = true;
			return TRACE_EVENT;
		}
		if (has_frames && c == '{') {
			enum trace_state state = frames_take(reader);

			if (state != TRACE_EVENT)
				return state;
			continue;
		}
		reader->is_skipping = true;
		bool is_whole = value_cut(reader, c);
		reader->is_skipping = false;
		if (!is_whole)
			return trace_ends_early(reader);
	}
}

/* Go to the first event. */
static enum trace_state trace_begin(struct trace_reader *reader)
{
	int c = char_past_space(reader);

	if (c == 0xef && char_get(reader) == 0xbb && char_get(reader) == 0xbf)
		c = char_past_space(reader); /* a byte order mark */
	if (c == NO_MORE)
		return trace_ends_early(reader);
	reader->started = true;
	if (c == '[') {
		reader->in_events = true;
		return TRACE_EVENT;
	}
	if (c != '{' && reader->other && !reader->failed) {
		say("%s: it is %s", path_shown(reader), reader->other);
		reader->failed = true;
	}
	if (c != '{')
		return trace_is_broken(reader, reader->line, "not a trace");
	reader->is_object = true;
	return trace_members(reader);
}

/*
 * The file ended within an event. If nothing else is wrong with the event, the file was cut.
 * Otherwise a bracket is missing further up, so that the rest of the file seemed to be a part of
 * this event.
 */
static enum trace_state trace_ends_in_event(struct trace_reader *reader, unsigned long line)
{
	const int token = 16; /* the last token may be cut, too */
	json_error_t error;

	json_decref(value_parse(reader, line, &error));
	if (json_error_code(&error) != json_error_premature_end_of_input &&
	    (size_t)error.position + token < reader->length)
		return trace_is_broken(reader, line + (unsigned long)error.line - 1, error.text);
	return trace_ends_early(reader);
}

enum trace_state trace_next(struct trace_reader *reader, json_t **event)
{
	if (!reader->started) {
		enum trace_state state = trace_begin(reader);

		if (state != TRACE_EVENT)
			return state;
	}
	int c = char_past_space(reader);

	if (c == ',')
		c = char_past_space(reader);
	if (c == ']')
		return reader->is_object ? trace_members(reader) : trace_ends(reader);
	if (c == NO_MORE)
		return trace_ends_early(reader);
	unsigned long line = reader->line;

	if (c != '{')
		return trace_is_broken(reader, line, "an event is not a JSON object");
	bool is_whole = value_cut(reader, c);

	if (value_is_too_large(reader) && !reader->failed)
		return trace_is_broken(reader, line,
				       "an event of more than 16 MB, as no trace has");
	if (!is_whole)
		return trace_ends_in_event(reader, line);

	json_error_t error;

	*event = value_parse(reader, line, &error);
	if (!*event)
		return trace_is_broken(reader,
				       line + (unsigned long)(error.line > 0 ? error.line - 1 : 0),
				       error.text);
	reader->event_line = line;
	reader->events++;
	return TRACE_EVENT;
}

/*
 * White space, a comma, and an event that is plain, all within what is there of the file. *at moves
 * behind it.
 */
static enum plain_state plain_take(struct trace_reader *reader, struct plain_event *event)
{
	char *at = (char *)reader->at;
	unsigned long line = reader->line, commas = 0;

	for (; (unsigned char)*at <= ',' && strchr(" \t\r\n,", *at) && *at; at++) {
		line += *at == '\n';
		commas += *at == ',';
	}
	if (*at != '{' || commas > 1)
		return at == (char *)reader->end ? PLAIN_SHORT : PLAIN_UNUSUAL;
	unsigned long lines = line;
	enum plain_state state = plain_event_take(&at, (char *)reader->end, event, &lines);

	if (state != PLAIN_TAKEN)
		return state;
	if (event->phase == 'M' || !event->phase || !event->has_process || !event->has_thread)
		return PLAIN_UNUSUAL;
	reader->at = (unsigned char *)at;
	reader->line = lines;
	reader->event_line = line;
	reader->events++;
	return PLAIN_TAKEN;
}

bool trace_next_plain(struct trace_reader *reader, struct plain_event *event)
{
	if (!reader->in_events)
		return false;
	for (;;) {
		enum plain_state state = plain_take(reader, event);
		size_t left = (size_t)(reader->end - reader->at);

		if (state != PLAIN_SHORT || left > BLOCK_CARRY || !block_fill(reader, left))
			return state == PLAIN_TAKEN;
	}
}

struct trace_reader *trace_open(const char *path)
{
	struct trace_reader *reader = need(calloc(1, sizeof(*reader)));

	reader->path = path;
	reader->line = 1;
	int descriptor = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;

	if (descriptor < 0) {
		say("%s: cannot open: %s; give the path of a trace file", path, strerror(errno));
		free(reader);
		return NULL;
	}
	block_reader_start(&reader->blocks, descriptor, path_shown(reader));
	if (block_fill(reader, 0)) {
		for (;
		     reader->nfirst < TRACE_KIND_BYTES && reader->at + reader->nfirst < reader->end;
		     reader->nfirst++)
			reader->first[reader->nfirst] = reader->at[reader->nfirst];
		reader->other = trace_kind_other(reader->at, (size_t)(reader->end - reader->at));
	}
	return reader;
}

void trace_close(struct trace_reader *reader)
{
	block_reader_end(&reader->blocks);
	numbers_free(&reader->further);
	free(reader->text);
	free(reader);
}

/* ---- further lanes of threads ---- */

static uint64_t further_key(uint32_t process, uint32_t tid)
{
	return (uint64_t)process << 32 | tid;
}

static bool lane_of_event(const json_t *event, uint32_t *process, uint32_t *tid)
{
	double pid = json_number_value(json_object_get(event, "pid")),
	       number = json_number_value(json_object_get(event, "tid"));

	*process = pid > 0 && pid <= UINT32_MAX ? (uint32_t)pid : 0;
	*tid = number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
	return *process && *tid;
}

/* Whether the event names a further lane, which is kept in mind then. */
static bool further_lane(struct trace_reader *reader, const json_t *event)
{
	const char *phase = json_string_value(json_object_get(event, "ph"));
	const json_t *of =
		phase && !strcmp(phase, "M")
			? json_object_get(json_object_get(event, "args"), TL_FURTHER_THREAD)
			: NULL;
	uint32_t process, tid;

	if (!json_is_number(of) || !lane_of_event(event, &process, &tid) ||
	    !tl_further_is_lane(tid) || tl_further_thread(tid) != json_number_value(of))
		return false;
	numbers_add(&reader->further, further_key(process, tid));
	return true;
}

/* The thread that such a lane is of. Others stay. */
static uint32_t further_thread(const struct trace_reader *reader, uint32_t process, uint32_t tid)
{
	return tl_further_is_lane(tid) && numbers_find(&reader->further,
						       further_key(process, tid)) != NO_NUMBER
		       ? tl_further_thread(tid)
		       : tid;
}

static void further_put_thread(const struct trace_reader *reader, json_t *event)
{
	uint32_t process, tid;

	if (reader->further.count && lane_of_event(event, &process, &tid) &&
	    further_thread(reader, process, tid) != tid)
		json_object_set_new(event, "tid",
				    json_integer(further_thread(reader, process, tid)));
}

/* ---- all events ---- */

static bool parsed_visit(struct trace_reader *reader, enum trace_state *state,
			 const struct trace_visitor *visitor, void *user)
{
	json_t *event;

	*state = trace_next(reader, &event);
	if (*state != TRACE_EVENT)
		return false;
	bool goes_on = true;

	event_show_name(event);
	if (visitor->further_lanes) {
		goes_on = visitor->parsed(user, event);
	} else if (!further_lane(reader, event)) {
		further_put_thread(reader, event);
		goes_on = visitor->parsed(user, event);
	}

	json_decref(event);
	return goes_on;
}

static bool plain_visit(struct trace_reader *reader, struct plain_event *event)
{
	if (reader->further.count && !reader->visitor->further_lanes)
		event->thread = further_thread(reader, event->process, event->thread);
	plain_event_show_name(event, &reader->near);
	return reader->visitor->plain(reader->user, event);
}

/* A file of another format. False: it is none. */
static bool trace_walk_other(struct trace_reader *reader, const struct trace_visitor *visitor,
			     void *user, int *code)
{
	if (trace_kind_is_perfetto(reader->first, reader->nfirst))
		*code = pftrace_walk(&reader->blocks, reader->at, reader->end, visitor, user);
	else if (trace_kind_is_sqlite(reader->first, reader->nfirst))
		*code = sqlite_walk(&reader->blocks, reader->at, reader->end, visitor, user);
	else
		return false;
	return true;
}

int trace_walk(const char *path, const struct trace_visitor *visitor, void *user)
{
	struct trace_reader *reader = trace_open(path);
	enum trace_state state = TRACE_EVENT;
	struct plain_event plain;
	bool goes_on = true;
	int code;

	if (!reader)
		return EXIT_BROKEN;
	if (trace_walk_other(reader, visitor, user, &code)) {
		trace_close(reader);
		return code;
	}
	reader->visitor = visitor;
	reader->user = user;
	while (goes_on)
		goes_on = visitor->plain && trace_next_plain(reader, &plain)
				  ? plain_visit(reader, &plain)
				  : parsed_visit(reader, &state, visitor, user);
	trace_close(reader);
	return state == TRACE_END	   ? EXIT_DONE
	       : state == TRACE_INCOMPLETE ? EXIT_INCOMPLETE
					   : EXIT_BROKEN;
}

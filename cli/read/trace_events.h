/* SPDX-License-Identifier: MIT */
/*
 * trace_events.h: the events of a trace in Chrome's JSON, plain or compressed, or in the record
 * format (.tlt). Records become the events that they would be in JSON.
 */
#ifndef TL_CLI_READ_TRACE_EVENTS_H
#define TL_CLI_READ_TRACE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/read/json.h"
#include "cli/read/plain_event.h"

/* What a file in the record format has about the whole trace; in JSON these are events. */
struct trace_totals {
	unsigned long long bytes; /* of events that are not calls */
	unsigned long long lost;
};

/*
 * Calls back with each event, in the file's order. The callback does not own the event. "-" reads
 * standard input, as JSON. Errors are printed on stderr; `where` names what has the other events
 * ("the table"). Returns an exit code: EXIT_DONE, EXIT_BROKEN, or, if only some of the events were
 * sound, EXIT_INCOMPLETE.
 */
int trace_events(const char *path, const char *where, void (*each)(void *user, const json_t *event),
		 void *user, struct trace_totals *totals);

struct tl_trace;

/* What a caller wants of a trace. Functions may be NULL, apart from .each. */
struct trace_listener {
	void (*each)(void *user, const json_t *event);
	/*
	 * For callers that read the text of events themselves, which is several times as fast. For
	 * each record of a .tlt file, it gets its events as JSON, an array; if it returns false,
	 * .each gets them. The text ends with a NUL byte, and plain_event_take may read it; it is
	 * as before when the callback returns false.
	 */
	bool (*text)(void *user, char *text, size_t size);
	/*
	 * Whom the "sf" of events stand for: each member of "stackFrames", before or after the
	 * events;
	 */
	void (*frame)(void *user, const char *id, const json_t *frame);
	/* or, at the end, the .tlt file whose stacks have these numbers. */
	void (*stacks)(void *user, const struct tl_trace *trace);
	bool further_lanes; /* see struct trace_visitor */
};

/* The same for callers that want more than events. */
int trace_listen(const char *path, const char *where, const struct trace_listener *listener,
		 void *user, struct trace_totals *totals);

/*
 * For .text: the event, if the text has one alone, which is a slice (X) of a thread, in the form
 * that most calls have. Texts of the event are used up: plain_text_end changes the text.
 */
bool trace_text_plain(char *text, size_t size, struct plain_event *event);

/* For .text: calls back with each event of a text. */
void trace_text_parse(const char *text, size_t size, void (*each)(void *user, const json_t *event),
		      void *user);

/* The number of a process or thread, as text: other tools give them strings, too. */
void trace_number_print(char *to, size_t room, const json_t *number);

/*
 * Opens a file in the record format, and calls back with what it says of its process, threads and
 * lanes, as the metadata events that stand first in JSON. EXIT_DONE, or EXIT_BROKEN after a message.
 */
int trace_metadata_read(const char *path, void (*each)(void *user, const json_t *event),
			void *user);

#endif

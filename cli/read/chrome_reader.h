/* SPDX-License-Identifier: MIT */
/*
 * chrome_reader.h: the events of a Chrome trace, one after another; trace_walk also reads files of
 * the other formats that tracelayer writes, apart from .tlt.
 *
 * Reads traces of tracelayer and of other tools: an array of events or an object with
 * "traceEvents", with one event on a line or not, plain or gzip-compressed, whole or cut short.
 * Only one event is in memory at a time.
 */
#ifndef TL_CLI_READ_CHROME_READER_H
#define TL_CLI_READ_CHROME_READER_H

#include <stdbool.h>

#include "cli/read/json.h"
#include "cli/read/plain_event.h"

enum trace_state {
	TRACE_EVENT,	  /* an event was read */
	TRACE_END,	  /* the trace's proper end */
	TRACE_INCOMPLETE, /* the file ends early; all events before that were given. Said on stderr.
			   */
	TRACE_BROKEN,	  /* cannot be read, or is no trace; a message said so */
};

struct trace_reader;

/* "-" reads standard input. NULL, after a message, if the file cannot be opened. */
struct trace_reader *trace_open(const char *path);
void trace_close(struct trace_reader *reader);

/* The next event, which the caller owns. After anything but TRACE_EVENT there is nothing more to
 * read. */
enum trace_state trace_next(struct trace_reader *reader, json_t **event);

/*
 * The same for an event that is plain; far quicker. False: nothing was read, and trace_next tells what
 * is there. Texts are valid until the next call; metadata events (M) are not plain.
 */
bool trace_next_plain(struct trace_reader *reader, struct plain_event *event);

/* What takes the events of a file. False: reading ends. */
struct trace_visitor {
	bool (*plain)(void *user,
		      struct plain_event *event);	 /* NULL: no event is read as a plain one */
	bool (*parsed)(void *user, const json_t *event); /* all others; not the visitor's */
	/*
	 * A member of "stackFrames", which may stand before the events or behind them. NULL: not
	 * wanted.
	 */
	void (*frame)(void *user, const char *id, const json_t *frame);
	/*
	 * Calls of a thread that overlap are on further lanes of it, as viewers draw them
	 * (format/encode/further_lanes.h); otherwise all are on the thread.
	 */
	bool further_lanes;
};

/*
 * Goes through all events of a file. An exit code, after a message: EXIT_DONE, EXIT_INCOMPLETE or
 * EXIT_BROKEN; the last one also where the visitor ended it.
 */
int trace_walk(const char *path, const struct trace_visitor *visitor, void *user);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * trace_events.h: the events of a trace, whichever of our formats it has: Chrome's JSON, plain or
 * compressed, or records (.tlt), which become the events that they would be in JSON.
 */
#ifndef TL_CLI_READ_TRACE_EVENTS_H
#define TL_CLI_READ_TRACE_EVENTS_H

#include <jansson.h>

/* What a file in the record format says of the whole; in JSON these are events. */
struct trace_totals {
	unsigned long long bytes; /* that events took which are no calls */
	unsigned long long lost;
};

/*
 * Calls back with each event, in the file's order; it stays the caller's. "-" reads standard input,
 * as JSON. What is wrong is said on stderr; `where` has the rest ("the table"). Returns an exit
 * code: EXIT_DONE, EXIT_BROKEN, or EXIT_INCOMPLETE, where all events that are sound were given.
 */
int trace_events(const char *path, const char *where, void (*each)(void *user, const json_t *event),
		 void *user, struct trace_totals *totals);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * trace_events.h: the events of a trace, whichever of our formats it has: Chrome's JSON, plain or
 * compressed, or records (.tlt), which become the events that they would be in JSON.
 */
#ifndef TL_CLI_READ_TRACE_EVENTS_H
#define TL_CLI_READ_TRACE_EVENTS_H

#include <jansson.h>

/* What a file in the record format has about the whole trace; in JSON these are events. */
struct trace_totals {
	unsigned long long bytes; /* of events that are not calls */
	unsigned long long lost;
};

/*
 * Calls back with each event, in the file's order; it stays the caller's. "-" reads standard input,
 * as JSON. Errors are printed on stderr; `where` names what has the other events ("the table").
 * Returns an exit code: EXIT_DONE, EXIT_BROKEN, or, if only the sound events were given,
 * EXIT_INCOMPLETE.
 */
int trace_events(const char *path, const char *where, void (*each)(void *user, const json_t *event),
		 void *user, struct trace_totals *totals);

#endif

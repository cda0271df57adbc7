/* SPDX-License-Identifier: MIT */
/*
 * event_filter.h: the events of trace files that the user selects, for commands that go through events
 * one by one.
 *
 *	filter = event_filter_new(&selection, paths, count);
 *	for (i = 0; i < count; i++)
 *		code = event_filter_read(filter, i, "the page", &listener, user, &totals);
 *	event_filter_free(filter);
 *
 * Files are read twice: the names of threads and queues, and when the trace began, have to be known
 * first. Memory grows with the slices that are selected, because an arrow is selected if both of its
 * ends are on such slices. Arrows, and marks that do not end, come after the file's other events.
 */
#ifndef TL_CLI_READ_EVENT_FILTER_H
#define TL_CLI_READ_EVENT_FILTER_H

#include <stddef.h>

#include "cli/read/json.h"
#include "cli/read/selection.h"
#include "cli/read/trace_events.h"

struct event_filter;

/*
 * The selection may change: its time is found (selection_time.h). *code, if it returns NULL, is an
 * exit code after a message. Paths are copied; "-" is read into a temporary file.
 */
struct event_filter *event_filter_new(struct selection *selection, const char *const *paths,
				      size_t count, int *code);

/*
 * Calls back with what is selected of a file, and with all frames of stacks. An exit code, as
 * trace_listen.
 */
int event_filter_read(struct event_filter *filter, size_t file, const char *where,
		      const struct trace_listener *listener, void *user,
		      struct trace_totals *totals);

void event_filter_free(struct event_filter *filter);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * slices.h: what the threads of a trace did, as slices that lie within each other.
 *
 * The whole trace is read first, because a file has a slice at the time of its end, thread by
 * thread. Then they become rows, of all threads in the order of time.
 */
#ifndef TL_CLI_SYSTRACE_SLICES_H
#define TL_CLI_SYSTRACE_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/basics/basics.h"
#include "cli/read/read.h"

#define SLICE_OPEN INT64_MAX /* as an end: the slice was open when its process ended */

struct slice {
	int64_t start, end;    /* ns */
	uint32_t thread, name; /* numbers */
	uint32_t order;	       /* its number in the file, in the order of ends */
	/* of a driver call (cli/systrace/nn_names.h); NN_LAYER_NONE: it has none */
	uint16_t nn_layer, nn_phase;
	bool is_mark;	 /* the name is a mark of layer and phase */
	bool holds_mark; /* a mark lies in it */
};

/* While the file is read: the slices that have begun and not ended. */
struct slice_begun {
	int64_t start;
	uint32_t name;
};

struct slice_thread {
	uint64_t pid, tid;
	char *name; /* NULL: none */
	struct slice_begun *begun;
	size_t depth, room;
	size_t first, last; /* its slices are [first, last), once they are in order */
};

struct slices {
	struct slice *list;
	size_t count, room;
	struct slice_thread *threads;
	uint32_t nthreads;
	struct names names, thread_keys;
	char *process; /* its name; NULL: unknown */
	size_t stray;  /* ends without a beginning */
	bool any_mark;
};

/*
 * The slice, which is later in order, lies within these times of an earlier one. A slice that only
 * begins there counts as ending there, too.
 */
static inline bool slice_is_in(const struct slice *slice, int64_t start, int64_t end)
{
	return slice->start < end || (slice->start == start && slice->end <= end);
}

/* Adds an event of the trace. */
void slices_event(struct slices *slices, const json_t *event);

/* Call it when all events are added. It orders slices by thread and start, outer ones first. */
void slices_arrange(struct slices *slices);

/* Adds a slice around all others of the thread. Call it before slices_arrange. */
void slices_add_around(struct slices *slices, uint32_t thread, const char *name, int64_t start,
		       int64_t end);

void slices_free(struct slices *slices);

#endif

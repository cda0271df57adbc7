/* SPDX-License-Identifier: MIT */
/*
 * table_changes.h: how the functions' tables of callbacks are replaced, and freed once no call uses
 * them. Everything here is called under the tracers' lock (tracers.c).
 */
#ifndef TL_LAYER_CALLS_TABLE_CHANGES_H
#define TL_LAYER_CALLS_TABLE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracelayer/shim.h"
#include "tracelayer/tracer.h"

struct tl_dispatch;

/* The callbacks that a tracer has on one function. */
struct tl_registered {
	struct tl_shim *shim;
	tl_callback callback[2]; /* by enum tl_phase */
	bool generic[2];
};

enum tl_tracer_life {
	TL_TRACER_IS_FREE,
	TL_TRACER_IS_DISABLED,
	TL_TRACER_IS_ENABLED,
	TL_TRACER_IS_ENDING
};

struct tl_tracer_state {
	uint64_t generation;
	enum tl_tracer_life life;
	void *user_data;
	unsigned levels;
	bool of_tool;
	bool gated;    /* its callbacks run only while the gate is open */
	uint64_t turn; /* number of its last enabling: tables are in this order */
	struct tl_registered *registered; /* ascending by shim */
	size_t count, room;
};

/* The tracer's callbacks on a function; NULL: it has none. */
struct tl_registered *tl_tracer_find_registered(const struct tl_tracer_state *tracer,
						const struct tl_shim *shim);

/* Once, before the first table: registers with membarrier. */
void tl_dispatch_start_barriers(void);

/* Every running thread executes a full barrier before this returns. */
void tl_dispatch_barrier(void);

/*
 * Put the tracer into the tables of all functions that it has callbacks for, or take it out.
 * TL_TRACER_NO_MEMORY: no table has changed.
 */
int tl_dispatch_change(struct tl_tracer *handle, const struct tl_tracer_state *tracer, bool in);

/* Free tables that are retired and not pinned. After tl_dispatch_barrier. */
void tl_dispatch_reclaim(void);

/*
 * Whether this is a retired table with the tracer. A pointer that is not in the list of retired
 * tables is not followed, since the table may have been freed.
 */
bool tl_dispatch_is_retired_with(const struct tl_dispatch *pinned, const struct tl_tracer *handle);

#endif

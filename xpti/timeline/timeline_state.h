/* SPDX-License-Identifier: MIT */
/*
 * timeline_state.h: all state that the library's files share, in one piece of memory.
 *
 * The memory is zero at first, and a forked child finds it zero again, however it was forked. Zero
 * is the initial state of everything. So a child has nothing of its parent: neither open entries
 * nor numbers of strings and lanes, which are different in the child.
 */
#ifndef TL_XPTI_TIMELINE_TIMELINE_STATE_H
#define TL_XPTI_TIMELINE_TIMELINE_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "layer/program/xpti_events.h"
#include "tracelayer/api.h"
#include "tracelayer/xpti.h"
#include "xpti/timeline/timeline_edges.h"
#include "xpti/timeline/timeline_lanes.h"

#define TIMELINE_LEVEL TL_LEVEL_RUNTIME

enum { TIMELINE_TYPES = 128 }; /* types that are not user defined */

/* The keys of arguments. */
enum timeline_key {
	TIMELINE_KEY_source,
	TIMELINE_KEY_id,
	TIMELINE_KEY_instance,
	TIMELINE_KEY_parent,
	TIMELINE_KEY_type,
	TIMELINE_KEY_bytes,
	TIMELINE_KEY_address,
	TIMELINE_KEY_from,
	TIMELINE_KEY_to,
	TIMELINE_KEY_from_id,
	TIMELINE_KEY_to_id,
	TIMELINE_KEY_message,
	TIMELINE_KEY_unfinished,
	TIMELINE_KEY_unmatched,
	TIMELINE_KEY_duration_ns,
	TIMELINE_KEY_result,
	TIMELINE_KEYS
};

struct timeline_thread;
struct timeline {
	_Atomic(struct timeline_thread *) threads; /* all threads that there ever were */
	pthread_mutex_t lock;			   /* protects that list */
	uint32_t thread_count;
	_Atomic uint32_t keys[TIMELINE_KEYS];
	_Atomic uint32_t submits; /* the number of an arrow's name; 0: not known yet */
	/* numbers of the types' words; the last is for all user-defined types; 0: not known yet */
	_Atomic uint32_t words[TIMELINE_TYPES + 1], categories[TIMELINE_TYPES + 1];
	_Atomic uint64_t ends[65536 / 64]; /* a bit for each type that has ended something */
	struct timeline_lanes lanes[256];
	struct timeline_edges edges;
};

extern struct timeline *timeline;

/* Memory that is zero, and zero again in a forked child. NULL: memory is short. */
void *timeline_memory(size_t size);

/* The number of a string that is asked for often; *kept is a place of struct timeline. */
uint32_t timeline_keep_number(_Atomic uint32_t *kept, const char *text);

static inline uint32_t timeline_kept_number(_Atomic uint32_t *kept, const char *text)
{
	uint32_t number = atomic_load_explicit(kept, memory_order_relaxed);

	return TL_LIKELY(number) ? number : timeline_keep_number(kept, text);
}

/* A stream's name; "?" where it is not known. A forked child knows the names, too. */
const char *timeline_stream_name(uint8_t stream);
void timeline_stream_set_name(uint8_t stream, const char *name);

#endif

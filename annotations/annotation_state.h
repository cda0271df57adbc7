/* SPDX-License-Identifier: MIT */
/*
 * annotation_state.h: the state that all files of the library share, and memory.
 *
 * The state is zero at first, and a forked child finds it zero again, however it was forked. So a
 * child has nothing of its parent: neither open ranges nor numbers of strings and lanes, which are
 * different in the child. Domains and registered strings stay: the program holds pointers to them.
 */
#ifndef TL_ANNOTATIONS_ANNOTATION_STATE_H
#define TL_ANNOTATIONS_ANNOTATION_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layer/program/xpti_events.h"
#include "tracelayer/api.h"

#define ANNOTATION_LEVEL TL_LEVEL_RUNTIME

/* The interfaces; also the order of their lanes. */
enum annotation_api { ANNOTATION_NVTX, ANNOTATION_ITT, ANNOTATION_ROCTX, ANNOTATION_APIS };

/* The keys of arguments. */
enum annotation_key {
	ANNOTATION_KEY_color,
	ANNOTATION_KEY_category,
	ANNOTATION_KEY_payload,
	ANNOTATION_KEY_unfinished,
	ANNOTATION_KEY_thread,
	ANNOTATION_KEY_name,
	ANNOTATION_KEY_value,
	ANNOTATION_KEY_id,
	ANNOTATION_KEY_parent,
	ANNOTATION_KEY_scope,
	ANNOTATION_KEY_metadata,
	ANNOTATION_KEY_duration_ns,
	ANNOTATION_KEYS
};

struct annotation_thread;
struct annotation_started;
struct annotations {
	_Atomic uint32_t generation; /* of the process; 0: not known yet */
	_Atomic bool over;	     /* the process ends: all that was open is recorded */
	pthread_mutex_t lock;	     /* protects the list of threads */
	_Atomic(struct annotation_thread *) threads; /* all that there ever were */
	uint32_t thread_count;
	_Atomic uint32_t keys[ANNOTATION_KEYS];
	_Atomic uint32_t categories[ANNOTATION_APIS];
	pthread_mutex_t started_lock;	    /* protects what is started and not ended */
	struct annotation_started *started; /* NULL: nothing was started yet */
};

/* NULL: memory was short when the library was loaded. */
extern struct annotations *annotations;

/* Memory that is zero, and zero again in a forked child. NULL: memory is short. */
void *annotation_memory(size_t size);
/* Memory for good, which a forked child has, too. NULL: memory is short. */
void *annotation_keep(size_t size);
/* A copy of a text, for good. NULL: memory is short. */
const char *annotation_keep_text(const char *text, size_t size);

/* A number of this process among all that have this memory. */
uint32_t annotation_generation_find(void);
static inline uint32_t annotation_generation(void)
{
	uint32_t known = atomic_load_explicit(&annotations->generation, memory_order_relaxed);

	return TL_LIKELY(known) ? known : annotation_generation_find();
}

/* The number of a string that is asked for often; *kept is a place of struct annotations. */
uint32_t annotation_number_find(_Atomic uint32_t *kept, const char *text);
static inline uint32_t annotation_number(_Atomic uint32_t *kept, const char *text)
{
	uint32_t number = atomic_load_explicit(kept, memory_order_relaxed);

	return TL_LIKELY(number) ? number : annotation_number_find(kept, text);
}
#define ANNOTATION_KEY(key) annotation_number(&annotations->keys[ANNOTATION_KEY_##key], #key)

const char *annotation_api_name(enum annotation_api api);
/* The category of an interface's events: "annotation,nvtx". */
uint32_t annotation_category(enum annotation_api api);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * timeline_state.c: the shared state, and the names of streams.
 */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "xpti/timeline/timeline_state.h"

struct timeline *timeline;

static char *stream_names[256];
/* Protects the names while a thread stores one. */
static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;

void *timeline_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	madvise(memory, size, MADV_WIPEONFORK);
	return memory;
}

uint32_t timeline_keep_number(_Atomic uint32_t *kept, const char *text)
{
	uint32_t number = tl_guest_number(text, strlen(text));

	atomic_store_explicit(kept, number, memory_order_relaxed);
	return number;
}

const char *timeline_stream_name(uint8_t stream)
{
	return stream_names[stream] ? stream_names[stream] : "?";
}

void timeline_stream_set_name(uint8_t stream, const char *name)
{
	pthread_mutex_lock(&names_lock);
	if (!stream_names[stream])
		stream_names[stream] = strdup(name);
	pthread_mutex_unlock(&names_lock);
}

/* SPDX-License-Identifier: MIT */
/*
 * upcalls.h: functions of the rooms above that the buffers need: waking the writer, and the facts
 * of the process.
 *
 * layer/process gives these functions when the library starts, before any thread records. Until
 * then the buffers have functions that do nothing.
 */
#ifndef TL_LAYER_BUFFERS_UPCALLS_H
#define TL_LAYER_BUFFERS_UPCALLS_H

#include <stdbool.h>

struct tl_facts;

/* Each is async-signal-safe, keeps errno, and may be called in any thread. */
struct tl_buffer_upcalls {
	/* A chunk was handed over: start the writer if there is none. */
	bool (*wake_writer)(void);
	/* No chunk is free: write some of what is queued. False: nothing was written. */
	bool (*help_writer)(void);
	/* Whether there is a request for the writer. Then it must not go to sleep. */
	bool (*is_writer_asked)(void);
	/* What a buffers file says of this process. The memory is zero. One thread at a time. */
	void (*fill_facts)(struct tl_facts *facts);
};

/* Set once, by tl_buffer_give_upcalls; never NULL. */
extern const struct tl_buffer_upcalls *tl_buffer_upcalls;

/* Once, before any thread records. *upcalls stays. */
void tl_buffer_give_upcalls(const struct tl_buffer_upcalls *upcalls);

#endif

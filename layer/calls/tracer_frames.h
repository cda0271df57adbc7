/* SPDX-License-Identifier: MIT */
/*
 * tracer_frames.h: the frames, where each open call keeps what its tracers need, and the pins in
 * them. Calls write their own thread's frames; who changes tables scans the pins of all.
 */
#ifndef TL_LAYER_CALLS_TRACER_FRAMES_H
#define TL_LAYER_CALLS_TRACER_FRAMES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracelayer/shim.h"
#include "tracelayer/tracer.h"

struct tl_dispatch;

#define TL_FRAME_WORDS 24 /* parameters of one call that are kept in case of a longjmp */

/* tracers on one function whose instance data lie in the frame itself */
#define TL_FRAME_INSTANCES 64

/*
 * One open call's tracing. A thread has an array of these beside its stack of open calls; only its
 * own thread writes them.
 */
struct tl_frame {
	/* the table in use; NULL: none. Read by writers' scans */
	_Atomic(struct tl_dispatch *) pin;
	struct tl_shim *shim;
	const void *caller;
	uint32_t begun;	     /* entries [0, begun) have been begun */
	uint32_t ended;	     /* entries [0, ended) have been ended */
	uint32_t flags;	     /* enum tl_view_flag */
	uint32_t depth;	     /* its index in the block */
	uint64_t start, end; /* ticks; what the epilogues' views say */
	uint64_t skipped[2]; /* the result that a prologue gave in the driver's place */
	void *instance[TL_FRAME_INSTANCES]; /* of the table's entries, in order */
	/* the same where a table has more; memory of the frame's own, for later calls too */
	void **more;
	uint32_t room; /* of .more */
	uint64_t words[TL_FRAME_WORDS];
};

/* A thread's frames, depth of them; linked for the scans, recycled, never freed. */
struct tl_frames {
	_Atomic(struct tl_frames *) next; /* all blocks there are */
	_Atomic bool taken;
	_Atomic pthread_t owner;
	_Atomic uint32_t used; /* frames [0, used) may hold pins */
	uint32_t count;
	struct tl_frame frames[];
};

/*
 * A block for the calling thread; NULL where memory is short: its calls are then not traced.
 * Async-signal-safe.
 */
struct tl_frames *tl_tracer_frames(uint32_t count);
/* The thread has ended; no frame of it is in use. */
void tl_tracer_frames_give_back(struct tl_frames *frames);

/* The frame of a block's open call number `index`. */
static inline struct tl_frame *tl_frame_at(struct tl_frames *block, uint32_t index)
{
	/*
	 * Release, like the give-back's: a scan that goes by it, and doesn't look at further
	 * frames, is told that these are done with.
	 */
	if (index >= atomic_load_explicit(&block->used, memory_order_relaxed))
		atomic_store_explicit(&block->used, index + 1, memory_order_release);
	return &block->frames[index];
}

/* The frame has a call whose epilogues are owed. */
static inline bool tl_frame_in_use(const struct tl_frame *frame)
{
	return atomic_load_explicit(&frame->pin, memory_order_relaxed) != NULL;
}

/* The thread that has the block is another now. */
static inline void tl_frames_own(struct tl_frames *block)
{
	atomic_store_explicit(&block->owner, pthread_self(), memory_order_relaxed);
}

/* --- the scans, under the tracers' lock, after tl_dispatch_barrier */

/*
 * The pins of all threads, sorted. A pin is compared, never followed: a caller that is about to
 * start over may still hold the address of a table that has been freed.
 */
struct tl_pins {
	uintptr_t *at;
	size_t count, room;
};

/* False: memory is short. Then everything counts as pinned. */
bool tl_pins_collect(struct tl_pins *pins);
bool tl_pins_have(const struct tl_pins *pins, const struct tl_dispatch *table);

/*
 * Some call has pinned a table with this tracer, which is in no published table any more. Takes no
 * memory: destroy must neither fail nor wait for something else.
 */
bool tl_frames_pin_retired(const struct tl_tracer *handle);

/* A call of the calling thread's has pinned a table with this tracer. */
bool tl_frames_own_pin(const struct tl_tracer *handle);

/* In a forked child: the frames of other threads are free. */
void tl_frames_after_fork_child(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * tracer_frames.h: the frames, where each open call keeps what its tracers need, and the pins in
 * them. Calls write their own thread's frames; a thread that changes tables scans the pins of all.
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

#define TL_FRAME_WORDS 24 /* words of a call's parameters that are kept in case of a longjmp */

/* tracers of one function whose instance data fit into the frame itself */
#define TL_FRAME_INSTANCES 64

/*
 * What tracers keep of one open call. A thread has an array of these beside its stack of open
 * calls; only the thread itself writes them.
 */
struct tl_frame {
	/* the table in use; NULL: none. Scans read it. */
	_Atomic(struct tl_dispatch *) pin;
	const void *caller;
	uint32_t begun;	     /* entries [0, begun) have been begun */
	uint32_t ended;	     /* entries [0, ended) have been ended */
	uint32_t flags;	     /* enum tl_view_flag */
	uint32_t depth;	     /* the frame's index in the block */
	uint64_t start, end; /* ticks, for the epilogues' views */
	uint64_t skipped[2]; /* the result that a prologue gave instead of the driver */
	void *instance[TL_FRAME_INSTANCES]; /* of the table's entries, in order */
	/* the same if a table has more; the frame's own memory, which later calls use, too */
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
 * A block for the calling thread. NULL: memory is short, and the thread's calls are not traced.
 * Async-signal-safe.
 */
struct tl_frames *tl_tracer_frames(uint32_t count);
/* The thread has ended; no frame of it is in use. */
void tl_tracer_frames_give_back(struct tl_frames *frames);

/* The frame of a block's open call number `index`. */
static inline struct tl_frame *tl_frame_at(struct tl_frames *block, uint32_t index)
{
	/*
	 * Release, as in tl_tracer_frames_give_back: pairs with the scans' acquire loads. A scan
	 * that reads this count skips the frames behind it, whose calls are over.
	 */
	if (index >= atomic_load_explicit(&block->used, memory_order_relaxed))
		atomic_store_explicit(&block->used, index + 1, memory_order_release);
	return &block->frames[index];
}

/* The frame belongs to a call whose epilogues have not run. */
static inline bool tl_frame_in_use(const struct tl_frame *frame)
{
	return atomic_load_explicit(&frame->pin, memory_order_relaxed) != NULL;
}

/* Another thread has the block now. */
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

/* False: memory is short. Then every table counts as pinned. */
bool tl_pins_collect(struct tl_pins *pins);
bool tl_pins_have(const struct tl_pins *pins, const struct tl_dispatch *table);

/*
 * Whether a call has pinned a retired table with this tracer. Takes no memory: destroy must neither
 * fail nor wait for something else.
 */
bool tl_frames_pin_retired(const struct tl_tracer *handle);

/* Whether a call of the calling thread has pinned a table with this tracer. */
bool tl_frames_own_pin(const struct tl_tracer *handle);

/* In a forked child: the frames of other threads are free. */
void tl_frames_after_fork_child(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * tracers.h: what the call path (slow_path.c) and the other interfaces need of tracers; the public
 * side is tracelayer/tracer.h.
 */
#ifndef TL_LAYER_CALLS_TRACERS_H
#define TL_LAYER_CALLS_TRACERS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
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
 * A block for the calling thread; NULL where memory is short: its calls are then not traced. Signal
 * safe.
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

/* Prologues of a table that is pinned already. */
void tl_tracer_prologues(struct tl_call *call, struct tl_frame *frame,
			 const struct tl_dispatch *table);
/*
 * Run the prologues of a call. Returns false where nobody has callbacks here any more: the frame is
 * then not in use. After true, or after an exception has left it, exactly one of leave, unwind and
 * abandon must follow. frame->flags tells if the driver is to be skipped.
 */
bool tl_tracer_enter(struct tl_call *call, struct tl_frame *frame);
/*
 * Put the result that a prologue gave where the call's result is, if the driver was skipped.
 * Returns its word.
 */
uint64_t tl_tracer_skipped(struct tl_call *call, struct tl_frame *frame);
/* Run the epilogues; params as given to enter, result the place of the result. */
void tl_tracer_leave(struct tl_call *call, struct tl_frame *frame);
/*
 * The same while an exception or a thread's end unwinds the call; also where a callback itself
 * threw.
 */
void tl_tracer_unwind(struct tl_call *call, struct tl_frame *frame);
/* The same for a call that was left by longjmp: its stack is gone. */
void tl_tracer_abandon(struct tl_frame *frame);

/*
 * For a higher room, once, at the start: ask it of each tracer that is created. True: the calling
 * thread is loading a tool, whose tracer this is (tl_tracer_disable_tools).
 */
void tl_tracer_at_create(bool (*of_tool)(void));

/*
 * fork: before (take the lock), after in the parent, after in the child (the frames of other
 * threads are gone).
 */
void tl_tracer_before_fork(void);
/* In a child whose fork nobody announced: whoever had the lock is not here. */
void tl_tracer_before_unseen_fork(void);
void tl_tracer_after_fork_parent(void);
void tl_tracer_after_fork_child(void);

/*
 * A gate for one kind of tracers, which stays open unless somebody shuts it. The callbacks of a
 * tracer that was put behind it (while disabled) run only while the gate is open; all else is as
 * with other tracers. When the gate opens they come in the order of their enabling, behind all that
 * other tracers have enabled by then. tl_tracer_gate opens or shuts it: it is open where `always`,
 * or while the count isn't 0, which is read under the tracers' lock: of several threads that change
 * the count, the last one here leaves the gate as the count is. TL_TRACER_NO_MEMORY: the gate stays
 * as it was.
 */
int tl_tracer_put_behind_gate(struct tl_tracer *handle);
int tl_tracer_gate(bool always, const _Atomic uint32_t *count);

/* Disable those that tools made while they were loaded. */
void tl_tracer_disable_tools(void);

/* tl_tracer_register, for who has the shim at hand. */
int tl_tracer_register_shim(struct tl_tracer *tracer, struct tl_shim *shim, enum tl_phase phase,
			    tl_callback callback);

#endif

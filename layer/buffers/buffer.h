/* SPDX-License-Identifier: MIT */
/*
 * buffer.h: per-thread event buffers.
 *
 * A thread writes records (format/file/record.h) into its current chunk without a lock, a shared
 * write or a system call. A full chunk goes to the writer by a queue, and the thread takes a free
 * one. Where none is free, the policy decides: grow or drop. With the policy ring the chunk stays
 * with its thread, which later uses it again; only a flush gives it to the writer.
 */
#ifndef TL_LAYER_BUFFERS_BUFFER_H
#define TL_LAYER_BUFFERS_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "format/file/trace_file.h"
#include "tracelayer/shim.h"

/*
 * A thread's first chunk is small, its others are large. A program of few calls should take few pages.
 * So of the process's large chunks, the first ones have the middle size only.
 */
#define TL_CHUNK_SIZE	 TL_CHUNK_MAX
#define TL_CHUNK_MIDDLE	 (64u * 1024)
#define TL_CHUNKS_MIDDLE 4u
#define TL_CHUNK_SMALL	 (16u * 1024)
#define TL_RECORD_MAX	 (12u * 1024) /* bytes; no record is longer */

/*
 * What the runtime knows of a thread beyond what shims touch. Never freed: a new thread takes it
 * when the thread has ended and all that it recorded is written.
 */
struct tl_producer {
	struct tl_thread thread; /* first: tl_self points here */
	uint32_t tid;
	/*
	 * its tid in the output: the kernel's, or another if an earlier lane is shown by that one
	 */
	uint32_t shown;

	int *error; /* its errno */

	/* What calls with a hook need: all of it in one cache line (producers.c asserts it). */
	/* thread.end while not busy: the end of the range in which calls are served inline */
	struct tl_open_call *inline_end;
	char *scratch; /* arguments that the open calls captured when they began */
	uint32_t scratch_used;
	/*
	 * Slots for rooms above this one. Each room casts its slot to a struct of its own, and
	 * asserts that it fits. A slot is zero when the producer is made; a recycled producer has
	 * what the thread before it left there (tl_buffer_begins).
	 */
	_Alignas(8) char opencl_slot[16]; /* layer/device/opencl */
	_Alignas(8) char hook_slot[16];	  /* layer/calls */
	_Alignas(8) char device_slot[8];  /* layer/device */

	/* a number, unique in the process's life: a recycled tid gets a new lane */
	uint32_t lane;
	/* as the kernel has it, read when the thread attaches and again when it ends */
	char name[16];
	_Atomic uint64_t lost; /* events dropped, of all the threads that had this producer */
	/* events of the same threads that newer ones in the ring have overwritten */
	_Atomic uint64_t overwritten;
	struct tl_producer *next; /* in the list of all producers; never changes */

	/* Used by layer/buffers only. */
	/* the part that outlives the process: open calls, and the fields above once more */
	struct tl_thread_piece *piece;
	_Atomic(struct tl_chunk *) current; /* chunk that records go to, or NULL */
	uint32_t generation;		    /* of the process: how many forks led to it */
	uint32_t chunks;		    /* how many it has had so far */
	uint64_t last_limit;		    /* of the chunk before this one */
	_Atomic uint32_t unwritten;	    /* chunks handed over and not yet given back */
	/* link in the list of producers whose thread has ended, or that are new */
	_Atomic uint32_t next_free;
	_Atomic uint32_t ended;
	struct tl_chunk *live; /* the reader's: the current chunk when a flush began */
	/* the reader's: the scan that found this producer waiting for a record to be finished */
	uint32_t blocked;
	/* losses that are in the trace; the ticks of the first loss that is not */
	uint64_t lost_said, lost_since;
	struct tl_chunk *oldest, *newest; /* its ring: sealed chunks, linked by .newer */
	uint64_t ring;			  /* bytes of the chunks in the ring */
	/*
	 * the reader's: a flush takes what this lane has sealed below this number, see ring_flush.c
	 */
	uint32_t snapshot, snapshot_lane;
	/* the reader's: the last chunk that a flush took, and its lane; 0: none */
	uint32_t flushed, flushed_lane;
	uint64_t flushed_overwritten; /* the reader's: .overwritten when a flush took that chunk */

	struct tl_open_call *open_end;	/* end of the stack of open calls */
	_Alignas(8) char call_slot[72]; /* layer/calls: a slot like those above */
	/* calls to record that found the stack of open calls full and have not returned */
	_Atomic uint64_t unentered;
	_Alignas(8) char stack_slot[16]; /* layer/calls: another such slot */
	/* calls whose stacks there was no room for, of all threads that had this producer */
	_Atomic uint64_t stackless;
};

/*
 * A chunk, or a part of one, that the writer gets: finished records lie in [begin, end) without
 * gaps.
 */
struct tl_chunk {
	struct tl_chunk *next;
	struct tl_producer *producer;
	char *begin, *end;

	/* Used by layer/buffers only. */
	struct tl_chunk_piece *piece; /* the part that outlives the process */
	char *memory;		      /* room for records */
	uint64_t room;
	_Atomic(char *) sealed; /* where its records end; NULL until the chunk is sealed */
	_Atomic uint32_t next_free;
	_Atomic uint64_t owner; /* in a ring: see buffer.c */
	struct tl_chunk *all;	/* link in the list of all chunks; never changes */
	struct tl_chunk *newer; /* the producer's: link in its ring */
	/* The reader's: */
	uint64_t seen; /* .owner, when a flush began */
	char *stop;    /* a flush reads up to here */
	char *read;    /* records before this have been read */
	/* an unfinished record that was stepped over */
	char *hole;
	bool handed, listed, taken; /* out of the queue; on the ready list; with the writer */
	/*
	 * In a ring: the records before this chunk's first one were overwritten, and the file does
	 * not say so yet. Whoever writes that clears this.
	 */
	bool gap;
};

/*
 * Called when a thread has got a producer, which another thread may have had before. The room that
 * uses a slot then resets what the new thread must not inherit. NULL until that room begins. Stored
 * once, relaxed: a slot that was never used needs no call, and a slot that was used comes with the
 * producer's own release. Must be async-signal-safe.
 */
extern void (*_Atomic tl_buffer_begins)(struct tl_producer *producer);

/*
 * The calling thread's producer, made on first use. NULL: memory is short, and the thread's events
 * are counted as lost. Async-signal-safe.
 */
struct tl_producer *tl_buffer_attach(void);

/*
 * A number for a lane that is no thread's. *shown becomes the tid that shows the lane in the
 * output.
 */
uint32_t tl_buffer_lane(uint32_t *shown);

/*
 * The calling thread is about to end: hand over what it has recorded. It may still record. Its
 * producer is recycled once the thread is gone.
 */
void tl_buffer_detach(struct tl_producer *producer);

/*
 * Writer: calls back for each chunk on the ready list that has a gap before it, with the range of
 * its finished records that have not been read.
 */
void tl_buffer_gaps(void (*each)(struct tl_producer *producer, const char *from, const char *to));

/*
 * Writer: tl_buffer_take gives the next chunk that was handed over, in order per thread; NULL:
 * there is none. tl_buffer_give_back returns it.
 */
struct tl_chunk *tl_buffer_take(void);
void tl_buffer_give_back(struct tl_chunk *chunk);

/*
 * Writer: makes chunks ahead for producers that have had to make their own of late; none in the
 * second half of the memory. The flight recorder has none made.
 */
void tl_buffer_make_ahead(void);

/*
 * Writer: the records of a chunk that it has, up to `upto`, are in the block with this number
 * (tl_output_piece.block), which is about to be written. If the process dies, recovery takes them
 * from the chunk unless that block counts as written.
 */
void tl_buffer_will_write(struct tl_chunk *chunk, const char *upto, uint64_t block);

/* Writer: that block was not written. Called before its number is used again. */
void tl_buffer_not_written(struct tl_chunk *chunk);

/*
 * Writer: gives a chunk back with records left, from `from` on; tl_buffer_take gives it again. To
 * put back several chunks, begin with the last one.
 */
void tl_buffer_put_back(struct tl_chunk *chunk, const char *from);

/*
 * Writer: calls back for each thread that has recorded calls which the writer has not taken. The
 * writer must have given back all chunks.
 */
void tl_buffer_count(void (*put)(void *context, const struct tl_producer *producer, uint64_t calls),
		     void *context);

/*
 * Writer: true: nothing can be written, so nobody shall wait for a free chunk. False: writing works
 * again.
 */
void tl_buffer_refuse(bool refuse);

/*
 * The calling thread is about to end, and another one takes over its work. Hands its chunk over now, so
 * that what it recorded stands in the trace before what the other one records.
 */
void tl_buffer_hand_over(struct tl_thread *thread);

/*
 * Writer: sleep until there is something to take, or `ms` milliseconds have passed, or
 * tl_buffer_wake was called, also if it was called just before.
 */
void tl_buffer_wait(int ms);
void tl_buffer_wake(void);

/*
 * End of the process, or a flush: make the committed part of every thread's current chunk available
 * to tl_buffer_take. Threads may go on recording.
 */
void tl_buffer_flush(void);

/*
 * tl_buffer_take has not given out all of that yet. Most of what is recorded after tl_buffer_flush
 * comes later, so a flush ends even while threads go on recording.
 */
bool tl_buffer_is_flushing(void);

/*
 * The thread whose stack of open calls an entry lies in. NULL: a thread of the process that this
 * one was forked from.
 */
struct tl_thread *tl_buffer_thread_of(const struct tl_open_call *open);

/* The thread belongs to the process that this one was forked from: its calls end unrecorded. */
bool tl_buffer_is_stale(const struct tl_thread *thread);

/*
 * In a forked child: forget the parent's events and threads. Calls that were open in the parent end
 * unrecorded.
 */
void tl_buffer_after_fork(void);

/*
 * Counts a lost event of a thread that has no producer, for a producer of no thread (.tid 0, .lane
 * 0).
 */
void tl_buffer_lose(void);
/* Counts lost events of the calling thread. */
void tl_buffer_lose_here(struct tl_producer *producer, uint64_t count);
/*
 * A call to record found the stack of open calls full. It is recorded when it returns, by whichever
 * thread. If it has not returned when its thread is over, it is a lost event. tl_buffer_unreturned:
 * all those that have not returned.
 */
void tl_buffer_unentered_begins(struct tl_producer *producer);
void tl_buffer_unentered_returns(struct tl_producer *producer);
void tl_buffer_lose_unentered(struct tl_producer *producer);
uint64_t tl_buffer_unreturned(void);
/* The same of a call that tl_process_is_early_guest keeps nothing of, if this is one; and their number. */
void tl_buffer_lose_early(void);
uint64_t tl_buffer_early(void);

/* For the trace's end: events that newer ones in rings have overwritten. */
uint64_t tl_buffer_overwritten(void);
/* The same: calls whose stacks there was no room for. */
uint64_t tl_buffer_stackless(void);
/*
 * The thread's name as it is now. If the name is changing, the result may be a mix of the old name
 * and the new.
 */
void tl_buffer_name(const struct tl_producer *producer, char name[16]);

/* For the trace's end: every producer there ever was, with its lost count. */
struct tl_producer *tl_buffer_producers(void);

#endif

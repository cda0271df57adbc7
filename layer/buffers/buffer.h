/* SPDX-License-Identifier: MIT */
/*
 * buffer.h: per-thread event buffers.
 *
 * A thread writes records (format/file/record.h) into its current chunk without a lock, a shared
 * write or a system call. A full chunk goes to the writer by a queue, and the thread takes a free
 * one. Where none is free, the policy decides: grow or drop. With the policy ring the chunk stays
 * with its thread, which uses it again after a while; only a flush gives it to the writer.
 */
#ifndef TL_LAYER_BUFFERS_BUFFER_H
#define TL_LAYER_BUFFERS_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "format/file/trace_file.h"
#include "tracelayer/shim.h"

/* of a thread that records much; its first chunk is TL_CHUNK_SMALL */
#define TL_CHUNK_SIZE  TL_CHUNK_MAX
#define TL_CHUNK_SMALL (16u * 1024)
#define TL_RECORD_MAX  (12u * 1024) /* bytes; no record is longer */

/*
 * What the runtime knows of a thread beyond what shims touch. Never freed; recycled when its thread
 * has ended and all is written.
 */
struct tl_producer {
	struct tl_thread thread; /* first: tl_self points here */
	uint32_t tid;
	/* its tid in the output: the kernel's, but where an earlier lane had that */
	uint32_t shown;

	int *error; /* its errno */

	/* What calls with a hook need: all of it in one line of the cache (producers.c asserts it). */
	/* thread.end while not busy: up to where calls are served inline */
	struct tl_open_call *inline_end;
	char *scratch; /* arguments captured at entry of the open calls */
	uint32_t scratch_used;
	/*
	 * Slots for rooms above this one. Each room casts its slot to a struct of its own, and
	 * asserts that it fits. A slot is zero when the producer is made; a recycled producer has
	 * what the thread before it left there (tl_buffer_begins).
	 */
	_Alignas(8) char opencl_slot[16]; /* layer/device/opencl */
	_Alignas(8) char hook_slot[16];	  /* layer/calls */
	_Alignas(8) char device_slot[8];  /* layer/device */

	/* number, unique in the process's life: a recycled tid is another lane */
	uint32_t lane;
	/* as the kernel has it, read at attach and again when it ends */
	char name[16];
	_Atomic uint64_t lost; /* events dropped, of all the threads that had it */
	/* events that made room for newer ones in its ring; likewise */
	_Atomic uint64_t overwritten;
	struct tl_producer *next; /* in the list of all producers; never changes */

	/* The buffer's own. */
	/* what outlives the process: open calls, and the fields above once more */
	struct tl_thread_piece *piece;
	_Atomic(struct tl_chunk *) current; /* chunk that records go to, or NULL */
	uint32_t generation;		    /* of the process, counted by forks */
	uint32_t chunks;		    /* it had so far */
	uint64_t last_limit;		    /* of the chunk before this one */
	_Atomic uint32_t unwritten;	    /* chunks handed over and not yet given back */
	/* in the list of those whose thread has ended, or that are new */
	_Atomic uint32_t next_free;
	_Atomic uint32_t ended;
	struct tl_chunk *live; /* the reader's: its current chunk when a flush began */
	/* the writer's scan that found it waiting for a record to be finished */
	uint32_t blocked;
	/* losses that are in the trace, and since when there are others */
	uint64_t lost_said, lost_since;
	struct tl_chunk *oldest, *newest; /* its ring: sealed chunks, linked by .newer */
	uint64_t ring;			  /* their bytes */
	/* the reader's: the number of the chunk that was live when a snapshot was taken */
	uint32_t snapshot;
	/* the reader's: the last chunk that a flush took, and whose it was; 0: none */
	uint32_t flushed, flushed_lane;
	uint64_t flushed_overwritten; /* the reader's: .overwritten when it did */

	struct tl_open_call *open_end;	/* end of the stack of open calls */
	_Alignas(8) char call_slot[72]; /* layer/calls: a slot as those above */
	/* calls to be recorded that found the stack full and have not ended */
	_Atomic uint64_t unentered;
};

/*
 * A chunk, or a part of one, given to the writer: finished records lie in [begin, end), one after
 * the other.
 */
struct tl_chunk {
	struct tl_chunk *next;
	struct tl_producer *producer;
	char *begin, *end;

	/* The buffer's own. */
	struct tl_chunk_piece *piece; /* what outlives the process */
	char *memory;		      /* room for records */
	uint64_t room;
	_Atomic(char *) sealed; /* where its records end, once it is handed over */
	_Atomic uint32_t next_free;
	_Atomic uint64_t owner; /* in a ring: see there */
	struct tl_chunk *all;	/* the next of all there are; never changes */
	struct tl_chunk *newer; /* the producer's: in its ring */
	/* The reader's: */
	uint64_t seen; /* .owner, when a snapshot was taken */
	char *stop;    /* a snapshot goes so far */
	char *read;    /* how far */
	/* a record that was not finished and has been stepped over */
	char *hole;
	bool handed, listed, taken; /* out of the queue; on the ready list; with the writer */
	/*
	 * in a ring: records before its first one were overwritten, and the file was not told.
	 * Whoever tells it unsets this
	 */
	bool gap;
};

/*
 * Called when a thread has got a producer, which another thread may have had before: the room that
 * uses a slot sets what must not be inherited. NULL until that room begins. Stored once, relaxed:
 * a slot that was never used needs no call, and a used one comes with the producer's own release.
 * Has to be async-signal-safe.
 */
extern void (*_Atomic tl_buffer_begins)(struct tl_producer *producer);

/*
 * The calling thread's producer, made on first use; NULL where memory is short (then its events are
 * counted as lost). Async-signal-safe.
 */
struct tl_producer *tl_buffer_attach(void);

/* The number of a lane that is no thread's, and the tid that it is shown by. */
uint32_t tl_buffer_lane(uint32_t *shown);

/*
 * The calling thread is about to end: hand over what it has. It may still record; its producer is
 * recycled once the thread is gone.
 */
void tl_buffer_detach(struct tl_producer *producer);

/*
 * Writer: calls back for each chunk that waits to be taken and has a gap before it, with its
 * finished records that have not been read.
 */
void tl_buffer_gaps(void (*each)(struct tl_producer *producer, const char *from, const char *to));

/*
 * Writer: next chunk handed over, in order per thread; NULL when there is none. Then give it back.
 */
struct tl_chunk *tl_buffer_take(void);
void tl_buffer_give_back(struct tl_chunk *chunk);

/*
 * Writer: the records of a chunk that is with it, up to `upto`, are in the block with this number
 * (tl_output_piece.block), which is about to be written. Should the process die, they are recovered
 * unless that block counts as written.
 */
void tl_buffer_will_write(struct tl_chunk *chunk, const char *upto, uint64_t block);

/* Writer: that block was not written. Before its number is used again. */
void tl_buffer_not_written(struct tl_chunk *chunk);

/*
 * Writer: a chunk that is with it goes back, with what lies from `from` on; tl_buffer_take gives it
 * again. Of several, the last one first.
 */
void tl_buffer_put_back(struct tl_chunk *chunk, const char *from);

/*
 * Writer: calls back for each thread with calls that were recorded and not taken. No chunk is with
 * the writer.
 */
void tl_buffer_count(void (*put)(void *context, const struct tl_producer *producer, uint64_t calls),
		     void *context);

/*
 * Writer: nothing can be written (true), so that nobody waits for a chunk to be given back; or it
 * can again.
 */
void tl_buffer_refuse(bool refuse);

/*
 * Sleep until there is something to take, or `ms` passed, or tl_buffer_wake was called (also just
 * before).
 */
void tl_buffer_wait(int ms);
void tl_buffer_wake(void);

/*
 * End of the process, or a snapshot: hand over every thread's current chunk as far as it is
 * committed. Threads may go on recording.
 */
void tl_buffer_flush(void);

/*
 * tl_buffer_take has not given out all of that yet. What is recorded after tl_buffer_flush comes,
 * for the most part, after it: so it has an end however fast threads go on.
 */
bool tl_buffer_is_flushing(void);

/*
 * Whose stack of open calls an entry lies in; NULL for one of the process that this one was forked
 * from.
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
 * An event of a thread that could not be given a producer is lost: counted for a producer with no
 * thread (.tid 0, .lane 0).
 */
void tl_buffer_lose(void);
/* So many of the calling thread's are. */
void tl_buffer_lose_here(struct tl_producer *producer, uint64_t count);

/* For the trace's end, too: events that made room for newer ones in rings. */
uint64_t tl_buffer_overwritten(void);
/*
 * The thread's name as it is now. It may be changing: then some letters are of the one name and
 * some of the other.
 */
void tl_buffer_name(const struct tl_producer *producer, char name[16]);

/* For the trace's end: each producer there ever was, with its lost count. */
struct tl_producer *tl_buffer_producers(void);

#endif

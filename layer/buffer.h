/*
 * buffer.h: per-thread event buffers. Knows nothing of APIs, JSON or tracers.
 *
 * A thread writes records (format/record.h) into its current chunk without a lock, a shared write or a system call. When a chunk is full it
 * is handed to the writer by a queue, and a free one is taken; with none free the policy (grow, drop, ring) decides.
 */
#ifndef TL_LAYER_BUFFER_H
#define TL_LAYER_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "tracelayer/shim.h"

#define TL_CHUNK_SIZE TL_CHUNK_MAX	/* of a thread that records much; its first chunk is TL_CHUNK_SMALL */
#define TL_CHUNK_SMALL (16u * 1024)
#define TL_RECORD_MAX (12u * 1024)	/* bytes; larger ones are cut by those who make them */

/* What the runtime knows of a thread beyond what shims touch. Never freed; recycled when its thread has ended and all is written. */
struct tl_producer {
	struct tl_thread thread;	/* first: tl_self points here */
	uint32_t tid;
	uint32_t lane;			/* number, unique in the process's life: a recycled tid is another lane */
	char name[16];			/* as the kernel has it, read at attach and again when it ends */
	_Atomic uint64_t lost;		/* events dropped */
	struct tl_producer *next;	/* in the list of all producers; never changes */

	/* The buffer's own. */
	_Atomic(struct tl_chunk *) current;	/* chunk that records go to, or NULL */
	uint32_t tag;			/* number of .current, in the upper bits of the positions */
	uint32_t generation;		/* of the process, counted by forks */
	_Atomic uint32_t state;		/* enum in buffer.c */
	uint32_t chunks;		/* chunks it had so far */
	_Atomic uint32_t unwritten;	/* chunks handed over and not yet given back */
	uint64_t lost_start, lost_said;	/* when the events not yet said to be lost began to get lost; how many have been said */
	struct tl_producer *spare;	/* list of those whose thread has ended */

	/* The threads' room's own. */
	char *scratch;			/* arguments captured at entry of the open calls */
	uint32_t scratch_used;
	uint32_t rounds;		/* of key destructors seen */
};

/*
 * A chunk, or a part of one, given to the writer: sound records lie in [begin, end); among them words that are all zero are
 * to be stepped over. No record crosses its ends.
 */
struct tl_chunk {
	struct tl_chunk *next;
	struct tl_producer *producer;
	char *begin, *end;

	/* The buffer's own. */
	char *memory;
	uint32_t size, number;
	_Atomic(char *) sealed;		/* where its records end, once it is handed over */
	char *hole, *hole_end;		/* a record that was stepped over, not committed then */
	uint32_t index;
	_Atomic uint32_t next_free;
	bool taken;			/* the writer has it */
};

/* The calling thread's producer, made on first use; NULL where memory is short (then its events are counted as lost). Async-signal-safe. */
struct tl_producer *tl_buffer_attach(void);

/* The calling thread is about to end: hand over what it has. It may still record; its producer is recycled once the thread is gone. */
void tl_buffer_detach(struct tl_producer *producer);

/* Writer: next chunk handed over, in order per thread; NULL when there is none. Then give it back. */
struct tl_chunk *tl_buffer_take(void);
void tl_buffer_give_back(struct tl_chunk *chunk);

/* Sleep until there is something to take, or `ms` passed, or tl_buffer_wake was called (also just before). */
void tl_buffer_wait(int ms);
void tl_buffer_wake(void);

/* End of the process, or a snapshot: hand over every thread's current chunk as far as it is committed. Threads may go on recording. */
void tl_buffer_flush(void);

/* In a forked child: forget the parent's events and threads. Calls that were open in the parent end unrecorded. */
void tl_buffer_after_fork(void);

/* For the trace's end: each producer there ever was, with its lost count. */
struct tl_producer *tl_buffer_producers(void);

#endif

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

#define TL_CHUNK_SIZE (256u * 1024)

/* What the runtime knows of a thread beyond what shims touch. Never freed; recycled when its thread has ended and all is written. */
struct tl_producer {
	struct tl_thread thread;	/* first: tl_self points here */
	uint32_t tid;
	uint32_t lane;			/* number, unique in the process's life: a recycled tid is another lane */
	char name[16];			/* as the kernel has it, read at attach and again when it ends */
	uint64_t lost;			/* events dropped */
	_Atomic(struct tl_producer *) next;
	/* room's own members follow */
};

/* A chunk given to the writer: records lie in [begin, end). It is whole: no record crosses its ends. */
struct tl_chunk {
	struct tl_chunk *next;
	struct tl_producer *producer;
	char *begin, *end;
};

/* The calling thread's producer, made on first use; NULL where memory is short (then its events are counted as lost). Async-signal-safe. */
struct tl_producer *tl_buffer_attach(void);

/* The calling thread ends: hand over what it has. */
void tl_buffer_detach(struct tl_producer *producer);

/* Writer: next chunk handed over, in order per thread; NULL when there is none. Then give it back. */
struct tl_chunk *tl_buffer_take(void);
void tl_buffer_give_back(struct tl_chunk *chunk);

/* Sleep until there is something to take, or `ms` passed. */
void tl_buffer_wait(int ms);

/* End of the process, or a snapshot: hand over every thread's current chunk as far as it is committed. Threads may go on recording. */
void tl_buffer_flush(void);

/* In a forked child: forget the parent's events and threads but the calling one. */
void tl_buffer_after_fork(void);

/* For the trace's end: each producer there ever was, with its lost count. */
struct tl_producer *tl_buffer_producers(void);

#endif

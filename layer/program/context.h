/* SPDX-License-Identifier: MIT */
/*
 * context.h: trace contexts (tracelayer/trace_context.h), for the files that implement them:
 * context.c (what they keep), context_file.c (files of their own), context_request.c (the requests
 * that threads work on).
 */
#ifndef TL_LAYER_PROGRAM_CONTEXT_H
#define TL_LAYER_PROGRAM_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "tracelayer/trace_context.h"

#define TL_CONTEXT_ARGS	  32u
#define TL_CONTEXT_LEVELS (TL_TRACE_REQUEST | TL_TRACE_RUNTIME | TL_TRACE_OPERATOR | TL_TRACE_DEBUG)

/* An event as a context keeps it. */
struct tl_context_stored {
	_Atomic uint32_t size;	/* bytes, a multiple of 8; 0: the place is free */
	_Atomic uint32_t whole; /* 1: the rest is there */
	uint32_t lane, request;
	uint64_t time, duration;
	uint16_t nargs;
	uint8_t level;
	char type;
	char texts[]; /* name, and each argument's key and value, all ended by a NUL */
};

struct tl_context_block {
	_Atomic(struct tl_context_block *) next;
	/* Bytes in use, at least; the rest begins with an event or with free room. */
	_Atomic uint64_t used;
	uint64_t room;
	_Alignas(8) char bytes[];
};

struct tl_context_lane {
	struct tl_context_lane *next;
	uint32_t shown;
	char *name;
};

struct tl_context_whole {
	struct tl_context seen; /* first, so that a pointer to one is a pointer to the other */
	_Atomic uint64_t lost;
	struct tl_context_block *first;
	_Atomic(struct tl_context_block *) last; /* or one before it */
	pthread_mutex_t lock;			 /* protects the lanes */
	_Atomic(struct tl_context_lane *) lanes; /* newest first; entries stay */
};

static inline struct tl_context_whole *tl_context_whole_of(struct tl_context *seen)
{
	return (struct tl_context_whole *)seen;
}

/*
 * The next event of a context; NULL at the end. *block, at first the context's .first, and *at, at
 * first 0, say where to go on.
 */
const struct tl_context_stored *tl_context_next(struct tl_context_block **block, uint64_t *at);

/* An event as programs see it. Its pointers lead into the stored event and into `args`. */
void tl_context_show(const struct tl_context_stored *stored, struct tl_context_event *event,
		     struct tl_context_arg args[TL_CONTEXT_ARGS]);

/*
 * 0 for the first argument with its key. A later one is shown with a number behind its key ("key 2"),
 * since names of a JSON object's members differ. An event with a request has that as its first
 * "request".
 */
uint32_t tl_context_key_number(const struct tl_context_event *event, size_t at);

/* The newest name of a lane; NULL: it has none. */
const struct tl_context_lane *tl_context_lane_of(struct tl_context_whole *context, uint32_t shown);

/*
 * The largest possible number of events logged up to now, and their bytes: it includes events that
 * are not whole yet.
 */
size_t tl_context_places(struct tl_context *seen, size_t *bytes);

/* How many events there are, their bytes, and how many were lost. */
size_t tl_context_size(struct tl_context *seen, size_t *bytes, size_t *lost);

/* Record an event in the process's trace, if the trace has the event's level now. */
void tl_context_record(const struct tl_context_event *event);

/* What a context's functions do (struct tl_contexts). */
void tl_context_log_here(struct tl_context *seen, const struct tl_context_event *event);
int tl_context_dump_here(struct tl_context *seen, const char *path, const char *process);
void tl_context_enter_here(struct tl_context *seen);
void tl_context_leave_here(struct tl_context *seen);
struct tl_context *tl_context_entered_here(void);

/* In a forked child: its thread goes on with the same requests; their slices begin now. */
void tl_context_after_fork(void);

#endif

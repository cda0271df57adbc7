/* SPDX-License-Identifier: MIT */
/*
 * core_doubles.h: a toy API with shims as tracegen would write them, a reader in the writer's
 * place, and a resolver that knows the toy's functions. Around libtl_core.la they make a whole
 * runtime in one test program.
 */
#ifndef CORE_DOUBLES_H
#define CORE_DOUBLES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/file/record.h"
#include "layer/buffers/buffer.h"
#include "tracelayer/shim.h"

#ifdef __cplusplus
extern "C" {
#endif

enum toy { TOY_ADD, TOY_RUN, TOY_NAME, TOY_INIT, TOY_LACKING, TOY_FUNCTIONS };

/* The shims. */
int toy_add(int a, int64_t b);
int toy_run(void (*inside)(void *), void *with);	   /* calls inside(with), in "the driver" */
int toy_name(const char *name, char *copy, unsigned size); /* follows name in, copy out */
int toy_init(void);
int toy_lacking(void);

extern struct tl_shim toy_shims[TOY_FUNCTIONS];
extern void (*toy_inside)(void); /* what toy_name calls in "the driver"; NULL: nothing */
extern void (*toy_adding)(
	void);		      /* what is called while the toy's shims become known; NULL: nothing */
extern int toy_errno;	      /* what toy_add leaves in errno; 0: nothing */
extern unsigned toy_resolved; /* how often a function was looked up */

/*
 * Everything recorded so far, oldest first per thread; each call takes what came since. `flush`
 * takes what live threads have, too.
 */
struct seen {
	struct tl_call_record call;
	uint32_t lane;
	struct tl_cause cause;
	uint64_t words[8];
	uint32_t entry_size, exit_size;
	char blobs[256];
};
extern struct seen *seen;
extern size_t nseen;
void seen_collect(bool flush);
void seen_clear(void);
/* The same, given to a function one by one and not kept. In any thread. True: there may be more. */
bool seen_each(bool flush, void (*each)(const struct seen *one));
/* Among them: calls of a toy function, with all these flags. */
unsigned seen_count(enum toy function, unsigned flags);

/* A thread that collects until told to stop. */
void seen_start(void);
void seen_stop(void);

extern unsigned writer_wakes, writer_finishes;

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/*
 * first_call.h: work that waits for the program's next call.
 *
 * Some work of the layer must be done in a thread of the program, at a call, and no earlier: a
 * program that makes no call should notice nothing. Each kind of work is a bit of one word. The
 * slow path of a call looks at the word once (layer/calls/slow_path.c). The room that has the work
 * gives a function for it at the start, and sets and clears its bit.
 */
#ifndef TL_LAYER_BASE_FIRST_CALL_H
#define TL_LAYER_BASE_FIRST_CALL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum tl_first_call {
	/*
	 * Device lanes set their hooks. Before the call's function is looked up: once that is
	 * found, a shim that nobody watches passes other threads' calls straight to the driver.
	 */
	TL_FIRST_CALL_DEVICE,
	TL_FIRST_CALL_ROCTX,	/* hooks of ROCTX's functions: at the same time */
	TL_FIRST_CALL_TOOLS,	/* tool libraries are loaded */
	TL_FIRST_CALL_REQUESTS, /* the writer's thread starts, to hear requests from outside */
	TL_FIRST_CALL_WORKS
};

#define TL_FIRST_CALL_BIT(work) (1u << (work))

/*
 * At the start, before any bit is set: give the function that does the work. It clears the bit when
 * it is done.
 */
void tl_first_call_give(enum tl_first_call work, void (*serve)(void));

/* Set the bit; clear it. Both return whether it was set before. Async-signal-safe. */
bool tl_first_call_await(enum tl_first_call work);
bool tl_first_call_done(enum tl_first_call work);

extern _Atomic uint32_t tl_first_call_word; /* for first_call.c and the function below */

/* The bits that are set. */
static inline uint32_t tl_first_call_awaited(void)
{
	/*
	 * Acquire: pairs with the release in tl_first_call_done; the thread sees all that the work
	 * has set up.
	 */
	return atomic_load_explicit(&tl_first_call_word, memory_order_acquire);
}

/* Do the work of these bits. Not under a lock. */
void tl_first_call_serve(uint32_t bits);

#endif

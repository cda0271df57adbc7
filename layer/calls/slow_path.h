/* SPDX-License-Identifier: MIT */
/*
 * slow_path.h: calls served out of line, as the rest of the runtime needs them.
 */
#ifndef TL_LAYER_CALLS_SLOW_PATH_H
#define TL_LAYER_CALLS_SLOW_PATH_H

#include <string.h>

#include "tracelayer/shim.h"

/* A parameter's value; as memcpy, without calling it for what most of them are. */
static inline void tl_call_copy(void *to, const void *from, uint32_t size)
{
	if (TL_LIKELY(size == 8))
		memcpy(to, from, 8);
	else if (size == 4)
		memcpy(to, from, 4);
	else
		memcpy(to, from, size);
}

/* tl_call_enter and tl_call_leave for calls that traced_path.c leaves to others. */
void *tl_call_enter_other(struct tl_call *call);
void tl_call_leave_other(struct tl_call *call, uint64_t result, const uint64_t *words,
			 uint32_t count);

/*
 * The same for calls whose hook is the one that looks at them, recorded or not; what is out of the
 * ordinary goes on to those. `mode_and_id`: the shim's.
 */
void *tl_call_enter_hooked(struct tl_call *call, uint64_t mode_and_id);
void tl_call_leave_hooked(struct tl_call *call, uint64_t result, const uint64_t *words,
			  uint32_t count);

static inline bool tl_call_is_hooked(uint32_t mode)
{
	return (mode & ~(uint32_t)TL_MODE_CAPTURED) == TL_MODE_DEVICE;
}

/*
 * The thread ends: calls that are still open were left by longjmp, or by an end without unwinding.
 * They are recorded so.
 */
void tl_call_end_all(struct tl_thread *thread);

/*
 * The same for those open calls that are known to have been left by longjmp. `caller`: of who is
 * called by the program: what lies below its stack is ours, or left.
 */
void tl_call_end_left(struct tl_thread *thread, struct tl_caller caller);

/* The shim that an open call came through; not a closure's, but that of its function. */
struct tl_shim *tl_call_shim_of(const struct tl_open_call *open);

/*
 * For a higher room, once, at the start: call this whenever a function that initialises a driver
 * has returned.
 */
void tl_call_after_initialising(void (*then)(void));

struct tl_frame;
/*
 * Run the epilogues of an open call that was left. The entry is this function's meanwhile:
 * longjmp.c knows its frame.
 */
void tl_call_abandon(struct tl_thread *thread, struct tl_open_call *open, struct tl_frame *frame);

#endif

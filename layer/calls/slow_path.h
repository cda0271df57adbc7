/* SPDX-License-Identifier: MIT */
/* slow_path.h: calls on the slow path, for the other files of this room. */
#ifndef TL_LAYER_CALLS_SLOW_PATH_H
#define TL_LAYER_CALLS_SLOW_PATH_H

#include <stdint.h>

#include "tracelayer/shim.h"

/* tl_call_enter and tl_call_leave for calls that traced_path.c does not serve. */
void *tl_call_enter_other(struct tl_call *call);
void tl_call_leave_other(struct tl_call *call, uint64_t result, const uint64_t *words,
			 uint32_t count);

/*
 * What tracelayer/shim.h has for calls that the entry begins and ends, for calls through the
 * generic entry: the words do not lie behind the open call's address.
 */
/* `mode`: TL_MODE_CAPTURED, TL_MODE_FAST or TL_MODE_OPEN: the shim's, but for TL_MODE_CALLER. */
void *tl_recorded_enter_words(uint64_t *recorded, struct tl_shim *shim, uintptr_t stack,
			      const uint64_t *words, uint32_t mode);
void tl_recorded_leave_words(uint64_t *recorded, uint64_t result, const uint64_t *words);
void tl_recorded_leave_full_words(uint64_t *recorded, uint64_t result, uint64_t at, uint64_t end,
				  const uint64_t *words);
void tl_recorded_unwound_words(uint64_t *recorded, const uint64_t *words);

/*
 * The same for calls that only a hook watches, recorded or not; all other calls go on to the
 * functions above. `mode_and_id`: the shim's.
 */
void *tl_call_enter_hooked(struct tl_call *call, uint64_t mode_and_id);
void tl_call_leave_hooked(struct tl_call *call, uint64_t result, const uint64_t *words,
			  uint32_t count);

static inline bool tl_call_is_hooked(uint32_t mode)
{
	return (mode & ~(uint32_t)TL_MODE_CAPTURED) == TL_MODE_DEVICE;
}

/*
 * The call is over: it returned, or an exception left it (TL_RECORD_UNWOUND). Record it, run the
 * epilogues, free its entry. For recorded_path.c.
 */
void tl_call_end(struct tl_call *call, uint32_t flags, uint64_t result, const uint64_t *words,
		 uint32_t count);

/*
 * For a higher room, once, at the start: call this whenever a function that initialises a driver
 * has returned.
 */
void tl_call_after_initialising(void (*then)(void));

/*
 * A driver registers an exit handler inside of the calling thread's innermost call. True: `then` is
 * called when that call is over, once for all such handlers. False: there is no call, or it ends in its entry.
 */
bool tl_call_after_handlers(void (*then)(void));

#endif

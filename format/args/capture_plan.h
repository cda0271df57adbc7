/* SPDX-License-Identifier: MIT */
/*
 * capture_plan.h: what capturing one function's arguments comes to, made once for all its calls.
 *
 * Most functions lead to a few values of a fixed size behind pointers that must be valid: a struct
 * to read, a handle to fill. A plan has a step for each, which says where the pointer is and how
 * much to copy, so that a call doesn't walk over the tables. What steps can't say is left to
 * tl_args_capture, for the entry and the exit apart. The bytes that both give are the same.
 *
 * A plan is one word: bit 0 says that it was made, bit 1 + when that tl_args_capture has to do it,
 * bit 3 that nothing is captured after the call, not even what its result leads to. The rest are
 * steps.
 */
#ifndef TL_FORMAT_ARGS_CAPTURE_PLAN_H
#define TL_FORMAT_ARGS_CAPTURE_PLAN_H

#include <string.h>

#include "format/args/args_capture.h"

#define TL_CAPTURE_MADE	 1u
#define TL_CAPTURE_ONCE	 8u
#define TL_CAPTURE_HEAD	 4  /* bits before the first step */
#define TL_CAPTURE_STEP	 19 /* bits of a step */
#define TL_CAPTURE_STEPS 3

/* A step's bits: when; then these. */
#define TL_CAPTURE_WORD(step)	  ((step) >> 2 & 63) /* the parameter's place */
#define TL_CAPTURE_TOTAL(step)	  ((step) >> 8 & 15) /* elements */
#define TL_CAPTURE_BYTES(step)	  (((step) >> 12 & 127) * 4)
#define TL_CAPTURE_STEP_BYTES_MAX ((uint32_t)(127 * 4))

/* The most bytes that a plan's steps capture at a time. */
#define TL_CAPTURE_PLANNED                                                                         \
	(TL_CAPTURE_STEPS * (sizeof(struct tl_blob) + TL_CAPTURE_STEP_BYTES_MAX + 4))

uint64_t tl_capture_plan_make(const struct tl_function *function);

static inline bool tl_capture_is_planned(uint64_t plan, enum tl_capture_when when)
{
	return !(plan >> 1 >> when & 1);
}

static inline bool tl_capture_has_steps(uint64_t plan, enum tl_capture_when when)
{
	const uint64_t each = 1ull << TL_CAPTURE_STEP;

	return plan >> TL_CAPTURE_HEAD >> when & (1 + each + each * each);
}

/* One step at the entry, and nothing after the call. */
static inline bool tl_capture_is_single(uint64_t plan)
{
	return plan & TL_CAPTURE_ONCE && tl_capture_is_planned(plan, TL_CAPTURE_ENTRY) &&
	       plan >> TL_CAPTURE_HEAD && !(plan >> TL_CAPTURE_HEAD >> TL_CAPTURE_STEP);
}

/* The head of a step's blob, as struct tl_blob has it. */
static inline uint64_t tl_capture_blob(uint64_t step)
{
	return TL_CAPTURE_BYTES(step) | TL_CAPTURE_TOTAL(step) << 32;
}

/*
 * Copies the bytes of a step's blob to `out`; returns the end. Word by word: the record's copy is, too, and
 * so finds each word where it was stored.
 */
static inline uint64_t *tl_capture_copy(uint64_t *out, const char *from, uint64_t bytes)
{
	const uint64_t whole = bytes & 0xfffffff8u;

	for (uint64_t i = 0; i < whole; i += 8) {
		memcpy((char *)out + i, from + i, 8);
		/* Without this, compilers call memcpy for the loop. */
		__asm__ volatile("");
	}
	out += whole / 8;
	if (bytes & 4) {
		uint32_t last;

		memcpy(&last, from + whole, 4);
		*out++ = last;
	}
	return out;
}

/*
 * tl_args_capture, for a time that is planned, with room for TL_CAPTURE_PLANNED bytes. Returns the
 * end of the blobs.
 */
static inline uint64_t *tl_capture_by_plan(uint64_t plan, const uint64_t *words,
					   enum tl_capture_when when, uint64_t *out)
{
	for (uint64_t steps = plan >> TL_CAPTURE_HEAD; steps; steps >>= TL_CAPTURE_STEP) {
		const char *from = (const char *)(uintptr_t)words[TL_CAPTURE_WORD(steps)];

		if (!(steps >> when & 1) || !from)
			continue;
		*out++ = tl_capture_blob(steps);
		out = tl_capture_copy(out, from, TL_CAPTURE_BYTES(steps));
	}
	return out;
}

#endif

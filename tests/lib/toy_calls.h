/* SPDX-License-Identifier: MIT */
/*
 * toy_calls.h: calls of the toy API (core_doubles.h) that nest, and that are left by a longjmp.
 */
#ifndef TL_TESTS_LIB_TOY_CALLS_H
#define TL_TESTS_LIB_TOY_CALLS_H

#include <check.h>
#include <setjmp.h>

#include "layer/base/environment.h"
#include "layer/resolve/recording.h"
#include "tests/lib/core_doubles.h"

/*
 * What the constructor left is as in a program that only links the library; from here on as in a
 * preloaded one.
 */
static inline void record(enum tl_args args)
{
	tl_config.args = args;
	tl_recording_set(true);
}

/* The one call of that function that was seen. */
static inline struct seen *only(enum toy function)
{
	struct seen *found = NULL;

	for (size_t i = 0; i < nseen; i++)
		if (seen[i].call.function == function) {
			ck_assert_ptr_null(found);
			found = &seen[i];
		}
	ck_assert_ptr_nonnull(found);
	return found;
}

/* So many calls inside of each other. */
static inline void nest(void *depth)
{
	uintptr_t left = (uintptr_t)depth;

	if (left)
		toy_run(nest, (void *)(left - 1));
}

/* Where the jumps go to. */
static sigjmp_buf away;

/* For toy_run. */
static inline void jump(void *unused)
{
	(void)unused;
	siglongjmp(away, 1);
}

/* For toy_inside. */
static inline void jump_from_name(void)
{
	siglongjmp(away, 1);
}

/* For toy_run: a call inside of it that is left. */
static inline void jump_inside(void *unused)
{
	(void)unused;
	if (!sigsetjmp(away, 0))
		toy_run(jump, NULL);
}

/* A thread's function: ends with a call that was left. */
static inline void *leave_by_longjmp(void *unused)
{
	jump_inside(unused);
	return NULL;
}

#endif

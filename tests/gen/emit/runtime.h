/* SPDX-License-Identifier: MIT */
/* runtime.h: what the tests of generated code see of tests/gen/emit/runtime.c. */
#ifndef TESTS_EMIT_RUNTIME_H
#define TESTS_EMIT_RUNTIME_H

#include <tracelayer/api.h>

/* What the last call out of line was like. */
struct last {
	const struct tl_function *function;
	void *caller;
	double a;		/* for look() */
	uint64_t result, words[64];
	uint32_t count;
	int entered, left, unwound, lost;
	uint64_t unwound_words[2];	/* the first of the call that was recorded in its entry */
};
extern struct last last;

enum way { WAY_STRAIGHT, WAY_RECORDED, WAY_RECORDED_WITH_WORDS, WAY_OUT_OF_LINE, WAY_RECORDED_FULL };

const struct tl_api *runtime_api(void);
const struct tl_function *runtime_function(const char *name);
uint32_t runtime_id(const char *name);

/* All calls go this way from now on. */
void runtime_watch(enum way way);

/* What a closure does. */
void runtime_invoke(const char *name, void **args, void *result);

/* The test's: called with the parameters' addresses while a call out of line is open. */
void look(void *const *params);

/* What a coroutine does: the call that is in progress goes on in a thread that is not known. */
void runtime_move_over(void);

/* Forget what was, and return where the next record will stand. */
const uint64_t *runtime_record(void);
long runtime_depth(void);

#endif

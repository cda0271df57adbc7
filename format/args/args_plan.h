/* SPDX-License-Identifier: MIT */
/*
 * args_plan.h: the way in which one function's arguments are printed, made once for all its calls.
 *
 * A plan has a step for each parameter. A step has the key as text, and what the value needs from
 * the tables: an integer, a handle, an address or an enumerator is printed without the tables. All
 * other parameters, and those without room, go through the walk of args_print.c. A plan's output is
 * the walk's, byte by byte. Plans are plain memory: there is nothing to free.
 */
#ifndef TL_FORMAT_ARGS_ARGS_PLAN_H
#define TL_FORMAT_ARGS_ARGS_PLAN_H

#include "common/text.h"
#include "format/args/args_kept.h"

#define TL_PLAN_STEPS 16  /* the walk prints the parameters behind these */
#define TL_PLAN_KEYS  384 /* bytes of keys; the walk prints parameters whose keys don't fit */
#define TL_PLAN_SPARE 32  /* keys are copied in pieces of this size */

struct tl_args_step {
	uint8_t how;
	uint8_t unused;	  /* bits of the word that do not belong to the value */
	uint8_t key_size; /* with the comma before it */
	uint16_t key;	  /* where it is in .keys */
	uint16_t word;
	const struct tl_type *type;
};

struct tl_args_plan {
	const struct tl_function *function;
	bool is_whole;	      /* there is a step for each parameter, and none is walked */
	uint16_t count, used; /* steps, bytes of .keys */
	uint16_t room;	      /* that all steps take at most, but for names of enumerators */
	struct tl_args_step result;
	struct tl_args_step steps[TL_PLAN_STEPS];
	char keys[TL_PLAN_KEYS + TL_PLAN_SPARE];
};

void tl_args_plan_make(struct tl_args_plan *plan, const struct tl_function *function);

/* Print a call's arguments, as tl_args_print does. */
void tl_args_plan_print(const struct tl_args_plan *plan, struct tl_text *text,
			const struct tl_args_kept *kept);

/*
 * The same for a record without captured memory, with a comma before each member, the first too. For
 * plans with .is_whole. `at` has .room for it, and `rest` bytes besides. Returns its end. NULL: the
 * tables are needed for a value, and what is behind `at` is no text.
 * `starts`: gets where each member begins; NULL: it is not needed.
 */
char *tl_args_plan_put(const struct tl_args_plan *plan, char *at, size_t rest,
		       const uint64_t *words, char *starts[TL_PLAN_STEPS]);

/* The member "result" of a function that has one of at most 8 bytes; `first`: of its object. Whole,
 * or not at all and .cut. */
void tl_args_plan_result(const struct tl_args_plan *plan, struct tl_text *text, uint64_t result,
			 bool first);

#endif

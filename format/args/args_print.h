/* SPDX-License-Identifier: MIT */
/*
 * args_print.h: the walk of args_print.c, one parameter at a time, for args_plan.c and for encoders
 * of other formats than JSON.
 *
 * The latter ask for the exact notation: JSON, but what a value is can be told from its form.
 *
 *	0x7f20	an address or handle
 *	-12	an integer; beyond 2 to the 53 it is a string, as in JSON
 *	#3ff0000000000000	a floating point number, by the bits of a double
 *	'NAME'	an enumerator, or flags
 */
#ifndef TL_FORMAT_ARGS_ARGS_PRINT_H
#define TL_FORMAT_ARGS_ARGS_PRINT_H

#include "format/args/args_walk.h"

struct blobs {
	const char *at, *end;
};

struct printer {
	struct tl_text *text;
	struct blobs *blobs; /* those of .when */
	enum tl_capture_when when;
	bool inputs; /* leave out members that only the call fills in */
	const struct tl_api *api;
	bool exact; /* in the exact notation */
};

/* What a value is that can be printed from its type and its bytes alone; all others are walked. */
enum how {
	WALKED,
	HANDLE,
	ADDRESS,  /* of a pointer that is never followed */
	FOLLOWED, /* a pointer: an address where it is NULL, or where nothing was captured */
	UNSIGNED,
	SIGNED,
	TRUTH,
	NAMED, /* an enumerator */
	REAL,
};

/* Of a parameter, or of a result. What is not walked has at most 8 bytes. */
enum how tl_how_of(const struct tl_variable *variable);

/* Points into itself: it stays where it was started. */
struct args_walk {
	struct blobs before, after;
	struct printer at_entry, at_exit;
	struct scope params;
};

void tl_args_walk_start(struct args_walk *walk, struct tl_text *text,
			const struct tl_function *function, const struct tl_args_kept *kept,
			bool exact);

/*
 * Print a parameter as a member; `first`: it is the object's first. Parameters that lead to blobs
 * are asked for in their order. Returns whether it fitted.
 */
bool tl_args_walk_param(struct args_walk *walk, uint32_t param, bool first);

/* One value in the exact notation; otherwise as tl_value_print does it. */
void tl_value_print_exact(struct tl_text *text, const struct tl_type *type, const void *value);

/* Of an enumeration's value, given by its bytes alone; NULL: it has no name. */
const char *tl_enumerator_name(const struct tl_type *type, uint64_t value);

#endif

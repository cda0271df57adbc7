/* SPDX-License-Identifier: MIT */
/*
 * guess.h: guesses about functions and types, by the rules of guess_rules.h.
 */
#ifndef TL_GEN_GUESS_H
#define TL_GEN_GUESS_H

#include <stdbool.h>
#include <stdio.h>

#include "gen/model.h"

enum guess_kind {
	GUESS_FLAGS,	 /* an enum is a sum of bits */
	GUESS_RESULT,	 /* which results are failures, and what else a result says */
	GUESS_CREATES,	 /* a function makes an object */
	GUESS_DESTROYS,	 /* a function ends one */
	GUESS_RETAINS,	 /* a function takes one more reference to one */
	GUESS_CONSTANTS, /* a parameter is a sum of macros */
	GUESS_VARIABLE,	 /* tags of a parameter or member */
};

struct guess {
	enum guess_kind kind;
	const char
		*name; /* as a descriptor has it: "deflate", "box_open:size", "struct box.name" */
	const char *says;      /* tags, or the failure; NULL: the kind says all */
	bool text, sets_errno; /* GUESS_RESULT: as in a descriptor's "results" */
	const char *why;
	struct function *function; /* whose guess it is, or NULL */
	/* GUESS_CONSTANTS: the flags, as a type of their own */
	struct type *type; /* GUESS_FLAGS: this one; GUESS_VARIABLE: of this member */
	struct variable *variable;
};

struct guesses {
	struct guess *list;
	size_t count;
};

/* Guess what a parsed model does not say. No descriptor may have described it yet. */
struct guesses model_guess(const struct model *model);

/* guess_flags.c: whether an enum of that name is a sum of bits: as its name and its values' names say (*named), or as its values do. */
bool enum_is_of_flags(const struct type *type, const char *name, bool *named);

/* guess_flags.c: which macros parameters are sums of. Adds to the guesses. */
void model_guess_flags(const struct model *model, struct guesses *guesses);

/* guess_objects.c: which functions make objects, end them, or take references. Adds to the guesses. */
void model_guess_objects(const struct model *model, struct guesses *guesses);
/* guess_objects.c: a handle, or a pointer to memory of the library. */
bool type_is_object(const struct type *type);

/* Put guesses into the model that they were made of. */
void model_apply_guesses(const struct guesses *guesses);

/*
 * suggest.c: write the guesses as a descriptor, with a comment on each. -1 after an error
 * (printed).
 */
int suggest_write(const struct model *model, const struct guesses *guesses, FILE *to);

#endif

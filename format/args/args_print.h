/* SPDX-License-Identifier: MIT */
/*
 * args_print.h: captured arguments as JSON: a whole call's, one parameter's, or one value.
 *
 * Encoders of other formats ask for the exact notation. It is JSON in which the form of a value
 * shows its type.
 *
 * 	0x7f20	an address or handle
 * 	-12	an integer; beyond 2 to the 53 it is a string, as in JSON
 * 	#3ff0000000000000	a floating point number, by the bits of a double
 * 	'NAME'	an enumerator, or flags
 */
#ifndef TL_FORMAT_ARGS_ARGS_PRINT_H
#define TL_FORMAT_ARGS_ARGS_PRINT_H

#include <string.h>

#include "common/text.h"
#include "format/args/args_capture.h"
#include "format/args/args_kept.h"

/*
 * Print a call's arguments as the members of a JSON object, without the braces:
 * `"hEvent":"0x55…","pCount":2`. entry and exit are the blobs that the two captures made. Memory
 * that a call both read and wrote is shown as after the call; where it was different before,
 * "NAME:in" follows with the earlier value. Strings are escaped; bytes that are not UTF-8 become
 * U+FFFD. Integers beyond 2^53 are printed as strings, since JSON readers lose their last digits.
 * Of a damaged record, the valid part is printed. A value that does not fit is left out whole.
 */
void tl_args_print(struct tl_text *text, const struct tl_function *function, const uint64_t *words,
		   const void *entry, size_t entry_size, const void *exit, size_t exit_size);

/* Print one value of a type, as JSON: a number, or a quoted string. Pointers and structs are not
 * followed. */
void tl_value_print(struct tl_text *text, const struct tl_type *type, const void *value);

/* Variables that lie together: a function's parameters in their words, or a struct's members in its
 * bytes. */
struct tl_scope {
	const struct tl_variable *variables;
	uint32_t count;
	const char *base;
	uint32_t unit; /* what offsets count: 8 bytes, or 1 */
};

struct tl_blobs {
	const char *at, *end;
};

struct tl_printer {
	struct tl_text *text;
	struct tl_blobs *blobs; /* those of .when */
	enum tl_capture_when when;
	bool inputs; /* leave out members that only the call fills in */
	const struct tl_api *api;
	bool exact; /* in the exact notation */
};

/* Kinds of values that can be printed from their type and bytes alone; all others are walked. */
enum tl_how {
	TL_HOW_WALKED,
	TL_HOW_HANDLE,
	TL_HOW_ADDRESS,	 /* of a pointer that is never followed */
	TL_HOW_FOLLOWED, /* a pointer: an address where it is NULL, or where nothing was captured */
	TL_HOW_UNSIGNED,
	TL_HOW_SIGNED,
	TL_HOW_TRUTH,
	TL_HOW_NAMED, /* an enumerator */
	TL_HOW_REAL,
};

/* The kind of a parameter or result. Values that are not walked have at most 8 bytes. */
enum tl_how tl_how_of(const struct tl_variable *variable);

/* It contains pointers into itself: do not move or copy it. */
struct tl_args_walk {
	struct tl_blobs before, after;
	struct tl_printer at_entry, at_exit;
	struct tl_scope params;
};

void tl_args_walk_start(struct tl_args_walk *walk, struct tl_text *text,
			const struct tl_function *function, const struct tl_args_kept *kept,
			bool exact);

/*
 * Print a parameter as a member; `first`: it is the object's first. Ask for parameters that lead to
 * blobs in their order. Returns whether it fitted.
 */
bool tl_args_walk_param(struct tl_args_walk *walk, uint32_t param, bool first);

/* The bits of the double that a float or a double is. */
static inline uint64_t tl_double_bits(const struct tl_type *type, const void *place)
{
	uint64_t bits;
	double wide;
	float narrow;

	if (type->size == sizeof(float)) {
		memcpy(&narrow, place, sizeof(narrow));
		wide = narrow;
		memcpy(&bits, &wide, sizeof(bits));
	} else {
		memcpy(&bits, place, sizeof(bits));
	}
	return bits;
}

/* One value in the exact notation; otherwise as tl_value_print does it. */
void tl_value_print_exact(struct tl_text *text, const struct tl_type *type, const void *value);

/* The name of an enumeration's value, given as the type's bytes; NULL: it has no name. */
const char *tl_enumerator_name(const struct tl_type *type, uint64_t value);

#endif

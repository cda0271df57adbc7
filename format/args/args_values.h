/* SPDX-License-Identifier: MIT */
/*
 * args_values.h: one value as JSON, from its type and its bytes. A part of args_print.c, which
 * walks over the memory that values lead to.
 */
#ifndef TL_FORMAT_ARGS_ARGS_VALUES_H
#define TL_FORMAT_ARGS_ARGS_VALUES_H

#include "format/args/args_print.h"

/* All of these: `exact` asks for the exact notation (args_print.h). */

/* An address or a handle. */
void tl_value_print_hex(struct tl_text *text, uint64_t value, bool exact);

/* An integer of a kind, already extended or not: only the type's own bytes count. */
void tl_value_print_integer(struct tl_text *text, const struct tl_type *type, uint64_t value,
			    bool exact);

/* A value of any type that leads to no other. Bytes that no type explains are printed in hex. */
void tl_value_print_as(struct tl_text *text, const struct tl_type *type, const void *value,
		       bool exact);

/*
 * `size` bytes of a string; `more`: the string was longer. If it was cut in the middle of a
 * character, that character is left out.
 */
void tl_value_print_string(struct tl_text *text, const char *bytes, size_t size, bool more);

/* "78 9c 03 …" */
void tl_value_print_bytes(struct tl_text *text, const char *bytes, size_t size, bool more);

/* `size` of `total` bytes without a type: a string, a word (many are handles), or hex. */
void tl_value_print_untyped(struct tl_text *text, const char *bytes, uint32_t size, uint32_t total,
			    bool exact);

/* A type whose values are shown as bytes where there are several. NULL: no type is known. */
static inline bool tl_type_is_byte(const struct tl_type *type)
{
	return !type || type->kind == TL_KIND_VOID ||
	       (type->size == 1 && (type->kind == TL_KIND_UINT || type->kind == TL_KIND_INT));
}

#endif

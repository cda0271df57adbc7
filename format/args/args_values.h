/* SPDX-License-Identifier: MIT */
/*
 * args_values.h: one value from its type and its bytes, for a sink. A part of args_visit.c, which
 * walks over the memory that values lead to.
 */
#ifndef TL_FORMAT_ARGS_ARGS_VALUES_H
#define TL_FORMAT_ARGS_ARGS_VALUES_H

#include "format/args/args_sink.h"

/* An integer of a kind, already extended or not: only the type's own bytes count. */
void tl_visit_integer(const struct tl_sink *sink, struct tl_text *text, const struct tl_type *type,
		      uint64_t value);

/*
 * `size` bytes of a string; `more`: the string was longer. If it was cut in the middle of a
 * character, that character is left out.
 */
void tl_visit_string(const struct tl_sink *sink, struct tl_text *text, const char *bytes,
		     size_t size, bool more);

/* "78 9c 03 …" */
void tl_visit_bytes(const struct tl_sink *sink, struct tl_text *text, const char *bytes,
		    size_t size, bool more);

/* `size` of `total` bytes without a type: a string, a word (many are handles), or hex. */
void tl_visit_untyped(const struct tl_sink *sink, struct tl_text *text, const char *bytes,
		      uint32_t size, uint32_t total);

/* A type whose values are shown as bytes where there are several. NULL: no type is known. */
static inline bool tl_type_is_byte(const struct tl_type *type)
{
	return !type || type->kind == TL_KIND_VOID ||
	       (type->size == 1 && (type->kind == TL_KIND_UINT || type->kind == TL_KIND_INT));
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * string_table.h: strings and their numbers. A string is stored once and never freed.
 */
#ifndef TL_XPTI_DISPATCHER_STRING_TABLE_H
#define TL_XPTI_DISPATCHER_STRING_TABLE_H

#include "xpti/dispatcher/dispatcher_state.h"

struct tl_pool;

/* A string of the table; never freed. */
struct tl_xpti_text;

/*
 * Find `text`, or add it. With `numbered` it also gets a number where it has none. The caller holds
 * the pool's lock. NULL: memory is short.
 */
struct tl_xpti_text *tl_xpti_text(struct tl_pool *pool, const char *text, bool numbered);
const char *tl_xpti_text_of(const struct tl_xpti_text *text);
/* 0: the string has no number. */
xpti_string_id tl_xpti_text_number(const struct tl_xpti_text *text);
/*
 * Find or add `string` and give it a number where it has none. Stores the entry in *text, returns
 * the number. NULL and XPTI_INVALID_STRING: memory is short.
 */
xpti_string_id tl_xpti_text_register(const char *string, const struct tl_xpti_text **text);
/* Take all numbers away. Takes the locks of all pools. */
void tl_xpti_strings_reset(void);

#endif

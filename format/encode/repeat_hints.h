/* SPDX-License-Identifier: MIT */
/*
 * repeat_hints.h: where text probably repeats text before it. An encoder knows that: all calls of a
 * function have the same members. It notes hints while it makes the text, and who compresses the
 * text (deflate.h) need not search. A hint may be wrong, or missing.
 */
#ifndef TL_FORMAT_ENCODE_REPEAT_HINTS_H
#define TL_FORMAT_ENCODE_REPEAT_HINTS_H

#include <stddef.h>
#include <stdint.h>

/* The text from .at on is probably as that .back bytes before, for some bytes. */
struct tl_repeat_hint {
	uint32_t at, back;
};

/* In the order of .at. What does not fit is left out. */
struct tl_repeat_hints {
	const char *base; /* where the text begins */
	uint32_t count, room;
	struct tl_repeat_hint *list;
};

/* Bytes of text for each hint that there is room for, if all of it are calls with many arguments. */
#define TL_REPEAT_HINT_BYTES 12u

static inline void tl_repeat_hints_begin(struct tl_repeat_hints *hints, const char *text)
{
	hints->base = text;
	hints->count = 0;
}

/* What comes at `at` was last at *place, which is set to `at`. */
static inline void tl_repeat_hint(struct tl_repeat_hints *hints, const char *at, uint32_t *place)
{
	uint32_t here = (uint32_t)(at - hints->base);

	if (hints->count < hints->room)
		hints->list[hints->count++] = (struct tl_repeat_hint){here, here - *place};
	*place = here;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * strings.h: texts that records name by number: names of events that programs give, and keys and
 * values of their arguments.
 *
 * A text has one number for the life of the process. Texts lie in the arena, so that recovery has
 * them; an index beside it finds them. There is no lock: everything here is async-signal-safe and
 * may run in any thread.
 */
#ifndef TL_LAYER_BUFFERS_STRINGS_H
#define TL_LAYER_BUFFERS_STRINGS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Longer texts are cut, at the end of a character. */
#define TL_STRING_MAX 1024u

/* The number of a text; 0 where there is no room for it, or there are too many. */
uint32_t tl_string_number(const char *text, size_t size);
static inline uint32_t tl_string_of(const char *text)
{
	return tl_string_number(text, strlen(text));
}

/*
 * The text of a number, not ended by a NUL. NULL and a size of 0 for a number that was not given
 * out.
 */
const char *tl_string_text(uint32_t number, size_t *size);

/*
 * Texts in the order of their numbers, for who writes them down: those from number *from on that
 * lie together, `units` units; *from becomes the number of the first. NULL: there are none, or the
 * next one is being put in.
 */
struct tl_strings_unit;
const struct tl_strings_unit *tl_strings_since(uint32_t *from, uint32_t *units);

/* In a forked child: forget them all. Numbers that were given out before are void. */
void tl_strings_after_fork(void);

#endif

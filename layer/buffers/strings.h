/* SPDX-License-Identifier: MIT */
/*
 * strings.h: texts that records name by number: names of events that programs give, and keys and
 * values of their arguments.
 *
 * A text has one number for the life of the process. Texts lie in the arena, so that recovery has
 * them; an index in the process's own memory finds them. There is no lock: everything here is
 * async-signal-safe and may run in any thread.
 */
#ifndef TL_LAYER_BUFFERS_STRINGS_H
#define TL_LAYER_BUFFERS_STRINGS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Longer texts are cut, at the end of a character. */
#define TL_STRING_MAX 1024u

/* The number of a text. 0: there is no room for it, or there are too many texts. */
uint32_t tl_string_number(const char *text, size_t size);
static inline uint32_t tl_string_of(const char *text)
{
	return tl_string_number(text, strlen(text));
}

/*
 * The same for a text that the program gives: some room stays free for the layer's own. Where there is none,
 * the user is told once.
 */
uint32_t tl_string_of_program(const char *text, size_t size);

/* The text of a number, not ended by a NUL. NULL and a size of 0: the number was not given out. */
const char *tl_string_text(uint32_t number, size_t *size);

/*
 * For whoever writes texts out in the order of their numbers: the texts from number *from on that
 * lie together, `units` units of them. *from becomes the number of the first. NULL: there are none,
 * or the next one is still being put in.
 */
struct tl_strings_unit;
const struct tl_strings_unit *tl_strings_since(uint32_t *from, uint32_t *units);

/* In a forked child: forget all texts. Numbers that were given out before are void. */
void tl_strings_after_fork(void);

#endif

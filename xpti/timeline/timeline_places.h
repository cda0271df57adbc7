/* SPDX-License-Identifier: MIT */
/*
 * timeline_places.h: numbers of names, and of places in the code.
 */
#ifndef TL_XPTI_TIMELINE_TIMELINE_PLACES_H
#define TL_XPTI_TIMELINE_TIMELINE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A name and a place in the code, by the addresses of their texts. */
struct timeline_place {
	const char *name, *file;
	uint32_t line, column;
	uint32_t number, source; /* strings: the name, and "file:line"; 0: there is none */
	const char *text;	 /* the name as it was when the number was asked for */
	size_t size;
	uint32_t skipped; /* bytes before the name that are no part of it */
};

enum { TIMELINE_PLACES = 256 };

struct timeline_thread;
/*
 * The place with its numbers. Valid until the thread asks for another place. `trusted`: the name is
 * certainly a text; otherwise it may be any address.
 */
const struct timeline_place *timeline_place(struct timeline_thread *thread, const char *name,
					    const char *file, uint32_t line, uint32_t column,
					    bool trusted);
/* The number of a text. Untrusted texts are copied with care. 0: it is no text, or is empty. */
uint32_t timeline_text(const char *text, bool trusted);

#endif

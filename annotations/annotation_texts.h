/* SPDX-License-Identifier: MIT */
/*
 * annotation_texts.h: numbers of the texts that programs give: plain, wide, or registered once.
 */
#ifndef TL_ANNOTATIONS_ANNOTATION_TEXTS_H
#define TL_ANNOTATIONS_ANNOTATION_TEXTS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

enum {
	ANNOTATION_COLORS = 16,
	ANNOTATION_TEXTS = 64, /* a thread remembers so many */
	ANNOTATION_COPY = 52,  /* bytes of a text that a thread can remember */
};

/* A thread remembers the numbers of the texts at some addresses, with a copy of what was there. */
struct annotation_text {
	const char *at;
	uint32_t number;
	char copy[ANNOTATION_COPY];
};

struct annotation_color {
	uint32_t rgb, number;
};

struct annotation_thread;
/* The number of a text. 0: the text is NULL or empty, or there is no room. */
uint32_t annotation_text(struct annotation_thread *thread, const char *text);
uint32_t annotation_text_sized(const char *text, size_t size);
uint32_t annotation_wide(const wchar_t *text);
/* The number of "#rrggbb". */
uint32_t annotation_color(struct annotation_thread *thread, uint32_t rgb);

/* A text that the program has registered. It stays for good. */
struct annotation_string {
	const char *text; /* UTF-8 */
	size_t size;
	_Atomic uint64_t number; /* the process's generation << 32 | number */
};
/* NULL: there is no text, or memory is short. */
struct annotation_string *annotation_string_make(const char *text, size_t size);
struct annotation_string *annotation_string_make_wide(const wchar_t *text);
uint32_t annotation_string_number(struct annotation_string *string);
/*
 * The number of a text that *known is for: the process's generation << 32 | number, or anything
 * else at first.
 */
uint32_t annotation_known_number(_Atomic uint64_t *known, const char *text, size_t size);

#endif

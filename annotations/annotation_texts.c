/* SPDX-License-Identifier: MIT */
/*
 * annotation_texts.c: see annotation_texts.h.
 *
 * Most texts are literals: their addresses say which text it is. But a program may also write one
 * text after another into the same memory. So a thread compares the text with its copy.
 */
#include "annotations/annotation_texts.h"

#include <stdio.h>
#include <string.h>

#include "annotations/annotation_state.h"
#include "annotations/annotation_threads.h"

#define TEXT_MAX 1024 /* longer texts are cut: layer/buffers/strings.h */

uint32_t annotation_text_sized(const char *text, size_t size)
{
	return text && size ? tl_guest_number(text, strnlen(text, size)) : 0;
}

static uint32_t text_remember(struct annotation_text *known, const char *text)
{
	size_t size = strnlen(text, TEXT_MAX + 4);
	uint32_t number = tl_guest_number(text, size);

	if (size < ANNOTATION_COPY && number) {
		memcpy(known->copy, text, size + 1);
		known->number = number;
		known->at = text;
	}
	return number;
}

uint32_t annotation_text(struct annotation_thread *thread, const char *text)
{
	uintptr_t address = (uintptr_t)text;
	struct annotation_text *known =
		&thread->texts[(address ^ address >> 6 ^ address >> 12) % ANNOTATION_TEXTS];

	if (TL_LIKELY(known->at == text && text && !strcmp(known->copy, text)))
		return known->number;
	return text && *text ? text_remember(known, text) : 0;
}

/* UTF-8 of a wide text; returns the bytes. What is no character becomes a question mark. */
static size_t wide_to_utf8(char *to, size_t room, const wchar_t *text)
{
	char *at = to;

	for (; *text && (size_t)(at - to) + 4 <= room; text++) {
		uint32_t code = (uint32_t)*text;
		if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
			code = '?';
		if (code < 0x80) {
			*at++ = (char)code;
			continue;
		}
		int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
		*at++ = (char)((0xff00 >> (more + 1) & 0xff) | code >> 6 * more);
		while (more--)
			*at++ = (char)(0x80 | (code >> 6 * more & 0x3f));
	}
	return (size_t)(at - to);
}

uint32_t annotation_wide(const wchar_t *text)
{
	char utf8[TEXT_MAX + 4];

	return text && *text ? tl_guest_number(utf8, wide_to_utf8(utf8, sizeof(utf8), text)) : 0;
}

uint32_t annotation_color(struct annotation_thread *thread, uint32_t rgb)
{
	struct annotation_color *known =
		&thread->colors[(rgb ^ rgb >> 8 ^ rgb >> 16) % ANNOTATION_COLORS];
	char text[8];

	rgb &= 0xffffff;
	if (TL_LIKELY(known->number && known->rgb == rgb))
		return known->number;
	int size = snprintf(text, sizeof(text), "#%06x", rgb);
	known->number = tl_guest_number(text, (size_t)size);
	known->rgb = rgb;
	return known->number;
}

struct annotation_string *annotation_string_make(const char *text, size_t size)
{
	struct annotation_string *string = text ? annotation_keep(sizeof(*string)) : NULL;

	if (!string || !(string->text = annotation_keep_text(text, size)))
		return NULL;
	string->size = size;
	return string;
}

struct annotation_string *annotation_string_make_wide(const wchar_t *text)
{
	char utf8[TEXT_MAX + 4];

	return text ? annotation_string_make(utf8, wide_to_utf8(utf8, sizeof(utf8), text)) : NULL;
}

uint32_t annotation_known_number(_Atomic uint64_t *known, const char *text, size_t size)
{
	uint64_t generation = (uint64_t)annotation_generation() << 32,
		 had = atomic_load_explicit(known, memory_order_relaxed);

	if (TL_LIKELY(had >> 32 == generation >> 32))
		return (uint32_t)had;
	uint32_t number = size ? tl_guest_number(text, size) : 0;
	if (number)
		atomic_store_explicit(known, generation | number, memory_order_relaxed);
	return number;
}

uint32_t annotation_string_number(struct annotation_string *string)
{
	return string ? annotation_known_number(&string->number, string->text, string->size) : 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * timeline_places.c: the numbers of names and places.
 *
 * A notification passes names as pointers to texts, which mostly stay where they are. So each
 * thread remembers the last names by their addresses, and compares the text to see that it is still
 * the same. That is faster than searching for the text.
 *
 * The user data of a program may be no text. Before the library reads an address for the first
 * time, the kernel copies the memory, and the copy must be printable.
 */
#include <string.h>

#include "common/text.h"
#include "format/args/args.h"
#include "xpti/timeline/timeline_open.h"
#include "xpti/timeline/timeline_state.h"

/*
 * SYCL's runtime names a kernel by its type, demangled from the type's information: "typeinfo name
 * for app::Kernel". The name is what follows.
 */
static const char before_name[] = "typeinfo name for ";

/* A longer text may have been cut. */
#define SURELY_WHOLE (TL_STRING_MAX - 4)

static bool is_printable(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] < ' ' && text[i] != '\t' && text[i] != '\n')
			return false;
	return true;
}

uint32_t timeline_text(const char *text, bool trusted)
{
	char copy[TL_STRING_MAX + 1];
	size_t size;

	if (trusted)
		return text && *text ? tl_guest_number(text, strnlen(text, sizeof(copy))) : 0;
	size_t there = tl_passed_copy(copy, text, sizeof(copy));
	size = strnlen(copy, there);
	if (!size || (size == there && there < sizeof(copy)) || !is_printable(copy, size))
		return 0;
	return tl_guest_number(copy, size);
}

/* The number of "file:line:column", as far as these are known. 0: there is no file. */
static uint32_t source_number(const char *file, uint32_t line, uint32_t column)
{
	char buffer[TL_STRING_MAX];
	struct tl_text text = {buffer, buffer + sizeof(buffer), false};

	if (!file || !*file || strcmp(file, "unknown-file") == 0 ||
	    strcmp(file, "<unknown-file>") == 0)
		return 0;
	tl_text_put(&text, file, strnlen(file, sizeof(buffer) - 32));
	if (line && line != UINT32_MAX) {
		tl_text_string(&text, ":");
		tl_text_unsigned(&text, line);
		if (column && column != UINT32_MAX) {
			tl_text_string(&text, ":");
			tl_text_unsigned(&text, column);
		}
	}
	return tl_guest_number(buffer, (size_t)(text.at - buffer));
}

/* How many bytes of it are no name. */
static uint32_t name_skipped(const char *name, bool trusted)
{
	char copy[sizeof(before_name) - 1];

	if (name && trusted)
		return strncmp(name, before_name, sizeof(copy)) == 0 ? sizeof(copy) : 0;
	if (!name || tl_passed_copy(copy, name, sizeof(copy)) < sizeof(copy))
		return 0;
	return memcmp(copy, before_name, sizeof(copy)) == 0 ? sizeof(copy) : 0;
}

static bool place_is_same(const struct timeline_place *place, const char *name, const char *file,
			  uint32_t line, uint32_t column)
{
	if (place->name != name || place->file != file || place->line != line ||
	    place->column != column)
		return false;
	/* A place without a number is not remembered. */
	if (!place->number || strncmp(name, before_name, place->skipped) != 0)
		return false;
	name += place->skipped;
	return strncmp(name, place->text, place->size) == 0 &&
	       (!name[place->size] || place->size > SURELY_WHOLE);
}

const struct timeline_place *timeline_place(struct timeline_thread *thread, const char *name,
					    const char *file, uint32_t line, uint32_t column,
					    bool trusted)
{
	uintptr_t hash = (uintptr_t)name / 8 ^ (uintptr_t)file / 8 * 3 ^ line * 7;
	struct timeline_place *place =
		&thread->places[(hash ^ hash >> 8 ^ hash >> 16) % TIMELINE_PLACES];

	if (TL_LIKELY(place_is_same(place, name, file, line, column)))
		return place;
	*place =
		(struct timeline_place){.name = name, .file = file, .line = line, .column = column};
	place->skipped = name_skipped(name, trusted);
	place->number = timeline_text(name + place->skipped, trusted);
	place->source = source_number(file, line, column);
	place->text = tl_guest_text(place->number, &place->size);
	return place;
}

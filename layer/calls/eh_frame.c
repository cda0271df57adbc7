/* SPDX-License-Identifier: MIT */
/*
 * eh_frame.c: see eh_frame.h.
 */
#include "layer/calls/eh_frame.h"

#include <stddef.h>
#include <string.h>

/* What can be read from there on, up to the end of the segment that has it. */
static struct tl_eh_reader image_open(const struct tl_eh_image *image, const uint8_t *at)
{
	for (unsigned i = 0; i < image->count; i++) {
		const ElfW(Phdr) *segment = &image->segments[i];
		uintptr_t from = (uintptr_t)at - image->base - segment->p_vaddr;

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_R &&
		    from < segment->p_memsz)
			return (struct tl_eh_reader){.at = at,
						     .end = at + (segment->p_memsz - from)};
	}
	return (struct tl_eh_reader){.at = at, .end = at, .failed = true};
}

static struct tl_eh_reader entry_open(const struct tl_eh_image *image, const uint8_t *at)
{
	struct tl_eh_reader reader = image_open(image, at);
	uint64_t size = tl_eh_read(&reader, 4);

	if (reader.failed || size > (uint64_t)(reader.end - reader.at)) {
		reader.failed = true;
		size = 0;
	}
	reader.end = reader.at + size;
	return reader;
}

/* Steps over bytes. */
static void reader_skip(struct tl_eh_reader *reader, uint64_t size)
{
	if (size > (uint64_t)(reader->end - reader->at))
		reader->failed = true;
	else
		reader->at += size;
}

static bool function_read_common(const struct tl_eh_image *image, const uint8_t *at,
				 struct tl_eh_function *function)
{
	struct tl_eh_reader reader = entry_open(image, at);

	if (tl_eh_read(&reader, 4) != 0)
		return false;
	unsigned version = (unsigned)tl_eh_read(&reader, 1);
	const char *augmentation = (const char *)reader.at;
	while (tl_eh_read(&reader, 1) && !reader.failed)
		;
	function->code_unit = tl_eh_read_leb(&reader, false);
	function->data_unit = (int64_t)tl_eh_read_leb(&reader, true);
	function->back = version == 1 ? tl_eh_read(&reader, 1) : tl_eh_read_leb(&reader, false);
	function->encoding = 0;
	if (reader.failed)
		return false;
	function->has_more = *augmentation == 'z';
	if (!function->has_more && *augmentation)
		return false;
	struct tl_eh_reader behind = reader;
	if (function->has_more) {
		uint64_t size = tl_eh_read_leb(&reader, false);
		behind = reader;
		reader_skip(&behind, size);
		augmentation++;
	}
	for (; *augmentation && !reader.failed; augmentation++) {
		if (*augmentation == 'R')
			function->encoding = (uint8_t)tl_eh_read(&reader, 1);
		else if (*augmentation == 'L')
			tl_eh_read(&reader, 1);
		else if (*augmentation == 'P')
			tl_eh_read_encoded(&reader, (uint8_t)tl_eh_read(&reader, 1) & 0x0f, 0);
		else if (*augmentation == 'S')
			function->of_signal = true;
		else if (*augmentation != 'B')
			return false;
	}
	if (function->has_more && !reader.failed)
		reader = behind;
	function->common = reader;
	return !reader.failed && (version == 1 || version == 3);
}

static bool function_read(const struct tl_eh_image *image, const uint8_t *at,
			  struct tl_eh_function *function)
{
	struct tl_eh_reader reader = entry_open(image, at);
	const uint8_t *place = reader.at;
	uint64_t offset = tl_eh_read(&reader, 4);

	if (reader.failed || !offset || !function_read_common(image, place - offset, function))
		return false;
	function->start = tl_eh_read_encoded(&reader, function->encoding, 0);
	function->end = function->start + tl_eh_read_encoded(&reader, function->encoding & 0x0f, 0);
	if (function->has_more)
		reader_skip(&reader, tl_eh_read_leb(&reader, false));
	function->own = reader;
	return !reader.failed;
}

/* The table of functions is sorted. It has pairs of 4 bytes each, relative to the table. */
bool tl_eh_find(const struct tl_eh_image *image, uintptr_t address, struct tl_eh_function *function)
{
	const uint8_t *table = image->table;
	struct tl_eh_reader reader = {.failed = true};

	if (table)
		reader = image_open(image, table);
	if (reader.failed || reader.end - reader.at < 4 || table[0] != 1 || table[3] != 0x3b)
		return false;
	reader.at += 4;
	tl_eh_read_encoded(&reader, table[1], (uintptr_t)table);
	uint64_t count = tl_eh_read_encoded(&reader, table[2], (uintptr_t)table);
	if (reader.failed || count > (uint64_t)(reader.end - reader.at) / 8)
		return false;
	const uint8_t *pairs = reader.at;
	int64_t want = (int64_t)(address - (uintptr_t)table);
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		int32_t start;
		memcpy(&start, pairs + 8 * middle, sizeof(start));
		if (start <= want)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	int32_t where;
	memcpy(&where, pairs + 8 * (low - 1) + 4, sizeof(where));
	memset(function, 0, sizeof(*function));
	return function_read(image, table + where, function) &&
	       address - function->start < function->end - function->start;
}

/* SPDX-License-Identifier: MIT */
/*
 * eh_frame.c: see eh_frame.h.
 */
#include "layer/calls/eh_frame.h"

#include <stddef.h>
#include <string.h>

static struct tl_eh_reader entry_open(const uint8_t *at)
{
	struct tl_eh_reader reader = {.at = at, .end = at + 4};
	uint64_t size = tl_eh_read(&reader, 4);

	reader.end = reader.at + (size == UINT32_MAX ? 0 : size);
	return reader;
}

static bool function_read_common(const uint8_t *at, struct tl_eh_function *function)
{
	struct tl_eh_reader reader = entry_open(at);

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
	function->has_more = *augmentation == 'z';
	if (!function->has_more && *augmentation)
		return false;
	const uint8_t *more = NULL;
	if (function->has_more) {
		uint64_t size = tl_eh_read_leb(&reader, false);
		more = reader.at + size;
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
	if (more)
		reader.at = more;
	function->common = reader;
	return !reader.failed && reader.at <= reader.end && (version == 1 || version == 3);
}

static bool function_read(const uint8_t *at, struct tl_eh_function *function)
{
	struct tl_eh_reader reader = entry_open(at);
	const uint8_t *place = reader.at;
	uint64_t offset = tl_eh_read(&reader, 4);

	if (reader.failed || !offset || !function_read_common(place - offset, function))
		return false;
	function->start = tl_eh_read_encoded(&reader, function->encoding, 0);
	function->end = function->start + tl_eh_read_encoded(&reader, function->encoding & 0x0f, 0);
	if (function->has_more) {
		uint64_t size = tl_eh_read_leb(&reader, false);
		reader.at += size;
	}
	function->own = reader;
	return !reader.failed && reader.at <= reader.end;
}

/* The table of functions is sorted. It has pairs of 4 bytes each, relative to the table. */
bool tl_eh_find(const uint8_t *table, uintptr_t address, struct tl_eh_function *function)
{
	if (!table || table[0] != 1 || table[3] != 0x3b)
		return false;
	struct tl_eh_reader reader = {.at = table + 4, .end = table + 64};
	tl_eh_read_encoded(&reader, table[1], (uintptr_t)table);
	uint64_t count = tl_eh_read_encoded(&reader, table[2], (uintptr_t)table);
	if (reader.failed || !count)
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
	return function_read(table + where, function) &&
	       address - function->start < function->end - function->start;
}

/* SPDX-License-Identifier: MIT */
/*
 * eh_frame.c: see eh_frame.h.
 */
#include "layer/calls/eh_frame.h"

#include <stddef.h>
#include <string.h>

uint64_t tl_eh_read(struct tl_eh_reader *reader, unsigned count)
{
	uint64_t value = 0;

	if ((size_t)(reader->end - reader->at) < count) {
		reader->failed = true;
		return 0;
	}
	memcpy(&value, reader->at, count);
	reader->at += count;
	return value;
}

int64_t tl_eh_read_signed(struct tl_eh_reader *reader, unsigned count)
{
	uint64_t value = tl_eh_read(reader, count);
	unsigned unused = 64 - 8 * count;

	return (int64_t)(value << unused) >> unused;
}

uint64_t tl_eh_read_leb(struct tl_eh_reader *reader, bool is_signed)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = tl_eh_read(reader, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !reader->failed);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= ~(uint64_t)0 << shift;
	return value;
}

uintptr_t tl_eh_read_encoded(struct tl_eh_reader *reader, uint8_t encoding, uintptr_t data)
{
	uintptr_t place = (uintptr_t)reader->at, value = 0;

	switch (encoding & 0x0f) {
	case 0x00:
		value = tl_eh_read(reader, sizeof(uintptr_t));
		break;
	case 0x01:
		value = tl_eh_read_leb(reader, false);
		break;
	case 0x02:
		value = tl_eh_read(reader, 2);
		break;
	case 0x03:
		value = tl_eh_read(reader, 4);
		break;
	case 0x04:
		value = tl_eh_read(reader, 8);
		break;
	case 0x09:
		value = tl_eh_read_leb(reader, true);
		break;
	case 0x0a:
		value = (uintptr_t)tl_eh_read_signed(reader, 2);
		break;
	case 0x0b:
		value = (uintptr_t)tl_eh_read_signed(reader, 4);
		break;
	case 0x0c:
		value = tl_eh_read(reader, 8);
		break;
	default:
		reader->failed = true;
	}
	switch (encoding & 0x70) {
	case 0x00:
		break;
	case 0x10:
		value += place;
		break;
	case 0x30:
		value += data;
		break;
	default:
		reader->failed = true;
	}
	if (encoding & 0x80)
		reader->failed = true;
	return value;
}

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

/* The table of functions is sorted: pairs of 4 bytes each, relative to the table. */
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

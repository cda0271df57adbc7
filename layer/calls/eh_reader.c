/* SPDX-License-Identifier: MIT */
/*
 * eh_reader.c: see eh_reader.h.
 */
#include "layer/calls/eh_reader.h"

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

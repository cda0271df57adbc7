/* SPDX-License-Identifier: MIT */
/*
 * protobuf_fields.h: the fields of a message in the encoding of protocol buffers, one after
 * another:
 *
 *	struct pb_bytes message = ...;
 *	struct pb_field field;
 *
 *	while (pb_next(&message, &field))
 *		...
 *	if (message.is_damaged)
 *		...
 */
#ifndef TL_CLI_READ_PROTOBUF_FIELDS_H
#define TL_CLI_READ_PROTOBUF_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pb_bytes {
	const unsigned char *at, *end;
	bool is_damaged;
};

struct pb_field {
	uint32_t number;
	bool has_bytes;	       /* it is text or a message: .bytes; otherwise .value */
	uint64_t value;	       /* fixed ones, too, as their bits are */
	struct pb_bytes bytes; /* in the message */
};

/* False: the number does not end within the bytes, or has more than 64 bits. */
static inline bool pb_number(struct pb_bytes *from, uint64_t *number)
{
	*number = 0;
	for (unsigned shift = 0; shift < 64 && from->at < from->end; shift += 7) {
		unsigned char byte = *from->at++;

		*number |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return shift < 63 || byte < 2;
	}
	return false;
}

static inline bool pb_fixed(struct pb_bytes *from, size_t size, uint64_t *number)
{
	*number = 0;
	if ((size_t)(from->end - from->at) < size)
		return false;
	for (size_t i = 0; i < size; i++)
		*number |= (uint64_t)from->at[i] << 8 * i;
	from->at += size;
	return true;
}

static inline bool pb_field_take(struct pb_bytes *from, struct pb_field *field)
{
	uint64_t key, size;

	if (!pb_number(from, &key) || key >> 3 > UINT32_MAX || !(key >> 3))
		return false;
	*field = (struct pb_field){.number = (uint32_t)(key >> 3)};
	switch (key & 7) {
	case 0:
		return pb_number(from, &field->value);
	case 1:
		return pb_fixed(from, 8, &field->value);
	case 5:
		return pb_fixed(from, 4, &field->value);
	case 2:
		if (!pb_number(from, &size) || size > (size_t)(from->end - from->at))
			return false;
		field->has_bytes = true;
		field->bytes = (struct pb_bytes){from->at, from->at + size, false};
		from->at += size;
		return true;
	}
	return false;
}

/* False: there is no more, or .is_damaged is set. */
static inline bool pb_next(struct pb_bytes *from, struct pb_field *field)
{
	if (from->is_damaged || from->at == from->end)
		return false;
	from->is_damaged = !pb_field_take(from, field);
	return !from->is_damaged;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * protobuf.h: the wire format of Protocol Buffers, as far as an encoder of traces needs it.
 *
 * Each function puts one thing at a place and returns where it ends; that there is room is the
 * caller's part. A field's key takes up to 2 bytes for numbers below 2048, a number up to 10.
 */
#ifndef TL_FORMAT_ENCODE_PROTOBUF_H
#define TL_FORMAT_ENCODE_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum tl_wire {
	TL_WIRE_VARINT = 0,
	TL_WIRE_FIXED64 = 1,
	TL_WIRE_BYTES = 2,
};

/* Most bytes that a field of a number takes. */
#define TL_PROTOBUF_NUMBER 12

/* Seven bits a byte, least first. */
static inline char *tl_protobuf_varint(char *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (char)(value | 0x80);
	*at++ = (char)value;
	return at;
}

static inline char *tl_protobuf_key(char *at, uint32_t field, enum tl_wire wire)
{
	return tl_protobuf_varint(at, field << 3 | wire);
}

/* uint32, uint64, bool, enum; int32 and int64 sign-extended to 64 bits. */
static inline char *tl_protobuf_number(char *at, uint32_t field, uint64_t value)
{
	return tl_protobuf_varint(tl_protobuf_key(at, field, TL_WIRE_VARINT), value);
}

/* fixed64, double: eight bytes, least first. */
static inline char *tl_protobuf_fixed64(char *at, uint32_t field, uint64_t value)
{
	at = tl_protobuf_key(at, field, TL_WIRE_FIXED64);
	for (int i = 0; i < 8; i++)
		*at++ = (char)(value >> 8 * i);
	return at;
}

static inline char *tl_protobuf_bytes(char *at, uint32_t field, const void *bytes, size_t size)
{
	at = tl_protobuf_varint(tl_protobuf_key(at, field, TL_WIRE_BYTES), size);
	memcpy(at, bytes, size);
	return at + size;
}

/*
 * A field whose size is not known yet: what _open returns is where its content begins, and _close
 * gets it back, and where the content ends. A size of 128 and more takes more than the one byte
 * that was left for it: then the content moves, by up to 4 bytes.
 */
static inline char *tl_protobuf_open(char *at, uint32_t field)
{
	return tl_protobuf_key(at, field, TL_WIRE_BYTES) + 1;
}

static inline char *tl_protobuf_close(char *content, char *end)
{
	size_t size = (size_t)(end - content), more = 0;

	if (size < 0x80) {
		content[-1] = (char)size;
		return end;
	}
	for (size_t rest = size >> 7; rest; rest >>= 7)
		more++;
	memmove(content + more, content, size);
	tl_protobuf_varint(content - 1, size);
	return end + more;
}
#define TL_PROTOBUF_MOVE 4

#endif

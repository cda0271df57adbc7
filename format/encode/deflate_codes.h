/* SPDX-License-Identifier: MIT */
/*
 * deflate_codes.h: the codes of a block of deflate: which symbols there are, the bits of each, and what
 * a block begins with if it has codes of its own: the lengths of these.
 */
#ifndef TL_FORMAT_ENCODE_DEFLATE_CODES_H
#define TL_FORMAT_ENCODE_DEFLATE_CODES_H

#include "format/encode/bit_sink.h"
#include "format/encode/deflate.h"

/* --- symbols of lengths and distances (RFC 1951, 3.2.5) */

struct tl_deflate_symbol {
	uint8_t symbol, extra; /* extra: bits that follow it */
	uint16_t first;	       /* the least value that it stands for */
};

static inline struct tl_deflate_symbol tl_length_symbol(unsigned length)
{
	unsigned value = length - 3, bits;

	if (length == TL_DEFLATE_LONGEST)
		return (struct tl_deflate_symbol){28, 0, TL_DEFLATE_LONGEST};
	if (value < 8)
		return (struct tl_deflate_symbol){(uint8_t)value, 0, (uint16_t)length};
	bits = 29 - (unsigned)__builtin_clz(value);
	return (struct tl_deflate_symbol){(uint8_t)((bits << 2) + (value >> bits)), (uint8_t)bits,
					  (uint16_t)((value >> bits << bits) + 3)};
}

/* `distance` is one less than the distance, as in struct tl_deflate_repeat. */
static inline struct tl_deflate_symbol tl_distance_symbol(unsigned distance)
{
	unsigned bits;

	if (distance < 4)
		return (struct tl_deflate_symbol){(uint8_t)distance, 0, (uint16_t)distance};
	bits = 30 - (unsigned)__builtin_clz(distance);
	return (struct tl_deflate_symbol){(uint8_t)((bits << 1) + (distance >> bits)),
					  (uint8_t)bits, (uint16_t)(distance >> bits << bits)};
}

/* --- codes */

/*
 * Literals are written by pairs, and a pair's bits are looked up at once. This is for bytes from 0x20
 * to 0x3f and from 0x60 to 0x7e, which digits are: 64 symbols of six bits, the last of which stands for
 * no literal.
 */
#define TL_DEFLATE_NO_LITERAL 63u

/* The fixed ones; or new ones, from the counts. */
void tl_deflate_codes_fix(struct tl_deflate *deflate);
void tl_deflate_codes_make(struct tl_deflate *deflate);

/* How many bits the counted symbols take with the codes that are there. */
size_t tl_deflate_codes_cost(const struct tl_deflate *deflate);

/* The codes are those to write with: makes what is looked up. */
void tl_deflate_codes_finish(struct tl_deflate *deflate);

/* --- the head */

#define TL_DEFLATE_LENGTH_CODES 19u

struct tl_deflate_head {
	unsigned literals, distances, lengths; /* how many of each are stored */
	unsigned count;
	uint8_t symbols[TL_DEFLATE_LITERALS + TL_DEFLATE_DISTANCES];
	uint8_t extra[TL_DEFLATE_LITERALS + TL_DEFLATE_DISTANCES];
	uint8_t code_lengths[TL_DEFLATE_LENGTH_CODES];
	uint16_t code_bits[TL_DEFLATE_LENGTH_CODES];
	size_t bits; /* its size */
};

/* From the lengths of the codes that the block has. */
void tl_deflate_head_make(struct tl_deflate_head *head, const struct tl_deflate *deflate);
void tl_deflate_head_write(struct bit_sink *sink, const struct tl_deflate_head *head);

#endif

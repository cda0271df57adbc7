/* SPDX-License-Identifier: MIT */
/*
 * bit_sink.h: bits on their way into bytes, as deflate orders them: the first one lowest.
 */
#ifndef TL_FORMAT_ENCODE_BIT_SINK_H
#define TL_FORMAT_ENCODE_BIT_SINK_H

#include <stdint.h>
#include <string.h>

struct bit_sink {
	uint64_t bits;
	unsigned count;
	uint8_t *at;
};

/* At most 56 bits between two bits_flush(). */
static inline void bits_put(struct bit_sink *sink, uint64_t bits, unsigned count)
{
	sink->bits |= bits << sink->count;
	sink->count += count;
}

/* Stores eight bytes; those that are not full come again. */
static inline void bits_flush(struct bit_sink *sink)
{
	memcpy(sink->at, &sink->bits, sizeof(sink->bits));
	sink->at += sink->count >> 3;
	sink->bits >>= sink->count & ~7u;
	sink->count &= 7;
}

static inline void bits_to_byte(struct bit_sink *sink)
{
	sink->count = (sink->count + 7) & ~7u;
	bits_flush(sink);
}

#endif

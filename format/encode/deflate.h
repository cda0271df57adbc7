/* SPDX-License-Identifier: MIT */
/*
 * deflate.h: compresses the text of traces (RFC 1951), at several times zlib's fastest speed.
 *
 * Text of traces repeats: an event has most bytes of an event before it, and differs in a few
 * digits. So the repeats are long and mostly as far back as the one before. deflate.c looks there
 * first, and nowhere twice. Other bytes are compressed less well than zlib would.
 *
 * Memory is the caller's: no allocation, no lock. Two threads need a struct each.
 */
#ifndef TL_FORMAT_ENCODE_DEFLATE_H
#define TL_FORMAT_ENCODE_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/encode/prefix_code.h"
#include "format/encode/repeat_hints.h"

#define TL_DEFLATE_HASH_BITS 12u
#define TL_DEFLATE_REPEATS   4096u /* the most that are kept: a block's codes are made from these */
#define TL_DEFLATE_DISTANCES 30u
#define TL_DEFLATE_LITERALS  286u /* bytes, the end of a block, and lengths of repeats */
#define TL_DEFLATE_LONGEST   258u
/* The first symbol of lengths. */
#define TL_DEFLATE_LENGTH_SYMBOLS 257u
/* Two literals, each of which is one of 64 symbols: deflate.c says which. */
#define TL_DEFLATE_PAIRS (64u * 64u)
#define TL_DEFLATE_CODE	 26u
#define TL_DEFLATE_NEAR	 1024u

/* Bytes as they are, then a repeat of earlier ones. */
struct tl_deflate_repeat {
	uint32_t literals;
	uint16_t length, distance; /* distance - 1, for 16 bits */
};

struct tl_deflate {
	/* Where text with this hash was last. */
	int32_t last[1u << TL_DEFLATE_HASH_BITS];
	struct tl_deflate_repeat repeats[TL_DEFLATE_REPEATS];
	uint32_t literal_counts[TL_PREFIX_CODE_SYMBOLS], distance_counts[TL_DEFLATE_DISTANCES];
	uint8_t literal_lengths[TL_PREFIX_CODE_SYMBOLS], distance_lengths[TL_DEFLATE_DISTANCES];
	uint16_t literal_bits[TL_PREFIX_CODE_SYMBOLS], distance_bits[TL_DEFLATE_DISTANCES];
	/*
	 * What is looked up: two literals; each length of a repeat, with the bits that tell lengths of a
	 * symbol apart; and so each near distance. The bits, and from TL_DEFLATE_CODE on how many these
	 * are.
	 */
	uint32_t pairs[TL_DEFLATE_PAIRS], repeat_codes[TL_DEFLATE_LONGEST + 1];
	uint32_t near_codes[TL_DEFLATE_NEAR];
};

/* The most bytes that `size` bytes become. */
size_t tl_deflate_bound(size_t size);

/*
 * Compresses `size` bytes, less than a GiB, to `out`, which has room for tl_deflate_bound(size).
 * Returns the size there. The result refers to nothing before it and ends on a byte. `last`: the
 * stream ends with it; otherwise further results may follow. `hints`: where to look for repeats
 * first; NULL: nobody knows.
 */
size_t tl_deflate(struct tl_deflate *deflate, char *out, const char *bytes, size_t size, bool last,
		  const struct tl_repeat_hints *hints);

#endif

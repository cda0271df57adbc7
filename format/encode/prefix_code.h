/* SPDX-License-Identifier: MIT */
/*
 * prefix_code.h: the prefix codes of deflate (RFC 1951, 3.2.2): which bits stand for which symbol.
 *
 * A code is made from how often each symbol comes: the more often, the fewer bits. No allocation.
 */
#ifndef TL_FORMAT_ENCODE_PREFIX_CODE_H
#define TL_FORMAT_ENCODE_PREFIX_CODE_H

#include <stdint.h>

#define TL_PREFIX_CODE_SYMBOLS 288u /* the most that a code has: deflate's literals and lengths */
#define TL_PREFIX_CODE_BITS    15u  /* the most that deflate allows a symbol */

/*
 * Stores for each of `symbols` symbols how many bits it has: 0 for those that don't come, at most
 * `most` for the others. At least one symbol gets a bit; if only one comes, it has one bit.
 */
void tl_prefix_code_lengths(uint8_t *lengths, const uint32_t *counts, unsigned symbols,
			    unsigned most);

/* Stores the bits of each symbol, as deflate orders them: the first one lowest. */
void tl_prefix_code_bits(uint16_t *bits, const uint8_t *lengths, unsigned symbols);

#endif

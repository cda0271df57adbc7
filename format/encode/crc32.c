/* SPDX-License-Identifier: MIT */
/*
 * crc32.c: see crc32.h. tables[n][byte] is the checksum's remainder of `byte` with n zero bytes behind it, so sixteen
 * bytes are looked up apart and summed ("slicing by 16").
 */
#include "format/encode/crc32.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the bytes of a step are taken from little-endian words"
#endif

#define POLYNOMIAL 0xedb88320u
#define STEP	   16

/* Threads that make them at once store the same. */
static _Atomic uint32_t tables[STEP][256];
static _Atomic bool made; /* release: stored after the tables */

static uint32_t remainder_at(unsigned table, unsigned byte)
{
	return atomic_load_explicit(&tables[table][byte], memory_order_relaxed);
}

static uint32_t remainder_of_byte(uint32_t byte)
{
	for (int bit = 0; bit < 8; bit++)
		byte = byte >> 1 ^ (byte & 1 ? POLYNOMIAL : 0);
	return byte;
}

void tl_crc32_prepare(void)
{
	if (atomic_load_explicit(&made, memory_order_acquire))
		return;
	for (unsigned byte = 0; byte < 256; byte++) {
		uint32_t remainder = remainder_of_byte(byte);

		for (unsigned table = 0; table < STEP; table++) {
			atomic_store_explicit(&tables[table][byte], remainder,
					      memory_order_relaxed);
			remainder = remainder >> 8 ^ remainder_of_byte(remainder & 0xff);
		}
	}
	atomic_store_explicit(&made, true, memory_order_release);
}

/* What the eight bytes of a word add, with `behind` bytes of the step behind them. */
static inline uint32_t word_remainder(uint64_t word, unsigned behind)
{
	uint32_t sum = 0;

#pragma GCC unroll 8
	for (unsigned i = 0; i < 8; i++)
		sum ^= remainder_at(behind + 7 - i, word >> 8 * i & 0xff);
	return sum;
}

static inline uint32_t crc_add_step(uint32_t crc, const unsigned char *bytes)
{
	uint64_t words[2];

	_Static_assert(sizeof(words) == STEP, "a step's bytes");
	memcpy(words, bytes, sizeof(words));
	return word_remainder(words[0] ^ crc, 8) ^ word_remainder(words[1], 0);
}

uint32_t tl_crc32(uint32_t crc, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	crc = ~crc;
	for (; size >= STEP; at += STEP, size -= STEP)
		crc = crc_add_step(crc, at);
	for (; size; at++, size--)
		crc = crc >> 8 ^ remainder_at(0, (crc ^ *at) & 0xff);
	return ~crc;
}

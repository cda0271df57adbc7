/* SPDX-License-Identifier: MIT */
/*
 * digits.h: integers as digits, eight of them in one word, without a loop and without a table.
 *
 * Each function returns where the digits end. It may also write behind them, up to the room that
 * its comment names: the caller must have that much.
 */
#ifndef TL_COMMON_DIGITS_H
#define TL_COMMON_DIGITS_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define TL_DECIMAL_ROOM	     24
#define TL_HEX_ROOM	     16
#define TL_MICROSECONDS_ROOM (TL_DECIMAL_ROOM + 4)

static inline char *tl_digits_store(char *to, uint64_t bytes)
{
	memcpy(to, &bytes, sizeof bytes);
	return to + sizeof bytes;
}

/*
 * A number below 10^8: its eight digits, the first in the lowest byte. It is halved three times:
 * into two numbers below 10^4, four below 100, eight below 10, all of which lie side by side and
 * are divided at once, by a product and a shift (10486 / 2^20 and 103 / 2^10 are close
 * enough to 1/100 and 1/10). The quotient q of x by n, and behind it the remainder, is
 * q + ((x - n q) << bits), which is (x << bits) - q ((n << bits) - 1).
 */
static inline uint64_t tl_digits_eight(uint32_t value)
{
	uint64_t quotient = value / 10000;
	uint64_t halves = ((uint64_t)value << 32) - quotient * ((10000ull << 32) - 1);
	uint64_t hundreds = halves * 10486 >> 20 & 0x0000007f0000007f;
	uint64_t pairs = (halves << 16) - hundreds * ((100 << 16) - 1);
	uint64_t tens = pairs * 103 >> 10 & 0x000f000f000f000f;

	return (pairs << 8) - tens * ((10 << 8) - 1);
}

#define TL_DIGITS_ZEROS 0x3030303030303030 /* "00000000" */

static inline char *tl_digits_put_eight(char *to, uint32_t value)
{
	return tl_digits_store(to, htole64(tl_digits_eight(value) + TL_DIGITS_ZEROS));
}

/* Below 10^8, without leading zeros. */
static inline char *tl_digits_put_short(char *to, uint32_t value)
{
	uint64_t digits = tl_digits_eight(value);
	unsigned leading = (unsigned)__builtin_ctzll(digits | 1ull << 56) / 8;

	tl_digits_store(to, htole64((digits >> 8 * leading) + TL_DIGITS_ZEROS));
	return to + 8 - leading;
}

/* Decimal, without leading zeros. Room: TL_DECIMAL_ROOM. */
static inline char *tl_digits_decimal(char *to, uint64_t value)
{
	const uint64_t eight = 100000000;

	if (value < eight)
		return tl_digits_put_short(to, (uint32_t)value);
	if (value < eight * eight) {
		to = tl_digits_put_short(to, (uint32_t)(value / eight));
	} else {
		to = tl_digits_put_short(to, (uint32_t)(value / (eight * eight)));
		to = tl_digits_put_eight(to, (uint32_t)(value / eight % eight));
	}
	return tl_digits_put_eight(to, (uint32_t)(value % eight));
}

/* The last three of eight digits, behind a point. Room: 4. */
static inline char *tl_digits_put_decimals(char *to, uint64_t eight)
{
	uint32_t bytes = htole32((uint32_t)(eight >> 40 << 8) | '.');

	memcpy(to, &bytes, sizeof bytes);
	return to + sizeof bytes;
}

/* Nanoseconds below 10^8 as five digits of microseconds and three decimals. Room: 9. */
static inline char *tl_digits_put_microseconds(char *to, uint32_t ns)
{
	uint64_t digits = tl_digits_eight(ns) + TL_DIGITS_ZEROS;

	tl_digits_store(to, htole64(digits));
	return tl_digits_put_decimals(to + 5, digits);
}

/* Nanoseconds as microseconds with three decimals. Room: TL_MICROSECONDS_ROOM. */
static inline char *tl_digits_microseconds(char *to, uint64_t ns)
{
	const uint64_t eight = 100000000;

	if (ns >= eight) {
		uint64_t digits = tl_digits_eight((uint32_t)(ns % 1000));

		to = tl_digits_decimal(to, ns / 1000);
		return tl_digits_put_decimals(to, digits + TL_DIGITS_ZEROS);
	}
	uint64_t digits = tl_digits_eight((uint32_t)ns);
	/* At least one digit is left before the point. */
	unsigned leading = (unsigned)__builtin_ctzll(digits | 1ull << 32) / 8;

	tl_digits_store(to, htole64((digits >> 8 * leading) + TL_DIGITS_ZEROS));
	return tl_digits_put_decimals(to + 5 - leading, digits + TL_DIGITS_ZEROS);
}

/* The eight digits of 32 bits in hexadecimal: each half byte gets a byte. */
static inline uint64_t tl_digits_hex_eight(uint32_t value)
{
	uint64_t x = value;

	x = (x | x << 16) & 0x0000ffff0000ffff;
	x = (x | x << 8) & 0x00ff00ff00ff00ff;
	x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
	uint64_t letters = (x + 0x0606060606060606) >> 4 & 0x0101010101010101;
	return htobe64(x + TL_DIGITS_ZEROS + letters * ('a' - '0' - 10));
}

/* Hexadecimal, without leading zeros. Room: TL_HEX_ROOM. */
static inline char *tl_digits_hex(char *to, uint64_t value)
{
	unsigned digits = (67 - (unsigned)__builtin_clzll(value | 1)) / 4;

	value <<= 64 - 4 * digits;
	tl_digits_store(to, tl_digits_hex_eight((uint32_t)(value >> 32)));
	tl_digits_store(to + 8, tl_digits_hex_eight((uint32_t)value));
	return to + digits;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * deflate_codes.c: see deflate_codes.h.
 */
#include "format/encode/deflate_codes.h"

#include <string.h>

#define CODE_BITS 13u /* the most of a symbol: four literals fit between two flushes */

void tl_deflate_codes_fix(struct tl_deflate *deflate)
{
	memset(deflate->literal_lengths, 8, 144);
	memset(deflate->literal_lengths + 144, 9, 256 - 144);
	memset(deflate->literal_lengths + 256, 7, 280 - 256);
	memset(deflate->literal_lengths + 280, 8, TL_PREFIX_CODE_SYMBOLS - 280);
	memset(deflate->distance_lengths, 5, sizeof(deflate->distance_lengths));
}

void tl_deflate_codes_make(struct tl_deflate *deflate)
{
	tl_prefix_code_lengths(deflate->literal_lengths, deflate->literal_counts,
			       TL_PREFIX_CODE_SYMBOLS, CODE_BITS);
	tl_prefix_code_lengths(deflate->distance_lengths, deflate->distance_counts,
			       TL_DEFLATE_DISTANCES, CODE_BITS);
}

/* How many bits the block takes with the codes that are there. */
size_t tl_deflate_codes_cost(const struct tl_deflate *deflate)
{
	size_t bits = 0;

	for (unsigned i = 0; i < TL_DEFLATE_LITERALS; i++) {
		unsigned extra =
			i < TL_DEFLATE_LENGTH_SYMBOLS + 8 || i == TL_DEFLATE_LENGTH_SYMBOLS + 28
				? 0
				: (i - TL_DEFLATE_LENGTH_SYMBOLS - 4) >> 2;

		bits += (size_t)deflate->literal_counts[i] * (deflate->literal_lengths[i] + extra);
	}
	for (unsigned i = 0; i < TL_DEFLATE_DISTANCES; i++)
		bits += (size_t)deflate->distance_counts[i] *
			(deflate->distance_lengths[i] + (i < 4 ? 0 : (i - 2) >> 1));
	return bits;
}

static inline unsigned literal_of_symbol(unsigned symbol)
{
	return symbol + (symbol < 32 ? 0x20 : 0x40);
}

static void pairs_make(struct tl_deflate *deflate)
{
	uint32_t bits[TL_DEFLATE_NO_LITERAL + 1], lengths[TL_DEFLATE_NO_LITERAL + 1];

	for (unsigned i = 0; i < TL_DEFLATE_NO_LITERAL; i++) {
		bits[i] = deflate->literal_bits[literal_of_symbol(i)];
		lengths[i] = deflate->literal_lengths[literal_of_symbol(i)];
	}
	bits[TL_DEFLATE_NO_LITERAL] = lengths[TL_DEFLATE_NO_LITERAL] = 0;
	for (unsigned first = 0; first <= TL_DEFLATE_NO_LITERAL; first++) {
		uint32_t *pairs = &deflate->pairs[first << 6], length = lengths[first];
		uint32_t base = bits[first] + (length << TL_DEFLATE_CODE);

		for (unsigned second = 0; second <= TL_DEFLATE_NO_LITERAL; second++)
			pairs[second] = base + (bits[second] << length) +
					(lengths[second] << TL_DEFLATE_CODE);
	}
}

/* The codes of a symbol's values: its bits, and in the bits behind them which value it is. */
static void codes_of_symbol(uint32_t *codes, uint32_t bits, unsigned length, unsigned extra)
{
	uint32_t first = bits | (length + extra) << TL_DEFLATE_CODE;

	for (uint32_t i = 0; i < 1u << extra; i++)
		codes[i] = first + (i << length);
}

static void length_codes(struct tl_deflate *deflate, unsigned length,
			 struct tl_deflate_symbol symbol)
{
	unsigned number = TL_DEFLATE_LENGTH_SYMBOLS + symbol.symbol;

	codes_of_symbol(&deflate->repeat_codes[length], deflate->literal_bits[number],
			deflate->literal_lengths[number], symbol.extra);
}

void tl_deflate_codes_finish(struct tl_deflate *deflate)
{
	struct tl_deflate_symbol symbol;

	tl_prefix_code_bits(deflate->literal_bits, deflate->literal_lengths,
			    TL_PREFIX_CODE_SYMBOLS);
	tl_prefix_code_bits(deflate->distance_bits, deflate->distance_lengths,
			    TL_DEFLATE_DISTANCES);
	for (uint32_t at = 3; at < TL_DEFLATE_LONGEST; at += 1u << symbol.extra) {
		symbol = tl_length_symbol(at);
		length_codes(deflate, at, symbol);
	}
	/* One of the symbol before, but it has a symbol of its own. */
	length_codes(deflate, TL_DEFLATE_LONGEST, tl_length_symbol(TL_DEFLATE_LONGEST));
	for (uint32_t at = 0; at < TL_DEFLATE_NEAR; at += 1u << symbol.extra) {
		symbol = tl_distance_symbol(at);
		codes_of_symbol(&deflate->near_codes[at], deflate->distance_bits[symbol.symbol],
				deflate->distance_lengths[symbol.symbol], symbol.extra);
	}
	pairs_make(deflate);
}

/* --- the head (RFC 1951, 3.2.7) */

#define AGAIN	   16u /* the length before, 3 to 6 times: 2 bits */
#define ZEROS	   17u /* 3 to 10 zeros: 3 bits */
#define MORE_ZEROS 18u /* 11 to 138: 7 bits */

static const uint8_t head_order[TL_DEFLATE_LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
							    11, 4,  12, 3, 13, 2, 14, 1, 15};
static const uint8_t head_extra[TL_DEFLATE_LENGTH_CODES] = {
	[AGAIN] = 2, [ZEROS] = 3, [MORE_ZEROS] = 7};

static unsigned used_symbols(const uint8_t *lengths, unsigned symbols, unsigned least)
{
	while (symbols > least && !lengths[symbols - 1])
		symbols--;
	return symbols;
}

static void head_put(struct tl_deflate_head *head, unsigned symbol, unsigned extra)
{
	head->symbols[head->count] = (uint8_t)symbol;
	head->extra[head->count++] = (uint8_t)extra;
}

static void head_put_run(struct tl_deflate_head *head, unsigned length, unsigned run)
{
	while (!length && run >= 3) {
		unsigned part = run < 138 ? run : 138;

		head_put(head, part < 11 ? ZEROS : MORE_ZEROS, part < 11 ? part - 3 : part - 11);
		run -= part;
	}
	if (run) {
		head_put(head, length, 0);
		run--;
	}
	while (length && run >= 3) {
		unsigned part = run < 6 ? run : 6;

		head_put(head, AGAIN, part - 3);
		run -= part;
	}
	for (; run; run--)
		head_put(head, length, 0);
}

void tl_deflate_head_make(struct tl_deflate_head *head, const struct tl_deflate *deflate)
{
	uint8_t lengths[TL_DEFLATE_LITERALS + TL_DEFLATE_DISTANCES];
	uint32_t counts[TL_DEFLATE_LENGTH_CODES] = {0};
	unsigned all;

	memset(head, 0, sizeof(*head));
	head->literals = used_symbols(deflate->literal_lengths, TL_DEFLATE_LITERALS,
				      TL_DEFLATE_LENGTH_SYMBOLS);
	head->distances = used_symbols(deflate->distance_lengths, TL_DEFLATE_DISTANCES, 1);
	all = head->literals + head->distances;
	memcpy(lengths, deflate->literal_lengths, head->literals);
	memcpy(lengths + head->literals, deflate->distance_lengths, head->distances);
	for (unsigned at = 0, run; at < all; at += run) {
		for (run = 1; at + run < all && lengths[at + run] == lengths[at];)
			run++;
		head_put_run(head, lengths[at], run);
	}
	for (unsigned i = 0; i < head->count; i++)
		counts[head->symbols[i]]++;
	tl_prefix_code_lengths(head->code_lengths, counts, TL_DEFLATE_LENGTH_CODES, 7);
	tl_prefix_code_bits(head->code_bits, head->code_lengths, TL_DEFLATE_LENGTH_CODES);
	head->lengths = TL_DEFLATE_LENGTH_CODES;
	while (head->lengths > 4 && !head->code_lengths[head_order[head->lengths - 1]])
		head->lengths--;
	head->bits = 5 + 5 + 4 + 3 * head->lengths;
	for (unsigned i = 0; i < TL_DEFLATE_LENGTH_CODES; i++)
		head->bits += (size_t)counts[i] * (head->code_lengths[i] + head_extra[i]);
}

void tl_deflate_head_write(struct bit_sink *sink, const struct tl_deflate_head *head)
{
	bits_put(sink, head->literals - TL_DEFLATE_LENGTH_SYMBOLS, 5);
	bits_put(sink, head->distances - 1, 5);
	bits_put(sink, head->lengths - 4, 4);
	bits_flush(sink);
	for (unsigned i = 0; i < head->lengths; i++) {
		bits_put(sink, head->code_lengths[head_order[i]], 3);
		bits_flush(sink);
	}
	for (unsigned i = 0; i < head->count; i++) {
		unsigned symbol = head->symbols[i];

		bits_put(sink, head->code_bits[symbol], head->code_lengths[symbol]);
		bits_put(sink, head->extra[i], head_extra[symbol]);
		bits_flush(sink);
	}
}

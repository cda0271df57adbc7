/* SPDX-License-Identifier: MIT */
/*
 * prefix_code.c: see prefix_code.h. The lengths are those of a Huffman code, by the method of
 * Moffat and Katajainen ("In-place calculation of minimum-redundancy codes", 1995): one array is
 * in turn the symbols' weights, the tree's parents and the symbols' depths. Depths over the limit
 * are cut to it, and other symbols get longer codes until the code is a prefix code again.
 */
#include "format/encode/prefix_code.h"

#include <string.h>

/* The symbols that come, the rarest first. Returns their number. */
static unsigned symbols_sort(uint16_t *sorted, const uint32_t *counts, unsigned symbols)
{
	unsigned used = 0;

	/* Mostly, many come once. */
	for (unsigned symbol = 0; symbol < symbols; symbol++)
		if (counts[symbol] == 1)
			sorted[used++] = (uint16_t)symbol;
	for (unsigned symbol = 0; symbol < symbols; symbol++) {
		unsigned at = used;

		if (counts[symbol] < 2)
			continue;
		for (; at && counts[sorted[at - 1]] > counts[symbol]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = (uint16_t)symbol;
		used++;
	}
	return used;
}

/* Two lightest nodes become one, until one is left. weights[i] becomes the parent of inner node i. */
static void tree_make(uint32_t *weights, unsigned count)
{
	unsigned leaf = 0, inner = 0;

	for (unsigned next = 0; next < count - 1; next++) {
		uint32_t sum = 0;

		for (int child = 0; child < 2; child++) {
			if (leaf < count && (inner >= next || weights[leaf] <= weights[inner])) {
				sum += weights[leaf++];
			} else {
				sum += weights[inner];
				weights[inner++] = next;
			}
		}
		weights[next] = sum;
	}
}

/* Parents become depths, then the depths of leaves, the rarest symbol's first. */
static void tree_depths(uint32_t *nodes, unsigned count)
{
	unsigned at = count, left = 1, depth = 0;
	int inner = (int)count - 2;

	nodes[inner] = 0;
	for (int i = inner - 1; i >= 0; i--)
		nodes[i] = nodes[nodes[i]] + 1;
	for (; left; depth++) {
		unsigned inside = 0;

		for (; inner >= 0 && nodes[inner] == depth; inner--)
			inside++;
		for (; left > inside; left--)
			nodes[--at] = depth;
		left = 2 * inside;
	}
}

/* How many codes have each length: none above `most`, and together they fill the space of codes. */
static void lengths_limit(uint32_t *with_length, unsigned most)
{
	uint32_t space = 0;

	for (unsigned length = 1; length <= most; length++)
		space += with_length[length] << (most - length);
	for (; space > 1u << most; space--) {
		unsigned length = most - 1;

		while (!with_length[length])
			length--;
		with_length[length]--;
		with_length[length + 1] += 2;
		with_length[most]--;
	}
}

void tl_prefix_code_lengths(uint8_t *lengths, const uint32_t *counts, unsigned symbols,
			    unsigned most)
{
	uint16_t sorted[TL_PREFIX_CODE_SYMBOLS];
	uint32_t nodes[TL_PREFIX_CODE_SYMBOLS];
	uint32_t with_length[TL_PREFIX_CODE_BITS + 1] = {0};
	unsigned used = symbols_sort(sorted, counts, symbols);

	memset(lengths, 0, symbols);
	if (used < 2) {
		lengths[used ? sorted[0] : 0] = 1;
		return;
	}
	for (unsigned i = 0; i < used; i++)
		nodes[i] = counts[sorted[i]];
	tree_make(nodes, used);
	tree_depths(nodes, used);
	for (unsigned i = 0; i < used; i++)
		with_length[nodes[i] < most ? nodes[i] : most]++;
	lengths_limit(with_length, most);
	for (unsigned length = most, i = 0; length; length--)
		for (uint32_t n = with_length[length]; n; n--)
			lengths[sorted[i++]] = (uint8_t)length;
}

static uint16_t bits_turned(uint32_t code, unsigned length)
{
	uint16_t to = 0;

	for (; length; length--, code >>= 1)
		to = (uint16_t)(to << 1 | (code & 1));
	return to;
}

void tl_prefix_code_bits(uint16_t *bits, const uint8_t *lengths, unsigned symbols)
{
	uint32_t next[TL_PREFIX_CODE_BITS + 2] = {0}, code = 0;

	for (unsigned symbol = 0; symbol < symbols; symbol++)
		next[lengths[symbol] + 1u]++;
	next[1] = 0;
	for (unsigned length = 1; length <= TL_PREFIX_CODE_BITS; length++) {
		uint32_t with_this = next[length + 1];

		/* next[length + 1] is still the number of codes with `length` bits. */
		next[length] = code;
		code = (code + with_this) << 1;
	}
	for (unsigned symbol = 0; symbol < symbols; symbol++)
		if (lengths[symbol])
			bits[symbol] = bits_turned(next[lengths[symbol]]++, lengths[symbol]);
}

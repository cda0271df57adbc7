/* SPDX-License-Identifier: MIT */
/*
 * deflate.c: see deflate.h. Text is read once, for its repeats; when there are many, or much was
 * read, these become a block with prefix codes of its own.
 *
 * From each place on, eight bytes are compared with those as far back as the last repeat: four that
 * are alike begin a repeat, and the bytes before them are literals. If that finds little, the place
 * where the hash of the next five bytes came last is looked at, too. Only places that were looked up
 * are kept by hash: in lines that are alike, the same places are looked up again.
 *
 * Where a hint is near, it is tried instead, and what lies before it are literals.
 */
#include "format/encode/deflate.h"

#include <string.h>

#define SMALLEST       4u /* repeat, as far back as the last one */
#define SMALLEST_NEW   5u /* ... elsewhere */
#define SMALLEST_FAR   6u /* ... far away, where its distance takes many bits */
#define FAR	       2048u
#define PLENTY	       8u	     /* so long that no other one is looked for */
#define SAMPLE	       5u	     /* one of so many repeats that had hints is counted */
#define HINT_NEAR      24u	     /* so near that nothing is looked for before it */
#define WINDOW	       32768u	     /* deflate's */
#define BLOCK	       (256u * 1024) /* bytes that a block stands for, or few more */
#define STORED_LONGEST 65535u
#define END_OF_BLOCK   256u
#define CODE_BITS      13u  /* the most of a symbol: four literals fit between two flushes */
#define LENGTH_SYMBOLS 257u /* the first symbol of lengths */

enum { STORED, FIXED, DYNAMIC };

/* --- bits */

struct bit_sink {
	uint64_t bits;
	unsigned count;
	uint8_t *at;
};

static inline uint64_t load_64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static inline uint32_t load_32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

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

static void bits_to_byte(struct bit_sink *sink)
{
	sink->count = (sink->count + 7) & ~7u;
	bits_flush(sink);
}

/* --- symbols of lengths and distances (RFC 1951, 3.2.5) */

struct symbol {
	uint8_t symbol, extra; /* extra: bits that follow it */
	uint16_t first;	       /* the least value that it stands for */
};

static struct symbol length_symbol(unsigned length)
{
	unsigned value = length - 3, bits;

	if (length == TL_DEFLATE_LONGEST)
		return (struct symbol){28, 0, TL_DEFLATE_LONGEST};
	if (value < 8)
		return (struct symbol){(uint8_t)value, 0, (uint16_t)length};
	bits = 29 - (unsigned)__builtin_clz(value);
	return (struct symbol){(uint8_t)((bits << 2) + (value >> bits)), (uint8_t)bits,
			       (uint16_t)((value >> bits << bits) + 3)};
}

/* `distance` is one less than the distance, as in struct tl_deflate_repeat. */
static inline struct symbol distance_symbol(unsigned distance)
{
	unsigned bits;

	if (distance < 4)
		return (struct symbol){(uint8_t)distance, 0, (uint16_t)distance};
	bits = 30 - (unsigned)__builtin_clz(distance);
	return (struct symbol){(uint8_t)((bits << 1) + (distance >> bits)), (uint8_t)bits,
			       (uint16_t)(distance >> bits << bits)};
}

/* --- repeats */

/* In which of eight bytes the first difference is. */
static inline unsigned first_byte(uint64_t differ)
{
	return (unsigned)__builtin_ctzll(differ) >> 3;
}

/* How many bytes from `at` on are as those from `before` on. */
static inline size_t bytes_alike(const uint8_t *before, const uint8_t *at, const uint8_t *end)
{
	const uint8_t *start = at;

	for (; end - at >= 8; at += 8, before += 8) {
		uint64_t differ = load_64(before) ^ load_64(at);

		if (differ)
			return (size_t)(at - start) + first_byte(differ);
	}
	while (at < end && *at == *before)
		at++, before++;
	return (size_t)(at - start);
}

static inline uint32_t hash_5(uint64_t bytes)
{
	return (uint32_t)(((bytes << 24) * 0x9e3779b97f4a7c15ull) >> (64 - TL_DEFLATE_HASH_BITS));
}

struct search {
	const uint8_t *base, *at, *end;
	size_t distance; /* of the last repeat; 0: there was none */
	const struct tl_repeat_hint *hint, *hints_end;
};

struct found {
	const uint8_t *at;
	size_t length; /* 0: nothing */
	size_t distance;
};

/* What a block gets: where its bytes begin and end, and its repeats. The rest are literals. */
struct block {
	const uint8_t *from, *to;
	unsigned repeats;
	bool sampled; /* not everything was counted */
};

static inline void literals_count(struct tl_deflate *deflate, const uint8_t *literals,
				  const uint8_t *at, unsigned each)
{
	for (; literals < at; literals++)
		deflate->literal_counts[*literals] += each;
}

static inline void repeat_add(struct tl_deflate *deflate, struct block *block,
			      const uint8_t *literals, const struct found *found)
{
	struct tl_deflate_repeat *repeat = &deflate->repeats[block->repeats++];

	repeat->literals = (uint32_t)(found->at - literals);
	repeat->length = (uint16_t)found->length;
	repeat->distance = (uint16_t)(found->distance - 1);
}

/*
 * A repeat as far back as the last one, that begins at most four bytes after `at`. Between lines
 * that differ in a number, the bytes behind it are alike again.
 */
static inline struct found repeat_find_near(const struct search *search)
{
	const uint64_t low = 0x7f7f7f7f7f7f7f7full;
	const uint8_t *at = search->at, *before = at - search->distance;
	uint64_t differ = load_64(at) ^ load_64(before);
	/* The highest bit of each byte that is alike, then of those that begin four such bytes. */
	uint64_t alike = ~(((differ & low) + low) | differ | low);
	unsigned gap;

	alike &= alike >> 8;
	alike &= alike >> 16;
	if (!alike)
		return (struct found){at, 0, 0};
	gap = (unsigned)__builtin_ctzll(alike) >> 3;
	return (struct found){at + gap,
			      4 + bytes_alike(before + gap + 4, at + gap + 4, search->end),
			      search->distance};
}

/* A repeat of the text that had the same hash last. */
static inline struct found repeat_find_last(struct tl_deflate *deflate, const struct search *search)
{
	const uint8_t *at = search->at;
	uint64_t bytes = load_64(at);
	int32_t here = (int32_t)(at - search->base), *last = &deflate->last[hash_5(bytes)];
	size_t distance = (size_t)(here - *last), length;

	*last = here;
	if (distance > WINDOW || load_32(at - distance) != (uint32_t)bytes)
		return (struct found){at, 0, 0};
	length = bytes_alike(at - distance, at, search->end);
	if (length < (distance < FAR ? SMALLEST_NEW : SMALLEST_FAR))
		return (struct found){at, 0, 0};
	return (struct found){at, length, distance};
}

/*
 * Whether a hint is so near that nothing else is looked for. Hints that the search has passed, or that
 * lead nowhere, are dropped.
 */
static inline bool hint_is_near(struct search *search)
{
	uint32_t here = (uint32_t)(search->at - search->base);
	size_t left = (size_t)(search->end - search->at);

	for (; search->hint < search->hints_end; search->hint++) {
		const struct tl_repeat_hint *hint = search->hint;

		if (hint->at >= here && hint->before < hint->at &&
		    hint->at - hint->before <= WINDOW)
			return hint->at - here <= HINT_NEAR && hint->at - here + 16 <= left;
	}
	return false;
}

/* A repeat where the hint, which is near, tells. */
static inline struct found repeat_find_hinted(struct search *search)
{
	const struct tl_repeat_hint *hint = search->hint++;
	const uint8_t *at = search->base + hint->at;
	size_t distance = hint->at - hint->before;
	size_t length = 16;

	/* Most end within 16 bytes; in which half can't be predicted. */
	uint64_t low = load_64(at) ^ load_64(at - distance);
	uint64_t high = load_64(at + 8) ^ load_64(at + 8 - distance);
	uint64_t differ = low ? low : high;
	if (differ)
		length = first_byte(differ) + (low ? 0 : 8);
	else
		length += bytes_alike(at + 16 - distance, at + 16, search->end);
	return (struct found){at, length < SMALLEST ? 0 : length, distance};
}

/* At least eight bytes are left. */
static inline struct found repeat_find(struct tl_deflate *deflate, const struct search *search)
{
	struct found near = {search->at, 0, 0}, last;

	if (search->distance)
		near = repeat_find_near(search);
	if (near.length >= PLENTY)
		return near;
	last = repeat_find_last(deflate, search);
	return last.length > near.length ? last : near;
}

/* A symbol that the sample lacks has a code, too. */
static void symbols_count_once(struct tl_deflate *deflate)
{
	for (unsigned i = 0; i < TL_DEFLATE_LITERALS; i++)
		deflate->literal_counts[i]++;
	for (unsigned i = 0; i < TL_DEFLATE_DISTANCES; i++)
		deflate->distance_counts[i]++;
}

/* Reads on, until the block has enough. */
static struct block block_read(struct tl_deflate *deflate, struct search *search)
{
	struct block block = {search->at, search->end, 0, false};
	const uint8_t *literals = search->at;
	const uint8_t *enough = search->end - search->at > BLOCK ? search->at + BLOCK : search->end;

	memset(deflate->literal_counts, 0, sizeof(deflate->literal_counts));
	while (search->at < enough && block.repeats < TL_DEFLATE_REPEATS &&
	       search->end - search->at >= 8) {
		bool hinted = hint_is_near(search);
		struct found found =
			hinted ? repeat_find_hinted(search) : repeat_find(deflate, search);

		if (!found.length && hinted)
			continue;
		if (!found.length) {
			/* The longer nothing is found, the fewer places are looked at. */
			search->at += 1 + ((search->at - literals) >> 8);
			continue;
		}
		/* What is left of a long one is found next. */
		if (found.length > TL_DEFLATE_LONGEST)
			found.length = found.length < TL_DEFLATE_LONGEST + SMALLEST
					       ? TL_DEFLATE_LONGEST - SMALLEST
					       : TL_DEFLATE_LONGEST;
		if (!hinted)
			literals_count(deflate, literals, found.at, 1);
		else if (block.repeats % SAMPLE == 0)
			literals_count(deflate, literals, found.at, SAMPLE);
		block.sampled |= hinted;
		repeat_add(deflate, &block, literals, &found);
		search->distance = found.distance;
		search->at = literals = found.at + found.length;
	}
	if (search->end - search->at < 8)
		search->at = search->end;
	block.to = search->at;
	literals_count(deflate, literals, block.to, 1);
	deflate->literal_counts[END_OF_BLOCK] = 1;
	memset(deflate->distance_counts, 0, sizeof(deflate->distance_counts));
	if (block.sampled)
		symbols_count_once(deflate);
	unsigned each = block.sampled ? SAMPLE : 1;
	for (unsigned i = 0; i < block.repeats; i += each) {
		const struct tl_deflate_repeat *repeat = &deflate->repeats[i];

		deflate->literal_counts[LENGTH_SYMBOLS + length_symbol(repeat->length).symbol] +=
			each;
		deflate->distance_counts[distance_symbol(repeat->distance).symbol] += each;
	}
	return block;
}

/* --- a block's head: the lengths of its codes (RFC 1951, 3.2.7) */

#define LENGTH_CODES 19u
#define AGAIN	     16u /* the length before, 3 to 6 times: 2 bits */
#define ZEROS	     17u /* 3 to 10 zeros: 3 bits */
#define MORE_ZEROS   18u /* 11 to 138: 7 bits */

struct head {
	unsigned literals, distances, lengths; /* how many of each are stored */
	unsigned count;
	uint8_t symbols[TL_DEFLATE_LITERALS + TL_DEFLATE_DISTANCES];
	uint8_t extra[TL_DEFLATE_LITERALS + TL_DEFLATE_DISTANCES];
	uint8_t code_lengths[LENGTH_CODES];
	uint16_t code_bits[LENGTH_CODES];
	size_t bits;
};

static const uint8_t head_order[LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
						 11, 4,	 12, 3, 13, 2, 14, 1, 15};
static const uint8_t head_extra[LENGTH_CODES] = {[AGAIN] = 2, [ZEROS] = 3, [MORE_ZEROS] = 7};

static unsigned used_symbols(const uint8_t *lengths, unsigned symbols, unsigned least)
{
	while (symbols > least && !lengths[symbols - 1])
		symbols--;
	return symbols;
}

static void head_put(struct head *head, unsigned symbol, unsigned extra)
{
	head->symbols[head->count] = (uint8_t)symbol;
	head->extra[head->count++] = (uint8_t)extra;
}

static void head_put_run(struct head *head, unsigned length, unsigned run)
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

static void head_make(struct head *head, const struct tl_deflate *deflate)
{
	uint8_t lengths[TL_DEFLATE_LITERALS + TL_DEFLATE_DISTANCES];
	uint32_t counts[LENGTH_CODES] = {0};
	unsigned all;

	memset(head, 0, sizeof(*head));
	head->literals =
		used_symbols(deflate->literal_lengths, TL_DEFLATE_LITERALS, LENGTH_SYMBOLS);
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
	tl_prefix_code_lengths(head->code_lengths, counts, LENGTH_CODES, 7);
	tl_prefix_code_bits(head->code_bits, head->code_lengths, LENGTH_CODES);
	head->lengths = LENGTH_CODES;
	while (head->lengths > 4 && !head->code_lengths[head_order[head->lengths - 1]])
		head->lengths--;
	head->bits = 5 + 5 + 4 + 3 * head->lengths;
	for (unsigned i = 0; i < LENGTH_CODES; i++)
		head->bits += (size_t)counts[i] * (head->code_lengths[i] + head_extra[i]);
}

static void head_write(struct bit_sink *sink, const struct head *head)
{
	bits_put(sink, head->literals - LENGTH_SYMBOLS, 5);
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

/* --- a block's codes and bytes */

static void codes_fix(struct tl_deflate *deflate)
{
	memset(deflate->literal_lengths, 8, 144);
	memset(deflate->literal_lengths + 144, 9, 256 - 144);
	memset(deflate->literal_lengths + 256, 7, 280 - 256);
	memset(deflate->literal_lengths + 280, 8, TL_PREFIX_CODE_SYMBOLS - 280);
	memset(deflate->distance_lengths, 5, sizeof(deflate->distance_lengths));
}

static void codes_make(struct tl_deflate *deflate)
{
	tl_prefix_code_lengths(deflate->literal_lengths, deflate->literal_counts,
			       TL_PREFIX_CODE_SYMBOLS, CODE_BITS);
	tl_prefix_code_lengths(deflate->distance_lengths, deflate->distance_counts,
			       TL_DEFLATE_DISTANCES, CODE_BITS);
}

/* How many bits the block takes with the codes that are there. */
static size_t codes_cost(const struct tl_deflate *deflate)
{
	size_t bits = 0;

	for (unsigned i = 0; i < TL_DEFLATE_LITERALS; i++) {
		unsigned extra = i < LENGTH_SYMBOLS + 8 || i == LENGTH_SYMBOLS + 28
					 ? 0
					 : (i - LENGTH_SYMBOLS - 4) >> 2;

		bits += (size_t)deflate->literal_counts[i] * (deflate->literal_lengths[i] + extra);
	}
	for (unsigned i = 0; i < TL_DEFLATE_DISTANCES; i++)
		bits += (size_t)deflate->distance_counts[i] *
			(deflate->distance_lengths[i] + (i < 4 ? 0 : (i - 2) >> 1));
	return bits;
}

static void codes_finish(struct tl_deflate *deflate)
{
	tl_prefix_code_bits(deflate->literal_bits, deflate->literal_lengths,
			    TL_PREFIX_CODE_SYMBOLS);
	tl_prefix_code_bits(deflate->distance_bits, deflate->distance_lengths,
			    TL_DEFLATE_DISTANCES);
	for (unsigned length = 3; length <= TL_DEFLATE_LONGEST; length++) {
		struct symbol symbol = length_symbol(length);
		unsigned bits = deflate->literal_lengths[LENGTH_SYMBOLS + symbol.symbol];

		deflate->repeat_bits[length] =
			deflate->literal_bits[LENGTH_SYMBOLS + symbol.symbol] |
			(length - symbol.first) << bits;
		deflate->repeat_lengths[length] = (uint8_t)(bits + symbol.extra);
	}
}

/*
 * Up to four literals, without a branch: their number can't be predicted. `at` has four bytes, all
 * of the text.
 */
static inline void literals_write(const struct tl_deflate *deflate, struct bit_sink *sink,
				  const uint8_t *at, unsigned count)
{
	for (unsigned i = 0; i < 4; i++) {
		uint64_t mask = i < count ? ~0ull : 0;

		bits_put(sink, deflate->literal_bits[at[i]] & mask,
			 deflate->literal_lengths[at[i]] & (unsigned)mask);
	}
	bits_flush(sink);
}

/* False: it gets longer than `end`, and is no block. At most 24 bytes are written behind that. */
static bool block_write_codes(const struct tl_deflate *deflate, struct bit_sink *to,
			      const struct block *block, const uint8_t *end)
{
	struct bit_sink sink = *to; /* its fields stay in registers */
	const uint8_t *at = block->from;

	for (unsigned i = 0; i < block->repeats; i++) {
		const struct tl_deflate_repeat *repeat = &deflate->repeats[i];
		struct symbol symbol = distance_symbol(repeat->distance);
		unsigned literals = repeat->literals;

		for (; literals > 4 && sink.at <= end; literals -= 4, at += 4)
			literals_write(deflate, &sink, at, 4);
		if (sink.at > end)
			return false;
		literals_write(deflate, &sink, at, literals);
		bits_put(&sink, deflate->repeat_bits[repeat->length],
			 deflate->repeat_lengths[repeat->length]);
		bits_put(&sink, deflate->distance_bits[symbol.symbol],
			 deflate->distance_lengths[symbol.symbol]);
		bits_put(&sink, (unsigned)repeat->distance - symbol.first, symbol.extra);
		bits_flush(&sink);
		at += literals + repeat->length;
	}
	for (; at < block->to && sink.at <= end; at++) {
		bits_put(&sink, deflate->literal_bits[*at], deflate->literal_lengths[*at]);
		bits_flush(&sink);
	}
	bits_put(&sink, deflate->literal_bits[END_OF_BLOCK],
		 deflate->literal_lengths[END_OF_BLOCK]);
	bits_flush(&sink);
	*to = sink;
	return sink.at <= end;
}

static void stored_write(struct bit_sink *sink, const uint8_t *bytes, size_t size, bool last)
{
	do {
		size_t part = size < STORED_LONGEST ? size : STORED_LONGEST;

		bits_put(sink, last && part == size, 1);
		bits_put(sink, STORED, 2);
		bits_to_byte(sink);
		bits_put(sink, part | (~part & 0xffff) << 16, 32);
		bits_flush(sink);
		memcpy(sink->at, bytes, part);
		sink->at += part;
		bytes += part;
		size -= part;
	} while (size);
}

static void block_write(struct tl_deflate *deflate, struct bit_sink *sink,
			const struct block *block, bool last)
{
	size_t size = (size_t)(block->to - block->from), fixed, dynamic;
	struct bit_sink begun = *sink;
	struct head head;

	codes_fix(deflate);
	fixed = codes_cost(deflate);
	codes_make(deflate);
	head_make(&head, deflate);
	dynamic = head.bits + codes_cost(deflate);
	if ((fixed < dynamic ? fixed : dynamic) / 8 >= size + 4) {
		stored_write(sink, block->from, size, last);
		return;
	}
	if (fixed <= dynamic)
		codes_fix(deflate);
	bits_put(sink, last, 1);
	bits_put(sink, fixed <= dynamic ? FIXED : DYNAMIC, 2);
	bits_flush(sink);
	if (fixed > dynamic)
		head_write(sink, &head);
	codes_finish(deflate);
	/* A sample may have promised too much. */
	if (block_write_codes(deflate, sink, block, begun.at + size + 4))
		return;
	*sink = begun;
	stored_write(sink, block->from, size, last);
}

/* --- all of it */

size_t tl_deflate_bound(size_t size)
{
	/* Stored blocks at worst, each at least as long as the fewest bytes that fill a block; the
	 * end; and eight bytes that a flush stores. */
	return size + 8 * (size / (TL_DEFLATE_REPEATS * SMALLEST) + size / STORED_LONGEST + 4);
}

size_t tl_deflate(struct tl_deflate *deflate, char *out, const char *bytes, size_t size, bool last,
		  const struct tl_repeat_hints *hints)
{
	const uint8_t *base = (const uint8_t *)bytes;
	struct search search = {base, base, base + size, 0, NULL, NULL};
	struct bit_sink sink = {0, 0, (uint8_t *)out};

	if (hints) {
		search.hint = hints->list;
		search.hints_end = hints->list + hints->count;
	}
	/* Before all that the window reaches. */
	for (unsigned i = 0; i < 1u << TL_DEFLATE_HASH_BITS; i++)
		deflate->last[i] = -(int32_t)WINDOW - 1;
	while (search.at < search.end) {
		struct block block = block_read(deflate, &search);

		block_write(deflate, &sink, &block, last && search.at == search.end);
	}
	if (!last || !size)
		stored_write(&sink, base, 0, last);
	bits_to_byte(&sink);
	return (size_t)(sink.at - (uint8_t *)out);
}

/* SPDX-License-Identifier: MIT */
/*
 * deflate.c: see deflate.h. A block's first repeats are kept, and the block's codes are made from
 * these (deflate_codes.c). The rest of the block is written with them while it is read. What gets
 * longer that way is stored.
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

#include "format/encode/bit_sink.h"
#include "format/encode/deflate_codes.h"

#define SMALLEST       4u /* repeat, as far back as the last one */
#define SMALLEST_NEW   5u /* ... elsewhere */
#define SMALLEST_FAR   6u /* ... far away, where its distance takes many bits */
#define FAR	       2048u
#define PLENTY	       8u     /* so long that no other one is looked for */
#define HINTED	       1024u  /* so many repeats are enough for codes, where hints tell of them */
#define HINT_NEAR      24u    /* so near that nothing is looked for before it */
#define WINDOW	       32768u /* deflate's */
#define BLOCK	       (256u * 1024) /* bytes that a block stands for, or few more */
#define STORED_LONGEST 65535u
#define END_OF_BLOCK   256u

enum { STORED, FIXED, DYNAMIC };

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

/* --- repeats */

/* In which of eight bytes the first difference is. */
static inline unsigned first_byte(uint64_t differ)
{
	return (unsigned)__builtin_ctzll(differ) >> 3;
}

/*
 * In which of 16 bytes the first difference is. In which half it is can't be predicted, so there is
 * no branch.
 */
static inline unsigned first_byte_16(uint64_t low, uint64_t high)
{
	uint64_t in_high = (uint64_t)!low;

	return first_byte(low | (high & -in_high)) + 8 * (unsigned)in_high;
}

/* How many bytes from `at` on are as those from `before` on. */
static inline size_t bytes_alike(const uint8_t *before, const uint8_t *at, const uint8_t *end)
{
	const uint8_t *start = at;

	for (; end - at >= 16; at += 16, before += 16) {
		uint64_t low = load_64(before) ^ load_64(at);
		uint64_t high = load_64(before + 8) ^ load_64(at + 8);

		if (low | high)
			return (size_t)(at - start) + first_byte_16(low, high);
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
	uint32_t hints_last; /* no hint behind this is used: few bytes are left there */
};

struct found {
	const uint8_t *at;
	size_t length; /* 0: nothing */
	size_t distance;
};

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

/* A long repeat passes several hints. */
static inline void hints_pass(struct search *search)
{
	uint32_t here = (uint32_t)(search->at - search->base);

	while (search->hint < search->hints_end && search->hint->at < here)
		search->hint++;
}

static inline bool hint_leads(const struct tl_repeat_hint *hint)
{
	return hint->back - 1 < WINDOW && hint->back <= hint->at;
}

/* Hints that the search has passed, or that lead nowhere, are dropped. */
static inline void hints_drop(struct search *search)
{
	uint32_t here = (uint32_t)(search->at - search->base);

	for (; search->hint < search->hints_end; search->hint++)
		if (search->hint->at >= here && hint_leads(search->hint))
			return;
}

/*
 * Whether a hint is so near that nothing else is looked for. It may be one to be dropped: then not.
 */
static inline bool hint_is_near(const struct search *search)
{
	const struct tl_repeat_hint *hint = search->hint;
	uint32_t here = (uint32_t)(search->at - search->base);

	return hint < search->hints_end && hint->at - here <= HINT_NEAR && hint_leads(hint) &&
	       hint->at <= search->hints_last;
}

/* A repeat where the hint, which is near, tells. */
static inline struct found repeat_find_hinted(const struct search *search)
{
	const struct tl_repeat_hint *hint = search->hint;
	const uint8_t *at = search->base + hint->at;
	size_t distance = hint->back, length = bytes_alike(at - distance, at, search->end);

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

/* The next repeat that begins before `enough`; its .length is 0 if there is none. */
static __attribute__((noinline)) struct found
repeat_next_any(struct tl_deflate *deflate, struct search *search, const uint8_t *enough)
{
	const uint8_t *from = search->at;

	while (search->at < enough && search->end - search->at >= 8) {
		hints_drop(search);
		bool hinted = hint_is_near(search);
		struct found found =
			hinted ? repeat_find_hinted(search) : repeat_find(deflate, search);

		if (hinted)
			search->hint++;
		if (!found.length && hinted)
			continue;
		if (!found.length) {
			/* The longer nothing is found, the fewer places are looked at. */
			search->at += 1 + ((search->at - from) >> 8);
			continue;
		}
		/* What is left of a long one is found next. */
		if (found.length > TL_DEFLATE_LONGEST)
			found.length = found.length < TL_DEFLATE_LONGEST + SMALLEST
					       ? TL_DEFLATE_LONGEST - SMALLEST
					       : TL_DEFLATE_LONGEST;
		search->distance = found.distance;
		search->at = found.at + found.length;
		return found;
	}
	if (search->end - search->at < 8)
		search->at = search->end;
	return (struct found){search->at, 0, 0};
}

/* The same. Most repeats are where the next hint tells. */
static inline __attribute__((always_inline)) struct found
repeat_next(struct tl_deflate *deflate, struct search *search, const uint8_t *enough)
{
	struct search copy; /* a search whose address is known elsewhere is kept in memory */
	struct found found;

	hints_pass(search);
	if (search->at < enough && hint_is_near(search)) {
		found = repeat_find_hinted(search);
		if (found.length && found.length <= TL_DEFLATE_LONGEST) {
			search->hint++;
			search->distance = found.distance;
			search->at = found.at + found.length;
			return found;
		}
	}
	copy = *search;
	found = repeat_next_any(deflate, &copy, enough);
	*search = copy;
	return found;
}

/* --- the first repeats of a block, for its codes */

/* Where their bytes begin and end, and their number. The rest are literals. */
struct sample {
	const uint8_t *from, *to;
	unsigned repeats;
	bool is_all; /* of the block */
};

static inline void repeat_keep(struct tl_deflate *deflate, struct sample *sample,
			       const uint8_t *literals, const struct found *found)
{
	struct tl_deflate_repeat *repeat = &deflate->repeats[sample->repeats++];

	repeat->literals = (uint32_t)(found->at - literals);
	repeat->length = (uint16_t)found->length;
	repeat->distance = (uint16_t)(found->distance - 1);
}

/* Literals up to a repeat, if there is one. */
static void found_count(struct tl_deflate *deflate, const uint8_t *literals,
			const struct found *found)
{
	for (; literals < found->at; literals++)
		deflate->literal_counts[*literals]++;
	if (!found->length)
		return;
	unsigned length = tl_length_symbol((unsigned)found->length).symbol;
	deflate->literal_counts[TL_DEFLATE_LENGTH_SYMBOLS + length]++;
	deflate->distance_counts[tl_distance_symbol((unsigned)found->distance - 1).symbol]++;
}

/* A symbol that was not counted has a code, too. */
static void symbols_count_once(struct tl_deflate *deflate)
{
	for (unsigned i = 0; i < TL_DEFLATE_LITERALS; i++)
		deflate->literal_counts[i]++;
	for (unsigned i = 0; i < TL_DEFLATE_DISTANCES; i++)
		deflate->distance_counts[i]++;
}

static struct sample sample_read(struct tl_deflate *deflate, struct search *search,
				 const uint8_t *enough)
{
	struct sample sample = {search->at, search->at, 0, false};
	unsigned most = TL_DEFLATE_REPEATS;

	memset(deflate->literal_counts, 0, sizeof(deflate->literal_counts));
	memset(deflate->distance_counts, 0, sizeof(deflate->distance_counts));
	while (sample.repeats < most && !sample.is_all) {
		const struct tl_repeat_hint *hint = search->hint;
		struct found found = repeat_next(deflate, search, enough);

		most = search->hint != hint ? HINTED : TL_DEFLATE_REPEATS;
		found_count(deflate, sample.to, &found);
		if (found.length)
			repeat_keep(deflate, &sample, sample.to, &found);
		sample.to = search->at;
		sample.is_all = search->at >= enough;
	}
	deflate->literal_counts[END_OF_BLOCK] = 1;
	if (!sample.is_all)
		symbols_count_once(deflate);
	return sample;
}

/* --- a block's bytes */

static inline void code_put(struct bit_sink *sink, uint32_t code)
{
	bits_put(sink, code & ((1u << TL_DEFLATE_CODE) - 1), code >> TL_DEFLATE_CODE);
}

static inline void pair_put(const struct tl_deflate *deflate, struct bit_sink *sink,
			    uint64_t symbols)
{
	code_put(sink, deflate->pairs[symbols & (TL_DEFLATE_PAIRS - 1)]);
}

static inline void distance_put(const struct tl_deflate *deflate, struct bit_sink *sink,
				unsigned distance)
{
	if (distance < TL_DEFLATE_NEAR) {
		code_put(sink, deflate->near_codes[distance]);
		return;
	}
	struct tl_deflate_symbol symbol = tl_distance_symbol(distance);
	bits_put(sink, deflate->distance_bits[symbol.symbol],
		 deflate->distance_lengths[symbol.symbol]);
	bits_put(sink, distance - symbol.first, symbol.extra);
}

/* Any literals. By value: a sink whose address is known elsewhere is kept in memory. */
static __attribute__((noinline)) struct bit_sink
literals_write_each(const struct tl_deflate *deflate, struct bit_sink sink, const uint8_t *at,
		    unsigned count)
{
	for (; count; count--, at++) {
		bits_put(&sink, deflate->literal_bits[*at], deflate->literal_lengths[*at]);
		bits_flush(&sink);
	}
	return sink;
}

/* Up to eight literals, with no more branches than one: their number can't be predicted. */
static inline __attribute__((always_inline)) void literals_write(const struct tl_deflate *deflate,
								 struct bit_sink *sink,
								 const uint8_t *at, unsigned count,
								 const uint8_t *end)
{
	const uint64_t each = 0x0101010101010101ull;
	uint64_t bytes, beyond = count < 8 ? ~0ull << 8 * count : 0, symbols, strange;

	if (end - at < 8) {
		*sink = literals_write_each(deflate, *sink, at, count);
		return;
	}
	bytes = load_64(at);
	symbols = (bytes & 0x1f * each) | (bytes >> 1 & 0x20 * each);
	strange = ((bytes ^ 0x20 * each) & 0xa0 * each) | ((symbols + each) & 0x40 * each);
	if (strange & ~beyond) {
		*sink = literals_write_each(deflate, *sink, at, count);
		return;
	}
	symbols |= beyond & TL_DEFLATE_NO_LITERAL * each;
	symbols = (symbols << 6 & 0x0fc00fc00fc00fc0ull) | (symbols >> 8 & 0x003f003f003f003full);
	pair_put(deflate, sink, symbols);
	pair_put(deflate, sink, symbols >> 16);
	bits_flush(sink);
	if (count <= 4)
		return;
	pair_put(deflate, sink, symbols >> 32);
	pair_put(deflate, sink, symbols >> 48);
	bits_flush(sink);
}

struct output {
	struct bit_sink sink;
	const uint8_t *full; /* when it is beyond, the block is given up */
	const uint8_t *end;  /* of the text */
};

/* Literals, and a repeat behind them. At most 32 bytes are written beyond output->full. */
static inline __attribute__((always_inline)) void repeat_write(const struct tl_deflate *deflate,
							       struct output *output,
							       const uint8_t *at, size_t literals,
							       unsigned length, unsigned distance)
{
	for (; literals > 8 && output->sink.at <= output->full; literals -= 8, at += 8)
		literals_write(deflate, &output->sink, at, 8, output->end);
	if (output->sink.at > output->full)
		return;
	literals_write(deflate, &output->sink, at, (unsigned)literals, output->end);
	code_put(&output->sink, deflate->repeat_codes[length]);
	distance_put(deflate, &output->sink, distance);
	bits_flush(&output->sink);
}

static const uint8_t *sample_write(const struct tl_deflate *deflate, struct output *to,
				   const struct sample *sample)
{
	struct output output = *to; /* its fields stay in registers */
	const uint8_t *at = sample->from;

	for (unsigned i = 0; i < sample->repeats && output.sink.at <= output.full; i++) {
		const struct tl_deflate_repeat *repeat = &deflate->repeats[i];

		repeat_write(deflate, &output, at, repeat->literals, repeat->length,
			     repeat->distance);
		at += repeat->literals + repeat->length;
	}
	*to = output;
	return at;
}

/* What follows the sample, up to `enough`, is written while it is read. */
static const uint8_t *rest_write(struct tl_deflate *deflate, struct output *to,
				 struct search *search, const uint8_t *at, const uint8_t *enough)
{
	struct output output = *to;
	struct search reads = *search;

	while (reads.at < enough && output.sink.at <= output.full) {
		struct found found = repeat_next(deflate, &reads, enough);

		if (!found.length)
			break;
		repeat_write(deflate, &output, at, (size_t)(found.at - at), (unsigned)found.length,
			     (unsigned)found.distance - 1);
		at = reads.at;
	}
	*to = output;
	*search = reads;
	return at;
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

/* Writes a block, whose sample was read, with the codes that are there. False: it gets too long. */
static bool block_write_codes(struct tl_deflate *deflate, struct bit_sink *sink,
			      const struct sample *sample, struct search *search,
			      const uint8_t *enough, const uint8_t *begun)
{
	size_t room = (size_t)((enough > sample->to ? enough : sample->to) - sample->from) + 4;
	struct output output = {*sink, begun + room, search->end};
	const uint8_t *at = sample_write(deflate, &output, sample);

	if (!sample->is_all && output.sink.at <= output.full)
		at = rest_write(deflate, &output, search, at, enough);
	for (; at < search->at && output.sink.at <= output.full; at++)
		output.sink = literals_write_each(deflate, output.sink, at, 1);
	bits_put(&output.sink, deflate->literal_bits[END_OF_BLOCK],
		 deflate->literal_lengths[END_OF_BLOCK]);
	bits_flush(&output.sink);
	*sink = output.sink;
	return output.sink.at <= output.full &&
	       output.sink.at <= begun + (search->at - sample->from) + 4;
}

/* Writes the next block. Returns whether it was the last one, which it is at most if `last`. */
static bool block_write(struct tl_deflate *deflate, struct bit_sink *sink, struct search *search,
			bool last)
{
	bool ends = search->end - search->at <= BLOCK;
	const uint8_t *enough = ends ? search->end : search->at + BLOCK;
	struct sample sample = sample_read(deflate, search, enough);
	size_t size = (size_t)(sample.to - sample.from), fixed, dynamic;
	struct bit_sink begun = *sink;
	struct tl_deflate_head head;

	tl_deflate_codes_fix(deflate);
	fixed = tl_deflate_codes_cost(deflate);
	tl_deflate_codes_make(deflate);
	tl_deflate_head_make(&head, deflate);
	dynamic = head.bits + tl_deflate_codes_cost(deflate);
	if ((fixed < dynamic ? fixed : dynamic) / 8 < size + 4) {
		if (fixed <= dynamic)
			tl_deflate_codes_fix(deflate);
		bits_put(sink, last && ends, 1);
		bits_put(sink, fixed <= dynamic ? FIXED : DYNAMIC, 2);
		bits_flush(sink);
		if (fixed > dynamic)
			tl_deflate_head_write(sink, &head);
		tl_deflate_codes_finish(deflate);
		/* The sample may have promised too much. */
		if (block_write_codes(deflate, sink, &sample, search, enough, begun.at))
			return last && ends;
		*sink = begun;
	}
	last = last && search->at == search->end;
	stored_write(sink, sample.from, (size_t)(search->at - sample.from), last);
	return last;
}

/* --- all of it */

size_t tl_deflate_bound(size_t size)
{
	/* Stored blocks at worst, each at least as long as the fewest bytes that fill a block; the
	 * end; and eight bytes that a flush stores. */
	return size + 8 * (size / (TL_DEFLATE_REPEATS * SMALLEST) + size / STORED_LONGEST + 6);
}

size_t tl_deflate(struct tl_deflate *deflate, char *out, const char *bytes, size_t size, bool last,
		  const struct tl_repeat_hints *hints)
{
	const uint8_t *base = (const uint8_t *)bytes;
	struct search search = {.base = base, .at = base, .end = base + size};
	struct bit_sink sink = {0, 0, (uint8_t *)out};

	if (hints && size >= 16) {
		search.hints_last = (uint32_t)size - 16;
		search.hint = hints->list;
		search.hints_end = hints->list + hints->count;
	}
	/* Before all that the window reaches. */
	for (unsigned i = 0; i < 1u << TL_DEFLATE_HASH_BITS; i++)
		deflate->last[i] = -(int32_t)WINDOW - 1;
	bool ended = false;
	while (search.at < search.end)
		ended = block_write(deflate, &sink, &search, last);
	if (!ended)
		stored_write(&sink, base, 0, last);
	bits_to_byte(&sink);
	return (size_t)(sink.at - (uint8_t *)out);
}

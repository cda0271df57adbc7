/* SPDX-License-Identifier: MIT */
/*
 * record_words.h: stepping over records by their first words, which hold a record's type, 0 while it
 * is not finished, and its size.
 */
#ifndef TL_FORMAT_FILE_RECORD_WORDS_H
#define TL_FORMAT_FILE_RECORD_WORDS_H

#include <stdatomic.h>
#include <stdint.h>

/* Acquire: pairs with the release of the code that finishes the record. */
static inline uint64_t tl_record_first_word(const char *at)
{
	return atomic_load_explicit((const _Atomic uint64_t *)at, memory_order_acquire);
}

static inline uint32_t tl_record_type_of(uint64_t word)
{
	return word >> 16 & 0xff;
}

static inline uint64_t tl_record_size_of(uint64_t word)
{
	return (word & 0xffff) * 8;
}

/*
 * Bytes from a record to the next. A zero word, which is an unused place, is stepped over by
 * itself.
 */
static inline uint64_t tl_record_step(uint64_t word)
{
	return tl_record_size_of(word) ? tl_record_size_of(word) : 8;
}

/*
 * Steps over room that was reserved and not used, to the first record that is finished; its first word
 * goes to `word`. `end` or behind it: there is none.
 */
static inline const char *tl_record_finished(const char *at, const char *end, uint64_t *word)
{
	while (at < end && !tl_record_type_of(*word = tl_record_first_word(at)))
		at += tl_record_step(*word);
	return at;
}

#endif

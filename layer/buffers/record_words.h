/* SPDX-License-Identifier: MIT */
/*
 * record_words.h: a record's first word: its type, 0 while it is not finished, and its size.
 */
#ifndef TL_LAYER_BUFFERS_RECORD_WORDS_H
#define TL_LAYER_BUFFERS_RECORD_WORDS_H

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

#endif

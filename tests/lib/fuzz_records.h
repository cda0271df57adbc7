/* SPDX-License-Identifier: MIT */
/*
 * fuzz_records.h: sound chunks of records of args_table.h's functions, and damage to them, for fuzz
 * targets that have no libFuzzer.
 */
#ifndef TL_TESTS_LIB_FUZZ_RECORDS_H
#define TL_TESTS_LIB_FUZZ_RECORDS_H

#include "format/file/record.h"
#include "tests/lib/args_table.h"
#include "tests/lib/random.h"

/* A call of any function, or a loss. Returns its size. */
static inline size_t sound_call(char *to)
{
	struct tl_call_record *record = (void *)to;
	uint32_t id = next_random() % F_COUNT;
	size_t words = table_functions[id].words;

	*record = (struct tl_call_record){.size = 4 + words,
					  .type = next_random() % 9 ? 1 : 3,
					  .flags = TL_RECORD_WORDS | (next_random() & 12),
					  .function = id,
					  .start = next_random() >> next_random() % 64,
					  .duration = next_random() >> next_random() % 64,
					  .result = next_random() % 4 ? 0 : next_random()};
	if (next_random() % 3 == 0) {
		record->flags |= TL_RECORD_CAUSE;
		record->size++;
		words++;
	}
	for (size_t i = 0; i < words; i++)
		((uint64_t *)(record + 1))[i] = next_random() >> next_random() % 64;
	if (next_random() % 2) {
		struct tl_blob_sizes *sizes = (void *)((uint64_t *)(record + 1) + words);
		*sizes = (struct tl_blob_sizes){next_random() % 8 * 8, next_random() % 8 * 8};
		for (size_t i = 0; i < (sizes->entry + sizes->exit) / 8; i++)
			((uint64_t *)(sizes + 1))[i] = next_random() >> next_random() % 64;
		record->flags |= TL_RECORD_BLOBS;
		record->size += 1 + (sizes->entry + sizes->exit) / 8;
	}
	return record->size * 8u;
}

/* Chunks of some records that `sound` makes, some bytes of them changed, and some of them cut. */
static inline void fuzz_damaged(long rounds, size_t (*sound)(char *to),
				int (*fuzz)(const uint8_t *input, size_t size))
{
	static _Alignas(8) char input[16384];

	for (long i = 0; i < rounds; i++) {
		size_t size = 0;
		for (uint64_t n = next_random() % 5 + 1; n; n--)
			size += sound(input + size);
		for (uint64_t damage = next_random() % 6; damage; damage--)
			input[next_random() % size] = (char)next_random();
		fuzz((uint8_t *)input, next_random() % 4 ? size : next_random() % size);
	}
}

#endif

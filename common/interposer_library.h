/* SPDX-License-Identifier: MIT */
/*
 * interposer_library.h: what an interposer (gen/interposer.c) registers, and its late words.
 *
 * A late word is a pointer in a table that the dynamic linker leaves alone. In the file it holds the
 * distance from itself to what it points to, plus a mark. Which of the two it is, the word itself shows:
 * no address has one of the highest four bits. Each process maps the tables, and most make no traced
 * call: so only those that do pay for the pointers.
 */
#ifndef TL_COMMON_INTERPOSER_LIBRARY_H
#define TL_COMMON_INTERPOSER_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/signature.h"
#include "tracelayer/shim.h"

#define TL_LATE_MARK	     0x4000000000000000u
#define TL_LATE_IS_ONE(word) ((word) >> 60)

/* Where late words are: each entry is the distance from itself to a word. And the tables' bytes. */
struct tl_late_words {
	const int32_t *first, *end;
	char *tables, *tables_end;
};

/*
 * From this .abi on, .late is where it is here, whatever else changes: also the calls of an interposer
 * of a later version, which is not used, read its tables.
 */
#define TL_LATE_ABI		0x10007u
#define TL_ABI_HAS_LATE(number) ((number) >= TL_LATE_ABI && (number) >> 16 == TL_LATE_ABI >> 16)

struct tl_interposer_library {
	struct tl_shim_library library; /* .abi: TL_GENERIC_ABI */
	/* The tables but for struct tl_api and its .sonames, which are right at once. */
	struct tl_late_words late;
	uint64_t flags; /* enum tl_function_flag: what any of the functions has */
};

/* The library behind it compares pointers with some of its functions. Interposers alone know that. */
static inline bool tl_shim_library_is_compared(const struct tl_shim_library *library)
{
	return library->abi == TL_GENERIC_ABI &&
	       ((const struct tl_interposer_library *)library)->flags & TL_FUNCTION_COMPARED;
}

/*
 * Makes pointers of late words. Several threads, or a thread and its signal handler, may do this at
 * once: all store the same. It calls nothing.
 */
static inline void tl_late_words_point(const struct tl_late_words *late)
{
	for (const int32_t *place = late->first; place != late->end; place++) {
		_Atomic uintptr_t *word =
			(_Atomic uintptr_t *)((uintptr_t)place + (uintptr_t)(intptr_t)*place);
		uintptr_t value = atomic_load_explicit(word, memory_order_relaxed);

		if (TL_LATE_IS_ONE(value))
			atomic_store_explicit(word, value - TL_LATE_MARK + (uintptr_t)word,
					      memory_order_relaxed);
	}
}

#endif

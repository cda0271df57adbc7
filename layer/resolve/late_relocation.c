/* SPDX-License-Identifier: MIT */
/*
 * late_relocation.c: see late_relocation.h.
 *
 * A word holds the distance from itself to what it points to, plus a mark, and later the pointer.
 * Which of the two it is, the word itself shows: no address has one of the highest four bits. So
 * several threads, or a thread and its signal handler, may do this at once: all store the same.
 */
#include "layer/resolve/late_relocation.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define MARK	      0x4000000000000000u
#define IS_LATE(word) ((word) >> 60)

/* Each is the distance from itself to a word. A build without these tables has none. */
extern const int32_t __start_tl_late_words[] __attribute__((weak, visibility("hidden")));
extern const int32_t __stop_tl_late_words[] __attribute__((weak, visibility("hidden")));

void tl_late_relocate(void)
{
	static _Atomic bool done;

	/* Acquire, pairs with the release below: who sees it sees all pointers. */
	if (atomic_load_explicit(&done, memory_order_acquire))
		return;
	for (const int32_t *place = __start_tl_late_words; place != __stop_tl_late_words; place++) {
		_Atomic uintptr_t *word =
			(_Atomic uintptr_t *)((uintptr_t)place + (uintptr_t)(intptr_t)*place);
		uintptr_t value = atomic_load_explicit(word, memory_order_relaxed);

		if (IS_LATE(value))
			atomic_store_explicit(word, value - MARK + (uintptr_t)word,
					      memory_order_relaxed);
	}
	atomic_store_explicit(&done, true, memory_order_release);
}

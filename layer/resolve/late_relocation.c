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
#include <sys/syscall.h>

#include "layer/base/libc/kernel.h"
#include "layer/buffers/process_state.h"

#define MARK	      0x4000000000000000u
#define IS_LATE(word) ((word) >> 60)

/* Each is the distance from itself to a word. A build without these tables has none. */
extern const int32_t __start_tl_late_words[] __attribute__((weak, visibility("hidden")));
extern const int32_t __stop_tl_late_words[] __attribute__((weak, visibility("hidden")));

/* The tables: the section of that name. */
extern char __start_tl_late[] __attribute__((weak, visibility("hidden")));
extern char __stop_tl_late[] __attribute__((weak, visibility("hidden")));

#ifdef __x86_64__
#define PAGE_LARGEST 4096u
#else
#define PAGE_LARGEST 65536u
#endif

/*
 * The tables' whole pages become the process's own by one system call. By page faults that takes three
 * times as long. With other threads it takes ten times as long: reading maps a page, and each write to a
 * mapped page then interrupts their processors. Where the kernel can't, page faults do it.
 */
static void pages_make_own(void)
{
	uintptr_t start =
		((uintptr_t)__start_tl_late + PAGE_LARGEST - 1) & -(uintptr_t)PAGE_LARGEST;
	uintptr_t stop = (uintptr_t)__stop_tl_late & -(uintptr_t)PAGE_LARGEST;

	if (start < stop && !tl_process_is_confined())
		TL_KERNEL(SYS_madvise, start, stop - start, MADV_POPULATE_WRITE);
}

void tl_late_relocate(void)
{
	static _Atomic bool done;

	/* Acquire, pairs with the release below: who sees it sees all pointers. */
	if (atomic_load_explicit(&done, memory_order_acquire))
		return;
	pages_make_own();
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

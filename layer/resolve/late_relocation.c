/* SPDX-License-Identifier: MIT */
/*
 * late_relocation.c: see late_relocation.h.
 */
#include "layer/resolve/late_relocation.h"

#include <linux/membarrier.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "common/interposer_library.h"
#include "layer/base/libc/kernel.h"
#include "layer/buffers/process_state.h"

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
static void pages_make_own(const struct tl_late_words *late)
{
	uintptr_t start = ((uintptr_t)late->tables + PAGE_LARGEST - 1) & -(uintptr_t)PAGE_LARGEST;
	uintptr_t stop = (uintptr_t)late->tables_end & -(uintptr_t)PAGE_LARGEST;

	if (start < stop && !tl_process_is_confined())
		TL_KERNEL(SYS_madvise, start, stop - start, MADV_POPULATE_WRITE);
}

/*
 * A call of another thread reads its shim's mode, which changes later, and then the tables. It does so
 * without a barrier: here one is made in each thread. x86-64 keeps loads in their order.
 */
static void threads_make_barrier(void)
{
#ifndef __x86_64__
	if (!tl_process_is_confined())
		TL_KERNEL(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
#endif
}

void tl_late_relocate_words(const struct tl_late_words *late)
{
	pages_make_own(late);
	tl_late_words_point(late);
	threads_make_barrier();
}

void tl_late_relocate(void)
{
	static _Atomic bool done;
	const struct tl_late_words builtin = {__start_tl_late_words, __stop_tl_late_words,
					      __start_tl_late, __stop_tl_late};

	/* Acquire, pairs with the release below: who sees it sees all pointers. */
	if (atomic_load_explicit(&done, memory_order_acquire))
		return;
	tl_late_relocate_words(&builtin);
	atomic_store_explicit(&done, true, memory_order_release);
}

/* SPDX-License-Identifier: MIT */
/*
 * cache_near.h: variables of the whole process that each call with a hook reads, and that hardly
 * ever change. The linker puts them together, wherever they are defined. Between two such calls a
 * driver, the kernel and other threads use the caches, and each cache line that has to be fetched
 * again costs as much as a dozen instructions.
 */
#ifndef TL_LAYER_BASE_CACHE_NEAR_H
#define TL_LAYER_BASE_CACHE_NEAR_H

#define TL_NEAR __attribute__((section("tl_near")))

/* Functions of such calls: they lie together, too. */
#define TL_NEAR_CODE __attribute__((hot))

/*
 * Prefetches a cache line for writing; another processor may have it. In assembler on x86-64: for
 * __builtin_prefetch, compilers emit a prefetch for reading unless they know that the processor has
 * the one for writing, and some drop a function that only prefetches.
 */
static inline void tl_near_soon(const void *line)
{
#if defined(__x86_64__)
	__asm__ volatile("prefetchw (%0)" : : "r"(line));
#else
	__builtin_prefetch(line, 1);
#endif
}

#endif

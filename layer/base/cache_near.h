/* SPDX-License-Identifier: MIT */
/*
 * cache_near.h: variables of the whole process that each call with a hook reads, and that hardly
 * ever change. The linker puts them together, wherever they are defined. Between two such calls a
 * driver, the kernel and other threads use the caches. Each cache line that has to be brought back
 * costs as much as a dozen instructions.
 */
#ifndef TL_LAYER_BASE_CACHE_NEAR_H
#define TL_LAYER_BASE_CACHE_NEAR_H

#define TL_NEAR __attribute__((section("tl_near")))

/* Functions of such calls: they lie together, too. */
#define TL_NEAR_CODE __attribute__((hot))

/*
 * This line is going to be written soon; another processor may have it. By hand on x86-64:
 * compilers have it read there, unless they are told that the processor knows better, which all do
 * to whom it matters; and some drop a function that does nothing else.
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

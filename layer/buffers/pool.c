/* SPDX-License-Identifier: MIT */
/*
 * pool.c: see pool.h.
 *
 * The pool is one range of addresses, reserved at the first use. The kernel makes its pages as they
 * are touched, and zeroes them in a child (MADV_WIPEONFORK, Linux 4.14; before that, only forks
 * that run the layer's fork handlers are noticed). The first byte is not zero, unless a fork has
 * wiped the range.
 */
#include "layer/buffers/pool.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "layer/base/environment.h"
#include "layer/base/start_page.h"

#define UNIT	 64u
#define SMALLEST (1024u * 1024)
/* A thread's or a chunk's state takes less than a sixteenth of what it has in the arena. */
#define SHARE 16u

static _Atomic(char *) base TL_START;
static uint64_t capacity; /* set before `base` */
static _Atomic uint64_t used = UNIT;

uint64_t tl_pool_size(uint64_t arena)
{
	uint64_t size = arena / SHARE;

	if (size < SMALLEST)
		size = SMALLEST;
	if (size > UINT64_C(1) << 36)
		size = UINT64_C(1) << 36;
	return size & ~UINT64_C(4095);
}

static char *pool_range(void)
{
	/* Acquire: pairs with the exchange below, so that the range is mapped and marked. */
	char *memory = atomic_load_explicit(&base, memory_order_acquire);

	if (memory)
		return memory;
	uint64_t size = tl_pool_size(tl_config.memory);
	char *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mapped == MAP_FAILED)
		return NULL;
	madvise(mapped, size, MADV_WIPEONFORK);
	*mapped = 1;
	/* All threads that store this at the same time store the same value. */
	__atomic_store_n(&capacity, size, __ATOMIC_RELAXED);
	if (atomic_compare_exchange_strong_explicit(&base, &memory, mapped, memory_order_acq_rel,
						    memory_order_acquire))
		return mapped;
	munmap(mapped, size);
	return memory;
}

void *tl_pool_take(uint32_t size)
{
	char *memory = pool_range();
	uint64_t at = atomic_load_explicit(&used, memory_order_relaxed);

	size = (size + UNIT - 1) & ~(UNIT - 1);
	if (!memory)
		return NULL;
	do {
		if (size > __atomic_load_n(&capacity, __ATOMIC_RELAXED) - at)
			return NULL;
	} while (!atomic_compare_exchange_weak_explicit(&used, &at, at + size, memory_order_relaxed,
							memory_order_relaxed));
	return memory + at;
}

uint32_t tl_pool_number(const void *address)
{
	const char *memory = atomic_load_explicit(&base, memory_order_acquire);

	return (uint32_t)(((const char *)address - memory) / UNIT);
}

void *tl_pool_address(uint32_t number)
{
	char *memory = atomic_load_explicit(&base, memory_order_acquire);

	return memory + (uint64_t)number * UNIT;
}

bool tl_pool_wiped(void)
{
	const char *memory = atomic_load_explicit(&base, memory_order_acquire);

	return memory && !*(const volatile char *)memory;
}

void tl_pool_after_fork(void)
{
	atomic_store_explicit(&used, UNIT, memory_order_relaxed);
	atomic_store_explicit(&base, NULL, memory_order_release);
}

/*
 * arena.c: the memory that events and open calls lie in. See arena.h.
 *
 * The address range is reserved at the first use and costs nothing; pages are made when they are taken, by one system call for all
 * of them. `base` is set once by compare and exchange: a thread that loses that race unmaps its own range.
 */
#include "layer/arena.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "layer/config.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define SMALLEST (1024u * 1024)
#define LARGEST (UINT64_C(1) << 40)

static _Atomic(char *) base;
static _Atomic uint64_t used;

static uint64_t capacity(void)
{
	uint64_t size = tl_config.memory;

	if (size < SMALLEST)
		size = SMALLEST;
	if (size > LARGEST)
		size = LARGEST;
	return size & ~(uint64_t)(TL_ARENA_UNIT - 1);
}

static char *arena(void)
{
	/* Acquire: pairs with the exchange below, so that the range is mapped. */
	char *memory = atomic_load_explicit(&base, memory_order_acquire);

	if (memory)
		return memory;
	void *mapped = mmap(NULL, capacity(), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mapped == MAP_FAILED)
		return NULL;
	if (atomic_compare_exchange_strong_explicit(&base, &memory, mapped, memory_order_acq_rel,
						    memory_order_acquire))
		return mapped;
	munmap(mapped, capacity());
	return memory;
}

/* Make the pages now. False where the kernel has none; where it is too old to say so, touching them has to do. */
static bool fault_in(char *memory, uint64_t size)
{
	if (madvise(memory, size, MADV_POPULATE_WRITE) == 0)
		return true;
	long page = sysconf(_SC_PAGESIZE);
	if (madvise(memory, (size_t)page, MADV_POPULATE_WRITE) == 0)
		return false;
	for (uint64_t at = 0; at < size; at += TL_ARENA_UNIT)
		*(volatile char *)(memory + at) = 0;
	return true;
}

char *tl_arena_take(uint64_t size)
{
	char *memory = arena();
	uint64_t at = atomic_load_explicit(&used, memory_order_relaxed);

	if (!memory)
		return NULL;
	do {
		if (size > capacity() - at)
			return NULL;
	} while (!atomic_compare_exchange_weak_explicit(&used, &at, at + size, memory_order_relaxed,
							memory_order_relaxed));
	return fault_in(memory + at, size) ? memory + at : NULL;
}

bool tl_arena_left(uint64_t size)
{
	return size <= capacity() - atomic_load_explicit(&used, memory_order_relaxed);
}

uint32_t tl_arena_number(const void *address)
{
	const char *memory = atomic_load_explicit(&base, memory_order_acquire);

	return (uint32_t)(((const char *)address - memory) / TL_ARENA_UNIT) + 1;
}

void *tl_arena_address(uint32_t number)
{
	char *memory = atomic_load_explicit(&base, memory_order_acquire);

	return memory + (uint64_t)(number - 1) * TL_ARENA_UNIT;
}

void tl_arena_after_fork(void)
{
	char *memory = atomic_load_explicit(&base, memory_order_relaxed);

	if (memory)
		madvise(memory, capacity(), MADV_DONTNEED);
	atomic_store_explicit(&base, NULL, memory_order_relaxed);
	atomic_store_explicit(&used, 0, memory_order_relaxed);
}

/* SPDX-License-Identifier: MIT */
/*
 * shared_table.h: a table of zeros, mapped by the first thread that needs it. If several do so at
 * once, one mapping is used.
 */
#ifndef TL_LAYER_BASE_SHARED_TABLE_H
#define TL_LAYER_BASE_SHARED_TABLE_H

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

/*
 * A table up to this size has all its pages at once. A page that is read first and written then costs two
 * faults, and the second one interrupts the processors that run other threads of the program.
 */
#define TL_SHARED_TABLE_SMALL ((size_t)64 * 1024)

/*
 * Returns NULL if there is no memory. Acquire: pairs with the exchange's release, which has the
 * mapping behind it.
 */
static inline void *tl_shared_table(_Atomic(void *) *table, size_t size)
{
	void *known = atomic_load_explicit(table, memory_order_acquire);

	if (known)
		return known;
	void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				    (size <= TL_SHARED_TABLE_SMALL ? MAP_POPULATE : 0),
			    -1, 0);
	if (mapped == MAP_FAILED)
		return NULL;
	if (atomic_compare_exchange_strong_explicit(table, &known, mapped, memory_order_acq_rel,
						    memory_order_acquire))
		return mapped;
	munmap(mapped, size);
	return known;
}

/* In a forked child, with one thread. */
static inline void tl_shared_table_drop(_Atomic(void *) *table, size_t size)
{
	void *known = atomic_exchange_explicit(table, NULL, memory_order_relaxed);

	if (known)
		munmap(known, size);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * lane_numbers.c: see lane_numbers.h.
 */
#include "layer/buffers/lane_numbers.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "layer/buffers/buffer.h"

#define TIDS (1u << 22) /* PID_MAX_LIMIT: the kernel's numbers are all below */

static _Atomic uint32_t lanes;

/*
 * A bit for each of the kernel's thread numbers that a lane has had. A later thread with that
 * number is shown by one that the kernel never gives out.
 */
static _Atomic(_Atomic uint64_t *) had_tids;
static _Atomic uint32_t next_shown = TIDS;

uint32_t tl_lane_number_next(void)
{
	return atomic_fetch_add_explicit(&lanes, 1, memory_order_relaxed) + 1;
}

static _Atomic uint64_t *tid_bits(void)
{
	/* Acquire, and acquire-release in the exchange below: the memory is mapped. */
	_Atomic uint64_t *bits = atomic_load_explicit(&had_tids, memory_order_acquire);

	if (bits)
		return bits;
	void *mapped = mmap(NULL, TIDS / 8, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mapped == MAP_FAILED)
		return NULL;
	if (atomic_compare_exchange_strong_explicit(&had_tids, &bits, mapped, memory_order_acq_rel,
						    memory_order_acquire))
		return mapped;
	munmap(mapped, TIDS / 8);
	return bits;
}

uint32_t tl_lane_number_shown(uint32_t tid)
{
	_Atomic uint64_t *bits = tid_bits();
	uint64_t bit = UINT64_C(1) << tid % 64;

	if (!bits || tid >= TIDS ||
	    (atomic_fetch_or_explicit(&bits[tid / 64], bit, memory_order_relaxed) & bit))
		return atomic_fetch_add_explicit(&next_shown, 1, memory_order_relaxed);
	return tid;
}

uint32_t tl_buffer_lane(uint32_t *shown)
{
	*shown = atomic_fetch_add_explicit(&next_shown, 1, memory_order_relaxed);
	return tl_lane_number_next();
}

void tl_lane_numbers_after_fork(void)
{
	_Atomic uint64_t *bits = atomic_exchange_explicit(&had_tids, NULL, memory_order_relaxed);

	if (bits)
		munmap(bits, TIDS / 8);
	atomic_store_explicit(&next_shown, TIDS, memory_order_relaxed);
	atomic_store_explicit(&lanes, 0, memory_order_relaxed);
}

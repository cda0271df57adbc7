/* SPDX-License-Identifier: MIT */
/*
 * tracer_frames.c: see tracer_frames.h.
 *
 * `blocks` is a list that only grows at its head: release by the thread that adds a block, acquire
 * by all that walk it. A block is free unless .taken: release by the thread that gives it back,
 * acquire by the one that takes it.
 */
#include "layer/calls/tracer_frames.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "layer/calls/dispatch_table.h"
#include "layer/calls/table_changes.h"

static _Atomic(struct tl_frames *) blocks;

struct tl_frames *tl_tracer_frames(uint32_t count)
{
	struct tl_frames *block;

	for (block = atomic_load_explicit(&blocks, memory_order_acquire); block;
	     block = atomic_load_explicit(&block->next, memory_order_relaxed)) {
		bool no = false;
		if (block->count >= count &&
		    atomic_compare_exchange_strong_explicit(
			    &block->taken, &no, true, memory_order_acquire, memory_order_relaxed)) {
			atomic_store_explicit(&block->owner, pthread_self(), memory_order_relaxed);
			return block;
		}
	}
	size_t size = sizeof(*block) + count * sizeof(struct tl_frame);
	block = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (block == MAP_FAILED)
		return NULL;
	block->count = count;
	for (uint32_t i = 0; i < count; i++)
		block->frames[i].depth = i;
	atomic_store_explicit(&block->owner, pthread_self(), memory_order_relaxed);
	atomic_store_explicit(&block->taken, true, memory_order_relaxed);
	struct tl_frames *first = atomic_load_explicit(&blocks, memory_order_relaxed);
	do
		atomic_store_explicit(&block->next, first, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&blocks, &first, block, memory_order_release,
						      memory_order_relaxed));
	return block;
}

static bool block_is_own(const struct tl_frames *block)
{
	return pthread_equal(atomic_load_explicit(&block->owner, memory_order_relaxed),
			     pthread_self());
}

void tl_tracer_frames_give_back(struct tl_frames *block)
{
	/*
	 * Release: pairs with the scans' acquire loads. They skip the block's pins, whose tables
	 * are no longer used.
	 */
	atomic_store_explicit(&block->used, 0, memory_order_release);
	atomic_store_explicit(&block->taken, false, memory_order_release);
}

static int compare_pins(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return x < y ? -1 : x > y;
}

bool tl_pins_collect(struct tl_pins *pins)
{
	pins->count = 0;
	for (struct tl_frames *block = atomic_load_explicit(&blocks, memory_order_acquire); block;
	     block = atomic_load_explicit(&block->next, memory_order_relaxed)) {
		uint32_t used = atomic_load_explicit(&block->used, memory_order_acquire);
		for (uint32_t i = 0; i < used && i < block->count; i++) {
			/*
			 * Acquire: pairs with the release in tl_unpin; a thread that waited for the
			 * callbacks sees what they did.
			 */
			struct tl_dispatch *table =
				atomic_load_explicit(&block->frames[i].pin, memory_order_acquire);
			if (!table)
				continue;
			if (pins->count == pins->room) {
				size_t room = pins->room ? 2 * pins->room : 256;
				uintptr_t *more = realloc(pins->at, room * sizeof(*more));
				if (!more)
					return false;
				pins->at = more;
				pins->room = room;
			}
			pins->at[pins->count++] = (uintptr_t)table;
		}
	}
	if (pins->count)
		qsort(pins->at, pins->count, sizeof(*pins->at), compare_pins);
	return true;
}

bool tl_pins_have(const struct tl_pins *pins, const struct tl_dispatch *table)
{
	uintptr_t key = (uintptr_t)table;

	return pins->count && bsearch(&key, pins->at, pins->count, sizeof(key), compare_pins);
}

bool tl_frames_pin_retired(const struct tl_tracer *handle)
{
	for (struct tl_frames *block = atomic_load_explicit(&blocks, memory_order_acquire); block;
	     block = atomic_load_explicit(&block->next, memory_order_relaxed)) {
		uint32_t used = atomic_load_explicit(&block->used, memory_order_acquire);
		for (uint32_t i = 0; i < used && i < block->count; i++) {
			/* Acquire: pairs with the release in tl_unpin, as in tl_pins_collect. */
			const struct tl_dispatch *table =
				atomic_load_explicit(&block->frames[i].pin, memory_order_acquire);
			if (table && tl_dispatch_is_retired_with(table, handle))
				return true;
		}
	}
	return false;
}

bool tl_frames_own_pin(const struct tl_tracer *handle)
{
	for (struct tl_frames *block = atomic_load_explicit(&blocks, memory_order_acquire); block;
	     block = atomic_load_explicit(&block->next, memory_order_relaxed)) {
		if (!atomic_load_explicit(&block->taken, memory_order_relaxed) ||
		    !block_is_own(block))
			continue;
		uint32_t used = atomic_load_explicit(&block->used, memory_order_relaxed);
		for (uint32_t i = 0; i < used; i++) {
			const struct tl_dispatch *table =
				atomic_load_explicit(&block->frames[i].pin, memory_order_relaxed);
			if (table && tl_dispatch_has(table, handle))
				return true;
		}
	}
	return false;
}

void tl_frames_after_fork_child(void)
{
	for (struct tl_frames *block = atomic_load_explicit(&blocks, memory_order_relaxed); block;
	     block = atomic_load_explicit(&block->next, memory_order_relaxed)) {
		if (block_is_own(block))
			continue;
		for (uint32_t i = 0; i < block->used && i < block->count; i++)
			atomic_store_explicit(&block->frames[i].pin, NULL, memory_order_relaxed);
		tl_tracer_frames_give_back(block);
	}
}

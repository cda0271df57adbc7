/* SPDX-License-Identifier: MIT */
/*
 * live_clock.h: the times of a traced process's records, from their ticks.
 */
#ifndef TL_CLI_LIVE_LIVE_CLOCK_H
#define TL_CLI_LIVE_LIVE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "format/file/trace_file.h"

/* The last point of a process's clock. A look is never far behind it. */
struct live_clock {
	bool counted; /* ticks are a counter's; else they are nanoseconds */
	uint64_t ticks, ns, slope;
};

/* A copy of the last point. `piece`: NULL: there is none (yet). */
static inline struct live_clock live_clock_read(const struct tl_file_header *header,
						const struct tl_clock_piece *piece)
{
	struct live_clock clock = {.counted = false};

	if (!header->counter || !piece)
		return clock;
	for (int tries = 0; tries < 3; tries++) {
		const struct tl_clock_table *table = &piece->table;
		/* Acquire: pairs with the releases of .version around a change (layer/buffers/clock.c). */
		uint32_t version = atomic_load_explicit(&table->version, memory_order_acquire);
		uint32_t count = atomic_load_explicit(&table->count, memory_order_relaxed);

		if (!count || count > TL_CLOCK_POINTS)
			return clock;
		const struct tl_clock_point *point = &table->points[count - 1];
		clock.counted = true;
		clock.ticks = atomic_load_explicit(&point->ticks, memory_order_relaxed);
		clock.ns = atomic_load_explicit(&point->ns, memory_order_relaxed);
		clock.slope = atomic_load_explicit(&point->slope, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
		if (!(version & 1) &&
		    version == atomic_load_explicit(&table->version, memory_order_relaxed))
			break;
	}
	return clock;
}

static inline uint64_t live_clock_time(const struct live_clock *clock, uint64_t ticks)
{
	if (!clock->counted)
		return ticks;
	return clock->ns + (uint64_t)(int64_t)((__int128)(int64_t)(ticks - clock->ticks) *
						       (__int128)clock->slope >>
					       TL_CLOCK_SHIFT);
}

#endif

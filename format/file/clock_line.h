/* SPDX-License-Identifier: MIT */
/*
 * clock_line.h: ticks to nanoseconds on one piece of the clock's broken line (struct tl_clock_table).
 *
 * The layer converts with a line that still grows (layer/buffers/clock.c), the reader with that of a
 * file (trace_clock.c). Both get the same nanoseconds, because the arithmetic is here. A file's
 * points may say anything: results that do not fit become the largest or the smallest number.
 */
#ifndef TL_FORMAT_FILE_CLOCK_LINE_H
#define TL_FORMAT_FILE_CLOCK_LINE_H

#include <stdint.h>

#include "format/file/trace_file.h"

/* Nanoseconds before the last point from which the slope beyond it is taken. */
#define TL_CLOCK_BASELINE 1000000000u

/* The slope between two points; 0 where the second one is not later. */
static inline uint64_t tl_clock_slope(uint64_t ticks, uint64_t ns, uint64_t later_ticks,
				      uint64_t later_ns)
{
	if (later_ticks <= ticks || later_ns <= ns)
		return 0;
	unsigned __int128 slope =
		((unsigned __int128)(later_ns - ns) << TL_CLOCK_SHIFT) / (later_ticks - ticks);
	return slope > UINT64_MAX ? UINT64_MAX : (uint64_t)slope;
}

/* The nanoseconds that a number of ticks takes. */
static inline uint64_t tl_clock_along(uint64_t ticks, uint64_t slope)
{
	unsigned __int128 ns = (unsigned __int128)ticks * slope >> TL_CLOCK_SHIFT;

	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* The time of a tick on the line of this slope through the point (at, ns). */
static inline uint64_t tl_clock_on_line(uint64_t ticks, uint64_t at, uint64_t ns, uint64_t slope)
{
	if (ticks >= at) {
		uint64_t on = tl_clock_along(ticks - at, slope);
		return on < UINT64_MAX - ns ? ns + on : UINT64_MAX;
	}
	uint64_t back = tl_clock_along(at - ticks, slope);
	return back < ns ? ns - back : 0;
}

#endif

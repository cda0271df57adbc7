/* SPDX-License-Identifier: MIT */
/*
 * align_fit.h: the correction of a clock that keeps within bounds.
 *
 * The correction is a line over time: both clocks run evenly, if not at the same rate. All lines
 * that keep within all bounds are looked at: the correction is the middle of what they allow, and
 * the error half of that.
 */
#ifndef TL_CLI_EXPORT_ALIGN_FIT_H
#define TL_CLI_EXPORT_ALIGN_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the k-th call of all ranks says: the clock is ahead by `least` to `most`, at that time. */
struct align_bound {
	int64_t at, least, most;
};

/* A correction of a clock, and how wrong it may be. */
struct align_fit {
	bool found;	/* false: the bounds contradict each other */
	int64_t middle; /* nanoseconds to add, in the middle of the time */
	double drift;	/* nanoseconds in a nanosecond */
	int64_t error;	/* of a constant correction by .middle, over the whole time */
};

struct align_fit align_fit(const struct align_bound *bounds, size_t count);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * duration_bins.h: counts of durations by size, 32 bins to each doubling. Medians and percentiles
 * that come from these counts are off by at most 1.6 %.
 */
#ifndef TL_CALLBACKS_DURATION_BINS_H
#define TL_CALLBACKS_DURATION_BINS_H

#include <stdint.h>

#define SUB_BITS 5  /* 32 bins to each doubling */
#define LARGEST	 47 /* the last doubling: some ten hours */
#define BINS	 ((LARGEST - SUB_BITS + 2) << SUB_BITS)

static inline unsigned bin_of(uint64_t time)
{
	if (time < 1u << SUB_BITS)
		return (unsigned)time;
	unsigned doubling = 63 - (unsigned)__builtin_clzll(time);
	if (doubling > LARGEST)
		return BINS - 1;
	return ((doubling - SUB_BITS + 1) << SUB_BITS) +
	       (unsigned)(time >> (doubling - SUB_BITS) & ((1u << SUB_BITS) - 1));
}

/* The middle of a bin. */
static inline uint64_t value_of(unsigned bin)
{
	if (bin < 1u << SUB_BITS)
		return bin;
	unsigned shift = (bin >> SUB_BITS) - 1;
	uint64_t low = (uint64_t)((bin & ((1u << SUB_BITS) - 1)) | 1u << SUB_BITS) << shift;
	return low + ((1ull << shift) - 1) / 2;
}

/* The durations that were counted. */
struct spread {
	uint64_t count, total, least, most;
	uint64_t bins[BINS];
};

/* Nearest rank, among the bins. */
static inline uint64_t spread_percentile(const struct spread *spread, unsigned percent)
{
	uint64_t rank = (spread->count * percent + 99) / 100, passed = 0, value = spread->most;

	for (unsigned i = 0; i < BINS; i++) {
		passed += spread->bins[i];
		if (passed >= rank) {
			value = value_of(i);
			break;
		}
	}
	return value < spread->least ? spread->least : value > spread->most ? spread->most : value;
}

#endif

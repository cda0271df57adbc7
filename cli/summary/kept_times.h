/* SPDX-License-Identifier: MIT */
/*
 * kept_times.h: the durations of calls and commands, kept as long as there are few of them, so that
 * percentiles are durations that really occurred (tabulate.h: exact_times).
 */
#ifndef TL_CLI_SUMMARY_KEPT_TIMES_H
#define TL_CLI_SUMMARY_KEPT_TIMES_H

#include "cli/summary/tabulate.h"

struct kept_time {
	int64_t duration;
	uint32_t kind, group, name; /* of the row in a tally */
};

/* Begins as zeros. */
struct kept_times {
	struct kept_time *list;
	size_t count, room;
};

void kept_times_add(struct kept_times *times, const struct kept_time *time);
void kept_times_free(struct kept_times *times);

/* Adds all of the second list. `groups` has, by its groups, those of the first; NULL: the same. */
void kept_times_merge(struct kept_times *to, const struct kept_times *from, const uint32_t *groups);

/* For each row of the tally, which has counted all of these; the caller frees it. Sorts the list. */
struct exact_times *kept_times_exact(struct kept_times *times, struct tally *tally);

#endif

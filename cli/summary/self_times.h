/* SPDX-License-Identifier: MIT */
/*
 * self_times.h: how long calls took without the calls inside of them.
 *
 * A call lies in another one of its thread if that began no later and ended no earlier. Of two that
 * took the same time, the one that comes later in the trace is around the other: traces have calls in
 * the order in which they ended. Events of the program's own count as calls do. So a call's self time
 * is its duration without the time that the calls right inside of it cover. It is never negative, also
 * where calls of a thread overlap without one lying in the other.
 *
 * All calls have to be in memory at once, in 40 bytes each, and as much again to sort them.
 */
#ifndef TL_CLI_SUMMARY_SELF_TIMES_H
#define TL_CLI_SUMMARY_SELF_TIMES_H

#include "cli/summary/filter.h"
#include "cli/summary/tabulate.h"

struct self_call {
	int64_t start, end;
	/* in the trace: of calls that take the same time, the inner ones have smaller ones */
	uint64_t place;
	uint32_t thread, group, name;
	bool own, counts;
};

/* Begins as zeros. */
struct self_calls {
	struct self_call *list;
	size_t count, room;
};

/* `counts`: the user selects it. Of other calls, the time that they take from those around them counts. */
void self_calls_add(struct self_calls *calls, const struct host_call *call, uint64_t place,
		    uint32_t group, bool counts);

/* Moves all of the second list to the first. `groups` as for kept_times_merge. */
void self_calls_merge(struct self_calls *to, struct self_calls *from, const uint32_t *groups);
void self_calls_free(struct self_calls *calls);

/* By the rows of the tables. Begins as zeros. */
struct self_sums {
	struct numbers rows;
	int64_t *ns;
	uint32_t room;
};

/* Adds the self times of all calls of a trace. Sorts the list. */
void self_sums_add(struct self_sums *sums, struct self_calls *calls);

/* The same of a whole history, after history_resolve and before filter_history. `filter`: as for flat_sum. */
void self_sums_add_history(struct self_sums *sums, const struct history *history, enum grouping by,
			   struct filter *filter);

/* What the calls of a row took. `own`: they are events of the program's own. */
int64_t self_sums_of(const struct self_sums *sums, bool own, uint32_t group, uint32_t name);
void self_sums_free(struct self_sums *sums);

#endif

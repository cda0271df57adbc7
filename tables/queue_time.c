/* SPDX-License-Identifier: MIT */
/*
 * queue_time.c: see queue_time.h.
 */
#include "tables/queue_time.h"

int64_t queue_time_add(struct queue_time *time, int64_t start, int64_t end)
{
	int64_t gap = time->commands++ ? start - time->end : 0;

	if (end < start)
		end = start;
	if (time->commands == 1) {
		time->first = start;
		time->end = start;
	}
	if (gap > 0) {
		time->gaps++;
		time->idle += gap;
		time->longest = gap > time->longest ? gap : time->longest;
	}
	if (end > time->end) {
		time->busy += end - (start > time->end ? start : time->end);
		time->end = end;
	}
	return gap > 0 ? gap : 0;
}

struct gap_parts gap_parts(const struct gap *gap)
{
	if (gap->submit_start <= gap->from)
		return (struct gap_parts){gap->from, gap->from};
	int64_t host = time_within(gap->submit_start, gap->from, gap->to);

	return (struct gap_parts){host, time_within(gap->submit_end, host, gap->to)};
}

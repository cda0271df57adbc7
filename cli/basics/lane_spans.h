/* SPDX-License-Identifier: MIT */
/*
 * lane_spans.h: a list of slices' times, and whether a lane has one at a time.
 */
#ifndef TL_CLI_BASICS_LANE_SPANS_H
#define TL_CLI_BASICS_LANE_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lane_span;

/* Begins as zeros. Times are nanoseconds. */
struct lane_spans {
	struct lane_span *list;
	size_t count, room;
};

void lane_spans_add(struct lane_spans *spans, uint32_t lane, int64_t start, int64_t end);

/* After the last one was added. */
void lane_spans_sort(struct lane_spans *spans);

/* A slice of the lane has begun at that time, and not ended before. */
bool lane_spans_have(const struct lane_spans *spans, uint32_t lane, int64_t time);

void lane_spans_free(struct lane_spans *spans);

#endif

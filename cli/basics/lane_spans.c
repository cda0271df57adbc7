/* SPDX-License-Identifier: MIT */
/*
 * lane_spans.c: see lane_spans.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/basics/lane_spans.h"
#include "cli/basics/list_room.h"

struct lane_span {
	uint32_t lane;
	int64_t start, latest; /* .latest: the latest end of the lane's slices up to this one */
};

void lane_spans_add(struct lane_spans *spans, uint32_t lane, int64_t start, int64_t end)
{
	LIST_ROOM(spans->list, spans->count, spans->room);
	spans->list[spans->count++] = (struct lane_span){lane, start, end};
}

static int spans_by_start(const void *left, const void *right)
{
	const struct lane_span *a = left, *b = right;

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

void lane_spans_sort(struct lane_spans *spans)
{
	struct lane_span *list = spans->list;

	if (spans->count)
		qsort(list, spans->count, sizeof(*list), spans_by_start);
	for (size_t i = 1; i < spans->count; i++)
		if (list[i - 1].lane == list[i].lane && list[i - 1].latest > list[i].latest)
			list[i].latest = list[i - 1].latest;
}

bool lane_spans_have(const struct lane_spans *spans, uint32_t lane, int64_t time)
{
	size_t low = 0, high = spans->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct lane_span *span = &spans->list[middle];

		if (span->lane < lane || (span->lane == lane && span->start <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low && spans->list[low - 1].lane == lane && spans->list[low - 1].latest >= time;
}

void lane_spans_free(struct lane_spans *spans)
{
	free(spans->list);
}

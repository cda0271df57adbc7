/* SPDX-License-Identifier: MIT */
/*
 * queue_lanes.c: see queue_lanes.h.
 */
#include "layer/device/queue_lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/buffers/strings.h"
#include "layer/calls/event.h"

#define SPANS	    64u /* spans on a lane from which on old ones are forgotten */
#define FIRST_SPANS 4u	/* spans that a lane has room for */
/*
 * So many commands of a queue that have not ended are slices until now, each on a lane of its own. The
 * others are marks where they began, on one more: nobody can read a queue of a thousand lanes.
 */
#define UNENDED_LANES 16u
/* lanes of devices stand below those of threads and those that the program makes */
#define SORT 1000

/* The number of spans that begin at this time or before. */
static uint32_t lane_spans_until(const struct tl_queue_lane *lane, uint64_t start)
{
	uint32_t low = 0, high = lane->count;

	if (high && lane->spans[high - 1].start <= start)
		return high;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (lane->spans[middle].start <= start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* An empty span may touch others, but not lie inside of one. */
static bool lane_is_free(const struct tl_queue_lane *lane, uint32_t at, uint64_t start,
			 uint64_t end)
{
	return start >= lane->forgotten && (!at || lane->spans[at - 1].end <= start) &&
	       (at == lane->count || lane->spans[at].start >= end);
}

/* Forget spans that end before any later command can begin. */
static void lane_forget(struct tl_queue_lane *lane, uint64_t before)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < lane->count; i++) {
		if (lane->spans[i].end > before)
			lane->spans[left++] = lane->spans[i];
		else if (lane->spans[i].end > lane->forgotten)
			lane->forgotten = lane->spans[i].end;
	}
	lane->count = left;
	lane->look = left < SPANS / 2 ? SPANS : 2 * left;
}

static bool lane_make_room(struct tl_device_queue *queue, struct tl_queue_lane *lane)
{
	if (lane->count >= lane->look)
		lane_forget(lane,
			    queue->first ? tl_device_submission(queue->first) : queue->sampled);
	if (lane->count < lane->room)
		return true;
	uint32_t room = lane->room ? 2 * lane->room : FIRST_SPANS;
	struct tl_lane_span *spans = realloc(lane->spans, room * sizeof(*spans));
	if (!spans)
		return false;
	lane->spans = spans;
	lane->room = room;
	return true;
}

/* "compute 0.1 (2), Device": viewers cut names at their end. */
static void lane_name(char *name, size_t size, const struct tl_device_queue *queue)
{
	const char *rest = strstr(queue->label, ", ");
	int length = rest ? (int)(rest - queue->label) : (int)strlen(queue->label);

	if (!queue->nlanes)
		snprintf(name, size, "%s", queue->label);
	else
		snprintf(name, size, "%.*s (%u)%s", length, queue->label, queue->nlanes + 1,
			 queue->label + length);
}

static struct tl_queue_lane *queue_add_lane(struct tl_device_queue *queue)
{
	struct tl_queue_lane *lanes = queue->lanes;
	char name[TL_STRING_MAX];

	if (!(queue->nlanes & (queue->nlanes - 1))) {
		lanes = realloc(lanes, (queue->nlanes ? 2 * queue->nlanes : 1) * sizeof(*lanes));
		if (!lanes)
			return NULL;
		queue->lanes = lanes;
	}
	lane_name(name, sizeof(name), queue);
	lanes[queue->nlanes] = (struct tl_queue_lane){
		.number = tl_event_lane(tl_string_of(name), (int32_t)(SORT + queue->number)),
		.look = SPANS};
	return &lanes[queue->nlanes++];
}

static uint64_t uint64_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The last time at which something on the lane ends. */
static uint64_t lane_end(const struct tl_queue_lane *lane)
{
	return lane->count ? lane->spans[lane->count - 1].end : lane->forgotten;
}

/*
 * The first lane that may have room for a command that begins at this time and has not ended. Most
 * lanes are known to have none.
 */
static uint32_t queue_first_lane_with_room(struct tl_device_queue *queue, uint64_t start)
{
	if (start >= queue->crowded_until) {
		queue->crowded = 0;
		queue->crowded_until = UINT64_MAX;
	}
	for (; queue->crowded < queue->nlanes; queue->crowded++) {
		uint64_t end = lane_end(&queue->lanes[queue->crowded]);
		if (end <= start)
			break;
		queue->crowded_until = uint64_least(queue->crowded_until, end);
	}
	return queue->crowded;
}

/*
 * The first lane that is free at this time. Where two slices touch on a lane, a reader of packets
 * takes their order from the file. Where the file's order may differ from the order in time, the
 * slices are kept a nanosecond apart.
 */
struct tl_queue_lane *tl_queue_lane_for(struct tl_device_queue *queue, struct tl_device_work *work,
					uint32_t by)
{
	struct tl_queue_lane *lane = NULL;
	uint32_t at = 0, first = 0;

	if (work->unfinished)
		first = queue_first_lane_with_room(queue, work->start);
	if (first >= UNENDED_LANES) {
		first = UNENDED_LANES;
		work->end = work->start;
	}
	for (uint32_t i = first; i < queue->nlanes && !lane; i++) {
		at = lane_spans_until(&queue->lanes[i], work->start);
		if (lane_is_free(&queue->lanes[i], at, work->start, work->end))
			lane = &queue->lanes[i];
	}
	if (!lane && !(lane = queue_add_lane(queue)))
		return queue->lanes;
	if (!lane_make_room(queue, lane))
		return lane;
	at = lane_spans_until(lane, work->start);
	struct tl_lane_span *spans = lane->spans;
	bool is_long = work->end > work->start;
	if (is_long && at < lane->count && spans[at].start == work->end)
		work->end--;
	else if (is_long && at && spans[at - 1].end == work->start &&
		 spans[at - 1].start < work->start && spans[at - 1].by != by)
		work->start++;
	memmove(&spans[at + 1], &spans[at], (lane->count - at) * sizeof(*spans));
	spans[at] = (struct tl_lane_span){work->start, work->end, by};
	lane->count++;
	return lane;
}

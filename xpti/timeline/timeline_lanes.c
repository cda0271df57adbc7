/* SPDX-License-Identifier: MIT */
/*
 * timeline_lanes.c: the lanes of streams.
 *
 * Each stream has a lane for each thread that notifies on it. Slices of a lane have to nest. On a
 * thread's lane they do: a slice goes there only if, of all that is still open on it, it began last
 * (timeline_open.c). All other slices go aside: to lanes of the stream that belong to no thread, each
 * to the first one on which it crosses nothing. The library remembers only the last slice of such a
 * lane, and the end of the one before. So it sometimes makes one lane more than necessary.
 */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "xpti/timeline/timeline_lanes.h"
#include "xpti/timeline/timeline_open.h"
#include "xpti/timeline/timeline_state.h"

#define FAILED UINT32_MAX /* no lane could be made */
/* ticks between slices, so that no two of their bounds are the same in nanoseconds */
#define APART 16u
#define EACH  4096 /* how many places a stream has in the order of lanes */

/* Above the lanes of calls, stream by stream. */
static int32_t lane_order(uint8_t stream, uint32_t order)
{
	return ((int32_t)stream - 256) * EACH + (int32_t)(order < EACH - 1 ? order : EACH - 1);
}

uint32_t timeline_lane(struct timeline_thread *thread, uint8_t stream)
{
	char own[16] = "", name[TL_STRING_MAX];

	if (TL_UNLIKELY(!thread->lanes[stream])) {
		prctl(PR_GET_NAME, own);
		int size = snprintf(name, sizeof(name), "%.900s (%.15s %ld)",
				    timeline_stream_name(stream), own, syscall(SYS_gettid));
		uint32_t lane = tl_guest_lane(tl_guest_number(name, (size_t)size),
					      lane_order(stream, thread->order));
		thread->lanes[stream] = lane ? lane : FAILED;
	}
	return thread->lanes[stream] == FAILED ? 0 : thread->lanes[stream];
}

static uint32_t aside_make(uint8_t stream, uint32_t index)
{
	char name[TL_STRING_MAX], which[16] = "";

	if (index)
		snprintf(which, sizeof(which), " %u", index + 1);
	int size = snprintf(name, sizeof(name), "%.900s (overlapping%s)",
			    timeline_stream_name(stream), which);
	return tl_guest_lane(tl_guest_number(name, (size_t)size),
			     lane_order(stream, EACH - 1 - TIMELINE_ASIDES + index));
}

uint32_t timeline_lane_aside(uint8_t stream, uint64_t start, uint64_t end)
{
	struct timeline_lanes *lanes = &timeline->lanes[stream];
	uint32_t found = 0;

	pthread_mutex_lock(&lanes->lock);
	for (uint32_t i = 0; i < TIMELINE_ASIDES && !found; i++) {
		struct timeline_aside *aside = &lanes->asides[i];
		if (i == lanes->count) {
			if (!(aside->number = aside_make(stream, i)))
				break;
			lanes->count++;
		}
		if (start >= aside->end + APART || !aside->end) {
			aside->before = aside->end;
			aside->start = start;
			aside->end = end;
			found = aside->number;
		} else if (start >= aside->before + APART && start + APART <= aside->start &&
			   end >= aside->end) {
			aside->start = start;
			aside->end = end;
			found = aside->number;
		} else if (start >= aside->before + APART && end + APART <= aside->start) {
			aside->before = end;
			found = aside->number;
		}
	}
	pthread_mutex_unlock(&lanes->lock);
	return found;
}

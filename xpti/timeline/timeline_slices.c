/* SPDX-License-Identifier: MIT */
/*
 * timeline_slices.c: recording slices and instants.
 */
#include "xpti/timeline/timeline_slices.h"

#include "xpti/timeline/timeline_lanes.h"
#include "xpti/timeline/timeline_open.h"
#include "xpti/timeline/timeline_types.h"
#include "xpti/timeline/timeline_ur.h"

static struct tl_event event_of(char phase, uint16_t type, uint32_t lane, uint32_t name,
				const struct timeline_args *args)
{
	return (struct tl_event){.phase = phase,
				 .level = TIMELINE_LEVEL,
				 .lane = lane,
				 .name = name,
				 .category = timeline_category(type),
				 .nargs = args->count,
				 .args = args->at};
}

static void tell_slice(uint32_t lane, const struct timeline_begun *begun, uint64_t end,
		       const struct timeline_args *args)
{
	struct tl_event event = event_of('X', begun->type, lane, begun->name, args);

	event.start = begun->start;
	event.duration = end > begun->start ? end - begun->start : 0;
	tl_guest_put(&event);
	timeline_run_ends(begun->uid, lane, begun->start, begun->start + event.duration);
	timeline_submissions_end(begun, lane);
}

void timeline_tell_instant(struct timeline_thread *thread, uint64_t time,
			   const struct timeline_begun *begun, const struct timeline_args *args)
{
	struct tl_event event =
		event_of('i', begun->type, timeline_lane(thread, begun->stream), begun->name, args);

	event.start = time;
	tl_guest_put(&event);
}

void timeline_tell(struct timeline_thread *thread, const struct timeline_begun *begun, uint64_t end,
		   const void *ur_pointers)
{
	struct timeline_args args = {.count = 0};
	uint32_t lane = 0;

	if (!begun->start)
		return;
	timeline_add_begun(&args, begun);
	if (ur_pointers)
		timeline_add_ur(&args, begun->name, ur_pointers);
	if (begun->more & TIMELINE_UNFINISHED)
		timeline_add(&args, TIMELINE_KEY(unfinished), TL_VALUE_TRUTH, true);
	if (!(begun->more & TIMELINE_NO_SLICE))
		lane = begun->more & TIMELINE_ASIDE
			       ? timeline_lane_aside(begun->stream, begun->start, end)
			       : timeline_lane(thread, begun->stream);
	if (lane) {
		if (timeline_type_is_user_defined(begun->type))
			timeline_add_type(&args, begun->type);
		tell_slice(lane, begun, end, &args);
		return;
	}
	timeline_add_type(&args, begun->type);
	if (end > begun->start)
		timeline_add_count(&args, TIMELINE_KEY(duration_ns),
				   tl_guest_ns(begun->start, end));
	timeline_tell_instant(thread, begun->start, begun, &args);
}

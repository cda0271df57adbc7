/* SPDX-License-Identifier: MIT */
/*
 * trace_points.h: trace points: how one looks in memory, how its parts lead to it, and releasing.
 */
#ifndef TL_XPTI_DISPATCHER_TRACE_POINTS_H
#define TL_XPTI_DISPATCHER_TRACE_POINTS_H

#include <stddef.h>

#include "xpti/dispatcher/dispatcher_state.h"

/*
 * A trace point: four interface objects, its event and its payload. A program holds pointers to
 * the first four words; each begins with the pointer to a vtable.
 */
struct tl_xpti_point {
	xpti_payload_if payload_if;
	xpti_event_if event_if;
	xpti_metadata_if metadata_if;
	xpti_tracepoint_if tracepoint_if;
	xpti_event event;
	xpti_payload payload;
	_Atomic uint64_t uid; /* 0: released, or never used */
	uint32_t generation;
	xpti_string_id name_id, file_id;
	struct tl_xpti_point *next; /* in a list of free or released trace points */
	xpti_metadata_node *cursor; /* the position of first_item and next_item */
};

/* The living trace point that has `address` at `offset`; NULL for every other address. */
struct tl_xpti_point *tl_xpti_point_at(const void *address, size_t offset);
#define tl_xpti_point_of(pointer, member)                                                          \
	tl_xpti_point_at(pointer, offsetof(struct tl_xpti_point, member))
/* False: another thread has released it already. */
bool tl_xpti_point_release(struct tl_xpti_point *point);
/* The metadata of an event: of a trace point, or of a program's own event. NULL: no event. */
xpti_metadata *tl_xpti_metadata_of(xpti_event *event);
/* Release all trace points, and let all places count from 0. Takes the locks of all pools. */
void tl_xpti_points_reset(void);

/* For fork. */
void tl_xpti_slabs_lock(void);
void tl_xpti_slabs_unlock(void);

static inline uint64_t tl_xpti_point_uid(const struct tl_xpti_point *point)
{
	/* Acquire pairs with point_make_in's release: the trace point is complete. */
	return atomic_load_explicit(&point->uid, memory_order_acquire);
}

#endif

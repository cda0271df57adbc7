/* SPDX-License-Identifier: MIT */
/*
 * further_lanes.h: the numbers of further lanes of a thread, for calls that overlap (touching.h).
 *
 * JSON, OTF2 and systraces have no such lanes: there they are threads. In JSON a lane's name says
 * which thread it is of: {"name":"overlapping calls of 7","thread":7}.
 */
#ifndef TL_FORMAT_ENCODE_FURTHER_LANES_H
#define TL_FORMAT_ENCODE_FURTHER_LANES_H

#include <stdbool.h>
#include <stdint.h>

#define TL_FURTHER_THREAD "thread"
#define TL_FURTHER_NAME	  "overlapping calls of " /* and the thread's number */
#define TL_FURTHER_BITS	  27 /* other numbers are below (cli/export/timeline_numbers.c) */

/* `further`: from 1; 0: the thread itself. */
static inline uint32_t tl_further_lane(uint32_t tid, uint32_t further)
{
	return tid | further << TL_FURTHER_BITS;
}

/* Whether the number may be a further lane's. A thread with such a number has no further lanes. */
static inline bool tl_further_is_lane(uint32_t tid)
{
	return tid >> TL_FURTHER_BITS;
}

static inline uint32_t tl_further_thread(uint32_t lane)
{
	return lane & ((UINT32_C(1) << TL_FURTHER_BITS) - 1);
}

#endif

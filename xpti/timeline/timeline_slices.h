/* SPDX-License-Identifier: MIT */
/*
 * timeline_slices.h: recording slices and instants.
 */
#ifndef TL_XPTI_TIMELINE_TIMELINE_SLICES_H
#define TL_XPTI_TIMELINE_TIMELINE_SLICES_H

#include <stdint.h>

#include "xpti/timeline/timeline_args.h"
#include "xpti/timeline/timeline_open.h"

/*
 * Record what began as a slice up to `end`, or as an instant where it fits no lane. `thread` is the
 * thread that began it. `ur_pointers`: the arguments of a call of the unified runtime, or NULL.
 */
void timeline_tell(struct timeline_thread *thread, const struct timeline_begun *begun, uint64_t end,
		   const void *ur_pointers);
void timeline_tell_instant(struct timeline_thread *thread, uint64_t time,
			   const struct timeline_begun *begun, const struct timeline_args *args);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * timeline_lanes.h: which lane of the trace a slice goes to.
 */
#ifndef TL_XPTI_TIMELINE_TIMELINE_LANES_H
#define TL_XPTI_TIMELINE_TIMELINE_LANES_H

#include <pthread.h>
#include <stdint.h>

enum { TIMELINE_ASIDES = 256 };

/* A stream's lanes for slices that do not fit the lanes of threads. */
struct timeline_lanes {
	pthread_mutex_t lock;
	uint32_t count;
	struct timeline_aside {
		uint32_t number;
		uint64_t before;     /* the end of the last slice but one */
		uint64_t start, end; /* the last slice, with all that lies in it */
	} asides[TIMELINE_ASIDES];
};

struct timeline_thread;
/* The thread's lane for a stream. 0: none could be made; events go to the thread's own lane. */
uint32_t timeline_lane(struct timeline_thread *thread, uint8_t stream);
/* A lane on which a slice crosses no other slice. 0: none is left. */
uint32_t timeline_lane_aside(uint8_t stream, uint64_t start, uint64_t end);

#endif

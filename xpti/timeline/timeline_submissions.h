/* SPDX-License-Identifier: MIT */
/*
 * timeline_submissions.h: calls that give work to a device, and the arrows to them from the tasks
 * that make them.
 */
#ifndef TL_XPTI_TIMELINE_TIMELINE_SUBMISSIONS_H
#define TL_XPTI_TIMELINE_TIMELINE_SUBMISSIONS_H

#include <stdint.h>

enum { TIMELINE_SUBMISSIONS = 64 };

/*
 * A thread's latest calls of this kind whose task has not ended yet. Where there are more, the
 * library forgets the oldest.
 */
struct timeline_submissions {
	uint32_t count;
	struct timeline_submission {
		uint64_t task_start, task_object, task_instance;
		uint64_t start, end; /* of the call, in ticks */
	} at[TIMELINE_SUBMISSIONS];
};

struct timeline_begun;
/* The calling thread has made a call that gave work to a device. */
void timeline_submitted(uint64_t start, uint64_t end);
/* A task has ended, and its slice is on that lane: draw the arrows to the calls inside. */
void timeline_submissions_end(const struct timeline_begun *begun, uint32_t lane);

#endif

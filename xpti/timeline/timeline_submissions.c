/* SPDX-License-Identifier: MIT */
/*
 * timeline_submissions.c: see timeline_submissions.h.
 *
 * A call belongs to the innermost task or transfer that was open in its thread when it began. The
 * lane of a task is known when the task ends, so the arrow is drawn then, from the begin of the task:
 * later another slice on that lane may lie inside the task. A task that another thread ends, or that
 * never ends, gets no arrow.
 */
#include "xpti/timeline/timeline_submissions.h"

#include <stdbool.h>
#include <string.h>

#include "xpti/timeline/timeline_open.h"
#include "xpti/timeline/timeline_state.h"
#include "xpti/timeline/timeline_types.h"

/* Ticks between an arrow's end and the begin of its slice, so that the arrow ends inside. */
#define INSIDE 16u

void timeline_submitted(uint64_t start, uint64_t end)
{
	struct timeline_thread *thread = timeline_thread_here();
	struct timeline_begun task;

	if (!thread || !timeline_open_task(thread, start, &task))
		return;
	struct timeline_submissions *calls = &thread->submissions;
	if (calls->count == TIMELINE_SUBMISSIONS) {
		calls->count--;
		memmove(&calls->at[0], &calls->at[1], calls->count * sizeof(calls->at[0]));
	}
	calls->at[calls->count++] = (struct timeline_submission){.task_start = task.start,
								 .task_object = task.object,
								 .task_instance = task.instance,
								 .start = start,
								 .end = end};
}

/* Just after the begin of something that takes so many ticks. */
static uint64_t just_inside(uint64_t start, uint64_t ticks)
{
	return start + (ticks / 2 < INSIDE ? ticks / 2 : INSIDE);
}

static void submission_draw(const struct timeline_submission *call, uint32_t lane)
{
	struct tl_event arrow = {
		.phase = 's',
		.level = TIMELINE_LEVEL,
		.lane = lane,
		.name = timeline_kept_number(&timeline->submits, "submits"),
		.category = timeline_category(xpti_trace_task_begin),
		.start = just_inside(call->task_start, call->start - call->task_start),
		.duration = tl_guest_flows()};

	tl_guest_put(&arrow);
	arrow.phase = 'f';
	arrow.lane = 0; /* this thread's */
	arrow.start = just_inside(call->start, call->end - call->start);
	tl_guest_put(&arrow);
}

static bool submission_is_of(const struct timeline_submission *call,
			     const struct timeline_begun *begun)
{
	return call->task_start == begun->start && call->task_object == begun->object &&
	       call->task_instance == begun->instance;
}

void timeline_submissions_end(const struct timeline_begun *begun, uint32_t lane)
{
	struct timeline_thread *thread = timeline_thread_here();
	struct timeline_submissions *calls = thread ? &thread->submissions : NULL;
	uint32_t left = 0;

	if (TL_LIKELY(!calls || !calls->count))
		return;
	for (uint32_t i = 0; i < calls->count; i++) {
		if (submission_is_of(&calls->at[i], begun))
			submission_draw(&calls->at[i], lane);
		else
			calls->at[left++] = calls->at[i];
	}
	calls->count = left;
}

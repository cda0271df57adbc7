/* SPDX-License-Identifier: MIT */
/*
 * opencl_waits.c: see opencl_waits.h.
 */
#include "layer/device/opencl/opencl_waits.h"

#include <stdlib.h>
#include <string.h>

#include "layer/base/cache_near.h"
#include "layer/device/opencl/opencl_collect.h"
#include "layer/device/opencl/opencl_commands.h"
#include "layer/device/opencl/opencl_driver_functions.h"
#include "layer/device/opencl/opencl_waiting.h"

#define MANY_EVENTS 32u /* events of one wait, from which on they are sorted */

/* --- for events */

/* Events that a call waited for. */
struct events {
	const cl_event *all;
	cl_uint count;
	/* where the last one was found: mostly events are in the order of their commands */
	cl_uint from;
	cl_event *sorted; /* where there are many, in any order; NULL: there are few */
};

static int compare_events(const void *a, const void *b)
{
	uintptr_t left = (uintptr_t) * (const cl_event *)a,
		  right = (uintptr_t) * (const cl_event *)b;

	return (left > right) - (left < right);
}

static struct events events_new(const cl_event *all, cl_uint count)
{
	struct events events = {.all = all, .count = count};

	events.sorted = count > MANY_EVENTS ? malloc(count * sizeof(*all)) : NULL;
	if (events.sorted)
		qsort(memcpy(events.sorted, all, count * sizeof(*all)), count, sizeof(*all),
		      compare_events);
	return events;
}

static bool events_have(cl_event event, struct events *events)
{
	if (events->sorted)
		return bsearch(&event, events->sorted, events->count, sizeof(event),
			       compare_events);
	for (cl_uint i = 0; i < events->count; i++) {
		cl_uint at = (events->from + i) % events->count;
		if (events->all[at] == event) {
			events->from = at;
			return true;
		}
	}
	return false;
}

/*
 * From that command on, the last one that has one of these events. An event that the layer holds
 * can't be another command's.
 */
static struct tl_cl_command *events_last_command(struct tl_cl_command *command,
						 struct events *events)
{
	struct tl_cl_command *last = NULL;

	for (; command; command = command->next)
		if (command->event && events_have(command->event, events))
			last = command;
	return last;
}

/*
 * In an in-order queue, the commands before the last one have been waited for, too. Returns how
 * many no call had waited for before.
 */
static uint32_t queue_note_events(struct tl_cl_queue *queue, const struct tl_cl_call *waited,
				  struct events *events)
{
	uint32_t commands = 0;

	tl_spin_lock_take(&queue->lock);
	struct tl_cl_command *first = tl_cl_first_for(queue, waited);
	const struct tl_cl_command *last = events_last_command(first, events);
	events->from = 0;
	for (struct tl_cl_command *command = last ? first : NULL; command;
	     command = command == last ? NULL : command->next)
		if (queue->in_order || (command->event && events_have(command->event, events)))
			commands += tl_cl_note(queue, command, waited);
	tl_cl_pass_noted(queue);
	tl_spin_lock_release(&queue->lock);
	return commands;
}

void tl_cl_waited_events(const struct tl_call *call, const cl_event *all, cl_uint count)
{
	const struct tl_cl_call waited = tl_cl_call_of(call);
	struct events events = events_new(all, count);

	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next) {
		bool matters = tl_cl_unnoted(queue) || tl_cl_overtaken(queue, &waited);
		if (matters && queue_note_events(queue, &waited, &events))
			tl_cl_collect_waited(queue, &waited);
	}
	free(events.sorted);
}

TL_CL_BEFORE(tl_cl_wait_before)
{
	tl_cl_starts_waiting(call, state);
}

/* Also where some of them failed. */
TL_CL_AFTER(tl_cl_wait_after)
{
	cl_int status = (cl_int)result;

	if (!unwound &&
	    (status == CL_SUCCESS || status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) &&
	    tl_cl_ready())
		tl_cl_waited_events(call, TL_CL_PARAM(const cl_event *, call, 1),
				    TL_CL_PARAM(cl_uint, call, 0));
	tl_cl_stops_waiting(call, state);
}

/* --- for all of a queue */

TL_NEAR_CODE TL_CL_BEFORE(tl_cl_finish_before)
{
	struct tl_cl_waiting *waiting = state;

	waiting->queue =
		tl_cl_ready() ? tl_cl_queue_find(TL_CL_PARAM(cl_command_queue, call, 0)) : NULL;
	if (waiting->queue)
		tl_cl_starts_waiting(call, waiting);
}

/*
 * Commands that other threads submitted meanwhile do not count. Returns how many no call had waited
 * for before.
 */
static uint32_t queue_note_finish(struct tl_cl_queue *queue, const struct tl_cl_call *waited)
{
	uint32_t commands = 0;

	tl_spin_lock_take(&queue->lock);
	queue->finishes[queue->finished++ % TL_CL_FINISHES] = *waited;
	if (queue->finish_began < waited->start)
		queue->finish_began = waited->start;
	for (struct tl_cl_command *command = tl_cl_first_for(queue, waited); command;
	     command = command->next)
		if (command->submitted.end <= waited->start)
			commands += tl_cl_note(queue, command, waited);
	tl_cl_pass_noted(queue);
	tl_spin_lock_release(&queue->lock);
	return commands;
}

TL_NEAR_CODE TL_CL_AFTER(tl_cl_finish_after)
{
	struct tl_cl_queue *queue = ((const struct tl_cl_waiting *)state)->queue;
	const struct tl_cl_call waited = tl_cl_call_of(call);

	if (!queue)
		return;
	bool succeeded = tl_cl_succeeded(result, unwound) && tl_cl_ready();
	bool first = succeeded && queue_note_finish(queue, &waited);
	tl_cl_stops_waiting(call, state);
	if (first)
		tl_cl_collect_waited(queue, &waited);
}

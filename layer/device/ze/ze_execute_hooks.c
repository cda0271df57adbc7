/* SPDX-License-Identifier: MIT */
/*
 * ze_execute_hooks.c: hooks around functions that execute regular lists, on queues and immediate
 * lists, and functions that wait for queues.
 */
#include "layer/device/ze/ze_execute_hooks.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/device_lanes.h"
#include "layer/device/ze/ze_capture.h"
#include "layer/device/ze/ze_collect.h"
#include "layer/device/ze/ze_driver_functions.h"
#include "layer/device/ze/ze_events.h"
#include "layer/device/ze/ze_executions.h"
#include "layer/device/ze/ze_graph.h"
#include "layer/device/ze/ze_lists.h"
#include "layer/device/ze/ze_queues.h"
#include "layer/device/ze/ze_recordings.h"

/* One of the lists that a call executes. */
struct part {
	struct ze_execution *execution; /* NULL: it has nothing to show */
	struct ze_execution *live;	/* the execution of the same recording before this one */
	bool copied; /* a list of the layer's, which goes before this one, copies its results */
};

struct execute {
	struct ze_queue *queue;
	uint32_t correlation;
	uint32_t parts, count;
	struct part *part;		 /* one for each list of the program */
	ze_command_list_handle_t *lists; /* the lists to execute: the program's, and the layer's */
};

/*
 * Before this execution begins, what the last one left must be saved: read now, or copied by a list
 * of the layer's that goes before it.
 */
static void part_put_aside(struct execute *execute, struct part *part,
			   struct ze_recording *recording)
{
	struct ze_execution *live = recording->live;

	part->live = live;
	if (!live || live->capture || tl_ze_execution_read(live))
		return;
	live->capture = tl_ze_capture_take(recording);
	if (live->capture) {
		part->copied = true;
		live->capture->executed = true;
		execute->lists[execute->count++] = live->capture->list;
		return;
	}
	for (uint32_t i = 0; i < recording->count; i++)
		live->items[i].lost |= !live->items[i].read;
}

static void execute_add_list(struct execute *execute, struct part *part,
			     ze_command_list_handle_t handle, uint32_t request)
{
	struct ze_list *list = tl_ze_list_find(handle);
	struct ze_recording *recording = list ? list->recording : NULL;

	if (recording && recording->context && recording->count) {
		part_put_aside(execute, part, recording);
		part->execution = tl_ze_execution_new(recording, execute->queue,
						      execute->correlation, request);
		if (part->execution && part->copied) {
			part->execution->before = part->live;
			part->live->behind = part->execution;
		}
	}
	execute->lists[execute->count++] = handle;
}

static struct execute *execute_new(struct ze_queue *queue, uint32_t parts)
{
	struct execute *execute = calloc(1, sizeof(*execute));

	if (!execute)
		return NULL;
	execute->queue = queue;
	execute->parts = parts;
	execute->part = calloc(parts, sizeof(*execute->part));
	execute->lists = calloc(parts, 2 * sizeof(*execute->lists));
	execute->correlation = tl_device_correlation();
	return execute;
}

static void execute_free(struct execute *execute)
{
	if (!execute)
		return;
	free(execute->part);
	free(execute->lists);
	free(execute);
}

struct execute_state {
	struct execute *execute;
	struct ze_event *event; /* signalled after it */
};

/* With the lock held. NULL: the queue is not known. */
static void execute_on(struct ze_queue *queue, struct tl_call *call, struct execute_state *state)
{
	uint32_t *count = &ZE_PARAM(call, 1, uint32_t);
	ze_command_list_handle_t **lists = &ZE_PARAM(call, 2, ze_command_list_handle_t *);
	struct execute *execute = queue && *lists && *count ? execute_new(queue, *count) : NULL;
	if (execute && execute->part && execute->lists) {
		for (uint32_t i = 0; i < *count; i++)
			execute_add_list(execute, &execute->part[i], (*lists)[i], call->request);
		*lists = execute->lists;
		*count = execute->count;
		state->execute = execute;
		tl_call_correlate(call, execute->correlation);
	} else {
		execute_free(execute);
	}
}

static void execute_before(struct tl_call *call, void *state)
{
	pthread_mutex_lock(&tl_ze_lock);
	execute_on(tl_ze_usable() ? tl_ze_queue_find(ZE_PARAM(call, 0, ze_command_queue_handle_t))
				  : NULL,
		   call, state);
	pthread_mutex_unlock(&tl_ze_lock);
}

/* A graph will execute the lists, at a time that is not known. */
static void lists_spoil(const ze_command_list_handle_t *handles, uint32_t count)
{
	for (uint32_t i = 0; handles && i < count; i++) {
		const struct ze_list *list = tl_ze_list_find(handles[i]);
		if (list && list->recording)
			tl_ze_recording_spoil(list->recording);
	}
}

/* `signal`: the parameter with the event that the end of the lists signals. */
static void append_lists_before_at(struct tl_call *call, struct execute_state *state,
				   unsigned signal)
{
	uint32_t count = ZE_PARAM(call, 1, uint32_t);
	ze_command_list_handle_t *lists = ZE_PARAM(call, 2, ze_command_list_handle_t *);
	ze_event_handle_t event = ZE_PARAM(call, signal, ze_event_handle_t);

	pthread_mutex_lock(&tl_ze_lock);
	struct ze_list *list =
		tl_ze_usable() ? tl_ze_list_find(ZE_PARAM(call, 0, ze_command_list_handle_t))
			       : NULL;
	if (list && tl_ze_is_captured(list, event, ZE_PARAM(call, signal + 1, uint32_t),
				      ZE_PARAM(call, signal + 2, ze_event_handle_t *)))
		lists_spoil(lists, count);
	else if (list)
		execute_on(list->queue, call, state);
	state->event = state->execute && event ? tl_ze_event_known(event) : NULL;
	if (state->event) {
		tl_ze_event_enter(state->event);
		tl_ze_settle(state->event);
		tl_ze_event_behind(state->event, list->queue);
	}
	pthread_mutex_unlock(&tl_ze_lock);
}

static void append_lists_before(struct tl_call *call, void *state)
{
	append_lists_before_at(call, state, 3);
}

static void append_lists_with_before(struct tl_call *call, void *state)
{
	append_lists_before_at(call, state, 4);
}

/*
 * The call failed: undo what was done for it. What earlier executions left is still there. The
 * latest goes first, so that each finds the one before it.
 */
static void execute_revert(struct execute *execute)
{
	for (uint32_t i = execute->parts; i-- > 0;) {
		struct part *part = &execute->part[i];

		if (!part->execution)
			continue;
		struct ze_recording *recording = part->execution->recording;
		tl_ze_execution_cancel(part->execution);
		/*
		 * Once the lanes have ended, the results of earlier executions have been given up.
		 */
		if (!part->copied || tl_device_has_ended())
			continue;
		struct ze_capture *capture = part->live->capture;
		part->live->capture = NULL;
		recording->live = part->live;
		capture->executed = false;
		tl_ze_capture_give(recording, capture);
	}
}

static void execute_done(struct tl_call *call, struct execute *execute, ze_fence_handle_t signalled)
{
	struct tl_device_call here = tl_device_call_of(call);
	struct ze_queue *queue = execute->queue;
	struct ze_fence *fence = tl_ze_fence_find(signalled);

	for (uint32_t i = 0; i < execute->parts; i++)
		if (execute->part[i].execution) {
			execute->part[i].execution->call = here;
			execute->part[i].execution->submitted = true;
		}
	if (fence)
		fence->number = queue->number;
	if (queue->synchronous)
		tl_ze_drain(queue, queue->number, &here);
	else
		tl_ze_collect(queue);
}

static void execute_end(struct tl_call *call, struct execute_state *state, bool failed,
			ze_fence_handle_t fence)
{
	if (!state->execute)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	if (failed && state->event)
		state->event->behind = NULL;
	if (failed)
		execute_revert(state->execute);
	else
		execute_done(call, state->execute, fence);
	tl_ze_event_leave(state->event);
	pthread_mutex_unlock(&tl_ze_lock);
	execute_free(state->execute);
}

static void execute_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	execute_end(call, state, unwound || result != ZE_RESULT_SUCCESS,
		    ZE_PARAM(call, 3, ze_fence_handle_t));
}

static void append_lists_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	execute_end(call, state, unwound || result != ZE_RESULT_SUCCESS, NULL);
}

/* --- waiting for a queue: what was submitted when the wait began is over when it ends */

struct wait_state {
	struct ze_queue *queue;
	uint64_t number;
};

static void wait_done(struct tl_call *call, const struct wait_state *wait, uint64_t result,
		      bool unwound)
{
	struct tl_device_call here = tl_device_call_of(call);

	if (!wait->queue || unwound || result != ZE_RESULT_SUCCESS)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	tl_ze_drain(wait->queue, wait->number, &here);
	pthread_mutex_unlock(&tl_ze_lock);
}

static void queue_wait_before(struct tl_call *call, void *state)
{
	struct wait_state *wait = state;

	pthread_mutex_lock(&tl_ze_lock);
	wait->queue = tl_ze_queue_find(ZE_PARAM(call, 0, ze_command_queue_handle_t));
	wait->number = wait->queue ? wait->queue->number : 0;
	pthread_mutex_unlock(&tl_ze_lock);
}

static void list_wait_before(struct tl_call *call, void *state)
{
	struct wait_state *wait = state;

	pthread_mutex_lock(&tl_ze_lock);
	struct ze_list *list = tl_ze_list_find(ZE_PARAM(call, 0, ze_command_list_handle_t));
	wait->queue = list ? list->queue : NULL;
	wait->number = wait->queue ? wait->queue->number : 0;
	pthread_mutex_unlock(&tl_ze_lock);
}

static void fence_wait_before(struct tl_call *call, void *state)
{
	struct wait_state *wait = state;

	pthread_mutex_lock(&tl_ze_lock);
	struct ze_fence *fence = tl_ze_fence_find(ZE_PARAM(call, 0, ze_fence_handle_t));
	wait->queue = fence ? tl_ze_queue_find(fence->queue) : NULL;
	wait->number = fence ? fence->number : 0;
	pthread_mutex_unlock(&tl_ze_lock);
}

/* For all queues and immediate lists of the device. */
static void device_wait_before(struct tl_call *call, void *state)
{
	struct wait_state *wait = state;

	pthread_mutex_lock(&tl_ze_lock);
	wait->number = tl_ze_last_number();
	pthread_mutex_unlock(&tl_ze_lock);
	(void)call;
}

static void device_wait_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	const struct wait_state *wait = state;
	struct tl_device_call here = tl_device_call_of(call);

	if (unwound || result != ZE_RESULT_SUCCESS)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	for (struct ze_queue *queue = tl_ze_queues(); queue; queue = queue->next)
		if (queue->device->handle.key == ZE_PARAM(call, 0, void *))
			tl_ze_drain(queue, wait->number, &here);
	pthread_mutex_unlock(&tl_ze_lock);
}

static void wait_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	wait_done(call, state, result, unwound);
}

const struct tl_hook tl_ze_execute_hooks[] = {
	{"zeCommandQueueExecuteCommandLists", execute_before, execute_after, TL_HOOK_TIMED},
	{"zeCommandListImmediateAppendCommandListsExp", append_lists_before, append_lists_after,
	 TL_HOOK_TIMED},
	{"zeCommandListImmediateAppendCommandListsWithParameters", append_lists_with_before,
	 append_lists_after, TL_HOOK_TIMED},
	{"zeDeviceSynchronize", device_wait_before, device_wait_after, TL_HOOK_TIMED},
	{"zeCommandQueueSynchronize", queue_wait_before, wait_after, TL_HOOK_TIMED},
	{"zeCommandListHostSynchronize", list_wait_before, wait_after, TL_HOOK_TIMED},
	{"zeFenceHostSynchronize", fence_wait_before, wait_after, TL_HOOK_TIMED},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};

/* SPDX-License-Identifier: MIT */
/*
 * ze_executions.c: see ze_executions.h.
 *
 * An item (a command of an execution) is read as soon as a hook finds it ready. Then the host has
 * its times, and the next execution may use the event or the slot.
 */
#include "layer/device/device_lanes.h"
#include "layer/device/ze/ze_executions.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/device_lanes.h"
#include "layer/device/ze/ze_capture.h"
#include "layer/device/ze/ze_driver_functions.h"

/* --- reading */

/*
 * The device writes the end last. Acquire: the start, which it wrote before, is read after that, as
 * far as the host can make sure of it.
 */
static bool slot_read(const struct ze_slot *slot, bool instant, struct ze_item *item)
{
	const uint64_t *last = instant ? &slot->start : &slot->end;

	item->end = __atomic_load_n(last, __ATOMIC_ACQUIRE);
	item->start = __atomic_load_n(&slot->start, __ATOMIC_RELAXED);
	return item->end != 0;
}

static bool event_read(ze_event_handle_t event, struct ze_item *item)
{
	ze_kernel_timestamp_result_t result;

	if (tl_ze_real.zeEventQueryStatus(event) != ZE_RESULT_SUCCESS ||
	    tl_ze_real.zeEventQueryKernelTimestamp(event, &result) != ZE_RESULT_SUCCESS)
		return false;
	item->start = result.global.kernelStart;
	item->end = result.global.kernelEnd;
	return true;
}

/*
 * Whether the times that were read from the program's event are new. If they are the same as
 * before, nothing has reset the event and signalled it again.
 */
static bool event_is_news(struct ze_event *event, const struct ze_item *item)
{
	if (event->told && item->start == event->last_start && item->end == event->last_end)
		return false;
	event->told = true;
	event->last_start = item->start;
	event->last_end = item->end;
	return true;
}

static bool item_read_theirs(struct ze_execution *execution, uint32_t index,
			     struct ze_command *command, struct ze_item *item)
{
	struct ze_event *event = command->event;

	if (event->destroyed || event->pending != execution || event->index != index) {
		item->lost = true;
		return false;
	}
	/* The event may have been destroyed unseen. */
	if (!event->seen && !event->here)
		return false;
	/*
	 * The times of the command before (in this execution or in the one before) must be known,
	 * to tell these times from those.
	 */
	if (event->kept ||
	    (command->previous && !tl_ze_item_read(execution, command->previous - 1)) ||
	    (execution->before && !tl_ze_item_read(execution->before, index)))
		return false;
	return event_read((ze_event_handle_t)(uintptr_t)event->handle.key, item) &&
	       event_is_news(event, item);
}

static bool item_read_slot(struct ze_command *command, struct ze_item *item)
{
	if (!slot_read(command->slot, command->source == ZE_INSTANT, item))
		return false;
	memset(command->slot, 0, sizeof(*command->slot));
	if (command->source == ZE_QUERY)
		event_is_news(command->event, item);
	return true;
}

static bool item_read_source(struct ze_execution *execution, uint32_t index,
			     struct ze_command *command, struct ze_item *item)
{
	switch (command->source) {
	case ZE_OWN:
		return event_read(command->own->event, item) &&
		       tl_ze_real.zeEventHostReset(command->own->event) == ZE_RESULT_SUCCESS;
	case ZE_NONE:
		item->lost = true;
		return false;
	case ZE_THEIRS:
		return item_read_theirs(execution, index, command, item);
	case ZE_BRACKET:
	case ZE_INSTANT:
	case ZE_QUERY:
		return item_read_slot(command, item);
	}
	return false;
}

static bool item_read_captured(struct ze_execution *execution, uint32_t index, struct ze_item *item)
{
	const struct ze_command *command = &execution->recording->commands[index];
	const struct ze_slot *slot = tl_ze_capture_slot(execution, index);

	if (!tl_ze_capture_is_done(execution->capture))
		return false;
	item->lost = !slot || !slot_read(slot, command->source == ZE_INSTANT, item);
	if (!item->lost && command->event &&
	    (command->source == ZE_THEIRS || command->source == ZE_QUERY))
		event_is_news(command->event, item);
	return !item->lost;
}

void tl_ze_item_not_pending(struct ze_execution *execution, uint32_t index)
{
	const struct ze_command *command = &execution->recording->commands[index];
	struct ze_event *event = command->event;

	if (execution->recording->immediate && command->source == ZE_QUERY)
		event->kept--;
	if (event && event->pending == execution && event->index == index)
		event->pending = NULL;
}

bool tl_ze_item_read(struct ze_execution *execution, uint32_t index)
{
	struct ze_recording *recording = execution->recording;
	struct ze_item *item = &execution->items[index];

	if (item->read || item->lost)
		return item->read;
	if (!tl_ze_usable() || !recording->context)
		return false;
	/* Until the last execution's results have been saved, the event still has those. */
	if (execution->before && !tl_ze_capture_is_done(execution->before->capture))
		return false;
	item->read = execution->capture ? item_read_captured(execution, index, item)
					: item_read_source(execution, index,
							   &recording->commands[index], item);
	if (!item->read)
		return false;
	tl_ze_item_not_pending(execution, index);
	if (execution->queue->over < execution->number)
		execution->queue->over = execution->number;
	return true;
}

bool tl_ze_execution_read(struct ze_execution *execution)
{
	bool all = true;

	for (uint32_t i = 0; i < execution->recording->count; i++)
		all &= tl_ze_item_read(execution, i) || execution->items[i].lost;
	return all;
}

bool tl_ze_settle(struct ze_event *event)
{
	return !event->pending || tl_ze_item_read(event->pending, event->index);
}

/* --- executions */

/*
 * A command is going to signal the event, and leave its times there. Remember the event's current
 * times, from a command that has its times elsewhere or from the host: if nothing resets the event
 * in between, they would look like the new command's times.
 */
static void event_note_signalled(struct ze_event *event)
{
	struct ze_item now;

	if (event->elsewhere && tl_ze_usable() &&
	    event_read((ze_event_handle_t)(uintptr_t)event->handle.key, &now)) {
		event_is_news(event, &now);
		event->elsewhere = false;
	}
}

/*
 * The event's command is about to be submitted, so the event exists, unless the program is wrong.
 */
static bool event_may_be_signalled(const struct ze_event *event)
{
	if (event->counts)
		return false;
	if (event->destroyed)
		return true;
	if (event->pool && !event->pool->changed &&
	    !(event->pool->flags & ZE_EVENT_POOL_FLAG_HOST_VISIBLE))
		return true;
	return !tl_ze_usable() ||
	       tl_ze_real.zeEventQueryStatus((ze_event_handle_t)(uintptr_t)event->handle.key) ==
		       ZE_RESULT_SUCCESS;
}

static void event_make_pending(struct ze_event *event, struct ze_execution *execution,
			       uint32_t index)
{
	enum ze_source source = execution->recording->commands[index].source;

	event->stale = (source == ZE_NONE || source == ZE_BRACKET) && event_may_be_signalled(event);
	if (source == ZE_THEIRS)
		event_note_signalled(event);
	else if (source != ZE_QUERY)
		event->elsewhere = true;
	event->pending = execution;
	event->index = index;
	event->behind = NULL;
}

void tl_ze_event_behind(struct ze_event *event, struct ze_queue *queue)
{
	event->behind = event_may_be_signalled(event) ? NULL : queue;
	event->number = queue->number;
}

static uint64_t last_number;

uint64_t tl_ze_last_number(void)
{
	return last_number;
}

struct ze_execution *tl_ze_execution_new(struct ze_recording *recording, struct ze_queue *queue,
					 uint32_t correlation, uint32_t request)
{
	struct ze_execution *execution =
		calloc(1, sizeof(*execution) + recording->count * sizeof(execution->items[0]));

	if (!execution)
		return NULL;
	execution->recording = recording;
	execution->queue = queue;
	execution->correlation = correlation;
	execution->request = request;
	execution->left = recording->count;
	for (uint32_t i = 0; i < recording->count; i++) {
		struct ze_event *event = recording->commands[i].event;
		execution->items[i].command = tl_device_submit(queue->lanes);
		if (event)
			event_make_pending(event, execution, i);
	}
	execution->began = tl_device_now();
	execution->number = queue->number = ++last_number;
	recording->references++;
	recording->live = execution;
	execution->link = queue->last;
	*queue->last = execution;
	queue->last = &execution->next;
	return execution;
}

/* Events and slots that the device may still write to are not used again. */
void tl_ze_execution_free(struct ze_execution *execution)
{
	struct ze_recording *recording = execution->recording;
	struct ze_queue *queue = execution->queue;

	for (uint32_t i = 0; i < recording->count; i++)
		if (!execution->items[i].read && !execution->items[i].shown)
			tl_ze_item_not_pending(execution, i);
	if (recording->live == execution)
		recording->live = NULL;
	if (execution->behind)
		execution->behind->before = NULL;
	if (execution->before)
		execution->before->behind = NULL;
	if (execution->capture)
		tl_ze_capture_give(recording, execution->capture);
	*execution->link = execution->next;
	if (execution->next)
		execution->next->link = execution->link;
	else
		queue->last = execution->link;
	tl_ze_recording_release(recording);
	free(execution);
}

void tl_ze_execution_cancel(struct ze_execution *execution)
{
	for (uint32_t i = 0; i < execution->recording->count; i++)
		if (execution->items[i].command)
			tl_device_cancel(execution->items[i].command);
	tl_ze_execution_free(execution);
}

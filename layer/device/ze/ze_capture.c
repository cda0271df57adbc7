/* SPDX-License-Identifier: MIT */
/*
 * ze_capture.c: see ze_capture.h.
 */
#include "layer/device/ze/ze_capture.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/ze/ze_driver_functions.h"

static uint32_t recording_runs(const struct ze_recording *recording)
{
	uint32_t count = 0;

	for (const struct ze_run *run = recording->runs; run; run = run->next)
		count++;
	return count;
}

/* The result of a query of a counter-based event depends on when the query was appended. */
static bool command_has_event(const struct ze_command *command)
{
	return command->source == ZE_OWN ||
	       (command->source == ZE_THEIRS && !command->event->counts);
}

static ze_event_handle_t command_event(const struct ze_command *command)
{
	return command->source == ZE_OWN ? command->own->event
					 : (ze_event_handle_t)(uintptr_t)command->event->handle.key;
}

/*
 * Copies the i-th command's event to the i-th slot. The program's events exist, since the list that
 * comes next signals them. The copy of an event that is not signalled is useless, and does no harm.
 */
static bool capture_append_query(const struct ze_recording *recording, struct ze_capture *capture)
{
	ze_event_handle_t *events = calloc(recording->count + 1, sizeof(*events));
	size_t *offsets = calloc(recording->count + 1, sizeof(*offsets));
	uint32_t count = 0;
	bool done = events && offsets;

	for (uint32_t i = 0; done && i < recording->count; i++) {
		if (!command_has_event(&recording->commands[i]))
			continue;
		events[count] = command_event(&recording->commands[i]);
		offsets[count++] = i * sizeof(struct ze_slot);
	}
	if (done && count)
		done = tl_ze_real.zeCommandListAppendQueryKernelTimestamps(
			       capture->list, count, events, capture->slots, offsets, NULL, 0,
			       NULL) == ZE_RESULT_SUCCESS;
	free(events);
	free(offsets);
	return done;
}

static bool capture_append_copies(const struct ze_recording *recording, struct ze_capture *capture)
{
	struct ze_slot *to = capture->slots + recording->count;

	for (const struct ze_run *run = recording->runs; run; run = run->next, to += ZE_RUN)
		if (tl_ze_real.zeCommandListAppendMemoryCopy(capture->list, to, run->slots,
							     ZE_RUN * sizeof(*to), NULL, 0,
							     NULL) != ZE_RESULT_SUCCESS)
			return false;
	return true;
}

/* Resets slots and the layer's events to what they were before the first execution. */
static bool capture_append_resets(const struct ze_recording *recording, struct ze_capture *capture)
{
	static const char zero;

	for (const struct ze_run *run = recording->runs; run; run = run->next)
		if (tl_ze_real.zeCommandListAppendMemoryFill(capture->list, run->slots, &zero, 1,
							     ZE_RUN * sizeof(*run->slots), NULL, 0,
							     NULL) != ZE_RESULT_SUCCESS)
			return false;
	for (uint32_t i = 0; i < recording->count; i++)
		if (recording->commands[i].source == ZE_OWN &&
		    tl_ze_real.zeCommandListAppendEventReset(
			    capture->list, recording->commands[i].own->event) != ZE_RESULT_SUCCESS)
			return false;
	return true;
}

static bool capture_append_barrier(struct ze_capture *capture, ze_event_handle_t signal)
{
	return tl_ze_real.zeCommandListAppendBarrier(capture->list, signal, 0, NULL) ==
	       ZE_RESULT_SUCCESS;
}

/* A barrier without events waits for everything that was submitted to its queue before. */
static bool capture_record(const struct ze_recording *recording, struct ze_capture *capture)
{
	return capture_append_barrier(capture, NULL) &&
	       /* Engines that only copy can't copy timestamps, but slots. */
	       (capture_append_query(recording, capture) ||
		tl_ze_only_copies(recording->device, recording->group)) &&
	       capture_append_copies(recording, capture) && capture_append_barrier(capture, NULL) &&
	       capture_append_resets(recording, capture) &&
	       capture_append_barrier(capture, capture->done->event) &&
	       tl_ze_real.zeCommandListClose(capture->list) == ZE_RESULT_SUCCESS;
}

static struct ze_capture *capture_new(struct ze_recording *recording)
{
	struct ze_context *context = recording->context;
	const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
					     .commandQueueGroupOrdinal = recording->group};
	ze_device_handle_t device = (ze_device_handle_t)(uintptr_t)recording->device->handle.key;
	struct ze_capture *capture = calloc(1, sizeof(*capture));

	if (!capture)
		return NULL;
	capture->done = tl_ze_event_take(context);
	capture->size =
		(recording->count + recording_runs(recording) * ZE_RUN) * sizeof(struct ze_slot);
	capture->slots = tl_ze_memory_take(context, capture->size);
	bool made = capture->done && capture->slots &&
		    tl_ze_real.zeCommandListCreate(
			    (ze_context_handle_t)(uintptr_t)context->handle.key, device, &desc,
			    &capture->list) == ZE_RESULT_SUCCESS &&
		    capture_record(recording, capture);
	if (made)
		return capture;
	tl_ze_capture_discard(context, capture);
	return NULL;
}

struct ze_capture *tl_ze_capture_take(struct ze_recording *recording)
{
	struct ze_capture *capture = recording->captures;

	if (!tl_ze_usable() || !recording->context)
		return NULL;
	if (!capture)
		return capture_new(recording);
	recording->captures = capture->next;
	return capture;
}

/*
 * Makes the capture usable again, since its copies have been read. False: they have not been made.
 */
static bool capture_renew(struct ze_capture *capture)
{
	if (!tl_ze_usable() || !tl_ze_capture_is_done(capture))
		return false;
	tl_ze_real.zeEventHostReset(capture->done->event);
	memset(capture->slots, 0, capture->size);
	capture->executed = false;
	return true;
}

/* A capture that has been executed and read is used again. */
void tl_ze_capture_give(struct ze_recording *recording, struct ze_capture *capture)
{
	if (!recording->context) {
		free(capture);
		return;
	}
	if (capture->executed && !capture_renew(capture)) {
		tl_ze_capture_discard(recording->context, capture);
		return;
	}
	capture->next = recording->captures;
	recording->captures = capture;
}

/* False: the device still uses it. */
static bool capture_destroy(struct ze_context *context, struct ze_capture *capture)
{
	if (capture->executed && !capture_renew(capture))
		return false;
	if (capture->list && (!tl_ze_usable() ||
			      tl_ze_real.zeCommandListDestroy(capture->list) != ZE_RESULT_SUCCESS))
		return false;
	tl_ze_memory_give(context, capture->slots);
	if (capture->done)
		tl_ze_event_give(context, capture->done);
	free(capture);
	return true;
}

/* The device may still be finishing it: then a later call destroys it. */
void tl_ze_capture_discard(struct ze_context *context, struct ze_capture *capture)
{
	struct ze_capture **link = &context->captures;

	capture->next = context->captures;
	context->captures = capture;
	while (*link) {
		struct ze_capture *one = *link, *next = one->next;
		if (capture_destroy(context, one))
			*link = next;
		else
			link = &one->next;
	}
}

/* The context is destroyed, and its events with their pools. */
void tl_ze_capture_free(struct ze_context *context, struct ze_capture *capture)
{
	if (capture->list && tl_ze_usable())
		tl_ze_real.zeCommandListDestroy(capture->list);
	tl_ze_memory_give(context, capture->slots);
	free(capture);
}

bool tl_ze_capture_is_done(const struct ze_capture *capture)
{
	return capture->executed &&
	       tl_ze_real.zeEventQueryStatus(capture->done->event) == ZE_RESULT_SUCCESS;
}

const struct ze_slot *tl_ze_capture_slot(const struct ze_execution *execution, uint32_t index)
{
	const struct ze_recording *recording = execution->recording;
	const struct ze_command *command = &recording->commands[index];
	const struct ze_slot *copies = execution->capture->slots + recording->count;

	if (command_has_event(command))
		return execution->capture->slots + index;
	for (const struct ze_run *run = recording->runs; run; run = run->next, copies += ZE_RUN)
		if (command->slot >= run->slots && command->slot < run->slots + ZE_RUN)
			return copies + (command->slot - run->slots);
	return NULL;
}

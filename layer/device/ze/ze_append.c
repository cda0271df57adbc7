/* SPDX-License-Identifier: MIT */
/*
 * ze_append.c: hooks around the functions that append a command to a list. Each makes sure that the
 * command's times are written somewhere.
 */
#include "layer/device/ze/ze_append.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/device_lanes.h"
#include "layer/device/ze/ze_collect.h"
#include "layer/device/ze/ze_command_facts.h"
#include "layer/device/ze/ze_devices.h"
#include "layer/device/ze/ze_driver_functions.h"
#include "layer/device/ze/ze_events.h"
#include "layer/device/ze/ze_executions.h"
#include "layer/device/ze/ze_graph.h"
#include "layer/device/ze/ze_lists.h"
#include "layer/device/ze/ze_queues.h"
#include "layer/device/ze/ze_own.h"
#include "layer/device/ze/ze_recordings.h"

/* How one of these functions is called. Parameter 0 is the list. */
struct append {
	int8_t signal; /* the parameter with the event that the command signals; -1: none */
	int8_t event;  /* the parameter with the event that the command works on; -1: none */
	bool forgets;  /* the command resets .event */
	/*
	 * the parameter with the number of events that the command waits for; 0: the one behind
	 * .signal
	 */
	int8_t waits;
	tl_ze_describe *describe;
};

struct append_state {
	struct ze_list *list; /* NULL: `after` has nothing to do */
	/* The command is its last one. A regular list's recording does not count it yet. */
	struct ze_recording *recording;
	struct ze_execution *execution; /* in an immediate list */
	ze_event_handle_t *asked;	/* a query's events, instead of the program's array */
	uint32_t correlation;
	bool begun; /* a timestamp was written before the command */
};
_Static_assert(sizeof(struct append_state) <= TL_HOOK_STATE, "the state of a hook");

/* --- where its times come from */

/*
 * The list is going to reset this event, or to signal it once more. If the event still has times of
 * an earlier command that were not read, append a barrier, which waits for that command, and a
 * copy.
 */
static void event_keep_times(struct ze_list *list, struct ze_event *event)
{
	ze_event_handle_t handle = (ze_event_handle_t)(uintptr_t)event->handle.key;
	ze_command_list_handle_t target = (ze_command_list_handle_t)(uintptr_t)list->handle.key;
	struct ze_recording *recording = event->recorded;
	struct ze_execution *pending = event->pending;
	uint32_t index = event->command;

	/* A counter-based event stands for the later command as soon as that is appended. */
	if (!event->seen || event->counts)
		return;
	if (list->queue) {
		if (tl_ze_settle(event) || pending->queue != list->queue)
			return;
		recording = pending->recording;
		index = event->index;
	}
	if (!recording || (!list->queue && recording != list->recording) ||
	    recording->commands[index].source != ZE_THEIRS || list->only_copies)
		return;
	struct ze_slot *slot = tl_ze_recording_slot(recording);
	if (!slot)
		return;
	pthread_mutex_unlock(&tl_ze_lock);
	bool kept = (list->in_order || tl_ze_real.zeCommandListAppendBarrier(
					       target, NULL, 0, NULL) == ZE_RESULT_SUCCESS) &&
		    tl_ze_real.zeCommandListAppendQueryKernelTimestamps(
			    target, 1, &handle, slot, NULL, NULL, 0, NULL) == ZE_RESULT_SUCCESS;
	pthread_mutex_lock(&tl_ze_lock);
	/*
	 * The event may have been read meanwhile. Then the slot stays unused, since the device is
	 * going to write to it.
	 */
	if (!kept || (list->queue && event->pending != pending))
		return;
	recording->commands[index].source = ZE_QUERY;
	recording->commands[index].slot = slot;
	if (list->queue) {
		event->kept++;
		return;
	}
	event->recorded = NULL;
	event->kept_in = recording;
	event->kept_command = index;
}

/* Lists of engines that only copy can't copy an event's timestamps: see ze_recordings.h. */
static void command_choose_source(const struct ze_list *list, struct ze_recording *recording,
				  struct ze_command *command, bool signals)
{
	bool stamps = !signals || (list->only_copies && list->recording);

	if (signals && (command->event || command->keeps)) {
		tl_ze_choose_for_event(list->in_order, !list->queue, recording, command);
		return;
	}
	if (signals)
		command->own = tl_ze_event_take(recording->context);
	if (stamps)
		command->slot = tl_ze_recording_slot(recording);
	if ((signals && !command->own) || (stamps && !command->slot))
		command->source = ZE_NONE;
	else if (stamps)
		command->source = signals || !command->event ? ZE_BRACKET : ZE_INSTANT;
	else
		command->source = ZE_OWN;
}

static struct ze_command *append_command(const struct append_state *state)
{
	return &state->recording->commands[state->execution ? 0 : state->recording->count];
}

/* Does everything that needs the lock. False: the command is not watched. */
static bool append_prepare(struct tl_call *call, const struct append *append,
			   struct append_state *state, struct ze_list *list)
{
	int8_t at = append->signal >= 0 ? append->signal : append->event;
	ze_event_handle_t handle = at >= 0 ? ZE_PARAM(call, at, ze_event_handle_t) : NULL;
	struct ze_event *event = handle ? tl_ze_event_known(handle) : NULL;

	/* Memory was short. */
	if (handle && !event)
		return false;
	if (event)
		event_keep_times(list, event);
	state->recording =
		list->queue ? tl_ze_recording_new(list->context, list->device, list->group, true)
			    : list->recording;
	struct ze_command *command = state->recording && state->recording->context
					     ? tl_ze_command_next(state->recording)
					     : NULL;
	if (!command)
		return false;
	append->describe(call, list, command);
	command->id = list->next_id;
	command->keeps = list->next_id && list->next_signals;
	if (event && !append->forgets) {
		command->event = event;
		event->references++;
		command->previous =
			event->kept_in == state->recording ? event->kept_command + 1 : 0;
	}
	command_choose_source(list, state->recording, command, append->signal >= 0);
	state->correlation = list->queue ? tl_device_correlation() : 0;
	if (!list->queue)
		return true;
	state->recording->count = 1;
	state->execution = tl_ze_execution_new(state->recording, list->queue, state->correlation,
					       call->request);
	return state->execution && state->execution->items[0].command;
}

/* The command was not appended, or is not watched. */
static void append_drop(struct append_state *state)
{
	struct ze_recording *recording = state->recording;

	if (!recording)
		return;
	if (state->execution)
		tl_ze_execution_cancel(state->execution);
	if (!recording->immediate)
		tl_ze_command_clear(recording, &recording->commands[recording->count], true);
	else if (state->begun)
		recording->dirty = true;
	if (recording->immediate)
		tl_ze_recording_release(recording);
	state->list = NULL;
}

/*
 * Whether the command is captured for a graph. The parameter with the number of events that it
 * waits for comes after the event that it signals, and the events come after that.
 */
static bool append_is_captured(struct tl_call *call, const struct append *append,
			       struct ze_list *list)
{
	int8_t signal = append->signal >= 0 ? append->signal : append->event;
	int8_t waits = append->waits ? append->waits : append->signal >= 0 ? append->signal + 1 : 0;

	return tl_ze_is_captured(
		list,
		signal >= 0 && !append->forgets ? ZE_PARAM(call, signal, ze_event_handle_t) : NULL,
		waits ? ZE_PARAM(call, waits, uint32_t) : 0,
		waits ? ZE_PARAM(call, waits + 1, ze_event_handle_t *) : NULL);
}

static void append_before(struct tl_call *call, void *hook_state, const struct append *append)
{
	struct append_state *state = hook_state;

	pthread_mutex_lock(&tl_ze_lock);
	struct ze_list *list =
		tl_ze_usable() ? tl_ze_list_find(ZE_PARAM(call, 0, ze_command_list_handle_t))
			       : NULL;
	if (list && !append_is_captured(call, append, list)) {
		state->list = list;
		if (!append_prepare(call, append, state, list))
			append_drop(state);
	}
	struct ze_command *command = state->list ? append_command(state) : NULL;
	struct ze_slot *slot =
		command && (command->source == ZE_BRACKET || command->source == ZE_INSTANT)
			? command->slot
			: NULL;
	ze_event_handle_t own =
		command && command->own && command->source != ZE_NONE ? command->own->event : NULL;
	pthread_mutex_unlock(&tl_ze_lock);
	if (slot)
		state->begun = tl_ze_real.zeCommandListAppendWriteGlobalTimestamp(
				       ZE_PARAM(call, 0, ze_command_list_handle_t), &slot->start,
				       NULL, 0, NULL) == ZE_RESULT_SUCCESS;
	if (own)
		ZE_PARAM(call, append->signal, ze_event_handle_t) = own;
}

/* --- when it is in the list */

static void append_behind(struct tl_call *call, enum ze_source source, ze_event_handle_t own,
			  struct ze_slot *slot)
{
	ze_command_list_handle_t list = ZE_PARAM(call, 0, ze_command_list_handle_t);

	if (source != ZE_BRACKET)
		return;
	tl_ze_real.zeCommandListAppendWriteGlobalTimestamp(list, &slot->end, NULL, own ? 1 : 0,
							   own ? &own : NULL);
	if (own)
		tl_ze_real.zeCommandListAppendEventReset(list, own);
}

/* A regular list's recording counts the command from now on. */
static void append_keep(struct append_state *state)
{
	struct ze_recording *recording = state->recording;
	struct ze_command *command = &recording->commands[recording->count];
	struct ze_event *event = command->event;

	if (event && command->source == ZE_THEIRS) {
		event->recorded = recording;
		event->command = recording->count;
	}
	state->list->next_id = 0;
	recording->count++;
}

static void append_submitted(struct tl_call *call, struct append_state *state,
			     struct ze_event *event)
{
	struct tl_device_call here = tl_device_call_of(call);
	struct ze_queue *queue = state->list->queue;
	uint64_t number = state->execution->number;

	state->execution->call = here;
	state->execution->submitted = true;
	tl_ze_event_enter(event);
	tl_ze_recording_release(state->recording);
	if (queue->synchronous)
		tl_ze_drain(queue, number, &here);
	else
		tl_ze_collect(queue);
	tl_ze_event_leave(event);
}

/* A bracket needs both timestamps: without the first one the command has no times. */
static enum ze_source append_source(struct append_state *state, struct ze_command *command)
{
	if (command->source == ZE_BRACKET && !state->begun)
		command->source = ZE_NONE;
	return command->source;
}

static void append_after(struct tl_call *call, void *hook_state, uint64_t result, bool unwound)
{
	struct append_state *state = hook_state;

	if (!state->list)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_command *command = append_command(state);
	enum ze_source source = append_source(state, command);
	ze_event_handle_t own = command->own ? command->own->event : NULL;
	struct ze_slot *slot = command->slot;
	bool failed = unwound || result != ZE_RESULT_SUCCESS;
	if (failed)
		append_drop(state);
	pthread_mutex_unlock(&tl_ze_lock);
	if (failed)
		return;
	if (!tl_device_has_ended())
		append_behind(call, source, own, slot);
	if (state->execution && state->correlation)
		tl_call_correlate(call, state->correlation);
	pthread_mutex_lock(&tl_ze_lock);
	if (state->execution)
		append_submitted(call, state, append_command(state)->event);
	else
		append_keep(state);
	pthread_mutex_unlock(&tl_ze_lock);
}

/* --- queries */

/*
 * The program asked for no timestamps of some events. For these the device must write what it
 * writes for an event without timestamps. So the query names an event of the layer's instead, which
 * has no timestamps and is never signalled.
 */
static ze_event_handle_t *events_hide_times(ze_event_handle_t *events, uint32_t count)
{
	ze_event_handle_t *asked = NULL;

	for (uint32_t i = 0; i < count; i++) {
		struct ze_event *event = tl_ze_event_find(events[i]);
		ze_event_handle_t plain = tl_ze_event_hides_times(event)
						  ? tl_ze_plain(event->pool->context, false)
						  : NULL;
		if (plain && !asked) {
			asked = malloc(count * sizeof(*asked));
			if (!asked)
				return NULL;
			memcpy(asked, events, count * sizeof(*asked));
		}
		if (plain)
			asked[i] = plain;
	}
	return asked;
}

static void append_wait_before(struct tl_call *call, void *state)
{
	static const struct append append = {
		.signal = -1, .event = -1, .waits = 1, .describe = tl_ze_describe_wait};

	append_before(call, state, &append);
}

static void append_query_before(struct tl_call *call, void *hook_state)
{
	static const struct append append = {
		.signal = 5, .event = -1, .describe = tl_ze_describe_query};
	ze_event_handle_t **events = &ZE_PARAM(call, 2, ze_event_handle_t *);
	struct append_state *state = hook_state;

	pthread_mutex_lock(&tl_ze_lock);
	if (*events)
		state->asked = events_hide_times(*events, ZE_PARAM(call, 1, uint32_t));
	pthread_mutex_unlock(&tl_ze_lock);
	append_before(call, state, &append);
	if (state->asked)
		*events = state->asked;
}

static void append_query_after(struct tl_call *call, void *hook_state, uint64_t result,
			       bool unwound)
{
	struct append_state *state = hook_state;

	append_after(call, state, result, unwound);
	free(state->asked);
}

/* A hook does not know its function, so each function has a `before` of its own. */
#define APPENDS(X)                                                                                 \
	X(AppendLaunchKernel, 3, -1, false, kernel)                                                \
	X(AppendLaunchCooperativeKernel, 3, -1, false, kernel)                                     \
	X(AppendLaunchKernelWithParameters, 4, -1, false, kernel)                                  \
	X(AppendLaunchKernelWithArguments, 6, -1, false, arguments)                                \
	X(AppendLaunchKernelIndirect, 3, -1, false, indirect)                                      \
	X(AppendLaunchMultipleKernelsIndirect, 5, -1, false, several)                              \
	X(AppendMemoryCopy, 4, -1, false, copy)                                                    \
	X(AppendMemoryCopyWithParameters, 5, -1, false, copy)                                      \
	X(AppendMemoryCopyFromContext, 5, -1, false, copy_from)                                    \
	X(AppendMemoryCopyRegion, 9, -1, false, copy_region)                                       \
	X(AppendMemoryFill, 5, -1, false, fill)                                                    \
	X(AppendMemoryFillWithParameters, 6, -1, false, fill)                                      \
	X(AppendMemoryPrefetch, -1, -1, false, prefetch)                                           \
	X(AppendImageCopy, 3, -1, false, image_copy)                                               \
	X(AppendImageCopyRegion, 5, -1, false, image_region)                                       \
	X(AppendImageCopyToMemory, 4, -1, false, image_read)                                       \
	X(AppendImageCopyFromMemory, 4, -1, false, image_write)                                    \
	X(AppendImageCopyToMemoryExt, 6, -1, false, image_read)                                    \
	X(AppendImageCopyFromMemoryExt, 6, -1, false, image_write)                                 \
	X(AppendBarrier, 1, -1, false, barrier)                                                    \
	X(AppendMemoryRangesBarrier, 4, -1, false, barrier)                                        \
	X(AppendSignalEvent, -1, 1, false, signal)                                                 \
	X(AppendHostFunction, 4, -1, false, host)                                                  \
	X(AppendGraphExt, 3, -1, false, graph)                                                     \
	X(AppendSignalExternalSemaphoreExt, 4, -1, false, signal_semaphore)                        \
	X(AppendWaitExternalSemaphoreExt, 4, -1, false, wait_semaphore)                            \
	X(AppendEventReset, -1, 1, true, reset)                                                    \
	X(AppendWriteGlobalTimestamp, 2, -1, false, timestamp)

#define BEFORE(name, signal_, event_, forgets_, what_)                                             \
	static void before_##name(struct tl_call *call, void *state)                               \
	{                                                                                          \
		static const struct append append = {.signal = signal_,                            \
						     .event = event_,                              \
						     .forgets = forgets_,                          \
						     .describe = tl_ze_describe_##what_};          \
		append_before(call, state, &append);                                               \
	}
APPENDS(BEFORE)

#define HOOK(name, signal_, event_, forgets_, what_)                                               \
	{"zeCommandList" #name, before_##name, append_after, TL_HOOK_TIMED},
const struct tl_hook tl_ze_append_hooks[] = {
	APPENDS(HOOK){"zeCommandListAppendWaitOnEvents", append_wait_before, append_after,
		      TL_HOOK_TIMED},
	{"zeCommandListAppendQueryKernelTimestamps", append_query_before, append_query_after,
	 TL_HOOK_TIMED},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};

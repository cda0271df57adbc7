/* SPDX-License-Identifier: MIT */
/*
 * ze_events.c: the program's events. Pools are created with timestamps, and visible to the host.
 * The program does not notice: its questions about a pool get the same answers as without the
 * layer. Before an event loses its times they are read. Pools that other processes share, and
 * extended ones, stay as they are.
 */
#include "layer/device/ze/ze_events.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/device_lanes.h"
#include "layer/device/ze/ze_collect.h"
#include "layer/device/ze/ze_driver_functions.h"
#include "layer/device/ze/ze_executions.h"

static struct tl_handles pools, events;

/* --- what is known of an event */

struct ze_event *tl_ze_event_find(ze_event_handle_t handle)
{
	return (struct ze_event *)tl_handles_find(&events, handle);
}

void tl_ze_event_release(struct ze_event *event)
{
	if (event && --event->references == 0)
		free(event);
}

struct ze_event *tl_ze_event_known(ze_event_handle_t handle)
{
	struct ze_event *event = tl_ze_event_find(handle);

	if (event)
		return event;
	event = calloc(1, sizeof(*event));
	if (event) {
		event->handle.key = handle;
		event->references = 1;
		tl_handles_put(&events, &event->handle);
	}
	return event;
}

bool tl_ze_event_has_times(const struct ze_event *event)
{
	const struct ze_pool *pool = event->pool;

	if (!pool)
		return event->seen && event->stamps;
	return pool->changed ||
	       (pool->flags & ZE_EVENT_POOL_FLAG_HOST_VISIBLE && pool->flags & ZE_STAMPS);
}

bool tl_ze_event_hides_times(const struct ze_event *event)
{
	const struct ze_pool *pool = event ? event->pool : NULL;

	return pool && pool->context && pool->changed && !(pool->flags & ZE_STAMPS);
}

void tl_ze_event_enter(struct ze_event *event)
{
	if (!event)
		return;
	event->references++;
	event->here++;
}

void tl_ze_event_leave(struct ze_event *event)
{
	if (event)
		event->here--;
	tl_ze_event_release(event);
}

/* The handle is no longer valid; commands may still refer to the event. */
static void event_forget(struct ze_event *event)
{
	if (event->link)
		*event->link = event->next;
	if (event->next)
		event->next->link = event->link;
	event->next = NULL;
	event->link = NULL;
	tl_handles_take(&events, event->handle.key);
	event->destroyed = true;
	event->pool = NULL;
	tl_ze_event_release(event);
}

/* --- pools */

struct pool_state {
	ze_event_pool_desc_t desc;   /* the driver's copy, with more flags */
	ze_event_pool_flags_t flags; /* as the program gave them */
	bool changed;
};
_Static_assert(sizeof(struct pool_state) <= TL_HOOK_STATE, "the state of a hook");

static ze_event_pool_flags_t flags_with_times(ze_event_pool_flags_t flags)
{
	flags |= ZE_EVENT_POOL_FLAG_HOST_VISIBLE;
	return flags & ZE_STAMPS ? flags : flags | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
}

/*
 * Pools that other processes share get no flags, nor do extended ones (their events may be
 * counter-based).
 */
static void pool_create_before(struct tl_call *call, void *state)
{
	const ze_event_pool_desc_t **desc = &ZE_PARAM(call, 1, const ze_event_pool_desc_t *);
	struct pool_state *pool = state;

	if (!*desc)
		return;
	pool->flags = (*desc)->flags;
	if (tl_device_has_ended() || (*desc)->pNext || ((*desc)->flags & ZE_EVENT_POOL_FLAG_IPC))
		return;
	pool->desc = **desc;
	pool->desc.flags = flags_with_times(pool->flags);
	pool->changed = true;
	*desc = &pool->desc;
}

/* A structure that 1.4's header lacks: ze_event_pool_counter_based_exp_desc_t. */
#define POOL_COUNTS 0x00020014u

static bool pool_has_counters(const ze_event_pool_desc_t *desc)
{
	const ze_base_desc_t *next = desc->pNext;

	while (next && (uint32_t)next->stype != POOL_COUNTS)
		next = next->pNext;
	return next;
}

static void pool_created(struct tl_call *call, const struct pool_state *state)
{
	struct ze_context *context = tl_ze_context(ZE_PARAM(call, 0, ze_context_handle_t));
	struct ze_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return;
	pool->handle.key = *ZE_PARAM(call, 4, ze_event_pool_handle_t *);
	pool->context = context;
	pool->flags = state->flags;
	pool->changed = state->changed;
	pool->counts = pool_has_counters(ZE_PARAM(call, 1, const ze_event_pool_desc_t *));
	tl_handles_put(&pools, &pool->handle);
	/* For questions that come when the driver may not be called any more. */
	if (context && pool->changed && !(pool->flags & ZE_STAMPS))
		tl_ze_plain(context, false);
}

/* The driver refused the changed flags; it may grant those that the program gave. */
static ze_result_t pool_create_as_asked(struct tl_call *call, struct pool_state *state)
{
	__typeof__(zeEventPoolCreate) *create = (__typeof__(create))tl_hook_real_of(call);

	state->desc.flags = state->flags;
	state->changed = false;
	return *(ze_result_t *)call->result =
		       create(ZE_PARAM(call, 0, ze_context_handle_t), &state->desc,
			      ZE_PARAM(call, 2, uint32_t), ZE_PARAM(call, 3, ze_device_handle_t *),
			      ZE_PARAM(call, 4, ze_event_pool_handle_t *));
}

static void pool_create_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct pool_state *pool = state;

	if (!unwound && result != ZE_RESULT_SUCCESS && pool->changed && !tl_device_has_ended())
		result = pool_create_as_asked(call, state);
	if (unwound || result != ZE_RESULT_SUCCESS)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	pool_created(call, state);
	pthread_mutex_unlock(&tl_ze_lock);
}

static void pool_destroy_before(struct tl_call *call, void *state)
{
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_pool *pool = (struct ze_pool *)tl_handles_find(&pools, ZE_PARAM(call, 0, void *));
	for (struct ze_event *event = pool ? pool->events : NULL; event; event = event->next)
		tl_ze_settle(event);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void pool_destroy_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	if (unwound || result != ZE_RESULT_SUCCESS)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_pool *pool = (struct ze_pool *)tl_handles_take(&pools, ZE_PARAM(call, 0, void *));
	while (pool && pool->events)
		event_forget(pool->events);
	free(pool);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

/* The program gets the flags that it gave. */
static void pool_get_flags_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	ze_event_pool_flags_t *flags = ZE_PARAM(call, 1, ze_event_pool_flags_t *);

	if (unwound || result != ZE_RESULT_SUCCESS || !flags)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_pool *pool = (struct ze_pool *)tl_handles_find(&pools, ZE_PARAM(call, 0, void *));
	if (pool && pool->changed)
		*flags = pool->flags;
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

/* --- events, created and gone */

/*
 * An event was just created. If one of the same handle is known, its destruction was not seen.
 * NULL: memory is short. With the lock held.
 */
static struct ze_event *event_created(ze_event_handle_t handle)
{
	struct ze_event *event = tl_ze_event_find(handle);

	if (event)
		event_forget(event);
	event = tl_ze_event_known(handle);
	if (event)
		event->seen = true;
	return event;
}

static void event_create_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	ze_event_handle_t *created = ZE_PARAM(call, 2, ze_event_handle_t *);

	if (unwound || result != ZE_RESULT_SUCCESS || !created)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_event *event = event_created(*created);
	struct ze_pool *pool = (struct ze_pool *)tl_handles_find(&pools, ZE_PARAM(call, 0, void *));
	if (event && pool) {
		event->counts = pool->counts;
		event->pool = pool;
		event->next = pool->events;
		event->link = &pool->events;
		if (event->next)
			event->next->link = &event->next;
		pool->events = event;
	}
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

/* ze_event_counter_based_desc_t and its flags, which 1.4's header lacks. */
struct counter_desc {
	ze_structure_type_t stype;
	const void *next;
	uint32_t flags;
};
#define COUNTER_HAS_TIMES (4u | 16u) /* HOST_VISIBLE, DEVICE_TIMESTAMP */

static void counter_create_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	const struct counter_desc *desc = ZE_PARAM(call, 2, const struct counter_desc *);
	ze_event_handle_t *created = ZE_PARAM(call, 3, ze_event_handle_t *);

	if (unwound || result != ZE_RESULT_SUCCESS || !created)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_event *event = event_created(*created);
	if (event) {
		event->counts = true;
		event->stamps = (desc->flags & COUNTER_HAS_TIMES) == COUNTER_HAS_TIMES;
	}
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

/* Before it is reset or destroyed. */
static void event_forget_before(struct tl_call *call, void *state)
{
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_event *event = tl_ze_event_find(ZE_PARAM(call, 0, ze_event_handle_t));
	tl_ze_event_enter(event);
	if (event) {
		tl_ze_settle(event);
		event->behind = NULL;
	}
	tl_ze_event_leave(event);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void event_destroy_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	if (unwound || result != ZE_RESULT_SUCCESS)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_event *event = tl_ze_event_find(ZE_PARAM(call, 0, ze_event_handle_t));
	if (event)
		event_forget(event);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void event_host_signal_after(struct tl_call *call, void *state, uint64_t result,
				    bool unwound)
{
	if (unwound || result != ZE_RESULT_SUCCESS)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_event *event = tl_ze_event_find(ZE_PARAM(call, 0, ze_event_handle_t));
	if (event)
		event->elsewhere = true;
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void event_wait_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct tl_device_call waiting = tl_device_call_of(call);

	if (unwound || result != ZE_RESULT_SUCCESS)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_event *event = tl_ze_event_find(ZE_PARAM(call, 0, ze_event_handle_t));
	tl_ze_event_enter(event);
	if (event)
		tl_ze_signalled(event, &waiting);
	tl_ze_event_leave(event);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

/*
 * The program asks for the timestamps of an event whose pool has none for it. The driver gets an
 * event of the layer's without timestamps instead, and so gives the answer that the program would
 * get.
 */
static void timestamp_query_before(struct tl_call *call, void *state)
{
	ze_event_handle_t *handle = &ZE_PARAM(call, 0, ze_event_handle_t);

	pthread_mutex_lock(&tl_ze_lock);
	struct ze_event *event = tl_ze_event_find(*handle);
	if (tl_ze_event_hides_times(event)) {
		bool signalled = !tl_ze_usable() ||
				 tl_ze_real.zeEventQueryStatus(*handle) == ZE_RESULT_SUCCESS;
		ze_event_handle_t plain = tl_ze_plain(event->pool->context, signalled);
		if (plain)
			*handle = plain;
	}
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

const struct tl_hook tl_ze_event_hooks[] = {
	{"zeEventPoolCreate", pool_create_before, pool_create_after, TL_HOOK_PLAIN},
	{"zeEventPoolDestroy", pool_destroy_before, pool_destroy_after, TL_HOOK_PLAIN},
	{"zeEventPoolGetFlags", NULL, pool_get_flags_after, TL_HOOK_PLAIN},
	{"zeEventCreate", NULL, event_create_after, TL_HOOK_PLAIN},
	{"zeEventCounterBasedCreate", NULL, counter_create_after, TL_HOOK_PLAIN},
	{"zeEventDestroy", event_forget_before, event_destroy_after, TL_HOOK_PLAIN},
	{"zeEventHostReset", event_forget_before, NULL, TL_HOOK_PLAIN},
	{"zeEventHostSignal", NULL, event_host_signal_after, TL_HOOK_PLAIN},
	{"zeEventHostSynchronize", NULL, event_wait_after, TL_HOOK_TIMED},
	{"zeEventQueryKernelTimestamp", timestamp_query_before, NULL, TL_HOOK_PLAIN},
	{"zeEventQueryTimestampsExp", timestamp_query_before, NULL, TL_HOOK_PLAIN},
	{"zeEventQueryKernelTimestampsExt", timestamp_query_before, NULL, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};

void tl_ze_events_forget(void)
{
	memset(&pools, 0, sizeof(pools));
	memset(&events, 0, sizeof(events));
}

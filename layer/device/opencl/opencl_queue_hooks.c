/* SPDX-License-Identifier: MIT */
/*
 * opencl_queue_hooks.c: see opencl_queue_hooks.h.
 *
 * Each queue is created with profiling, so that its driver times commands. Where the program did
 * not ask for that, its questions about the queue are answered as if the queue had no profiling. If
 * the driver refuses, the queue is created as the program asked, and its commands are shown from
 * their submission until their end was seen.
 */
#include "layer/device/opencl/opencl_queue_hooks.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/background.h"
#include "layer/device/opencl/opencl_collect.h"
#include "layer/device/opencl/opencl_enqueues.h"
#include "layer/device/opencl/opencl_queues.h"

/* --- references */

TL_CL_AFTER(tl_cl_retain_queue_after)
{
	struct tl_cl_queue *queue =
		tl_cl_succeeded(result, unwound)
			? tl_cl_queue_find(TL_CL_PARAM(cl_command_queue, call, 0))
			: NULL;

	(void)state;
	if (queue && !tl_cl_is_drivers(call))
		atomic_fetch_add_explicit(&queue->references, 1, memory_order_relaxed);
}

/*
 * Events of the layer's hold references to the queue. So where this may be the program's last one,
 * collect what has ended first.
 */
TL_CL_BEFORE(tl_cl_release_queue_before)
{
	struct tl_cl_queue *queue = tl_cl_queue_find(TL_CL_PARAM(cl_command_queue, call, 0));

	(void)state;
	if (!queue || tl_cl_is_drivers(call))
		return;
	if (atomic_fetch_sub_explicit(&queue->references, 1, memory_order_relaxed) != 1)
		return;
	if (tl_cl_ready())
		tl_cl_collect(queue);
	tl_device_queue_release(queue->lanes);
	if (atomic_load_explicit(&queue->count, memory_order_relaxed))
		tl_device_do_soon();
}

/* --- creating them */

struct creating {
	bool seen;		     /* it is the program's call */
	bool changed;		     /* the layer added profiling */
	cl_queue_properties *theirs; /* a copy of the program's list */
	cl_queue_properties *ours;   /* the list that the driver gets */
	size_t theirs_bytes, ours_bytes;
};

_Static_assert(sizeof(struct creating) <= TL_HOOK_STATE, "it fits");

/* Create it once more, as the program asked for it. */
typedef cl_command_queue (*create)(cl_context, cl_device_id, cl_command_queue_properties, cl_int *);
typedef cl_command_queue (*create_listed)(cl_context, cl_device_id, const cl_queue_properties *,
					  cl_int *);

/*
 * What failed is not the fault of the properties, so the driver is not asked once more: it may tell
 * the program's callback of each failure.
 */
static bool properties_are_innocent(const struct tl_call *call)
{
	const cl_int *error = TL_CL_PARAM(const cl_int *, call, 3);

	return error && (*error == CL_INVALID_CONTEXT || *error == CL_INVALID_DEVICE);
}

static void queue_created(const struct tl_call *call, const struct creating *creating,
			  cl_command_queue handle, cl_command_queue_properties properties)
{
	struct tl_cl_queue_facts facts = {
		.device = tl_cl_device_of(TL_CL_PARAM(cl_device_id, call, 1)),
		.references = 1,
		.given = creating->changed,
		.profiles = creating->changed || properties & TL_CL_PROFILING,
		.in_order = tl_cl_is_in_order(properties),
		.list = creating->theirs,
		.list_bytes = creating->theirs_bytes,
		.driver_bytes = creating->changed ? creating->ours_bytes : creating->theirs_bytes};

	if (!facts.device || !tl_cl_queue_created(handle, &facts))
		free(creating->theirs);
}

TL_CL_BEFORE(tl_cl_create_queue_before)
{
	struct creating *creating = state;

	creating->seen = tl_cl_ready() && !tl_cl_is_drivers(call);
	if (!creating->seen || TL_CL_PARAM(cl_command_queue_properties, call, 2) & TL_CL_PROFILING)
		return;
	creating->changed = true;
	TL_CL_PARAM(cl_command_queue_properties, call, 2) |= TL_CL_PROFILING;
}

TL_CL_AFTER(tl_cl_create_queue_after)
{
	cl_command_queue handle = (cl_command_queue)(uintptr_t)result;
	struct creating *creating = state;
	cl_command_queue_properties properties = TL_CL_PARAM(cl_command_queue_properties, call, 2);

	if (unwound || !creating->seen || !tl_cl_ready())
		return;
	if (!handle && creating->changed && !properties_are_innocent(call)) {
		create again = (create)tl_hook_real_of(call);
		creating->changed = false;
		properties &= ~TL_CL_PROFILING;
		handle = again(TL_CL_PARAM(cl_context, call, 0), TL_CL_PARAM(cl_device_id, call, 1),
			       properties, TL_CL_PARAM(cl_int *, call, 3));
		*(cl_command_queue *)call->result = handle;
	}
	if (handle)
		queue_created(call, creating, handle, properties);
}

/* Elements of a list, with the 0 that ends it. */
static size_t list_length(const cl_queue_properties *list)
{
	size_t length = 0;

	while (list && list[length])
		length += 2;
	return list ? length + 1 : 0;
}

static cl_queue_properties *list_properties(cl_queue_properties *list)
{
	while (list && *list && *list != CL_QUEUE_PROPERTIES)
		list += 2;
	return list && *list ? list + 1 : NULL;
}

/* A copy of the program's list with profiling in it: in its properties, else before the rest. */
static cl_queue_properties *list_with_profiling(const cl_queue_properties *theirs, size_t *bytes)
{
	size_t length = list_length(theirs);
	cl_queue_properties *ours = calloc(length + 3, sizeof(*ours));

	if (!ours)
		return NULL;
	if (length)
		memcpy(ours, theirs, length * sizeof(*ours));
	if (!list_properties(ours)) {
		length = length ? length + 2 : 3;
		memmove(ours + 2, ours, (length - 2) * sizeof(*ours));
		ours[0] = CL_QUEUE_PROPERTIES;
		ours[1] = 0;
	}
	*list_properties(ours) |= TL_CL_PROFILING;
	*bytes = length * sizeof(*ours);
	return ours;
}

TL_CL_BEFORE(tl_cl_create_listed_queue_before)
{
	const cl_queue_properties *list = TL_CL_PARAM(const cl_queue_properties *, call, 2);
	struct creating *creating = state;
	size_t bytes = list_length(list) * sizeof(*list);

	creating->seen = tl_cl_ready() && !tl_cl_is_drivers(call);
	if (!creating->seen)
		return;
	creating->theirs_bytes = bytes;
	creating->theirs = bytes ? malloc(bytes) : NULL;
	if (creating->theirs)
		memcpy(creating->theirs, list, bytes);
	const cl_queue_properties *given = list_properties(creating->theirs);
	/* A queue on the device gets no commands from the host. */
	if ((bytes && !creating->theirs) ||
	    (given && *given & (cl_queue_properties)(TL_CL_PROFILING | CL_QUEUE_ON_DEVICE)))
		return;
	creating->ours = list_with_profiling(creating->theirs, &creating->ours_bytes);
	creating->changed = creating->ours;
	if (creating->changed)
		TL_CL_PARAM(const cl_queue_properties *, call, 2) = creating->ours;
}

TL_CL_AFTER(tl_cl_create_listed_queue_after)
{
	cl_command_queue handle = (cl_command_queue)(uintptr_t)result;
	struct creating *creating = state;
	cl_queue_properties *given = list_properties(creating->theirs);

	if (!unwound && !handle && creating->changed && tl_cl_ready() &&
	    !properties_are_innocent(call)) {
		create_listed again = (create_listed)tl_hook_real_of(call);
		creating->changed = false;
		handle = again(TL_CL_PARAM(cl_context, call, 0), TL_CL_PARAM(cl_device_id, call, 1),
			       creating->theirs, TL_CL_PARAM(cl_int *, call, 3));
		*(cl_command_queue *)call->result = handle;
	}
	if (!unwound && handle && creating->seen && tl_cl_ready())
		queue_created(call, creating, handle, given ? *given : 0);
	else
		free(creating->theirs);
	free(creating->ours);
}

/* --- what the program reads about them */

struct asking {
	struct tl_cl_queue *queue;
	void *memory; /* where the driver puts its list */
	void *value;  /* the program's own parameters */
	size_t *size_at;
};

_Static_assert(sizeof(struct asking) <= TL_HOOK_STATE, "it fits");

/*
 * The list that the driver got may be longer than the program's: where the program has room for its
 * own, the driver gets more. Where it has not, or asks for the size alone, the driver answers as it
 * would.
 */
static void list_ask(struct tl_call *call, struct asking *asking)
{
	asking->value = TL_CL_PARAM(void *, call, 3);
	asking->size_at = TL_CL_PARAM(size_t *, call, 4);
	if (!asking->value || TL_CL_PARAM(size_t, call, 2) < asking->queue->list_bytes)
		return;
	asking->memory = malloc(asking->queue->driver_bytes);
	if (!asking->memory)
		return;
	TL_CL_PARAM(void *, call, 3) = asking->memory;
	TL_CL_PARAM(size_t, call, 2) = asking->queue->driver_bytes;
}

TL_CL_BEFORE(tl_cl_queue_info_before)
{
	cl_command_queue_info name = TL_CL_PARAM(cl_command_queue_info, call, 1);
	struct asking *asking = state;

	if (name != CL_QUEUE_PROPERTIES && name != CL_QUEUE_PROPERTIES_ARRAY &&
	    name != CL_QUEUE_REFERENCE_COUNT)
		return;
	asking->queue = tl_cl_queue_find(TL_CL_PARAM(cl_command_queue, call, 0));
	if (name == CL_QUEUE_REFERENCE_COUNT) {
		if (asking->queue && tl_cl_ready())
			tl_cl_yield(asking->queue);
		asking->queue = NULL;
		return;
	}
	if (asking->queue && !atomic_load_explicit(&asking->queue->given, memory_order_relaxed))
		asking->queue = NULL;
	if (asking->queue && name == CL_QUEUE_PROPERTIES_ARRAY)
		list_ask(call, asking);
}

static void list_tell(const struct asking *asking)
{
	/*
	 * Where the layer has no memory, the driver has answered that there is too little room, or
	 * with the size alone.
	 */
	if (asking->memory && asking->queue->list_bytes)
		memcpy(asking->value, asking->queue->list, asking->queue->list_bytes);
	if (asking->size_at)
		*asking->size_at = asking->queue->list_bytes;
}

TL_CL_AFTER(tl_cl_queue_info_after)
{
	struct asking *asking = state;

	if (asking->queue && tl_cl_succeeded(result, unwound)) {
		cl_command_queue_properties *value = TL_CL_PARAM(void *, call, 3);
		if (TL_CL_PARAM(cl_command_queue_info, call, 1) == CL_QUEUE_PROPERTIES_ARRAY)
			list_tell(asking);
		else if (value)
			*value &= ~TL_CL_PROFILING;
	}
	free(asking->memory);
}

/*
 * A function of OpenCL 1.0, which few drivers still have. The program's profiling goes on and off;
 * the driver's stays on.
 */
TL_CL_BEFORE(tl_cl_set_queue_before)
{
	struct tl_cl_queue *queue = tl_cl_queue_find(TL_CL_PARAM(cl_command_queue, call, 0));

	(void)state;
	if (queue && atomic_load_explicit(&queue->profiles, memory_order_relaxed) &&
	    !TL_CL_PARAM(cl_bool, call, 2))
		TL_CL_PARAM(cl_command_queue_properties, call, 1) &= ~TL_CL_PROFILING;
}

TL_CL_AFTER(tl_cl_set_queue_after)
{
	struct tl_cl_queue *queue = tl_cl_queue_find(TL_CL_PARAM(cl_command_queue, call, 0));
	cl_command_queue_properties asked = 0,
				    *old = TL_CL_PARAM(cl_command_queue_properties *, call, 3);

	(void)state;
	if (!queue || !tl_cl_succeeded(result, unwound))
		return;
	memcpy(&asked, &call->hooked->words[call->shim->function->params[1].offset], sizeof(asked));
	if (old && atomic_load_explicit(&queue->given, memory_order_relaxed))
		*old &= ~TL_CL_PROFILING;
	if (asked & TL_CL_PROFILING) {
		bool on = TL_CL_PARAM(cl_bool, call, 2);
		atomic_store_explicit(
			&queue->profiles,
			on || atomic_load_explicit(&queue->profiles, memory_order_relaxed),
			memory_order_relaxed);
		atomic_store_explicit(
			&queue->given,
			!on && atomic_load_explicit(&queue->profiles, memory_order_relaxed),
			memory_order_relaxed);
		if (!on)
			tl_cl_queues_note_given();
	}
	if (asked & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
		queue->in_order = !TL_CL_PARAM(cl_bool, call, 2);
}

/* SPDX-License-Identifier: MIT */
/*
 * opencl_queues.c: queues. Each is created with profiling, so that its driver times commands; where
 * the program did not ask for that, what it asks of the queue is answered as if it were not so.
 *
 * Should the driver refuse, the queue is created as the program asked for it, and its commands are
 * shown between their submission and when they were seen to have ended.
 *
 * A queue stays in the table for ever; a new one with the same handle takes its place.
 */
#include "layer/device/opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

#include "layer/buffers/buffer.h"
#include "layer/device/background.h"
#include "layer/base/cache_near.h"

#define PROFILING ((cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE)

/* who puts into the table; no driver is called under it */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tl_handles table;
static struct tl_cl_queue *_Atomic all; /* release by who puts one in front, acquire by who walks */
static _Atomic bool some_given;

struct tl_cl_queue *tl_cl_queues(void)
{
	return atomic_load_explicit(&all, memory_order_acquire);
}

bool tl_cl_queues_are_given(void)
{
	return atomic_load_explicit(&some_given, memory_order_relaxed);
}

TL_NEAR_CODE struct tl_cl_queue *tl_cl_queue_find(cl_command_queue handle)
{
	return (struct tl_cl_queue *)tl_handles_find(&table, handle);
}

/* --- known ones */

/* What there is to know of a queue when it is created, or first met. */
struct made {
	struct tl_cl_device *device;
	uint32_t references;
	bool profiles, given, in_order;
	cl_queue_properties *list;
	size_t list_bytes, driver_bytes;
};

/* An older one with this handle is gone, and what is under way of it holds its events by itself. */
static void fill(struct tl_cl_queue *queue, const struct made *made)
{
	free(queue->list);
	queue->device = made->device;
	queue->in_order = made->in_order;
	queue->list = made->list;
	queue->list_bytes = made->list_bytes;
	queue->driver_bytes = made->driver_bytes;
	queue->lanes = tl_device_queue_new(made->device->device,
					   made->profiles ? NULL : "queue without profiling");
	atomic_store_explicit(&queue->references, made->references, memory_order_relaxed);
	atomic_store_explicit(&queue->profiles, made->profiles, memory_order_relaxed);
	atomic_store_explicit(&queue->given, made->given, memory_order_relaxed);
	if (made->given)
		atomic_store_explicit(&some_given, true, memory_order_relaxed);
}

static struct tl_cl_queue *put(cl_command_queue handle, const struct made *made)
{
	struct tl_cl_queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		return NULL;
	queue->handle.key = handle;
	fill(queue, made);
	queue->next = atomic_load_explicit(&all, memory_order_relaxed);
	atomic_store_explicit(&all, queue, memory_order_release);
	tl_handles_put(&table, &queue->handle);
	return queue;
}

/*
 * `created`: it is new, and no other one has the handle any more; else it was met, perhaps by
 * several threads at once.
 */
static struct tl_cl_queue *know(cl_command_queue handle, const struct made *made, bool created)
{
	pthread_mutex_lock(&lock);
	struct tl_cl_queue *queue = tl_cl_queue_find(handle);
	if (!queue)
		queue = put(handle, made);
	else if (created)
		fill(queue, made);
	else
		free(made->list);
	pthread_mutex_unlock(&lock);
	return queue;
}

static bool ask(cl_command_queue handle, cl_command_queue_info name, void *value, size_t size)
{
	return tl_cl.clGetCommandQueueInfo(handle, name, size, value, NULL) == CL_SUCCESS;
}

static bool is_in_order(cl_command_queue_properties properties)
{
	return !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* One that was created where we did not see it. */
static struct tl_cl_queue *meet(cl_command_queue handle)
{
	cl_command_queue_properties properties = 0;
	struct made made = {.references = 1};
	cl_device_id device = NULL;
	cl_uint references = 1;

	TL_HOOK_UNCANCELLED();
	if (!ask(handle, CL_QUEUE_DEVICE, &device, sizeof(device)) ||
	    !ask(handle, CL_QUEUE_PROPERTIES, &properties, sizeof(properties)) ||
	    !ask(handle, CL_QUEUE_REFERENCE_COUNT, &references, sizeof(references)))
		return NULL;
	made.references = references;
	made.profiles = properties & PROFILING;
	made.in_order = is_in_order(properties);
	made.device = tl_cl_device_of(device);
	return made.device ? know(handle, &made, false) : NULL;
}

TL_NEAR_CODE struct tl_cl_queue *tl_cl_queue_of(cl_command_queue handle)
{
	struct tl_cl_queue *queue = handle ? tl_cl_queue_find(handle) : NULL;

	return queue || !handle ? queue : meet(handle);
}

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

/* What has ended is collected first, since its events hold on to the queue. */
TL_CL_BEFORE(tl_cl_release_queue_before)
{
	struct tl_cl_queue *queue = tl_cl_queue_find(TL_CL_PARAM(cl_command_queue, call, 0));

	(void)state;
	if (!queue || tl_cl_is_drivers(call))
		return;
	if (tl_cl_ready())
		tl_cl_collect(queue);
	if (atomic_fetch_sub_explicit(&queue->references, 1, memory_order_relaxed) != 1)
		return;
	tl_device_queue_release(queue->lanes);
	if (atomic_load_explicit(&queue->count, memory_order_relaxed))
		tl_device_do_soon();
}

/* --- creating them */

struct creating {
	bool seen;		     /* it is the program's call */
	bool changed;		     /* profiling is ours */
	cl_queue_properties *theirs; /* a copy of the program's list */
	cl_queue_properties *ours;   /* the list that the driver gets */
	size_t theirs_bytes, ours_bytes;
};

_Static_assert(sizeof(struct creating) <= TL_HOOK_STATE, "it fits");

/* Create it once more, as the program asked for it. */
typedef cl_command_queue (*create)(cl_context, cl_device_id, cl_command_queue_properties, cl_int *);
typedef cl_command_queue (*create_listed)(cl_context, cl_device_id, const cl_queue_properties *,
					  cl_int *);

static void created(const struct tl_call *call, const struct creating *creating,
		    cl_command_queue handle, cl_command_queue_properties properties)
{
	struct made made = {.device = tl_cl_device_of(TL_CL_PARAM(cl_device_id, call, 1)),
			    .references = 1,
			    .given = creating->changed,
			    .profiles = creating->changed || properties & PROFILING,
			    .in_order = is_in_order(properties),
			    .list = creating->theirs,
			    .list_bytes = creating->theirs_bytes,
			    .driver_bytes = creating->changed ? creating->ours_bytes
							      : creating->theirs_bytes};

	if (!made.device || !know(handle, &made, true))
		free(creating->theirs);
}

TL_CL_BEFORE(tl_cl_create_queue_before)
{
	struct creating *creating = state;

	creating->seen = tl_cl_ready() && !tl_cl_is_drivers(call);
	if (!creating->seen || TL_CL_PARAM(cl_command_queue_properties, call, 2) & PROFILING)
		return;
	creating->changed = true;
	TL_CL_PARAM(cl_command_queue_properties, call, 2) |= PROFILING;
}

TL_CL_AFTER(tl_cl_create_queue_after)
{
	cl_command_queue handle = (cl_command_queue)(uintptr_t)result;
	struct creating *creating = state;
	cl_command_queue_properties properties = TL_CL_PARAM(cl_command_queue_properties, call, 2);

	if (unwound || !creating->seen || !tl_cl_ready())
		return;
	if (!handle && creating->changed) {
		create again = (create)tl_hook_real_of(call);
		creating->changed = false;
		properties &= ~PROFILING;
		handle = again(TL_CL_PARAM(cl_context, call, 0), TL_CL_PARAM(cl_device_id, call, 1),
			       properties, TL_CL_PARAM(cl_int *, call, 3));
		*(cl_command_queue *)call->result = handle;
	}
	if (handle)
		created(call, creating, handle, properties);
}

/* Elements of a list, with the 0 that ends it. */
static size_t length_of(const cl_queue_properties *list)
{
	size_t length = 0;

	while (list && list[length])
		length += 2;
	return list ? length + 1 : 0;
}

static cl_queue_properties *properties_in(cl_queue_properties *list)
{
	while (list && *list && *list != CL_QUEUE_PROPERTIES)
		list += 2;
	return list && *list ? list + 1 : NULL;
}

/* A copy of the program's list with profiling in it: in its properties, else before the rest. */
static cl_queue_properties *with_profiling(const cl_queue_properties *theirs, size_t *bytes)
{
	size_t length = length_of(theirs);
	cl_queue_properties *ours = calloc(length + 3, sizeof(*ours));

	if (!ours)
		return NULL;
	if (length)
		memcpy(ours, theirs, length * sizeof(*ours));
	if (!properties_in(ours)) {
		length = length ? length + 2 : 3;
		memmove(ours + 2, ours, (length - 2) * sizeof(*ours));
		ours[0] = CL_QUEUE_PROPERTIES;
		ours[1] = 0;
	}
	*properties_in(ours) |= PROFILING;
	*bytes = length * sizeof(*ours);
	return ours;
}

TL_CL_BEFORE(tl_cl_create_listed_queue_before)
{
	const cl_queue_properties *list = TL_CL_PARAM(const cl_queue_properties *, call, 2);
	struct creating *creating = state;
	size_t bytes = length_of(list) * sizeof(*list);

	creating->seen = tl_cl_ready() && !tl_cl_is_drivers(call);
	if (!creating->seen)
		return;
	creating->theirs_bytes = bytes;
	creating->theirs = bytes ? malloc(bytes) : NULL;
	if (creating->theirs)
		memcpy(creating->theirs, list, bytes);
	const cl_queue_properties *given = properties_in(creating->theirs);
	/* A queue on the device gets no commands from the host. */
	if ((bytes && !creating->theirs) ||
	    (given && *given & (cl_queue_properties)(PROFILING | CL_QUEUE_ON_DEVICE)))
		return;
	creating->ours = with_profiling(creating->theirs, &creating->ours_bytes);
	creating->changed = creating->ours;
	if (creating->changed)
		TL_CL_PARAM(const cl_queue_properties *, call, 2) = creating->ours;
}

TL_CL_AFTER(tl_cl_create_listed_queue_after)
{
	cl_command_queue handle = (cl_command_queue)(uintptr_t)result;
	struct creating *creating = state;
	cl_queue_properties *given = properties_in(creating->theirs);

	if (!unwound && !handle && creating->changed && tl_cl_ready()) {
		create_listed again = (create_listed)tl_hook_real_of(call);
		creating->changed = false;
		handle = again(TL_CL_PARAM(cl_context, call, 0), TL_CL_PARAM(cl_device_id, call, 1),
			       creating->theirs, TL_CL_PARAM(cl_int *, call, 3));
		*(cl_command_queue *)call->result = handle;
	}
	if (!unwound && handle && creating->seen && tl_cl_ready())
		created(call, creating, handle, given ? *given : 0);
	else
		free(creating->theirs);
	free(creating->ours);
}

/* --- what the program is told of them */

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
static void ask_for_list(struct tl_call *call, struct asking *asking)
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

	if (name == CL_QUEUE_REFERENCE_COUNT)
		tl_cl_collect_before(call, state);
	if (name != CL_QUEUE_PROPERTIES && name != CL_QUEUE_PROPERTIES_ARRAY)
		return;
	asking->queue = tl_cl_queue_find(TL_CL_PARAM(cl_command_queue, call, 0));
	if (asking->queue && !atomic_load_explicit(&asking->queue->given, memory_order_relaxed))
		asking->queue = NULL;
	if (asking->queue && name == CL_QUEUE_PROPERTIES_ARRAY)
		ask_for_list(call, asking);
}

static void tell_list(const struct asking *asking)
{
	/*
	 * Where there is no memory of ours the driver's answer, with its size, was that there is
	 * too little room, or the size alone.
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
			tell_list(asking);
		else if (value)
			*value &= ~PROFILING;
	}
	free(asking->memory);
}

/*
 * Of OpenCL 1.0, which few drivers still have: the program's profiling goes on and off, the
 * driver's stays on.
 */
TL_CL_BEFORE(tl_cl_set_queue_before)
{
	struct tl_cl_queue *queue = tl_cl_queue_find(TL_CL_PARAM(cl_command_queue, call, 0));

	(void)state;
	if (queue && atomic_load_explicit(&queue->profiles, memory_order_relaxed) &&
	    !TL_CL_PARAM(cl_bool, call, 2))
		TL_CL_PARAM(cl_command_queue_properties, call, 1) &= ~PROFILING;
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
		*old &= ~PROFILING;
	if (asked & PROFILING) {
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
			atomic_store_explicit(&some_given, true, memory_order_relaxed);
	}
	if (asked & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
		queue->in_order = !TL_CL_PARAM(cl_bool, call, 2);
}

/* What was under way is the parent's. */
void tl_cl_queues_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next)
		atomic_store_explicit(&producer->waiting, NULL, memory_order_relaxed);
	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next) {
		queue->lock = (struct tl_spin_lock){0};
		queue->first = queue->last = queue->untold = queue->last_untold = NULL;
		atomic_store_explicit(&queue->untolds, 0, memory_order_relaxed);
		atomic_store_explicit(&queue->unnoted, NULL, memory_order_relaxed);
		queue->claimed = false;
		atomic_store_explicit(&queue->spare, NULL, memory_order_relaxed);
		atomic_store_explicit(&queue->noted, 0, memory_order_relaxed);
		atomic_store_explicit(&queue->count, 0, memory_order_relaxed);
	}
}

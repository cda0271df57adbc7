/* SPDX-License-Identifier: MIT */
/*
 * opencl_queues.c: see opencl_queues.h.
 */
#include "layer/device/opencl/opencl_queues.h"

#include <pthread.h>
#include <stdlib.h>

#include "layer/base/cache_near.h"

/* held while adding to the table; no driver is called under it */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tl_handles table;
static struct tl_cl_queue *_Atomic all; /* release when one is put in front, acquire to walk */
static _Atomic bool some_given;

struct tl_cl_queue *tl_cl_queues(void)
{
	return atomic_load_explicit(&all, memory_order_acquire);
}

bool tl_cl_queues_are_given(void)
{
	return atomic_load_explicit(&some_given, memory_order_relaxed);
}

void tl_cl_queues_note_given(void)
{
	atomic_store_explicit(&some_given, true, memory_order_relaxed);
}

TL_NEAR_CODE struct tl_cl_queue *tl_cl_queue_find(cl_command_queue handle)
{
	return (struct tl_cl_queue *)tl_handles_find(&table, handle);
}

/* What the program calls the queue by its priority (cl_khr_priority_hints); NULL: it has none. */
static const char *queue_priority(const cl_queue_properties *list)
{
	while (list && *list && *list != CL_QUEUE_PRIORITY_KHR)
		list += 2;
	switch (list && *list ? list[1] : 0) {
	case CL_QUEUE_PRIORITY_HIGH_KHR:
		return "queue of high priority";
	case CL_QUEUE_PRIORITY_MED_KHR:
		return "queue of medium priority";
	case CL_QUEUE_PRIORITY_LOW_KHR:
		return "queue of low priority";
	default:
		return NULL;
	}
}

/*
 * An older queue with this handle is gone; the layer's references keep the events of its commands.
 */
static void queue_fill(struct tl_cl_queue *queue, const struct tl_cl_queue_facts *facts)
{
	free(queue->list);
	queue->device = facts->device;
	queue->in_order = facts->in_order;
	queue->list = facts->list;
	queue->list_bytes = facts->list_bytes;
	queue->driver_bytes = facts->driver_bytes;
	queue->lanes = tl_device_queue_new(facts->device->device,
					   facts->profiles ? queue_priority(facts->list)
							   : "queue without profiling");
	atomic_store_explicit(&queue->references, facts->references, memory_order_relaxed);
	atomic_store_explicit(&queue->profiles, facts->profiles, memory_order_relaxed);
	atomic_store_explicit(&queue->given, facts->given, memory_order_relaxed);
	if (facts->given)
		atomic_store_explicit(&some_given, true, memory_order_relaxed);
}

static struct tl_cl_queue *queue_put(cl_command_queue handle, const struct tl_cl_queue_facts *facts)
{
	struct tl_cl_queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		return NULL;
	queue->handle.key = handle;
	queue_fill(queue, facts);
	queue->next = atomic_load_explicit(&all, memory_order_relaxed);
	atomic_store_explicit(&all, queue, memory_order_release);
	tl_handles_put(&table, &queue->handle);
	return queue;
}

/*
 * `created`: it is new, and no other queue has the handle any more. Otherwise it was first met in a
 * call, perhaps by several threads at once.
 */
static struct tl_cl_queue *queue_know(cl_command_queue handle,
				      const struct tl_cl_queue_facts *facts, bool created)
{
	pthread_mutex_lock(&lock);
	struct tl_cl_queue *queue = tl_cl_queue_find(handle);
	if (!queue)
		queue = queue_put(handle, facts);
	else if (created)
		queue_fill(queue, facts);
	else
		free(facts->list);
	pthread_mutex_unlock(&lock);
	return queue;
}

struct tl_cl_queue *tl_cl_queue_created(cl_command_queue handle,
					const struct tl_cl_queue_facts *facts)
{
	return queue_know(handle, facts, true);
}

static bool queue_ask(cl_command_queue handle, cl_command_queue_info name, void *value, size_t size)
{
	return tl_cl.clGetCommandQueueInfo(handle, name, size, value, NULL) == CL_SUCCESS;
}

/* A queue whose creation was not seen. */
static struct tl_cl_queue *queue_meet(cl_command_queue handle)
{
	cl_command_queue_properties properties = 0;
	struct tl_cl_queue_facts facts = {.references = 1};
	cl_device_id device = NULL;
	cl_uint references = 1;

	TL_HOOK_UNCANCELLED();
	if (!queue_ask(handle, CL_QUEUE_DEVICE, &device, sizeof(device)) ||
	    !queue_ask(handle, CL_QUEUE_PROPERTIES, &properties, sizeof(properties)) ||
	    !queue_ask(handle, CL_QUEUE_REFERENCE_COUNT, &references, sizeof(references)))
		return NULL;
	facts.references = references;
	facts.profiles = properties & TL_CL_PROFILING;
	facts.in_order = tl_cl_is_in_order(properties);
	facts.device = tl_cl_device_of(device);
	return facts.device ? queue_know(handle, &facts, false) : NULL;
}

TL_NEAR_CODE struct tl_cl_queue *tl_cl_queue_of(cl_command_queue handle)
{
	struct tl_cl_queue *queue = handle ? tl_cl_queue_find(handle) : NULL;

	return queue || !handle ? queue : queue_meet(handle);
}

/* What was under way is the parent's. */
void tl_cl_queues_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next) {
		queue->lock = (struct tl_spin_lock){0};
		queue->first = queue->last = queue->first_held = queue->last_held = NULL;
		queue->untold = queue->last_untold = NULL;
		atomic_store_explicit(&queue->untolds, 0, memory_order_relaxed);
		atomic_store_explicit(&queue->unnoted, NULL, memory_order_relaxed);
		queue->claimed = false;
		atomic_store_explicit(&queue->spare, NULL, memory_order_relaxed);
		atomic_store_explicit(&queue->noted, 0, memory_order_relaxed);
		atomic_store_explicit(&queue->count, 0, memory_order_relaxed);
	}
}

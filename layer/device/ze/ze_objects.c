/* SPDX-License-Identifier: MIT */
/*
 * ze_objects.c: what is known of a program's contexts, queues, lists, fences, kernels and memory.
 * Handles are reused: what is created takes the place of whatever had its handle.
 */
#include "layer/device/ze/ze_objects.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/ze/ze_collect.h"
#include "layer/device/ze/ze_driver_functions.h"
#include "layer/device/ze/ze_executions.h"
#include "layer/device/ze/ze_graph.h"
#include "layer/device/ze/ze_recordings.h"

static struct tl_handles queues, lists, fences, kernels, images, allocations;
static struct ze_queue *all_queues;

static bool failed(uint64_t result, bool unwound)
{
	return unwound || result != ZE_RESULT_SUCCESS;
}

/*
 * The object is in the table under its handle. What was there under it is of one that was not seen
 * being destroyed.
 */
static void *known(struct tl_handles *table, const void *handle, size_t size)
{
	struct tl_handle *object = calloc(1, size);

	if (object) {
		object->key = handle;
		tl_handles_put(table, object);
	}
	return object;
}

/* --- contexts */

/* Ours go with it, and before it. */
static void before_context_destroy(struct tl_call *call, void *state)
{
	pthread_mutex_lock(&tl_ze_lock);
	tl_ze_context_destroy(ZE_PARAM(call, 0, ze_context_handle_t));
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

/* --- queues */

static void open_queue(struct ze_queue *queue, struct ze_device *device, uint32_t group,
		       uint32_t index, ze_command_queue_mode_t mode)
{
	queue->device = device;
	queue->lanes = tl_ze_engine(device, group, index);
	queue->synchronous = mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
	queue->last = &queue->first;
	queue->next = all_queues;
	queue->link = &all_queues;
	if (queue->next)
		queue->next->link = &queue->next;
	all_queues = queue;
}

static void close_queue(struct ze_queue *queue)
{
	for (struct ze_execution *execution = queue->first; execution; execution = execution->next)
		execution->submitted = true;
	tl_ze_collect(queue);
	tl_ze_give_up(queue);
	*queue->link = queue->next;
	if (queue->next)
		queue->next->link = queue->link;
}

struct ze_queue *tl_ze_queues(void)
{
	return all_queues;
}

struct ze_queue *tl_ze_queue_find(ze_command_queue_handle_t handle)
{
	return (struct ze_queue *)tl_handles_find(&queues, handle);
}

static void after_queue_create(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	const ze_command_queue_desc_t *desc = ZE_PARAM(call, 2, const ze_command_queue_desc_t *);

	if (failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_device *device = tl_ze_device(ZE_PARAM(call, 1, ze_device_handle_t));
	struct ze_queue *queue =
		device ? known(&queues, *ZE_PARAM(call, 3, void **), sizeof(*queue)) : NULL;
	if (queue)
		open_queue(queue, device, desc->ordinal, desc->index, desc->mode);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

/*
 * Between the driver's destroying it and our hearing of it another thread may get a queue by the
 * same handle: so it is taken out before.
 */
struct taken {
	struct tl_handle *object;
};

static void before_queue_destroy(struct tl_call *call, void *state)
{
	struct taken *taken = state;

	pthread_mutex_lock(&tl_ze_lock);
	taken->object = tl_handles_take(&queues, ZE_PARAM(call, 0, void *));
	if (taken->object)
		tl_ze_collect((struct ze_queue *)taken->object);
	pthread_mutex_unlock(&tl_ze_lock);
}

static void after_queue_destroy(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct taken *taken = state;

	if (!taken->object)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	if (failed(result, unwound)) {
		tl_handles_put(&queues, taken->object);
	} else {
		close_queue((struct ze_queue *)taken->object);
		free(taken->object);
	}
	pthread_mutex_unlock(&tl_ze_lock);
	(void)call;
}

/* --- fences */

struct ze_fence *tl_ze_fence_find(ze_fence_handle_t handle)
{
	return (struct ze_fence *)tl_handles_find(&fences, handle);
}

static void after_fence_create(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	if (failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_fence *fence = known(&fences, *ZE_PARAM(call, 2, void **), sizeof(*fence));
	if (fence)
		fence->queue = ZE_PARAM(call, 0, ze_command_queue_handle_t);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void before_fence_destroy(struct tl_call *call, void *state)
{
	pthread_mutex_lock(&tl_ze_lock);
	free(tl_handles_take(&fences, ZE_PARAM(call, 0, void *)));
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

/* --- lists */

struct ze_list *tl_ze_list_find(ze_command_list_handle_t handle)
{
	return (struct ze_list *)tl_handles_find(&lists, handle);
}

/* Flags that 1.4's header lacks: each command begins when the one before it has ended. */
#define LIST_IN_ORDER  8u /* ZE_COMMAND_LIST_FLAG_IN_ORDER */
#define QUEUE_IN_ORDER 2u /* ZE_COMMAND_QUEUE_FLAG_IN_ORDER */

static struct ze_list *list_new(struct tl_call *call, uint32_t group, bool in_order)
{
	struct ze_device *device = tl_ze_device(ZE_PARAM(call, 1, ze_device_handle_t));
	struct ze_context *context = tl_ze_context(ZE_PARAM(call, 0, ze_context_handle_t));
	struct ze_list *list = device && context
				       ? known(&lists, *ZE_PARAM(call, 3, void **), sizeof(*list))
				       : NULL;

	if (!list)
		return NULL;
	list->context = context;
	list->device = device;
	list->group = group;
	list->only_copies = tl_ze_only_copies(device, group);
	list->in_order = in_order;
	return list;
}

/* Its commands are the same, with the program's events, and nothing of ours. */
static void copy_command(struct ze_recording *recording, const struct ze_command *command)
{
	struct ze_command *copy = tl_ze_command_next(recording);

	if (!copy)
		return;
	*copy = *command;
	copy->kernel = NULL;
	if (command->kernel)
		tl_ze_command_set_kernel(copy, command->kernel);
	copy->own = NULL;
	copy->slot = NULL;
	copy->previous = 0;
	if (copy->event)
		copy->event->references++;
	recording->count++;
}

void tl_ze_list_clone(const struct ze_list *list, ze_command_list_handle_t clone)
{
	struct ze_list *made = known(&lists, clone, sizeof(*made));

	if (!made)
		return;
	made->context = list->context;
	made->device = list->device;
	made->group = list->group;
	made->only_copies = list->only_copies;
	made->in_order = list->in_order;
	made->recording = tl_ze_recording_new(list->context, list->device, list->group, false);
	for (uint32_t i = 0; made->recording && i < list->recording->count; i++)
		copy_command(made->recording, &list->recording->commands[i]);
}

static void after_list_create(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	const ze_command_list_desc_t *desc = ZE_PARAM(call, 2, const ze_command_list_desc_t *);

	if (failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_list *list =
		list_new(call, desc->commandQueueGroupOrdinal, desc->flags & LIST_IN_ORDER);
	if (list)
		list->recording =
			tl_ze_recording_new(list->context, list->device, list->group, false);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void after_immediate_create(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	const ze_command_queue_desc_t *desc = ZE_PARAM(call, 2, const ze_command_queue_desc_t *);

	if (failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_list *list = list_new(call, desc->ordinal, desc->flags & QUEUE_IN_ORDER);
	if (list)
		list->queue = calloc(1, sizeof(*list->queue));
	if (list && list->queue)
		open_queue(list->queue, list->device, desc->ordinal, desc->index, desc->mode);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void before_list_destroy(struct tl_call *call, void *state)
{
	struct taken *taken = state;

	pthread_mutex_lock(&tl_ze_lock);
	taken->object = tl_handles_take(&lists, ZE_PARAM(call, 0, void *));
	struct ze_list *list = (struct ze_list *)taken->object;
	if (list) {
		tl_ze_list_is_gone(list);
		tl_ze_wait_for_stamps(list->queue, list->recording);
	}
	if (list && list->queue)
		tl_ze_collect(list->queue);
	pthread_mutex_unlock(&tl_ze_lock);
}

static void before_list_reset(struct tl_call *call, void *state)
{
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_list *list = tl_ze_list_find(ZE_PARAM(call, 0, ze_command_list_handle_t));
	if (list && list->recording)
		tl_ze_wait_for_stamps(NULL, list->recording);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void after_list_destroy(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct taken *taken = state;
	struct ze_list *list = (struct ze_list *)taken->object;

	if (!list)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	if (failed(result, unwound)) {
		tl_handles_put(&lists, taken->object);
	} else {
		tl_ze_recording_release(list->recording);
		if (list->queue)
			close_queue(list->queue);
		free(list->queue);
		free(list);
	}
	pthread_mutex_unlock(&tl_ze_lock);
	(void)call;
}

/* Executions of what was recorded may still be under way. */
static void after_list_reset(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	if (failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_list *list = tl_ze_list_find(ZE_PARAM(call, 0, ze_command_list_handle_t));
	if (list && list->recording) {
		tl_ze_recording_release(list->recording);
		list->recording =
			tl_ze_recording_new(list->context, list->device, list->group, false);
		list->next_id = 0;
	}
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

/* --- kernels */

struct ze_kernel *tl_ze_kernel_find(ze_kernel_handle_t handle)
{
	return (struct ze_kernel *)tl_handles_find(&kernels, handle);
}

static void forget_kernel(const void *handle)
{
	struct ze_kernel *kernel = (struct ze_kernel *)tl_handles_take(&kernels, handle);

	if (kernel)
		free(kernel->name);
	free(kernel);
}

static void after_kernel_create(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	const ze_kernel_desc_t *desc = ZE_PARAM(call, 1, const ze_kernel_desc_t *);

	if (failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	forget_kernel(*ZE_PARAM(call, 2, void **));
	struct ze_kernel *kernel = known(&kernels, *ZE_PARAM(call, 2, void **), sizeof(*kernel));
	if (kernel && desc->pKernelName)
		kernel->name = strdup(desc->pKernelName);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void before_kernel_destroy(struct tl_call *call, void *state)
{
	pthread_mutex_lock(&tl_ze_lock);
	forget_kernel(ZE_PARAM(call, 0, void *));
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void after_group_size(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	if (failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_kernel *kernel = tl_ze_kernel_find(ZE_PARAM(call, 0, ze_kernel_handle_t));
	for (unsigned i = 0; kernel && i < 3; i++)
		kernel->group[i] = ZE_PARAM(call, 1 + i, uint32_t);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

/* --- images */

struct ze_image *tl_ze_image_find(ze_image_handle_t handle)
{
	return (struct ze_image *)tl_handles_find(&images, handle);
}

static uint32_t pixel_of(ze_image_format_layout_t layout)
{
	static const uint8_t bytes[] = {1, 2, 4, 2, 4, 4, 8, 8, 16, 4, 4, 2, 2, 2};

	return (uint32_t)layout < sizeof(bytes) ? bytes[layout] : 0;
}

static void after_image_create(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	const ze_image_desc_t *desc = ZE_PARAM(call, 2, const ze_image_desc_t *);

	if (failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_image *image = known(&images, *ZE_PARAM(call, 3, void **), sizeof(*image));
	if (image) {
		image->pixel = pixel_of(desc->format.layout);
		image->pixels = desc->width * (desc->height ? desc->height : 1) *
				(desc->depth ? desc->depth : 1) *
				(desc->arraylevels ? desc->arraylevels : 1);
	}
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void before_image_destroy(struct tl_call *call, void *state)
{
	pthread_mutex_lock(&tl_ze_lock);
	free(tl_handles_take(&images, ZE_PARAM(call, 0, void *)));
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

/* --- memory */

struct allocation {
	struct tl_handle handle;
	struct tl_device *device;
	int64_t size;
};

/* `device` may be NULL: the host's. */
static void allocated(const void *memory, ze_device_handle_t device, size_t size)
{
	struct allocation *allocation = known(&allocations, memory, sizeof(*allocation));
	struct ze_device *of = device ? tl_ze_device(device) : NULL;

	if (!allocation)
		return;
	allocation->device = of ? of->device : tl_ze_host();
	allocation->size = (int64_t)size;
	tl_device_memory(allocation->device, allocation->size);
}

static void after_alloc(struct tl_call *call, uint64_t result, bool unwound, unsigned size,
			int device, unsigned memory)
{
	if (failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	allocated(*ZE_PARAM(call, memory, void **),
		  device < 0 ? NULL : ZE_PARAM(call, device, ze_device_handle_t),
		  ZE_PARAM(call, size, size_t));
	pthread_mutex_unlock(&tl_ze_lock);
}

static void after_alloc_device(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	after_alloc(call, result, unwound, 2, 4, 5);
	(void)state;
}

static void after_alloc_shared(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	after_alloc(call, result, unwound, 3, 5, 6);
	(void)state;
}

static void after_alloc_host(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	after_alloc(call, result, unwound, 2, -1, 4);
	(void)state;
}

/* Memory is freed as handles are: taken out before, since its address may be another's at once. */
static void before_free(struct tl_call *call, void *state, unsigned memory)
{
	struct taken *taken = state;

	pthread_mutex_lock(&tl_ze_lock);
	taken->object = tl_handles_take(&allocations, ZE_PARAM(call, memory, void *));
	pthread_mutex_unlock(&tl_ze_lock);
}

static void before_mem_free(struct tl_call *call, void *state)
{
	before_free(call, state, 1);
}

static void before_mem_free_ext(struct tl_call *call, void *state)
{
	before_free(call, state, 2);
}

static void after_free(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct taken *taken = state;
	struct allocation *allocation = (struct allocation *)taken->object;

	if (!allocation)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	if (failed(result, unwound)) {
		tl_handles_put(&allocations, taken->object);
	} else {
		tl_device_memory(allocation->device, -allocation->size);
		free(allocation);
	}
	pthread_mutex_unlock(&tl_ze_lock);
	(void)call;
}

const struct tl_hook tl_ze_object_hooks[] = {
	{"zeContextDestroy", before_context_destroy, NULL, TL_HOOK_PLAIN},
	{"zeCommandQueueCreate", NULL, after_queue_create, TL_HOOK_PLAIN},
	{"zeCommandQueueDestroy", before_queue_destroy, after_queue_destroy, TL_HOOK_PLAIN},
	{"zeFenceCreate", NULL, after_fence_create, TL_HOOK_PLAIN},
	{"zeFenceDestroy", before_fence_destroy, NULL, TL_HOOK_PLAIN},
	{"zeCommandListCreate", NULL, after_list_create, TL_HOOK_PLAIN},
	{"zeCommandListCreateImmediate", NULL, after_immediate_create, TL_HOOK_PLAIN},
	{"zeCommandListDestroy", before_list_destroy, after_list_destroy, TL_HOOK_PLAIN},
	{"zeCommandListReset", before_list_reset, after_list_reset, TL_HOOK_PLAIN},
	{"zeImageCreate", NULL, after_image_create, TL_HOOK_PLAIN},
	{"zeImageDestroy", before_image_destroy, NULL, TL_HOOK_PLAIN},
	{"zeKernelCreate", NULL, after_kernel_create, TL_HOOK_PLAIN},
	{"zeKernelDestroy", before_kernel_destroy, NULL, TL_HOOK_PLAIN},
	{"zeKernelSetGroupSize", NULL, after_group_size, TL_HOOK_PLAIN},
	{"zeMemAllocDevice", NULL, after_alloc_device, TL_HOOK_PLAIN},
	{"zeMemAllocShared", NULL, after_alloc_shared, TL_HOOK_PLAIN},
	{"zeMemAllocHost", NULL, after_alloc_host, TL_HOOK_PLAIN},
	{"zeMemFree", before_mem_free, after_free, TL_HOOK_PLAIN},
	{"zeMemFreeExt", before_mem_free_ext, after_free, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};

void tl_ze_objects_forget(void)
{
	memset(&queues, 0, sizeof(queues));
	memset(&lists, 0, sizeof(lists));
	memset(&fences, 0, sizeof(fences));
	memset(&images, 0, sizeof(images));
	memset(&kernels, 0, sizeof(kernels));
	memset(&allocations, 0, sizeof(allocations));
	all_queues = NULL;
}

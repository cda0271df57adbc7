/* SPDX-License-Identifier: MIT */
/*
 * opencl_enqueues.c: see opencl_enqueues.h.
 *
 * One pair of hooks serves all these functions. opencl_enqueue_table.h says what each of them
 * enqueues. The queue, the event and the rest are found by the names of a function's parameters.
 *
 * An event that the program asked for is retained until its command is collected. Where the program
 * wanted no event, the layer asks for one.
 */
#include "layer/device/opencl/opencl_enqueues.h"

#include <stdlib.h>
#include <string.h>

#include "format/args/args.h"
#include "layer/base/cache_near.h"
#include "layer/device/opencl/opencl_collect.h"
#include "layer/device/opencl/opencl_commands.h"
#include "layer/device/opencl/opencl_devices.h"
#include "layer/device/opencl/opencl_driver_functions.h"
#include "layer/device/opencl/opencl_enqueue_table.h"
#include "layer/device/opencl/opencl_kernels.h"
#include "layer/device/opencl/opencl_memory.h"
#include "layer/device/opencl/opencl_queue_hooks.h"
#include "layer/device/opencl/opencl_queues.h"
#include "layer/device/opencl/opencl_waits.h"

#define FUNCTIONS 1024u /* functions of OpenCL; there are fewer than 300 */

struct kind {
	const char *function;
	const char *name;
	enum tl_device_kind kind;
	enum tl_cl_bytes bytes;
	const char *peer;
	const char *of;
};

#define KIND(function, name, kind, bytes, peer, of)                                                \
	{#function, name, TL_DEVICE_##kind, TL_CL_##bytes, peer, of},
static const struct kind kinds[] = {TL_CL_COMMANDS(KIND)};
#undef KIND

/* Where a function's parameters are; negative: it has no such parameter. */
struct shape {
	const struct kind *_Atomic kind; /* stored last (release, acquire): the rest is there */
	int8_t queue, queues, buffer, event, blocking, kernel, dimensions, global, local;
	int8_t size, region, of, objects, pointers, sizes, count, flags, freed;
	bool obliged; /* it fails without an event */
	uint8_t what; /* .kind's: enum tl_device_kind */
};

static struct shape shapes[FUNCTIONS];

/* --- the queues of buffers of commands */

struct commands {
	struct tl_handle handle;
	cl_command_queue _Atomic queue; /* that they were made for */
};

/* held while adding to the table, or finding a shape */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tl_handles buffers;

TL_CL_AFTER(tl_cl_create_buffer_of_commands_after)
{
	const void *key = (const void *)(uintptr_t)result;
	const cl_command_queue *queues = TL_CL_PARAM(const cl_command_queue *, call, 1);

	(void)state;
	if (unwound || !key || !queues)
		return;
	pthread_mutex_lock(&lock);
	struct commands *commands = (struct commands *)tl_handles_find(&buffers, key);
	if (!commands) {
		commands = calloc(1, sizeof(*commands));
		if (commands) {
			commands->handle.key = key;
			tl_handles_put(&buffers, &commands->handle);
		}
	}
	if (commands)
		atomic_store_explicit(&commands->queue, queues[0], memory_order_relaxed);
	pthread_mutex_unlock(&lock);
}

void tl_cl_enqueues_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
}

/* --- shapes */

static int8_t parameter_place(const struct tl_function *function, const char *name)
{
	for (uint16_t i = 0; name && i < function->count; i++)
		if (strcmp(function->params[i].name, name) == 0)
			return (int8_t)i;
	return -1;
}

static int8_t parameter_place_beginning(const struct tl_function *function, const char *name)
{
	for (uint16_t i = 0; i < function->count; i++)
		if (strncmp(function->params[i].name, name, strlen(name)) == 0)
			return (int8_t)i;
	return -1;
}

static void shape_fill(struct shape *shape, const struct tl_function *function,
		       const struct kind *kind)
{
	shape->queue = parameter_place(function, "command_queue");
	shape->queues = parameter_place(function, "queues");
	shape->buffer = parameter_place(function, "command_buffer");
	shape->event = parameter_place(function, "event");
	shape->obliged = strcmp(function->name, "clEnqueueMarker") == 0;
	shape->blocking = parameter_place_beginning(function, "blocking");
	shape->kernel = parameter_place(function, "kernel");
	shape->dimensions = parameter_place(function, "work_dim");
	shape->global = parameter_place(function, "global_work_size");
	shape->local = parameter_place(function, "local_work_size");
	shape->size = parameter_place(function, "size");
	shape->region = parameter_place(function, "region");
	shape->of = parameter_place(function, kind->of);
	shape->objects = parameter_place(function, "mem_objects");
	shape->pointers = parameter_place(function, "svm_pointers");
	shape->sizes = parameter_place(function, "sizes");
	shape->count = parameter_place_beginning(function, "num_");
	shape->flags = parameter_place(function, "flags");
	shape->freed = parameter_place(function, "pfn_free_func");
	shape->what = (uint8_t)kind->kind;
}

/* Several threads may look for it at once: they find the same, one after the other. */
static __attribute__((noinline)) const struct shape *shape_make(struct shape *shape,
								const struct tl_function *function)
{
	for (const struct kind *kind = kinds; kind < kinds + sizeof(kinds) / sizeof(*kinds);
	     kind++) {
		if (strcmp(kind->function, function->name) != 0)
			continue;
		pthread_mutex_lock(&lock);
		if (!atomic_load_explicit(&shape->kind, memory_order_relaxed))
			shape_fill(shape, function, kind);
		atomic_store_explicit(&shape->kind, kind, memory_order_release);
		pthread_mutex_unlock(&lock);
		return shape;
	}
	return NULL;
}

static inline const struct shape *shape_of(const struct tl_call *call)
{
	struct shape *shape = &shapes[call->shim->function->index % FUNCTIONS];

	return TL_LIKELY(atomic_load_explicit(&shape->kind, memory_order_acquire) != NULL)
		       ? shape
		       : shape_make(shape, call->shim->function);
}

static const struct kind *shape_kind(const struct shape *shape)
{
	return atomic_load_explicit(&shape->kind, memory_order_relaxed);
}

/* The value of a parameter; 0 where the function has none such. */
#define VALUE(type, call, place) ((place) < 0 ? (type)0 : TL_CL_PARAM(type, call, place))

/* --- bytes */

static uint64_t call_region(const struct tl_call *call, const struct shape *shape)
{
	const size_t *region = VALUE(const size_t *, call, shape->region);

	return region ? (uint64_t)region[0] * region[1] * region[2] : 0;
}

static uint64_t image_element(cl_mem image)
{
	size_t size = 0;

	TL_HOOK_UNCANCELLED();
	return tl_cl.clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof(size), &size, NULL) ==
			       CL_SUCCESS
		       ? size
		       : 0;
}

static uint64_t call_object_bytes(const struct tl_call *call, const struct shape *shape)
{
	const cl_mem *objects = VALUE(const cl_mem *, call, shape->objects);
	cl_uint count = objects ? VALUE(cl_uint, call, shape->count) : 0;
	uint64_t bytes = 0;

	TL_HOOK_UNCANCELLED();
	for (cl_uint i = 0; i < count; i++) {
		size_t size = 0;
		if (objects[i] && tl_cl.clGetMemObjectInfo(objects[i], CL_MEM_SIZE, sizeof(size),
							   &size, NULL) == CL_SUCCESS)
			bytes += size;
	}
	return bytes;
}

/* A size of 0 stands for the whole allocation, and so does a missing list. */
static uint64_t call_pointer_bytes(const struct tl_call *call, const struct shape *shape)
{
	const void *const *pointers = VALUE(const void *const *, call, shape->pointers);
	const size_t *sizes = VALUE(const size_t *, call, shape->sizes);
	cl_uint count = pointers ? VALUE(cl_uint, call, shape->count) : 0;
	uint64_t bytes = 0;

	for (cl_uint i = 0; i < count; i++)
		bytes += sizes && sizes[i] ? sizes[i] : tl_cl_memory_size(pointers[i]);
	return bytes;
}

static uint64_t call_bytes(const struct tl_call *call, const struct shape *shape)
{
	switch (shape_kind(shape)->bytes) {
	case TL_CL_SIZE:
		return VALUE(size_t, call, shape->size);
	case TL_CL_REGION:
		return call_region(call, shape);
	case TL_CL_PIXELS:
		return call_region(call, shape) * image_element(VALUE(cl_mem, call, shape->of));
	case TL_CL_OBJECTS:
		return call_object_bytes(call, shape);
	case TL_CL_POINTERS:
		return call_pointer_bytes(call, shape);
	case TL_CL_MAPPING:
		return tl_cl_memory_unmapped(VALUE(const void *, call, shape->of));
	case TL_CL_NO_BYTES:
		break;
	}
	return 0;
}

/* --- what there is to know of a command when it is submitted */

/*
 * Blocks of memory that the command frees. If the program passes a callback, the callback frees
 * them.
 */
static void call_note_freed(const struct tl_call *call, const struct shape *shape)
{
	const void *const *pointers = VALUE(const void *const *, call, shape->pointers);
	cl_uint count = pointers && shape->freed >= 0 && !TL_CL_PARAM(void *, call, shape->freed)
				? VALUE(cl_uint, call, shape->count)
				: 0;

	for (cl_uint i = 0; i < count; i++)
		tl_cl_memory_freed(pointers[i]);
}

/* Its unmap will report the same bytes. */
static void call_note_mapping(const struct tl_call *call, const struct shape *shape,
			      uint64_t result, uint64_t bytes)
{
	bool of_parameter = shape_kind(shape)->bytes == TL_CL_SIZE && shape->of >= 0;

	if (shape->what == TL_DEVICE_MAP)
		tl_cl_memory_mapped(of_parameter ? TL_CL_PARAM(const void *, call, shape->of)
						 : (const void *)(uintptr_t)result,
				    bytes);
}

/* A size for which there is no memory is 0. */
static inline void sizes_copy(uint64_t to[3], const size_t *from, unsigned count)
{
	to[0] = 0;
	for (unsigned i = 0; from && i < count; i++)
		to[i] = from[i];
}

/* It moves no bytes. */
static void command_describe_kernel(struct tl_cl_command *command, const struct tl_call *call,
				    const struct shape *shape, const struct tl_cl_queue *queue)
{
	const size_t *global = VALUE(const size_t *, call, shape->global);
	cl_uint dimensions = VALUE(cl_uint, call, shape->dimensions);

	tl_cl_kernel_describe(TL_CL_PARAM(cl_kernel, call, shape->kernel), queue->device,
			      &command->facts);
	command->facts.peer = NULL;
	command->facts.bytes = 0;
	if (shape->dimensions < 0) {
		/* A task is one work-item. */
		command->facts.dimensions = 1;
		command->facts.global[0] = command->facts.local[0] = 1;
	} else if (global && dimensions <= 3) {
		command->facts.dimensions = (uint8_t)dimensions;
		sizes_copy(command->facts.global, global, dimensions);
		sizes_copy(command->facts.local, VALUE(const size_t *, call, shape->local),
			   dimensions);
	}
}

static const char *call_peer(const struct tl_call *call, const struct shape *shape)
{
	const struct kind *kind = shape_kind(shape);

	if (kind->kind == TL_DEVICE_MIGRATE && kind->bytes != TL_CL_SIZE &&
	    VALUE(cl_mem_migration_flags, call, shape->flags) & CL_MIGRATE_MEM_OBJECT_HOST)
		return "host";
	return kind->peer;
}

static __attribute__((noinline)) void command_describe_other(struct tl_cl_command *command,
							     const struct tl_call *call,
							     const struct shape *shape,
							     uint64_t result)
{
	command->facts.name = shape_kind(shape)->name;
	command->facts.kernel = 0;
	command->facts.peer = call_peer(call, shape);
	command->facts.bytes = call_bytes(call, shape);
	call_note_mapping(call, shape, result, command->facts.bytes);
	call_note_freed(call, shape);
}

static inline void command_describe(struct tl_cl_command *command, struct tl_call *call,
				    const struct shape *shape, const struct tl_cl_queue *queue,
				    uint64_t result)
{
	command->submitted = tl_cl_call_of(call);
	command->request = call->request;
	command->correlation = tl_device_correlation();
	command->facts.kind = shape->what;
	command->blocking = VALUE(cl_bool, call, shape->blocking);
	command->facts.dimensions = 0;
	if (shape->kernel >= 0)
		command_describe_kernel(command, call, shape, queue);
	else
		command_describe_other(command, call, shape, result);
	tl_call_correlate(call, command->correlation);
}

/* --- the hooks */

struct enqueued {
	const struct shape *shape;
	struct tl_device_command *lane; /* NULL: it is not watched */
	struct tl_cl_queue *queue;
	cl_event *theirs; /* where the program wants its event, or NULL */
	bool asked;	  /* for an event of the layer */
	cl_event event;
};

_Static_assert(sizeof(struct enqueued) <= TL_HOOK_STATE, "it fits");

static cl_command_queue call_queue(const struct tl_call *call, const struct shape *shape)
{
	const cl_command_queue *queues = VALUE(const cl_command_queue *, call, shape->queues);

	if (shape->queue >= 0)
		return TL_CL_PARAM(cl_command_queue, call, shape->queue);
	if (queues && VALUE(cl_uint, call, shape->count))
		return queues[0];
	struct commands *commands = (struct commands *)tl_handles_find(
		&buffers, VALUE(const void *, call, shape->buffer));
	return commands ? atomic_load_explicit(&commands->queue, memory_order_relaxed) : NULL;
}

/* A call that waits may call the program back. */
bool tl_cl_is_inner(const struct tl_call *call)
{
	const struct tl_hooked *outer = tl_hook_outer(call);

	if (!outer || outer->hook->before != tl_cl_enqueue_before)
		return outer && (outer->hook->before == tl_cl_create_queue_before ||
				 outer->hook->before == tl_cl_create_listed_queue_before);
	const struct shape *shape = shape_of(outer->call);
	return shape && !VALUE(cl_bool, outer->call, shape->blocking);
}

/*
 * Where the program wants no event, ask for one. Not with clEnqueueMarker, which fails without an
 * event; if a driver accepts that, the command is treated as one without an event.
 */
TL_NEAR_CODE TL_CL_BEFORE(tl_cl_enqueue_before)
{
	const struct shape *shape = shape_of(call);
	struct enqueued *enqueued = state;

	if (!shape || !tl_cl_ready() || tl_cl_is_drivers(call))
		return;
	enqueued->shape = shape;
	enqueued->queue = tl_cl_queue_of(call_queue(call, shape));
	enqueued->lane = enqueued->queue ? tl_device_submit_untimed(enqueued->queue->lanes) : NULL;
	if (!enqueued->lane || shape->event < 0)
		return;
	enqueued->theirs = TL_CL_PARAM(cl_event *, call, shape->event);
	enqueued->asked = !enqueued->theirs && !shape->obliged;
	if (enqueued->asked)
		TL_CL_PARAM(cl_event *, call, shape->event) = &enqueued->event;
}

/*
 * An event that the layer holds, for a command that was enqueued without one of the layer's. NULL:
 * there is none.
 */
static __attribute__((noinline)) cl_event call_other_event(const struct tl_call *call,
							   const struct shape *shape,
							   const struct enqueued *enqueued)
{
	cl_event event = NULL;

	TL_HOOK_UNCANCELLED();
	if (enqueued->theirs)
		return *enqueued->theirs && tl_cl.clRetainEvent(*enqueued->theirs) == CL_SUCCESS
			       ? *enqueued->theirs
			       : NULL;
	/* A marker behind the command ends when the command does. */
	if (tl_cl.clEnqueueMarker &&
	    tl_cl.clEnqueueMarker(call_queue(call, shape), &event) == CL_SUCCESS)
		return event;
	return NULL;
}

static bool command_submit(struct tl_call *call, const struct enqueued *enqueued, uint64_t result)
{
	const struct shape *shape = enqueued->shape;
	struct tl_cl_queue *queue = enqueued->queue;
	cl_event event = TL_LIKELY(enqueued->asked) ? enqueued->event
						    : call_other_event(call, shape, enqueued);
	struct tl_cl_command *command = event ? tl_cl_command_new(queue) : NULL;

	if (!command) {
		TL_HOOK_UNCANCELLED();
		if (event)
			tl_cl.clReleaseEvent(event);
		return false;
	}
	command->queue = queue;
	command->lane = enqueued->lane;
	command->event = event;
	command->owned = !enqueued->theirs;
	/*
	 * The next one's memory may lie in another processor's cache, and what comes before the
	 * driver's call delays the device.
	 */
	tl_device_will_submit();
	tl_cl_command_prepare(call);
	command_describe(command, call, shape, enqueued->queue, result);
	bool blocking = command->blocking;
	tl_cl_command_keep(command);
	/* From here on the handle may be another one's. */
	tl_cl_device_keep_up(queue->device, call->end);
	if (blocking)
		tl_cl_waited_events(call, &event, 1);
	else
		tl_cl_collect_meanwhile(call, queue);
	return true;
}

TL_NEAR_CODE TL_CL_AFTER(tl_cl_enqueue_after)
{
	const struct enqueued *enqueued = state;

	if (!enqueued->lane)
		return;
	if (TL_UNLIKELY(unwound || tl_call_failed(call->shim->function, result) ||
			!tl_cl_ready())) {
		tl_device_cancel(enqueued->lane);
		return;
	}
	tl_device_submitted(enqueued->lane, call->start);
	if (!command_submit(call, enqueued, result))
		tl_device_cancel(enqueued->lane);
}

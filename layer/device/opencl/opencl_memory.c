/* SPDX-License-Identifier: MIT */
/*
 * opencl_memory.c: the memory that the program has allocated from its driver: memory objects,
 * shared virtual memory, and what extensions allocate.
 *
 * A memory object counts as long as the program has references to it, or to a part of it. An object
 * over the program's own memory does not count. Memory of a context with several devices is shown
 * with the first one.
 */
#include "layer/device/opencl/opencl_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "layer/device/handles.h"
#include "layer/device/opencl/opencl_devices.h"
#include "layer/device/opencl/opencl_driver_functions.h"
#include "layer/device/work.h"

/* A memory object, an allocation, or a mapping. */
struct memory {
	struct tl_handle handle;
	uint64_t bytes;
	struct tl_device *device; /* the device whose counter includes them; NULL: none */
	uint32_t references;	  /* the program's, and its parts' */
	struct memory *whole;	  /* the object that this is a part of */
};

/* protects everything here; only tl_device_memory is called under it */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tl_handles table, mappings;

static struct memory *memory_find(struct tl_handles *in, const void *key)
{
	return (struct memory *)tl_handles_find(in, key);
}

static struct memory *memory_new(struct tl_handles *in, const void *key, uint64_t bytes)
{
	struct memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return NULL;
	memory->handle.key = key;
	memory->bytes = bytes;
	memory->references = 1;
	tl_handles_put(in, &memory->handle);
	return memory;
}

/*
 * --- mappings. There may be several at the same address. Each is unmapped on its own; the last one
 * counts first, because they can't be told apart.
 */

void tl_cl_memory_mapped(const void *pointer, uint64_t bytes)
{
	if (!pointer || !bytes)
		return;
	pthread_mutex_lock(&lock);
	memory_new(&mappings, pointer, bytes);
	pthread_mutex_unlock(&lock);
}

uint64_t tl_cl_memory_unmapped(const void *pointer)
{
	pthread_mutex_lock(&lock);
	struct memory *mapping = (struct memory *)tl_handles_take(&mappings, pointer);
	pthread_mutex_unlock(&lock);
	uint64_t bytes = mapping ? mapping->bytes : 0;
	free(mapping);
	return bytes;
}

/* --- references */

static void memory_put(const void *key, uint64_t bytes, struct tl_device *device, const void *whole)
{
	pthread_mutex_lock(&lock);
	struct memory *memory = memory_new(&table, key, bytes);
	if (memory) {
		memory->device = device;
		memory->whole = whole ? memory_find(&table, whole) : NULL;
		if (memory->whole)
			memory->whole->references++;
		tl_device_memory(device, (int64_t)bytes);
	}
	pthread_mutex_unlock(&lock);
}

/* Drop a reference. Under the lock. */
static void memory_drop(struct memory *memory)
{
	while (memory && --memory->references == 0) {
		struct memory *whole = memory->whole;
		/* A newer object may have its handle by now, and hides it. */
		if (memory->handle.key)
			tl_handles_remove(&table, &memory->handle);
		tl_device_memory(memory->device, -(int64_t)memory->bytes);
		free(memory);
		memory = whole;
	}
}

uint64_t tl_cl_memory_size(const void *pointer)
{
	pthread_mutex_lock(&lock);
	const struct memory *memory = memory_find(&table, pointer);
	uint64_t bytes = memory ? memory->bytes : 0;
	pthread_mutex_unlock(&lock);
	return bytes;
}

void tl_cl_memory_freed(const void *pointer)
{
	pthread_mutex_lock(&lock);
	memory_drop(memory_find(&table, pointer));
	pthread_mutex_unlock(&lock);
}

/* --- the hooks. Parameters are found by their names, because there are many similar functions. */

static const void *call_parameter(const struct tl_call *call, const char *name)
{
	const struct tl_function *function = call->shim->function;

	for (uint16_t i = 0; i < function->count; i++)
		if (strcmp(function->params[i].name, name) == 0)
			return call->params[i];
	return NULL;
}

static cl_context call_context(const struct tl_call *call)
{
	const cl_context *at = call_parameter(call, "context");

	return at ? *at : NULL;
}

/* The object that it is a part of: a sub-buffer's buffer, an image's. */
static cl_mem call_whole(const struct tl_call *call)
{
	const cl_mem *buffer = call_parameter(call, "buffer");
	const cl_image_desc *const *description = call_parameter(call, "image_desc");

	if (buffer)
		return *buffer;
	return description && *description ? (*description)->mem_object : NULL;
}

static cl_context object_context(cl_mem object)
{
	cl_context context = NULL;

	tl_cl.clGetMemObjectInfo(object, CL_MEM_CONTEXT, sizeof(context), &context, NULL);
	return context;
}

TL_CL_AFTER(tl_cl_create_object_after)
{
	cl_mem object = (cl_mem)(uintptr_t)result, whole = call_whole(call);
	const cl_mem_flags *flags = call_parameter(call, "flags");
	size_t bytes = 0;

	(void)state;
	if (unwound || !object || !tl_cl_ready())
		return;
	if (!whole && !(flags && *flags & CL_MEM_USE_HOST_PTR))
		tl_cl.clGetMemObjectInfo(object, CL_MEM_SIZE, sizeof(bytes), &bytes, NULL);
	struct tl_cl_device *device =
		bytes ? tl_cl_device_of_context(object_context(object)) : NULL;
	memory_put(object, bytes, device ? device->device : NULL, whole);
}

/* Host memory has a counter of its own. */
static struct tl_device *host_device(void)
{
	static struct tl_device *_Atomic host;
	struct tl_device *device = atomic_load_explicit(&host, memory_order_acquire);

	if (!device) {
		pthread_mutex_lock(&lock);
		device = atomic_load_explicit(&host, memory_order_relaxed);
		if (!device) {
			device = tl_device_new("host");
			atomic_store_explicit(&host, device, memory_order_release);
		}
		pthread_mutex_unlock(&lock);
	}
	return device;
}

static struct tl_device *allocation_device(const struct tl_call *call)
{
	const cl_device_id *id = call_parameter(call, "device");
	struct tl_cl_device *device;

	if (strcmp(call->shim->function->name, "clHostMemAllocINTEL") == 0)
		return host_device();
	device = id && *id ? tl_cl_device_of(*id) : tl_cl_device_of_context(call_context(call));
	return device ? device->device : NULL;
}

TL_CL_AFTER(tl_cl_allocate_after)
{
	const size_t *size = call_parameter(call, "size");

	(void)state;
	if (!unwound && result && size && tl_cl_ready())
		memory_put((const void *)(uintptr_t)result, *size, allocation_device(call), NULL);
}

TL_CL_AFTER(tl_cl_retain_object_after)
{
	(void)state;
	if (!tl_cl_succeeded(result, unwound))
		return;
	pthread_mutex_lock(&lock);
	struct memory *memory = memory_find(&table, TL_CL_PARAM(void *, call, 0));
	if (memory)
		memory->references++;
	pthread_mutex_unlock(&lock);
}

struct releasing {
	struct memory *memory; /* loses a reference of the program, if the call succeeds */
};

/*
 * Its handle may be another object's before the call has returned: so the last reference takes it
 * out of the table now.
 */
TL_CL_BEFORE(tl_cl_release_object_before)
{
	struct releasing *releasing = state;

	pthread_mutex_lock(&lock);
	struct memory *memory = memory_find(&table, TL_CL_PARAM(void *, call, 0));
	if (memory && memory->references == 1) {
		tl_handles_take(&table, memory->handle.key);
		memory->handle.key = NULL;
	}
	releasing->memory = memory;
	pthread_mutex_unlock(&lock);
}

TL_CL_AFTER(tl_cl_release_object_after)
{
	const struct releasing *releasing = state;
	struct memory *memory = releasing->memory;

	if (!memory)
		return;
	pthread_mutex_lock(&lock);
	if (tl_cl_succeeded(result, unwound)) {
		memory_drop(memory);
	} else if (!memory->handle.key) {
		memory->handle.key = TL_CL_PARAM(void *, call, 0);
		tl_handles_put(&table, &memory->handle);
	}
	pthread_mutex_unlock(&lock);
}

/* clSVMFree returns no error, so an unknown pointer is ignored. */
TL_CL_BEFORE(tl_cl_free_before)
{
	(void)state;
	tl_cl_memory_freed(TL_CL_PARAM(const void *, call, 1));
}

/* The child inherits the parent's memory, as far as it can use it; the counters begin anew. */
void tl_cl_memory_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	memset(&table, 0, sizeof(table));
	memset(&mappings, 0, sizeof(mappings));
}

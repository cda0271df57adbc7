/* SPDX-License-Identifier: MIT */
/*
 * opencl_kernels.c: kernels' names and facts. A driver is asked for them at the kernel's first
 * command, and again after a release: the handle may be another kernel's by then. Of kernels of one
 * name the facts are asked for only so often: a program may make a kernel for each launch.
 */
#include "layer/device/opencl/opencl_kernels.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/cache_near.h"
#include "layer/device/handles.h"
#include "layer/device/kernel_facts.h"
#include "layer/device/opencl/opencl_driver_functions.h"

struct kernel {
	struct tl_handle handle; /* cl_kernel */
	/* NULL: not asked yet. Release and acquire: the text is there */
	const char *_Atomic name;
	/* of the device of its first command; stored before .name */
	_Atomic uint16_t facts;
};

#define ASKED_MOST 64u

/* Names are few, and stay. */
struct name {
	struct name *next;
	uint32_t asked; /* how often the driver was asked for facts of such a kernel */
	char text[];
};

/* held while adding to either; no driver is called under it */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tl_handles table;
static struct name *names;

/* Under the lock. */
static struct name *name_kept(const char *text)
{
	struct name *name = names;

	while (name && strcmp(name->text, text) != 0)
		name = name->next;
	if (name)
		return name;
	name = malloc(sizeof(*name) + strlen(text) + 1);
	if (!name)
		return NULL;
	strcpy(name->text, text);
	name->asked = 0;
	name->next = names;
	names = name;
	return name;
}

static struct kernel *kernel_find(cl_kernel handle)
{
	return (struct kernel *)tl_handles_find(&table, handle);
}

static struct kernel *kernel_new(cl_kernel handle)
{
	struct kernel *kernel = calloc(1, sizeof(*kernel));

	if (!kernel)
		return NULL;
	kernel->handle.key = handle;
	tl_handles_put(&table, &kernel->handle);
	return kernel;
}

/* All answers have 8 bytes: cl_ulong, and size_t. */
static bool kernel_ask(cl_kernel handle, cl_device_id device, cl_kernel_work_group_info what,
		       uint64_t *value)
{
	return tl_cl.clGetKernelWorkGroupInfo &&
	       tl_cl.clGetKernelWorkGroupInfo(handle, device, what, sizeof(*value), value, NULL) ==
		       CL_SUCCESS;
}

/*
 * The width is what groups should be a multiple of. A subgroup's size would say it better, but
 * loaders call drivers that lack clGetKernelSubGroupInfo all the same, and crash.
 */
static uint16_t kernel_ask_facts(cl_kernel handle, const struct tl_cl_device *on, const char *name)
{
	cl_device_id device = (cl_device_id)(uintptr_t)on->handle.key;
	struct tl_kernel_facts facts = {.has = 0};
	uint64_t multiple = 0;

	if (kernel_ask(handle, device, CL_KERNEL_PRIVATE_MEM_SIZE, &facts.private_bytes))
		facts.has |= TL_KERNEL_PRIVATE;
	if (kernel_ask(handle, device, CL_KERNEL_LOCAL_MEM_SIZE, &facts.local_bytes))
		facts.has |= TL_KERNEL_LOCAL;
	if (on->tells_spills &&
	    kernel_ask(handle, device, CL_KERNEL_SPILL_MEM_SIZE_INTEL, &facts.spill_bytes))
		facts.has |= TL_KERNEL_SPILL;
	if (kernel_ask(handle, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, &multiple) &&
	    multiple)
		facts.has |= TL_KERNEL_SIMD;
	facts.simd_width = (uint32_t)multiple;
	return tl_kernel_facts_keep(name, &facts);
}

static const char *kernel_ask_name(cl_kernel handle, const struct tl_cl_device *device)
{
	char text[1024] = "";
	char *longer = NULL;
	size_t size = 0;
	const char *name = NULL;

	TL_HOOK_UNCANCELLED();
	if (tl_cl.clGetKernelInfo(handle, CL_KERNEL_FUNCTION_NAME, 0, NULL, &size) != CL_SUCCESS ||
	    !size)
		return NULL;
	if (size > sizeof(text))
		longer = malloc(size);
	char *at = longer ? longer : text;
	if (size <= sizeof(text) || longer)
		name = tl_cl.clGetKernelInfo(handle, CL_KERNEL_FUNCTION_NAME, size, at, NULL) ==
				       CL_SUCCESS
			       ? at
			       : NULL;
	pthread_mutex_lock(&lock);
	struct name *kept = name ? name_kept(name) : NULL;
	bool asks = kept && kept->asked < ASKED_MOST;
	if (asks)
		kept->asked++;
	pthread_mutex_unlock(&lock);
	name = kept ? kept->text : NULL;
	uint16_t facts = asks ? kernel_ask_facts(handle, device, name) : 0;
	pthread_mutex_lock(&lock);
	struct kernel *kernel = kernel_find(handle);
	if (!kernel)
		kernel = kernel_new(handle);
	if (kernel) {
		atomic_store_explicit(&kernel->facts, facts, memory_order_relaxed);
		atomic_store_explicit(&kernel->name, name, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	free(longer);
	return name;
}

TL_NEAR_CODE void tl_cl_kernel_describe(cl_kernel handle, const struct tl_cl_device *device,
					struct tl_device_facts *facts)
{
	struct kernel *kernel = kernel_find(handle);

	facts->name = kernel ? atomic_load_explicit(&kernel->name, memory_order_acquire) : NULL;
	if (!facts->name) {
		facts->name = kernel_ask_name(handle, device);
		kernel = kernel_find(handle);
	}
	facts->kernel = kernel ? atomic_load_explicit(&kernel->facts, memory_order_relaxed) : 0;
}

TL_CL_BEFORE(tl_cl_release_kernel_before)
{
	struct kernel *kernel = kernel_find(TL_CL_PARAM(cl_kernel, call, 0));

	(void)state;
	if (kernel)
		atomic_store_explicit(&kernel->name, NULL, memory_order_relaxed);
}

void tl_cl_kernels_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
}

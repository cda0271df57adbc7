/* SPDX-License-Identifier: MIT */
/*
 * opencl_kernels.c: kernels' names. A driver is asked for one at the kernel's first command, and
 * again after a release: the handle may be another kernel's by then.
 */
#include "layer/device/opencl/opencl_kernels.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/cache_near.h"
#include "layer/device/handles.h"
#include "layer/device/opencl/opencl_driver_functions.h"

struct kernel {
	struct tl_handle handle; /* cl_kernel */
	/* NULL: not asked yet. Release and acquire: the text is there */
	const char *_Atomic name;
};

/* Names are few, and stay. */
struct name {
	struct name *next;
	char text[];
};

/* held while adding to either; no driver is called under it */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tl_handles table;
static struct name *names;

/* Under the lock. */
static const char *name_kept(const char *text)
{
	struct name *name = names;

	while (name && strcmp(name->text, text) != 0)
		name = name->next;
	if (name)
		return name->text;
	name = malloc(sizeof(*name) + strlen(text) + 1);
	if (!name)
		return NULL;
	strcpy(name->text, text);
	name->next = names;
	names = name;
	return name->text;
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

static const char *kernel_ask_name(cl_kernel handle)
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
	name = name ? name_kept(name) : NULL;
	struct kernel *kernel = kernel_find(handle);
	if (!kernel)
		kernel = kernel_new(handle);
	if (kernel)
		atomic_store_explicit(&kernel->name, name, memory_order_release);
	pthread_mutex_unlock(&lock);
	free(longer);
	return name;
}

TL_NEAR_CODE const char *tl_cl_kernel_name(cl_kernel handle)
{
	struct kernel *kernel = kernel_find(handle);
	const char *name =
		kernel ? atomic_load_explicit(&kernel->name, memory_order_acquire) : NULL;

	return name ? name : kernel_ask_name(handle);
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

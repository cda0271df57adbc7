/* SPDX-License-Identifier: MIT */
/*
 * cuda_kernels.c: see cuda_kernels.h.
 *
 * Hooks learn the name when the program asks for the function by it. Functions that the program got
 * in another way are asked about once (cuFuncGetName, since CUDA 12.3). When a module goes, all
 * handles are forgotten: a later function may have one of them.
 */
#include "layer/device/cuda/cuda_kernels.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/cuda/cuda_driver_functions.h"
#include "layer/device/handles.h"
#include "layer/device/kernel_facts.h"

#define BUCKETS 256u

/* A name. Commands point to it, so it stays for ever. */
struct name {
	struct name *next;
	char text[];
};

struct kernel {
	struct tl_handle handle;
	struct kernel *next; /* of all */
	const char *name;
};

static struct tl_handles kernels;
static struct kernel *all;
static struct name *names[BUCKETS];

/* Under the lock. */
static const char *name_keep(const char *text)
{
	struct name **bucket = &names[tl_kernel_name_hash(text) % BUCKETS];

	for (const struct name *name = *bucket; name; name = name->next)
		if (!strcmp(name->text, text))
			return name->text;
	size_t size = strlen(text) + 1;
	struct name *name = malloc(sizeof(*name) + size);
	if (!name)
		return NULL;
	memcpy(name->text, text, size);
	name->next = *bucket;
	*bucket = name;
	return name->text;
}

/* Under the lock. */
static struct kernel *kernel_find(const void *function)
{
	return (struct kernel *)tl_handles_find(&kernels, function);
}

static const char *kernel_keep(void *function, const char *text)
{
	struct kernel *kernel = kernel_find(function);

	if (!kernel) {
		if (!(kernel = calloc(1, sizeof(*kernel))))
			return NULL;
		kernel->handle.key = function;
		kernel->next = all;
		all = kernel;
		tl_handles_put(&kernels, &kernel->handle);
	}
	kernel->name = name_keep(text);
	return kernel->name;
}

const char *tl_cuda_kernel_name(void *function)
{
	const char *text = NULL;

	pthread_mutex_lock(&tl_cuda_lock);
	const struct kernel *kernel = kernel_find(function);
	const char *name = kernel ? kernel->name : NULL;
	pthread_mutex_unlock(&tl_cuda_lock);
	if (name || !function)
		return name;
	if (!tl_cuda_real.cuFuncGetName ||
	    tl_cuda_real.cuFuncGetName(&text, function) != CUDA_SUCCESS)
		text = NULL;
	if (!text && (!tl_cuda_real.cuKernelGetName ||
		      tl_cuda_real.cuKernelGetName(&text, function) != CUDA_SUCCESS))
		text = NULL;
	if (!text)
		return NULL;
	pthread_mutex_lock(&tl_cuda_lock);
	name = kernel_keep(function, text);
	pthread_mutex_unlock(&tl_cuda_lock);
	return name;
}

/* cuModuleGetFunction(function, module, name), cuLibraryGetKernel(kernel, library, name) */
static void get_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	(void)state;
	if (tl_cuda_call_failed(result, unwound) || !tl_cuda_is_known(call))
		return;
	const char *text = CUDA_PARAM(call, 2, const char *);
	if (!text)
		return;
	pthread_mutex_lock(&tl_cuda_lock);
	kernel_keep(*CUDA_PARAM(call, 0, void **), text);
	pthread_mutex_unlock(&tl_cuda_lock);
}

/* cuKernelGetFunction(function, kernel) */
static void get_of_kernel_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	(void)state;
	if (tl_cuda_call_failed(result, unwound) || !tl_cuda_is_known(call))
		return;
	pthread_mutex_lock(&tl_cuda_lock);
	const struct kernel *kernel = kernel_find(CUDA_PARAM(call, 1, void *));
	if (kernel && kernel->name)
		kernel_keep(*CUDA_PARAM(call, 0, void **), kernel->name);
	pthread_mutex_unlock(&tl_cuda_lock);
}

/* Under the lock. */
static void kernels_clear(void)
{
	memset(&kernels, 0, sizeof(kernels));
	while (all) {
		struct kernel *next = all->next;
		free(all);
		all = next;
	}
}

static void unload_before(struct tl_call *call, void *state)
{
	(void)call;
	(void)state;
	pthread_mutex_lock(&tl_cuda_lock);
	kernels_clear();
	pthread_mutex_unlock(&tl_cuda_lock);
}

void tl_cuda_kernels_forget(void)
{
	memset(&kernels, 0, sizeof(kernels));
	memset(names, 0, sizeof(names));
	all = NULL;
}

const struct tl_hook tl_cuda_kernel_hooks[] = {
	{"cuModuleGetFunction", NULL, get_after, TL_HOOK_PLAIN},
	{"cuLibraryGetKernel", NULL, get_after, TL_HOOK_PLAIN},
	{"cuKernelGetFunction", NULL, get_of_kernel_after, TL_HOOK_PLAIN},
	{"cuModuleUnload", unload_before, NULL, TL_HOOK_PLAIN},
	{"cuLibraryUnload", unload_before, NULL, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};

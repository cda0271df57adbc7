/* SPDX-License-Identifier: MIT */
/*
 * cuda_contexts.c: see cuda_contexts.h.
 */
#include "layer/device/cuda/cuda_contexts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/device/cuda/cuda_clock.h"
#include "layer/device/cuda/cuda_commands.h"
#include "layer/device/cuda/cuda_memory.h"
#include "layer/device/cuda/cuda_streams.h"

static struct tl_handles table;
static struct cuda_context *all, *spare; /* linked by .next */
static struct cuda_device *devices;	 /* linked by .next */

struct cuda_context *tl_cuda_contexts(void)
{
	return all;
}

/* If devices have the same name, the second is called "… #2". Under tl_cuda_lock. */
static char *device_name(const char *name)
{
	unsigned same = 1;
	char *text;

	for (const struct cuda_device *device = devices; device; device = device->next)
		same += !strncmp(device->name, name, strlen(name)) &&
			strchr(" ", device->name[strlen(name)]);
	if (same == 1)
		return strdup(name);
	return asprintf(&text, "%s #%u", name, same) < 0 ? NULL : text;
}

/* Under tl_cuda_lock. */
static struct cuda_device *device_find(int ordinal)
{
	struct cuda_device *device = devices;

	while (device && device->ordinal != ordinal)
		device = device->next;
	return device;
}

/* What tells which piece of hardware a device is. */
struct identity {
	uint8_t uuid[16];
	struct tl_pci_address pci;
	bool has_pci;
};

static bool attribute_ask(int ordinal, int attribute, uint32_t *value)
{
	int answer = 0;

	if (!tl_cuda_real.cuDeviceGetAttribute ||
	    tl_cuda_real.cuDeviceGetAttribute(&answer, attribute, ordinal) != CUDA_SUCCESS)
		return false;
	*value = (uint32_t)answer;
	return true;
}

/* A part of a device (MIG) has an identity of its own, which the later function gives. */
static struct identity device_identity(int ordinal)
{
	struct identity found = {.has_pci = false};
	int (*ask)(unsigned char *, int) = tl_cuda_real.cuDeviceGetUuid_v2
						   ? tl_cuda_real.cuDeviceGetUuid_v2
						   : tl_cuda_real.cuDeviceGetUuid;

	if (!ask || ask(found.uuid, ordinal) != CUDA_SUCCESS)
		memset(found.uuid, 0, sizeof(found.uuid));
	found.has_pci = attribute_ask(ordinal, CUDA_PCI_BUS, &found.pci.bus) &&
			attribute_ask(ordinal, CUDA_PCI_DEVICE, &found.pci.device) &&
			attribute_ask(ordinal, CUDA_PCI_DOMAIN, &found.pci.domain);
	return found;
}

static struct cuda_device *device_new(int ordinal, const char *name,
				      const struct identity *identity)
{
	struct cuda_device *device = calloc(1, sizeof(*device));

	if (!device)
		return NULL;
	device->ordinal = ordinal;
	device->name = device_name(name);
	device->device = device->name ? tl_device_new(device->name) : NULL;
	if (!device->device) {
		free(device->name);
		free(device);
		return NULL;
	}
	tl_device_identify(device->device, "cuda", identity->uuid,
			   identity->has_pci ? &identity->pci : NULL);
	device->next = devices;
	devices = device;
	return device;
}

static struct cuda_context *context_new(void *handle, struct cuda_device *device)
{
	struct cuda_context *context = spare;

	if (context)
		spare = context->next;
	else
		context = calloc(1, sizeof(*context));
	if (!context)
		return NULL;
	context->handle.key = handle;
	context->device = device;
	tl_cuda_clock_start(context);
	context->next = all;
	all = context;
	tl_handles_put(&table, &context->handle);
	return context;
}

static struct cuda_context *context_find(const void *handle)
{
	pthread_mutex_lock(&tl_cuda_lock);
	struct tl_handle *known = tl_handles_find(&table, handle);
	pthread_mutex_unlock(&tl_cuda_lock);
	return (struct cuda_context *)known;
}

struct cuda_context *tl_cuda_context(void *handle)
{
	struct cuda_context *context = handle ? context_find(handle) : NULL;
	char name[256] = "";
	int ordinal;

	if (context || !handle)
		return context;
	if (tl_cuda_real.cuCtxGetDevice(&ordinal) != CUDA_SUCCESS ||
	    tl_cuda_real.cuDeviceGetName(name, sizeof(name) - 1, ordinal) != CUDA_SUCCESS)
		return NULL;
	struct identity identity = device_identity(ordinal);
	pthread_mutex_lock(&tl_cuda_lock);
	context = (struct cuda_context *)tl_handles_find(&table, handle);
	struct cuda_device *device = device_find(ordinal);
	if (!device)
		device = device_new(ordinal, name, &identity);
	if (!context && device)
		context = context_new(handle, device);
	pthread_mutex_unlock(&tl_cuda_lock);
	return context;
}

struct cuda_context *tl_cuda_context_of_stream(void *stream)
{
	void *handle = NULL, *current = NULL;

	if (tl_cuda_real.cuCtxGetCurrent(&current) != CUDA_SUCCESS)
		return NULL;
	if (!tl_cuda_real.cuStreamGetCtx ||
	    tl_cuda_real.cuStreamGetCtx(stream, &handle) != CUDA_SUCCESS || handle == current)
		return tl_cuda_context(current);
	struct cuda_context *context = context_find(handle);
	if (context || tl_cuda_real.cuCtxPushCurrent_v2(handle) != CUDA_SUCCESS)
		return context;
	context = tl_cuda_context(handle);
	tl_cuda_context_leave();
	return context;
}

void tl_cuda_context_drop(struct cuda_context *context)
{
	struct cuda_context **link = &all;

	while (*link && *link != context)
		link = &(*link)->next;
	if (*link)
		*link = context->next;
	tl_handles_remove(&table, &context->handle);
	while (context->streams)
		tl_cuda_stream_drop(context->streams);
	tl_cuda_memory_drop(context);
	tl_cuda_commands_free(context->spare);
	context->spare = NULL;
	context->created = context->closing = false;
	context->next = spare;
	spare = context;
}

bool tl_cuda_context_enter(const struct cuda_context *context)
{
	return tl_cuda_real.cuCtxPushCurrent_v2((void *)(uintptr_t)context->handle.key) ==
	       CUDA_SUCCESS;
}

void tl_cuda_context_leave(void)
{
	void *was;

	tl_cuda_real.cuCtxPopCurrent_v2(&was);
}

/* The structs stay: they are few, and pointers to them are not counted. */
void tl_cuda_contexts_forget(void)
{
	memset(&table, 0, sizeof(table));
	all = spare = NULL;
	devices = NULL;
}

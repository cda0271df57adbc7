/* SPDX-License-Identifier: MIT */
/*
 * vulkan_devices.c: see vulkan_devices.h.
 */
#include "layer/device/vulkan/vulkan_devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layer/device/vulkan/vulkan_memory.h"

/* A physical device by its name: programs make a new instance, and with it new handles, at will. */
struct hardware {
	struct hardware *next;
	struct tl_device *device;
	char name[256];
};

static struct tl_handles device_table, queue_table;
static struct vk_device *all, *spare_devices;
static struct vk_queue *spare_queues;
static struct vk_batch *spare_batches;
static struct hardware *known;

struct vk_device *tl_vk_devices(void)
{
	return all;
}

struct vk_device *tl_vk_device_find(const void *handle)
{
	return (struct vk_device *)tl_handles_find(&device_table, handle);
}

struct vk_queue *tl_vk_queue_find(const void *handle)
{
	return (struct vk_queue *)tl_handles_find(&queue_table, handle);
}

/* A spare one as new, or memory of this size. NULL: memory is short. */
static void *spare_zeroed(void *spare, size_t size)
{
	return spare ? memset(spare, 0, size) : calloc(1, size);
}

/* --- devices */

static struct tl_device *hardware_device(const char *name)
{
	struct hardware *it = known;

	while (it && strcmp(it->name, name) != 0)
		it = it->next;
	if (it)
		return it->device;
	it = calloc(1, sizeof(*it));
	if (!it || !(it->device = tl_device_new(name))) {
		free(it);
		return NULL;
	}
	tl_device_identify(it->device, "vulkan", (const uint8_t[16]){0}, NULL);
	snprintf(it->name, sizeof(it->name), "%s", name);
	it->next = known;
	known = it;
	return it->device;
}

static struct vk_device *device_new(void)
{
	pthread_mutex_lock(&tl_vk_lock);
	struct vk_device *device = spare_devices;
	if (device)
		spare_devices = device->next;
	pthread_mutex_unlock(&tl_vk_lock);
	return spare_zeroed(device, sizeof(*device));
}

/* Timestamps are written by queues for graphics and computing, if their family has any. */
static bool family_has_stamps(const struct vk_device *device, uint32_t family)
{
	return family < device->nfamilies && device->families[family].bits &&
	       device->families[family].flags & (VK_GRAPHICS | VK_COMPUTE);
}

/* Queues of all families are compared by one clock: bits that each of them has. */
static unsigned device_bits(const struct vk_device *device)
{
	unsigned bits = 64;

	for (uint32_t i = 0; i < device->nfamilies; i++)
		if (family_has_stamps(device, i) && device->families[i].bits < bits)
			bits = device->families[i].bits;
	return bits;
}

/* Nothing refers to it. */
static void device_put_spare(struct vk_device *device)
{
	device->next = spare_devices;
	spare_devices = device;
}

void tl_vk_device_created(const struct tl_call *call, void *handle, void *hardware)
{
	struct vk_properties properties;
	struct vk_device *device = device_new();

	if (!device)
		return;
	pthread_mutex_init(&device->looking, NULL);
	bool good = tl_vk_properties_ask(call, hardware, &properties) &&
		    tl_vk_functions_find(&device->real, call, handle);

	if (good) {
		device->own_memory = tl_vk_own_memory_ask(call, hardware);
		device->nfamilies =
			tl_vk_families_ask(call, hardware, device->families, VK_FAMILIES);
		tl_clock_fit_start(&device->clock, (uint64_t)(1e9 / (double)properties.period),
				   device_bits(device));
	}
	pthread_mutex_lock(&tl_vk_lock);
	device->device = good ? hardware_device(properties.name) : NULL;
	if (device->device) {
		device->handle.key = handle;
		device->hardware = hardware;
		device->next = all;
		all = device;
		tl_handles_put(&device_table, &device->handle);
	} else {
		device_put_spare(device);
	}
	pthread_mutex_unlock(&tl_vk_lock);
}

uint64_t tl_vk_devices_round(void)
{
	static uint64_t rounds;

	pthread_mutex_lock(&tl_vk_lock);
	uint64_t round = ++rounds;
	pthread_mutex_unlock(&tl_vk_lock);
	return round;
}

struct vk_device *tl_vk_devices_look(uint64_t round, uint64_t deadline)
{
	const struct timespec moment = {.tv_nsec = 200000};
	struct vk_device *device;
	bool busy;

	do {
		busy = false;
		pthread_mutex_lock(&tl_vk_lock);
		for (device = all; device; device = device->next) {
			if (device->round >= round)
				continue;
			if (pthread_mutex_trylock(&device->looking) == 0)
				break;
			busy = true;
		}
		if (device)
			device->round = round;
		pthread_mutex_unlock(&tl_vk_lock);
	} while (!device && busy && tl_device_now() < deadline && !nanosleep(&moment, NULL));
	return device;
}

void tl_vk_device_hide(struct vk_device *device)
{
	struct vk_device **link = &all;

	while (*link && *link != device)
		link = &(*link)->next;
	if (*link)
		*link = device->next;
}

struct vk_device *tl_vk_device_left(const void *hardware)
{
	pthread_mutex_lock(&tl_vk_lock);
	struct vk_device *device = all;
	while (device && device->hardware != hardware)
		device = device->next;
	if (device)
		tl_vk_device_hide(device);
	pthread_mutex_unlock(&tl_vk_lock);
	return device;
}

void tl_vk_device_drop(struct vk_device *device)
{
	struct vk_queue *queue;

	tl_handles_remove(&device_table, &device->handle);
	tl_vk_memory_drop(device);
	while ((queue = device->queues)) {
		device->queues = queue->next;
		tl_device_queue_release(queue->lanes);
		tl_handles_remove(&queue_table, &queue->handle);
		queue->next = spare_queues;
		spare_queues = queue;
	}
	device_put_spare(device);
}

/* --- queues */

/* Under the lock. */
static void queue_new(struct vk_device *device, void *handle, uint32_t family, uint32_t index)
{
	struct vk_queue *queue = spare_queues;
	char name[64];

	if (queue)
		spare_queues = queue->next;
	queue = spare_zeroed(queue, sizeof(*queue));
	if (!queue)
		return;
	snprintf(name, sizeof(name), "queue %u of family %u", index, family);
	*queue = (struct vk_queue){.handle = {.key = handle},
				   .next = device->queues,
				   .device = device,
				   .family = family,
				   .lanes = tl_device_queue_new(device->device, name)};
	queue->last = &queue->first;
	device->queues = queue;
	tl_handles_put(&queue_table, &queue->handle);
}

void tl_vk_queue_got(const void *device_handle, void *handle, uint32_t family, uint32_t index)
{
	pthread_mutex_lock(&tl_vk_lock);
	struct vk_device *device = tl_vk_device_find(device_handle);
	if (device && handle && family_has_stamps(device, family) && !tl_vk_queue_find(handle))
		queue_new(device, handle, family, index);
	pthread_mutex_unlock(&tl_vk_lock);
}

/* --- batches */

struct vk_batch *tl_vk_batch_new(void)
{
	pthread_mutex_lock(&tl_vk_lock);
	struct vk_batch *batch = spare_batches;
	if (batch)
		spare_batches = batch->next;
	pthread_mutex_unlock(&tl_vk_lock);
	return spare_zeroed(batch, sizeof(*batch));
}

void tl_vk_batch_free(struct vk_batch *batch)
{
	pthread_mutex_lock(&tl_vk_lock);
	batch->next = spare_batches;
	spare_batches = batch;
	pthread_mutex_unlock(&tl_vk_lock);
}

/* The structs stay: they are few, and pointers to them are not counted. */
void tl_vk_devices_forget(void)
{
	memset(&device_table, 0, sizeof(device_table));
	memset(&queue_table, 0, sizeof(queue_table));
	all = spare_devices = NULL;
	spare_queues = NULL;
	spare_batches = NULL;
	known = NULL;
}

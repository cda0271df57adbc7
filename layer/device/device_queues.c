/* SPDX-License-Identifier: MIT */
/*
 * device_queues.c: devices and queues: making them, their names, and what a fork leaves of them.
 */
#include "layer/device/device_queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a device with so many queues uses released ones again */
#define REUSE 64u

/* protects the lists while one is added */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
_Atomic(struct tl_device *) tl_devices;
_Atomic(struct tl_device_queue *) tl_device_queues;
static uint32_t queue_count;

struct tl_device *tl_device_new(const char *name)
{
	struct tl_device *device = calloc(1, sizeof(*device));

	if (!device || !(device->name = strdup(name))) {
		free(device);
		return NULL;
	}
	pthread_mutex_init(&device->lock, NULL);
	pthread_mutex_lock(&making);
	device->next = atomic_load_explicit(&tl_devices, memory_order_relaxed);
	atomic_store_explicit(&tl_devices, device, memory_order_release);
	pthread_mutex_unlock(&making);
	return device;
}

/* "00112233-4455-6677-8899-aabbccddeeff" */
static char *uuid_text(const uint8_t uuid[16])
{
	char text[40], *at = text;
	bool any = false;

	for (unsigned i = 0; i < 16; i++) {
		at += sprintf(at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
			      uuid[i]);
		any |= uuid[i];
	}
	return any ? strdup(text) : NULL;
}

void tl_device_identify(struct tl_device *device, const char *api, const uint8_t uuid[16],
			const struct tl_pci_address *pci)
{
	device->api = api;
	if (uuid)
		device->uuid = uuid_text(uuid);
	if (pci && asprintf(&device->pci, "%04x:%02x:%02x.%x", pci->domain, pci->bus, pci->device,
			    pci->function) < 0)
		device->pci = NULL;
}

static bool label_is_taken(const char *label)
{
	for (struct tl_device_queue *queue =
		     atomic_load_explicit(&tl_device_queues, memory_order_relaxed);
	     queue; queue = queue->next)
		if (!strcmp(queue->label, label))
			return true;
	return false;
}

/*
 * The part that differs between queues comes first: viewers cut long names at the end. Under
 * `making`.
 */
static char *label_new(const struct tl_device *device, const char *name, uint32_t number)
{
	char *label = NULL;

	if (name && asprintf(&label, "%s, %s", name, device->name) < 0)
		return NULL;
	if (label && !label_is_taken(label))
		return label;
	free(label);
	return asprintf(&label, "queue %u, %s", number, device->name) < 0 ? NULL : label;
}

static bool names_are_same(const char *one, const char *other)
{
	return one && other ? !strcmp(one, other) : one == other;
}

/* A released queue of this name, if the device has had many queues. Under `making`. */
static struct tl_device_queue *queue_use_again(const struct tl_device *device, const char *name)
{
	struct tl_device_queue *free_one = NULL;
	uint32_t count = 0;

	for (struct tl_device_queue *queue =
		     atomic_load_explicit(&tl_device_queues, memory_order_relaxed);
	     queue; queue = queue->next) {
		if (queue->device != device)
			continue;
		count++;
		if (atomic_load_explicit(&queue->released, memory_order_relaxed) &&
		    names_are_same(queue->name, name))
			free_one = queue;
	}
	if (count < REUSE || !free_one)
		return NULL;
	atomic_store_explicit(&free_one->released, false, memory_order_relaxed);
	return free_one;
}

static struct tl_device_queue *queue_new(struct tl_device *device, const char *name)
{
	struct tl_device_queue *queue = calloc(1, sizeof(*queue));

	if (queue && name)
		queue->name = strdup(name);
	if (!queue || (name && !queue->name) ||
	    !(queue->label = label_new(device, name, queue_count + 1))) {
		free(queue ? queue->name : NULL);
		free(queue);
		return NULL;
	}
	queue->device = device;
	queue->number = ++queue_count;
	queue->last = &queue->first;
	pthread_mutex_init(&queue->lock, NULL);
	queue->next = atomic_load_explicit(&tl_device_queues, memory_order_relaxed);
	atomic_store_explicit(&tl_device_queues, queue, memory_order_release);
	return queue;
}

struct tl_device_queue *tl_device_queue_new(struct tl_device *device, const char *name)
{
	if (!device)
		return NULL;
	pthread_mutex_lock(&making);
	struct tl_device_queue *queue = queue_use_again(device, name);
	if (!queue)
		queue = queue_new(device, name);
	pthread_mutex_unlock(&making);
	return queue;
}

void tl_device_queue_release(struct tl_device_queue *queue)
{
	if (queue)
		atomic_store_explicit(&queue->released, true, memory_order_relaxed);
}

static void queue_forget(struct tl_device_queue *queue)
{
	/*
	 * The thread that held the lock does not exist here, and may have been about to store where
	 * an array lies now: the arrays are left.
	 */
	pthread_mutex_init(&queue->lock, NULL);
	atomic_store_explicit(&queue->inbox, NULL, memory_order_relaxed);
	atomic_store_explicit(&queue->spare, NULL, memory_order_relaxed);
	queue->lanes = NULL;
	queue->edges = NULL;
	queue->nlanes = queue->nedges = queue->edges_room = queue->behind = queue->counter = 0;
	queue->crowded_until = 0;
	queue->first = NULL;
	queue->last = &queue->first;
	queue->depth = 0;
	queue->sampled = 0;
	queue->global.text = queue->local.text = 0;
	queue->identified = false;
}

void tl_device_queues_after_fork(void)
{
	pthread_mutex_init(&making, NULL);
	for (struct tl_device *device = atomic_load_explicit(&tl_devices, memory_order_relaxed);
	     device; device = device->next) {
		pthread_mutex_init(&device->lock, NULL);
		atomic_store_explicit(&device->text, 0, memory_order_relaxed);
		device->bytes = 0;
		device->counter = 0;
	}
	for (struct tl_device_queue *queue =
		     atomic_load_explicit(&tl_device_queues, memory_order_relaxed);
	     queue; queue = queue->next)
		queue_forget(queue);
}

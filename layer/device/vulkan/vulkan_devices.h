/* SPDX-License-Identifier: MIT */
/*
 * vulkan_devices.h: logical devices and their queues. Everything is protected by tl_vk_lock, unless
 * it says otherwise. The structs stay in memory, for later devices and queues.
 *
 * A program may use a queue in one thread at a time, and may not destroy a device that is in use.
 * So in a hook a queue that was found stays what it is.
 */
#ifndef TL_LAYER_DEVICE_VULKAN_VULKAN_DEVICES_H
#define TL_LAYER_DEVICE_VULKAN_VULKAN_DEVICES_H

#include "layer/device/clock_fit.h"
#include "layer/device/handles.h"
#include "layer/device/vulkan/vulkan_contents.h"
#include "layer/device/vulkan/vulkan_functions.h"
#include "layer/device/work.h"

#define VK_FAMILIES 16u

struct vk_stamp;
struct vk_block;
struct vk_memory;
struct vk_signal;

/* A batch that was submitted. */
struct vk_batch {
	struct vk_batch *next;
	struct vk_stamp *stamp;
	struct tl_device_command *lane;
	struct tl_device_facts facts;
	struct vk_contents contents;
	char name[128];
	uint64_t before; /* nanoseconds: it can't have begun earlier */
	uint32_t place;	 /* among the batches of its call */
	uint64_t number; /* of the queue's batches, from 1 */
	uint32_t correlation, request;
	struct tl_device_call submitted, waited;
	/* of one that has been read; under .looking */
	bool timed;
	uint64_t times[2], seen;
};

struct vk_queue {
	struct tl_handle handle;
	struct vk_queue *next;
	struct vk_device *device;
	uint32_t family;
	struct tl_device_queue *lanes;
	/*
	 * for hooks of calls that submit to it, which one thread makes at a time: the block that
	 * stamps are taken of, and those whose stamps were all taken, in order
	 */
	struct vk_block *open, *used;
	struct vk_batch *first, **last; /* that have not been reported, in order */
	uint32_t count;
	struct vk_signal *signals, *last_signal; /* behind these batches (vulkan_signals.h) */
	uint64_t number;			 /* of the last batch */
	uint64_t waited; /* a call has waited for the batches up to this one */
};

struct vk_device {
	struct tl_handle handle;
	struct vk_device *next;
	const void *hardware;	  /* the physical device's handle */
	struct vk_functions real; /* constant */
	struct tl_device *device;
	struct vk_family families[VK_FAMILIES]; /* constant */
	uint32_t nfamilies;
	uint32_t own_memory; /* constant: a bit for each type of memory that lies on the device */
	/* allocated by the program (vulkan_memory.h); another device may give the same handles */
	struct vk_memory *memory;
	struct tl_handles memory_table;
	pthread_mutex_t looking;
	uint64_t round;		   /* the last one that has looked at it */
	struct tl_clock_fit clock; /* under .looking */
	struct vk_queue *queues;
	struct vk_block *blocks;
	bool leaving; /* under .looking: the program is about to destroy it */
	bool lost;    /* under .looking: it answers no question any more */
};

/* All devices, linked by .next. */
struct vk_device *tl_vk_devices(void);
struct vk_device *tl_vk_device_find(const void *handle);
struct vk_queue *tl_vk_queue_find(const void *handle);

/* The program has created a device. Calls the driver: not under the lock. */
void tl_vk_device_created(const struct tl_call *call, void *handle, void *hardware);

/* It has got a queue of it. Takes the lock. */
void tl_vk_queue_got(const void *device, void *handle, uint32_t family, uint32_t index);

/*
 * For a round through all devices, without the lock: one that this round has not had and at which
 * nobody looks, with .looking. NULL: there are no more. With a deadline it waits for those that are
 * looked at.
 */
uint64_t tl_vk_devices_round(void);
struct vk_device *tl_vk_devices_look(uint64_t round, uint64_t deadline);

/* One of that physical device, hidden, which the program has not destroyed; NULL: there is none. */
struct vk_device *tl_vk_device_left(const void *hardware);

/* The device goes: no round finds it any more. */
void tl_vk_device_hide(struct vk_device *device);

/*
 * The device is hidden and gone, and so are its queues. Their lists are empty. The caller has let
 * go of .looking.
 */
void tl_vk_device_drop(struct vk_device *device);

/* Memory for a batch, zeroed, and back. Both take the lock. NULL: memory is short. */
struct vk_batch *tl_vk_batch_new(void);
void tl_vk_batch_free(struct vk_batch *batch);

/* In a forked child. */
void tl_vk_devices_forget(void);

#endif

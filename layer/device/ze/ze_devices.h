/* SPDX-License-Identifier: MIT */
/*
 * ze_devices.h: Level Zero's devices, their engines, and their clocks. With tl_ze_lock held.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_DEVICES_H
#define TL_LAYER_DEVICE_ZE_ZE_DEVICES_H

#include <level_zero/ze_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/device/clock_fit.h"
#include "layer/device/handles.h"
#include "layer/device/work.h"

/* queue groups of a device, and engines of a group, that have lanes of their own */
#define ZE_GROUPS  16u
#define ZE_ENGINES 16u

struct ze_device {
	struct tl_handle handle;
	struct ze_device *next;
	struct tl_device *device;
	const char *name;
	struct tl_clock_fit clock;
	bool part;    /* a sub-device */
	bool sampled; /* tl_ze_device_next gave it out */
	bool pairs;   /* its clock and the host's can be read together */
	unsigned bits, kernel_bits;
	uint32_t groups;
	ze_command_queue_group_property_flags_t flags[ZE_GROUPS];
	struct tl_device_queue *engines[ZE_GROUPS][ZE_ENGINES];
};

/* NULL: the driver can't be asked about the device. */
struct ze_device *tl_ze_device(ze_device_handle_t handle);

/*
 * For the sampler of counters: the next device, without sub-devices, that it has not had yet; its
 * name stays. False: there is none. Without the lock.
 */
bool tl_ze_device_next(ze_device_handle_t *device, const char **name);

/* The lanes of an engine. */
struct tl_device_queue *tl_ze_engine(struct ze_device *device, uint32_t group, uint32_t index);

/* Whether the engines of this group only copy. */
bool tl_ze_only_copies(const struct ze_device *device, uint32_t group);

/* Read the device's clock and the host's together, if it is time to. */
void tl_ze_pair(struct ze_device *device);

/* The same for all devices, for the last time. */
void tl_ze_pair_all(void);

/* The host as a device: it has the memory that is on no device. NULL: memory is short. */
struct tl_device *tl_ze_host(void);

void tl_ze_devices_forget(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * ze_devices.c: see ze_devices.h.
 */
#include "layer/device/ze/ze_devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/environment.h"
#include "layer/calls/hook.h"
#include "layer/device/background.h"
#include "layer/device/device_lanes.h"
#include "layer/device/ze/ze_driver_functions.h"

static struct tl_handles devices;
static struct ze_device *all; /* linked by .next */
static struct tl_device *host;

/*
 * timerResolution is in cycles a second if the newer structure type asked for that and the driver
 * knows the type; otherwise it is in nanoseconds per cycle. No device counts slower than once in 10
 * us, nor has a timer of less than 100 kHz.
 */
static uint64_t timer_rate(uint64_t resolution)
{
	if (resolution == 0)
		return 1000000000;
	return resolution < 10000 ? 1000000000 / resolution : resolution;
}

static unsigned timer_bits(uint32_t valid)
{
	return valid == 0 || valid > 64 ? 64 : valid;
}

/*
 * Sub-devices have engines of their own. If devices have the same name, the second is called "…
 * #2".
 */
static char *device_name(const ze_device_properties_t *properties)
{
	char name[ZE_MAX_DEVICE_NAME + 32], number[16] = "";
	unsigned same = 1;
	int length = snprintf(name, sizeof(name), "%.*s", ZE_MAX_DEVICE_NAME, properties->name);

	if (properties->flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE)
		length += snprintf(name + length, sizeof(name) - (size_t)length, " sub-device %u",
				   properties->subdeviceId);
	for (const struct ze_device *device = all; device; device = device->next)
		same += strncmp(device->name, name, (size_t)length) == 0 &&
			(device->name[length] == 0 || strncmp(device->name + length, " #", 2) == 0);
	if (same > 1)
		snprintf(number, sizeof(number), " #%u", same);
	char *whole = malloc((size_t)length + sizeof(number));
	return whole ? strcat(strcpy(whole, name), number) : NULL;
}

static void device_ask_groups(struct ze_device *device)
{
	ze_command_queue_group_properties_t groups[ZE_GROUPS];
	ze_device_handle_t handle = (ze_device_handle_t)(uintptr_t)device->handle.key;
	uint32_t count = ZE_GROUPS;

	for (uint32_t i = 0; i < ZE_GROUPS; i++)
		groups[i] = (ze_command_queue_group_properties_t){
			.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES};
	if (tl_ze_real.zeDeviceGetCommandQueueGroupProperties(handle, &count, groups) !=
	    ZE_RESULT_SUCCESS)
		return;
	device->groups = count < ZE_GROUPS ? count : ZE_GROUPS;
	for (uint32_t i = 0; i < device->groups; i++)
		device->flags[i] = groups[i].flags;
}

#define TRIES 4	    /* readings of both clocks, if something interrupts them */
#define CLOSE 5000u /* nanoseconds: a reading this short was not interrupted, whatever is usual */

/* Takes a pair: the closest of some readings; the first one, if it is as close as usual. */
static void device_pair(struct ze_device *device)
{
	ze_device_handle_t handle = (ze_device_handle_t)(uintptr_t)device->handle.key;
	uint64_t enough = 2 * device->clock.usual > CLOSE ? 2 * device->clock.usual : CLOSE;
	uint64_t best = UINT64_MAX, ticks = 0, start = 0;

	for (int i = 0; i < TRIES && best > enough; i++) {
		uint64_t its_host, now_ticks, before = tl_device_now();
		if (tl_ze_real.zeDeviceGetGlobalTimestamps(handle, &its_host, &now_ticks) !=
		    ZE_RESULT_SUCCESS)
			break;
		uint64_t width = tl_device_now() - before;
		if (width >= best)
			continue;
		best = width;
		start = before;
		ticks = now_ticks;
	}
	if (best != UINT64_MAX)
		tl_clock_fit_pair(&device->clock, ticks, start, start + best);
}

static void device_identify(struct ze_device *device, const ze_device_properties_t *properties)
{
	__typeof__(&zeDevicePciGetPropertiesExt) ask = tl_hook_real("zeDevicePciGetPropertiesExt");
	ze_pci_ext_properties_t pci = {.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES};
	ze_device_handle_t handle = (ze_device_handle_t)(uintptr_t)device->handle.key;
	bool has_pci = ask && ask(handle, &pci) == ZE_RESULT_SUCCESS;
	struct tl_pci_address address = {pci.address.domain, pci.address.bus, pci.address.device,
					 pci.address.function};

	tl_device_identify(device->device, "level-zero", properties->uuid.id,
			   has_pci ? &address : NULL);
}

static struct ze_device *device_new(ze_device_handle_t handle)
{
	ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2};

	if (tl_ze_real.zeDeviceGetProperties(handle, &properties) != ZE_RESULT_SUCCESS)
		return NULL;
	struct ze_device *device = calloc(1, sizeof(*device));
	if (!device)
		return NULL;
	device->handle.key = handle;
	device->name = device_name(&properties);
	device->part = properties.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE;
	device->bits = timer_bits(properties.timestampValidBits);
	device->kernel_bits = timer_bits(properties.kernelTimestampValidBits);
	device->device = device->name ? tl_device_new(device->name) : NULL;
	if (!device->device) {
		free(device);
		return NULL;
	}
	device_identify(device, &properties);
	device_ask_groups(device);
	device->next = all;
	all = device;
	tl_handles_put(&devices, &device->handle);
	tl_clock_fit_start(&device->clock, timer_rate(properties.timerResolution), device->bits);
	device->pairs = true;
	device_pair(device);
	if (device->clock.paired)
		return device;
	/* Then only the kernels' own stamps say something about the clock. */
	device->pairs = false;
	device->bits = device->kernel_bits;
	tl_clock_fit_start(&device->clock, timer_rate(properties.timerResolution), device->bits);
	return device;
}

struct ze_device *tl_ze_device(ze_device_handle_t handle)
{
	struct tl_handle *known = tl_handles_find(&devices, handle);

	if (tl_config.sample_device)
		tl_device_do_soon();
	if (known)
		return (struct ze_device *)known;
	return handle && tl_ze_usable() ? device_new(handle) : NULL;
}

bool tl_ze_device_next(ze_device_handle_t *handle, const char **name)
{
	struct ze_device *device;

	pthread_mutex_lock(&tl_ze_lock);
	for (device = all; device && (device->part || device->sampled); device = device->next)
		continue;
	if (device) {
		device->sampled = true;
		*handle = (ze_device_handle_t)(uintptr_t)device->handle.key;
		*name = device->name;
	}
	pthread_mutex_unlock(&tl_ze_lock);
	return device != NULL;
}

bool tl_ze_only_copies(const struct ze_device *device, uint32_t group)
{
	return group < device->groups &&
	       !(device->flags[group] & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE);
}

struct tl_device_queue *tl_ze_engine(struct ze_device *device, uint32_t group, uint32_t index)
{
	char name[40];

	if (group >= ZE_GROUPS || index >= ZE_ENGINES)
		return NULL;
	if (!device->engines[group][index]) {
		snprintf(name, sizeof(name), "%s %u.%u",
			 tl_ze_only_copies(device, group) ? "copy" : "compute", group, index);
		device->engines[group][index] = tl_device_queue_new(device->device, name);
	}
	return device->engines[group][index];
}

struct tl_device *tl_ze_host(void)
{
	if (!host)
		host = tl_device_new("host");
	return host;
}

void tl_ze_pair(struct ze_device *device)
{
	if (device->pairs && tl_clock_fit_due(&device->clock, tl_device_now()) && tl_ze_usable())
		device_pair(device);
}

void tl_ze_pair_all(void)
{
	for (struct ze_device *device = all; device; device = device->next)
		if (device->pairs)
			device_pair(device);
}

/* The structs stay: they are few, and pointers to them are not counted. */
void tl_ze_devices_forget(void)
{
	memset(&devices, 0, sizeof(devices));
	all = NULL;
	host = NULL;
}

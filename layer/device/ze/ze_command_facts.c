/* SPDX-License-Identifier: MIT */
/*
 * ze_command_facts.c: see ze_command_facts.h.
 */
#include "layer/device/ze/ze_command_facts.h"

#include "layer/device/ze/ze_devices.h"
#include "layer/device/ze/ze_driver_functions.h"
#include "layer/device/ze/ze_kernels.h"

static void command_set_kernel(struct ze_command *command, ze_kernel_handle_t handle,
			       const ze_group_count_t *groups)
{
	const struct ze_kernel *kernel = tl_ze_kernel_find(handle);
	const uint32_t *counts = groups ? &groups->groupCountX : NULL;

	command->facts.kind = TL_DEVICE_KERNEL;
	tl_ze_command_set_kernel(command, kernel ? kernel->name : NULL);
	command->facts.kernel = kernel ? kernel->facts : 0;
	if (!kernel || !kernel->group[0])
		return;
	command->facts.dimensions = 3;
	for (unsigned i = 0; i < 3; i++) {
		command->facts.local[i] = kernel->group[i];
		command->facts.global[i] = counts ? (uint64_t)counts[i] * kernel->group[i] : 0;
	}
	/* NULL: the device reads the counts from memory, and they are not known here. */
	if (!counts)
		command->facts.dimensions = 0;
}

void tl_ze_describe_kernel(struct tl_call *call, const struct ze_list *list,
			   struct ze_command *command)
{
	command_set_kernel(command, ZE_PARAM(call, 1, ze_kernel_handle_t),
			   ZE_PARAM(call, 2, const ze_group_count_t *));
	(void)list;
}

/* The same three numbers as a group's counts: ze_group_size_t, which 1.4's header lacks. */
void tl_ze_describe_arguments(struct tl_call *call, const struct ze_list *list,
			      struct ze_command *command)
{
	const ze_group_count_t counts = ZE_PARAM(call, 2, ze_group_count_t),
			       sizes = ZE_PARAM(call, 3, ze_group_count_t);

	command_set_kernel(command, ZE_PARAM(call, 1, ze_kernel_handle_t), &counts);
	command->facts.dimensions = 3;
	for (unsigned i = 0; i < 3; i++) {
		command->facts.local[i] = (&sizes.groupCountX)[i];
		command->facts.global[i] =
			(uint64_t)(&counts.groupCountX)[i] * command->facts.local[i];
	}
	(void)list;
}

void tl_ze_describe_indirect(struct tl_call *call, const struct ze_list *list,
			     struct ze_command *command)
{
	command_set_kernel(command, ZE_PARAM(call, 1, ze_kernel_handle_t), NULL);
	(void)list;
}

/* One command with one event, however many kernels it launches: it has the first kernel's name. */
void tl_ze_describe_several(struct tl_call *call, const struct ze_list *list,
			    struct ze_command *command)
{
	const ze_kernel_handle_t *kernels = ZE_PARAM(call, 2, ze_kernel_handle_t *);
	uint32_t count = ZE_PARAM(call, 1, uint32_t);

	command_set_kernel(command, kernels && count ? kernels[0] : NULL, NULL);
	command->kernels = count;
	(void)list;
}

/* Where memory lies: on the host, or on a device. Shared memory belongs to its device. */
struct side {
	bool host;
	const struct ze_device *device;
};

static struct side memory_side(ze_context_handle_t context, const void *memory)
{
	ze_memory_allocation_properties_t properties = {
		.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
	ze_device_handle_t device = NULL;

	if (!memory || tl_ze_real.zeMemGetAllocProperties(context, memory, &properties, &device) !=
			       ZE_RESULT_SUCCESS)
		return (struct side){.host = true};
	if (properties.type == ZE_MEMORY_TYPE_DEVICE || properties.type == ZE_MEMORY_TYPE_SHARED)
		return (struct side){.device = tl_ze_device(device)};
	return (struct side){.host = true};
}

static const char *side_peer(const struct side *side, const struct ze_list *list)
{
	if (side->host)
		return "host";
	return side->device && side->device != list->device ? side->device->name : NULL;
}

struct ways {
	const char *read, *write, *copy;
};
static const struct ways buffers = {"read buffer", "write buffer", "copy buffer"};
static const struct ways images = {"read image", "write image", "copy image"};

static void command_set_copy(struct ze_command *command, const struct ze_list *list, struct side to,
			     struct side from, const struct ways *ways)
{
	const char *peer = side_peer(&from, list);

	if (to.host && !from.host) {
		command->facts.kind = TL_DEVICE_READ;
		command->facts.name = ways->read;
		command->facts.peer = "host";
	} else if (from.host && !to.host) {
		command->facts.kind = TL_DEVICE_WRITE;
		command->facts.name = ways->write;
		command->facts.peer = "host";
	} else {
		command->facts.kind = TL_DEVICE_COPY;
		command->facts.name = ways->copy;
		command->facts.peer = peer ? peer : side_peer(&to, list);
	}
}

static ze_context_handle_t list_context(const struct ze_list *list)
{
	return (ze_context_handle_t)(uintptr_t)list->context->handle.key;
}

static struct side list_side(const struct ze_list *list)
{
	return (struct side){.device = list->device};
}

void tl_ze_describe_copy(struct tl_call *call, const struct ze_list *list,
			 struct ze_command *command)
{
	ze_context_handle_t context = list_context(list);

	command_set_copy(command, list, memory_side(context, ZE_PARAM(call, 1, void *)),
			 memory_side(context, ZE_PARAM(call, 2, void *)), &buffers);
	command->facts.bytes = ZE_PARAM(call, 3, size_t);
}

void tl_ze_describe_copy_from(struct tl_call *call, const struct ze_list *list,
			      struct ze_command *command)
{
	command_set_copy(
		command, list, memory_side(list_context(list), ZE_PARAM(call, 1, void *)),
		memory_side(ZE_PARAM(call, 2, ze_context_handle_t), ZE_PARAM(call, 3, void *)),
		&buffers);
	command->facts.bytes = ZE_PARAM(call, 4, size_t);
}

static uint64_t at_least_one(uint32_t n)
{
	return n ? n : 1;
}

void tl_ze_describe_copy_region(struct tl_call *call, const struct ze_list *list,
				struct ze_command *command)
{
	const ze_copy_region_t *region = ZE_PARAM(call, 6, const ze_copy_region_t *);
	ze_context_handle_t context = list_context(list);

	command_set_copy(command, list, memory_side(context, ZE_PARAM(call, 1, void *)),
			 memory_side(context, ZE_PARAM(call, 5, void *)), &buffers);
	if (region)
		command->facts.bytes =
			region->width * at_least_one(region->height) * at_least_one(region->depth);
}

void tl_ze_describe_fill(struct tl_call *call, const struct ze_list *list,
			 struct ze_command *command)
{
	struct side to = memory_side(list_context(list), ZE_PARAM(call, 1, void *));

	command->facts.kind = TL_DEVICE_FILL;
	command->facts.name = "fill buffer";
	command->facts.bytes = ZE_PARAM(call, 4, size_t);
	command->facts.peer = side_peer(&to, list);
}

/* The bytes of an image's region, or of the whole image (NULL). 0: the image isn't known. */
static uint64_t image_bytes(ze_image_handle_t handle, const ze_image_region_t *region)
{
	const struct ze_image *image = tl_ze_image_find(handle);

	if (!image)
		return 0;
	if (!region)
		return image->pixels * image->pixel;
	return image->pixel * region->width * at_least_one(region->height) *
	       at_least_one(region->depth);
}

void tl_ze_describe_image_copy(struct tl_call *call, const struct ze_list *list,
			       struct ze_command *command)
{
	command_set_copy(command, list, list_side(list), list_side(list), &images);
	command->facts.bytes = image_bytes(ZE_PARAM(call, 2, ze_image_handle_t), NULL);
}

void tl_ze_describe_image_region(struct tl_call *call, const struct ze_list *list,
				 struct ze_command *command)
{
	command_set_copy(command, list, list_side(list), list_side(list), &images);
	command->facts.bytes = image_bytes(ZE_PARAM(call, 2, ze_image_handle_t),
					   ZE_PARAM(call, 4, const ze_image_region_t *));
}

void tl_ze_describe_image_read(struct tl_call *call, const struct ze_list *list,
			       struct ze_command *command)
{
	command_set_copy(command, list, memory_side(list_context(list), ZE_PARAM(call, 1, void *)),
			 list_side(list), &images);
	command->facts.bytes = image_bytes(ZE_PARAM(call, 2, ze_image_handle_t),
					   ZE_PARAM(call, 3, const ze_image_region_t *));
}

void tl_ze_describe_image_write(struct tl_call *call, const struct ze_list *list,
				struct ze_command *command)
{
	command_set_copy(command, list, list_side(list),
			 memory_side(list_context(list), ZE_PARAM(call, 2, void *)), &images);
	command->facts.bytes = image_bytes(ZE_PARAM(call, 1, ze_image_handle_t),
					   ZE_PARAM(call, 3, const ze_image_region_t *));
}

void tl_ze_describe_prefetch(struct tl_call *call, const struct ze_list *list,
			     struct ze_command *command)
{
	command->facts.kind = TL_DEVICE_MIGRATE;
	command->facts.name = "prefetch";
	command->facts.bytes = ZE_PARAM(call, 2, size_t);
	(void)list;
}

#define DESCRIBE(which, kind_, what_)                                                              \
	void tl_ze_describe_##which(struct tl_call *call, const struct ze_list *list,              \
				    struct ze_command *command)                                    \
	{                                                                                          \
		command->facts.kind = kind_;                                                       \
		command->facts.name = what_;                                                       \
		(void)call;                                                                        \
		(void)list;                                                                        \
	}
DESCRIBE(barrier, TL_DEVICE_SYNC, "barrier")
DESCRIBE(signal, TL_DEVICE_SYNC, "signal event")
DESCRIBE(wait, TL_DEVICE_SYNC, "wait for events")
DESCRIBE(reset, TL_DEVICE_SYNC, "reset event")
DESCRIBE(host, TL_DEVICE_OTHER, "host function")
DESCRIBE(graph, TL_DEVICE_OTHER, "graph")
DESCRIBE(signal_semaphore, TL_DEVICE_SYNC, "signal semaphore")
DESCRIBE(wait_semaphore, TL_DEVICE_SYNC, "wait for semaphore")
DESCRIBE(timestamp, TL_DEVICE_OTHER, "write timestamp")
DESCRIBE(query, TL_DEVICE_OTHER, "query timestamps")

/* SPDX-License-Identifier: MIT */
/*
 * Images: rows of pixels in ordinary memory, which the program does not see. Copies of them are
 * region copies in bytes; memory commands use these, too.
 */
#include "ze_device.h"

#include <stdlib.h>

struct _ze_image_handle_t {
	uint32_t width, height, depth; /* pixels, rows, slices or levels */
	uint32_t pixel;		       /* bytes */
	char *pixels;
};

/* 0: a layout that this device does not have. */
static uint32_t pixel_size(ze_image_format_layout_t layout)
{
	static const uint8_t sizes[] = {
		[ZE_IMAGE_FORMAT_LAYOUT_8] = 1,		  [ZE_IMAGE_FORMAT_LAYOUT_16] = 2,
		[ZE_IMAGE_FORMAT_LAYOUT_32] = 4,	  [ZE_IMAGE_FORMAT_LAYOUT_8_8] = 2,
		[ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8] = 4,	  [ZE_IMAGE_FORMAT_LAYOUT_16_16] = 4,
		[ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16] = 8, [ZE_IMAGE_FORMAT_LAYOUT_32_32] = 8,
		[ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32] = 16};

	return (size_t)layout < sizeof(sizes) ? sizes[layout] : 0;
}

static uint32_t at_least_one(uint32_t n)
{
	return n ? n : 1;
}

ze_result_t zeImageCreate(ze_context_handle_t context, ze_device_handle_t device,
			  const ze_image_desc_t *desc, ze_image_handle_t *image)
{
	ENTER(zeImageCreate);
	NEED_HANDLE(context && device);
	NEED_POINTER(desc && image);
	uint32_t pixel = pixel_size(desc->format.layout);
	if (!pixel)
		return ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT;
	struct _ze_image_handle_t made = {
		.width = at_least_one((uint32_t)desc->width),
		.height = at_least_one(desc->height),
		.depth = at_least_one(desc->depth) * at_least_one(desc->arraylevels),
		.pixel = pixel,
	};
	uint64_t size = (uint64_t)made.width * made.height * made.depth * pixel;
	if (size > DEVICE_MEMORY_SIZE)
		return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
	made.pixels = calloc(1, size);
	*image = malloc(sizeof(**image));
	if (!*image || !made.pixels) {
		free(made.pixels);
		free(*image);
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	}
	**image = made;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeImageDestroy(ze_image_handle_t image)
{
	ENTER(zeImageDestroy);
	NEED_HANDLE(image);
	free(image->pixels);
	free(image);
	return ZE_RESULT_SUCCESS;
}

/* One side of a copy: where it lies, and how. */
struct side {
	char *base;
	uint32_t pitch, slice;
	ze_copy_region_t region; /* origin x and width in bytes */
};

static ze_image_region_t whole(ze_image_handle_t image)
{
	return (ze_image_region_t){0, 0, 0, image->width, image->height, image->depth};
}

static struct side image_side(ze_image_handle_t image, const ze_image_region_t *region)
{
	ze_image_region_t r = region ? *region : whole(image);
	uint32_t pitch = image->width * image->pixel;

	return (struct side){image->pixels,
			     pitch,
			     pitch * image->height,
			     {r.originX * image->pixel, r.originY, r.originZ,
			      r.width * image->pixel, r.height, r.depth}};
}

/* Memory holds just the region: in rows of that width, where no pitch is given. */
static struct side memory_side(const void *memory, const ze_copy_region_t *other, uint32_t pitch,
			       uint32_t slice)
{
	uint32_t row = pitch ? pitch : other->width;

	return (struct side){(char *)(uintptr_t)memory,
			     row,
			     slice ? slice : row * other->height,
			     {0, 0, 0, other->width, other->height, other->depth}};
}

static ze_result_t append(ze_command_list_handle_t list, const struct side *to,
			  const struct side *from, ze_event_handle_t signal, uint32_t wait_count,
			  ze_event_handle_t *waits)
{
	struct command *command;
	ze_result_t result =
		command_begin(list, COMMAND_IMAGE, signal, wait_count, waits, &command);

	if (result != ZE_RESULT_SUCCESS)
		return result;
	command->to = to->base;
	command->to_region = to->region;
	command->to_pitch = to->pitch;
	command->to_slice = to->slice;
	command->from = from->base;
	command->from_region = from->region;
	command->from_pitch = from->pitch;
	command->from_slice = from->slice;
	return command_finish(list, command);
}

static ze_result_t append_images(ze_command_list_handle_t list, ze_image_handle_t to_image,
				 ze_image_handle_t from_image, const ze_image_region_t *to_region,
				 const ze_image_region_t *from_region, ze_event_handle_t signal,
				 uint32_t wait_count, ze_event_handle_t *waits)
{
	NEED_HANDLE(list && to_image && from_image);
	struct side to = image_side(to_image, to_region);
	struct side from = image_side(from_image, from_region);
	return append(list, &to, &from, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendImageCopy(ze_command_list_handle_t list, ze_image_handle_t to_image,
					 ze_image_handle_t from_image, ze_event_handle_t signal,
					 uint32_t wait_count, ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendImageCopy);
	return append_images(list, to_image, from_image, NULL, NULL, signal, wait_count, waits);
}

ze_result_t
zeCommandListAppendImageCopyRegion(ze_command_list_handle_t list, ze_image_handle_t to_image,
				   ze_image_handle_t from_image, const ze_image_region_t *to_region,
				   const ze_image_region_t *from_region, ze_event_handle_t signal,
				   uint32_t wait_count, ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendImageCopyRegion);
	return append_images(list, to_image, from_image, to_region, from_region, signal, wait_count,
			     waits);
}

static ze_result_t append_to_memory(ze_command_list_handle_t list, void *memory,
				    ze_image_handle_t image, const ze_image_region_t *region,
				    uint32_t pitch, uint32_t slice, ze_event_handle_t signal,
				    uint32_t wait_count, ze_event_handle_t *waits)
{
	NEED_HANDLE(list && image);
	NEED_POINTER(memory);
	struct side from = image_side(image, region);
	struct side to = memory_side(memory, &from.region, pitch, slice);
	return append(list, &to, &from, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendImageCopyToMemory(ze_command_list_handle_t list, void *memory,
						 ze_image_handle_t image,
						 const ze_image_region_t *region,
						 ze_event_handle_t signal, uint32_t wait_count,
						 ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendImageCopyToMemory);
	return append_to_memory(list, memory, image, region, 0, 0, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendImageCopyToMemoryExt(ze_command_list_handle_t list, void *memory,
						    ze_image_handle_t image,
						    const ze_image_region_t *region, uint32_t pitch,
						    uint32_t slice, ze_event_handle_t signal,
						    uint32_t wait_count, ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendImageCopyToMemoryExt);
	return append_to_memory(list, memory, image, region, pitch, slice, signal, wait_count,
				waits);
}

static ze_result_t append_from_memory(ze_command_list_handle_t list, ze_image_handle_t image,
				      const void *memory, const ze_image_region_t *region,
				      uint32_t pitch, uint32_t slice, ze_event_handle_t signal,
				      uint32_t wait_count, ze_event_handle_t *waits)
{
	NEED_HANDLE(list && image);
	NEED_POINTER(memory);
	struct side to = image_side(image, region);
	struct side from = memory_side(memory, &to.region, pitch, slice);
	return append(list, &to, &from, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendImageCopyFromMemory(ze_command_list_handle_t list,
						   ze_image_handle_t image, const void *memory,
						   const ze_image_region_t *region,
						   ze_event_handle_t signal, uint32_t wait_count,
						   ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendImageCopyFromMemory);
	return append_from_memory(list, image, memory, region, 0, 0, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendImageCopyFromMemoryExt(ze_command_list_handle_t list,
						      ze_image_handle_t image, const void *memory,
						      const ze_image_region_t *region,
						      uint32_t pitch, uint32_t slice,
						      ze_event_handle_t signal, uint32_t wait_count,
						      ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendImageCopyFromMemoryExt);
	return append_from_memory(list, image, memory, region, pitch, slice, signal, wait_count,
				  waits);
}

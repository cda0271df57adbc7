/* SPDX-License-Identifier: MIT */
/*
 * vulkan_contents.c: see vulkan_contents.h.
 *
 * A command buffer is known from its first vkBeginCommandBuffer on, by its handle. Its entry stays:
 * the driver gives handles of command buffers that were freed to new ones. Then the entry is that of
 * the new one, which has no name and no contents yet.
 */
#include "layer/device/vulkan/vulkan_contents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/device/handles.h"
#include "layer/device/vulkan/vulkan_functions.h"

struct vk_recording {
	struct tl_handle handle;
	struct vk_contents contents;
	char name[sizeof(((struct vk_contents *)NULL)->label)]; /* that of the object */
};

struct vk_buffer_copy { /* VkBufferCopy */
	uint64_t from, to, size;
};

struct vk_copy_buffer { /* VkCopyBufferInfo2 */
	struct vk_any any;
	const void *from, *to;
	uint32_t count;
	const struct {
		struct vk_any any;
		struct vk_buffer_copy copy;
	} * regions;
};
_Static_assert(sizeof(struct vk_copy_buffer) == 48, "as vulkan_core.h has it");

#define VK_WHOLE_SIZE UINT64_MAX

static struct tl_handles recordings;

static struct vk_recording *recording_find(const void *buffer)
{
	return (struct vk_recording *)tl_handles_find(&recordings, buffer);
}

/* NULL: memory is short. */
static struct vk_recording *recording_of(const void *buffer)
{
	struct vk_recording *recording = recording_find(buffer);

	if (recording)
		return recording;
	pthread_mutex_lock(&tl_vk_lock);
	if (!(recording = recording_find(buffer)) && (recording = calloc(1, sizeof(*recording)))) {
		recording->handle.key = buffer;
		tl_handles_put(&recordings, &recording->handle);
	}
	pthread_mutex_unlock(&tl_vk_lock);
	return recording;
}

/* As much as there is room for, and no part of a character. */
static void text_copy(char *to, size_t size, const char *text)
{
	size_t length = strnlen(text, size);

	if (length == size)
		for (length--; length && ((unsigned char)text[length] & 0xc0) == 0x80;)
			length--;
	memcpy(to, text, length);
	to[length] = '\0';
}

/* --- what a batch contains */

/* "": it has none. */
static const char *recording_label(const struct vk_recording *recording)
{
	return *recording->contents.label ? recording->contents.label : recording->name;
}

static void contents_count(struct vk_contents *sum, const struct vk_contents *contents)
{
	for (unsigned i = 0; i < VK_KINDS; i++)
		sum->count[i] += contents->count[i];
	sum->bytes += contents->bytes;
	sum->unsized |= contents->unsized;
}

static void contents_label(struct vk_contents *sum, const struct vk_recording *recording)
{
	if (!*sum->label)
		memcpy(sum->label, recording_label(recording), sizeof(sum->label));
}

void tl_vk_contents_add(struct vk_contents *sum, const void *buffer)
{
	const struct vk_recording *recording = recording_find(buffer);

	sum->buffers++;
	if (!recording)
		return;
	contents_count(sum, &recording->contents);
	contents_label(sum, recording);
}

uint64_t tl_vk_contents_bytes(const struct vk_contents *contents)
{
	for (unsigned i = 0; i < VK_KINDS; i++)
		if (contents->count[i] && i != VK_COPY && i != VK_FILL)
			return 0;
	return contents->unsized ? 0 : contents->bytes;
}

void tl_vk_contents_name(const struct vk_contents *contents, char *name, size_t size)
{
	static const char *const words[VK_KINDS] = {
#define WORD(kind, one, several) one,
		VK_COMMAND_KINDS(WORD)
#undef WORD
	};
	size_t used = 0;

	for (unsigned i = 0; i < VK_KINDS; i++)
		if (contents->count[i] && used < size)
			used += (size_t)snprintf(name + used, size - used, "%s%s",
						 used ? " + " : "", words[i]);
	if (*contents->label)
		snprintf(name, size, "%s", contents->label);
	else if (!used)
		snprintf(name, size, "%u command buffer%s", contents->buffers,
			 contents->buffers == 1 ? "" : "s");
}

uint32_t tl_vk_contents_args(const struct vk_contents *contents, struct tl_event_arg *args)
{
	static const char *const words[VK_KINDS] = {
#define WORD(kind, one, several) several,
		VK_COMMAND_KINDS(WORD)
#undef WORD
	};
	uint32_t count = 0;

	args[count++] = tl_event_number("command_buffers", TL_VALUE_UNSIGNED_64, contents->buffers);
	for (unsigned i = 0; i < VK_KINDS; i++)
		if (contents->count[i])
			args[count++] =
				tl_event_number(words[i], TL_VALUE_UNSIGNED_64, contents->count[i]);
	return count;
}

/* --- recording */

/*
 * vkAllocateCommandBuffers(device, info, buffers). A handle may be that of one that was freed, whose
 * name was its own.
 */
static void allocate_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	(void)state;
	if (tl_vk_call_failed(result, unwound) || !tl_vk_is_known(call))
		return;
	const struct vk_command_buffers_info *info =
		VK_PARAM(call, 1, const struct vk_command_buffers_info *);
	for (uint32_t i = 0; i < info->count; i++) {
		struct vk_recording *recording =
			recording_find(VK_PARAM(call, 2, void *const *)[i]);
		if (recording) {
			recording->contents = (struct vk_contents){.buffers = 0};
			*recording->name = '\0';
		}
	}
}

/* vkBeginCommandBuffer(buffer, info) */
static void begin_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct vk_recording *recording =
		!tl_vk_call_failed(result, unwound) && tl_vk_is_known(call) && tl_vk_usable()
			? recording_of(VK_PARAM(call, 0, const void *))
			: NULL;

	(void)state;
	if (recording)
		recording->contents = (struct vk_contents){.buffers = 0};
}

/* In the hook of a vkCmd function: what its command buffer contains. NULL: not known. */
static struct vk_recording *call_recording(const struct tl_call *call)
{
	return tl_vk_is_known(call) ? recording_find(VK_PARAM(call, 0, const void *)) : NULL;
}

/* A hook for all functions that put a command of that kind into a command buffer. */
#define COUNTS(kind, function)                                                                     \
	static void function(struct tl_call *call, void *state)                                    \
	{                                                                                          \
		struct vk_recording *recording = call_recording(call);                             \
                                                                                                   \
		(void)state;                                                                       \
		if (!recording)                                                                    \
			return;                                                                    \
		recording->contents.count[kind]++;                                                 \
		recording->contents.unsized |= kind == VK_COPY || kind == VK_FILL;                 \
	}
COUNTS(VK_DRAW, draw_before)
COUNTS(VK_DISPATCH, dispatch_before)
COUNTS(VK_RAYS, rays_before)
COUNTS(VK_COPY, copy_before)
COUNTS(VK_FILL, fill_before)
COUNTS(VK_BUILD, build_before)
COUNTS(VK_VIDEO, video_before)

/* A command whose size is known. */
static void count_sized(const struct tl_call *call, enum vk_command_kind kind, uint64_t bytes)
{
	struct vk_recording *recording = call_recording(call);

	if (!recording)
		return;
	recording->contents.count[kind]++;
	recording->contents.bytes += bytes;
}

/* vkCmdCopyBuffer(buffer, from, to, count, regions) */
static void copy_buffer_before(struct tl_call *call, void *state)
{
	uint64_t bytes = 0;

	(void)state;
	for (uint32_t i = 0; tl_vk_is_known(call) && i < VK_PARAM(call, 3, uint32_t); i++)
		bytes += VK_PARAM(call, 4, const struct vk_buffer_copy *)[i].size;
	count_sized(call, VK_COPY, bytes);
}

/* vkCmdCopyBuffer2(buffer, info) */
static void copy_buffer2_before(struct tl_call *call, void *state)
{
	const struct vk_copy_buffer *info =
		tl_vk_is_known(call) ? VK_PARAM(call, 1, const struct vk_copy_buffer *) : NULL;
	uint64_t bytes = 0;

	(void)state;
	for (uint32_t i = 0; info && i < info->count; i++)
		bytes += info->regions[i].copy.size;
	count_sized(call, VK_COPY, bytes);
}

/* vkCmdUpdateBuffer(buffer, to, offset, size, data) */
static void update_before(struct tl_call *call, void *state)
{
	(void)state;
	if (tl_vk_is_known(call))
		count_sized(call, VK_COPY, VK_PARAM(call, 3, uint64_t));
}

/* vkCmdFillBuffer(buffer, to, offset, size, word) */
static void fill_buffer_before(struct tl_call *call, void *state)
{
	if (tl_vk_is_known(call) && VK_PARAM(call, 3, uint64_t) != VK_WHOLE_SIZE)
		count_sized(call, VK_FILL, VK_PARAM(call, 3, uint64_t));
	else
		fill_before(call, state);
}

/* What the secondary one is called counts if the program has not named the one that executes it. */
static void recording_execute(struct vk_recording *recording, const struct vk_recording *secondary)
{
	contents_count(&recording->contents, &secondary->contents);
	if (!*recording->name)
		contents_label(&recording->contents, secondary);
}

/* vkCmdExecuteCommands(buffer, count, secondaries) */
static void execute_before(struct tl_call *call, void *state)
{
	struct vk_recording *recording = call_recording(call);

	(void)state;
	for (uint32_t i = 0; recording && i < VK_PARAM(call, 1, uint32_t); i++) {
		const struct vk_recording *secondary =
			recording_find(VK_PARAM(call, 2, const void *const *)[i]);
		if (secondary)
			recording_execute(recording, secondary);
	}
}

/* --- names */

/* VkDebugUtilsLabelEXT, VkDebugMarkerMarkerInfoEXT */
struct vk_label {
	struct vk_any any;
	const char *name;
};

/* VkDebugUtilsObjectNameInfoEXT, VkDebugMarkerObjectNameInfoEXT */
struct vk_object_name {
	struct vk_any any;
	uint32_t kind;
	uint64_t handle;
	const char *name; /* NULL: it has none any more */
};

_Static_assert(offsetof(struct vk_label, name) == 16 &&
		       offsetof(struct vk_object_name, handle) == 24 &&
		       offsetof(struct vk_object_name, name) == 32,
	       "as vulkan_core.h has them");

#define COMMAND_BUFFER 6u /* such a kind, in both */

/* The first label counts. */
static void label_before(struct tl_call *call, void *state)
{
	struct vk_recording *recording = call_recording(call);
	const struct vk_label *label =
		recording ? VK_PARAM(call, 1, const struct vk_label *) : NULL;

	(void)state;
	if (label && label->name && !*recording->contents.label)
		text_copy(recording->contents.label, sizeof(recording->contents.label),
			  label->name);
}

/* vkSetDebugUtilsObjectNameEXT(device, info) */
static void name_before(struct tl_call *call, void *state)
{
	const struct vk_object_name *info =
		tl_vk_is_known(call) && tl_vk_usable()
			? VK_PARAM(call, 1, const struct vk_object_name *)
			: NULL;

	(void)state;
	if (!info || info->kind != COMMAND_BUFFER)
		return;
	struct vk_recording *recording = recording_of((const void *)(uintptr_t)info->handle);
	if (recording)
		text_copy(recording->name, sizeof(recording->name), info->name ? info->name : "");
}

/* On the short path: a program may record thousands of commands for each frame. */
/* clang-format off */
#define BEFORE(name, hook) {name, hook, NULL, TL_HOOK_STRAIGHT}
/* clang-format on */

const struct tl_hook tl_vk_contents_hooks[] = {
	{"vkAllocateCommandBuffers", NULL, allocate_after, TL_HOOK_PLAIN},
	{"vkBeginCommandBuffer", NULL, begin_after, TL_HOOK_PLAIN},
	BEFORE("vkCmdExecuteCommands", execute_before),
	BEFORE("vkCmdBeginDebugUtilsLabelEXT", label_before),
	BEFORE("vkCmdDebugMarkerBeginEXT", label_before),
	{"vkSetDebugUtilsObjectNameEXT", name_before, NULL, TL_HOOK_PLAIN},
	{"vkDebugMarkerSetObjectNameEXT", name_before, NULL, TL_HOOK_PLAIN},

	BEFORE("vkCmdDraw", draw_before),
	BEFORE("vkCmdDrawIndexed", draw_before),
	BEFORE("vkCmdDrawIndirect", draw_before),
	BEFORE("vkCmdDrawIndexedIndirect", draw_before),
	BEFORE("vkCmdDrawIndirectCount", draw_before),
	BEFORE("vkCmdDrawIndirectCountKHR", draw_before),
	BEFORE("vkCmdDrawIndirectCountAMD", draw_before),
	BEFORE("vkCmdDrawIndexedIndirectCount", draw_before),
	BEFORE("vkCmdDrawIndexedIndirectCountKHR", draw_before),
	BEFORE("vkCmdDrawIndexedIndirectCountAMD", draw_before),
	BEFORE("vkCmdDrawIndirectByteCountEXT", draw_before),
	BEFORE("vkCmdDrawMeshTasksNV", draw_before),
	BEFORE("vkCmdDrawMeshTasksIndirectNV", draw_before),
	BEFORE("vkCmdDrawMeshTasksIndirectCountNV", draw_before),
	BEFORE("vkCmdDrawMeshTasksEXT", draw_before),
	BEFORE("vkCmdDrawMeshTasksIndirectEXT", draw_before),
	BEFORE("vkCmdDrawMeshTasksIndirectCountEXT", draw_before),
	BEFORE("vkCmdDrawIndirect2KHR", draw_before),
	BEFORE("vkCmdDrawIndexedIndirect2KHR", draw_before),
	BEFORE("vkCmdDrawIndirectCount2KHR", draw_before),
	BEFORE("vkCmdDrawIndexedIndirectCount2KHR", draw_before),
	BEFORE("vkCmdDrawIndirectByteCount2EXT", draw_before),
	BEFORE("vkCmdDrawMeshTasksIndirect2EXT", draw_before),
	BEFORE("vkCmdDrawMeshTasksIndirectCount2EXT", draw_before),
	BEFORE("vkCmdDrawMultiEXT", draw_before),
	BEFORE("vkCmdDrawMultiIndexedEXT", draw_before),
	BEFORE("vkCmdDrawClusterHUAWEI", draw_before),
	BEFORE("vkCmdDrawClusterIndirectHUAWEI", draw_before),

	BEFORE("vkCmdDispatch", dispatch_before),
	BEFORE("vkCmdDispatchIndirect", dispatch_before),
	BEFORE("vkCmdDispatchBase", dispatch_before),
	BEFORE("vkCmdDispatchBaseKHR", dispatch_before),
	BEFORE("vkCmdDispatchIndirect2KHR", dispatch_before),
	BEFORE("vkCmdDispatchTileQCOM", dispatch_before),
	BEFORE("vkCmdDispatchGraphAMDX", dispatch_before),
	BEFORE("vkCmdDispatchGraphIndirectAMDX", dispatch_before),
	BEFORE("vkCmdDispatchGraphIndirectCountAMDX", dispatch_before),
	BEFORE("vkCmdDispatchDataGraphARM", dispatch_before),
	BEFORE("vkCmdExecuteGeneratedCommandsNV", dispatch_before),
	BEFORE("vkCmdExecuteGeneratedCommandsEXT", dispatch_before),
	BEFORE("vkCmdCudaLaunchKernelNV", dispatch_before),
	BEFORE("vkCmdCuLaunchKernelNVX", dispatch_before),
	BEFORE("vkCmdOpticalFlowExecuteNV", dispatch_before),
	BEFORE("vkCmdSubpassShadingHUAWEI", dispatch_before),
	BEFORE("vkCmdConvertCooperativeVectorMatrixNV", dispatch_before),

	BEFORE("vkCmdTraceRaysKHR", rays_before),
	BEFORE("vkCmdTraceRaysNV", rays_before),
	BEFORE("vkCmdTraceRaysIndirectKHR", rays_before),
	BEFORE("vkCmdTraceRaysIndirect2KHR", rays_before),

	BEFORE("vkCmdCopyBuffer", copy_buffer_before),
	BEFORE("vkCmdCopyBuffer2", copy_buffer2_before),
	BEFORE("vkCmdCopyBuffer2KHR", copy_buffer2_before),
	BEFORE("vkCmdCopyImage", copy_before),
	BEFORE("vkCmdCopyImage2", copy_before),
	BEFORE("vkCmdCopyImage2KHR", copy_before),
	BEFORE("vkCmdCopyBufferToImage", copy_before),
	BEFORE("vkCmdCopyBufferToImage2", copy_before),
	BEFORE("vkCmdCopyBufferToImage2KHR", copy_before),
	BEFORE("vkCmdCopyImageToBuffer", copy_before),
	BEFORE("vkCmdCopyImageToBuffer2", copy_before),
	BEFORE("vkCmdCopyImageToBuffer2KHR", copy_before),
	BEFORE("vkCmdBlitImage", copy_before),
	BEFORE("vkCmdBlitImage2", copy_before),
	BEFORE("vkCmdBlitImage2KHR", copy_before),
	BEFORE("vkCmdResolveImage", copy_before),
	BEFORE("vkCmdResolveImage2", copy_before),
	BEFORE("vkCmdResolveImage2KHR", copy_before),
	BEFORE("vkCmdUpdateBuffer", update_before),
	BEFORE("vkCmdFillBuffer", fill_buffer_before),
	BEFORE("vkCmdClearColorImage", fill_before),
	BEFORE("vkCmdClearDepthStencilImage", fill_before),
	BEFORE("vkCmdClearAttachments", fill_before),
	BEFORE("vkCmdCopyQueryPoolResults", copy_before),
	BEFORE("vkCmdCopyAccelerationStructureKHR", copy_before),
	BEFORE("vkCmdCopyAccelerationStructureToMemoryKHR", copy_before),
	BEFORE("vkCmdCopyMemoryToAccelerationStructureKHR", copy_before),
	BEFORE("vkCmdCopyAccelerationStructureNV", copy_before),
	BEFORE("vkCmdCopyMicromapEXT", copy_before),
	BEFORE("vkCmdCopyMicromapToMemoryEXT", copy_before),
	BEFORE("vkCmdCopyMemoryToMicromapEXT", copy_before),
	BEFORE("vkCmdCopyMemoryIndirectNV", copy_before),
	BEFORE("vkCmdCopyMemoryToImageIndirectNV", copy_before),
	BEFORE("vkCmdCopyMemoryIndirectKHR", copy_before),
	BEFORE("vkCmdCopyMemoryToImageIndirectKHR", copy_before),
	BEFORE("vkCmdCopyMemoryKHR", copy_before),
	BEFORE("vkCmdCopyMemoryToImageKHR", copy_before),
	BEFORE("vkCmdCopyImageToMemoryKHR", copy_before),
	BEFORE("vkCmdFillMemoryKHR", fill_before),
	BEFORE("vkCmdUpdateMemoryKHR", copy_before),
	BEFORE("vkCmdCopyQueryPoolResultsToMemoryKHR", copy_before),
	BEFORE("vkCmdDecompressMemoryNV", copy_before),
	BEFORE("vkCmdDecompressMemoryIndirectCountNV", copy_before),
	BEFORE("vkCmdDecompressMemoryEXT", copy_before),
	BEFORE("vkCmdDecompressMemoryIndirectCountEXT", copy_before),
	BEFORE("vkCmdCopyTensorARM", copy_before),

	BEFORE("vkCmdBuildAccelerationStructuresKHR", build_before),
	BEFORE("vkCmdBuildAccelerationStructuresIndirectKHR", build_before),
	BEFORE("vkCmdBuildAccelerationStructureNV", build_before),
	BEFORE("vkCmdBuildMicromapsEXT", build_before),
	BEFORE("vkCmdBuildClusterAccelerationStructureIndirectNV", build_before),
	BEFORE("vkCmdBuildPartitionedAccelerationStructuresNV", build_before),

	BEFORE("vkCmdDecodeVideoKHR", video_before),
	BEFORE("vkCmdEncodeVideoKHR", video_before),
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};

void tl_vk_contents_after_fork(void)
{
	memset(&recordings, 0, sizeof(recordings));
}

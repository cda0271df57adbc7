/* SPDX-License-Identifier: MIT */
/*
 * vulkan_functions.h: the functions of Vulkan that the layer calls by itself, the structs that it
 * reads and fills in, and the room's locks.
 *
 * Two kinds of locks, in this order:
 *
 *	.looking	of each device: one thread at a time asks for its timestamps. The thread
 *			may hold it during calls of the driver, some of which wait for the device in
 *			some drivers. So threads of the program only try to take it, but where that
 *			device is destroyed, which has no work left then. (Another device may have,
 *			and may wait for the program.)
 *	tl_vk_lock	protects all tables and lists of this room. No driver is called under it.
 */
#ifndef TL_LAYER_DEVICE_VULKAN_VULKAN_FUNCTIONS_H
#define TL_LAYER_DEVICE_VULKAN_VULKAN_FUNCTIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layer/device/device_lanes.h"
#include "tracelayer/shim.h"

extern pthread_mutex_t tl_vk_lock;

/* The i-th parameter of a call. */
#define VK_PARAM(call, i, type) (*(type *)(call)->params[i])

/* Facts of vulkan_core.h. Handles are pointers, all others than dispatchable ones, too. */
enum {
	VK_SUCCESS = 0,
	VK_NOT_READY = 1,
	VK_DEVICE_LOST = -4,
	VK_COMMAND_POOL_INFO = 39, /* VkStructureType */
	VK_COMMAND_BUFFERS_INFO = 40,
	VK_BEGIN_INFO = 42,
	VK_QUERY_POOL_INFO = 11,
	VK_FENCE_INFO = 8,
	VK_SUBMIT_INFO = 4,
	VK_COMMAND_BUFFER_INFO = 1000314006,
	VK_DEVICE_GROUP_SUBMIT_INFO = 1000060005,
	VK_PROTECTED_SUBMIT_INFO = 1000145000,
	VK_TIMELINE_SUBMIT_INFO = 1000207003,
	VK_DEVICE_GROUP_INFO = 1000070001,
	VK_IMPORT_FD_INFO = 1000074000,
	VK_IMPORT_POINTER_INFO = 1000178000,
	VK_SUBMIT_PROTECTED = 1, /* a flag of VkSubmitInfo2 */
	VK_WAIT_ANY = 1,	 /* a flag of VkSemaphoreWaitInfo */
	VK_SYNC_FD = 8,		 /* VkExternalFenceHandleTypeFlagBits */
	VK_TIMESTAMPS = 2,	 /* VkQueryType */
	VK_RESULTS_64_BIT = 1,
	VK_RESULTS_AVAILABLE = 4,
	VK_HEAP_DEVICE_LOCAL = 1,
	VK_GRAPHICS = 1, /* VkQueueFlagBits */
	VK_COMPUTE = 2,
	VK_STAGE_TOP = 1,
	VK_STAGE_BOTTOM = 0x2000,
	VK_STAGE_ALL = 0x10000,
};

/* What all of Vulkan's structs begin with. */
struct vk_any {
	uint32_t type;
	const struct vk_any *next;
};

struct vk_submit { /* VkSubmitInfo */
	struct vk_any any;
	uint32_t nwaits;
	void *const *waits;
	const uint32_t *stages;
	uint32_t count;
	void *const *buffers;
	uint32_t nsignals;
	void *const *signals;
};

struct vk_timeline { /* VkTimelineSemaphoreSubmitInfo */
	struct vk_any any;
	uint32_t nwaits;
	const uint64_t *waits;
	uint32_t nsignals;
	const uint64_t *signals;
};

struct vk_semaphore_wait { /* VkSemaphoreWaitInfo */
	struct vk_any any;
	uint32_t flags, count;
	void *const *semaphores;
	const uint64_t *values;
};

struct vk_fence_fd { /* VkFenceGetFdInfoKHR */
	struct vk_any any;
	const void *fence;
	uint32_t type;
};

struct vk_buffer { /* VkCommandBufferSubmitInfo */
	struct vk_any any;
	void *buffer;
	uint32_t devices;
};

struct vk_semaphore { /* VkSemaphoreSubmitInfo */
	struct vk_any any;
	const void *semaphore;
	uint64_t value, stages;
	uint32_t device;
};

struct vk_submit2 { /* VkSubmitInfo2 */
	struct vk_any any;
	uint32_t flags, nwaits;
	const void *waits;
	uint32_t count;
	const struct vk_buffer *buffers;
	uint32_t nsignals;
	const struct vk_semaphore *signals;
};

struct vk_group { /* VkDeviceGroupDeviceCreateInfo */
	struct vk_any any;
	uint32_t count;
	void *const *devices;
};

struct vk_queue_info { /* VkDeviceQueueInfo2 */
	struct vk_any any;
	uint32_t flags, family, index;
};

struct vk_family { /* VkQueueFamilyProperties */
	uint32_t flags, count, bits, granularity[3];
};

struct vk_properties { /* VkPhysicalDeviceProperties */
	uint32_t versions[2], ids[2], kind;
	char name[256];
	char others[720 - 20 - 256];
	float period; /* nanoseconds of a tick */
	char more[824 - 724];
};

struct vk_memory_properties { /* VkPhysicalDeviceMemoryProperties */
	uint32_t ntypes;
	struct {
		uint32_t flags, heap;
	} types[32];
	uint32_t nheaps;
	struct {
		uint64_t size;
		uint32_t flags;
	} heaps[16];
};

struct vk_memory_info { /* VkMemoryAllocateInfo */
	struct vk_any any;
	uint64_t size;
	uint32_t type;
};

struct vk_command_pool_info {
	struct vk_any any;
	uint32_t flags, family;
};

struct vk_command_buffers_info {
	struct vk_any any;
	void *pool;
	uint32_t level, count;
};

struct vk_begin_info {
	struct vk_any any;
	uint32_t flags;
	const void *inheritance;
};

struct vk_query_pool_info {
	struct vk_any any;
	uint32_t flags, type, count, statistics;
};

struct vk_fence_info {
	struct vk_any any;
	uint32_t flags;
};

_Static_assert(sizeof(struct vk_submit) == 72 && sizeof(struct vk_submit2) == 64 &&
		       sizeof(struct vk_timeline) == 48 && sizeof(struct vk_semaphore) == 48 &&
		       sizeof(struct vk_semaphore_wait) == 40 && sizeof(struct vk_buffer) == 32 &&
		       sizeof(struct vk_family) == 24 && sizeof(struct vk_properties) == 824 &&
		       offsetof(struct vk_properties, period) == 720 &&
		       sizeof(struct vk_memory_properties) == 520 &&
		       sizeof(struct vk_memory_info) == 32 &&
		       sizeof(struct vk_command_pool_info) == 24 &&
		       sizeof(struct vk_command_buffers_info) == 32 &&
		       sizeof(struct vk_query_pool_info) == 32 &&
		       sizeof(struct vk_begin_info) == 32 && sizeof(struct vk_fence_info) == 24,
	       "as vulkan_core.h has them");
_Static_assert(offsetof(struct vk_submit, buffers) == 48 &&
		       offsetof(struct vk_submit, signals) == 64 &&
		       offsetof(struct vk_submit2, buffers) == 40 &&
		       offsetof(struct vk_submit2, signals) == 56 &&
		       offsetof(struct vk_buffer, devices) == 24 &&
		       offsetof(struct vk_semaphore, value) == 24 &&
		       offsetof(struct vk_semaphore, stages) == 32 &&
		       offsetof(struct vk_timeline, signals) == 40 &&
		       offsetof(struct vk_semaphore_wait, values) == 32 &&
		       offsetof(struct vk_fence_fd, type) == 24 &&
		       offsetof(struct vk_queue_info, index) == 24 &&
		       offsetof(struct vk_memory_properties, heaps) == 264 &&
		       offsetof(struct vk_memory_info, type) == 24,
	       "as vulkan_core.h has them");

/* Those of a device: each device has its own pointers. */
#define VK_DEVICE_FUNCTIONS(X)                                                                     \
	X(vkAllocateCommandBuffers,                                                                \
	  (void *device, const struct vk_command_buffers_info *info, void **buffers))              \
	X(vkBeginCommandBuffer, (void *buffer, const struct vk_begin_info *info))                  \
	X(vkEndCommandBuffer, (void *buffer))                                                      \
	X(vkCreateCommandPool, (void *device, const struct vk_command_pool_info *info,             \
				const void *allocator, void **pool))                               \
	X(vkCreateQueryPool, (void *device, const struct vk_query_pool_info *info,                 \
			      const void *allocator, void **pool))                                 \
	X(vkCreateFence,                                                                           \
	  (void *device, const struct vk_fence_info *info, const void *allocator, void **fence))   \
	X(vkGetFenceStatus, (void *device, void *fence))                                           \
	X(vkResetFences, (void *device, uint32_t count, void *const *fences))                      \
	X(vkGetQueryPoolResults, (void *device, void *pool, uint32_t first, uint32_t count,        \
				  size_t size, void *data, uint64_t stride, uint32_t flags))       \
	X(vkQueueSubmit,                                                                           \
	  (void *queue, uint32_t count, const struct vk_submit *submits, void *fence))
/* The same, without a result. */
#define VK_DEVICE_PROCEDURES(X)                                                                    \
	X(vkCmdResetQueryPool, (void *buffer, void *pool, uint32_t first, uint32_t count))         \
	X(vkCmdWriteTimestamp, (void *buffer, uint32_t stage, void *pool, uint32_t query))         \
	X(vkDestroyCommandPool, (void *device, void *pool, const void *allocator))                 \
	X(vkDestroyQueryPool, (void *device, void *pool, const void *allocator))                   \
	X(vkDestroyFence, (void *device, void *fence, const void *allocator))

struct vk_functions {
#define MEMBER(function, parameters) int(*function) parameters;
	VK_DEVICE_FUNCTIONS(MEMBER)
#undef MEMBER
#define MEMBER(function, parameters) void(*function) parameters;
	VK_DEVICE_PROCEDURES(MEMBER)
#undef MEMBER
};

/*
 * The functions below ask by the library whose function the call has called. Nothing is found where
 * that is not the loader.
 */

/* False: some are missing. */
bool tl_vk_functions_find(struct vk_functions *functions, const struct tl_call *call, void *device);

/* What a physical device is. False: it can't be asked. */
bool tl_vk_properties_ask(const struct tl_call *call, void *hardware,
			  struct vk_properties *properties);

/* The physical devices of an instance: how many, at most `room`. */
uint32_t tl_vk_hardware_ask(const struct tl_call *call, void *instance, void **hardware,
			    uint32_t room);

/* Its families of queues: how many, at most `room`. */
uint32_t tl_vk_families_ask(const struct tl_call *call, void *hardware, struct vk_family *families,
			    uint32_t room);

/* A bit for each of its types of memory that lies on the device. */
uint32_t tl_vk_own_memory_ask(const struct tl_call *call, void *hardware);

/* A hook may call drivers and report: the lanes have not ended. */
bool tl_vk_usable(void);

/* The holder of a .looking may: the same, or tl_vk_functions_ending says so. */
bool tl_vk_may_look(void);
void tl_vk_functions_ending(bool is);

/* The end has reported everything, and nothing more may be. */
bool tl_vk_is_over(void);
void tl_vk_functions_over(bool is);

void tl_vk_functions_forget(void);

/* Its parameters are known: the interposer was made with Vulkan's header. */
static inline bool tl_vk_is_known(const struct tl_call *call)
{
	return call->shim->function->count;
}

static inline bool tl_vk_call_failed(uint64_t result, bool unwound)
{
	return unwound || (int)result != VK_SUCCESS;
}

#endif

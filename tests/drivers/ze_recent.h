/* SPDX-License-Identifier: MIT */
/*
 * Functions of Level Zero that are newer than Debian's headers, as far as the software device has
 * them (ze_recent.c). Self-contained, with handles as void *: tests/device/ze/ze_recent.sh has
 * tracegen make shims from this file, and libze_recent.so (ze_recent_calls.c) offers the functions
 * to programs, as a newer loader would.
 */
#ifndef TESTS_ZE_RECENT_H
#define TESTS_ZE_RECENT_H

#include <stddef.h>
#include <stdint.h>

struct recent_groups {
	uint32_t x, y, z;
};

struct recent_desc {
	uint32_t stype;
	const void *next;
	uint32_t flags;
};

struct recent_counter_desc {
	uint32_t stype;
	const void *next;
	uint32_t flags, signal, wait;
};

/* Of a chain that begins at a recent_desc's .next. */
struct recent_group_count_desc {
	uint32_t stype;
	const void *next;
	uint64_t id;
	const struct recent_groups *count;
};

struct recent_group_size_desc {
	uint32_t stype;
	const void *next;
	uint64_t id;
	uint32_t x, y, z;
};

struct recent_query_result {
	uint32_t stype;
	void *next;
	void *times, *synchronized;
};

#define RECENT_IN_ORDER_LIST   8u /* flags of lists, and of immediate lists */
#define RECENT_IN_ORDER_QUEUE  2u
#define RECENT_MAPPED	       8u /* of pools */
#define RECENT_POOL_COUNTS     0x00020014u
#define RECENT_GROUP_COUNT     0x0002001au
#define RECENT_GROUP_SIZE      0x0002001bu
#define RECENT_CHANGES_SIZES   6u /* of recent_desc, for a command's number */
#define RECENT_CHANGES_SIGNAL  16u
#define RECENT_CHANGES_KERNEL  64u
#define RECENT_COUNTER_VISIBLE 4u /* of recent_counter_desc */
#define RECENT_COUNTER_TIMES   16u

/*
 * Headers that have these functions declare them differently. A file that may include such a header
 * defines RECENT_RENAMED: then the names here are different. With RECENT_CALLED they are the same
 * functions.
 */
#ifdef RECENT_RENAMED
#define zeDeviceSynchronize	     recent_zeDeviceSynchronize
#define zeCommandListHostSynchronize recent_zeCommandListHostSynchronize
#define zeCommandListAppendLaunchKernelWithArguments                                               \
	recent_zeCommandListAppendLaunchKernelWithArguments
#define zeCommandListAppendLaunchKernelWithParameters                                              \
	recent_zeCommandListAppendLaunchKernelWithParameters
#define zeCommandListAppendMemoryCopyWithParameters                                                \
	recent_zeCommandListAppendMemoryCopyWithParameters
#define zeCommandListAppendHostFunction recent_zeCommandListAppendHostFunction
#define zeCommandListImmediateAppendCommandListsExp                                                \
	recent_zeCommandListImmediateAppendCommandListsExp
#define zeEventCounterBasedCreate	      recent_zeEventCounterBasedCreate
#define zeEventPoolGetFlags		      recent_zeEventPoolGetFlags
#define zeEventQueryKernelTimestampsExt	      recent_zeEventQueryKernelTimestampsExt
#define zeCommandListGetNextCommandIdExp      recent_zeCommandListGetNextCommandIdExp
#define zeCommandListUpdateMutableCommandsExp recent_zeCommandListUpdateMutableCommandsExp
#define zeCommandListUpdateMutableCommandSignalEventExp                                            \
	recent_zeCommandListUpdateMutableCommandSignalEventExp
#define zeCommandListUpdateMutableCommandKernelsExp                                                \
	recent_zeCommandListUpdateMutableCommandKernelsExp
#define zeCommandListCreateCloneExp	  recent_zeCommandListCreateCloneExp
#define zeCommandListBeginGraphCaptureExt recent_zeCommandListBeginGraphCaptureExt
#define zeCommandListEndGraphCaptureExt	  recent_zeCommandListEndGraphCaptureExt
#define zeGraphInstantiateExt		  recent_zeGraphInstantiateExt
#define zeCommandListAppendGraphExt	  recent_zeCommandListAppendGraphExt
#define zeExecutableGraphDestroyExt	  recent_zeExecutableGraphDestroyExt
#define zeGraphDestroyExt		  recent_zeGraphDestroyExt
#endif
#ifdef RECENT_CALLED
#define RECENT_IS(name) __asm__(#name)
#else
#define RECENT_IS(name)
#endif

uint32_t zeDeviceSynchronize(void *device) RECENT_IS(zeDeviceSynchronize);
uint32_t zeCommandListHostSynchronize(void *list, uint64_t timeout)
	RECENT_IS(zeCommandListHostSynchronize);
uint32_t zeCommandListAppendLaunchKernelWithArguments(
	void *list, void *kernel, const struct recent_groups groups,
	const struct recent_groups sizes, void **arguments, const void *next, void *signal,
	uint32_t wait_count, void **waits) RECENT_IS(zeCommandListAppendLaunchKernelWithArguments);
uint32_t zeCommandListAppendLaunchKernelWithParameters(void *list, void *kernel,
						       const struct recent_groups *groups,
						       const void *next, void *signal,
						       uint32_t wait_count, void **waits)
	RECENT_IS(zeCommandListAppendLaunchKernelWithParameters);
uint32_t zeCommandListAppendMemoryCopyWithParameters(void *list, void *to, const void *from,
						     size_t size, const void *next, void *signal,
						     uint32_t wait_count, void **waits)
	RECENT_IS(zeCommandListAppendMemoryCopyWithParameters);
uint32_t zeCommandListAppendHostFunction(void *list, void (*function)(void *), void *user_data,
					 const void *next, void *signal, uint32_t wait_count,
					 void **waits) RECENT_IS(zeCommandListAppendHostFunction);
uint32_t zeCommandListImmediateAppendCommandListsExp(void *list, uint32_t count, void **lists,
						     void *signal, uint32_t wait_count,
						     void **waits)
	RECENT_IS(zeCommandListImmediateAppendCommandListsExp);
uint32_t zeEventCounterBasedCreate(void *context, void *device,
				   const struct recent_counter_desc *desc, void **event)
	RECENT_IS(zeEventCounterBasedCreate);
uint32_t zeEventPoolGetFlags(void *pool, uint32_t *flags) RECENT_IS(zeEventPoolGetFlags);
uint32_t zeEventQueryKernelTimestampsExt(void *event, void *device, uint32_t *count,
					 struct recent_query_result *results)
	RECENT_IS(zeEventQueryKernelTimestampsExt);
uint32_t zeCommandListGetNextCommandIdExp(void *list, const struct recent_desc *desc, uint64_t *id)
	RECENT_IS(zeCommandListGetNextCommandIdExp);
uint32_t zeCommandListUpdateMutableCommandsExp(void *list, const struct recent_desc *desc)
	RECENT_IS(zeCommandListUpdateMutableCommandsExp);
uint32_t zeCommandListUpdateMutableCommandSignalEventExp(void *list, uint64_t id, void *signal)
	RECENT_IS(zeCommandListUpdateMutableCommandSignalEventExp);
uint32_t zeCommandListUpdateMutableCommandKernelsExp(void *list, uint32_t count, uint64_t *ids,
						     void **kernels)
	RECENT_IS(zeCommandListUpdateMutableCommandKernelsExp);
uint32_t zeCommandListCreateCloneExp(void *list, void **clone)
	RECENT_IS(zeCommandListCreateCloneExp);
uint32_t zeCommandListBeginGraphCaptureExt(void *list, const void *next)
	RECENT_IS(zeCommandListBeginGraphCaptureExt);
uint32_t zeCommandListEndGraphCaptureExt(void *list, const void *next, void **graph)
	RECENT_IS(zeCommandListEndGraphCaptureExt);
uint32_t zeGraphInstantiateExt(void *graph, const void *next, void **executable)
	RECENT_IS(zeGraphInstantiateExt);
uint32_t zeCommandListAppendGraphExt(void *list, void *executable, const void *next, void *signal,
				     uint32_t wait_count, void **waits)
	RECENT_IS(zeCommandListAppendGraphExt);
uint32_t zeExecutableGraphDestroyExt(void *executable) RECENT_IS(zeExecutableGraphDestroyExt);
uint32_t zeGraphDestroyExt(void *graph) RECENT_IS(zeGraphDestroyExt);

#endif

/*
 * Functions of Level Zero that are newer than Debian's headers, as far as the software device has
 * them (ze_newer.c). Self-contained, with handles as void *: tests/device_ze_newer.sh has tracegen
 * make shims from this file, and libze_newer.so (ze_newer_calls.c) offers the functions to programs,
 * as a newer loader would.
 */
#ifndef TESTS_ZE_NEWER_H
#define TESTS_ZE_NEWER_H

#include <stddef.h>
#include <stdint.h>

struct newer_groups {
	uint32_t x, y, z;
};

struct newer_desc {
	uint32_t stype;
	const void *next;
	uint32_t flags;
};

struct newer_counter_desc {
	uint32_t stype;
	const void *next;
	uint32_t flags, signal, wait;
};

/* Of a chain that begins at a newer_desc's .next. */
struct newer_group_count_desc {
	uint32_t stype;
	const void *next;
	uint64_t id;
	const struct newer_groups *count;
};

struct newer_group_size_desc {
	uint32_t stype;
	const void *next;
	uint64_t id;
	uint32_t x, y, z;
};

struct newer_query_result {
	uint32_t stype;
	void *next;
	void *times, *synchronized;
};

#define NEWER_IN_ORDER_LIST  8u /* flags of lists, and of immediate lists */
#define NEWER_IN_ORDER_QUEUE 2u
#define NEWER_MAPPED	     8u /* of pools */
#define NEWER_POOL_COUNTS    0x00020014u
#define NEWER_GROUP_COUNT    0x0002001au
#define NEWER_GROUP_SIZE     0x0002001bu
#define NEWER_CHANGES_SIZES  6u /* of newer_desc, for a command's number */
#define NEWER_CHANGES_SIGNAL 16u
#define NEWER_CHANGES_KERNEL 64u
#define NEWER_COUNTER_VISIBLE 4u /* of newer_counter_desc */
#define NEWER_COUNTER_TIMES  16u

/*
 * Headers that have these functions declare them otherwise. Who includes such a header, maybe, defines
 * NEWER_RENAMED: then the names are others here. They are the same functions with NEWER_CALLED.
 */
#ifdef NEWER_RENAMED
#define zeDeviceSynchronize newer_zeDeviceSynchronize
#define zeCommandListHostSynchronize newer_zeCommandListHostSynchronize
#define zeCommandListAppendLaunchKernelWithArguments newer_zeCommandListAppendLaunchKernelWithArguments
#define zeCommandListAppendLaunchKernelWithParameters newer_zeCommandListAppendLaunchKernelWithParameters
#define zeCommandListAppendMemoryCopyWithParameters newer_zeCommandListAppendMemoryCopyWithParameters
#define zeCommandListAppendHostFunction newer_zeCommandListAppendHostFunction
#define zeCommandListImmediateAppendCommandListsExp newer_zeCommandListImmediateAppendCommandListsExp
#define zeEventCounterBasedCreate newer_zeEventCounterBasedCreate
#define zeEventPoolGetFlags newer_zeEventPoolGetFlags
#define zeEventQueryKernelTimestampsExt newer_zeEventQueryKernelTimestampsExt
#define zeCommandListGetNextCommandIdExp newer_zeCommandListGetNextCommandIdExp
#define zeCommandListUpdateMutableCommandsExp newer_zeCommandListUpdateMutableCommandsExp
#define zeCommandListUpdateMutableCommandSignalEventExp newer_zeCommandListUpdateMutableCommandSignalEventExp
#define zeCommandListUpdateMutableCommandKernelsExp newer_zeCommandListUpdateMutableCommandKernelsExp
#define zeCommandListCreateCloneExp newer_zeCommandListCreateCloneExp
#define zeCommandListBeginGraphCaptureExt newer_zeCommandListBeginGraphCaptureExt
#define zeCommandListEndGraphCaptureExt newer_zeCommandListEndGraphCaptureExt
#define zeGraphInstantiateExt newer_zeGraphInstantiateExt
#define zeCommandListAppendGraphExt newer_zeCommandListAppendGraphExt
#define zeExecutableGraphDestroyExt newer_zeExecutableGraphDestroyExt
#define zeGraphDestroyExt newer_zeGraphDestroyExt
#endif
#ifdef NEWER_CALLED
#define NEWER_IS(name) __asm__(#name)
#else
#define NEWER_IS(name)
#endif

uint32_t zeDeviceSynchronize(void *device)
	NEWER_IS(zeDeviceSynchronize);
uint32_t zeCommandListHostSynchronize(void *list, uint64_t timeout)
	NEWER_IS(zeCommandListHostSynchronize);
uint32_t zeCommandListAppendLaunchKernelWithArguments(void *list, void *kernel,
						      const struct newer_groups groups,
						      const struct newer_groups sizes,
						      void **arguments, const void *next,
						      void *signal, uint32_t wait_count,
						      void **waits)
	NEWER_IS(zeCommandListAppendLaunchKernelWithArguments);
uint32_t zeCommandListAppendLaunchKernelWithParameters(void *list, void *kernel,
						       const struct newer_groups *groups,
						       const void *next, void *signal,
						       uint32_t wait_count, void **waits)
	NEWER_IS(zeCommandListAppendLaunchKernelWithParameters);
uint32_t zeCommandListAppendMemoryCopyWithParameters(void *list, void *to, const void *from,
						     size_t size, const void *next, void *signal,
						     uint32_t wait_count, void **waits)
	NEWER_IS(zeCommandListAppendMemoryCopyWithParameters);
uint32_t zeCommandListAppendHostFunction(void *list, void (*function)(void *), void *user_data,
					 const void *next, void *signal, uint32_t wait_count,
					 void **waits)
	NEWER_IS(zeCommandListAppendHostFunction);
uint32_t zeCommandListImmediateAppendCommandListsExp(void *list, uint32_t count, void **lists,
						     void *signal, uint32_t wait_count,
						     void **waits)
	NEWER_IS(zeCommandListImmediateAppendCommandListsExp);
uint32_t zeEventCounterBasedCreate(void *context, void *device,
				   const struct newer_counter_desc *desc, void **event)
	NEWER_IS(zeEventCounterBasedCreate);
uint32_t zeEventPoolGetFlags(void *pool, uint32_t *flags)
	NEWER_IS(zeEventPoolGetFlags);
uint32_t zeEventQueryKernelTimestampsExt(void *event, void *device, uint32_t *count,
					 struct newer_query_result *results)
	NEWER_IS(zeEventQueryKernelTimestampsExt);
uint32_t zeCommandListGetNextCommandIdExp(void *list, const struct newer_desc *desc, uint64_t *id)
	NEWER_IS(zeCommandListGetNextCommandIdExp);
uint32_t zeCommandListUpdateMutableCommandsExp(void *list, const struct newer_desc *desc)
	NEWER_IS(zeCommandListUpdateMutableCommandsExp);
uint32_t zeCommandListUpdateMutableCommandSignalEventExp(void *list, uint64_t id, void *signal)
	NEWER_IS(zeCommandListUpdateMutableCommandSignalEventExp);
uint32_t zeCommandListUpdateMutableCommandKernelsExp(void *list, uint32_t count, uint64_t *ids,
						     void **kernels)
	NEWER_IS(zeCommandListUpdateMutableCommandKernelsExp);
uint32_t zeCommandListCreateCloneExp(void *list, void **clone)
	NEWER_IS(zeCommandListCreateCloneExp);
uint32_t zeCommandListBeginGraphCaptureExt(void *list, const void *next)
	NEWER_IS(zeCommandListBeginGraphCaptureExt);
uint32_t zeCommandListEndGraphCaptureExt(void *list, const void *next, void **graph)
	NEWER_IS(zeCommandListEndGraphCaptureExt);
uint32_t zeGraphInstantiateExt(void *graph, const void *next, void **executable)
	NEWER_IS(zeGraphInstantiateExt);
uint32_t zeCommandListAppendGraphExt(void *list, void *executable, const void *next, void *signal,
				     uint32_t wait_count, void **waits)
	NEWER_IS(zeCommandListAppendGraphExt);
uint32_t zeExecutableGraphDestroyExt(void *executable)
	NEWER_IS(zeExecutableGraphDestroyExt);
uint32_t zeGraphDestroyExt(void *graph)
	NEWER_IS(zeGraphDestroyExt);

#endif

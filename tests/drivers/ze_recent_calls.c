/* SPDX-License-Identifier: MIT */
/*
 * libze_recent.so: the functions of ze_recent.h for programs, as a newer loader would offer them:
 * each calls the software device's, which has to be loaded already.
 */
#include "ze_recent.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *find_function(const char *name);

static void *find(const char *name)
{
	char first[4096] = "";
	const char *drivers = getenv("ZE_ENABLE_ALT_DRIVERS");

	snprintf(first, sizeof(first), "%s", drivers ? drivers : "");
	first[strcspn(first, ",")] = 0;
	void *driver = dlopen(first, RTLD_NOW | RTLD_NOLOAD);
	find_function *newer = driver ? (find_function *)dlsym(driver, "test_ze_recent") : NULL;
	return newer ? newer(name) : NULL;
}

#define CALL(function, ...)                                                                        \
	static __typeof__(function) *real;                                                         \
	if (!real)                                                                                 \
		real = (__typeof__(function) *)find(#function);                                    \
	return real ? real(__VA_ARGS__) : 0x78000001

uint32_t zeDeviceSynchronize(void *device)
{
	CALL(zeDeviceSynchronize, device);
}

uint32_t zeCommandListHostSynchronize(void *list, uint64_t timeout)
{
	CALL(zeCommandListHostSynchronize, list, timeout);
}

uint32_t zeCommandListAppendLaunchKernelWithArguments(void *list, void *kernel,
						      const struct recent_groups groups,
						      const struct recent_groups sizes,
						      void **arguments, const void *next,
						      void *signal, uint32_t wait_count,
						      void **waits)
{
	CALL(zeCommandListAppendLaunchKernelWithArguments, list, kernel, groups, sizes, arguments,
	     next, signal, wait_count, waits);
}

uint32_t zeCommandListAppendLaunchKernelWithParameters(void *list, void *kernel,
						       const struct recent_groups *groups,
						       const void *next, void *signal,
						       uint32_t wait_count, void **waits)
{
	CALL(zeCommandListAppendLaunchKernelWithParameters, list, kernel, groups, next, signal,
	     wait_count, waits);
}

uint32_t zeCommandListAppendMemoryCopyWithParameters(void *list, void *to, const void *from,
						     size_t size, const void *next, void *signal,
						     uint32_t wait_count, void **waits)
{
	CALL(zeCommandListAppendMemoryCopyWithParameters, list, to, from, size, next, signal,
	     wait_count, waits);
}

uint32_t zeCommandListAppendHostFunction(void *list, void (*function)(void *), void *user_data,
					 const void *next, void *signal, uint32_t wait_count,
					 void **waits)
{
	CALL(zeCommandListAppendHostFunction, list, function, user_data, next, signal, wait_count,
	     waits);
}

uint32_t zeCommandListImmediateAppendCommandListsExp(void *list, uint32_t count, void **lists,
						     void *signal, uint32_t wait_count,
						     void **waits)
{
	CALL(zeCommandListImmediateAppendCommandListsExp, list, count, lists, signal, wait_count,
	     waits);
}

uint32_t zeEventCounterBasedCreate(void *context, void *device,
				   const struct recent_counter_desc *desc, void **event)
{
	CALL(zeEventCounterBasedCreate, context, device, desc, event);
}

uint32_t zeEventPoolGetFlags(void *pool, uint32_t *flags)
{
	CALL(zeEventPoolGetFlags, pool, flags);
}

uint32_t zeEventQueryKernelTimestampsExt(void *event, void *device, uint32_t *count,
					 struct recent_query_result *results)
{
	CALL(zeEventQueryKernelTimestampsExt, event, device, count, results);
}

uint32_t zeCommandListGetNextCommandIdExp(void *list, const struct recent_desc *desc, uint64_t *id)
{
	CALL(zeCommandListGetNextCommandIdExp, list, desc, id);
}

uint32_t zeCommandListUpdateMutableCommandsExp(void *list, const struct recent_desc *desc)
{
	CALL(zeCommandListUpdateMutableCommandsExp, list, desc);
}

uint32_t zeCommandListUpdateMutableCommandSignalEventExp(void *list, uint64_t id, void *signal)
{
	CALL(zeCommandListUpdateMutableCommandSignalEventExp, list, id, signal);
}

uint32_t zeCommandListUpdateMutableCommandKernelsExp(void *list, uint32_t count, uint64_t *ids,
						     void **kernels)
{
	CALL(zeCommandListUpdateMutableCommandKernelsExp, list, count, ids, kernels);
}

uint32_t zeCommandListCreateCloneExp(void *list, void **clone)
{
	CALL(zeCommandListCreateCloneExp, list, clone);
}

uint32_t zeCommandListBeginGraphCaptureExt(void *list, const void *next)
{
	CALL(zeCommandListBeginGraphCaptureExt, list, next);
}

uint32_t zeCommandListEndGraphCaptureExt(void *list, const void *next, void **graph)
{
	CALL(zeCommandListEndGraphCaptureExt, list, next, graph);
}

uint32_t zeGraphInstantiateExt(void *graph, const void *next, void **executable)
{
	CALL(zeGraphInstantiateExt, graph, next, executable);
}

uint32_t zeCommandListAppendGraphExt(void *list, void *executable, const void *next, void *signal,
				     uint32_t wait_count, void **waits)
{
	CALL(zeCommandListAppendGraphExt, list, executable, next, signal, wait_count, waits);
}

uint32_t zeExecutableGraphDestroyExt(void *executable)
{
	CALL(zeExecutableGraphDestroyExt, executable);
}

uint32_t zeGraphDestroyExt(void *graph)
{
	CALL(zeGraphDestroyExt, graph);
}

/* SPDX-License-Identifier: MIT */
/*
 * ze_driver_functions.h: the functions of the Level Zero driver that the layer calls by itself, and
 * the room's lock.
 *
 * tl_ze_lock protects everything in this room. A thread may hold it during driver calls that never
 * wait for the device (creating, querying, recording into a list of the layer's). During calls that
 * may wait (appending to the program's immediate lists, executing) nobody holds it. Only one thread
 * at a time records into a list, so what an append's hook knows of a list stays true while the lock
 * is open.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_DRIVER_FUNCTIONS_H
#define TL_LAYER_DEVICE_ZE_ZE_DRIVER_FUNCTIONS_H

#include <level_zero/ze_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracelayer/shim.h"

extern pthread_mutex_t tl_ze_lock;

/* The i-th parameter of a call. */
#define ZE_PARAM(call, i, type) (*(type *)(call)->params[i])

#define ZE_REAL_EACH(X)                                                                            \
	X(zeCommandListAppendBarrier)                                                              \
	X(zeCommandListAppendEventReset)                                                           \
	X(zeCommandListAppendMemoryCopy)                                                           \
	X(zeCommandListAppendMemoryFill)                                                           \
	X(zeCommandListAppendQueryKernelTimestamps)                                                \
	X(zeCommandListAppendSignalEvent)                                                          \
	X(zeCommandListAppendWriteGlobalTimestamp)                                                 \
	X(zeCommandListClose)                                                                      \
	X(zeCommandListCreate)                                                                     \
	X(zeCommandListDestroy)                                                                    \
	X(zeDeviceGetCommandQueueGroupProperties)                                                  \
	X(zeDeviceGetGlobalTimestamps)                                                             \
	X(zeDeviceGetProperties)                                                                   \
	X(zeEventCreate)                                                                           \
	X(zeEventDestroy)                                                                          \
	X(zeEventHostReset)                                                                        \
	X(zeEventHostSignal)                                                                       \
	X(zeEventPoolCreate)                                                                       \
	X(zeEventPoolDestroy)                                                                      \
	X(zeEventQueryKernelTimestamp)                                                             \
	X(zeEventQueryStatus)                                                                      \
	X(zeKernelGetProperties)                                                                   \
	X(zeMemAllocHost)                                                                          \
	X(zeMemFree)                                                                               \
	X(zeMemGetAllocProperties)

struct tl_ze_real {
#define ZE_REAL_FIELD(function) __typeof__(&function) function;
	ZE_REAL_EACH(ZE_REAL_FIELD)
#undef ZE_REAL_FIELD
};

/* Valid only while tl_ze_usable returns true. */
extern struct tl_ze_real tl_ze_real;

/* All functions are known, and the driver may still be called. With the lock held. */
bool tl_ze_usable(void);

/*
 * For the end: after a call with true and until one with false, the driver may be called although
 * the lanes have ended. With the lock held.
 */
void tl_ze_driver_ending(bool ending);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * cuda_driver_functions.h: the functions of CUDA's driver that the layer calls by itself, and the
 * room's locks.
 *
 * Two locks, in this order:
 *
 *	tl_cuda_looking	One thread at a time asks the driver about events, and reads clocks. The
 *			thread may hold it during driver calls, none of which waits for the device.
 *	tl_cuda_lock	protects all tables and lists of this room. No driver is called under it.
 */
#ifndef TL_LAYER_DEVICE_CUDA_CUDA_DRIVER_FUNCTIONS_H
#define TL_LAYER_DEVICE_CUDA_CUDA_DRIVER_FUNCTIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/device/device_lanes.h"
#include "tracelayer/shim.h"

extern pthread_mutex_t tl_cuda_looking, tl_cuda_lock;

/* The i-th parameter of a call. */
#define CUDA_PARAM(call, i, type) (*(type *)(call)->params[i])

/* Facts of cuda.h. Handles are pointers; a device is an int, and so is a result. */
enum {
	CUDA_SUCCESS = 0,
	CUDA_ERROR_NOT_READY = 600,
	CUDA_STREAM_NON_BLOCKING = 1, /* a flag of cuStreamCreate */
	CUDA_CAPTURE_NONE = 0,	      /* what cuStreamIsCapturing says of an ordinary stream */
	CUDA_CAPTURE_RELAXED = 2,     /* a mode of cuThreadExchangeStreamCaptureMode */
	CUDA_PER_THREAD_FLAG = 2,     /* of cuGetProcAddress: for a default stream per thread */
	CUDA_MEMORY_HOST = 1,	      /* enum CUmemorytype */
	CUDA_PCI_BUS = 33,	      /* attributes of devices */
	CUDA_PCI_DEVICE = 34,
	CUDA_PCI_DOMAIN = 50,
};
#define CUDA_LEGACY_STREAM     ((void *)1) /* CU_STREAM_LEGACY */
#define CUDA_PER_THREAD_STREAM ((void *)2) /* CU_STREAM_PER_THREAD */

/* Those that the layer can't do without. */
#define CUDA_NEEDED(X)                                                                             \
	X(cuCtxGetCurrent, (void **context))                                                       \
	X(cuCtxGetDevice, (int *device))                                                           \
	X(cuCtxPopCurrent_v2, (void **context))                                                    \
	X(cuCtxPushCurrent_v2, (void *context))                                                    \
	X(cuDeviceGetName, (char *name, int size, int device))                                     \
	X(cuEventCreate, (void **event, unsigned flags))                                           \
	X(cuEventQuery, (void *event))                                                             \
	X(cuEventRecord, (void *event, void *stream))                                              \
	X(cuStreamCreate, (void **stream, unsigned flags))

/* Those that older or newer drivers lack: NULL then. */
#define CUDA_WANTED(X)                                                                             \
	X(cuDeviceGetAttribute, (int *value, int attribute, int device))                           \
	X(cuDeviceGetUuid, (unsigned char *id, int device))                                        \
	X(cuDeviceGetUuid_v2, (unsigned char *id, int device))                                     \
	X(cuDevicePrimaryCtxGetState, (int device, unsigned *flags, int *active))                  \
	X(cuEventElapsedTime, (float *milliseconds, void *from, void *to))                         \
	X(cuEventElapsedTime_v2, (float *milliseconds, void *from, void *to))                      \
	X(cuFuncGetName, (const char **name, void *function))                                      \
	X(cuKernelGetName, (const char **name, void *kernel))                                      \
	X(cuStreamGetCtx, (void *stream, void **context))                                          \
	X(cuStreamIsCapturing, (void *stream, int *status))                                        \
	X(cuThreadExchangeStreamCaptureMode, (int *mode))

struct tl_cuda_real {
#define CUDA_MEMBER(function, parameters) int(*function) parameters;
	CUDA_NEEDED(CUDA_MEMBER)
	CUDA_WANTED(CUDA_MEMBER)
#undef CUDA_MEMBER
};

/* Valid once tl_cuda_usable has returned true. */
extern struct tl_cuda_real tl_cuda_real;

/* The functions are known, and the driver may still be called. Not under tl_cuda_lock. */
bool tl_cuda_usable(void);

/*
 * For the end: after a call with true and until one with false, the driver may be called although
 * the lanes have ended.
 */
void tl_cuda_driver_ending(bool ending);

/*
 * Around the layer's own calls: the thread's capture mode is relaxed. In the mode that programs
 * begin with, asking about an event, or making one, would spoil a capture in any thread. Returns the
 * mode for tl_cuda_capture_restore.
 */
int tl_cuda_capture_relax(void);
void tl_cuda_capture_restore(int mode);

/* Whether the stream captures a graph, or can't be used because another one does. */
bool tl_cuda_captures(void *stream);

void tl_cuda_driver_functions_forget(void);

/*
 * The call's parameters are known. They are not in a program that is traced without CUDA's header.
 */
static inline bool tl_cuda_is_known(const struct tl_call *call)
{
	return call->shim->function->count;
}

static inline bool tl_cuda_call_failed(uint64_t result, bool unwound)
{
	return unwound || (int)result != CUDA_SUCCESS;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * opencl_devices.h: OpenCL's devices and their clocks. Any thread, in hooks and in the background.
 */
#ifndef TL_LAYER_DEVICE_OPENCL_OPENCL_DEVICES_H
#define TL_LAYER_DEVICE_OPENCL_OPENCL_DEVICES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "layer/device/clock_fit.h"
#include "layer/device/handles.h"
#include "layer/device/opencl/opencl_driver_functions.h"
#include "layer/device/work.h"

enum tl_cl_clock {
	TL_CL_TIMERS, /* the driver reads the device's clock */
	TL_CL_HOST,   /* it does not, but stamps commands with one of the host's clocks */
	TL_CL_QUEUED, /* or with a clock that is only known while commands are enqueued */
	/* all that is known is that commands ran between their submission and their end */
	TL_CL_BRACKETS,
};

struct tl_cl_device {
	struct tl_handle handle;   /* cl_device_id */
	struct tl_cl_device *next; /* of all; never changes */
	struct tl_device *device;
	char *name;
	/* 12 for OpenCL 1.2: the driver has no newer function; 0: not known; never changes */
	unsigned version;
	bool tells_spills;    /* it knows CL_KERNEL_SPILL_MEM_SIZE_INTEL; never changes */
	pthread_mutex_t lock; /* protects what follows; nothing is called under it */
	struct tl_clock_fit fit;
	enum tl_cl_clock _Atomic clock; /* also read without the lock */
	/* ticks: when to check if the clock must be read; without the lock */
	_Atomic uint64_t look_again;
	clockid_t host; /* TL_CL_HOST: which one */
	/* commands whose stamps were compared with the host's clocks */
	uint32_t looks;
	bool reading;	 /* some thread reads the clock */
	bool proven;	 /* commands' stamps fit the clock */
	uint64_t forced; /* when it was last read because of stamps that did not fit */
};

/* NULL where memory is short. */
struct tl_cl_device *tl_cl_device_of(cl_device_id id);

/* The first device of a context; NULL: not known. */
struct tl_cl_device *tl_cl_device_of_context(cl_context context);

/* Read the device's clock and the host's together, if it is time for that. `now`: ticks. */
void tl_cl_device_keep_up(struct tl_cl_device *device, uint64_t now);

/* No driver is asked for a clock any more. */
void tl_cl_devices_leave(void);

/* Fill in the times of a command that its driver timed, and that was seen complete at `seen`. */
void tl_cl_device_convert(struct tl_cl_device *device, struct tl_device_work *work, uint64_t seen);

void tl_cl_devices_after_fork(void);

#endif

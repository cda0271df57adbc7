/* SPDX-License-Identifier: MIT */
/*
 * device_apis.c: the APIs whose devices' work is shown.
 */
#include <stddef.h>

#include "layer/device/device.h"

extern const struct tl_device_api tl_device_opencl; /* opencl.c */
/* ze.c */
extern const struct tl_device_api tl_device_ze, tl_device_ze_events, tl_device_ze_appends,
	tl_device_ze_executions, tl_device_ze_mutations, tl_device_ze_graphs;

const struct tl_device_api *const tl_device_apis[] = {
	&tl_device_opencl,	  &tl_device_ze,
	&tl_device_ze_events,	  &tl_device_ze_appends,
	&tl_device_ze_executions, &tl_device_ze_mutations,
	&tl_device_ze_graphs,	  NULL,
};

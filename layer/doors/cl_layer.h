/* SPDX-License-Identifier: MIT */
/*
 * cl_layer.h: what the generated part of OpenCL's layer (apis/cl_layer.c) gives to cl_layer.c: the
 * slots of the dispatch table.
 */
#ifndef TL_DOORS_CL_LAYER_H
#define TL_DOORS_CL_LAYER_H

#include <stddef.h>

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>

/* A slot of the dispatch table, and its function. The last one has the function NULL. */
struct tl_cl_slot {
	size_t offset;
	const char *function;
};
extern const struct tl_cl_slot tl_cl_slots[] __attribute__((visibility("hidden")));

#endif

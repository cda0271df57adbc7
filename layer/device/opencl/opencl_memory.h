/* SPDX-License-Identifier: MIT */
/* opencl_memory.h: the memory that the program has allocated from its driver. */
#ifndef TL_LAYER_DEVICE_OPENCL_OPENCL_MEMORY_H
#define TL_LAYER_DEVICE_OPENCL_OPENCL_MEMORY_H

#include <stdint.h>

#include "layer/device/opencl/opencl_call.h"

/* The bytes of a mapping, which ends here. 0: not known. */
void tl_cl_memory_mapped(const void *pointer, uint64_t bytes);
uint64_t tl_cl_memory_unmapped(const void *pointer);

/* The bytes of an allocation (SVM, USM). 0: not known. */
uint64_t tl_cl_memory_size(const void *pointer);
void tl_cl_memory_freed(const void *pointer);
void tl_cl_memory_after_fork(void);

TL_CL_AFTER(tl_cl_create_object_after);
TL_CL_AFTER(tl_cl_allocate_after);
TL_CL_AFTER(tl_cl_retain_object_after);
TL_CL_BEFORE(tl_cl_release_object_before);
TL_CL_AFTER(tl_cl_release_object_after);
TL_CL_BEFORE(tl_cl_free_before);

#endif

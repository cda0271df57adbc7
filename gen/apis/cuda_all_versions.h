/* SPDX-License-Identifier: MIT */
/*
 * cuda_all_versions.h: cuda.h with all that libcuda.so.1 exports: also the first functions of each
 * name, which programs for older versions call, and those for a default stream per thread (_ptsz,
 * _ptds). Otherwise cuda.h declares the newest function of each name alone.
 */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

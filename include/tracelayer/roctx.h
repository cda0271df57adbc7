/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/roctx.h: ROCTX, by which programs for AMD's devices say what they do. tracelayer's
 * shims of ROCTX are made from this header, so that no ROCm has to be installed. Programs include
 * ROCm's own.
 *
 * The functions are in libroctx64.so of roctracer, and in librocprofiler-sdk-roctx.so. Source:
 * AMD's "ROCTX API Specification" 4.1. Any thread may call them.
 */
#ifndef TRACELAYER_ROCTX_H
#define TRACELAYER_ROCTX_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t roctx_range_id_t;

/* Something happens now. */
void roctxMarkA(const char *message);

/*
 * A range of the calling thread begins; the innermost one ends. Both return how many ranges are
 * open around it; a pop without a range returns a negative number.
 */
int roctxRangePushA(const char *message);
int roctxRangePop(void);

/* A range begins that any thread may end, by its number. */
roctx_range_id_t roctxRangeStartA(const char *message);
void roctxRangeStop(roctx_range_id_t id);

#ifdef __cplusplus
}
#endif

#endif

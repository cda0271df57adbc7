/*
 * What a test asks of the OpenCL test driver (an ICD), beyond the API.
 *
 * Three builds of tests/drivers/icd.c, loaded by the stock loader:
 *
 *	OCL_ICD_VENDORS=/abs/icd_a.so ./program		(or a folder with .icd files, to have it beside other platforms)
 *
 *	icd_a.so	exports its functions under the loader's own names, and calls some of them through its PLT
 *	icd_b.so	the same as another platform, with other functions behind the same extension names
 *	icd_table.so	like icd_a.so, but its dispatch table refers to its functions by those names too, so that whoever comes first in
 *			the global scope gets its calls. Right only in a program that opens the loader with RTLD_LOCAL.
 *
 * What it has: one device of type ACCELERATOR, contexts, in-order queues (a thread each), buffers, events with profiling and callbacks, user
 * events, programs from any source or from built-in kernels, read, write, copy, fill, map, markers, barriers, kernels.
 *
 * Kernels: vector_add(float *a, *b, *c, uint n), fill(uint *p, uint value, uint n), spin(ulong nanoseconds), empty(). A name may carry
 * a suffix after '@': the same kernel under the whole name. A source that begins with "error:" does not build; the rest is its log.
 *
 * Extension functions: clHostMemAllocINTEL and clMemFreeINTEL (cl_intel_unified_shared_memory). icd_b.so's blocks begin with the byte 'b',
 * the others' with 'a'. Neither name is exported.
 *
 * Environment, read when it is loaded; icd_b.so looks for TEST_ICD_B_… first, then for TEST_ICD_…:
 *
 *	TEST_ICD_COUNTS=FILE		at the process's end, write "name count" for every function called from outside, and "name/own count"
 *					for calls that it made itself. %p is the process id; icd_b.so appends ".b". A forked child counts
 *					from 0, and writes only where the name has %p.
 *	TEST_ICD_CLOCK_OFFSET=NS	what the device clock is ahead of the host's (default 987654321000)
 *	TEST_ICD_CLOCK_DRIFT_PPM=N	how much faster it runs (default 0)
 *	TEST_ICD_CLOCK_HOST=raw		the host timer is CLOCK_MONOTONIC_RAW (default: CLOCK_MONOTONIC)
 *	TEST_ICD_FAIL=NAME=CODE,…	enqueue functions named here return the code, and do nothing
 */
#ifndef TESTS_ICD_H
#define TESTS_ICD_H

#include <stdint.h>

/* Calls of a function so far, from outside. By dlsym, on a handle of the driver. */
uint64_t test_icd_count(const char *function);

#endif

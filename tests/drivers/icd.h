/* SPDX-License-Identifier: MIT */
/*
 * What a test asks of the OpenCL test driver (an ICD), beyond the API.
 *
 * Three builds of tests/drivers/icd_*.c (icd_driver.h says what is where), loaded by the stock
 * loader:
 *
 * 	OCL_ICD_VENDORS=/abs/icd_a.so ./program		(or a folder with .icd files, to have it
 * 							beside other platforms)
 *
 * icd_a.so exports its functions under the loader's own names, and calls some of them through its
 * PLT icd_b.so the same as another platform, with other functions behind the same extension names
 * icd_table.so like icd_a.so, but its dispatch table refers to its functions by those names too, so
 * that the first definition in the global scope gets its calls. Right only in a program that opens
 * the loader with RTLD_LOCAL.
 *
 * What it has: one device of type ACCELERATOR; contexts; buffers, sub-buffers, images, shared
 * memory (clSVM…), all of them in the host's memory; in-order queues (a thread each) and
 * out-of-order ones (three threads each, whose commands overlap); every command of OpenCL 3.0 and
 * of 1.1 on them; events with profiling and callbacks, user events; programs from any source or
 * from built-in kernels. Queues overlap each other. A queue that is released goes when its commands
 * have ended, and release doesn't wait for them.
 *
 * Kernels: vector_add(float *a, *b, *c, uint n), fill(uint *p, uint value, uint n), empty(),
 * spin(ulong nanoseconds) which keeps a processor busy, sleep(ulong nanoseconds) which does not,
 * fail(int status) which ends with that negative status, hang() which never ends. A name may carry
 * a suffix after '@': the same kernel under the whole name. A source that begins with "error:" does
 * not build; the rest is its log.
 *
 * Extension functions, whose names are not exported: allocations, copies, fills, migrations and
 * advice of cl_intel_unified_shared_memory; binary semaphores of cl_khr_semaphore; acquire and
 * release of cl_khr_external_memory, for any buffer. Blocks of clHostMemAllocINTEL begin with the
 * byte 'b' in icd_b.so, with 'a' in the others.
 *
 * Environment; icd_b.so looks for TEST_ICD_B_… first, then for TEST_ICD_…. %p in the name of a file
 * is the process id; icd_b.so appends ".b"; a forked child writes only where the name has %p, and
 * counts from 0.
 *
 * 	TEST_ICD_COUNTS=FILE		at the process's end, write "name count" for every function
 * 					called from outside, and "name/own count" for calls that it
 * 					made itself
 * 	TEST_ICD_LOG=FILE		a line for each command when it is enqueued, and one when it
 * 					has ended, before its event tells so; at the process's end
 * 					one for each kind of object that is left. What is written
 * 					stays, however the process ends.
 * 						+ number type queue ticks ns kernel
 * 						- number type queue status queued submit start end
 * 						  (ticks) queued submit start end (ns) kernel
 * 						~ bytes		(of memory, whenever that changes)
 * 						= kind objects references
 * 					Commands and queues are numbered from 1 in the order of
 * 					their making. The type is CL_COMMAND_type; ticks are the
 * 					device's, as profiling tells them; ns the same instants of
 * 					CLOCK_MONOTONIC; kernel its name, or -.
 * 	TEST_ICD_MISUSE=FILE		a line for each misuse: an object released too often, or
 * 					used after its end (65536 of them are remembered); a call
 * 					that comes after the driver's atexit handler has run, which
 * 					it registers when its platform is first asked for; a
 * 					function that OpenCL 1.2 lacks, with TEST_ICD_VERSION=1.2
 * 	TEST_ICD_CLOCK_OFFSET=NS	what the device clock is ahead of the host's (default
 * 					987654321000)
 * 	TEST_ICD_CLOCK_DRIFT_PPM=N	how much faster it runs (default 0)
 * 	TEST_ICD_CLOCK_STEP=MS:NS	so many milliseconds after it was loaded, it steps by so
 * 					many (also negative)
 * 	TEST_ICD_CLOCK_HOST=raw		the host timer is CLOCK_MONOTONIC_RAW (default:
 * 					CLOCK_MONOTONIC)
 * 	TEST_ICD_BUILD_HANDLERS=N	clBuildProgram registers so many exit handlers
 * 	TEST_ICD_VERSION=1.2		platform and device say that they are of OpenCL 1.2, and
 * 					have nothing that is newer: no clGetDeviceAndHostTimer, no
 * 					clCreateCommandQueueWithProperties, no shared memory
 * 	TEST_ICD_PLATFORM=1.1		the platform says that it is of OpenCL 1.1, though its
 * 					device is of 3.0, as one that passes another's device on;
 * 					clGetDeviceAndHostTimer is misuse
 * 	TEST_ICD_PROFILING=refused	no queue with profiling can be created
 * 	TEST_ICD_PROFILING=unavailable	such a queue is created, and no event has times
 * 	TEST_ICD_PROFILING=constant	such a queue is created, and each event has the times 0, 1,
 * 					2 and 3
 * 	TEST_ICD_FAIL=NAME=CODE,…	functions named here return the code, and do nothing:
 * 					enqueue functions, clGetDeviceAndHostTimer,
 * 					clCreateCommandQueueWithProperties
 */
#ifndef TESTS_ICD_H
#define TESTS_ICD_H

#include <stdint.h>

/*
 * Calls of a function from outside so far; NULL: of all functions. Found by dlsym, on a handle of
 * the driver.
 */
uint64_t test_icd_count(const char *function);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What a test asks of the Level Zero test driver, beyond the API.
 *
 * The driver (ze_driver_a.so, and ze_driver_b.so, the same under another name) is loaded by the
 * stock loader:
 *
 *	ZE_ENABLE_ALT_DRIVERS=/abs/ze_driver_a.so ./program
 *
 * Environment, read when the driver is loaded. Instance b looks for TEST_ZE_B_… first, then for
 * TEST_ZE_…; files that both would write get ".b" appended by b. In file names %p stands for the
 * process id. TEST_ZE_
 *
 *	COUNTS=FILE		count the calls of every function; write "name count" lines to FILE
 *				when the process ends. Empty: count only, for test_ze_count. A
 *				forked child counts from 0, and writes only where FILE has a %p.
 *	LOG=FILE		append a line for every command executed (see below)
 *	FAIL=NAME=CODE[@N],…	make the function return the code (hex or decimal), at each call or
 *				at the Nth only
 *	SLOW=NAME=MICROSECONDS,…	each call of the function takes so much longer
 *	PASSES=strict|lax	each context registers an exit handler, which takes 100 ms. strict:
 *				from then on a call ends the process (tests/lib/passing.h)
 *	DEVICES=N		1 to 4 devices (default 1)
 *	SUBDEVICES=N		sub devices of each, 0 to 4 (default 0)
 *	DEVICE_NAME=TEXT	instead of "tracelayer test device"
 *	DEVICE_MEMORY=host	the host may read device memory (default: mapped without access)
 *	OVERLAP=1		queues of one engine run beside each other (default: an engine does
 *				one command at a time)
 *	CLOCK_HZ=N		ticks a second (default 19200000)
 *	CLOCK_EPOCH=N		ticks when the driver was loaded (default 0x1234567890; each further
 *				device 1000000007 more)
 *	CLOCK_BITS=N		valid bits of zeDeviceGetGlobalTimestamps (default 36)
 *	CLOCK_KERNEL_BITS=N	valid bits of kernel timestamps (default 32)
 *	CLOCK_DRIFT_PPM=N	how much faster it runs than it says (default 0)
 *	CLOCK_STEP=MS:TICKS	jumps by TICKS (signed), MS milliseconds after the driver was loaded
 *	CLOCK_STEADY=1		what commands leave in events and memory as their ticks depends on
 *				nothing but the program: a launch takes what it is to spin, or as
 *				many ticks as it has work items, and a thousand; and a queue's
 *				launches follow each other
 *	CLOCK_HOST=monotonic	the host time of zeDeviceGetGlobalTimestamps, and what drives the
 *				clock (default: CLOCK_MONOTONIC_RAW, as drivers for real devices do)
 *
 * A line of the log: device, queue group, engine, queue, what ("copy", "fill", …, or the kernel's
 * name), bytes moved or work items, ticks at start and end (all 64 bits, not wrapped),
 * CLOCK_MONOTONIC nanoseconds at start and end; tab-separated.
 *
 * Kernels: vector_add(float *a, *b, *c, uint32 n), saxpy(float *y, *x, float a, uint32 n),
 * fill(uint32 *p, uint32 value, uint32 n), group_sum(uint32 *in, *out, local scratch), spin(uint64
 * ticks), wait_flag(uint32 *flag), empty(), fail(): loses the device. A kernel name may carry a
 * suffix after '@' ("spin@any text"): the same kernel, under the whole name. A module whose bytes
 * begin with "error:" does not build, and the rest is its build log.
 *
 * A test in the same process reaches these through dlsym on a handle from dlopen(path, RTLD_NOW |
 * RTLD_NOLOAD). All are thread safe.
 */
#ifndef TESTS_ZE_DRIVER_H
#define TESTS_ZE_DRIVER_H

#include <stdint.h>

/*
 * Has fn called at the beginning of every call of the API function named, with no lock held: it may
 * throw, longjmp, end the thread or call the API. NULL removes it. Returns 0, or -1 for an unknown
 * name. Setting counting, hooks and results makes the function's entry slower; without, it costs
 * one load and a branch.
 */
typedef void test_ze_hook(const char *name, void *arg);
int test_ze_set_hook(const char *name, test_ze_hook *fn, void *arg);

/*
 * The function returns this result, at the nth call from now (1 is the next), or with nth 0 at
 * each. A result of 0 ends it.
 */
int test_ze_set_result(const char *name, uint32_t result, uint64_t nth);

/*
 * Calls of the function wait inside the driver until it is released; test_ze_waiting says how many
 * do.
 */
int test_ze_block(const char *name);
int test_ze_release(const char *name);
int test_ze_waiting(const char *name);

/* Calls so far; 0 unless TEST_ZE_COUNTS is set. */
uint64_t test_ze_count(const char *name);

/*
 * Functions of the API that are newer than the headers that the driver is built with, by their
 * names: see ze_recent.h. NULL: there is no such function.
 */
void *test_ze_recent(const char *name);

/* Writes the file of TEST_ZE_COUNTS now: for programs that end without their exit handlers. */
void test_ze_write_counts(void);

/* Moves the clock of device number `device` by so many ticks, at once. */
int test_ze_step_clock(uint32_t device, int64_t ticks);

/* That clock now, all 64 bits, and the CLOCK_MONOTONIC time at which it was read. */
uint64_t test_ze_ticks(uint32_t device, uint64_t *monotonic_ns);

/*
 * The extension function that zeDriverGetExtensionFunctionAddress gives for "zexTestSum": *sum = a
 * + b.
 */
typedef uint32_t zex_test_sum(void *driver, uint32_t a, uint32_t b, uint32_t *sum);

#endif

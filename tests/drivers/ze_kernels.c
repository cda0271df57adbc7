/* SPDX-License-Identifier: MIT */
/*
 * The kernels that every module of this device has, run on the queue's worker thread. Pointers are
 * the program's; each kernel asks for the device's view of them.
 */
#include "ze_device.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t group_volume(const struct launch *l)
{
	return (uint64_t)l->group_size[0] * l->group_size[1] * l->group_size[2];
}

static uint64_t group_total(const struct launch *l)
{
	return (uint64_t)l->groups.groupCountX * l->groups.groupCountY * l->groups.groupCountZ;
}

/* The work items of a one-dimensional launch: from its offset, as far as the groups and the array
 * reach. */
static uint64_t items_end(const struct launch *l, uint32_t n)
{
	uint64_t end = l->offset[0] + group_volume(l) * group_total(l);

	return end < n ? end : n;
}

static void run_vector_add(const struct launch *l)
{
	const float *a = memory_view(l->arguments[0].pointer),
		    *b = memory_view(l->arguments[1].pointer);
	float *c = memory_view(l->arguments[2].pointer);
	uint64_t end = items_end(l, l->arguments[3].u32);

	for (uint64_t i = l->offset[0]; i < end; i++)
		c[i] = a[i] + b[i];
}

static void run_saxpy(const struct launch *l)
{
	float *y = memory_view(l->arguments[0].pointer);
	const float *x = memory_view(l->arguments[1].pointer), a = l->arguments[2].f32;
	uint64_t end = items_end(l, l->arguments[3].u32);

	for (uint64_t i = l->offset[0]; i < end; i++)
		y[i] = a * x[i] + y[i];
}

static void run_fill(const struct launch *l)
{
	uint32_t *p = memory_view(l->arguments[0].pointer), value = l->arguments[1].u32;
	uint64_t end = items_end(l, l->arguments[2].u32);

	for (uint64_t i = l->offset[0]; i < end; i++)
		p[i] = value;
}

/* out[group] = the sum of the group's items, which go through local memory first. */
static void run_group_sum(const struct launch *l)
{
	const uint32_t *in = memory_view(l->arguments[0].pointer);
	uint32_t *out = memory_view(l->arguments[1].pointer);
	uint64_t size = group_volume(l);
	uint32_t *scratch = calloc(l->arguments[2].local_size + 1, 1);

	if (!scratch || l->arguments[2].local_size < size * sizeof(*scratch)) {
		device_lose(l->queue->device);
		free(scratch);
		return;
	}
	for (uint64_t group = 0; group < group_total(l); group++) {
		uint32_t sum = 0;

		for (uint64_t i = 0; i < size; i++)
			scratch[i] = in[group * size + i];
		for (uint64_t i = 0; i < size; i++)
			sum += scratch[i];
		out[group] = sum;
	}
	free(scratch);
}

static bool abandoned(const struct launch *l)
{
	return device_is_lost(l->queue->device) || queue_is_closing(l->queue);
}

/* Measured on the host's clock, so that a step of the device's does not change how long it takes.
 */
static void run_spin(const struct launch *l)
{
	uint64_t ns = (uint64_t)((unsigned __int128)l->arguments[0].u64 * 1000000000u / clock_hz);
	uint64_t start = clock_host_ns();

	/* By a steady clock nobody sees how long it really took: others may have the processor. */
	while (clock_host_ns() - start < ns && !abandoned(l))
		if (clock_steady)
			usleep(100);
}

static void run_wait_flag(const struct launch *l)
{
	const _Atomic uint32_t *flag = memory_view(l->arguments[0].pointer);
	const struct timespec pause = {.tv_nsec = 50000};

	while (atomic_load(flag) == 0 && !abandoned(l))
		nanosleep(&pause, NULL);
}

static void run_empty(const struct launch *l)
{
}

static void run_fail(const struct launch *l)
{
	device_lose(l->queue->device);
}

#define POINTER                                                                                    \
	{                                                                                          \
		ARGUMENT_POINTER, sizeof(void *)                                                   \
	}
#define VALUE(type)                                                                                \
	{                                                                                          \
		ARGUMENT_VALUE, sizeof(type)                                                       \
	}
#define LOCAL                                                                                      \
	{                                                                                          \
		ARGUMENT_LOCAL, 0                                                                  \
	}

const struct builtin builtins[] = {
	{"vector_add", 4, {POINTER, POINTER, POINTER, VALUE(uint32_t)}, run_vector_add},
	{"saxpy", 4, {POINTER, POINTER, VALUE(float), VALUE(uint32_t)}, run_saxpy},
	{"fill", 3, {POINTER, VALUE(uint32_t), VALUE(uint32_t)}, run_fill},
	{"group_sum", 3, {POINTER, POINTER, LOCAL}, run_group_sum},
	{"spin", 1, {VALUE(uint64_t)}, run_spin},
	{"wait_flag", 1, {POINTER}, run_wait_flag},
	{.name = "empty", .run = run_empty},
	{.name = "fail", .run = run_fail},
};

const uint32_t builtin_count = sizeof(builtins) / sizeof(builtins[0]);

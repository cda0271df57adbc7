/* SPDX-License-Identifier: MIT */
/*
 * Adds vectors on the device and checks the sums.
 *
 *	ze_vector_add [-t THREADS] [-n ITERATIONS] [-s SIZE] [-i]
 *
 * Each thread has a queue, a list, buffers and a kernel of its own; -i: an immediate list in place
 * of queue and list. The calls that it makes depend on the options alone.
 */
#include "ze_app.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct options {
	uint32_t threads, iterations, size;
	bool immediate;
};

static struct ze_app app;
static struct options options = {1, 4, 1000, false};

struct buffers {
	float *host_a, *host_b, *host_c;
	void *a, *b, *c;
};

static void *host_memory(void)
{
	const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
	void *memory = NULL;

	MUST(ZE(zeMemAllocHost, app.context, &desc, options.size * sizeof(float), 64, &memory));
	return memory;
}

static void *device_memory(void)
{
	const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
	void *memory = NULL;

	MUST(ZE(zeMemAllocDevice, app.context, &desc, options.size * sizeof(float), 64, app.device,
		&memory));
	return memory;
}

static void set_arguments(ze_kernel_handle_t kernel, struct buffers *b)
{
	MUST(ZE(zeKernelSetGroupSize, kernel, 64, 1, 1));
	MUST(ZE(zeKernelSetArgumentValue, kernel, 0, sizeof(b->a), &b->a));
	MUST(ZE(zeKernelSetArgumentValue, kernel, 1, sizeof(b->b), &b->b));
	MUST(ZE(zeKernelSetArgumentValue, kernel, 2, sizeof(b->c), &b->c));
	MUST(ZE(zeKernelSetArgumentValue, kernel, 3, sizeof(options.size), &options.size));
}

/* Up, add, down. The event is signaled by the last command. */
static void append_work(ze_command_list_handle_t list, ze_kernel_handle_t kernel, struct buffers *b,
			ze_event_handle_t done)
{
	const ze_group_count_t groups = {(options.size + 63) / 64, 1, 1};
	const size_t bytes = options.size * sizeof(float);

	MUST(ZE(zeCommandListAppendMemoryCopy, list, b->a, b->host_a, bytes, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendMemoryCopy, list, b->b, b->host_b, bytes, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendBarrier, list, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendLaunchKernel, list, kernel, &groups, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendBarrier, list, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendMemoryCopy, list, b->host_c, b->c, bytes, done, 0, NULL));
}

static void fill_inputs(struct buffers *b, uint32_t iteration)
{
	for (uint32_t i = 0; i < options.size; i++) {
		b->host_a[i] = (float)(i + iteration);
		b->host_b[i] = (float)(2 * i);
		b->host_c[i] = -1;
	}
}

static void check_sums(const struct buffers *b, uint32_t iteration)
{
	for (uint32_t i = 0; i < options.size; i++)
		EXPECT(b->host_c[i] == (float)(3 * i + iteration));
}

/* One list, executed again and again. */
static void work_with_queue(ze_kernel_handle_t kernel, struct buffers *b)
{
	ze_command_queue_handle_t queue = ze_app_queue(&app, 0);
	ze_command_list_handle_t list = ze_app_list(&app);

	append_work(list, kernel, b, NULL);
	MUST(ZE(zeCommandListClose, list));
	for (uint32_t i = 0; i < options.iterations; i++) {
		fill_inputs(b, i);
		MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, &list, NULL));
		MUST(ZE(zeCommandQueueSynchronize, queue, UINT64_MAX));
		check_sums(b, i);
	}
	MUST(ZE(zeCommandListDestroy, list));
	MUST(ZE(zeCommandQueueDestroy, queue));
}

static void work_immediately(ze_kernel_handle_t kernel, struct buffers *b)
{
	const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
					      .index = 1};
	ze_event_pool_handle_t pool = ze_app_pool(&app, 1, 0);
	ze_event_handle_t done = ze_app_event(pool, 0);
	ze_command_list_handle_t list = NULL;

	MUST(ZE(zeCommandListCreateImmediate, app.context, app.device, &desc, &list));
	for (uint32_t i = 0; i < options.iterations; i++) {
		fill_inputs(b, i);
		append_work(list, kernel, b, done);
		MUST(ZE(zeEventHostSynchronize, done, UINT64_MAX));
		MUST(ZE(zeEventHostReset, done));
		check_sums(b, i);
	}
	MUST(ZE(zeCommandListDestroy, list));
	MUST(ZE(zeEventDestroy, done));
	MUST(ZE(zeEventPoolDestroy, pool));
}

static void *thread_main(void *unused)
{
	struct buffers b = {host_memory(),   host_memory(),   host_memory(),
			    device_memory(), device_memory(), device_memory()};
	void *const memory[] = {b.host_a, b.host_b, b.host_c, b.a, b.b, b.c};
	ze_kernel_handle_t kernel = ze_app_kernel(&app, "vector_add");

	set_arguments(kernel, &b);
	if (options.immediate)
		work_immediately(kernel, &b);
	else
		work_with_queue(kernel, &b);
	MUST(ZE(zeKernelDestroy, kernel));
	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		MUST(ZE(zeMemFree, app.context, memory[i]));
	return NULL;
}

static bool parse(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "t:n:s:i")) != -1) {
		switch (option) {
		case 't':
			options.threads = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'n':
			options.iterations = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 's':
			options.size = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'i':
			options.immediate = true;
			break;
		default:
			return false;
		}
	}
	return optind == argc && options.threads > 0 && options.threads <= 64 && options.size > 0;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];

	if (!parse(argc, argv)) {
		fprintf(stderr,
			"usage: ze_vector_add [-t THREADS] [-n ITERATIONS] [-s SIZE] [-i]\n");
		return 2;
	}
	ze_app_open(&app);
	for (uint32_t i = 0; i < options.threads; i++)
		EXPECT(pthread_create(&threads[i], NULL, thread_main, NULL) == 0);
	for (uint32_t i = 0; i < options.threads; i++)
		pthread_join(threads[i], NULL);
	ze_app_close(&app);
	printf("%u threads added %u floats %u times: all sums are right\n", options.threads,
	       options.size, options.iterations);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * cuda_memory_kinds.h: memory of cuda_driver.c that is more than a block: managed, from pools and in
 * a stream's order, pinned. All of it is the host's. Memory that is freed in a stream's order stays
 * until that stream has done what came before.
 */
CU cuMemAllocManaged(pointer *memory, size_t size, unsigned flags)
{
	COUNTED();
	if (flags != 1 && flags != 2)
		return INVALID_VALUE;
	*memory = (pointer)(uintptr_t)calloc(1, size);
	return *memory ? SUCCESS : OUT_OF_MEMORY;
}

CU cuMemAllocAsync(pointer *memory, size_t size, void *stream)
{
	COUNTED();
	if (!stream_of(stream, false))
		return INVALID_CONTEXT;
	*memory = (pointer)(uintptr_t)calloc(1, size);
	return *memory ? SUCCESS : OUT_OF_MEMORY;
}

CU cuMemFreeAsync(pointer memory, void *stream)
{
	COUNTED();
	if (!stream_of(stream, false))
		return INVALID_CONTEXT;
	stream_wait(stream_of(stream, false));
	free(ADDRESS(memory));
	return SUCCESS;
}

/* Every pool is the device's own. */
static char default_pool;

CU cuDeviceGetDefaultMemPool(void **pool, int device)
{
	COUNTED();
	*pool = &default_pool;
	return device ? INVALID_VALUE : SUCCESS;
}

CU cuMemAllocFromPoolAsync(pointer *memory, size_t size, void *pool, void *stream)
{
	COUNTED();
	if (pool != &default_pool || !stream_of(stream, false))
		return INVALID_VALUE;
	*memory = (pointer)(uintptr_t)calloc(1, size);
	return *memory ? SUCCESS : OUT_OF_MEMORY;
}

CU cuMemHostRegister_v2(void *memory, size_t size, unsigned flags)
{
	COUNTED();
	(void)flags;
	return memory && size ? SUCCESS : INVALID_VALUE;
}

CU cuMemHostUnregister(void *memory)
{
	COUNTED();
	return memory ? SUCCESS : INVALID_VALUE;
}

CU cuMemHostGetDevicePointer_v2(pointer *device, void *memory, unsigned flags)
{
	COUNTED();
	*device = (pointer)(uintptr_t)memory;
	return flags ? INVALID_VALUE : SUCCESS;
}

static void nap(void *unused)
{
	(void)unused;
	pause_for(20);
}

CU cuMemPrefetchAsync(pointer memory, size_t size, int device, void *stream)
{
	COUNTED();
	struct task task = {.what = HOST, .name = "prefetch", .bytes = size, .rows = 1};

	task.function = nap;
	return memory && device <= 0 ? task_put(stream_of(stream, false), &task) : INVALID_VALUE;
}

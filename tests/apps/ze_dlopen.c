/* SPDX-License-Identifier: MIT */
/*
 * A program that is not linked with the loader: opens it with dlopen, RTLD_LOCAL, and takes every
 * function by dlsym.
 *
 *	ze_dlopen [deep]		deep: opens it with RTLD_DEEPBIND
 */
#include "ze_app.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void *loader;

#define CALL(function, ...)                                                                        \
	({                                                                                         \
		__typeof__(&function) pointer_;                                                    \
		void *found_ = dlsym(loader, #function);                                           \
		EXPECT(found_);                                                                    \
		memcpy(&pointer_, &found_, sizeof(pointer_));                                      \
		ZE_COUNT(function);                                                                \
		pointer_(__VA_ARGS__);                                                             \
	})

static void fill_and_check(ze_context_handle_t context, ze_device_handle_t device)
{
	const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
						    .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
	const ze_device_mem_alloc_desc_t device_desc = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
	const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
	const uint32_t pattern = 0x600dcafe;
	ze_command_list_handle_t list = NULL;
	void *memory = NULL;

	MUST(CALL(zeMemAllocShared, context, &device_desc, &host_desc, 4096, 64, device, &memory));
	MUST(CALL(zeCommandListCreateImmediate, context, device, &queue_desc, &list));
	MUST(CALL(zeCommandListAppendMemoryFill, list, memory, &pattern, sizeof(pattern), 4096,
		  NULL, 0, NULL));
	for (size_t i = 0; i < 4096 / sizeof(pattern); i++)
		EXPECT(((uint32_t *)memory)[i] == pattern);
	MUST(CALL(zeCommandListDestroy, list));
	MUST(CALL(zeMemFree, context, memory));
}

int main(int argc, char **argv)
{
	const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
	bool deep = argc > 1 && strcmp(argv[1], "deep") == 0;
	ze_driver_handle_t driver = NULL;
	ze_device_handle_t device = NULL;
	ze_context_handle_t context = NULL;
	uint32_t count = 1;

	loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL | (deep ? RTLD_DEEPBIND : 0));
	EXPECT(loader);
	EXPECT(!dlsym(loader, "zeNoSuchFunction"));
	MUST(CALL(zeInit, 0));
	MUST(CALL(zeDriverGet, &count, &driver));
	MUST(CALL(zeDeviceGet, driver, &count, &device));
	MUST(CALL(zeContextCreate, driver, &desc, &context));
	fill_and_check(context, device);
	MUST(CALL(zeContextDestroy, context));
	puts("filled through dlsym");
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Calls with what argument decoding has to show: chains of structures through pNext, known and
 * unknown ones and a long one, arrays, flags, strings with odd bytes, output parameters, results
 * that are errors.
 */
#include "ze_app.h"

#include <stdio.h>
#include <string.h>

static struct ze_app app;

/* Descriptors in a chain, going in. */
static void chain_in(void)
{
	ze_memory_compression_hints_ext_desc_t hints = {
		.stype = ZE_STRUCTURE_TYPE_MEMORY_COMPRESSION_HINTS_EXT_DESC,
		.flags = ZE_MEMORY_COMPRESSION_HINTS_EXT_FLAG_COMPRESSED};
	ze_relaxed_allocation_limits_exp_desc_t relaxed = {
		.stype = ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC,
		.pNext = &hints,
		.flags = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE};
	ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
					   .pNext = &relaxed,
					   .flags = ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_CACHED,
					   .ordinal = 0};
	void *memory = NULL;

	MUST(ZE(zeMemAllocDevice, app.context, &desc, 12345, 4096, app.device, &memory));
	EXPECT(((uintptr_t)memory & 4095) == 0);
	MUST(ZE(zeMemFree, app.context, memory));
}

/* Properties in a chain, coming out. */
static void chain_out(void)
{
	ze_eu_count_ext_t units = {.stype = ZE_STRUCTURE_TYPE_EU_COUNT_EXT};
	ze_device_luid_ext_properties_t luid = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_LUID_EXT_PROPERTIES, .pNext = &units};
	ze_device_properties_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES,
					 .pNext = &luid};
	ze_float_atomic_ext_properties_t atomics = {
		.stype = ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES};
	ze_device_module_properties_t module = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES,
						.pNext = &atomics};

	MUST(ZE(zeDeviceGetProperties, app.device, &device));
	EXPECT(units.numTotalEUs == 8 && memcmp(&luid.luid, "testluid", 8) == 0);
	MUST(ZE(zeDeviceGetModuleProperties, app.device, &module));
	EXPECT(atomics.fp32Flags == ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_LOAD_STORE);
}

/* Structures that no header of ours names, and more of them than anybody should follow. */
static void chain_unknown_and_long(void)
{
	ze_base_desc_t links[100];
	ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC, .pNext = &links[0]};
	ze_context_handle_t context = NULL;

	for (int i = 0; i < 100; i++) {
		links[i].stype = (ze_structure_type_t)(0x7abc0000 + i);
		links[i].pNext = i < 99 ? &links[i + 1] : NULL;
	}
	MUST(ZE(zeContextCreate, app.driver, &desc, &context));
	MUST(ZE(zeContextDestroy, context));
}

static void arrays(void)
{
	ze_command_queue_group_properties_t groups[4] = {0};
	ze_driver_extension_properties_t extensions[16];
	const char *names[16];
	const size_t sizes[3] = {16, 32, 48};
	static char ranges[96];
	const void *starts[3] = {ranges, ranges + 16, ranges + 48};
	uint32_t count = 0;
	ze_command_list_handle_t list = ze_app_list(&app);

	MUST(ZE(zeDeviceGetCommandQueueGroupProperties, app.device, &count, NULL));
	EXPECT(count == 2);
	for (uint32_t i = 0; i < count; i++)
		groups[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
	MUST(ZE(zeDeviceGetCommandQueueGroupProperties, app.device, &count, groups));
	EXPECT(groups[1].flags == ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
	count = 16;
	MUST(ZE(zeDriverGetExtensionProperties, app.driver, &count, extensions));
	EXPECT(count > 1 && count < 16);
	count = 16;
	MUST(ZE(zeModuleGetKernelNames, app.module, &count, names));
	EXPECT(count > 4 && strcmp(names[0], "vector_add") == 0);
	MUST(ZE(zeCommandListAppendMemoryRangesBarrier, list, 3, sizes, starts, NULL, 0, NULL));
	MUST(ZE(zeCommandListDestroy, list));
}

/* A kernel name as nobody would choose it, and constants of a module. */
static void odd_strings(void)
{
	static const char name[] =
		"empty@\"quoted\" \\back\\ \x01\x1f\t\n caf\xc3\xa9 \xff\xfe end";
	const uint32_t ids[2] = {1, 2}, one = 11, two = 22;
	const void *values[2] = {&one, &two};
	const ze_module_constants_t constants = {2, ids, values};
	const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
				       .format = ZE_MODULE_FORMAT_NATIVE,
				       .inputSize = 21,
				       .pInputModule = (const uint8_t *)"error: no such \"type\"",
				       .pBuildFlags = "",
				       .pConstants = &constants};
	ze_kernel_handle_t kernel = ze_app_kernel(&app, name);
	ze_module_build_log_handle_t log = NULL;
	ze_module_handle_t module = NULL;
	char text[128];
	size_t size = sizeof(text);

	MUST(ZE(zeKernelGetName, kernel, &size, text));
	EXPECT(size == sizeof(name) && memcmp(text, name, size) == 0);
	MUST(ZE(zeKernelDestroy, kernel));
	EXPECT(ZE(zeModuleCreate, app.context, app.device, &desc, &module, &log) ==
	       ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
	size = sizeof(text);
	MUST(ZE(zeModuleBuildLogGetString, log, &size, text));
	EXPECT(strcmp(text, " no such \"type\"") == 0);
	MUST(ZE(zeModuleBuildLogDestroy, log));
}

static void launches(void)
{
	const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC,
					       .flags = ZE_HOST_MEM_ALLOC_FLAG_BIAS_WRITE_COMBINED};
	const ze_copy_region_t to = {1, 2, 0, 4, 3, 1}, from = {0, 1, 0, 4, 3, 1};
	const ze_group_count_t groups = {2, 1, 1};
	ze_command_queue_handle_t queue = ze_app_queue(&app, 0);
	ze_command_list_handle_t list = ze_app_list(&app);
	ze_kernel_handle_t sum = ze_app_kernel(&app, "group_sum");
	uint32_t *memory = NULL, *out;

	MUST(ZE(zeMemAllocHost, app.context, &desc, 4096, 0, (void **)&memory));
	memset(memory, 0, 4096);
	out = memory + 512;
	for (uint32_t i = 0; i < 16; i++)
		memory[i] = i;
	MUST(ZE(zeKernelSetGroupSize, sum, 8, 1, 1));
	MUST(ZE(zeKernelSetArgumentValue, sum, 0, sizeof(memory), &memory));
	MUST(ZE(zeKernelSetArgumentValue, sum, 1, sizeof(out), &out));
	MUST(ZE(zeKernelSetArgumentValue, sum, 2, 8 * sizeof(uint32_t), NULL));
	MUST(ZE(zeCommandListAppendLaunchCooperativeKernel, list, sum, &groups, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendMemoryCopyRegion, list, memory + 256, &to, 16, 64, memory, &from,
		8, 32, NULL, 0, NULL));
	MUST(ZE(zeCommandListClose, list));
	MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, &list, NULL));
	MUST(ZE(zeCommandQueueSynchronize, queue, UINT64_MAX));
	EXPECT(out[0] == 28 && out[1] == 92);
	EXPECT(memcmp((char *)(memory + 256) + 2 * 16 + 1, (char *)memory + 8, 4) == 0);
	MUST(ZE(zeMemFree, app.context, memory));
	MUST(ZE(zeKernelDestroy, sum));
	MUST(ZE(zeCommandListDestroy, list));
	MUST(ZE(zeCommandQueueDestroy, queue));
}

/* Calls that fail: what they would have written stays as it was. */
static void errors(void)
{
	ze_image_desc_t image_desc = {
		.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
		.type = ZE_IMAGE_TYPE_2D,
		.format = {ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM,
			   ZE_IMAGE_FORMAT_SWIZZLE_R, ZE_IMAGE_FORMAT_SWIZZLE_G,
			   ZE_IMAGE_FORMAT_SWIZZLE_B, ZE_IMAGE_FORMAT_SWIZZLE_A},
		.width = 640,
		.height = 480,
		.depth = 1,
		.arraylevels = 65536}; /* more than the device has */
	ze_image_handle_t image = NULL;
	ze_kernel_handle_t kernel = NULL;
	const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
				       .pKernelName = "no such kernel"};

	EXPECT(ZE(zeImageCreate, app.context, app.device, &image_desc, &image) ==
	       ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
	EXPECT(ZE(zeKernelCreate, app.module, &desc, &kernel) ==
	       ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
	EXPECT(ZE(zeDriverGet, NULL, NULL) == ZE_RESULT_ERROR_INVALID_NULL_POINTER);
	EXPECT(!image && !kernel);
}

int main(void)
{
	ze_app_open(&app);
	chain_in();
	chain_out();
	chain_unknown_and_long();
	arrays();
	odd_strings();
	launches();
	errors();
	ze_app_close(&app);
	puts("chains, arrays, strings and errors are as they should be");
	return 0;
}

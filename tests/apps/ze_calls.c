/* SPDX-License-Identifier: MIT */
/*
 * Calls every function of ze_api.h (API 1.4) exactly once, with arguments that do no harm. A
 * function that the device does not have must say so. Works with one driver only: with several, the
 * loader reads the handles, and some are NULL here.
 */
#include "ze_app.h"

#include <stdio.h>
#include <string.h>

/* What a function that the test device does not have returns. */
#define LACKS(call) EXPECT((call) == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)

/* And one that is called without. */
#define NO_HANDLE(call) EXPECT((call) == ZE_RESULT_ERROR_INVALID_NULL_HANDLE)

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context, other_context;
static ze_command_queue_handle_t queue;
static ze_command_list_handle_t list, immediate;
static ze_event_pool_handle_t pool;
static ze_event_handle_t event;
static ze_fence_handle_t fence;
static ze_module_handle_t module;
static ze_module_build_log_handle_t build_log, link_log, inspect_log;
static ze_kernel_handle_t kernel;
static void *host_memory, *device_memory, *shared_memory;

static void drivers(void)
{
	ze_api_version_t version;
	ze_driver_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
	ze_driver_ipc_properties_t ipc = {.stype = ZE_STRUCTURE_TYPE_DRIVER_IPC_PROPERTIES};
	uint32_t count = 1;
	void *address;

	MUST(ZE(zeInit, 0));
	MUST(ZE(zeDriverGet, &count, &driver));
	MUST(ZE(zeDriverGetApiVersion, driver, &version));
	EXPECT(version >= ZE_API_VERSION_1_4);
	MUST(ZE(zeDriverGetProperties, driver, &properties));
	MUST(ZE(zeDriverGetIpcProperties, driver, &ipc));
	count = 0;
	MUST(ZE(zeDriverGetExtensionProperties, driver, &count, NULL));
	MUST(ZE(zeDriverGetExtensionFunctionAddress, driver, "zexTestSum", &address));
}

static void devices(void)
{
	ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
	ze_device_compute_properties_t compute = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
	ze_device_module_properties_t modules = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
	ze_device_memory_access_properties_t access = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
	ze_device_image_properties_t images = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES};
	ze_device_external_memory_properties_t external = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES};
	ze_device_p2p_properties_t p2p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES};
	ze_pci_ext_properties_t pci = {.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES};
	ze_fabric_vertex_handle_t vertex = NULL;
	uint64_t host, ticks;
	uint32_t count = 1;
	ze_bool_t can;

	MUST(ZE(zeDeviceGet, driver, &count, &device));
	count = 0;
	MUST(ZE(zeDeviceGetSubDevices, device, &count, NULL));
	MUST(ZE(zeDeviceGetProperties, device, &properties));
	MUST(ZE(zeDeviceGetComputeProperties, device, &compute));
	MUST(ZE(zeDeviceGetModuleProperties, device, &modules));
	MUST(ZE(zeDeviceGetCommandQueueGroupProperties, device, &count, NULL));
	count = 0;
	MUST(ZE(zeDeviceGetMemoryProperties, device, &count, NULL));
	MUST(ZE(zeDeviceGetMemoryAccessProperties, device, &access));
	count = 0;
	MUST(ZE(zeDeviceGetCacheProperties, device, &count, NULL));
	MUST(ZE(zeDeviceGetImageProperties, device, &images));
	MUST(ZE(zeDeviceGetExternalMemoryProperties, device, &external));
	MUST(ZE(zeDeviceGetP2PProperties, device, device, &p2p));
	MUST(ZE(zeDeviceCanAccessPeer, device, device, &can));
	MUST(ZE(zeDeviceGetStatus, device));
	MUST(ZE(zeDeviceGetGlobalTimestamps, device, &host, &ticks));
	MUST(ZE(zeDevicePciGetPropertiesExt, device, &pci));
	LACKS(ZE(zeDeviceReserveCacheExt, device, 3, 4096));
	LACKS(ZE(zeDeviceSetCacheAdviceExt, device, &count, 4,
		 ZE_CACHE_EXT_REGION_ZE_CACHE_NON_RESERVED_REGION));
	EXPECT(ZE(zeDeviceGetFabricVertexExp, device, &vertex) ==
	       ZE_RESULT_EXP_ERROR_DEVICE_IS_NOT_VERTEX);
}

static void contexts(void)
{
	const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};

	MUST(ZE(zeContextCreate, driver, &desc, &context));
	MUST(ZE(zeContextCreateEx, driver, &desc, 1, &device, &other_context));
	MUST(ZE(zeContextGetStatus, context));
	MUST(ZE(zeContextSystemBarrier, context, device));
}

static void memory(void)
{
	const ze_device_mem_alloc_desc_t on_device = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
	const ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
	ze_memory_allocation_properties_t properties = {
		.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
	ze_ipc_mem_handle_t handle = {{0}};
	ze_device_handle_t of;
	void *base, *opened;
	size_t size;

	MUST(ZE(zeMemAllocHost, context, &on_host, 4096, 64, &host_memory));
	MUST(ZE(zeMemAllocDevice, context, &on_device, 4096, 64, device, &device_memory));
	MUST(ZE(zeMemAllocShared, context, &on_device, &on_host, 4096, 64, device, &shared_memory));
	MUST(ZE(zeMemGetAllocProperties, context, device_memory, &properties, &of));
	EXPECT(properties.type == ZE_MEMORY_TYPE_DEVICE && of == device);
	MUST(ZE(zeMemGetAddressRange, context, (char *)shared_memory + 100, &base, &size));
	EXPECT(base == shared_memory && size == 4096);
	MUST(ZE(zeContextMakeMemoryResident, context, device, device_memory, 4096));
	MUST(ZE(zeContextEvictMemory, context, device, device_memory, 4096));
	LACKS(ZE(zeMemGetIpcHandle, context, device_memory, &handle));
	LACKS(ZE(zeMemOpenIpcHandle, context, device, handle, 0, &opened));
	LACKS(ZE(zeMemCloseIpcHandle, context, device_memory));
}

static void virtual_memory(void)
{
	ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = 4096};
	ze_physical_mem_handle_t physical = NULL;
	ze_memory_access_attribute_t access;
	void *pointer = NULL;
	size_t size;

	LACKS(ZE(zeVirtualMemQueryPageSize, context, device, 4096, &size));
	LACKS(ZE(zeVirtualMemReserve, context, NULL, 4096, &pointer));
	LACKS(ZE(zePhysicalMemCreate, context, device, &desc, &physical));
	LACKS(ZE(zeVirtualMemMap, context, pointer, 4096, physical, 0,
		 ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
	LACKS(ZE(zeVirtualMemSetAccessAttribute, context, pointer, 4096,
		 ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY));
	LACKS(ZE(zeVirtualMemGetAccessAttribute, context, pointer, 4096, &access, &size));
	LACKS(ZE(zeVirtualMemUnmap, context, pointer, 4096));
	LACKS(ZE(zePhysicalMemDestroy, context, physical));
	LACKS(ZE(zeVirtualMemFree, context, pointer, 4096));
}

static void modules(void)
{
	const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
				       .inputSize = 4,
				       .pInputModule = (const uint8_t *)"SPIR",
				       .pBuildFlags = "-g"};
	const ze_kernel_desc_t kernel_desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
					      .pKernelName = "wait_flag"};
	ze_linkage_inspection_ext_desc_t inspect = {
		.stype = ZE_STRUCTURE_TYPE_LINKAGE_INSPECTION_EXT_DESC,
		.flags = ZE_LINKAGE_INSPECTION_EXT_FLAG_IMPORTS};
	ze_module_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROPERTIES};
	uint32_t count = 0;
	void *pointer;
	size_t size = 0;

	MUST(ZE(zeModuleCreate, context, device, &desc, &module, &build_log));
	MUST(ZE(zeModuleDynamicLink, 1, &module, &link_log));
	MUST(ZE(zeModuleInspectLinkageExt, &inspect, 1, &module, &inspect_log));
	MUST(ZE(zeModuleBuildLogGetString, build_log, &size, NULL));
	EXPECT(size == 1);
	MUST(ZE(zeModuleBuildLogDestroy, build_log));
	MUST(ZE(zeModuleGetNativeBinary, module, &size, NULL));
	EXPECT(size == 4);
	MUST(ZE(zeModuleGetGlobalPointer, module, "counter", &size, &pointer));
	MUST(ZE(zeModuleGetKernelNames, module, &count, NULL));
	MUST(ZE(zeModuleGetProperties, module, &properties));
	MUST(ZE(zeModuleGetFunctionPointer, module, "saxpy", &pointer));
	MUST(ZE(zeKernelCreate, module, &kernel_desc, &kernel));
}

static void kernels(void)
{
	ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
	ze_scheduling_hint_exp_desc_t hint = {.stype = ZE_STRUCTURE_TYPE_SCHEDULING_HINT_EXP_DESC,
					      .flags = ZE_SCHEDULING_HINT_EXP_FLAG_ROUND_ROBIN};
	ze_kernel_indirect_access_flags_t indirect;
	uint32_t x, y, z, count, length = 0;
	size_t size = 0;
	char *attributes;

	*(uint32_t *)shared_memory = 1; /* the flag that the kernel waits for is set */
	MUST(ZE(zeKernelSetArgumentValue, kernel, 0, sizeof(shared_memory), &shared_memory));
	MUST(ZE(zeKernelSetGroupSize, kernel, 1, 1, 1));
	MUST(ZE(zeKernelSuggestGroupSize, kernel, 48, 1, 1, &x, &y, &z));
	EXPECT(x == 16 && y == 1 && z == 1);
	MUST(ZE(zeKernelSuggestMaxCooperativeGroupCount, kernel, &count));
	MUST(ZE(zeKernelSetIndirectAccess, kernel,
		ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST | ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED));
	MUST(ZE(zeKernelGetIndirectAccess, kernel, &indirect));
	EXPECT(indirect ==
	       (ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST | ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED));
	MUST(ZE(zeKernelGetSourceAttributes, kernel, &length, &attributes));
	EXPECT(strlen(attributes) + 1 == length);
	MUST(ZE(zeKernelSetCacheConfig, kernel, ZE_CACHE_CONFIG_FLAG_LARGE_SLM));
	MUST(ZE(zeKernelGetProperties, kernel, &properties));
	EXPECT(properties.numKernelArgs == 1);
	MUST(ZE(zeKernelGetName, kernel, &size, NULL));
	EXPECT(size == sizeof("wait_flag"));
	MUST(ZE(zeKernelSetGlobalOffsetExp, kernel, 0, 0, 0));
	MUST(ZE(zeKernelSchedulingHintExp, kernel, &hint));
}

static void objects(void)
{
	const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
	const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
	const ze_fence_desc_t fence_desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
	const ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
						.count = 1,
						.flags = ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP |
							 ZE_EVENT_POOL_FLAG_HOST_VISIBLE};
	const ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
					    .wait = ZE_EVENT_SCOPE_FLAG_HOST};
	ze_ipc_event_pool_handle_t ipc = {{0}};
	ze_event_pool_handle_t opened;

	MUST(ZE(zeCommandQueueCreate, context, device, &queue_desc, &queue));
	MUST(ZE(zeCommandListCreate, context, device, &list_desc, &list));
	MUST(ZE(zeCommandListCreateImmediate, context, device, &queue_desc, &immediate));
	MUST(ZE(zeFenceCreate, queue, &fence_desc, &fence));
	MUST(ZE(zeEventPoolCreate, context, &pool_desc, 1, &device, &pool));
	MUST(ZE(zeEventCreate, pool, &event_desc, &event));
	LACKS(ZE(zeEventPoolGetIpcHandle, pool, &ipc));
	LACKS(ZE(zeEventPoolOpenIpcHandle, context, ipc, &opened));
	LACKS(ZE(zeEventPoolCloseIpcHandle, pool));
	MUST(ZE(zeEventHostSignal, event));
	MUST(ZE(zeEventQueryStatus, event));
	MUST(ZE(zeEventHostReset, event));
}

static void append_copies(void)
{
	const ze_copy_region_t region = {0, 0, 0, 16, 4, 1};
	const size_t range_size = 64;
	const void *range = host_memory;
	const uint8_t pattern = 0x5a;

	MUST(ZE(zeCommandListAppendMemoryFill, list, device_memory, &pattern, 1, 4096, NULL, 0,
		NULL));
	MUST(ZE(zeCommandListAppendBarrier, list, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendMemoryCopy, list, host_memory, device_memory, 2048, NULL, 0,
		NULL));
	MUST(ZE(zeCommandListAppendMemoryCopyRegion, list, (char *)host_memory + 2048, &region, 16,
		64, device_memory, &region, 16, 64, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendMemoryCopyFromContext, list, (char *)host_memory + 3072, context,
		device_memory, 64, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendMemoryRangesBarrier, list, 1, &range_size, &range, NULL, 0,
		NULL));
	MUST(ZE(zeCommandListAppendMemoryPrefetch, list, shared_memory, 4096));
	MUST(ZE(zeCommandListAppendMemAdvise, list, device, shared_memory, 4096,
		ZE_MEMORY_ADVICE_SET_READ_MOSTLY));
	MUST(ZE(zeCommandListAppendWriteGlobalTimestamp, list, (uint64_t *)shared_memory + 8, NULL,
		0, NULL));
}

static void append_launches(void)
{
	ze_group_count_t *groups = (ze_group_count_t *)((char *)shared_memory + 512);
	uint32_t *limit = (uint32_t *)((char *)shared_memory + 256);
	const ze_group_count_t one = {1, 1, 1};

	*groups = one;
	*limit = 1;
	MUST(ZE(zeCommandListAppendLaunchKernel, list, kernel, &one, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendLaunchCooperativeKernel, list, kernel, &one, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendLaunchKernelIndirect, list, kernel, groups, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendLaunchMultipleKernelsIndirect, list, 1, &kernel, limit, groups,
		NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendSignalEvent, list, event));
	MUST(ZE(zeCommandListAppendWaitOnEvents, list, 1, &event));
	MUST(ZE(zeCommandListAppendQueryKernelTimestamps, list, 1, &event,
		(char *)shared_memory + 1024, NULL, NULL, 0, NULL));
}

static void append_images(void)
{
	const ze_image_region_t region = {0, 0, 0, 1, 1, 1};

	NO_HANDLE(ZE(zeCommandListAppendImageCopy, list, NULL, NULL, NULL, 0, NULL));
	NO_HANDLE(ZE(zeCommandListAppendImageCopyRegion, list, NULL, NULL, &region, &region, NULL,
		     0, NULL));
	NO_HANDLE(ZE(zeCommandListAppendImageCopyToMemory, list, host_memory, NULL, &region, NULL,
		     0, NULL));
	NO_HANDLE(ZE(zeCommandListAppendImageCopyFromMemory, list, NULL, host_memory, &region, NULL,
		     0, NULL));
	NO_HANDLE(ZE(zeCommandListAppendImageCopyToMemoryExt, list, host_memory, NULL, &region, 4,
		     4, NULL, 0, NULL));
	NO_HANDLE(ZE(zeCommandListAppendImageCopyFromMemoryExt, list, NULL, host_memory, &region, 4,
		     4, NULL, 0, NULL));
}

static void images(void)
{
	const ze_image_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC, .width = 4};
	const ze_sampler_desc_t sampler_desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC};
	ze_image_allocation_ext_properties_t allocation = {
		.stype = ZE_STRUCTURE_TYPE_IMAGE_ALLOCATION_EXT_PROPERTIES};
	ze_image_memory_properties_exp_t in_memory = {
		.stype = ZE_STRUCTURE_TYPE_IMAGE_MEMORY_EXP_PROPERTIES};
	ze_image_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES};
	ze_image_handle_t image = NULL;
	ze_sampler_handle_t sampler = NULL;

	LACKS(ZE(zeImageGetProperties, device, &desc, &properties));
	MUST(ZE(zeImageCreate, context, device, &desc, &image));
	LACKS(ZE(zeImageViewCreateExp, context, device, &desc, NULL, &image));
	LACKS(ZE(zeImageGetAllocPropertiesExt, context, NULL, &allocation));
	LACKS(ZE(zeImageGetMemoryPropertiesExp, NULL, &in_memory));
	LACKS(ZE(zeContextMakeImageResident, context, device, NULL));
	LACKS(ZE(zeContextEvictImage, context, device, NULL));
	MUST(ZE(zeImageDestroy, image));
	LACKS(ZE(zeSamplerCreate, context, device, &sampler_desc, &sampler));
	LACKS(ZE(zeSamplerDestroy, NULL));
}

static void fabric(void)
{
	ze_fabric_vertex_exp_properties_t vertex = {
		.stype = ZE_STRUCTURE_TYPE_FABRIC_VERTEX_EXP_PROPERTIES};
	ze_fabric_edge_exp_properties_t edge = {
		.stype = ZE_STRUCTURE_TYPE_FABRIC_EDGE_EXP_PROPERTIES};
	ze_fabric_vertex_handle_t a, b;
	ze_device_handle_t of;
	uint32_t count = 0;

	MUST(ZE(zeFabricVertexGetExp, driver, &count, NULL));
	EXPECT(count == 0);
	LACKS(ZE(zeFabricVertexGetSubVerticesExp, NULL, &count, NULL));
	LACKS(ZE(zeFabricVertexGetPropertiesExp, NULL, &vertex));
	LACKS(ZE(zeFabricVertexGetDeviceExp, NULL, &of));
	LACKS(ZE(zeFabricEdgeGetExp, NULL, NULL, &count, NULL));
	LACKS(ZE(zeFabricEdgeGetVerticesExp, NULL, &a, &b));
	LACKS(ZE(zeFabricEdgeGetPropertiesExp, NULL, &edge));
}

static void execute(void)
{
	ze_kernel_timestamp_result_t times;
	uint32_t count = 1;

	MUST(ZE(zeCommandListClose, list));
	MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, &list, fence));
	MUST(ZE(zeFenceHostSynchronize, fence, UINT64_MAX));
	MUST(ZE(zeFenceQueryStatus, fence));
	MUST(ZE(zeFenceReset, fence));
	MUST(ZE(zeCommandQueueSynchronize, queue, UINT64_MAX));
	MUST(ZE(zeEventHostSynchronize, event, 0));
	MUST(ZE(zeEventQueryKernelTimestamp, event, &times));
	MUST(ZE(zeEventQueryTimestampsExp, event, device, &count, &times));
	for (size_t i = 0; i < 2048 + 64; i++)
		EXPECT(((const unsigned char *)host_memory)[i] == 0x5a);
	MUST(ZE(zeCommandListReset, list));
	MUST(ZE(zeCommandListAppendEventReset, list, event));
}

static void destroy(void)
{
	const ze_memory_free_ext_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
		.freePolicy = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE};

	MUST(ZE(zeKernelDestroy, kernel));
	MUST(ZE(zeModuleDestroy, module));
	MUST(ZE(zeFenceDestroy, fence));
	MUST(ZE(zeCommandListDestroy, list));
	MUST(ZE(zeCommandQueueDestroy, queue));
	MUST(ZE(zeEventDestroy, event));
	MUST(ZE(zeEventPoolDestroy, pool));
	MUST(ZE(zeMemFree, context, host_memory));
	MUST(ZE(zeMemFreeExt, context, &desc, device_memory));
	MUST(ZE(zeContextDestroy, context));
}

int main(void);
int main(void)
{
	drivers();
	devices();
	contexts();
	memory();
	virtual_memory();
	modules();
	kernels();
	objects();
	append_copies();
	append_launches();
	append_images();
	images();
	fabric();
	execute();
	destroy();
	puts("called every function once");
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* The properties of the driver, its devices and contexts. */
#include "ze_device.h"
#include "ze_driver.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct _ze_driver_handle_t the_driver;
pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t device_changed;

static pthread_once_t driver_once = PTHREAD_ONCE_INIT;
static _Atomic bool initialized;

/* ---- set-up */

static void device_set_up(ze_device_handle_t device, ze_device_handle_t root, uint32_t number,
			  int32_t sub)
{
	device->root = root;
	device->number = number;
	device->sub = sub;
	for (uint32_t group = 0; group < GROUPS; group++)
		for (uint32_t index = 0; index < ENGINES; index++) {
			struct engine *engine = &device->engines[group][index];

			pthread_mutex_init(&engine->lock, NULL);
			engine->group = group;
			engine->index = index;
		}
}

static uint32_t at_most(uint64_t wanted, uint32_t limit)
{
	return wanted > limit ? limit : (uint32_t)wanted;
}

static void driver_set_up(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&device_changed, &attr);
	the_driver.device_count = at_most(config_number("DEVICES", 1), MAX_DEVICES);
	the_driver.sub_count = at_most(config_number("SUBDEVICES", 0), MAX_SUBDEVICES);
	for (uint32_t i = 0; i < MAX_DEVICES; i++) {
		device_set_up(&the_driver.devices[i], &the_driver.devices[i], i, -1);
		for (uint32_t sub = 0; sub < MAX_SUBDEVICES; sub++)
			device_set_up(&the_driver.subs[i][sub], &the_driver.devices[i], i,
				      (int32_t)sub);
	}
}

bool device_list_count(uint32_t *count, bool have_array, uint32_t available)
{
	if (*count == 0 || !have_array) {
		*count = available;
		return false;
	}
	if (*count > available)
		*count = available;
	return true;
}

/* ---- waiting, and losing a device */

bool device_is_lost(ze_device_handle_t device)
{
	if (device)
		return atomic_load_explicit(&device->root->lost, memory_order_acquire);
	for (uint32_t i = 0; i < the_driver.device_count; i++)
		if (device_is_lost(&the_driver.devices[i]))
			return true;
	return false;
}

void device_lose(ze_device_handle_t device)
{
	pthread_mutex_lock(&device_lock);
	atomic_store_explicit(&device->root->lost, true, memory_order_release);
	pthread_cond_broadcast(&device_changed);
	pthread_mutex_unlock(&device_lock);
}

static void unlock_device(void *unused)
{
	pthread_mutex_unlock(&device_lock);
}

static struct timespec deadline(uint64_t timeout)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	uint64_t ns = (uint64_t)until.tv_nsec + timeout;
	until.tv_sec += (time_t)(ns / 1000000000u);
	until.tv_nsec = (long)(ns % 1000000000u);
	return until;
}

static bool wait_until_done(ze_device_handle_t device, bool (*done)(void *arg), void *arg,
			    uint64_t timeout)
{
	const bool forever = timeout >= UINT64_MAX / 2;
	const struct timespec until = deadline(forever ? 0 : timeout);
	int rc = timeout == 0 ? ETIMEDOUT : 0;

	while (!done(arg) && !device_is_lost(device)) {
		if (rc == ETIMEDOUT)
			return false;
		if (forever)
			rc = pthread_cond_wait(&device_changed, &device_lock);
		else
			rc = pthread_cond_timedwait(&device_changed, &device_lock, &until);
	}
	return done(arg);
}

/* The program may cancel its own thread in here. */
ze_result_t device_wait(ze_device_handle_t device, bool (*done)(void *arg), void *arg,
			uint64_t timeout)
{
	bool is_done;

	pthread_cleanup_push(unlock_device, NULL);
	is_done = wait_until_done(device, done, arg, timeout);
	pthread_cleanup_pop(0);
	if (is_done)
		return ZE_RESULT_SUCCESS;
	return device_is_lost(device) ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_NOT_READY;
}

/* ---- driver */

ze_result_t zeInit(ze_init_flags_t flags)
{
	ENTER(zeInit);
	if (flags == ZE_INIT_FLAG_VPU_ONLY)
		return ZE_RESULT_ERROR_UNINITIALIZED;
	pthread_once(&driver_once, driver_set_up);
	atomic_store(&initialized, true);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGet(uint32_t *count, ze_driver_handle_t *drivers)
{
	ENTER(zeDriverGet);
	NEED_POINTER(count);
	if (!atomic_load(&initialized))
		return ZE_RESULT_ERROR_UNINITIALIZED;
	if (device_list_count(count, drivers, 1))
		drivers[0] = &the_driver;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGetApiVersion(ze_driver_handle_t driver, ze_api_version_t *version)
{
	ENTER(zeDriverGetApiVersion);
	NEED_HANDLE(driver);
	NEED_POINTER(version);
	*version = ZE_API_VERSION_1_4;
	return ZE_RESULT_SUCCESS;
}

/* Structures of this chain that the driver knows get their values; others are left alone. */
static void fill_chain(void *next)
{
	for (ze_base_properties_t *p = next; p; p = p->pNext) {
		switch (p->stype) {
		case ZE_STRUCTURE_TYPE_DRIVER_MEMORY_FREE_EXT_PROPERTIES:
			((ze_driver_memory_free_ext_properties_t *)p)->freePolicies =
				ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE;
			break;
		case ZE_STRUCTURE_TYPE_EU_COUNT_EXT:
			((ze_eu_count_ext_t *)p)->numTotalEUs = 8;
			break;
		case ZE_STRUCTURE_TYPE_DEVICE_LUID_EXT_PROPERTIES:
			memcpy(&((ze_device_luid_ext_properties_t *)p)->luid, "testluid", 8);
			((ze_device_luid_ext_properties_t *)p)->nodeMask = 1;
			break;
		case ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES:
			((ze_float_atomic_ext_properties_t *)p)->fp32Flags =
				ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_LOAD_STORE;
			break;
		case ZE_STRUCTURE_TYPE_SCHEDULING_HINT_EXP_PROPERTIES:
			((ze_scheduling_hint_exp_properties_t *)p)->schedulingHintFlags =
				ZE_SCHEDULING_HINT_EXP_FLAG_OLDEST_FIRST;
			break;
		default:
			break;
		}
	}
}

ze_result_t zeDriverGetProperties(ze_driver_handle_t driver, ze_driver_properties_t *properties)
{
	ENTER(zeDriverGetProperties);
	NEED_HANDLE(driver);
	NEED_POINTER(properties);
	memset(&properties->uuid, 0, sizeof(properties->uuid));
	snprintf((char *)properties->uuid.id, sizeof(properties->uuid.id), "test driver %s",
		 ZE_DRIVER_INSTANCE);
	properties->driverVersion = 0x01030000;
	fill_chain(properties->pNext);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGetIpcProperties(ze_driver_handle_t driver,
				     ze_driver_ipc_properties_t *properties)
{
	ENTER(zeDriverGetIpcProperties);
	NEED_HANDLE(driver);
	NEED_POINTER(properties);
	properties->flags = 0;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGetExtensionProperties(ze_driver_handle_t driver, uint32_t *count,
					   ze_driver_extension_properties_t *properties)
{
	static const ze_driver_extension_properties_t extensions[] = {
		{"ZEX_extension_test_sum", 0x10000},
		{ZE_FLOAT_ATOMICS_EXT_NAME, 0x10000},
		{ZE_EU_COUNT_EXT_NAME, 0x10000},
		{ZE_DEVICE_LUID_EXT_NAME, 0x10000},
	};

	ENTER(zeDriverGetExtensionProperties);
	NEED_HANDLE(driver);
	NEED_POINTER(count);
	if (device_list_count(count, properties, sizeof(extensions) / sizeof(extensions[0])))
		memcpy(properties, extensions, *count * sizeof(extensions[0]));
	return ZE_RESULT_SUCCESS;
}

static uint32_t zexTestSum(void *driver, uint32_t a, uint32_t b, uint32_t *sum)
{
	if (!driver)
		return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
	if (!sum)
		return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
	*sum = a + b;
	return ZE_RESULT_SUCCESS;
}

/* Gives the API's own functions too, as drivers may. */
ze_result_t zeDriverGetExtensionFunctionAddress(ze_driver_handle_t driver, const char *name,
						void **address)
{
	ENTER(zeDriverGetExtensionFunctionAddress);
	NEED_HANDLE(driver);
	NEED_POINTER(name);
	NEED_POINTER(address);
	*address = strcmp(name, "zexTestSum") == 0 ? (void *)zexTestSum : entry_find(name);
	if (!*address)
		*address = recent_find(name);
	return *address ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

/* ---- devices */

ze_result_t zeDeviceGet(ze_driver_handle_t driver, uint32_t *count, ze_device_handle_t *devices)
{
	ENTER(zeDeviceGet);
	NEED_HANDLE(driver);
	NEED_POINTER(count);
	if (device_list_count(count, devices, driver->device_count))
		for (uint32_t i = 0; i < *count; i++)
			devices[i] = &driver->devices[i];
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetSubDevices(ze_device_handle_t device, uint32_t *count,
				  ze_device_handle_t *devices)
{
	ENTER(zeDeviceGetSubDevices);
	NEED_HANDLE(device);
	NEED_POINTER(count);
	if (device_list_count(count, devices, device->sub < 0 ? the_driver.sub_count : 0))
		for (uint32_t i = 0; i < *count; i++)
			devices[i] = &the_driver.subs[device->number][i];
	return ZE_RESULT_SUCCESS;
}

/* Everything after pNext, so that what the caller chained stays. */
#define CLEAR(properties)                                                                          \
	memset(&(properties)->pNext + 1, 0,                                                        \
	       sizeof(*(properties)) - offsetof(__typeof__(*(properties)), pNext) -                \
		       sizeof(void *))

/* The resolution is in nanoseconds, cut to whole ones as drivers do, unless the newer structure
 * type asks for Hz. */
static void device_describe(ze_device_handle_t device, ze_device_properties_t *properties)
{
	const char *name = config_text("DEVICE_NAME");

	CLEAR(properties);
	properties->type = ZE_DEVICE_TYPE_GPU;
	properties->vendorId = 0x1234;
	properties->deviceId = 0x5678;
	properties->flags = device->sub < 0 ? 0 : ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE;
	properties->subdeviceId = device->sub < 0 ? 0 : (uint32_t)device->sub;
	properties->coreClockRate = 1000;
	properties->maxMemAllocSize = DEVICE_MEMORY_SIZE;
	properties->maxHardwareContexts = 64;
	properties->numThreadsPerEU = 1;
	properties->physicalEUSimdWidth = 8;
	properties->numEUsPerSubslice = 8;
	properties->numSubslicesPerSlice = 1;
	properties->numSlices = 1;
	properties->timerResolution = properties->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2
					      ? clock_hz
					      : 1000000000 / clock_hz;
	properties->timestampValidBits = clock_bits;
	properties->kernelTimestampValidBits = clock_kernel_bits;
	snprintf((char *)properties->uuid.id, sizeof(properties->uuid.id), "dev %s.%u.%d",
		 ZE_DRIVER_INSTANCE, device->number, device->sub);
	snprintf(properties->name, sizeof(properties->name), "%s",
		 name ? name : "tracelayer test device");
	fill_chain(properties->pNext);
}

ze_result_t zeDeviceGetProperties(ze_device_handle_t device, ze_device_properties_t *properties)
{
	ENTER(zeDeviceGetProperties);
	NEED_HANDLE(device);
	NEED_POINTER(properties);
	device_describe(device, properties);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetComputeProperties(ze_device_handle_t device,
					 ze_device_compute_properties_t *properties)
{
	ENTER(zeDeviceGetComputeProperties);
	NEED_HANDLE(device);
	NEED_POINTER(properties);
	CLEAR(properties);
	properties->maxTotalGroupSize = 1024;
	properties->maxGroupSizeX = properties->maxGroupSizeY = properties->maxGroupSizeZ = 1024;
	properties->maxGroupCountX = properties->maxGroupCountY = properties->maxGroupCountZ =
		1u << 20;
	properties->maxSharedLocalMemory = 65536;
	properties->numSubGroupSizes = 2;
	properties->subGroupSizes[0] = 8;
	properties->subGroupSizes[1] = 16;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetModuleProperties(ze_device_handle_t device,
					ze_device_module_properties_t *properties)
{
	ENTER(zeDeviceGetModuleProperties);
	NEED_HANDLE(device);
	NEED_POINTER(properties);
	CLEAR(properties);
	properties->spirvVersionSupported = ZE_MAKE_VERSION(1, 2);
	properties->flags = ZE_DEVICE_MODULE_FLAG_FP64 | ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS;
	properties->fp32flags =
		ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN | ZE_DEVICE_FP_FLAG_FMA;
	properties->fp64flags = ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN;
	properties->maxArgumentsSize = MAX_ARGUMENTS * sizeof(union argument);
	memcpy(properties->nativeKernelSupported.id, "builtin kernels", 15);
	fill_chain(properties->pNext);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetCommandQueueGroupProperties(ze_device_handle_t device, uint32_t *count,
						   ze_command_queue_group_properties_t *properties)
{
	ENTER(zeDeviceGetCommandQueueGroupProperties);
	NEED_HANDLE(device);
	NEED_POINTER(count);
	if (!device_list_count(count, properties, GROUPS))
		return ZE_RESULT_SUCCESS;
	for (uint32_t i = 0; i < *count; i++) {
		CLEAR(&properties[i]);
		properties[i].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
		if (i == 0)
			properties[i].flags |=
				ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE |
				ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS;
		properties[i].maxMemoryFillPatternSize = sizeof(((struct command *)0)->pattern);
		properties[i].numQueues = ENGINES;
	}
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetMemoryProperties(ze_device_handle_t device, uint32_t *count,
					ze_device_memory_properties_t *properties)
{
	ENTER(zeDeviceGetMemoryProperties);
	NEED_HANDLE(device);
	NEED_POINTER(count);
	if (!device_list_count(count, properties, 1))
		return ZE_RESULT_SUCCESS;
	CLEAR(properties);
	properties->maxClockRate = 2000;
	properties->maxBusWidth = 64;
	properties->totalSize = DEVICE_MEMORY_SIZE;
	snprintf(properties->name, sizeof(properties->name), "test memory");
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetMemoryAccessProperties(ze_device_handle_t device,
					      ze_device_memory_access_properties_t *properties)
{
	const ze_memory_access_cap_flags_t all =
		ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC;

	ENTER(zeDeviceGetMemoryAccessProperties);
	NEED_HANDLE(device);
	NEED_POINTER(properties);
	CLEAR(properties);
	properties->hostAllocCapabilities = properties->deviceAllocCapabilities = all;
	properties->sharedSingleDeviceAllocCapabilities =
		properties->sharedCrossDeviceAllocCapabilities = all;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetCacheProperties(ze_device_handle_t device, uint32_t *count,
				       ze_device_cache_properties_t *properties)
{
	ENTER(zeDeviceGetCacheProperties);
	NEED_HANDLE(device);
	NEED_POINTER(count);
	if (!device_list_count(count, properties, 1))
		return ZE_RESULT_SUCCESS;
	CLEAR(properties);
	properties->cacheSize = 1u << 20;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetImageProperties(ze_device_handle_t device,
				       ze_device_image_properties_t *properties)
{
	ENTER(zeDeviceGetImageProperties);
	NEED_HANDLE(device);
	NEED_POINTER(properties);
	CLEAR(properties);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetExternalMemoryProperties(ze_device_handle_t device,
						ze_device_external_memory_properties_t *properties)
{
	ENTER(zeDeviceGetExternalMemoryProperties);
	NEED_HANDLE(device);
	NEED_POINTER(properties);
	CLEAR(properties);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetP2PProperties(ze_device_handle_t device, ze_device_handle_t peer,
				     ze_device_p2p_properties_t *properties)
{
	ENTER(zeDeviceGetP2PProperties);
	NEED_HANDLE(device && peer);
	NEED_POINTER(properties);
	properties->flags = ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceCanAccessPeer(ze_device_handle_t device, ze_device_handle_t peer,
				  ze_bool_t *value)
{
	ENTER(zeDeviceCanAccessPeer);
	NEED_HANDLE(device && peer);
	NEED_POINTER(value);
	*value = 1;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetStatus(ze_device_handle_t device)
{
	ENTER(zeDeviceGetStatus);
	NEED_HANDLE(device);
	return device_is_lost(device) ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetGlobalTimestamps(ze_device_handle_t device, uint64_t *host, uint64_t *ticks)
{
	ENTER(zeDeviceGetGlobalTimestamps);
	NEED_HANDLE(device);
	NEED_POINTER(host);
	NEED_POINTER(ticks);
	*host = clock_host_ns();
	*ticks = clock_wrap(clock_now(device).ticks, clock_bits);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDevicePciGetPropertiesExt(ze_device_handle_t device,
					ze_pci_ext_properties_t *properties)
{
	ENTER(zeDevicePciGetPropertiesExt);
	NEED_HANDLE(device);
	NEED_POINTER(properties);
	CLEAR(properties);
	properties->address.bus = 3 + device->number;
	properties->maxSpeed =
		(ze_pci_speed_ext_t){.genVersion = 4, .width = 16, .maxBandwidth = 32000000000};
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetFabricVertexExp(ze_device_handle_t device, ze_fabric_vertex_handle_t *vertex)
{
	ENTER(zeDeviceGetFabricVertexExp);
	NEED_HANDLE(device);
	NEED_POINTER(vertex);
	return ZE_RESULT_EXP_ERROR_DEVICE_IS_NOT_VERTEX;
}

ze_result_t zeFabricVertexGetExp(ze_driver_handle_t driver, uint32_t *count,
				 ze_fabric_vertex_handle_t *vertices)
{
	ENTER(zeFabricVertexGetExp);
	NEED_HANDLE(driver);
	NEED_POINTER(count);
	*count = 0;
	return ZE_RESULT_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/*
 * The few system management and tools functions that the driver has: the device's identity, its
 * engines' activity, its memory. A sysman device is the core device; its engines and its memory are
 * handles of their own.
 */
#include "ze_device.h"

#include <stdio.h>
#include <string.h>

static ze_device_handle_t core(zes_device_handle_t device)
{
	return (ze_device_handle_t)device;
}

static void text(char *to, const char *what)
{
	snprintf(to, ZES_STRING_PROPERTY_SIZE, "%s", what);
}

ze_result_t zesDeviceGetProperties(zes_device_handle_t device, zes_device_properties_t *properties)
{
	ENTER(zesDeviceGetProperties);
	NEED_HANDLE(device);
	NEED_POINTER(properties);
	properties->core.type = ZE_DEVICE_TYPE_GPU;
	properties->numSubdevices = the_driver.sub_count;
	text(properties->serialNumber, "0");
	text(properties->boardNumber, "0");
	text(properties->brandName, "tracelayer");
	text(properties->modelName, "test device");
	text(properties->vendorName, "tracelayer");
	text(properties->driverVersion, "1.3");
	return ZE_RESULT_SUCCESS;
}

ze_result_t zesDeviceGetState(zes_device_handle_t device, zes_device_state_t *state)
{
	ENTER(zesDeviceGetState);
	NEED_HANDLE(device);
	NEED_POINTER(state);
	state->reset = device_is_lost(core(device)) ? ZES_RESET_REASON_FLAG_WEDGED : 0;
	state->repaired = ZES_REPAIR_STATUS_UNSUPPORTED;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zesDevicePciGetProperties(zes_device_handle_t device, zes_pci_properties_t *properties)
{
	ENTER(zesDevicePciGetProperties);
	NEED_HANDLE(device);
	NEED_POINTER(properties);
	properties->address = (zes_pci_address_t){.bus = 3 + core(device)->number};
	properties->maxSpeed =
		(zes_pci_speed_t){.gen = 4, .width = 16, .maxBandwidth = 32000000000};
	properties->haveBandwidthCounters = properties->havePacketCounters =
		properties->haveReplayCounters = 0;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zesDeviceEnumEngineGroups(zes_device_handle_t device, uint32_t *count,
				      zes_engine_handle_t *engines)
{
	ENTER(zesDeviceEnumEngineGroups);
	NEED_HANDLE(device);
	NEED_POINTER(count);
	if (device_list_count(count, engines, GROUPS * ENGINES))
		for (uint32_t i = 0; i < *count; i++)
			engines[i] = (zes_engine_handle_t)&core(device)
					     ->engines[i / ENGINES][i % ENGINES];
	return ZE_RESULT_SUCCESS;
}

ze_result_t zesEngineGetProperties(zes_engine_handle_t handle, zes_engine_properties_t *properties)
{
	const struct engine *engine = (const struct engine *)handle;

	ENTER(zesEngineGetProperties);
	NEED_HANDLE(handle);
	NEED_POINTER(properties);
	properties->type =
		engine->group ? ZES_ENGINE_GROUP_COPY_SINGLE : ZES_ENGINE_GROUP_COMPUTE_SINGLE;
	properties->onSubdevice = 0;
	properties->subdeviceId = 0;
	return ZE_RESULT_SUCCESS;
}

/* In microseconds, as the API wants it. */
ze_result_t zesEngineGetActivity(zes_engine_handle_t handle, zes_engine_stats_t *stats)
{
	const struct engine *engine = (const struct engine *)handle;

	ENTER(zesEngineGetActivity);
	NEED_HANDLE(handle);
	NEED_POINTER(stats);
	pthread_mutex_lock(&device_lock);
	stats->activeTime = engine->busy_ns / 1000;
	pthread_mutex_unlock(&device_lock);
	stats->timestamp = clock_host_ns() / 1000;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zesDeviceEnumMemoryModules(zes_device_handle_t device, uint32_t *count,
				       zes_mem_handle_t *memory)
{
	ENTER(zesDeviceEnumMemoryModules);
	NEED_HANDLE(device);
	NEED_POINTER(count);
	if (device_list_count(count, memory, 1))
		memory[0] = (zes_mem_handle_t)device;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zesMemoryGetProperties(zes_mem_handle_t memory, zes_mem_properties_t *properties)
{
	ENTER(zesMemoryGetProperties);
	NEED_HANDLE(memory);
	NEED_POINTER(properties);
	properties->type = ZES_MEM_TYPE_DDR5;
	properties->onSubdevice = 0;
	properties->subdeviceId = 0;
	properties->location = ZES_MEM_LOC_DEVICE;
	properties->physicalSize = DEVICE_MEMORY_SIZE;
	properties->busWidth = 64;
	properties->numChannels = 1;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zesMemoryGetState(zes_mem_handle_t memory, zes_mem_state_t *state)
{
	ENTER(zesMemoryGetState);
	NEED_HANDLE(memory);
	NEED_POINTER(state);
	state->health = ZES_MEM_HEALTH_OK;
	state->size = DEVICE_MEMORY_SIZE;
	state->free = DEVICE_MEMORY_SIZE - memory_in_use((ze_device_handle_t)memory);
	return ZE_RESULT_SUCCESS;
}

/* Ten watts, and five more for each engine while it works. */
ze_result_t zesDeviceEnumPowerDomains(zes_device_handle_t device, uint32_t *count,
				      zes_pwr_handle_t *domains)
{
	ENTER(zesDeviceEnumPowerDomains);
	NEED_HANDLE(device);
	NEED_POINTER(count);
	if (device_list_count(count, domains, 1))
		domains[0] = (zes_pwr_handle_t)device;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zesPowerGetProperties(zes_pwr_handle_t handle, zes_power_properties_t *properties)
{
	ENTER(zesPowerGetProperties);
	NEED_HANDLE(handle);
	NEED_POINTER(properties);
	properties->onSubdevice = properties->subdeviceId = 0;
	properties->canControl = properties->isEnergyThresholdSupported = 0;
	properties->defaultLimit = properties->minLimit = properties->maxLimit = -1;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zesPowerGetEnergyCounter(zes_pwr_handle_t handle, zes_power_energy_counter_t *energy)
{
	const struct _ze_device_handle_t *device = core((zes_device_handle_t)handle);
	uint64_t busy_ns = 0;

	ENTER(zesPowerGetEnergyCounter);
	NEED_HANDLE(handle);
	NEED_POINTER(energy);
	pthread_mutex_lock(&device_lock);
	for (uint32_t i = 0; i < GROUPS * ENGINES; i++)
		busy_ns += device->engines[i / ENGINES][i % ENGINES].busy_ns;
	pthread_mutex_unlock(&device_lock);
	energy->timestamp = clock_host_ns() / 1000;
	energy->energy = energy->timestamp * 10 + busy_ns / 1000 * 5;
	return ZE_RESULT_SUCCESS;
}

/* The device's own, and its memory's. */
ze_result_t zesDeviceEnumFrequencyDomains(zes_device_handle_t device, uint32_t *count,
					  zes_freq_handle_t *domains)
{
	ENTER(zesDeviceEnumFrequencyDomains);
	NEED_HANDLE(device);
	NEED_POINTER(count);
	if (device_list_count(count, domains, 2))
		for (uint32_t i = 0; i < *count; i++)
			domains[i] = (zes_freq_handle_t)&core(device)->engines[0][i];
	return ZE_RESULT_SUCCESS;
}

static bool is_memorys(zes_freq_handle_t frequency)
{
	return ((const struct engine *)frequency)->index == 1;
}

ze_result_t zesFrequencyGetProperties(zes_freq_handle_t frequency,
				      zes_freq_properties_t *properties)
{
	ENTER(zesFrequencyGetProperties);
	NEED_HANDLE(frequency);
	NEED_POINTER(properties);
	properties->type = is_memorys(frequency) ? ZES_FREQ_DOMAIN_MEMORY : ZES_FREQ_DOMAIN_GPU;
	properties->onSubdevice = properties->subdeviceId = 0;
	properties->canControl = properties->isThrottleEventSupported = 0;
	properties->min = 300;
	properties->max = 2400;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zesFrequencyGetState(zes_freq_handle_t frequency, zes_freq_state_t *state)
{
	ENTER(zesFrequencyGetState);
	NEED_HANDLE(frequency);
	NEED_POINTER(state);
	state->request = state->tdp = state->efficient = 1500;
	state->actual = is_memorys(frequency) ? 2400 : 1500;
	state->currentVoltage = -1;
	state->throttleReasons = 0;
	return ZE_RESULT_SUCCESS;
}

/* A function with a floating-point argument: what was set is given back. */
static double current_limit; /* device_lock */

ze_result_t zesFrequencyOcSetIccMax(zes_freq_handle_t frequency, double amperes)
{
	ENTER(zesFrequencyOcSetIccMax);
	pthread_mutex_lock(&device_lock);
	current_limit = amperes;
	pthread_mutex_unlock(&device_lock);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zesFrequencyOcGetIccMax(zes_freq_handle_t frequency, double *amperes)
{
	ENTER(zesFrequencyOcGetIccMax);
	NEED_POINTER(amperes);
	pthread_mutex_lock(&device_lock);
	*amperes = current_limit;
	pthread_mutex_unlock(&device_lock);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zetMetricGroupGet(zet_device_handle_t device, uint32_t *count,
			      zet_metric_group_handle_t *groups)
{
	ENTER(zetMetricGroupGet);
	NEED_HANDLE(device);
	NEED_POINTER(count);
	*count = 0;
	return ZE_RESULT_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/*
 * Calls every function of zes_api.h and zet_api.h (API 1.4) exactly once: those that the test
 * device has with what they need, the others with zeros. Works with one driver only, as ze_calls
 * does.
 */
#include "ze_app.h"

#include <level_zero/zes_api.h>
#include <level_zero/zet_api.h>

#include <stdio.h>

/* What a function that the test device does not have returns. */
#define LACKS(call) EXPECT((call) == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)

static void the_device(const struct ze_app *app)
{
	zes_device_handle_t device = (zes_device_handle_t)app->device;
	zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
	zes_device_state_t state = {.stype = ZES_STRUCTURE_TYPE_DEVICE_STATE};
	zes_pci_properties_t pci = {.stype = ZES_STRUCTURE_TYPE_PCI_PROPERTIES};
	uint32_t count = 0;

	MUST(ZE(zesDeviceGetProperties, device, &properties));
	EXPECT(properties.core.type == ZE_DEVICE_TYPE_GPU);
	MUST(ZE(zesDeviceGetState, device, &state));
	MUST(ZE(zesDevicePciGetProperties, device, &pci));
	EXPECT(pci.address.bus == 3);
	MUST(ZE(zetMetricGroupGet, (zet_device_handle_t)app->device, &count, NULL));
	EXPECT(count == 0);
}

static void its_power_and_frequencies(const struct ze_app *app)
{
	zes_device_handle_t device = (zes_device_handle_t)app->device;
	zes_power_properties_t power_properties = {.stype = ZES_STRUCTURE_TYPE_POWER_PROPERTIES};
	zes_freq_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_FREQ_PROPERTIES};
	zes_freq_state_t state = {.stype = ZES_STRUCTURE_TYPE_FREQ_STATE};
	zes_power_energy_counter_t energy;
	zes_freq_handle_t frequencies[2];
	zes_pwr_handle_t power;
	uint32_t count = 1;

	MUST(ZE(zesDeviceEnumPowerDomains, device, &count, &power));
	MUST(ZE(zesPowerGetProperties, power, &power_properties));
	MUST(ZE(zesPowerGetEnergyCounter, power, &energy));
	EXPECT(energy.energy >= energy.timestamp * 10);
	count = 2;
	MUST(ZE(zesDeviceEnumFrequencyDomains, device, &count, frequencies));
	EXPECT(count == 2);
	MUST(ZE(zesFrequencyGetProperties, frequencies[1], &properties));
	EXPECT(properties.type == ZES_FREQ_DOMAIN_MEMORY);
	MUST(ZE(zesFrequencyGetState, frequencies[0], &state));
	EXPECT(state.actual == 1500);
}

static void its_engines_and_memory(const struct ze_app *app)
{
	zes_device_handle_t device = (zes_device_handle_t)app->device;
	zes_engine_properties_t engine_properties = {.stype = ZES_STRUCTURE_TYPE_ENGINE_PROPERTIES};
	zes_mem_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_MEM_PROPERTIES};
	zes_mem_state_t state = {.stype = ZES_STRUCTURE_TYPE_MEM_STATE};
	zes_engine_handle_t engines[4];
	zes_mem_handle_t memory;
	zes_engine_stats_t stats;
	uint32_t count = 4;

	MUST(ZE(zesDeviceEnumEngineGroups, device, &count, engines));
	EXPECT(count == 4);
	MUST(ZE(zesEngineGetProperties, engines[3], &engine_properties));
	EXPECT(engine_properties.type == ZES_ENGINE_GROUP_COPY_SINGLE);
	MUST(ZE(zesEngineGetActivity, engines[0], &stats));
	count = 1;
	MUST(ZE(zesDeviceEnumMemoryModules, device, &count, &memory));
	MUST(ZE(zesMemoryGetProperties, memory, &properties));
	MUST(ZE(zesMemoryGetState, memory, &state));
	EXPECT(state.size == properties.physicalSize && state.free <= state.size);
}

static void zet_other(void)
{
	LACKS(ZE(zetModuleGetDebugInfo, NULL, 0, NULL, NULL));
	LACKS(ZE(zetDeviceGetDebugProperties, NULL, NULL));
	LACKS(ZE(zetContextActivateMetricGroups, NULL, NULL, 0, NULL));
	LACKS(ZE(zetCommandListAppendMetricStreamerMarker, NULL, NULL, 0));
	LACKS(ZE(zetCommandListAppendMetricQueryBegin, NULL, NULL));
	LACKS(ZE(zetCommandListAppendMetricQueryEnd, NULL, NULL, NULL, 0, NULL));
	LACKS(ZE(zetCommandListAppendMetricMemoryBarrier, NULL));
	LACKS(ZE(zetKernelGetProfileInfo, NULL, NULL));
	LACKS(ZE(zetTracerExpCreate, NULL, NULL, NULL));
	LACKS(ZE(zetTracerExpDestroy, NULL));
	LACKS(ZE(zetTracerExpSetPrologues, NULL, NULL));
	LACKS(ZE(zetTracerExpSetEpilogues, NULL, NULL));
	LACKS(ZE(zetTracerExpSetEnabled, NULL, 0));
}

static void zet_debug(void)
{
	const ze_device_thread_t all = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};

	LACKS(ZE(zetDebugAttach, NULL, NULL, NULL));
	LACKS(ZE(zetDebugDetach, NULL));
	LACKS(ZE(zetDebugReadEvent, NULL, 0, NULL));
	LACKS(ZE(zetDebugAcknowledgeEvent, NULL, NULL));
	LACKS(ZE(zetDebugInterrupt, NULL, all));
	LACKS(ZE(zetDebugResume, NULL, all));
	LACKS(ZE(zetDebugReadMemory, NULL, all, NULL, 0, NULL));
	LACKS(ZE(zetDebugWriteMemory, NULL, all, NULL, 0, NULL));
	LACKS(ZE(zetDebugGetRegisterSetProperties, NULL, NULL, NULL));
	LACKS(ZE(zetDebugReadRegisters, NULL, all, 0, 0, 0, NULL));
	LACKS(ZE(zetDebugWriteRegisters, NULL, all, 0, 0, 0, NULL));
}

static void zet_metric(void)
{
	LACKS(ZE(zetMetricGroupGetProperties, NULL, NULL));
	LACKS(ZE(zetMetricGroupCalculateMetricValues, NULL, 0, 0, NULL, NULL, NULL));
	LACKS(ZE(zetMetricGet, NULL, NULL, NULL));
	LACKS(ZE(zetMetricGetProperties, NULL, NULL));
	LACKS(ZE(zetMetricStreamerOpen, NULL, NULL, NULL, NULL, NULL, NULL));
	LACKS(ZE(zetMetricStreamerClose, NULL));
	LACKS(ZE(zetMetricStreamerReadData, NULL, 0, NULL, NULL));
	LACKS(ZE(zetMetricQueryPoolCreate, NULL, NULL, NULL, NULL, NULL));
	LACKS(ZE(zetMetricQueryPoolDestroy, NULL));
	LACKS(ZE(zetMetricQueryCreate, NULL, 0, NULL));
	LACKS(ZE(zetMetricQueryDestroy, NULL));
	LACKS(ZE(zetMetricQueryReset, NULL));
	LACKS(ZE(zetMetricQueryGetData, NULL, NULL, NULL));
	LACKS(ZE(zetMetricGroupCalculateMultipleMetricValuesExp, NULL, 0, 0, NULL, NULL, NULL, NULL,
		 NULL));
}

static void zes_device(void)
{
	LACKS(ZE(zesDeviceReset, NULL, 0));
	LACKS(ZE(zesDeviceProcessesGetState, NULL, NULL, NULL));
	LACKS(ZE(zesDevicePciGetState, NULL, NULL));
	LACKS(ZE(zesDevicePciGetBars, NULL, NULL, NULL));
	LACKS(ZE(zesDevicePciGetStats, NULL, NULL));
	LACKS(ZE(zesDeviceEccAvailable, NULL, NULL));
	LACKS(ZE(zesDeviceEccConfigurable, NULL, NULL));
	LACKS(ZE(zesDeviceGetEccState, NULL, NULL));
	LACKS(ZE(zesDeviceSetEccState, NULL, NULL, NULL));
	LACKS(ZE(zesDeviceEventRegister, NULL, 0));
	LACKS(ZE(zesDeviceGetCardPowerDomain, NULL, NULL));
}

static void zes_device_enum(void)
{
	LACKS(ZE(zesDeviceEnumDiagnosticTestSuites, NULL, NULL, NULL));
	LACKS(ZE(zesDeviceEnumFabricPorts, NULL, NULL, NULL));
	LACKS(ZE(zesDeviceEnumFans, NULL, NULL, NULL));
	LACKS(ZE(zesDeviceEnumFirmwares, NULL, NULL, NULL));
	LACKS(ZE(zesDeviceEnumLeds, NULL, NULL, NULL));
	LACKS(ZE(zesDeviceEnumPerformanceFactorDomains, NULL, NULL, NULL));
	LACKS(ZE(zesDeviceEnumPsus, NULL, NULL, NULL));
	LACKS(ZE(zesDeviceEnumRasErrorSets, NULL, NULL, NULL));
	LACKS(ZE(zesDeviceEnumSchedulers, NULL, NULL, NULL));
	LACKS(ZE(zesDeviceEnumStandbyDomains, NULL, NULL, NULL));
	LACKS(ZE(zesDeviceEnumTemperatureSensors, NULL, NULL, NULL));
}

static void zes_diagnostics(void)
{
	LACKS(ZE(zesDiagnosticsGetProperties, NULL, NULL));
	LACKS(ZE(zesDiagnosticsGetTests, NULL, NULL, NULL));
	LACKS(ZE(zesDiagnosticsRunTests, NULL, 0, 0, NULL));
	LACKS(ZE(zesRasGetProperties, NULL, NULL));
	LACKS(ZE(zesRasGetConfig, NULL, NULL));
	LACKS(ZE(zesRasSetConfig, NULL, NULL));
	LACKS(ZE(zesRasGetState, NULL, 0, NULL));
}

static void zes_other(void)
{
	LACKS(ZE(zesDriverEventListen, NULL, 0, 0, NULL, NULL, NULL));
	LACKS(ZE(zesDriverEventListenEx, NULL, 0, 0, NULL, NULL, NULL));
	LACKS(ZE(zesFabricPortGetProperties, NULL, NULL));
	LACKS(ZE(zesFabricPortGetLinkType, NULL, NULL));
	LACKS(ZE(zesFabricPortGetConfig, NULL, NULL));
	LACKS(ZE(zesFabricPortSetConfig, NULL, NULL));
	LACKS(ZE(zesFabricPortGetState, NULL, NULL));
	LACKS(ZE(zesFabricPortGetThroughput, NULL, NULL));
	LACKS(ZE(zesFirmwareGetProperties, NULL, NULL));
	LACKS(ZE(zesFirmwareFlash, NULL, NULL, 0));
	LACKS(ZE(zesMemoryGetBandwidth, NULL, NULL));
	LACKS(ZE(zesPerformanceFactorGetProperties, NULL, NULL));
	LACKS(ZE(zesPerformanceFactorGetConfig, NULL, NULL));
	LACKS(ZE(zesPerformanceFactorSetConfig, NULL, 0));
	LACKS(ZE(zesStandbyGetProperties, NULL, NULL));
	LACKS(ZE(zesStandbyGetMode, NULL, NULL));
	LACKS(ZE(zesStandbySetMode, NULL, 0));
}

static void zes_sensors(void)
{
	LACKS(ZE(zesFanGetProperties, NULL, NULL));
	LACKS(ZE(zesFanGetConfig, NULL, NULL));
	LACKS(ZE(zesFanSetDefaultMode, NULL));
	LACKS(ZE(zesFanSetFixedSpeedMode, NULL, NULL));
	LACKS(ZE(zesFanSetSpeedTableMode, NULL, NULL));
	LACKS(ZE(zesFanGetState, NULL, 0, NULL));
	LACKS(ZE(zesLedGetProperties, NULL, NULL));
	LACKS(ZE(zesLedGetState, NULL, NULL));
	LACKS(ZE(zesLedSetState, NULL, 0));
	LACKS(ZE(zesLedSetColor, NULL, NULL));
	LACKS(ZE(zesPsuGetProperties, NULL, NULL));
	LACKS(ZE(zesPsuGetState, NULL, NULL));
	LACKS(ZE(zesTemperatureGetProperties, NULL, NULL));
	LACKS(ZE(zesTemperatureGetConfig, NULL, NULL));
	LACKS(ZE(zesTemperatureSetConfig, NULL, NULL));
	LACKS(ZE(zesTemperatureGetState, NULL, NULL));
}

static void zes_frequency(void)
{
	double amperes = 0;

	MUST(ZE(zesFrequencyOcSetIccMax, NULL, 12.25));
	MUST(ZE(zesFrequencyOcGetIccMax, NULL, &amperes));
	EXPECT(amperes == 12.25);
	LACKS(ZE(zesFrequencyGetAvailableClocks, NULL, NULL, NULL));
	LACKS(ZE(zesFrequencyGetRange, NULL, NULL));
	LACKS(ZE(zesFrequencySetRange, NULL, NULL));
	LACKS(ZE(zesFrequencyGetThrottleTime, NULL, NULL));
	LACKS(ZE(zesFrequencyOcGetCapabilities, NULL, NULL));
	LACKS(ZE(zesFrequencyOcGetFrequencyTarget, NULL, NULL));
	LACKS(ZE(zesFrequencyOcSetFrequencyTarget, NULL, 0));
	LACKS(ZE(zesFrequencyOcGetVoltageTarget, NULL, NULL, NULL));
	LACKS(ZE(zesFrequencyOcSetVoltageTarget, NULL, 0, 0));
	LACKS(ZE(zesFrequencyOcSetMode, NULL, 0));
	LACKS(ZE(zesFrequencyOcGetMode, NULL, NULL));
	LACKS(ZE(zesFrequencyOcGetTjMax, NULL, NULL));
	LACKS(ZE(zesFrequencyOcSetTjMax, NULL, 0));
}

static void zes_power(void)
{
	LACKS(ZE(zesPowerGetLimits, NULL, NULL, NULL, NULL));
	LACKS(ZE(zesPowerSetLimits, NULL, NULL, NULL, NULL));
	LACKS(ZE(zesPowerGetEnergyThreshold, NULL, NULL));
	LACKS(ZE(zesPowerSetEnergyThreshold, NULL, 0));
	LACKS(ZE(zesPowerGetLimitsExt, NULL, NULL, NULL));
	LACKS(ZE(zesPowerSetLimitsExt, NULL, NULL, NULL));
}

static void zes_scheduler(void)
{
	LACKS(ZE(zesSchedulerGetProperties, NULL, NULL));
	LACKS(ZE(zesSchedulerGetCurrentMode, NULL, NULL));
	LACKS(ZE(zesSchedulerGetTimeoutModeProperties, NULL, 0, NULL));
	LACKS(ZE(zesSchedulerGetTimesliceModeProperties, NULL, 0, NULL));
	LACKS(ZE(zesSchedulerSetTimeoutMode, NULL, NULL, NULL));
	LACKS(ZE(zesSchedulerSetTimesliceMode, NULL, NULL, NULL));
	LACKS(ZE(zesSchedulerSetExclusiveMode, NULL, NULL));
	LACKS(ZE(zesSchedulerSetComputeUnitDebugMode, NULL, NULL));
}

int main(void)
{
	struct ze_app app;

	ze_app_open(&app);
	the_device(&app);
	its_power_and_frequencies(&app);
	its_engines_and_memory(&app);
	zet_other();
	zet_debug();
	zet_metric();
	zes_device();
	zes_device_enum();
	zes_diagnostics();
	zes_other();
	zes_sensors();
	zes_frequency();
	zes_power();
	zes_scheduler();
	ze_app_close(&app);
	puts("called every system management and tools function once");
	return 0;
}

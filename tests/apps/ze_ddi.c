/* SPDX-License-Identifier: MIT */
/*
 * A program that asks the loader for its tables and calls through them, and that asks the driver
 * for an extension function and for a function of the API.
 */
#include "ze_app.h"

#include <level_zero/ze_ddi.h>
#include <stdio.h>
#include <string.h>

typedef ze_result_t test_sum(ze_driver_handle_t driver, uint32_t a, uint32_t b, uint32_t *sum);

/* A call through a field of a table counts as one of the function that belongs there. */
#define THROUGH(function, pointer, ...)                                                            \
	({                                                                                         \
		ZE_COUNT(function);                                                                \
		(pointer)(__VA_ARGS__);                                                            \
	})

static void *address_of(ze_driver_handle_t driver, const char *name)
{
	void *address = NULL;

	MUST(ZE(zeDriverGetExtensionFunctionAddress, driver, name, &address));
	EXPECT(address);
	return address;
}

static void call_extension(ze_driver_handle_t driver)
{
	void *address = address_of(driver, "zexTestSum");
	uint32_t value = 0;
	test_sum *sum;

	memcpy(&sum, &address, sizeof(sum));
	MUST(sum(driver, 40, 2, &value));
	EXPECT(value == 42);
}

static void call_by_address(ze_driver_handle_t driver, ze_device_handle_t device)
{
	void *address = address_of(driver, "zeDeviceGetStatus");
	ze_pfnDeviceGetStatus_t status;

	memcpy(&status, &address, sizeof(status));
	MUST(THROUGH(zeDeviceGetStatus, status, device));
}

int main(void)
{
	ze_driver_dditable_t drivers = {0};
	ze_device_dditable_t devices = {0};
	ze_context_dditable_t contexts = {0};
	const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
	ze_driver_handle_t driver = NULL;
	ze_device_handle_t device = NULL;
	ze_context_handle_t context = NULL;
	uint32_t count = 1;

	MUST(ZE(zeInit, 0));
	MUST(ZE(zeGetDriverProcAddrTable, ZE_API_VERSION_CURRENT, &drivers));
	MUST(ZE(zeGetDeviceProcAddrTable, ZE_API_VERSION_CURRENT, &devices));
	MUST(ZE(zeGetContextProcAddrTable, ZE_API_VERSION_CURRENT, &contexts));
	MUST(THROUGH(zeDriverGet, drivers.pfnGet, &count, &driver));
	MUST(THROUGH(zeDeviceGet, devices.pfnGet, driver, &count, &device));
	MUST(THROUGH(zeContextCreate, contexts.pfnCreate, driver, &desc, &context));
	for (int i = 0; i < 10; i++)
		MUST(THROUGH(zeContextGetStatus, contexts.pfnGetStatus, context));
	MUST(THROUGH(zeContextDestroy, contexts.pfnDestroy, context));
	call_extension(driver);
	call_by_address(driver, device);
	puts("called through tables and pointers");
	return 0;
}

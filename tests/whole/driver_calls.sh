#!/bin/bash
# SPDX-License-Identifier: MIT
# A driver that calls the API which it implements, through the loader: such calls are traced like a program's, and
# TRACELAYER_NESTED=0 turns that off. The driver is the test bed's, but for zeEventQueryStatus, which asks for the drivers.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99

library=$top_builddir/.libs/libtracelayer.so
bed=$top_builddir/tests/drivers/.libs
# It finds the loader in the program: newer loaders ask a driver that is linked with one for tables, and so get their own.
cat >"$tmp/driver.c" <<'END'
#include <dlfcn.h>
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>
static ze_result_t query(ze_event_handle_t event)
{
	uint32_t count = 0;
	return zeDriverGet(&count, 0);
}
ze_result_t zeGetEventProcAddrTable(ze_api_version_t version, ze_event_dditable_t *table)
{
	void *bed = dlopen(BED, RTLD_LAZY);
	ze_pfnGetEventProcAddrTable_t get = (ze_pfnGetEventProcAddrTable_t)dlsym(bed, "zeGetEventProcAddrTable");
	ze_result_t result = get(version, table);
	table->pfnQueryStatus = query;
	return result;
}
END
cat >"$tmp/app.c" <<'END'
#include <level_zero/ze_api.h>
#include <stdio.h>
int main(void)
{
	ze_driver_handle_t driver;
	ze_device_handle_t device;
	ze_context_handle_t context;
	ze_event_pool_handle_t pool;
	ze_event_handle_t event;
	ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
	ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE, .count = 1};
	ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
	uint32_t count = 1;
	int result = zeInit(0);
	result |= zeDriverGet(&count, &driver);
	result |= zeDeviceGet(driver, &count, &device);
	result |= zeContextCreate(driver, &context_desc, &context);
	result |= zeEventPoolCreate(context, &pool_desc, 1, &device, &pool);
	result |= zeEventCreate(pool, &event_desc, &event);
	for (int i = 0; i < 5; i++)
		result |= zeEventQueryStatus(event);
	printf("%d\n", result);
	return 0;
}
END

build()
{
	${CC:-cc} -shared -fPIC -DBED="\"$bed/ze_driver_a.so\"" "$tmp/driver.c" -o "$tmp/driver.so" -Wl,--no-as-needed \
		"$bed/ze_driver_a.so" -Wl,-rpath,"$bed" &&
		${CC:-cc} "$tmp/app.c" -o "$tmp/app" -lze_loader
}
count() { grep -c "\"name\":\"$2\"" "$tmp/$1.json"; }
run() { LD_PRELOAD=$library ZE_ENABLE_ALT_DRIVERS=$tmp/driver.so TRACELAYER_OUTPUT=$tmp/$1.json TRACELAYER_NESTED=$2 "$tmp/app" 2>&1; }

plan 7
ok "the driver and a program are built" build
is "$(run on 1)" 0 "the program's calls succeed"
is "$(count on zeEventQueryStatus)" 5 "the program's calls are in the trace"
is "$(count on zeDriverGet)" 6 "and so are those that the driver makes in them"
is "$(run off 0)" 0 "the program's calls succeed without nested ones"
is "$(count off zeEventQueryStatus)" 5 "the program's calls are in the trace"
is "$(count off zeDriverGet)" 1 "and none of the driver's"

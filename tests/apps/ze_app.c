/* SPDX-License-Identifier: MIT */
/* Opening the device, see ze_app.h. */
#include "ze_app.h"

void ze_app_open(struct ze_app *app)
{
	static const uint8_t bytes[] = "built-in kernels";
	const ze_context_desc_t context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
	const ze_module_desc_t module = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
					 .format = ZE_MODULE_FORMAT_IL_SPIRV,
					 .inputSize = sizeof(bytes),
					 .pInputModule = bytes,
					 .pBuildFlags = "-ze-opt-level 2"};
	uint32_t count = 1;

	MUST(ZE(zeInit, ZE_INIT_FLAG_GPU_ONLY));
	MUST(ZE(zeDriverGet, &count, &app->driver));
	count = 1;
	MUST(ZE(zeDeviceGet, app->driver, &count, &app->device));
	MUST(ZE(zeContextCreate, app->driver, &context, &app->context));
	MUST(ZE(zeModuleCreate, app->context, app->device, &module, &app->module, NULL));
}

void ze_app_close(struct ze_app *app)
{
	MUST(ZE(zeModuleDestroy, app->module));
	MUST(ZE(zeContextDestroy, app->context));
}

ze_kernel_handle_t ze_app_kernel(const struct ze_app *app, const char *name)
{
	const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
	ze_kernel_handle_t kernel = NULL;

	MUST(ZE(zeKernelCreate, app->module, &desc, &kernel));
	return kernel;
}

ze_command_queue_handle_t ze_app_queue(const struct ze_app *app, uint32_t engine)
{
	const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
					      .index = engine,
					      .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
	ze_command_queue_handle_t queue = NULL;

	MUST(ZE(zeCommandQueueCreate, app->context, app->device, &desc, &queue));
	return queue;
}

ze_command_list_handle_t ze_app_list(const struct ze_app *app)
{
	const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
	ze_command_list_handle_t list = NULL;

	MUST(ZE(zeCommandListCreate, app->context, app->device, &desc, &list));
	return list;
}

ze_event_pool_handle_t ze_app_pool(const struct ze_app *app, uint32_t count,
				   ze_event_pool_flags_t flags)
{
	const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
					   .flags = flags | ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
					   .count = count};
	ze_event_pool_handle_t pool = NULL;
	ze_device_handle_t device = app->device;

	MUST(ZE(zeEventPoolCreate, app->context, &desc, 1, &device, &pool));
	return pool;
}

ze_event_handle_t ze_app_event(ze_event_pool_handle_t pool, uint32_t index)
{
	const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
				      .index = index,
				      .signal = ZE_EVENT_SCOPE_FLAG_HOST,
				      .wait = ZE_EVENT_SCOPE_FLAG_HOST};
	ze_event_handle_t event = NULL;

	MUST(ZE(zeEventCreate, pool, &desc, &event));
	return event;
}

/* SPDX-License-Identifier: MIT */
/*
 * Modules, build logs and kernel objects. A module takes any bytes, and has the built-in kernels of
 * ze_kernels.c.
 */
#include "ze_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct _ze_module_handle_t {
	ze_device_handle_t device;
	size_t size;
	uint8_t *bytes;
	uint64_t counter; /* the module's one global variable, "counter" */
};

struct _ze_module_build_log_handle_t {
	char *text;
};

/* ---- modules */

static ze_module_build_log_handle_t log_create(const char *text, size_t size)
{
	ze_module_build_log_handle_t log = calloc(1, sizeof(*log));

	if (log)
		log->text = strndup(text, size);
	return log;
}

static ze_module_handle_t module_build(ze_device_handle_t device, const ze_module_desc_t *desc)
{
	ze_module_handle_t module = calloc(1, sizeof(*module));
	uint8_t *bytes = malloc(desc->inputSize);

	if (!module || !bytes) {
		free(module);
		free(bytes);
		return NULL;
	}
	*module = (struct _ze_module_handle_t){
		.device = device, .size = desc->inputSize, .bytes = bytes};
	memcpy(bytes, desc->pInputModule, desc->inputSize);
	return module;
}

ze_result_t zeModuleCreate(ze_context_handle_t context, ze_device_handle_t device,
			   const ze_module_desc_t *desc, ze_module_handle_t *module,
			   ze_module_build_log_handle_t *log)
{
	static const char failing[] = "error:";
	const size_t prefix = sizeof(failing) - 1;

	ENTER(zeModuleCreate);
	NEED_HANDLE(context && device);
	NEED_POINTER(desc && desc->pInputModule && module);
	if (desc->inputSize == 0)
		return ZE_RESULT_ERROR_INVALID_SIZE;
	bool fails = desc->inputSize >= prefix && memcmp(desc->pInputModule, failing, prefix) == 0;
	if (log)
		*log = fails ? log_create((const char *)desc->pInputModule + prefix,
					  desc->inputSize - prefix)
			     : log_create("", 0);
	if (fails)
		return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
	*module = module_build(device, desc);
	return *module ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

ze_result_t zeModuleDestroy(ze_module_handle_t module)
{
	ENTER(zeModuleDestroy);
	NEED_HANDLE(module);
	free(module->bytes);
	free(module);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleDynamicLink(uint32_t count, ze_module_handle_t *modules,
				ze_module_build_log_handle_t *log)
{
	ENTER(zeModuleDynamicLink);
	NEED_POINTER(modules);
	if (log)
		*log = log_create("linked\n", 7);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleInspectLinkageExt(ze_linkage_inspection_ext_desc_t *desc, uint32_t count,
				      ze_module_handle_t *modules,
				      ze_module_build_log_handle_t *log)
{
	ENTER(zeModuleInspectLinkageExt);
	NEED_POINTER(desc && modules && log);
	*log = log_create("no imports\n", 11);
	return *log ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

ze_result_t zeModuleBuildLogDestroy(ze_module_build_log_handle_t log)
{
	ENTER(zeModuleBuildLogDestroy);
	NEED_HANDLE(log);
	free(log->text);
	free(log);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleBuildLogGetString(ze_module_build_log_handle_t log, size_t *size, char *text)
{
	ENTER(zeModuleBuildLogGetString);
	NEED_HANDLE(log);
	NEED_POINTER(size);
	if (text && *size)
		snprintf(text, *size, "%s", log->text);
	*size = strlen(log->text) + 1;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleGetNativeBinary(ze_module_handle_t module, size_t *size, uint8_t *bytes)
{
	ENTER(zeModuleGetNativeBinary);
	NEED_HANDLE(module);
	NEED_POINTER(size);
	if (bytes)
		memcpy(bytes, module->bytes, *size < module->size ? *size : module->size);
	*size = module->size;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleGetGlobalPointer(ze_module_handle_t module, const char *name, size_t *size,
				     void **pointer)
{
	ENTER(zeModuleGetGlobalPointer);
	NEED_HANDLE(module);
	NEED_POINTER(name);
	if (strcmp(name, "counter") != 0)
		return ZE_RESULT_ERROR_INVALID_GLOBAL_NAME;
	if (size)
		*size = sizeof(module->counter);
	if (pointer)
		*pointer = &module->counter;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleGetKernelNames(ze_module_handle_t module, uint32_t *count, const char **names)
{
	ENTER(zeModuleGetKernelNames);
	NEED_HANDLE(module);
	NEED_POINTER(count);
	if (device_list_count(count, names, builtin_count))
		for (uint32_t i = 0; i < *count; i++)
			names[i] = builtins[i].name;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleGetProperties(ze_module_handle_t module, ze_module_properties_t *properties)
{
	ENTER(zeModuleGetProperties);
	NEED_HANDLE(module);
	NEED_POINTER(properties);
	properties->flags = 0;
	return ZE_RESULT_SUCCESS;
}

static const struct builtin *builtin_find(const char *name)
{
	size_t length = strcspn(name, "@");

	for (uint32_t i = 0; i < builtin_count; i++)
		if (strlen(builtins[i].name) == length &&
		    memcmp(builtins[i].name, name, length) == 0)
			return &builtins[i];
	return NULL;
}

ze_result_t zeModuleGetFunctionPointer(ze_module_handle_t module, const char *name, void **function)
{
	ENTER(zeModuleGetFunctionPointer);
	NEED_HANDLE(module);
	NEED_POINTER(name && function);
	const struct builtin *builtin = builtin_find(name);
	if (!builtin)
		return ZE_RESULT_ERROR_INVALID_FUNCTION_NAME;
	*function = (void *)(uintptr_t)builtin->run;
	return ZE_RESULT_SUCCESS;
}

/* ---- kernels */

ze_result_t zeKernelCreate(ze_module_handle_t module, const ze_kernel_desc_t *desc,
			   ze_kernel_handle_t *kernel)
{
	ENTER(zeKernelCreate);
	NEED_HANDLE(module);
	NEED_POINTER(desc && desc->pKernelName && kernel);
	const struct builtin *builtin = builtin_find(desc->pKernelName);
	if (!builtin)
		return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
	*kernel = calloc(1, sizeof(**kernel));
	char *name = strdup(desc->pKernelName);
	if (!*kernel || !name) {
		free(*kernel);
		free(name);
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	}
	**kernel = (struct _ze_kernel_handle_t){
		.module = module, .builtin = builtin, .name = name, .group_size = {1, 1, 1}};
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelDestroy(ze_kernel_handle_t kernel)
{
	ENTER(zeKernelDestroy);
	NEED_HANDLE(kernel);
	free(kernel->name);
	free(kernel);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSetGroupSize(ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z)
{
	ENTER(zeKernelSetGroupSize);
	NEED_HANDLE(kernel);
	if (x == 0 || y == 0 || z == 0 || (uint64_t)x * y > 1024 || (uint64_t)x * y * z > 1024)
		return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
	memcpy(kernel->group_size, (uint32_t[3]){x, y, z}, sizeof(kernel->group_size));
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSuggestGroupSize(ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z,
				     uint32_t *group_x, uint32_t *group_y, uint32_t *group_z)
{
	ENTER(zeKernelSuggestGroupSize);
	NEED_HANDLE(kernel);
	NEED_POINTER(group_x && group_y && group_z);
	if (x == 0 || y == 0 || z == 0)
		return ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION;
	*group_x = *group_y = *group_z = 1;
	while (*group_x < 256 && x % (*group_x * 2) == 0)
		*group_x *= 2;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSuggestMaxCooperativeGroupCount(ze_kernel_handle_t kernel, uint32_t *count)
{
	ENTER(zeKernelSuggestMaxCooperativeGroupCount);
	NEED_HANDLE(kernel);
	NEED_POINTER(count);
	*count = 64;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSetArgumentValue(ze_kernel_handle_t kernel, uint32_t index, size_t size,
				     const void *value)
{
	ENTER(zeKernelSetArgumentValue);
	NEED_HANDLE(kernel);
	if (index >= kernel->builtin->argument_count)
		return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
	bool local = kernel->builtin->arguments[index].kind == ARGUMENT_LOCAL;
	bool fits = local ? size > 0 && size <= 65536 && !value
			  : size == kernel->builtin->arguments[index].size;
	if (!fits)
		return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
	memset(&kernel->arguments[index], 0, sizeof(kernel->arguments[index]));
	if (local)
		kernel->arguments[index].local_size = size;
	else if (value)
		memcpy(&kernel->arguments[index], value, size);
	kernel->set[index] = true;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSetIndirectAccess(ze_kernel_handle_t kernel,
				      ze_kernel_indirect_access_flags_t flags)
{
	ENTER(zeKernelSetIndirectAccess);
	NEED_HANDLE(kernel);
	kernel->indirect = flags;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelGetIndirectAccess(ze_kernel_handle_t kernel,
				      ze_kernel_indirect_access_flags_t *flags)
{
	ENTER(zeKernelGetIndirectAccess);
	NEED_HANDLE(kernel);
	NEED_POINTER(flags);
	*flags = kernel->indirect;
	return ZE_RESULT_SUCCESS;
}

/* The attributes' string is the driver's: *text is pointed at it. */
ze_result_t zeKernelGetSourceAttributes(ze_kernel_handle_t kernel, uint32_t *size, char **text)
{
	static char attributes[] = "work_group_size_hint(64,1,1)";

	ENTER(zeKernelGetSourceAttributes);
	NEED_HANDLE(kernel);
	NEED_POINTER(size);
	*size = sizeof(attributes);
	if (text)
		*text = attributes;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSetCacheConfig(ze_kernel_handle_t kernel, ze_cache_config_flags_t flags)
{
	ENTER(zeKernelSetCacheConfig);
	NEED_HANDLE(kernel);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelGetProperties(ze_kernel_handle_t kernel, ze_kernel_properties_t *properties)
{
	ENTER(zeKernelGetProperties);
	NEED_HANDLE(kernel);
	NEED_POINTER(properties);
	memset(&properties->numKernelArgs, 0,
	       sizeof(*properties) - offsetof(ze_kernel_properties_t, numKernelArgs));
	properties->numKernelArgs = kernel->builtin->argument_count;
	properties->maxSubgroupSize = 16;
	properties->maxNumSubgroups = 64;
	snprintf((char *)properties->uuid.kid, sizeof(properties->uuid.kid), "%.15s",
		 kernel->builtin->name);
	for (ze_base_properties_t *p = properties->pNext; p; p = p->pNext)
		if (p->stype == ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES)
			((ze_kernel_preferred_group_size_properties_t *)p)->preferredMultiple = 16;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelGetName(ze_kernel_handle_t kernel, size_t *size, char *name)
{
	ENTER(zeKernelGetName);
	NEED_HANDLE(kernel);
	NEED_POINTER(size);
	if (name && *size)
		snprintf(name, *size, "%s", kernel->name);
	*size = strlen(kernel->name) + 1;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSetGlobalOffsetExp(ze_kernel_handle_t kernel, uint32_t x, uint32_t y,
				       uint32_t z)
{
	ENTER(zeKernelSetGlobalOffsetExp);
	NEED_HANDLE(kernel);
	memcpy(kernel->offset, (uint32_t[3]){x, y, z}, sizeof(kernel->offset));
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSchedulingHintExp(ze_kernel_handle_t kernel,
				      ze_scheduling_hint_exp_desc_t *hint)
{
	ENTER(zeKernelSchedulingHintExp);
	NEED_HANDLE(kernel);
	NEED_POINTER(hint);
	return ZE_RESULT_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/*
 * cl_layer.c: libtracelayer_opencl_layer.so, which OpenCL's loader puts between itself and the
 * drivers (OPENCL_LAYERS).
 *
 * The loader passes its dispatch table and the table's length. This layer gives a table back, which
 * may be shorter. Each of its slots has the layer's shim, or else the loader's own function.
 */
#include "layer/doors/cl_layer.h"

#include <string.h>

#include "layer/doors/runtime_library.h"
#include "tracelayer/shim.h"

static const char name[] = "tracelayer";

TL_EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info param_name,
							 size_t param_value_size, void *param_value,
							 size_t *param_value_size_ret)
{
	const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	bool of_version = param_name == CL_LAYER_API_VERSION;
	size_t size = of_version ? sizeof(version) : sizeof(name);

	if (param_name != CL_LAYER_API_VERSION && param_name != CL_LAYER_NAME)
		return CL_INVALID_VALUE;
	if (param_value && param_value_size < size)
		return CL_INVALID_VALUE;
	if (param_value)
		memcpy(param_value, of_version ? (const void *)&version : name, size);
	if (param_value_size_ret)
		*param_value_size_ret = size;
	return CL_SUCCESS;
}

TL_EXPORT CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint num_entries,
						      const cl_icd_dispatch *target_dispatch,
						      cl_uint *num_entries_ret,
						      const cl_icd_dispatch **layer_dispatch_ret)
{
	static cl_icd_dispatch dispatch;
	cl_uint count = sizeof(dispatch) / sizeof(void *);

	if (!target_dispatch || !num_entries_ret || !layer_dispatch_ret)
		return CL_INVALID_VALUE;
	if (count > num_entries)
		count = num_entries;
	memmove(&dispatch, target_dispatch, count * sizeof(void *));
	const struct tl_door_library *library = tl_door_library();

	if (library && library->opens("clGetPlatformIDs"))
		for (const struct tl_cl_slot *slot = tl_cl_slots; slot->function; slot++)
			if (slot->offset / sizeof(void *) < count)
				library->pointer(slot->function,
						 (void **)((char *)&dispatch + slot->offset));
	*num_entries_ret = count;
	*layer_dispatch_ret = &dispatch;
	return CL_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/*
 * icd_device.c: the platform and the device of the OpenCL test driver, contexts, and the loader's
 * dispatch table.
 */
#include "tests/drivers/icd_driver.h"

#ifdef ICD_SECOND
#define PLATFORM_NAME "tracelayer test platform B"
#define SUFFIX	      "TESTB"
#else
#define PLATFORM_NAME "tracelayer test platform"
#define SUFFIX	      "TESTA"
#endif

struct _cl_platform_id icd_platform = {{&icd_table, PLATFORM, 1, 0}};
struct _cl_device_id icd_device = {{&icd_table, DEVICE, 1, 0}};

/* --- platform */

cl_int icd_clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
	COUNT(clGetPlatformIDs);
	icd_begin();
	if ((!room && platforms) || (!platforms && !count))
		return CL_INVALID_VALUE;
	if (platforms)
		platforms[0] = &icd_platform;
	if (count)
		*count = 1;
	return CL_SUCCESS;
}
EXPORTED(clGetPlatformIDs);

cl_int icd_clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
	COUNT(clIcdGetPlatformIDsKHR);
	return OWN(icd_clGetPlatformIDs(room, platforms, count));
}
EXPORTED(clIcdGetPlatformIDsKHR);

static const struct property platform_properties[] = {
	TEXT(CL_PLATFORM_PROFILE, "FULL_PROFILE"),
	TEXT(CL_PLATFORM_VERSION, "OpenCL 3.0 tracelayer test"),
	TEXT(CL_PLATFORM_NAME, PLATFORM_NAME),
	TEXT(CL_PLATFORM_VENDOR, "tracelayer"),
	TEXT(CL_PLATFORM_EXTENSIONS,
	     "cl_khr_icd cl_intel_unified_shared_memory cl_khr_semaphore cl_khr_external_memory"),
	TEXT(CL_PLATFORM_ICD_SUFFIX_KHR, SUFFIX),
	A_VALUE(CL_PLATFORM_NUMERIC_VERSION, cl_version, CL_MAKE_VERSION(3, 0, 0)),
	A_VALUE(CL_PLATFORM_HOST_TIMER_RESOLUTION, cl_ulong, 1),
};

/* What is different with TEST_ICD_VERSION=1.2; everything else is as above. */
static const struct property old_platform_properties[] = {
	TEXT(CL_PLATFORM_VERSION, "OpenCL 1.2 tracelayer test"),
	NONE(CL_PLATFORM_NUMERIC_VERSION),
	NONE(CL_PLATFORM_HOST_TIMER_RESOLUTION),
};

/* With TEST_ICD_PLATFORM=1.1. */
static const struct property passing_platform_properties[] = {
	TEXT(CL_PLATFORM_VERSION, "OpenCL 1.1 tracelayer test"),
};

static bool has(const struct property *properties, size_t count, cl_uint which)
{
	for (size_t i = 0; i < count; i++)
		if (properties[i].which == which)
			return true;
	return false;
}

cl_int icd_clGetPlatformInfo(cl_platform_id platform, cl_platform_info which, size_t room, void *to,
			     size_t *needed)
{
	COUNT(clGetPlatformInfo);
	if (icd_is_old() && has(old_platform_properties, COUNT_OF(old_platform_properties), which))
		return GIVE_PROPERTY(old_platform_properties, platform, which, room, to, needed);
	if (icd_setting_is("PLATFORM", "1.1") && which == CL_PLATFORM_VERSION)
		return GIVE_PROPERTY(passing_platform_properties, platform, which, room, to,
				     needed);
	return GIVE_PROPERTY(platform_properties, platform, which, room, to, needed);
}
EXPORTED(clGetPlatformInfo);

/* --- device */

cl_int icd_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room,
			  cl_device_id *devices, cl_uint *count)
{
	COUNT(clGetDeviceIDs);
	if (!(type & (CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_DEFAULT)))
		return CL_DEVICE_NOT_FOUND;
	if (devices && room)
		devices[0] = &icd_device;
	if (count)
		*count = 1;
	return CL_SUCCESS;
}
EXPORTED(clGetDeviceIDs);

#define YES(which)	 A_VALUE(which, cl_bool, CL_TRUE)
#define NO(which)	 A_VALUE(which, cl_bool, CL_FALSE)
#define UINT(which, n)	 A_VALUE(which, cl_uint, n)
#define ULONG(which, n)	 A_VALUE(which, cl_ulong, n)
#define SIZE(which, n)	 A_VALUE(which, size_t, n)
#define QUEUE_PROPERTIES (CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)

static const struct property device_properties[] = {
	TEXT(CL_DEVICE_NAME, "tracelayer test device"),
	TEXT(CL_DEVICE_VENDOR, "tracelayer"),
	TEXT(CL_DRIVER_VERSION, "1"),
	TEXT(CL_DEVICE_PROFILE, "FULL_PROFILE"),
	TEXT(CL_DEVICE_VERSION, "OpenCL 3.0 tracelayer test"),
	TEXT(CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 tracelayer test"),
	TEXT(CL_DEVICE_EXTENSIONS,
	     "cl_intel_unified_shared_memory cl_khr_semaphore cl_khr_external_memory"),
	TEXT(CL_DEVICE_BUILT_IN_KERNELS, "vector_add;fill;spin;sleep;empty;fail;hang"),
	A_VALUE(CL_DEVICE_TYPE, cl_device_type, CL_DEVICE_TYPE_ACCELERATOR),
	A_VALUE(CL_DEVICE_PLATFORM, cl_platform_id, &icd_platform),
	A_VALUE(CL_DEVICE_PARENT_DEVICE, cl_device_id, NULL),
	YES(CL_DEVICE_AVAILABLE),
	YES(CL_DEVICE_COMPILER_AVAILABLE),
	YES(CL_DEVICE_LINKER_AVAILABLE),
	YES(CL_DEVICE_ENDIAN_LITTLE),
	YES(CL_DEVICE_IMAGE_SUPPORT),
	NO(CL_DEVICE_ERROR_CORRECTION_SUPPORT),
	NO(CL_DEVICE_HOST_UNIFIED_MEMORY),
	NO(CL_DEVICE_PREFERRED_INTEROP_USER_SYNC),
	UINT(CL_DEVICE_MAX_COMPUTE_UNITS, 1),
	UINT(CL_DEVICE_REFERENCE_COUNT, 1),
	UINT(CL_DEVICE_MAX_CONSTANT_ARGS, 1),
	UINT(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3),
	UINT(CL_DEVICE_MAX_CLOCK_FREQUENCY, 1000),
	UINT(CL_DEVICE_ADDRESS_BITS, 64),
	UINT(CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024),
	UINT(CL_DEVICE_VENDOR_ID, 0),
	UINT(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 0),
	SIZE(CL_DEVICE_MAX_WORK_GROUP_SIZE, 1024),
	SIZE(CL_DEVICE_MAX_PARAMETER_SIZE, 1024),
	SIZE(CL_DEVICE_PROFILING_TIMER_RESOLUTION, 1),
	SIZE(CL_DEVICE_PRINTF_BUFFER_SIZE, 65536),
	SIZE(CL_DEVICE_IMAGE2D_MAX_WIDTH, 8192),
	SIZE(CL_DEVICE_IMAGE2D_MAX_HEIGHT, 8192),
	VALUES(CL_DEVICE_MAX_WORK_ITEM_SIZES, size_t, 3, 1024, 1024, 1024),
	ULONG(CL_DEVICE_GLOBAL_MEM_SIZE, 1 << 28),
	ULONG(CL_DEVICE_MAX_MEM_ALLOC_SIZE, 1 << 28),
	ULONG(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 1 << 28),
	ULONG(CL_DEVICE_LOCAL_MEM_SIZE, 32768),
	ULONG(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 0),
	A_VALUE(CL_DEVICE_LOCAL_MEM_TYPE, cl_device_local_mem_type, CL_GLOBAL),
	A_VALUE(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, cl_device_mem_cache_type, CL_NONE),
	A_VALUE(CL_DEVICE_EXECUTION_CAPABILITIES, cl_device_exec_capabilities,
		CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL),
	A_VALUE(CL_DEVICE_QUEUE_PROPERTIES, cl_command_queue_properties, QUEUE_PROPERTIES),
	A_VALUE(CL_DEVICE_SINGLE_FP_CONFIG, cl_device_fp_config,
		CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN),
	A_VALUE(CL_DEVICE_NUMERIC_VERSION, cl_version, CL_MAKE_VERSION(3, 0, 0)),
	A_VALUE(CL_DEVICE_SVM_CAPABILITIES, cl_device_svm_capabilities,
		CL_DEVICE_SVM_COARSE_GRAIN_BUFFER),
};

static const struct property old_device_properties[] = {
	TEXT(CL_DEVICE_VERSION, "OpenCL 1.2 tracelayer test"),
	NONE(CL_DEVICE_NUMERIC_VERSION),
	NONE(CL_DEVICE_SVM_CAPABILITIES),
};

/* With TEST_ICD_PROFILING=refused. */
static const struct property plain_device_properties[] = {
	A_VALUE(CL_DEVICE_QUEUE_PROPERTIES, cl_command_queue_properties,
		CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
};

cl_int icd_clGetDeviceInfo(cl_device_id device, cl_device_info which, size_t room, void *to,
			   size_t *needed)
{
	COUNT(clGetDeviceInfo);
	if (icd_is_old() && has(old_device_properties, COUNT_OF(old_device_properties), which))
		return GIVE_PROPERTY(old_device_properties, device, which, room, to, needed);
	if (icd_setting_is("PROFILING", "refused") && which == CL_DEVICE_QUEUE_PROPERTIES)
		return GIVE_PROPERTY(plain_device_properties, device, which, room, to, needed);
	return GIVE_PROPERTY(device_properties, device, which, room, to, needed);
}
EXPORTED(clGetDeviceInfo);

/* A root device is not counted. */
cl_int icd_clRetainDevice(cl_device_id device)
{
	COUNT(clRetainDevice);
	return CL_SUCCESS;
}
EXPORTED(clRetainDevice);

cl_int icd_clReleaseDevice(cl_device_id device)
{
	COUNT(clReleaseDevice);
	return CL_SUCCESS;
}
EXPORTED(clReleaseDevice);

cl_int icd_clGetHostTimer(cl_device_id device, cl_ulong *host)
{
	COUNT_NEW(clGetHostTimer, CL_INVALID_OPERATION);
	if (!host)
		return CL_INVALID_VALUE;
	*host = icd_host_timer();
	return CL_SUCCESS;
}
EXPORTED(clGetHostTimer);

cl_int icd_clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_time, cl_ulong *host)
{
	cl_int failure = icd_wished_failure("clGetDeviceAndHostTimer");

	COUNT_NEW(clGetDeviceAndHostTimer, CL_INVALID_OPERATION);
	if (icd_setting_is("PLATFORM", "1.1"))
		icd_misuse("clGetDeviceAndHostTimer", "called in a platform of OpenCL 1.1");
	if (failure || !device_time || !host)
		return failure ? failure : CL_INVALID_VALUE;
	*device_time = icd_now().ticks;
	*host = icd_host_timer();
	return CL_SUCCESS;
}
EXPORTED(clGetDeviceAndHostTimer);

/* --- contexts */

cl_context icd_clCreateContext(const cl_context_properties *properties, cl_uint count,
			       const cl_device_id *devices,
			       void(CL_CALLBACK *notify)(const char *, const void *, size_t,
							 void *),
			       void *with, cl_int *error)
{
	COUNT(clCreateContext);
	cl_context context = count == 1 && devices ? icd_new(CONTEXT, sizeof(*context)) : NULL;

	icd_set(error, context ? CL_SUCCESS : CL_INVALID_VALUE);
	return context;
}
EXPORTED(clCreateContext);

cl_context icd_clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
				       void(CL_CALLBACK *notify)(const char *, const void *, size_t,
								 void *),
				       void *with, cl_int *error)
{
	cl_device_id device = &icd_device;

	COUNT(clCreateContextFromType);
	return BY_NAME(clCreateContext(properties, 1, &device, notify, with, error));
}
EXPORTED(clCreateContextFromType);

REFERENCES(Context, cl_context, CONTEXT);

static const struct property context_properties[] = {
	A_FIELD(CL_CONTEXT_REFERENCE_COUNT, struct _cl_context, object.references),
	UINT(CL_CONTEXT_NUM_DEVICES, 1),
	A_VALUE(CL_CONTEXT_DEVICES, cl_device_id, &icd_device),
	{CL_CONTEXT_PROPERTIES, VALUE, 0, 0, ""},
};

cl_int icd_clGetContextInfo(cl_context context, cl_context_info which, size_t room, void *to,
			    size_t *needed)
{
	COUNT(clGetContextInfo);
	if (!icd_live(context, CONTEXT, "clGetContextInfo"))
		return CL_INVALID_CONTEXT;
	return GIVE_PROPERTY(context_properties, context, which, room, to, needed);
}
EXPORTED(clGetContextInfo);

/* --- what the loader asks for */

void *icd_clGetExtensionFunctionAddress(const char *name)
{
	COUNT(clGetExtensionFunctionAddress);
	if (!strcmp(name, "clIcdGetPlatformIDsKHR"))
		return (void *)icd_clIcdGetPlatformIDsKHR;
	if (!strcmp(name, "clGetHostTimer"))
		return (void *)icd_clGetHostTimer;
	void *function = icd_function_of_memory(name);

	return function ? function : icd_function_of_extension(name);
}
EXPORTED(clGetExtensionFunctionAddress);

void *icd_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
	COUNT(clGetExtensionFunctionAddressForPlatform);
	return OWN(icd_clGetExtensionFunctionAddress(name));
}
EXPORTED(clGetExtensionFunctionAddressForPlatform);

/*
 * In the build with names, the dynamic linker decides which functions this table refers to;
 * otherwise they are this driver's. Functions that only the loader's own lookup needs have no slot.
 */
#ifdef ICD_TABLE_BY_NAME
#define FUNCTION(name) .name = name,
#else
#define FUNCTION(name) .name = icd_##name,
#endif
#define FUNCTION_WITHOUT_SLOT(name)

const cl_icd_dispatch icd_table = {
#include "tests/drivers/icd_functions.def"
};

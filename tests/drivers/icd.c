/*
 * icd.c: an OpenCL driver in software for the tests. See icd.h for what it has and how it is set
 * up.
 *
 * One mutex guards all objects, one condition variable tells of every change: this is a test bed,
 * not a fast driver. A command holds references to what it uses, and its event is complete before
 * its callbacks run.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/drivers/icd.h"

#define EXPORT		__attribute__((visibility("default")))
#define ARGS_MAX	8
#define NAME_MAX_LENGTH 128

#ifdef ICD_SECOND
#define INSTANCE      'b'
#define PLATFORM_NAME "tracelayer test platform B"
#else
#define INSTANCE      'a'
#define PLATFORM_NAME "tracelayer test platform"
#endif

/* --- counting */

struct count {
	const char *name;
	_Atomic uint64_t outside, own;
	uint64_t reserved;
};

extern struct count __start_icd_counts[] __attribute__((visibility("hidden")));
extern struct count __stop_icd_counts[] __attribute__((visibility("hidden")));

static __thread unsigned inside;

#define COUNT(function)                                                                            \
	do {                                                                                       \
		static struct count count __attribute__((section("icd_counts"), used,              \
							 aligned(32))) = {#function, 0, 0, 0};     \
		atomic_fetch_add(inside ? &count.own : &count.outside, 1);                         \
	} while (0)

/* A call of one of our own functions: counted as such. */
#define OWN(call)                                                                                  \
	({                                                                                         \
		inside++;                                                                          \
		__auto_type result_ = (call);                                                      \
		inside--;                                                                          \
		result_;                                                                           \
	})

/* The same of an exported one, by its name: through the PLT, bound to whoever comes first. */
#define BY_NAME(call) OWN(call)

/* Each function is written as static icd_X and exported as X: its own table leads to it whatever X
 * is bound to. */
#define EXPORTED(function)                                                                         \
	extern __typeof__(icd_##function) function EXPORT __attribute__((alias("icd_" #function)))

static const char *setting(const char *name)
{
	char whole[64];
	const char *value = NULL;

	if (INSTANCE == 'b') {
		snprintf(whole, sizeof(whole), "TEST_ICD_B_%s", name);
		value = getenv(whole);
	}
	snprintf(whole, sizeof(whole), "TEST_ICD_%s", name);
	return value ? value : getenv(whole);
}

static pid_t first_process;

static void write_counts(void)
{
	const char *pattern = setting("COUNTS"), *pid = pattern ? strstr(pattern, "%p") : NULL;
	char path[4096];
	FILE *file;

	if (!pattern || !*pattern || (!pid && getpid() != first_process))
		return;
	snprintf(path, sizeof(path), "%.*s", pid ? (int)(pid - pattern) : (int)strlen(pattern),
		 pattern);
	if (pid)
		snprintf(path + strlen(path), sizeof(path) - strlen(path), "%d%s", getpid(),
			 pid + 2);
	if (INSTANCE == 'b')
		strncat(path, ".b", sizeof(path) - strlen(path) - 1);
	file = fopen(path, "we");
	for (struct count *it = __start_icd_counts; file && it < __stop_icd_counts; it++) {
		if (it->outside)
			fprintf(file, "%s %llu\n", it->name, (unsigned long long)it->outside);
		if (it->own)
			fprintf(file, "%s/own %llu\n", it->name, (unsigned long long)it->own);
	}
	if (file)
		fclose(file);
}

EXPORT uint64_t test_icd_count(const char *function)
{
	uint64_t sum = 0;

	for (struct count *it = __start_icd_counts; it < __stop_icd_counts; it++)
		if (!strcmp(it->name, function))
			sum += it->outside;
	return sum;
}

static void forget_counts(void)
{
	for (struct count *it = __start_icd_counts; it < __stop_icd_counts; it++)
		it->outside = it->own = 0;
}

/* --- clocks */

static uint64_t clock_offset = 987654321000, clock_start;
static double clock_drift;
static clockid_t host_clock = CLOCK_MONOTONIC;

static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t device_now(void)
{
	uint64_t now = nanoseconds(CLOCK_MONOTONIC);

	return now + clock_offset +
	       (uint64_t)(int64_t)((double)(now - clock_start) * clock_drift / 1e6);
}

__attribute__((constructor)) static void set_up(void)
{
	const char *offset = setting("CLOCK_OFFSET"), *drift = setting("CLOCK_DRIFT_PPM"),
		   *host = setting("CLOCK_HOST");

	first_process = getpid();
	clock_start = nanoseconds(CLOCK_MONOTONIC);
	if (offset)
		clock_offset = strtoull(offset, NULL, 0);
	if (drift)
		clock_drift = strtod(drift, NULL);
	if (host && !strcmp(host, "raw"))
		host_clock = CLOCK_MONOTONIC_RAW;
	pthread_atfork(NULL, NULL, forget_counts);
}

__attribute__((destructor)) static void tear_down(void)
{
	write_counts();
}

/* --- objects */

/* Every object begins with the table that the loader dispatches by. */
struct object {
	const cl_icd_dispatch *dispatch;
	unsigned references;
};

struct _cl_platform_id {
	struct object object;
};

struct _cl_device_id {
	struct object object;
};

struct _cl_context {
	struct object object;
};

struct _cl_mem {
	struct object object;
	cl_context context;
	cl_mem_flags flags;
	size_t size;
	char *memory;
	bool borrowed; /* CL_MEM_USE_HOST_PTR */
	void(CL_CALLBACK *destroyed)(cl_mem, void *);
	void *destroyed_with;
};

struct _cl_program {
	struct object object;
	cl_context context;
	char *source;
	cl_build_status status;
};

struct argument {
	size_t size;
	char value[64];
};

struct kernel_kind;

struct _cl_kernel {
	struct object object;
	cl_program program;
	const struct kernel_kind *kind;
	char name[NAME_MAX_LENGTH];
	struct argument arguments[ARGS_MAX];
};

struct callback {
	struct callback *next;
	cl_int at;
	void(CL_CALLBACK *function)(cl_event, cl_int, void *);
	void *with;
};

struct _cl_event {
	struct object object;
	cl_context context;
	cl_command_queue queue; /* NULL: a user event */
	cl_command_type type;
	cl_int status;
	cl_ulong queued, submitted, started, ended;
	struct callback *callbacks;
};

struct command {
	struct command *next;
	cl_event event;
	cl_uint nwaits;
	cl_event *waits;
	void (*run)(struct command *command);
	cl_mem from, to;
	char *from_host, *to_host;
	size_t from_offset, to_offset, bytes;
	char pattern[128];
	size_t pattern_bytes;
	cl_kernel kernel;
	struct argument arguments[ARGS_MAX];
	size_t items;
};

struct _cl_command_queue {
	struct object object;
	cl_context context;
	cl_command_queue_properties properties;
	pthread_t thread;
	struct command *first, **last;
	unsigned pending;
	bool ends;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static const cl_icd_dispatch table;
static struct _cl_platform_id the_platform = {{&table, 1}};
static struct _cl_device_id the_device = {{&table, 1}};

static void *new_object(size_t size)
{
	struct object *object = calloc(1, size);

	if (object)
		*object = (struct object){&table, 1};
	return object;
}

static void retain(void *object)
{
	pthread_mutex_lock(&lock);
	((struct object *)object)->references++;
	pthread_mutex_unlock(&lock);
}

static bool release(void *object)
{
	pthread_mutex_lock(&lock);
	bool last = !--((struct object *)object)->references;
	pthread_mutex_unlock(&lock);
	return last;
}

/* clGetXInfo's way of giving a value out. */
static cl_int give(size_t room, void *to, size_t *needed, const void *value, size_t size)
{
	if (needed)
		*needed = size;
	if (!to)
		return CL_SUCCESS;
	if (room < size)
		return CL_INVALID_VALUE;
	memcpy(to, value, size);
	return CL_SUCCESS;
}

#define GIVE(type, ...) return give(size, value, needed, &(type){__VA_ARGS__}, sizeof(type))
#define GIVE_TEXT(text) return give(size, value, needed, text, strlen(text) + 1)

static void set(cl_int *error, cl_int value)
{
	if (error)
		*error = value;
}

/* --- platform and device */

static cl_int icd_clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
	COUNT(clGetPlatformIDs);
	if ((!room && platforms) || (!platforms && !count))
		return CL_INVALID_VALUE;
	if (platforms)
		platforms[0] = &the_platform;
	if (count)
		*count = 1;
	return CL_SUCCESS;
}
EXPORTED(clGetPlatformIDs);

static cl_int icd_clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
	COUNT(clIcdGetPlatformIDsKHR);
	return OWN(icd_clGetPlatformIDs(room, platforms, count));
}
EXPORTED(clIcdGetPlatformIDsKHR);

static cl_int icd_clGetPlatformInfo(cl_platform_id platform, cl_platform_info which, size_t size,
				    void *value, size_t *needed)
{
	COUNT(clGetPlatformInfo);
	switch (which) {
	case CL_PLATFORM_PROFILE:
		GIVE_TEXT("FULL_PROFILE");
	case CL_PLATFORM_VERSION:
		GIVE_TEXT("OpenCL 3.0 tracelayer test");
	case CL_PLATFORM_NAME:
		GIVE_TEXT(PLATFORM_NAME);
	case CL_PLATFORM_VENDOR:
		GIVE_TEXT("tracelayer");
	case CL_PLATFORM_EXTENSIONS:
		GIVE_TEXT("cl_khr_icd cl_intel_unified_shared_memory");
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		GIVE_TEXT(INSTANCE == 'b' ? "TESTB" : "TESTA");
	case CL_PLATFORM_NUMERIC_VERSION:
		GIVE(cl_version, CL_MAKE_VERSION(3, 0, 0));
	case CL_PLATFORM_HOST_TIMER_RESOLUTION:
		GIVE(cl_ulong, 1);
	}
	return CL_INVALID_VALUE;
}
EXPORTED(clGetPlatformInfo);

static cl_int icd_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room,
				 cl_device_id *devices, cl_uint *count)
{
	COUNT(clGetDeviceIDs);
	if (!(type & (CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_DEFAULT)))
		return CL_DEVICE_NOT_FOUND;
	if (devices && room)
		devices[0] = &the_device;
	if (count)
		*count = 1;
	return CL_SUCCESS;
}
EXPORTED(clGetDeviceIDs);

static cl_int device_number(cl_device_info which, size_t size, void *value, size_t *needed)
{
	switch (which) {
	case CL_DEVICE_TYPE:
		GIVE(cl_device_type, CL_DEVICE_TYPE_ACCELERATOR);
	case CL_DEVICE_PLATFORM:
		GIVE(cl_platform_id, &the_platform);
	case CL_DEVICE_PARENT_DEVICE:
		GIVE(cl_device_id, NULL);
	case CL_DEVICE_AVAILABLE:
	case CL_DEVICE_COMPILER_AVAILABLE:
	case CL_DEVICE_LINKER_AVAILABLE:
	case CL_DEVICE_ENDIAN_LITTLE:
		GIVE(cl_bool, CL_TRUE);
	case CL_DEVICE_IMAGE_SUPPORT:
	case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
	case CL_DEVICE_HOST_UNIFIED_MEMORY:
	case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC:
		GIVE(cl_bool, CL_FALSE);
	case CL_DEVICE_MAX_COMPUTE_UNITS:
	case CL_DEVICE_REFERENCE_COUNT:
	case CL_DEVICE_MAX_CONSTANT_ARGS:
		GIVE(cl_uint, 1);
	case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
		GIVE(cl_uint, 3);
	case CL_DEVICE_MAX_CLOCK_FREQUENCY:
		GIVE(cl_uint, 1000);
	case CL_DEVICE_ADDRESS_BITS:
		GIVE(cl_uint, 64);
	case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
		GIVE(cl_uint, 1024);
	case CL_DEVICE_VENDOR_ID:
	case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
		GIVE(cl_uint, 0);
	case CL_DEVICE_MAX_WORK_GROUP_SIZE:
	case CL_DEVICE_MAX_PARAMETER_SIZE:
		GIVE(size_t, 1024);
	case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
		GIVE(size_t, 1);
	case CL_DEVICE_PRINTF_BUFFER_SIZE:
		GIVE(size_t, 65536);
	case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
		size_t sizes[3] = {1024, 1024, 1024};

		return give(size, value, needed, sizes, sizeof(sizes));
	}
	case CL_DEVICE_GLOBAL_MEM_SIZE:
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
	case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
		GIVE(cl_ulong, 1 << 28);
	case CL_DEVICE_LOCAL_MEM_SIZE:
		GIVE(cl_ulong, 32768);
	case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
		GIVE(cl_ulong, 0);
	case CL_DEVICE_LOCAL_MEM_TYPE:
		GIVE(cl_device_local_mem_type, CL_GLOBAL);
	case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
		GIVE(cl_device_mem_cache_type, CL_NONE);
	case CL_DEVICE_EXECUTION_CAPABILITIES:
		GIVE(cl_device_exec_capabilities, CL_EXEC_KERNEL);
	case CL_DEVICE_QUEUE_PROPERTIES:
		GIVE(cl_command_queue_properties, CL_QUEUE_PROFILING_ENABLE);
	case CL_DEVICE_SINGLE_FP_CONFIG:
		GIVE(cl_device_fp_config, CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN);
	case CL_DEVICE_NUMERIC_VERSION:
		GIVE(cl_version, CL_MAKE_VERSION(3, 0, 0));
	case CL_DEVICE_SVM_CAPABILITIES:
		GIVE(cl_device_svm_capabilities, 0);
	}
	return CL_INVALID_VALUE;
}

static cl_int icd_clGetDeviceInfo(cl_device_id device, cl_device_info which, size_t size,
				  void *value, size_t *needed)
{
	COUNT(clGetDeviceInfo);
	switch (which) {
	case CL_DEVICE_NAME:
		GIVE_TEXT("tracelayer test device");
	case CL_DEVICE_VENDOR:
		GIVE_TEXT("tracelayer");
	case CL_DRIVER_VERSION:
		GIVE_TEXT("1");
	case CL_DEVICE_PROFILE:
		GIVE_TEXT("FULL_PROFILE");
	case CL_DEVICE_VERSION:
		GIVE_TEXT("OpenCL 3.0 tracelayer test");
	case CL_DEVICE_OPENCL_C_VERSION:
		GIVE_TEXT("OpenCL C 1.2 tracelayer test");
	case CL_DEVICE_EXTENSIONS:
		GIVE_TEXT("cl_intel_unified_shared_memory");
	case CL_DEVICE_BUILT_IN_KERNELS:
		GIVE_TEXT("vector_add;fill;spin;empty");
	}
	return device_number(which, size, value, needed);
}
EXPORTED(clGetDeviceInfo);

static cl_int icd_clRetainDevice(cl_device_id device)
{
	COUNT(clRetainDevice);
	return CL_SUCCESS;
}
EXPORTED(clRetainDevice);

static cl_int icd_clReleaseDevice(cl_device_id device)
{
	COUNT(clReleaseDevice);
	return CL_SUCCESS;
}
EXPORTED(clReleaseDevice);

static cl_int icd_clGetHostTimer(cl_device_id device, cl_ulong *host)
{
	COUNT(clGetHostTimer);
	if (!host)
		return CL_INVALID_VALUE;
	*host = nanoseconds(host_clock);
	return CL_SUCCESS;
}
EXPORTED(clGetHostTimer);

static cl_int icd_clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_time,
					  cl_ulong *host)
{
	COUNT(clGetDeviceAndHostTimer);
	if (!device_time || !host)
		return CL_INVALID_VALUE;
	*device_time = device_now();
	*host = nanoseconds(host_clock);
	return CL_SUCCESS;
}
EXPORTED(clGetDeviceAndHostTimer);

/* --- contexts */

static cl_context icd_clCreateContext(const cl_context_properties *properties, cl_uint count,
				      const cl_device_id *devices,
				      void(CL_CALLBACK *notify)(const char *, const void *, size_t,
								void *),
				      void *with, cl_int *error)
{
	COUNT(clCreateContext);
	cl_context context = count == 1 && devices ? new_object(sizeof(*context)) : NULL;

	set(error, context ? CL_SUCCESS : CL_INVALID_VALUE);
	return context;
}
EXPORTED(clCreateContext);

static cl_context
icd_clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
			    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
			    void *with, cl_int *error)
{
	cl_device_id device = &the_device;

	COUNT(clCreateContextFromType);
	return BY_NAME(clCreateContext(properties, 1, &device, notify, with, error));
}
EXPORTED(clCreateContextFromType);

static cl_int icd_clRetainContext(cl_context context)
{
	COUNT(clRetainContext);
	retain(context);
	return CL_SUCCESS;
}
EXPORTED(clRetainContext);

static cl_int icd_clReleaseContext(cl_context context)
{
	COUNT(clReleaseContext);
	if (release(context))
		free(context);
	return CL_SUCCESS;
}
EXPORTED(clReleaseContext);

static cl_int icd_clGetContextInfo(cl_context context, cl_context_info which, size_t size,
				   void *value, size_t *needed)
{
	COUNT(clGetContextInfo);
	switch (which) {
	case CL_CONTEXT_REFERENCE_COUNT:
		GIVE(cl_uint, context->object.references);
	case CL_CONTEXT_NUM_DEVICES:
		GIVE(cl_uint, 1);
	case CL_CONTEXT_DEVICES:
		GIVE(cl_device_id, &the_device);
	case CL_CONTEXT_PROPERTIES:
		return give(size, value, needed, "", 0);
	}
	return CL_INVALID_VALUE;
}
EXPORTED(clGetContextInfo);

/* --- buffers */

static cl_mem icd_clCreateBufferWithProperties(cl_context context,
					       const cl_mem_properties *properties,
					       cl_mem_flags flags, size_t size, void *host,
					       cl_int *error)
{
	cl_mem mem;

	COUNT(clCreateBufferWithProperties);
	if (!context || !size || (!host && flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR))) {
		set(error, !context ? CL_INVALID_CONTEXT
			   : !size  ? CL_INVALID_BUFFER_SIZE
				    : CL_INVALID_HOST_PTR);
		return NULL;
	}
	mem = new_object(sizeof(*mem));
	if (mem) {
		mem->context = context;
		mem->flags = flags;
		mem->size = size;
		mem->borrowed = flags & CL_MEM_USE_HOST_PTR;
		mem->memory = mem->borrowed ? host : calloc(1, size);
		if (mem->memory && flags & CL_MEM_COPY_HOST_PTR)
			memcpy(mem->memory, host, size);
	}
	set(error, mem && mem->memory ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE);
	return mem;
}
EXPORTED(clCreateBufferWithProperties);

static cl_mem icd_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
				 cl_int *error)
{
	COUNT(clCreateBuffer);
	return BY_NAME(clCreateBufferWithProperties(context, NULL, flags, size, host, error));
}
EXPORTED(clCreateBuffer);

static cl_int icd_clRetainMemObject(cl_mem mem)
{
	COUNT(clRetainMemObject);
	retain(mem);
	return CL_SUCCESS;
}
EXPORTED(clRetainMemObject);

static void release_mem(cl_mem mem)
{
	if (!mem || !release(mem))
		return;
	if (mem->destroyed)
		mem->destroyed(mem, mem->destroyed_with);
	if (!mem->borrowed)
		free(mem->memory);
	free(mem);
}

static cl_int icd_clReleaseMemObject(cl_mem mem)
{
	COUNT(clReleaseMemObject);
	if (!mem)
		return CL_INVALID_MEM_OBJECT;
	release_mem(mem);
	return CL_SUCCESS;
}
EXPORTED(clReleaseMemObject);

static cl_int icd_clSetMemObjectDestructorCallback(cl_mem mem,
						   void(CL_CALLBACK *function)(cl_mem, void *),
						   void *with)
{
	COUNT(clSetMemObjectDestructorCallback);
	if (!mem || !function)
		return CL_INVALID_VALUE;
	mem->destroyed = function;
	mem->destroyed_with = with;
	return CL_SUCCESS;
}
EXPORTED(clSetMemObjectDestructorCallback);

static cl_int icd_clGetMemObjectInfo(cl_mem mem, cl_mem_info which, size_t size, void *value,
				     size_t *needed)
{
	COUNT(clGetMemObjectInfo);
	switch (which) {
	case CL_MEM_TYPE:
		GIVE(cl_mem_object_type, CL_MEM_OBJECT_BUFFER);
	case CL_MEM_FLAGS:
		GIVE(cl_mem_flags, mem->flags);
	case CL_MEM_SIZE:
		GIVE(size_t, mem->size);
	case CL_MEM_CONTEXT:
		GIVE(cl_context, mem->context);
	case CL_MEM_REFERENCE_COUNT:
		GIVE(cl_uint, mem->object.references);
	}
	return CL_INVALID_VALUE;
}
EXPORTED(clGetMemObjectInfo);

static cl_int icd_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
					     cl_mem_object_type type, cl_uint room,
					     cl_image_format *formats, cl_uint *count)
{
	COUNT(clGetSupportedImageFormats);
	if (count)
		*count = 0;
	return CL_SUCCESS;
}
EXPORTED(clGetSupportedImageFormats);

static void *host_mem_alloc(cl_context context, const cl_bitfield *properties, size_t size,
			    cl_uint alignment, cl_int *error)
{
	COUNT(clHostMemAllocINTEL);
	char *memory = calloc(1, size ? size : 1);

	if (memory)
		memory[0] = INSTANCE;
	set(error, memory ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
	return memory;
}

static cl_int mem_free(cl_context context, void *memory)
{
	COUNT(clMemFreeINTEL);
	free(memory);
	return CL_SUCCESS;
}

/* --- events */

static cl_event new_event(cl_context context, cl_command_queue queue, cl_command_type type)
{
	cl_event event = new_object(sizeof(*event));

	if (event) {
		event->context = context;
		event->queue = queue;
		event->type = type;
		event->status = queue ? CL_QUEUED : CL_SUBMITTED;
		event->queued = device_now();
	}
	return event;
}

static void free_event(cl_event event)
{
	while (event->callbacks) {
		struct callback *first = event->callbacks;

		event->callbacks = first->next;
		free(first);
	}
	free(event);
}

static void release_event(cl_event event)
{
	if (event && release(event))
		free_event(event);
}

/* The first callback whose time has come, taken out of the event. Under the lock. */
static struct callback *due_callback(cl_event event)
{
	for (struct callback **at = &event->callbacks; *at; at = &(*at)->next)
		if (event->status <= (*at)->at) {
			struct callback *due = *at;

			*at = due->next;
			return due;
		}
	return NULL;
}

/* The status is seen by everybody before the callbacks run; they run without the lock. */
static void advance(cl_event event, cl_int status)
{
	struct callback *due;

	pthread_mutex_lock(&lock);
	event->status = status;
	pthread_cond_broadcast(&changed);
	while ((due = due_callback(event)) != NULL) {
		pthread_mutex_unlock(&lock);
		due->function(event, status < 0 ? status : due->at, due->with);
		free(due);
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
}

/* Until it is complete or failed; returns its status. */
static cl_int await(cl_event event)
{
	pthread_mutex_lock(&lock);
	while (event->status > CL_COMPLETE)
		pthread_cond_wait(&changed, &lock);
	cl_int status = event->status;

	pthread_mutex_unlock(&lock);
	return status;
}

static cl_int icd_clWaitForEvents(cl_uint count, const cl_event *events)
{
	cl_int result = CL_SUCCESS;

	COUNT(clWaitForEvents);
	if (!count || !events)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < count; i++)
		if (await(events[i]) < 0)
			result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	return result;
}
EXPORTED(clWaitForEvents);

static cl_int icd_clGetEventInfo(cl_event event, cl_event_info which, size_t size, void *value,
				 size_t *needed)
{
	COUNT(clGetEventInfo);
	switch (which) {
	case CL_EVENT_COMMAND_QUEUE:
		GIVE(cl_command_queue, event->queue);
	case CL_EVENT_CONTEXT:
		GIVE(cl_context, event->context);
	case CL_EVENT_COMMAND_TYPE:
		GIVE(cl_command_type, event->type);
	case CL_EVENT_COMMAND_EXECUTION_STATUS:
		GIVE(cl_int, event->status);
	case CL_EVENT_REFERENCE_COUNT:
		GIVE(cl_uint, event->object.references);
	}
	return CL_INVALID_VALUE;
}
EXPORTED(clGetEventInfo);

static cl_int icd_clGetEventProfilingInfo(cl_event event, cl_profiling_info which, size_t size,
					  void *value, size_t *needed)
{
	COUNT(clGetEventProfilingInfo);
	if (!event->queue || !(event->queue->properties & CL_QUEUE_PROFILING_ENABLE) ||
	    event->status != CL_COMPLETE)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	switch (which) {
	case CL_PROFILING_COMMAND_QUEUED:
		GIVE(cl_ulong, event->queued);
	case CL_PROFILING_COMMAND_SUBMIT:
		GIVE(cl_ulong, event->submitted);
	case CL_PROFILING_COMMAND_START:
		GIVE(cl_ulong, event->started);
	case CL_PROFILING_COMMAND_END:
	case CL_PROFILING_COMMAND_COMPLETE:
		GIVE(cl_ulong, event->ended);
	}
	return CL_INVALID_VALUE;
}
EXPORTED(clGetEventProfilingInfo);

static cl_int icd_clRetainEvent(cl_event event)
{
	COUNT(clRetainEvent);
	if (!event)
		return CL_INVALID_EVENT;
	retain(event);
	return CL_SUCCESS;
}
EXPORTED(clRetainEvent);

static cl_int icd_clReleaseEvent(cl_event event)
{
	COUNT(clReleaseEvent);
	if (!event)
		return CL_INVALID_EVENT;
	release_event(event);
	return CL_SUCCESS;
}
EXPORTED(clReleaseEvent);

static cl_int icd_clSetEventCallback(cl_event event, cl_int at,
				     void(CL_CALLBACK *function)(cl_event, cl_int, void *),
				     void *with)
{
	struct callback *callback = calloc(1, sizeof(*callback));

	COUNT(clSetEventCallback);
	if (!callback || !function || at < CL_COMPLETE || at > CL_SUBMITTED) {
		free(callback);
		return CL_INVALID_VALUE;
	}
	*callback = (struct callback){NULL, at, function, with};
	pthread_mutex_lock(&lock);
	struct callback **last = &event->callbacks;

	while (*last)
		last = &(*last)->next;
	*last = callback;
	cl_int status = event->status;

	pthread_mutex_unlock(&lock);
	if (status <= at)
		advance(event, status);
	return CL_SUCCESS;
}
EXPORTED(clSetEventCallback);

static cl_event icd_clCreateUserEvent(cl_context context, cl_int *error)
{
	COUNT(clCreateUserEvent);
	cl_event event = new_event(context, NULL, CL_COMMAND_USER);

	set(error, event ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
	return event;
}
EXPORTED(clCreateUserEvent);

static cl_int icd_clSetUserEventStatus(cl_event event, cl_int status)
{
	COUNT(clSetUserEventStatus);
	if (event->queue || status > CL_COMPLETE)
		return CL_INVALID_VALUE;
	if (event->status <= CL_COMPLETE)
		return CL_INVALID_OPERATION;
	advance(event, status);
	return CL_SUCCESS;
}
EXPORTED(clSetUserEventStatus);

/* --- queues */

static void free_command(struct command *command)
{
	for (cl_uint i = 0; i < command->nwaits; i++)
		release_event(command->waits[i]);
	free(command->waits);
	release_mem(command->from);
	release_mem(command->to);
	if (command->kernel)
		BY_NAME(clReleaseKernel(command->kernel));
	release_event(command->event);
	free(command);
}

static void execute(struct command *command)
{
	cl_int result = CL_COMPLETE;

	advance(command->event, CL_SUBMITTED);
	command->event->submitted = device_now();
	for (cl_uint i = 0; i < command->nwaits; i++)
		if (await(command->waits[i]) < 0)
			result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	advance(command->event, CL_RUNNING);
	command->event->started = device_now();
	if (command->run && result == CL_COMPLETE)
		command->run(command);
	command->event->ended = device_now();
	advance(command->event, result);
}

static void *serve(void *queue_)
{
	cl_command_queue queue = queue_;

	pthread_mutex_lock(&lock);
	for (;;) {
		while (!queue->first && !queue->ends)
			pthread_cond_wait(&changed, &lock);
		struct command *command = queue->first;

		if (!command)
			break;
		queue->first = command->next;
		if (!queue->first)
			queue->last = &queue->first;
		pthread_mutex_unlock(&lock);
		execute(command);
		free_command(command);
		pthread_mutex_lock(&lock);
		queue->pending--;
		pthread_cond_broadcast(&changed);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

static cl_command_queue
icd_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
				       const cl_queue_properties *properties, cl_int *error)
{
	cl_command_queue queue = context ? new_object(sizeof(*queue)) : NULL;

	COUNT(clCreateCommandQueueWithProperties);
	if (!queue) {
		set(error, context ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_CONTEXT);
		return NULL;
	}
	queue->context = context;
	queue->last = &queue->first;
	for (; properties && *properties; properties += 2)
		if (properties[0] == CL_QUEUE_PROPERTIES)
			queue->properties = properties[1];
	if (pthread_create(&queue->thread, NULL, serve, queue)) {
		free(queue);
		queue = NULL;
	}
	set(error, queue ? CL_SUCCESS : CL_OUT_OF_RESOURCES);
	return queue;
}
EXPORTED(clCreateCommandQueueWithProperties);

static cl_command_queue icd_clCreateCommandQueue(cl_context context, cl_device_id device,
						 cl_command_queue_properties properties,
						 cl_int *error)
{
	const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};

	COUNT(clCreateCommandQueue);
	return BY_NAME(clCreateCommandQueueWithProperties(context, device, list, error));
}
EXPORTED(clCreateCommandQueue);

static cl_int icd_clFlush(cl_command_queue queue)
{
	COUNT(clFlush);
	return queue ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}
EXPORTED(clFlush);

static cl_int icd_clFinish(cl_command_queue queue)
{
	COUNT(clFinish);
	if (BY_NAME(clFlush(queue)))
		return CL_INVALID_COMMAND_QUEUE;
	pthread_mutex_lock(&lock);
	while (queue->pending)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return CL_SUCCESS;
}
EXPORTED(clFinish);

static cl_int icd_clRetainCommandQueue(cl_command_queue queue)
{
	COUNT(clRetainCommandQueue);
	retain(queue);
	return CL_SUCCESS;
}
EXPORTED(clRetainCommandQueue);

/* The queue's own thread may be the one that releases it, in a callback: then it lives on as a
 * thread nobody joins. */
static cl_int icd_clReleaseCommandQueue(cl_command_queue queue)
{
	COUNT(clReleaseCommandQueue);
	if (!queue)
		return CL_INVALID_COMMAND_QUEUE;
	if (!release(queue))
		return CL_SUCCESS;
	pthread_mutex_lock(&lock);
	queue->ends = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	if (pthread_equal(queue->thread, pthread_self())) {
		pthread_detach(queue->thread);
		return CL_SUCCESS;
	}
	pthread_join(queue->thread, NULL);
	free(queue);
	return CL_SUCCESS;
}
EXPORTED(clReleaseCommandQueue);

static cl_int icd_clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info which,
					size_t size, void *value, size_t *needed)
{
	COUNT(clGetCommandQueueInfo);
	switch (which) {
	case CL_QUEUE_CONTEXT:
		GIVE(cl_context, queue->context);
	case CL_QUEUE_DEVICE:
		GIVE(cl_device_id, &the_device);
	case CL_QUEUE_REFERENCE_COUNT:
		GIVE(cl_uint, queue->object.references);
	case CL_QUEUE_PROPERTIES:
		GIVE(cl_command_queue_properties, queue->properties);
	}
	return CL_INVALID_VALUE;
}
EXPORTED(clGetCommandQueueInfo);

/* TEST_ICD_FAIL=name=code,…: the code for that function, or CL_SUCCESS. */
static cl_int wished_failure(const char *function)
{
	const char *wish = setting("FAIL");
	size_t length = strlen(function);

	for (; wish && *wish; wish = strchr(wish, ',') ? strchr(wish, ',') + 1 : NULL)
		if (!strncmp(wish, function, length) && wish[length] == '=')
			return atoi(wish + length + 1);
	return CL_SUCCESS;
}

/* A command that nothing else is known of yet. */
static struct command *new_command(cl_command_queue queue, cl_command_type type, cl_uint nwaits,
				   const cl_event *waits)
{
	struct command *command = calloc(1, sizeof(*command));
	cl_event *kept = nwaits ? calloc(nwaits, sizeof(*kept)) : NULL;
	cl_event event = queue ? new_event(queue->context, queue, type) : NULL;

	if (!command || !event || (nwaits && !kept)) {
		free(command);
		free(kept);
		free(event);
		return NULL;
	}
	command->event = event;
	command->waits = kept;
	command->nwaits = nwaits;
	for (cl_uint i = 0; i < nwaits; i++) {
		kept[i] = waits[i];
		BY_NAME(clRetainEvent(waits[i]));
	}
	return command;
}

static cl_int submit(cl_command_queue queue, struct command *command, const char *function,
		     bool blocking, cl_event *event)
{
	cl_int failure = wished_failure(function);
	cl_event mine = command->event;

	if (failure) {
		free_command(command);
		return failure;
	}
	retain(mine);
	pthread_mutex_lock(&lock);
	*queue->last = command;
	queue->last = &command->next;
	queue->pending++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	cl_int status = blocking ? await(mine) : CL_COMPLETE;

	if (event)
		*event = mine;
	else
		release_event(mine);
	return status < 0 ? status : CL_SUCCESS;
}

static void use(cl_mem *place, cl_mem mem)
{
	retain(mem);
	*place = mem;
}

static void run_copy(struct command *command)
{
	char *to = command->to ? command->to->memory + command->to_offset : command->to_host;
	const char *from =
		command->from ? command->from->memory + command->from_offset : command->from_host;

	memmove(to, from, command->bytes);
}

static void run_fill(struct command *command)
{
	for (size_t at = 0; at + command->pattern_bytes <= command->bytes;
	     at += command->pattern_bytes)
		memcpy(command->to->memory + command->to_offset + at, command->pattern,
		       command->pattern_bytes);
}

static bool within(cl_mem mem, size_t offset, size_t bytes)
{
	return mem && offset <= mem->size && bytes <= mem->size - offset;
}

static cl_int icd_clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
				      size_t offset, size_t bytes, void *host, cl_uint nwaits,
				      const cl_event *waits, cl_event *event)
{
	struct command *command;

	COUNT(clEnqueueReadBuffer);
	if (!queue || !host || !within(mem, offset, bytes))
		return !queue ? CL_INVALID_COMMAND_QUEUE : CL_INVALID_VALUE;
	command = new_command(queue, CL_COMMAND_READ_BUFFER, nwaits, waits);
	if (!command)
		return CL_OUT_OF_HOST_MEMORY;
	use(&command->from, mem);
	command->from_offset = offset;
	command->to_host = host;
	command->bytes = bytes;
	command->run = run_copy;
	return submit(queue, command, "clEnqueueReadBuffer", blocking, event);
}
EXPORTED(clEnqueueReadBuffer);

static cl_int icd_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
				       size_t offset, size_t bytes, const void *host,
				       cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	struct command *command;

	COUNT(clEnqueueWriteBuffer);
	if (!queue || !host || !within(mem, offset, bytes))
		return !queue ? CL_INVALID_COMMAND_QUEUE : CL_INVALID_VALUE;
	command = new_command(queue, CL_COMMAND_WRITE_BUFFER, nwaits, waits);
	if (!command)
		return CL_OUT_OF_HOST_MEMORY;
	use(&command->to, mem);
	command->to_offset = offset;
	command->from_host = (char *)host;
	command->bytes = bytes;
	command->run = run_copy;
	return submit(queue, command, "clEnqueueWriteBuffer", blocking, event);
}
EXPORTED(clEnqueueWriteBuffer);

static cl_int icd_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
				      size_t from_offset, size_t to_offset, size_t bytes,
				      cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	struct command *command;

	COUNT(clEnqueueCopyBuffer);
	if (!queue || !within(from, from_offset, bytes) || !within(to, to_offset, bytes))
		return !queue ? CL_INVALID_COMMAND_QUEUE : CL_INVALID_VALUE;
	command = new_command(queue, CL_COMMAND_COPY_BUFFER, nwaits, waits);
	if (!command)
		return CL_OUT_OF_HOST_MEMORY;
	use(&command->from, from);
	use(&command->to, to);
	command->from_offset = from_offset;
	command->to_offset = to_offset;
	command->bytes = bytes;
	command->run = run_copy;
	return submit(queue, command, "clEnqueueCopyBuffer", false, event);
}
EXPORTED(clEnqueueCopyBuffer);

static cl_int icd_clEnqueueFillBuffer(cl_command_queue queue, cl_mem mem, const void *pattern,
				      size_t pattern_bytes, size_t offset, size_t bytes,
				      cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	struct command *command;

	COUNT(clEnqueueFillBuffer);
	if (!queue || !pattern || !pattern_bytes || pattern_bytes > sizeof(command->pattern) ||
	    !within(mem, offset, bytes))
		return !queue ? CL_INVALID_COMMAND_QUEUE : CL_INVALID_VALUE;
	command = new_command(queue, CL_COMMAND_FILL_BUFFER, nwaits, waits);
	if (!command)
		return CL_OUT_OF_HOST_MEMORY;
	use(&command->to, mem);
	command->to_offset = offset;
	command->bytes = bytes;
	memcpy(command->pattern, pattern, pattern_bytes);
	command->pattern_bytes = pattern_bytes;
	command->run = run_fill;
	return submit(queue, command, "clEnqueueFillBuffer", false, event);
}
EXPORTED(clEnqueueFillBuffer);

/* Host and device share the memory: mapping is waiting. */
static void *icd_clEnqueueMapBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
				    cl_map_flags flags, size_t offset, size_t bytes, cl_uint nwaits,
				    const cl_event *waits, cl_event *event, cl_int *error)
{
	struct command *command = NULL;
	cl_int result;

	COUNT(clEnqueueMapBuffer);
	if (queue && within(mem, offset, bytes))
		command = new_command(queue, CL_COMMAND_MAP_BUFFER, nwaits, waits);
	result = command ? submit(queue, command, "clEnqueueMapBuffer", blocking, event)
			 : CL_INVALID_VALUE;
	set(error, result);
	return result ? NULL : mem->memory + offset;
}
EXPORTED(clEnqueueMapBuffer);

static cl_int submit_empty(cl_command_queue queue, cl_command_type type, const char *function,
			   cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	struct command *command = new_command(queue, type, nwaits, waits);

	return command ? submit(queue, command, function, false, event) : CL_INVALID_COMMAND_QUEUE;
}

static cl_int icd_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *mapped,
					  cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	COUNT(clEnqueueUnmapMemObject);
	return submit_empty(queue, CL_COMMAND_UNMAP_MEM_OBJECT, "clEnqueueUnmapMemObject", nwaits,
			    waits, event);
}
EXPORTED(clEnqueueUnmapMemObject);

static cl_int icd_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint nwaits,
					      const cl_event *waits, cl_event *event)
{
	COUNT(clEnqueueMarkerWithWaitList);
	return submit_empty(queue, CL_COMMAND_MARKER, "clEnqueueMarkerWithWaitList", nwaits, waits,
			    event);
}
EXPORTED(clEnqueueMarkerWithWaitList);

static cl_int icd_clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint nwaits,
					       const cl_event *waits, cl_event *event)
{
	COUNT(clEnqueueBarrierWithWaitList);
	return submit_empty(queue, CL_COMMAND_BARRIER, "clEnqueueBarrierWithWaitList", nwaits,
			    waits, event);
}
EXPORTED(clEnqueueBarrierWithWaitList);

/* --- programs */

static cl_program new_program(cl_context context, char *source, cl_int *error)
{
	cl_program program = context && source ? new_object(sizeof(*program)) : NULL;

	if (program) {
		program->context = context;
		program->source = source;
		program->status = CL_BUILD_NONE;
	} else {
		free(source);
	}
	set(error, program ? CL_SUCCESS : context ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_CONTEXT);
	return program;
}

static cl_program icd_clCreateProgramWithSource(cl_context context, cl_uint count,
						const char **strings, const size_t *lengths,
						cl_int *error)
{
	char *source = NULL;
	size_t room = 0;
	FILE *stream = open_memstream(&source, &room);

	COUNT(clCreateProgramWithSource);
	for (cl_uint i = 0; stream && i < count; i++)
		fwrite(strings[i], 1, lengths && lengths[i] ? lengths[i] : strlen(strings[i]),
		       stream);
	if (stream)
		fclose(stream);
	return new_program(context, source, error);
}
EXPORTED(clCreateProgramWithSource);

static cl_program icd_clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count,
							const cl_device_id *devices,
							const char *names, cl_int *error)
{
	COUNT(clCreateProgramWithBuiltInKernels);
	cl_program program = new_program(context, strdup(names ? names : ""), error);

	if (program)
		program->status = CL_BUILD_SUCCESS;
	return program;
}
EXPORTED(clCreateProgramWithBuiltInKernels);

struct build {
	cl_program program;
	void(CL_CALLBACK *notify)(cl_program, void *);
	void *with;
};

static void *tell_of_build(void *build_)
{
	struct build *build = build_;

	build->notify(build->program, build->with);
	free(build);
	return NULL;
}

/* With a callback, the build ends later, on another thread. */
static cl_int icd_clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
				 const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
				 void *with)
{
	bool failed = program && !strncmp(program->source, "error:", 6);
	struct build *build;
	pthread_t thread;

	COUNT(clBuildProgram);
	if (!program)
		return CL_INVALID_PROGRAM;
	program->status = failed ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
	if (!notify)
		return failed ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
	build = malloc(sizeof(*build));
	if (!build)
		return CL_OUT_OF_HOST_MEMORY;
	*build = (struct build){program, notify, with};
	if (pthread_create(&thread, NULL, tell_of_build, build))
		tell_of_build(build);
	else
		pthread_detach(thread);
	return CL_SUCCESS;
}
EXPORTED(clBuildProgram);

static cl_int icd_clRetainProgram(cl_program program)
{
	COUNT(clRetainProgram);
	retain(program);
	return CL_SUCCESS;
}
EXPORTED(clRetainProgram);

static void release_program(cl_program program)
{
	if (!release(program))
		return;
	free(program->source);
	free(program);
}

static cl_int icd_clReleaseProgram(cl_program program)
{
	COUNT(clReleaseProgram);
	if (!program)
		return CL_INVALID_PROGRAM;
	release_program(program);
	return CL_SUCCESS;
}
EXPORTED(clReleaseProgram);

static cl_int icd_clGetProgramInfo(cl_program program, cl_program_info which, size_t size,
				   void *value, size_t *needed)
{
	COUNT(clGetProgramInfo);
	switch (which) {
	case CL_PROGRAM_REFERENCE_COUNT:
		GIVE(cl_uint, program->object.references);
	case CL_PROGRAM_CONTEXT:
		GIVE(cl_context, program->context);
	case CL_PROGRAM_NUM_DEVICES:
		GIVE(cl_uint, 1);
	case CL_PROGRAM_DEVICES:
		GIVE(cl_device_id, &the_device);
	case CL_PROGRAM_SOURCE:
		GIVE_TEXT(program->source);
	}
	return CL_INVALID_VALUE;
}
EXPORTED(clGetProgramInfo);

static cl_int icd_clGetProgramBuildInfo(cl_program program, cl_device_id device,
					cl_program_build_info which, size_t size, void *value,
					size_t *needed)
{
	COUNT(clGetProgramBuildInfo);
	switch (which) {
	case CL_PROGRAM_BUILD_STATUS:
		GIVE(cl_build_status, program->status);
	case CL_PROGRAM_BUILD_OPTIONS:
		GIVE_TEXT("");
	case CL_PROGRAM_BUILD_LOG:
		GIVE_TEXT(program->status == CL_BUILD_ERROR ? program->source + 6 : "");
	}
	return CL_INVALID_VALUE;
}
EXPORTED(clGetProgramBuildInfo);

/* --- kernels */

static cl_mem buffer_of(const struct argument *argument)
{
	return *(const cl_mem *)argument->value;
}

static cl_uint uint_of(const struct argument *argument)
{
	return *(const cl_uint *)argument->value;
}

static void run_vector_add(struct command *command)
{
	const float *a = (float *)buffer_of(&command->arguments[0])->memory,
		    *b = (float *)buffer_of(&command->arguments[1])->memory;
	float *c = (float *)buffer_of(&command->arguments[2])->memory;
	size_t count = uint_of(&command->arguments[3]);

	for (size_t i = 0; i < command->items && i < count; i++)
		c[i] = a[i] + b[i];
}

static void run_fill_kernel(struct command *command)
{
	cl_uint *memory = (cl_uint *)buffer_of(&command->arguments[0])->memory;

	for (size_t i = 0; i < command->items && i < uint_of(&command->arguments[2]); i++)
		memory[i] = uint_of(&command->arguments[1]);
}

static void run_spin(struct command *command)
{
	uint64_t until =
		nanoseconds(CLOCK_MONOTONIC) + *(const cl_ulong *)command->arguments[0].value;

	while (nanoseconds(CLOCK_MONOTONIC) < until)
		;
}

static void run_nothing(struct command *command)
{
}

/* What the arguments are: b a buffer, i 4 bytes, l 8 bytes. */
static const struct kernel_kind {
	const char *name, *arguments;
	void (*run)(struct command *command);
} kernel_kinds[] = {
	{"vector_add", "bbbi", run_vector_add},
	{"fill", "bii", run_fill_kernel},
	{"spin", "l", run_spin},
	{"empty", "", run_nothing},
};

static const struct kernel_kind *kind_of(const char *name)
{
	size_t length = strcspn(name, "@");

	for (size_t i = 0; i < sizeof(kernel_kinds) / sizeof(*kernel_kinds); i++)
		if (strlen(kernel_kinds[i].name) == length &&
		    !strncmp(kernel_kinds[i].name, name, length))
			return &kernel_kinds[i];
	return NULL;
}

static cl_kernel icd_clCreateKernel(cl_program program, const char *name, cl_int *error)
{
	const struct kernel_kind *kind = name ? kind_of(name) : NULL;
	cl_kernel kernel = NULL;

	COUNT(clCreateKernel);
	if (!program || program->status != CL_BUILD_SUCCESS || !kind) {
		set(error, !program ? CL_INVALID_PROGRAM
			   : kind   ? CL_INVALID_PROGRAM_EXECUTABLE
				    : CL_INVALID_KERNEL_NAME);
		return NULL;
	}
	kernel = new_object(sizeof(*kernel));
	if (kernel) {
		retain(program);
		kernel->program = program;
		kernel->kind = kind;
		snprintf(kernel->name, sizeof(kernel->name), "%s", name);
	}
	set(error, kernel ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
	return kernel;
}
EXPORTED(clCreateKernel);

static cl_int icd_clRetainKernel(cl_kernel kernel)
{
	COUNT(clRetainKernel);
	retain(kernel);
	return CL_SUCCESS;
}
EXPORTED(clRetainKernel);

static cl_int icd_clReleaseKernel(cl_kernel kernel)
{
	COUNT(clReleaseKernel);
	if (!kernel)
		return CL_INVALID_KERNEL;
	if (release(kernel)) {
		release_program(kernel->program);
		free(kernel);
	}
	return CL_SUCCESS;
}
EXPORTED(clReleaseKernel);

static cl_int icd_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
	COUNT(clSetKernelArg);
	if (!kernel)
		return CL_INVALID_KERNEL;
	if (index >= strlen(kernel->kind->arguments))
		return CL_INVALID_ARG_INDEX;
	if (size != (kernel->kind->arguments[index] == 'i' ? 4 : 8))
		return CL_INVALID_ARG_SIZE;
	if (!value)
		return CL_INVALID_ARG_VALUE;
	kernel->arguments[index].size = size;
	memcpy(kernel->arguments[index].value, value, size);
	return CL_SUCCESS;
}
EXPORTED(clSetKernelArg);

static cl_int icd_clGetKernelInfo(cl_kernel kernel, cl_kernel_info which, size_t size, void *value,
				  size_t *needed)
{
	COUNT(clGetKernelInfo);
	switch (which) {
	case CL_KERNEL_FUNCTION_NAME:
		GIVE_TEXT(kernel->name);
	case CL_KERNEL_NUM_ARGS:
		GIVE(cl_uint, (cl_uint)strlen(kernel->kind->arguments));
	case CL_KERNEL_REFERENCE_COUNT:
		GIVE(cl_uint, kernel->object.references);
	case CL_KERNEL_CONTEXT:
		GIVE(cl_context, kernel->program->context);
	case CL_KERNEL_PROGRAM:
		GIVE(cl_program, kernel->program);
	case CL_KERNEL_ATTRIBUTES:
		GIVE_TEXT("");
	}
	return CL_INVALID_VALUE;
}
EXPORTED(clGetKernelInfo);

static cl_int icd_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
					   cl_kernel_work_group_info which, size_t size,
					   void *value, size_t *needed)
{
	COUNT(clGetKernelWorkGroupInfo);
	switch (which) {
	case CL_KERNEL_WORK_GROUP_SIZE:
		GIVE(size_t, 1024);
	case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
		GIVE(size_t, 1);
	case CL_KERNEL_LOCAL_MEM_SIZE:
	case CL_KERNEL_PRIVATE_MEM_SIZE:
		GIVE(cl_ulong, 0);
	}
	return CL_INVALID_VALUE;
}
EXPORTED(clGetKernelWorkGroupInfo);

static bool arguments_are_set(cl_kernel kernel)
{
	for (size_t i = 0; i < strlen(kernel->kind->arguments); i++)
		if (!kernel->arguments[i].size ||
		    (kernel->kind->arguments[i] == 'b' && !buffer_of(&kernel->arguments[i])))
			return false;
	return true;
}

static cl_int icd_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
					 cl_uint dimensions, const size_t *offset,
					 const size_t *global, const size_t *local, cl_uint nwaits,
					 const cl_event *waits, cl_event *event)
{
	struct command *command;

	COUNT(clEnqueueNDRangeKernel);
	if (!queue || !kernel || !global || dimensions < 1 || dimensions > 3)
		return !queue	 ? CL_INVALID_COMMAND_QUEUE
		       : !kernel ? CL_INVALID_KERNEL
				 : CL_INVALID_WORK_DIMENSION;
	if (!arguments_are_set(kernel))
		return CL_INVALID_KERNEL_ARGS;
	command = new_command(queue, CL_COMMAND_NDRANGE_KERNEL, nwaits, waits);
	if (!command)
		return CL_OUT_OF_HOST_MEMORY;
	retain(kernel);
	command->kernel = kernel;
	command->items = 1;
	for (cl_uint i = 0; i < dimensions; i++)
		command->items *= global[i];
	memcpy(command->arguments, kernel->arguments, sizeof(command->arguments));
	command->run = kernel->kind->run;
	return submit(queue, command, "clEnqueueNDRangeKernel", false, event);
}
EXPORTED(clEnqueueNDRangeKernel);

static cl_int icd_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint nwaits,
				const cl_event *waits, cl_event *event)
{
	const size_t one = 1;

	COUNT(clEnqueueTask);
	return BY_NAME(
		clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, nwaits, waits, event));
}
EXPORTED(clEnqueueTask);

/* --- what the loader asks for */

static void *icd_clGetExtensionFunctionAddress(const char *name)
{
	COUNT(clGetExtensionFunctionAddress);
	if (!strcmp(name, "clIcdGetPlatformIDsKHR"))
		return (void *)icd_clIcdGetPlatformIDsKHR;
	if (!strcmp(name, "clHostMemAllocINTEL"))
		return (void *)host_mem_alloc;
	if (!strcmp(name, "clMemFreeINTEL"))
		return (void *)mem_free;
	if (!strcmp(name, "clGetHostTimer"))
		return (void *)icd_clGetHostTimer;
	return NULL;
}
EXPORTED(clGetExtensionFunctionAddress);

static void *icd_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
	COUNT(clGetExtensionFunctionAddressForPlatform);
	return OWN(icd_clGetExtensionFunctionAddress(name));
}
EXPORTED(clGetExtensionFunctionAddressForPlatform);

/* By name, the dynamic linker decides what the loader will find here; otherwise they are ours for
 * certain. */
#ifdef ICD_TABLE_BY_NAME
#define ENTRY(function) .function = function
#else
#define ENTRY(function) .function = icd_##function
#endif

static const cl_icd_dispatch table = {
	ENTRY(clGetPlatformIDs),
	ENTRY(clGetPlatformInfo),
	ENTRY(clGetDeviceIDs),
	ENTRY(clGetDeviceInfo),
	ENTRY(clCreateContext),
	ENTRY(clCreateContextFromType),
	ENTRY(clRetainContext),
	ENTRY(clReleaseContext),
	ENTRY(clGetContextInfo),
	ENTRY(clCreateCommandQueue),
	ENTRY(clRetainCommandQueue),
	ENTRY(clReleaseCommandQueue),
	ENTRY(clGetCommandQueueInfo),
	ENTRY(clCreateBuffer),
	ENTRY(clRetainMemObject),
	ENTRY(clReleaseMemObject),
	ENTRY(clGetSupportedImageFormats),
	ENTRY(clGetMemObjectInfo),
	ENTRY(clCreateProgramWithSource),
	ENTRY(clRetainProgram),
	ENTRY(clReleaseProgram),
	ENTRY(clBuildProgram),
	ENTRY(clGetProgramInfo),
	ENTRY(clGetProgramBuildInfo),
	ENTRY(clCreateKernel),
	ENTRY(clRetainKernel),
	ENTRY(clReleaseKernel),
	ENTRY(clSetKernelArg),
	ENTRY(clGetKernelInfo),
	ENTRY(clGetKernelWorkGroupInfo),
	ENTRY(clWaitForEvents),
	ENTRY(clGetEventInfo),
	ENTRY(clRetainEvent),
	ENTRY(clReleaseEvent),
	ENTRY(clGetEventProfilingInfo),
	ENTRY(clFlush),
	ENTRY(clFinish),
	ENTRY(clEnqueueReadBuffer),
	ENTRY(clEnqueueWriteBuffer),
	ENTRY(clEnqueueCopyBuffer),
	ENTRY(clEnqueueMapBuffer),
	ENTRY(clEnqueueUnmapMemObject),
	ENTRY(clEnqueueNDRangeKernel),
	ENTRY(clEnqueueTask),
	ENTRY(clGetExtensionFunctionAddress),
	ENTRY(clSetEventCallback),
	ENTRY(clSetMemObjectDestructorCallback),
	ENTRY(clCreateUserEvent),
	ENTRY(clSetUserEventStatus),
	ENTRY(clRetainDevice),
	ENTRY(clReleaseDevice),
	ENTRY(clCreateProgramWithBuiltInKernels),
	ENTRY(clEnqueueFillBuffer),
	ENTRY(clEnqueueMarkerWithWaitList),
	ENTRY(clEnqueueBarrierWithWaitList),
	ENTRY(clGetExtensionFunctionAddressForPlatform),
	ENTRY(clCreateCommandQueueWithProperties),
	ENTRY(clGetDeviceAndHostTimer),
	ENTRY(clGetHostTimer),
	ENTRY(clCreateBufferWithProperties),
};

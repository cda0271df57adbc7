/* SPDX-License-Identifier: MIT */
/*
 * cuda_driver.c: a software libcuda.so.1: one device, whose streams are threads (cuda_engine.h).
 *
 * It has contexts, memory, copies, streams, events, captures and graphs; cuGetProcAddress with
 * versions and flags; and cuGetExportTable, which finds no table. Its modules have kernels of any name: "add"
 * adds a number to each word, "spin" lasts as many microseconds as its parameter says, and any other
 * one does nothing for a while. It needs no cuda.h. At its end it writes how often each function was called to the file that CUDA_DRIVER_LOG
 * names. With CUDA_DRIVER_PASSES each context registers an exit handler that takes 100 ms; where that
 * is "strict", a call ends the process from then on. With CUDA_DRIVER_SLOW cuEventElapsedTime takes as
 * many microseconds longer.
 */
#include "cuda_engine.h"

#include "tests/lib/passing.h"

#define DRIVER_VERSION 12080
#define SLOTS	       256

struct location {
	int type, id;
};

static struct {
	const char *name;
	unsigned count;
} calls[SLOTS];

static void call_count(const char *name)
{
	const char *passes = getenv("CUDA_DRIVER_PASSES");

	if (passes && !strcmp(passes, "strict"))
		check();
	engine_lock();
	unsigned i = 0;
	while (i < SLOTS - 1 && calls[i].name && calls[i].name != name)
		i++;
	calls[i].name = name;
	calls[i].count++;
	engine_unlock();
}

__attribute__((destructor)) static void calls_print(void)
{
	const char *path = getenv("CUDA_DRIVER_LOG");
	FILE *to = path ? fopen(path, "w") : NULL;

	for (unsigned i = 0; to && i < SLOTS && calls[i].name; i++)
		fprintf(to, "%s %u\n", calls[i].name, calls[i].count);
	if (to)
		fclose(to);
}

/* A function of the driver, which counts itself. */
#define CU	  __attribute__((visibility("default"))) result
#define COUNTED() call_count(__func__)

CU cuInit(unsigned flags)
{
	COUNTED();
	return flags ? INVALID_VALUE : SUCCESS;
}

CU cuDriverGetVersion(int *version)
{
	COUNTED();
	*version = DRIVER_VERSION;
	return SUCCESS;
}

CU cuDeviceGetCount(int *count)
{
	COUNTED();
	*count = 1;
	return SUCCESS;
}

CU cuDeviceGet(int *device, int ordinal)
{
	COUNTED();
	*device = 0;
	return ordinal ? INVALID_VALUE : SUCCESS;
}

CU cuDeviceGetName(char *name, int length, int device)
{
	COUNTED();
	snprintf(name, (size_t)length, "software device");
	return device ? INVALID_VALUE : SUCCESS;
}

CU cuDeviceGetAttribute(int *value, int attribute, int device)
{
	COUNTED();
	enum { BUS = 33, DEVICE = 34, DOMAIN = 50, MAJOR = 75, MINOR = 76 };
	*value = 1;
	if (attribute == MAJOR)
		*value = 9;
	if (attribute == MINOR || attribute == DOMAIN || attribute == DEVICE)
		*value = 0;
	if (attribute == BUS)
		*value = 0x1a;
	return device ? INVALID_VALUE : SUCCESS;
}

CU cuDeviceComputeCapability(int *major, int *minor, int device)
{
	COUNTED();
	*major = 9;
	*minor = 0;
	return device ? INVALID_VALUE : SUCCESS;
}

CU cuGetErrorName(int error, const char **name)
{
	COUNTED();
	*name = error ? "SOME_ERROR" : "CUDA_SUCCESS";
	return SUCCESS;
}

CU cuGetErrorString(int error, const char **text)
{
	COUNTED();
	*text = error ? "some error" : "no error";
	return SUCCESS;
}

CU cuDeviceGetUuid(unsigned char *id, int device)
{
	COUNTED();
	memset(id, 7, 16);
	return device ? INVALID_VALUE : SUCCESS;
}

CU cuDeviceGetUuid_v2(unsigned char *id, int device)
{
	COUNTED();
	memset(id, 7, 16);
	return device ? INVALID_VALUE : SUCCESS;
}

/* --- contexts */

static struct context *primary;
static unsigned primary_uses;

static result current_set(struct context *context, bool push)
{
	if (depth == 16 || (push && !context))
		return INVALID_VALUE;
	depth += push || !depth;
	current[depth - 1] = context;
	return SUCCESS;
}

CU cuCtxCreate_v2(void **context, unsigned flags, int device)
{
	COUNTED();
	(void)flags;
	if (device)
		return INVALID_VALUE;
	if (getenv("CUDA_DRIVER_PASSES"))
		atexit(leave);
	return current_set(*context = context_new(), true);
}

/* Handles of a context's streams and events stay in memory, so that their use is found. */
static void context_end(struct context *context)
{
	context_wait(context);
	context->gone = true;
	for (struct stream *stream = context->streams; stream; stream = stream->next)
		stream->gone = true;
	pthread_cond_broadcast(&engine_changed);
}

CU cuCtxDestroy_v2(void *handle)
{
	COUNTED();
	context_end(handle);
	if (depth && current[depth - 1] == handle)
		depth--;
	return SUCCESS;
}

CU cuDevicePrimaryCtxRetain(void **context, int device)
{
	COUNTED();
	if (device)
		return INVALID_VALUE;
	if (!primary)
		primary = context_new();
	primary_uses++;
	*context = primary;
	return SUCCESS;
}

CU cuDevicePrimaryCtxRelease_v2(int device)
{
	COUNTED();
	if (device || !primary_uses)
		return INVALID_VALUE;
	if (!--primary_uses) {
		context_end(primary);
		primary = NULL;
	}
	return SUCCESS;
}

CU cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
	COUNTED();
	*flags = 0;
	*active = primary_uses > 0;
	return device ? INVALID_VALUE : SUCCESS;
}

CU cuCtxPushCurrent_v2(void *context)
{
	COUNTED();
	return current_set(context, true);
}

CU cuCtxPopCurrent_v2(void **context)
{
	COUNTED();
	if (!depth)
		return INVALID_CONTEXT;
	void *was = current[--depth];
	if (context)
		*context = was;
	return SUCCESS;
}

CU cuCtxSetCurrent(void *context)
{
	COUNTED();
	return current_set(context, false);
}

CU cuCtxGetCurrent(void **context)
{
	COUNTED();
	*context = context_now();
	return SUCCESS;
}

CU cuCtxGetDevice(int *device)
{
	COUNTED();
	*device = 0;
	return context_now() ? SUCCESS : INVALID_CONTEXT;
}

CU cuCtxSynchronize(void)
{
	COUNTED();
	return context_wait(context_now());
}

/* --- streams */

CU cuStreamCreate(void **stream, unsigned flags)
{
	COUNTED();
	if (!context_now())
		return INVALID_CONTEXT;
	*stream = stream_new(context_now(), !(flags & 1));
	return SUCCESS;
}

CU cuStreamGetCtx(void *stream, void **context)
{
	COUNTED();
	*context = stream_of(stream, false)->context;
	return SUCCESS;
}

CU cuStreamSynchronize(void *stream)
{
	COUNTED();
	stream_wait(stream_of(stream, false));
	return SUCCESS;
}

CU cuStreamQuery(void *handle)
{
	COUNTED();
	struct stream *stream = stream_of(handle, false);

	if (is_spoiled_by_query())
		return captures_spoil(stream->context);
	engine_lock();
	result ready = stream->first ? NOT_READY : SUCCESS;
	engine_unlock();
	return ready;
}

CU cuStreamDestroy_v2(void *handle)
{
	COUNTED();
	struct stream *stream = handle;

	if (!stream)
		return INVALID_HANDLE;
	engine_lock();
	stream->gone = true;
	pthread_cond_broadcast(&engine_changed);
	engine_unlock();
	return SUCCESS;
}

CU cuStreamWaitEvent(void *stream, void *handle, unsigned flags)
{
	COUNTED();
	struct event *event = handle;

	(void)flags;
	return task_put(stream_of(stream, false),
			&(struct task){.what = WAIT, .event = event, .wanted = event->recorded});
}

CU cuLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
	COUNTED();
	return task_put(stream_of(stream, false), &(struct task){.what = HOST,
								 .name = "host function",
								 .function = function,
								 .to = data});
}

/* --- events */

CU cuEventCreate(void **event, unsigned flags)
{
	COUNTED();
	(void)flags;
	struct event *made = calloc(1, sizeof(*made));

	if (!context_now())
		return INVALID_CONTEXT;
	made->context = context_now();
	*event = made;
	return SUCCESS;
}

static bool event_is_void(const struct event *event)
{
	if (event && !event->gone && !event->context->gone)
		return false;
	call_count("void event");
	return true;
}

CU cuEventRecord(void *handle, void *to)
{
	COUNTED();
	struct event *event = handle;
	struct stream *stream = stream_of(to, false);

	if (event_is_void(event) || !stream || event->context != stream->context)
		return INVALID_HANDLE;
	if (stream->capture)
		call_count("captured event");
	return task_put(stream, &(struct task){.what = EVENT, .event = event});
}

CU cuEventQuery(void *handle)
{
	COUNTED();
	struct event *event = handle;

	if (event_is_void(event))
		return INVALID_HANDLE;
	if (is_spoiled_by_query())
		return captures_spoil(event->context);
	engine_lock();
	result ready = event->pending ? NOT_READY : SUCCESS;
	engine_unlock();
	return ready;
}

CU cuEventSynchronize(void *handle)
{
	COUNTED();
	struct event *event = handle;

	engine_lock();
	while (event->pending)
		pthread_cond_wait(&engine_changed, &engine);
	engine_unlock();
	return SUCCESS;
}

/* Nanoseconds, from the environment. A GPU's are about 500. */
static int64_t event_resolution = 1;

__attribute__((constructor)) static void event_resolution_read(void)
{
	const char *said = getenv("CUDA_DRIVER_RESOLUTION");

	if (said && atoll(said) > 0)
		event_resolution = atoll(said);
}

CU cuEventElapsedTime(float *milliseconds, void *begin, void *end)
{
	COUNTED();
	const struct event *from = begin, *to = end;

	if (event_is_void(from) || event_is_void(to) || !from->recorded || !to->recorded)
		return INVALID_HANDLE;
	if (getenv("CUDA_DRIVER_SLOW"))
		usleep((useconds_t)atoi(getenv("CUDA_DRIVER_SLOW")));
	engine_lock();
	result ready = from->pending || to->pending ? NOT_READY : SUCCESS;
	int64_t passed = (int64_t)(device_time(to->host) - device_time(from->host));
	*milliseconds = (float)((double)(passed / event_resolution * event_resolution) / 1e6);
	engine_unlock();
	return ready;
}

CU cuEventDestroy_v2(void *handle)
{
	COUNTED();
	struct event *event = handle;

	event->gone = true;
	return SUCCESS;
}

/* --- captures and graphs */

CU cuStreamBeginCapture_v2(void *handle, int mode)
{
	COUNTED();
	struct stream *stream = stream_of(handle, false);

	if (stream == stream->context->streams || stream->capture)
		return CAPTURE_UNSUPPORTED;
	engine_lock();
	stream->capture = calloc(1, sizeof(*stream->capture));
	stream->capture->last = &stream->capture->nodes;
	stream->spoilt = false;
	stream->mode = mode;
	captures += mode == 0;
	engine_unlock();
	return SUCCESS;
}

CU cuStreamEndCapture(void *handle, void **graph)
{
	COUNTED();
	struct stream *stream = stream_of(handle, false);

	engine_lock();
	captures -= stream->capture && stream->mode == 0;
	*graph = stream->spoilt ? NULL : stream->capture;
	stream->capture = NULL;
	engine_unlock();
	return *graph ? SUCCESS : CAPTURE_INVALIDATED;
}

CU cuStreamIsCapturing(void *handle, int *status)
{
	COUNTED();
	const struct stream *stream = stream_of(handle, false);

	if (!stream)
		return INVALID_CONTEXT;
	*status = stream->capture ? 1 : 0;
	return is_implicit(stream) ? CAPTURE_IMPLICIT : SUCCESS;
}

CU cuThreadExchangeStreamCaptureMode(int *mode)
{
	COUNTED();
	int was = thread_mode;

	thread_mode = *mode;
	*mode = was;
	return SUCCESS;
}

CU cuGraphInstantiateWithFlags(void **exec, void *graph, uint64_t flags)
{
	COUNTED();
	(void)flags;
	*exec = graph;
	return SUCCESS;
}

CU cuGraphLaunch(void *exec, void *stream)
{
	COUNTED();
	return task_put(stream_of(stream, false),
			&(struct task){.what = GRAPH, .name = "graph", .graph = exec});
}

CU cuGraphCreate(void **graph, unsigned flags)
{
	COUNTED();
	(void)flags;
	struct graph *made = calloc(1, sizeof(*made));

	made->last = &made->nodes;
	*graph = made;
	return SUCCESS;
}

/* Nodes run in the order in which they were added. */
static result graph_add(void **node, struct graph *graph, const char *name)
{
	struct task *task = calloc(1, sizeof(*task));

	task->what = KERNEL;
	task->wanted = 20;
	snprintf(task->name, sizeof(task->name), "%s", name);
	*graph->last = task;
	graph->last = &task->next;
	*node = task;
	return SUCCESS;
}

CU cuGraphAddKernelNode(void **node, void *graph, void **after, size_t count, void *parameters)
{
	COUNTED();
	(void)after, (void)count, (void)parameters;
	return graph_add(node, graph, "kernel node");
}

CU cuGraphAddMemcpyNode(void **node, void *graph, void **after, size_t count, void *parameters,
			void *context)
{
	COUNTED();
	(void)after, (void)count, (void)parameters, (void)context;
	return graph_add(node, graph, "copy node");
}

CU cuGraphExecKernelNodeSetParams(void *exec, void *node, void *parameters)
{
	COUNTED();
	(void)node, (void)parameters;
	return exec ? SUCCESS : INVALID_VALUE;
}

CU cuGraphInstantiate_v2(void **exec, void *graph, void **node, char *log, size_t size)
{
	COUNTED();
	(void)node, (void)log, (void)size;
	*exec = graph;
	return SUCCESS;
}

/* What was instantiated has no copy of the nodes, so they stay. */
CU cuGraphExecDestroy(void *exec)
{
	COUNTED();
	(void)exec;
	return SUCCESS;
}

CU cuGraphDestroy(void *graph)
{
	COUNTED();
	(void)graph;
	return SUCCESS;
}

/* --- memory: the host's */

CU cuMemAlloc(uint32_t *memory, unsigned size)
{
	COUNTED();
	(void)size;
	*memory = 0x1234; /* The first interface has 32 bits for an address. Nothing uses it. */
	return SUCCESS;
}

CU cuMemAlloc_v2(pointer *memory, size_t size)
{
	COUNTED();
	*memory = (pointer)(uintptr_t)calloc(1, size);
	return *memory ? SUCCESS : OUT_OF_MEMORY;
}

CU cuMemFree_v2(pointer memory)
{
	COUNTED();
	context_wait(context_now());
	free((void *)(uintptr_t)memory);
	return SUCCESS;
}

CU cuMemGetInfo_v2(size_t *available, size_t *total)
{
	COUNTED();
	*available = *total = (size_t)1 << 30;
	return SUCCESS;
}

#define ADDRESS(memory) ((void *)(uintptr_t)(memory))

CU cuMemcpyDtoH_v2(void *to, pointer from, size_t size)
{
	COUNTED();
	struct task task = copy_task("memcpy DtoH", to, ADDRESS(from), size);
	return put_and_wait(stream_of(NULL, false), &task);
}

/* As a later driver may change a function: nobody's descriptor knows this one. */
static result later_info(pointer first, size_t *available, size_t *total)
{
	COUNTED();
	*available = *total = 0;
	return first == 0x123456789abcdef0 ? SUCCESS : INVALID_VALUE;
}

/* There is one process. */
CU cuIpcOpenMemHandle_v2(pointer *memory, const void *handle, unsigned flags)
{
	COUNTED();
	(void)handle, (void)flags;
	*memory = 0;
	return NOT_FOUND;
}

CU cuMemcpyHtoD_v2(pointer to, const void *from, size_t size)
{
	COUNTED();
	struct task task = copy_task("memcpy HtoD", ADDRESS(to), from, size);
	return put_and_wait(stream_of(NULL, false), &task);
}

CU cuMemcpyHtoDAsync_v2(pointer to, const void *from, size_t size, void *stream)
{
	COUNTED();
	struct task task = copy_task("memcpy HtoD", ADDRESS(to), from, size);
	return task_put(stream_of(stream, false), &task);
}

CU cuMemcpyDtoHAsync_v2(void *to, pointer from, size_t size, void *stream)
{
	COUNTED();
	struct task task = copy_task("memcpy DtoH", to, ADDRESS(from), size);
	return task_put(stream_of(stream, false), &task);
}

CU cuMemcpyDtoDAsync_v2(pointer to, pointer from, size_t size, void *stream)
{
	COUNTED();
	struct task task = copy_task("memcpy DtoD", ADDRESS(to), ADDRESS(from), size);
	return task_put(stream_of(stream, false), &task);
}

CU cuMemcpyDtoD_v2(pointer to, pointer from, size_t size)
{
	COUNTED();
	struct task task = copy_task("memcpy DtoD", ADDRESS(to), ADDRESS(from), size);
	return task_put(stream_of(NULL, false), &task);
}

CU cuMemcpy(pointer to, pointer from, size_t size)
{
	COUNTED();
	struct task task = copy_task("memcpy", ADDRESS(to), ADDRESS(from), size);
	return put_and_wait(stream_of(NULL, false), &task);
}

CU cuMemcpyAsync(pointer to, pointer from, size_t size, void *stream)
{
	COUNTED();
	struct task task = copy_task("memcpy", ADDRESS(to), ADDRESS(from), size);
	return task_put(stream_of(stream, false), &task);
}

CU cuMemHostAlloc(void **memory, size_t size, unsigned flags)
{
	COUNTED();
	(void)flags;
	*memory = calloc(1, size);
	return *memory ? SUCCESS : OUT_OF_MEMORY;
}

/* A texture has no use without kernels that read it. */
CU cuTexObjectCreate(uint64_t *texture, const void *what, const void *how, const void *as)
{
	COUNTED();
	(void)what, (void)how, (void)as;
	*texture = 1;
	return SUCCESS;
}

CU cuTexObjectDestroy(uint64_t texture)
{
	COUNTED();
	return texture == 1 ? SUCCESS : INVALID_VALUE;
}

/* cuda.h's CUDA_MEMCPY2D. */
struct plane {
	struct side {
		size_t x, y;
		int type;
		char *host;
		pointer device;
		void *array;
		size_t pitch;
	} from, to;
	size_t width, height;
};

static char *side_address(const struct side *side)
{
	enum { HOST_MEMORY = 1 };
	char *base = side->type == HOST_MEMORY ? side->host : ADDRESS(side->device);

	return base + side->y * side->pitch + side->x;
}

static struct task plane_task(const struct plane *plane)
{
	struct task task = copy_task("memcpy 2D", side_address(&plane->to),
				     side_address(&plane->from), plane->width);

	task.rows = plane->height;
	task.to_pitch = plane->to.pitch;
	task.from_pitch = plane->from.pitch;
	return task;
}

CU cuMemcpy2D_v2(const struct plane *plane)
{
	COUNTED();
	struct task task = plane_task(plane);
	return put_and_wait(stream_of(NULL, false), &task);
}

CU cuMemcpy2DAsync_v2(const struct plane *plane, void *stream)
{
	COUNTED();
	struct task task = plane_task(plane);
	return task_put(stream_of(stream, false), &task);
}

CU cuMemAllocPitch_v2(pointer *memory, size_t *pitch, size_t width, size_t height, unsigned unit)
{
	COUNTED();
	(void)unit;
	*pitch = (width + 511) & ~(size_t)511;
	*memory = (pointer)(uintptr_t)calloc(height, *pitch);
	return *memory ? SUCCESS : OUT_OF_MEMORY;
}

CU cuMemAllocHost_v2(void **memory, size_t size)
{
	COUNTED();
	*memory = calloc(1, size);
	return *memory ? SUCCESS : OUT_OF_MEMORY;
}

CU cuMemFreeHost(void *memory)
{
	COUNTED();
	free(memory);
	return SUCCESS;
}

CU cuMemsetD8Async(pointer to, unsigned char value, size_t count, void *stream)
{
	COUNTED();
	struct task task = fill_task(to, value, count, 1);
	return task_put(stream_of(stream, false), &task);
}

CU cuMemsetD32_v2(pointer to, unsigned value, size_t count)
{
	COUNTED();
	struct task task = fill_task(to, value, count, 4);
	return task_put(stream_of(NULL, false), &task);
}

CU cuMemsetD32Async(pointer to, unsigned value, size_t count, void *stream)
{
	COUNTED();
	struct task task = fill_task(to, value, count, 4);
	return task_put(stream_of(stream, false), &task);
}

CU cuMemAdvise(pointer memory, size_t size, int advice, int device)
{
	COUNTED();
	return memory && size && advice == 3 && device == 7 ? SUCCESS : INVALID_VALUE;
}

/* Its last parameter is wider than that of the first cuMemAdvise. */
CU cuMemAdvise_v2(pointer memory, size_t size, int advice, struct location location)
{
	COUNTED();
	return memory && size && advice == 3 && location.type == 1 && location.id == 7
		       ? SUCCESS
		       : INVALID_VALUE;
}

#include "cuda_memory_kinds.h"

/* --- modules: every one has kernels of all names */

struct function {
	char name[64];
};

CU cuModuleLoadData(void **module, const void *image)
{
	COUNTED();
	(void)image;
	*module = calloc(1, 16);
	return *module ? SUCCESS : OUT_OF_MEMORY;
}

CU cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values)
{
	COUNTED();
	(void)image, (void)count, (void)options, (void)values;
	*module = calloc(1, 16);
	return *module ? SUCCESS : OUT_OF_MEMORY;
}

CU cuModuleGetFunction(void **function, void *module, const char *name)
{
	COUNTED();
	struct function *made = calloc(1, sizeof(*made));

	snprintf(made->name, sizeof(made->name), "%s", name);
	*function = made;
	return module ? SUCCESS : INVALID_HANDLE;
}

CU cuFuncGetName(const char **name, void *function)
{
	COUNTED();
	*name = ((struct function *)function)->name;
	return SUCCESS;
}

CU cuFuncSetAttribute(void *function, int attribute, int value)
{
	COUNTED();
	(void)function, (void)attribute, (void)value;
	return SUCCESS;
}

CU cuModuleUnload(void *module)
{
	COUNTED();
	free(module);
	return SUCCESS;
}

static result kernel_put(struct stream *stream, const struct function *function, size_t threads,
			 void **parameters)
{
	struct task task = {.what = KERNEL, .wanted = 20, .rows = 1};

	if (!function)
		return INVALID_VALUE;
	snprintf(task.name, sizeof(task.name), "%s", function->name);
	if (!strcmp(function->name, "spin") && parameters)
		task.wanted = *(unsigned *)parameters[0];
	if (!strcmp(function->name, "add") && parameters) {
		task.to = ADDRESS(*(pointer *)parameters[0]);
		task.value = *(unsigned *)parameters[1];
		task.bytes = threads;
	}
	return task_put(stream, &task);
}

CU cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
		  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
		  void *stream, void **parameters, void **extra)
{
	COUNTED();
	(void)shared, (void)extra;
	return kernel_put(stream_of(stream, false), function,
			  (size_t)grid_x * grid_y * grid_z * block_x * block_y * block_z,
			  parameters);
}

struct config {
	unsigned grid[3], block[3], shared;
	void *stream;
};

CU cuLaunchKernelEx(const struct config *config, void *function, void **parameters, void **extra)
{
	COUNTED();
	(void)extra;
	return kernel_put(stream_of(config->stream, false), function,
			  (size_t)config->grid[0] * config->block[0], parameters);
}

CU cuGetExportTable(const void **table, const void *id)
{
	COUNTED();
	(void)id;
	*table = NULL;
	return NOT_FOUND;
}

/*
 * --- functions that programs look up and do not call here. FFmpeg wants all of them.
 */

#define LACKING(name)                                                                              \
	CU name(void)                                                                              \
	{                                                                                          \
		COUNTED();                                                                         \
		return NOT_SUPPORTED;                                                              \
	}

LACKING(cuArray3DCreate_v2)
LACKING(cuArrayCreate_v2)
LACKING(cuArrayDestroy)
LACKING(cuCtxSetLimit)
LACKING(cuDestroyExternalMemory)
LACKING(cuDestroyExternalSemaphore)
LACKING(cuDeviceGetByPCIBusId)
LACKING(cuDeviceGetLuid)
LACKING(cuDeviceGetPCIBusId)
LACKING(cuDevicePrimaryCtxRelease)
LACKING(cuDevicePrimaryCtxReset)
LACKING(cuDevicePrimaryCtxSetFlags)
LACKING(cuEGLStreamConsumerDisconnect)
LACKING(cuEGLStreamProducerConnect)
LACKING(cuEGLStreamProducerDisconnect)
LACKING(cuEGLStreamProducerPresentFrame)
LACKING(cuEGLStreamProducerReturnFrame)
LACKING(cuExternalMemoryGetMappedBuffer)
LACKING(cuExternalMemoryGetMappedMipmappedArray)
LACKING(cuGLGetDevices_v2)
LACKING(cuGraphicsGLRegisterImage)
LACKING(cuGraphicsMapResources)
LACKING(cuGraphicsResourceGetMappedPointer_v2)
LACKING(cuGraphicsSubResourceGetMappedArray)
LACKING(cuGraphicsUnmapResources)
LACKING(cuGraphicsUnregisterResource)
LACKING(cuImportExternalMemory)
LACKING(cuImportExternalSemaphore)
LACKING(cuLinkAddData)
LACKING(cuLinkComplete)
LACKING(cuLinkCreate)
LACKING(cuLinkDestroy)
LACKING(cuMipmappedArrayDestroy)
LACKING(cuMipmappedArrayGetLevel)
LACKING(cuModuleGetGlobal)
LACKING(cuSignalExternalSemaphoresAsync)
LACKING(cuStreamAddCallback)
LACKING(cuWaitExternalSemaphoresAsync)

#include "cuda_thread_streams.h"

/* --- functions by name and version */

CU cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags);
CU cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags,
		       int *status);

#define ONE(asked, since, name)                                                                    \
	{                                                                                          \
#asked, since, (void (*)(void))name                                                \
	}

/* A later row of the same name is a later function. */
static const struct {
	const char *asked;
	int since;
	void (*function)(void);
} functions[] = {
	ONE(cuInit, 2000, cuInit),
	ONE(cuDriverGetVersion, 2020, cuDriverGetVersion),
	ONE(cuDeviceGetCount, 2000, cuDeviceGetCount),
	ONE(cuDeviceGet, 2000, cuDeviceGet),
	ONE(cuDeviceGetName, 2000, cuDeviceGetName),
	ONE(cuCtxCreate, 3020, cuCtxCreate_v2),
	ONE(cuCtxDestroy, 4000, cuCtxDestroy_v2),
	ONE(cuDeviceGetAttribute, 2000, cuDeviceGetAttribute),
	ONE(cuDeviceGetUuid, 9020, cuDeviceGetUuid),
	ONE(cuDeviceGetUuid, 11040, cuDeviceGetUuid_v2),
	ONE(cuDevicePrimaryCtxRetain, 7000, cuDevicePrimaryCtxRetain),
	ONE(cuDevicePrimaryCtxRelease, 11000, cuDevicePrimaryCtxRelease_v2),
	ONE(cuCtxPushCurrent, 4000, cuCtxPushCurrent_v2),
	ONE(cuCtxPopCurrent, 4000, cuCtxPopCurrent_v2),
	ONE(cuCtxGetCurrent, 4000, cuCtxGetCurrent),
	ONE(cuCtxGetDevice, 2000, cuCtxGetDevice),
	ONE(cuMemGetInfo, 3020, cuMemGetInfo_v2),
	ONE(cuMemGetInfo, 99000, later_info),
	ONE(cuMemcpyDtoH, 3020, cuMemcpyDtoH_v2),
	ONE(cuIpcOpenMemHandle, 11000, cuIpcOpenMemHandle_v2),
	ONE(cuCtxSynchronize, 2000, cuCtxSynchronize),
	ONE(cuStreamCreate, 2000, cuStreamCreate),
	ONE(cuStreamSynchronize, 2000, cuStreamSynchronize),
	ONE(cuStreamDestroy, 4000, cuStreamDestroy_v2),
	ONE(cuEventCreate, 2000, cuEventCreate),
	ONE(cuEventRecord, 2000, cuEventRecord),
	ONE(cuEventElapsedTime, 2000, cuEventElapsedTime),
	ONE(cuEventDestroy, 4000, cuEventDestroy_v2),
	ONE(cuMemAlloc, 2000, cuMemAlloc),
	ONE(cuMemAlloc, 3020, cuMemAlloc_v2),
	ONE(cuMemFree, 3020, cuMemFree_v2),
	ONE(cuMemcpyHtoD, 3020, cuMemcpyHtoD_v2),
	ONE(cuMemcpyDtoHAsync, 3020, cuMemcpyDtoHAsync_v2),
	ONE(cuMemsetD32, 3020, cuMemsetD32_v2),
	ONE(cuMemAllocManaged, 6000, cuMemAllocManaged),
	ONE(cuMemAllocAsync, 11020, cuMemAllocAsync),
	ONE(cuMemAllocFromPoolAsync, 11020, cuMemAllocFromPoolAsync),
	ONE(cuMemFreeAsync, 11020, cuMemFreeAsync),
	ONE(cuDeviceGetDefaultMemPool, 11020, cuDeviceGetDefaultMemPool),
	ONE(cuMemHostRegister, 6050, cuMemHostRegister_v2),
	ONE(cuMemHostUnregister, 4000, cuMemHostUnregister),
	ONE(cuMemHostGetDevicePointer, 3020, cuMemHostGetDevicePointer_v2),
	ONE(cuMemPrefetchAsync, 8000, cuMemPrefetchAsync),
	ONE(cuMemAdvise, 8000, cuMemAdvise),
	ONE(cuMemAdvise, 12020, cuMemAdvise_v2),
	ONE(cuModuleLoadData, 2000, cuModuleLoadData),
	ONE(cuModuleGetFunction, 2000, cuModuleGetFunction),
	ONE(cuModuleUnload, 2000, cuModuleUnload),
	ONE(cuLaunchKernel, 4000, cuLaunchKernel),
	ONE(cuLaunchKernelEx, 11060, cuLaunchKernelEx),
	ONE(cuCtxSetCurrent, 4000, cuCtxSetCurrent),
	ONE(cuDevicePrimaryCtxGetState, 7000, cuDevicePrimaryCtxGetState),
	ONE(cuStreamGetCtx, 9020, cuStreamGetCtx),
	ONE(cuStreamQuery, 2000, cuStreamQuery),
	ONE(cuStreamWaitEvent, 3020, cuStreamWaitEvent),
	ONE(cuLaunchHostFunc, 10000, cuLaunchHostFunc),
	ONE(cuEventQuery, 2000, cuEventQuery),
	ONE(cuEventSynchronize, 2000, cuEventSynchronize),
	ONE(cuStreamBeginCapture, 10010, cuStreamBeginCapture_v2),
	ONE(cuStreamEndCapture, 10000, cuStreamEndCapture),
	ONE(cuStreamIsCapturing, 10000, cuStreamIsCapturing),
	ONE(cuThreadExchangeStreamCaptureMode, 10010, cuThreadExchangeStreamCaptureMode),
	ONE(cuGraphInstantiateWithFlags, 11040, cuGraphInstantiateWithFlags),
	ONE(cuGraphLaunch, 10000, cuGraphLaunch),
	ONE(cuGraphExecDestroy, 10000, cuGraphExecDestroy),
	ONE(cuGraphDestroy, 10000, cuGraphDestroy),
	ONE(cuMemcpyHtoDAsync, 3020, cuMemcpyHtoDAsync_v2),
	ONE(cuMemcpyDtoDAsync, 3020, cuMemcpyDtoDAsync_v2),
	ONE(cuMemcpy2D, 3020, cuMemcpy2D_v2),
	ONE(cuMemcpy2DAsync, 3020, cuMemcpy2DAsync_v2),
	ONE(cuMemAllocPitch, 3020, cuMemAllocPitch_v2),
	ONE(cuMemAllocHost, 3020, cuMemAllocHost_v2),
	ONE(cuMemFreeHost, 2000, cuMemFreeHost),
	ONE(cuMemsetD8Async, 3020, cuMemsetD8Async),
	ONE(cuMemsetD32Async, 3020, cuMemsetD32Async),
	ONE(cuModuleLoadDataEx, 2010, cuModuleLoadDataEx),
	ONE(cuFuncGetName, 12030, cuFuncGetName),
	ONE(cuFuncSetAttribute, 9000, cuFuncSetAttribute),
	ONE(cuGetExportTable, 3000, cuGetExportTable),
	ONE(cuGetProcAddress, 11030, cuGetProcAddress),
	ONE(cuGetProcAddress, 12000, cuGetProcAddress_v2),
};

/* Returns CUdriverProcAddressQueryResult: found, no such name, or later than the version. */
static int function_find(const char *symbol, void **function, int version, uint64_t flags)
{
	enum { PER_THREAD = 2 };
	void (*found)(void) = NULL;
	int status = 1;

	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].asked, symbol)) {
			status = found || functions[i].since <= version ? 0 : 2;
			if (functions[i].since <= version)
				found = functions[i].function;
		}
	if (flags & PER_THREAD)
		found = thread_form(found);
	memcpy(function, &found, sizeof *function);
	return status;
}

CU cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags,
		       int *status)
{
	COUNTED();
	int found = function_find(symbol, function, version, flags);

	if (status)
		*status = found;
	return found && !status ? NOT_FOUND : SUCCESS;
}

CU cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags)
{
	COUNTED();
	return function_find(symbol, function, version, flags) ? NOT_FOUND : SUCCESS;
}

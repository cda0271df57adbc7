/* SPDX-License-Identifier: MIT */
/*
 * cl_device: every kind of command, from two threads, each with an in-order and an out-of-order
 * queue.
 *
 *	-n N	rounds (3)
 *	-2	the second thread works on the second platform's device, and has profiling, too
 *	-o	also what OpenCL 1.1 had: clEnqueueMarker, clEnqueueBarrier, clEnqueueWaitForEvents
 *
 * The first thread's queues have profiling, and it reads the times of the commands that it has
 * events for; the second's have none, and it prints what it is told when it asks for times
 * nevertheless. Of some commands it wants no event. Prints, in an order that is the same every
 * time:
 *
 *	TIMES name queued submit start end	of each command with an event, in a queue with
 *						profiling
 *	commands N, kernels N, …		how many it enqueued, by kind
 *
 * and what came of them. Queues 1 and 2 (in the order of their making) are the first thread's, 3
 * and 4 the second's.
 */
#include "cl_device.h"

#define EVENTS 4096

enum kind { KERNEL, READ, WRITE, COPY, FILL, MAP, UNMAP, MIGRATE, SYNC, OTHER, KINDS };
static const char *const kinds[KINDS] = {"kernel", "read",  "write",   "copy", "fill",
					 "map",	   "unmap", "migrate", "sync", "other"};

struct side {
	pthread_t thread;
	struct device *device;
	bool profiles;
	cl_command_queue queue, ordered, unordered; /* the one in use; both */
	cl_mem a, b, c, image;
	char *shared;
	cl_kernel add, fill, empty;
	unsigned made[KINDS], number;
	struct {
		const char *name;
		cl_event event;
	} seen[EVENTS];
	unsigned nseen;
	atomic_uint callbacks;
	unsigned wanted_callbacks;
	double sum;
	unsigned native;
};

static long rounds = 3;
static bool old_functions, two_platforms;

/* For the next command: where its event goes. It is wanted for two of three. */
static cl_event *own(struct side *side, const char *name, enum kind kind)
{
	device_commands++;
	side->made[kind]++;
	if (side->number++ % 3 == 2)
		return NULL;
	side->seen[side->nseen].name = name;
	return &side->seen[side->nseen++].event;
}

/* The same, where the event is needed. */
static cl_event *must(struct side *side, const char *name, enum kind kind)
{
	side->number = 0;
	return own(side, name, kind);
}

static cl_event last(struct side *side)
{
	return side->seen[side->nseen - 1].event;
}

static void CL_CALLBACK count_callback(cl_event event, cl_int status, void *side_)
{
	struct side *side = side_;

	side->callbacks++;
}

static void want_callback(struct side *side)
{
	side->wanted_callbacks++;
	DO(clSetEventCallback(last(side), CL_COMPLETE, count_callback, side));
}

static void await_callbacks(struct side *side)
{
	for (int i = 0; i < 10000 && side->callbacks < side->wanted_callbacks; i++)
		usleep(1000);
}

static void set_buffers(struct side *side, cl_mem from, cl_mem to)
{
	const cl_uint items = ITEMS;

	DO(clSetKernelArg(side->add, 0, sizeof(cl_mem), &from));
	DO(clSetKernelArg(side->add, 1, sizeof(cl_mem), &side->b));
	DO(clSetKernelArg(side->add, 2, sizeof(cl_mem), &to));
	DO(clSetKernelArg(side->add, 3, sizeof(items), &items));
}

static void move_bytes(struct side *side)
{
	cl_float values[ITEMS];
	const cl_float one = 1;
	const size_t zero[3] = {0, 0, 0}, region[3] = {64, 4, 1};

	for (int i = 0; i < ITEMS; i++)
		values[i] = (cl_float)i;
	DO(clEnqueueWriteBuffer(side->queue, side->a, CL_FALSE, 0, BYTES, values, 0, NULL,
				own(side, "write buffer", WRITE)));
	DO(clEnqueueFillBuffer(side->queue, side->b, &one, sizeof(one), 0, BYTES, 0, NULL,
			       own(side, "fill buffer", FILL)));
	DO(clFinish(side->queue));
	DO(clEnqueueCopyBuffer(side->queue, side->a, side->c, 0, 0, BYTES, 0, NULL,
			       must(side, "copy buffer", COPY)));
	want_callback(side);
	DO(clFinish(side->queue));
	DO(clEnqueueReadBuffer(side->queue, side->c, CL_TRUE, 0, BYTES, values, 0, NULL,
			       own(side, "read buffer", READ)));
	side->sum += values[ITEMS - 1];
	DO(clEnqueueReadBufferRect(side->queue, side->a, CL_TRUE, zero, zero, region, 0, 0, 0, 0,
				   values, 0, NULL, own(side, "read buffer", READ)));
	DO(clEnqueueWriteBufferRect(side->queue, side->a, CL_TRUE, zero, zero, region, 0, 0, 0, 0,
				    values, 0, NULL, own(side, "write buffer", WRITE)));
	DO(clEnqueueCopyBufferRect(side->queue, side->a, side->c, zero, zero, region, 0, 0, 0, 0, 0,
				   NULL, own(side, "copy buffer", COPY)));
	DO(clEnqueueMigrateMemObjects(side->queue, 1, &side->c, 0, 0, NULL,
				      own(side, "migrate", MIGRATE)));
	DO(clFinish(side->queue));
}

/* Twice, the whole and a part of it at the same address. */
static void map(struct side *side)
{
	cl_int error;
	cl_float *mapped = clEnqueueMapBuffer(side->queue, side->a, CL_TRUE, CL_MAP_READ, 0, BYTES,
					      0, NULL, own(side, "map buffer", MAP), &error);

	CHECK(error, "clEnqueueMapBuffer");
	cl_float *part =
		clEnqueueMapBuffer(side->queue, side->a, CL_TRUE, CL_MAP_READ, 0, BYTES / 2, 0,
				   NULL, own(side, "map buffer", MAP), &error);
	CHECK(error, "clEnqueueMapBuffer");
	side->sum += mapped[3] + part[0];
	DO(clEnqueueUnmapMemObject(side->queue, side->a, part, 0, NULL, own(side, "unmap", UNMAP)));
	DO(clEnqueueUnmapMemObject(side->queue, side->a, mapped, 0, NULL,
				   own(side, "unmap", UNMAP)));
	DO(clFinish(side->queue));
}

static void move_pixels(struct side *side)
{
	const size_t zero[3] = {0, 0, 0}, region[3] = {8, 8, 1};
	const cl_float colour[4] = {1, 1, 1, 1};
	cl_uint pixels[64] = {0};
	size_t row;
	cl_int error;

	if (!side->image)
		return;
	DO(clEnqueueWriteImage(side->queue, side->image, CL_TRUE, zero, region, 0, 0, pixels, 0,
			       NULL, own(side, "write image", WRITE)));
	DO(clEnqueueFillImage(side->queue, side->image, colour, zero, region, 0, NULL,
			      own(side, "fill image", FILL)));
	DO(clFinish(side->queue));
	DO(clEnqueueCopyImageToBuffer(side->queue, side->image, side->c, zero, region, 0, 0, NULL,
				      own(side, "copy image to buffer", COPY)));
	DO(clFinish(side->queue));
	DO(clEnqueueCopyBufferToImage(side->queue, side->c, side->image, 0, zero, region, 0, NULL,
				      own(side, "copy buffer to image", COPY)));
	DO(clFinish(side->queue));
	DO(clEnqueueReadImage(side->queue, side->image, CL_TRUE, zero, region, 0, 0, pixels, 0,
			      NULL, own(side, "read image", READ)));
	void *mapped =
		clEnqueueMapImage(side->queue, side->image, CL_TRUE, CL_MAP_READ, zero, region,
				  &row, NULL, 0, NULL, own(side, "map image", MAP), &error);
	CHECK(error, "clEnqueueMapImage");
	DO(clEnqueueUnmapMemObject(side->queue, side->image, mapped, 0, NULL,
				   own(side, "unmap", UNMAP)));
	DO(clFinish(side->queue));
}

static void share(struct side *side)
{
	const cl_uint pattern = 7;
	char *half = side->shared ? side->shared + BYTES / 2 : NULL;

	if (!side->shared)
		return;
	DO(clEnqueueSVMMemFill(side->queue, side->shared, &pattern, sizeof(pattern), BYTES / 2, 0,
			       NULL, own(side, "SVM fill", FILL)));
	DO(clFinish(side->queue));
	DO(clEnqueueSVMMemcpy(side->queue, CL_TRUE, half, side->shared, BYTES / 2, 0, NULL,
			      own(side, "SVM copy", COPY)));
	DO(clEnqueueSVMMap(side->queue, CL_TRUE, CL_MAP_READ, side->shared, BYTES, 0, NULL,
			   own(side, "SVM map", MAP)));
	side->sum += half[0];
	DO(clEnqueueSVMUnmap(side->queue, side->shared, 0, NULL, own(side, "SVM unmap", UNMAP)));
	DO(clEnqueueSVMMigrateMem(side->queue, 1, (const void *[]){side->shared}, NULL, 0, 0, NULL,
				  own(side, "SVM migrate", MIGRATE)));
	void *gone = clSVMAlloc(side->device->app.context, CL_MEM_READ_WRITE, 64, 0);
	DO(clEnqueueSVMFree(side->queue, 1, &gone, NULL, NULL, 0, NULL,
			    own(side, "SVM free", OTHER)));
	DO(clFinish(side->queue));
}

static void CL_CALLBACK add_one(void *at)
{
	++**(unsigned **)at;
}

/* One command waits for another, one for a user event; some nobody waits for. */
static void run_kernels(struct side *side)
{
	const size_t global[2] = {ITEMS / 2, 2}, local[2] = {16, 1}, items = ITEMS;
	const cl_uint seven = 7, count = ITEMS;
	unsigned *counter = &side->native;
	cl_int error;
	cl_event first, gate = clCreateUserEvent(side->device->app.context, &error);

	CHECK(error, "clCreateUserEvent");
	set_buffers(side, side->a, side->c);
	DO(clEnqueueNDRangeKernel(side->queue, side->add, 1, NULL, &items, NULL, 1, &gate,
				  must(side, "vector_add", KERNEL)));
	first = last(side);
	want_callback(side);
	DO(clEnqueueNDRangeKernel(side->queue, side->empty, 2, NULL, global, local, 1, &first,
				  own(side, "empty", KERNEL)));
	DO(clSetKernelArg(side->fill, 0, sizeof(cl_mem), &side->c));
	DO(clSetKernelArg(side->fill, 1, sizeof(seven), &seven));
	DO(clSetKernelArg(side->fill, 2, sizeof(count), &count));
	DO(clEnqueueNDRangeKernel(side->queue, side->fill, 1, NULL, &items, NULL, 1, &first,
				  must(side, "fill", KERNEL)));
	DO(clFlush(side->queue));
	DO(clSetUserEventStatus(gate, CL_COMPLETE));
	DO(clWaitForEvents(1, &side->seen[side->nseen - 1].event));
	DO(clReleaseEvent(gate));
	for (int i = 0; i < 5; i++)
		device_run(side->queue, side->empty, 0, NULL, own(side, "empty", KERNEL)),
			device_commands--;
	DO(clEnqueueTask(side->queue, side->empty, 0, NULL, own(side, "empty", KERNEL)));
	if (side->device->native)
		DO(clEnqueueNativeKernel(side->queue, add_one, &counter, sizeof(counter), 0, NULL,
					 NULL, 0, NULL, own(side, "native kernel", KERNEL)));
	DO(clEnqueueMarkerWithWaitList(side->queue, 1, &first, own(side, "marker", SYNC)));
	DO(clEnqueueBarrierWithWaitList(side->queue, 0, NULL, own(side, "barrier", SYNC)));
	DO(clEnqueueMarkerWithWaitList(side->queue, 0, NULL, must(side, "marker", SYNC)));
	DO(clWaitForEvents(1, &side->seen[side->nseen - 1].event));
	DO(clFinish(side->queue));
}

static void synchronise_as_before(struct side *side)
{
	cl_event first;

	DO(clEnqueueMarker(side->queue, must(side, "marker", SYNC)));
	first = last(side);
	device_commands += 2;
	side->made[SYNC] += 2;
	DO(clEnqueueWaitForEvents(side->queue, 1, &first));
	DO(clEnqueueBarrier(side->queue));
	DO(clFinish(side->queue));
}

/* What the driver's profiling says. */
static void print_times(struct side *side, const char *name, cl_event event)
{
	static const cl_profiling_info which[] = {
		CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
		CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
	unsigned long long times[4];
	size_t size;

	for (int i = 0; i < 4; i++) {
		cl_ulong time = 0;
		cl_int error = clGetEventProfilingInfo(event, which[i], sizeof(time), &time, &size);

		if (error != (side->profiles ? CL_SUCCESS : CL_PROFILING_INFO_NOT_AVAILABLE))
			printf("%s: asked for time %d: %d\n", name, i, error);
		times[i] = time;
	}
	if (side->profiles)
		printf("TIMES %s %llu %llu %llu %llu\n", name, times[0], times[1], times[2],
		       times[3]);
}

static void *work(void *side_)
{
	struct side *side = side_;

	for (long round = 0; round < rounds * 2; round++) {
		side->queue = round % 2 ? side->unordered : side->ordered;
		move_bytes(side);
		map(side);
		run_kernels(side);
		if (old_functions)
			synchronise_as_before(side);
		move_pixels(side);
		share(side);
	}
	await_callbacks(side);
	return NULL;
}

static void begin(struct side *side, struct device *device, bool profiles)
{
	const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
	cl_command_queue_properties properties = profiles ? CL_QUEUE_PROFILING_ENABLE : 0;
	cl_int error;

	side->device = device;
	side->profiles = profiles;
	side->ordered = device_queue(device, properties);
	side->unordered = device_queue(device, properties | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	side->a = device_buffer(device);
	side->b = device_buffer(device);
	side->c = device_buffer(device);
	side->add = device_kernel(device, "vector_add");
	side->fill = device_kernel(device, "fill");
	side->empty = device_kernel(device, "empty");
	if (device->images) {
		side->image = clCreateImage(device->app.context, CL_MEM_READ_WRITE, &format, &desc,
					    NULL, &error);
		CHECK(error, "clCreateImage");
	}
	if (device->shared)
		side->shared = clSVMAlloc(device->app.context, CL_MEM_READ_WRITE, BYTES, 0);
}

static void end(struct side *side)
{
	for (unsigned i = 0; i < side->nseen; i++) {
		print_times(side, side->seen[i].name, side->seen[i].event);
		DO(clReleaseEvent(side->seen[i].event));
	}
	for (int kind = 0; kind < KINDS; kind++)
		printf("%s %u\n", kinds[kind], side->made[kind]);
	printf("%u of %u callbacks, sum %g\n", side->callbacks, side->wanted_callbacks, side->sum);
	DO(clReleaseCommandQueue(side->ordered));
	DO(clReleaseCommandQueue(side->unordered));
	DO(clReleaseMemObject(side->a));
	DO(clReleaseMemObject(side->b));
	DO(clReleaseMemObject(side->c));
	if (side->image)
		DO(clReleaseMemObject(side->image));
	if (side->shared)
		clSVMFree(side->device->app.context, side->shared);
	DO(clReleaseKernel(side->add));
	DO(clReleaseKernel(side->fill));
	DO(clReleaseKernel(side->empty));
}

int main(int argc, char **argv)
{
	static struct side sides[2];
	struct device devices[2];
	int option, platforms;

	while ((option = getopt(argc, argv, "n:o2")) != -1) {
		if (option == 'n')
			rounds = app_number(optarg);
		else if (option == 'o')
			old_functions = true;
		else if (option == '2')
			two_platforms = true;
		else
			return 2;
	}
	if (rounds > 50)
		rounds = 50; /* so many events are kept */
	platforms = two_platforms ? 2 : 1;
	for (int i = 0; i < platforms; i++)
		devices[i] = device_open((cl_uint)i);
	for (int i = 0; i < 2; i++)
		begin(&sides[i], &devices[i % platforms], !i || two_platforms);
	for (int i = 0; i < 2; i++)
		pthread_create(&sides[i].thread, NULL, work, &sides[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(sides[i].thread, NULL);
	for (int i = 0; i < 2; i++)
		end(&sides[i]);
	for (int i = 0; i < platforms; i++)
		device_close(&devices[i]);
	printf("commands %u\n", device_commands);
	return 0;
}

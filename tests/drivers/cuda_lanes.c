/* SPDX-License-Identifier: MIT */
/*
 * cuda_lanes.c WHAT: a program whose device lanes stack_cuda_lanes.sh looks at.
 *
 *	work		commands of each kind, on several streams, waited for in several ways
 *	memory		memory of each kind, in use at the same time
 *	times		kernels one after the other, which one call waits for
 *	capture		graphs are captured in the strictest mode, while another thread uses its stream
 *	contexts	contexts come and go, and one is used while another one is current
 *	threads		threads with default streams of their own, and streams that come and go
 *	streams		one stream after the other
 *	forks		a child is forked, which ends, while commands are under way
 *	killed		the process kills itself, 50 ms after it has waited for its commands
 *	unfinished	the process ends while the device works
 *	left		the process ends without having waited for what the device has done
 *	after		an exit handler has the device work then, waits for a part of it, and
 *			leaves the rest; the driver's handler, if there is one, comes before it
 *	beside		... while threads submit, and wait
 *	within		a signal handler calls exit then, inside of a call that waits
 */
#include <cuda.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(call)                                                                                \
	do {                                                                                       \
		CUresult error = call;                                                             \
		if (error)                                                                         \
			printf("%s: %d\n", #call, (int)error);                                     \
	} while (0)

enum { WORDS = 4096, ROUNDS = 4 };
static CUfunction add, spin;

static void kernels_load(void)
{
	CUmodule module;

	CHECK(cuModuleLoadData(&module, ""));
	CHECK(cuModuleGetFunction(&add, module, "add"));
	CHECK(cuModuleGetFunction(&spin, module, "spin"));
}

static CUcontext context_make(void)
{
	CUcontext context;

	CHECK(cuCtxCreate(&context, 0, 0));
	kernels_load();
	return context;
}

static void add_launch(CUdeviceptr memory, unsigned more, CUstream stream)
{
	void *parameters[] = {&memory, &more};

	CHECK(cuLaunchKernel(add, WORDS / 64, 1, 1, 64, 1, 1, 0, stream, parameters, NULL));
}

static void spin_launch(unsigned microseconds, CUstream stream)
{
	void *parameters[] = {&microseconds};

	CHECK(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
}

static void host_add(void *number)
{
	++*(int *)number;
}

static void work_round(CUdeviceptr memory, CUdeviceptr other, CUstream stream, CUevent event)
{
	static unsigned words[WORDS];
	CUlaunchConfig config = {.gridDimX = WORDS / 32,
				 .gridDimY = 1,
				 .gridDimZ = 1,
				 .blockDimX = 32,
				 .blockDimY = 1,
				 .blockDimZ = 1,
				 .hStream = stream};
	CUDA_MEMCPY2D plane = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
			       .srcDevice = memory,
			       .srcPitch = 256,
			       .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			       .dstDevice = other,
			       .dstPitch = 256,
			       .WidthInBytes = 128,
			       .Height = 8};
	unsigned more = 5;
	void *parameters[] = {&memory, &more};
	int called = 0;

	CHECK(cuMemsetD32Async(memory, 1, WORDS, stream));
	CHECK(cuMemcpyHtoDAsync(other, words, sizeof words, stream));
	add_launch(memory, 3, stream);
	CHECK(cuLaunchKernelEx(&config, add, parameters, NULL));
	CHECK(cuEventRecord(event, stream));
	CHECK(cuEventSynchronize(event));
	CHECK(cuMemcpyDtoDAsync(other, memory, sizeof words, stream));
	CHECK(cuMemcpy2DAsync(&plane, stream));
	CHECK(cuLaunchHostFunc(stream, host_add, &called));
	CHECK(cuMemcpyDtoHAsync(words, other, sizeof words, stream));
	CHECK(cuStreamSynchronize(stream));
	printf("%u %u %d\n", words[0], words[WORDS - 1], called);
	/* On the default stream. */
	add_launch(memory, 1, NULL);
	CHECK(cuMemcpyDtoH(words, memory, sizeof words));
	printf("%u\n", words[WORDS - 1]);
	CHECK(cuMemcpyHtoD(memory, words, 16));
	CHECK(cuMemsetD32(memory, 0, 4));
	CHECK(cuCtxSynchronize());
}

static void work(void)
{
	CUcontext context = context_make();
	CUdeviceptr memory, other;
	CUstream streams[2];
	CUevent event;

	CHECK(cuMemAlloc(&memory, WORDS * sizeof(unsigned)));
	CHECK(cuMemAlloc(&other, WORDS * sizeof(unsigned)));
	CHECK(cuEventCreate(&event, 0));
	CHECK(cuStreamCreate(&streams[0], CU_STREAM_DEFAULT));
	CHECK(cuStreamCreate(&streams[1], CU_STREAM_NON_BLOCKING));
	for (int i = 0; i < ROUNDS; i++)
		work_round(memory, other, streams[i % 2], event);
	CHECK(cuMemFree(memory));
	CHECK(cuMemFree(other));
	/* Calls that fail have no command. */
	printf("%d\n", (int)cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, streams[0], NULL, NULL));
	CHECK(cuEventDestroy(event));
	CHECK(cuStreamDestroy(streams[0]));
	CHECK(cuStreamDestroy(streams[1]));
	CHECK(cuCtxDestroy(context));
}

/* Pinned memory and what is registered are the host's. */
static void memory_of_the_host(CUdeviceptr from)
{
	static unsigned words[WORDS];
	void *pinned[2];
	CUdeviceptr mapped = 0;

	CHECK(cuMemAllocHost(&pinned[0], 1 << 20));
	CHECK(cuMemHostAlloc(&pinned[1], 1 << 20, 0));
	CHECK(cuMemHostRegister(words, sizeof words, 0));
	CHECK(cuMemHostGetDevicePointer(&mapped, words, 0));
	CHECK(cuMemcpy(mapped, from, 64));
	printf("%u\n", words[15]);
	CHECK(cuMemHostUnregister(words));
	CHECK(cuMemFreeHost(pinned[0]));
	CHECK(cuMemFreeHost(pinned[1]));
}

static void memory(void)
{
	CUcontext context = context_make();
	CUdeviceptr plain, managed, pitched, ordered, pooled;
	CUmemoryPool pool;
	size_t pitch = 0;

	CHECK(cuMemAlloc(&plain, 4096));
	CHECK(cuMemAllocManaged(&managed, 8192, CU_MEM_ATTACH_GLOBAL));
	CHECK(cuMemAllocPitch(&pitched, &pitch, 100, 8, 4));
	CHECK(cuMemAllocAsync(&ordered, 16384, NULL));
	CHECK(cuDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cuMemAllocFromPoolAsync(&pooled, 32768, pool, NULL));
	CHECK(cuMemsetD8Async(managed, 9, 8192, NULL));
	CHECK(cuMemPrefetchAsync(managed, 8192, 0, NULL));
	CHECK(cuMemcpyDtoDAsync(ordered, managed, 8192, NULL));
	CHECK(cuMemcpyAsync(pooled, ordered, 8192, NULL));
	CHECK(cuStreamSynchronize(NULL));
	memory_of_the_host(pooled);
	CHECK(cuMemFreeAsync(pooled, NULL));
	CHECK(cuMemFreeAsync(ordered, NULL));
	CHECK(cuMemFree(pitched));
	CHECK(cuMemFree(managed));
	CHECK(cuMemFree(plain));
	printf("%zu\n", pitch);
	CHECK(cuCtxDestroy(context));
}

static void times(void)
{
	CUcontext context = context_make();
	CUstream stream;

	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	for (unsigned i = 1; i <= 8; i++)
		spin_launch(10000 * i, stream);
	CHECK(cuStreamSynchronize(stream));
	CHECK(cuCtxDestroy(context));
}

/*
 * Commands that follow one another at once, and that no call waits for until the end. They are
 * submitted while they run, and the layer takes readings of the clock meanwhile.
 */
static void queued(void)
{
	CUcontext context = context_make();
	CUstream stream;

	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	for (unsigned i = 0; i < 300; i++) {
		for (unsigned j = 0; j < 10; j++)
			spin_launch(200, stream);
		usleep(1800);
	}
	CHECK(cuStreamSynchronize(stream));
	CHECK(cuCtxDestroy(context));
}

static _Atomic int captured;

static void *use_other_stream(void *context)
{
	CUstream stream;

	CHECK(cuCtxSetCurrent(context));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	while (!captured) {
		spin_launch(100, stream);
		CHECK(cuStreamSynchronize(stream));
	}
	CHECK(cuStreamDestroy(stream));
	return NULL;
}

static void capture(void)
{
	CUcontext context = context_make();
	CUdeviceptr memory;
	CUstream stream;
	CUgraph graph = NULL;
	CUgraphExec exec;
	pthread_t thread;
	unsigned words[2] = {0};

	CHECK(cuMemAlloc(&memory, WORDS * sizeof(unsigned)));
	CHECK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
	pthread_create(&thread, NULL, use_other_stream, context);
	for (int i = 0; i < ROUNDS; i++) {
		CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
		CHECK(cuMemsetD32Async(memory, 7, WORDS, stream));
		for (int j = 0; j < 5; j++) {
			add_launch(memory, 1, stream);
			usleep(5000);
		}
		CHECK(cuStreamEndCapture(stream, &graph));
		CHECK(cuGraphInstantiate(&exec, graph, 0));
		CHECK(cuGraphLaunch(exec, stream));
		CHECK(cuGraphLaunch(exec, stream));
		CHECK(cuStreamSynchronize(stream));
		CHECK(cuMemcpyDtoH(words, memory, sizeof words));
		printf("%u\n", words[1]);
		CHECK(cuGraphExecDestroy(exec));
		CHECK(cuGraphDestroy(graph));
	}
	captured = 1;
	pthread_join(thread, NULL);
	CHECK(cuCtxDestroy(context));
}

static void contexts(void)
{
	CUcontext first = context_make(), second, current, primary;
	CUstream stream;

	CHECK(cuStreamCreate(&stream, 0));
	for (int i = 0; i < 20; i++) {
		second = context_make();
		spin_launch(300, NULL);
		/* The stream is the first one's. */
		spin_launch(300, stream);
		CHECK(cuCtxGetCurrent(&current));
		if (current != second)
			printf("another context\n");
		CHECK(cuCtxSynchronize());
		CHECK(cuCtxDestroy(second));
	}
	CHECK(cuCtxGetCurrent(&current));
	printf("%d\n", current == first);
	for (int i = 0; i < 3; i++) {
		CHECK(cuDevicePrimaryCtxRetain(&primary, 0));
		CHECK(cuDevicePrimaryCtxRetain(&primary, 0));
		CHECK(cuCtxPushCurrent(primary));
		spin_launch(300, NULL);
		CHECK(cuDevicePrimaryCtxRelease(0));
		spin_launch(300, NULL);
		CHECK(cuCtxSynchronize());
		CHECK(cuCtxPopCurrent(&current));
		CHECK(cuDevicePrimaryCtxRelease(0));
	}
	CHECK(cuStreamSynchronize(stream));
	CHECK(cuStreamDestroy(stream));
	CHECK(cuCtxDestroy(first));
}

static void *thread_work(void *context)
{
	CHECK(cuCtxSetCurrent(context));
	for (int i = 0; i < 50; i++) {
		CUstream stream;
		CHECK(cuStreamCreate(&stream, 0));
		spin_launch(50, stream);
		spin_launch(50, CU_STREAM_PER_THREAD);
		if (i % 2)
			CHECK(cuStreamSynchronize(stream));
		CHECK(cuStreamDestroy(stream));
	}
	return NULL;
}

static void threads(void)
{
	CUcontext context = context_make();
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread_work, context);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	CHECK(cuCtxSynchronize());
	CHECK(cuCtxDestroy(context));
}

static void streams(void)
{
	CUcontext context = context_make();

	for (int i = 0; i < 60; i++) {
		CUstream stream;
		CHECK(cuStreamCreate(&stream, 0));
		spin_launch(50, stream);
		CHECK(cuStreamSynchronize(stream));
		CHECK(cuStreamDestroy(stream));
		usleep(5000);
	}
	CHECK(cuCtxDestroy(context));
}

static void forks(void)
{
	CUcontext context = context_make();
	CUstream stream;
	int status = -1;

	CHECK(cuStreamCreate(&stream, 0));
	for (int i = 0; i < 5; i++) {
		spin_launch(2000, stream);
		fflush(stdout);
		pid_t child = fork();
		if (!child)
			exit(i);
		waitpid(child, &status, 0);
		printf("%d\n", WEXITSTATUS(status));
		spin_launch(100, stream);
		CHECK(cuStreamSynchronize(stream));
	}
	CHECK(cuCtxDestroy(context));
}

static void killed(void)
{
	CUstream stream;

	context_make();
	CHECK(cuStreamCreate(&stream, 0));
	for (int i = 0; i < 5; i++)
		spin_launch(100, stream);
	CHECK(cuStreamSynchronize(stream));
	usleep(50000);
	kill(getpid(), SIGKILL);
}

static void unfinished(void)
{
	CUstream stream;

	context_make();
	CHECK(cuStreamCreate(&stream, 0));
	spin_launch(100, stream);
	spin_launch(10000000, stream);
	spin_launch(100, stream);
	usleep(50000);
}

static CUstream late_stream, late_other;

static void submit_and_leave(void)
{
	for (int i = 0; i < 3; i++)
		spin_launch(100, late_stream);
	usleep(20000);
}

static void left(void)
{
	context_make();
	CHECK(cuStreamCreate(&late_stream, 0));
	CHECK(cuStreamCreate(&late_other, 0));
	submit_and_leave();
}

static void submit_after(void)
{
	for (int i = 0; i < 100; i++)
		spin_launch(10, late_other);
	CHECK(cuStreamSynchronize(late_other));
	submit_and_leave();
}

static void after(void)
{
	left();
	atexit(submit_after);
	context_make();
}

/* Does not return. */
static void *submit_on(void *context)
{
	CUstream stream;

	CHECK(cuCtxSetCurrent(context));
	CHECK(cuStreamCreate(&stream, 0));
	for (;;) {
		for (int i = 0; i < 100; i++)
			spin_launch(1, stream);
		usleep(1000);
		CHECK(cuStreamSynchronize(stream));
	}
	return NULL;
}

static void beside(void)
{
	CUcontext context = context_make();
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, submit_on, context);
	usleep(100000);
}

static void leave(int number)
{
	(void)number;
	exit(7);
}

static void within(void)
{
	CUstream stream;

	context_make();
	CHECK(cuStreamCreate(&stream, 0));
	spin_launch(100, stream);
	CHECK(cuStreamSynchronize(stream));
	spin_launch(10000000, stream);
	spin_launch(100, stream);
	signal(SIGALRM, leave);
	ualarm(50000, 0);
	CHECK(cuStreamSynchronize(stream));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {{"work", work},
		   {"memory", memory},
		   {"times", times},
		   {"queued", queued},
		   {"capture", capture},
		   {"contexts", contexts},
		   {"threads", threads},
		   {"streams", streams},
		   {"forks", forks},
		   {"killed", killed},
		   {"unfinished", unfinished},
		   {"beside", beside},
		   {"within", within},
		   {"left", left},
		   {"after", after}};

	CHECK(cuInit(0));
	for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
		if (!strcmp(argv[1], all[i].name))
			all[i].run();
	return 0;
}

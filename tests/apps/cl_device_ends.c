/* SPDX-License-Identifier: MIT */
/*
 * cl_device_ends WAY: programs that end while devices work, in one of these ways.
 *
 *	gated		returns from main while commands wait for a user event that nobody sets
 *	crowded [N]	the same, with 20000 of them, or so many
 *	reversed	waits for 40000 in a queue without order, the last one first, while another
 *			thread sets their user event
 *	hanging		while a kernel hangs, and others stand behind it (test driver)
 *	busy		while a kernel runs that will end 300 ms later (test driver)
 *	abrupt		leaves by _exit when commands have ended that it never waited for
 *	interrupted	a signal handler calls exit while its thread is inside of clFinish, for a
 *			kernel that takes two seconds (test driver)
 *	within		a callback calls exit inside of clReleaseMemObject: behind 20 commands that
 *			it has just waited for, and two that wait for a user event that nobody sets
 *	early		an exit handler that was registered before the first call enqueues a
 *			command, and asks its event: after everybody's end. Prints how many calls
 *			the driver saw meanwhile beyond the handler's own (test driver)
 *	later		the same, registered after the first calls: before everybody's end
 *	building	the same, registered after the first call. Programs are built later, for which
 *			the driver may register handlers of its own (test driver)
 *	compiling [N]	as later, and then a thread that made no calls, as a driver's own, registers
 *			a handler, and before it N that do nothing. The one says in the file SEEN
 *			whether the trace in TRACELAYER_OUTPUT has its end. The program's handler
 *			does not wait for its command of 5 ms
 *	forked		forks while commands are under way; the child returns from main, and says
 *			how many calls the driver saw in it (test driver)
 *	mixed		as gated, with more such commands in a queue without order than are asked
 *			about at a time, and others behind them that it waits for
 *	released	releases queue and context while a command waits, lets that go on, and waits
 *			for it: the last one to release is the event
 *	steady [BYTES]	enqueues and waits until it is killed; in standard output a byte for each
 *			hundred commands. After so many bytes, if that is given, it does nothing
 *	resting		enqueues, waits and asks for references, does nothing for a second, and goes
 *			on; says if more than one thread of ours is there at the end of the second
 *	unthreaded	enqueues and waits, where no thread can be made
 *	left		enqueues and waits, releases the queue, with which the driver's thread goes,
 *			and ends its only thread
 *	forking		enqueues and waits in one thread, and forks in another one; the children
 *			allocate memory, and end by _exit
 *	paced ROUNDS	five kernels in three queues, with calls that wait for them (test driver:
 *			they sleep for 0.2 to 2 ms each, and a round takes some 3 ms)
 *
 * Prints "commands N" when it comes that far.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <errno.h>
#include <sys/wait.h>
#include <signal.h>
#include <sys/time.h>

#include "cl_device.h"

static struct device device;
static cl_command_queue queue;
static cl_kernel empty;

static void print_commands(void)
{
	printf("commands %u\n", device_commands);
	fflush(stdout);
}

static int gated(void)
{
	cl_int error;
	cl_event gate = clCreateUserEvent(device.app.context, &error), event;

	CHECK(error, "clCreateUserEvent");
	device_run(queue, empty, 0, NULL, NULL);
	DO(clFinish(queue));
	device_run(queue, empty, 1, &gate, &event);
	device_run(queue, empty, 1, &gate, NULL);
	DO(clFlush(queue));
	return 3;
}

static int crowded(unsigned commands)
{
	cl_int error;
	cl_event gate = clCreateUserEvent(device.app.context, &error);

	CHECK(error, "clCreateUserEvent");
	while (commands--)
		device_run(queue, empty, 1, &gate, NULL);
	DO(clFlush(queue));
	return 6;
}

static void *open_late(void *gate)
{
	usleep(100000);
	DO(clSetUserEventStatus(gate, CL_COMPLETE));
	return NULL;
}

static int alone(void)
{
	device_run(queue, empty, 0, NULL, NULL);
	DO(clFinish(queue));
	DO(clReleaseCommandQueue(queue));
	usleep(100000);
	printf("a user of its own: %s\n", unshare(CLONE_NEWUSER) ? strerror(errno) : "yes");
	queue = device_queue(&device, 0);
	device_run(queue, empty, 0, NULL, NULL);
	DO(clFinish(queue));
	return 0;
}

static int reversed(void)
{
	enum { MANY = 40000 };
	static cl_event events[MANY];
	cl_int error;
	cl_event gate = clCreateUserEvent(device.app.context, &error);
	cl_command_queue unordered = device_queue(&device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	pthread_t opener;

	CHECK(error, "clCreateUserEvent");
	for (unsigned i = MANY; i-- > 0;)
		device_run(unordered, empty, 1, &gate, &events[i]);
	pthread_create(&opener, NULL, open_late, gate);
	DO(clWaitForEvents(MANY, events));
	pthread_join(opener, NULL);
	return 0;
}

static int mixed(void)
{
	cl_command_queue unordered = device_queue(&device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_int error;
	cl_event gate = clCreateUserEvent(device.app.context, &error), event;

	CHECK(error, "clCreateUserEvent");
	for (int i = 0; i < 100; i++)
		device_run(unordered, empty, 1, &gate, NULL);
	for (int i = 0; i < 50; i++) {
		device_run(unordered, empty, 0, NULL, &event);
		DO(clWaitForEvents(1, &event));
		DO(clReleaseEvent(event));
	}
	/* These nobody waits for. */
	for (int i = 0; i < 50; i++)
		device_run(unordered, empty, 0, NULL, NULL);
	DO(clFlush(unordered));
	usleep(100000);
	return 6;
}

static void CL_CALLBACK destroyed(cl_context context, void *to)
{
	(void)context;
	atomic_store((atomic_bool *)to, true);
}

/* A context of its own, which nothing but the queue and the commands refers to. */
static int released(bool waits)
{
	static atomic_bool is_destroyed;
	cl_int error;
	cl_context context = clCreateContext(NULL, 1, &device.app.device, NULL, NULL, &error);
	cl_event gate, event;

	CHECK(error, "clCreateContext");
	DO(clSetContextDestructorCallback(context, destroyed, &is_destroyed));
	cl_command_queue own =
		clCreateCommandQueueWithProperties(context, device.app.device, NULL, &error);
	CHECK(error, "clCreateCommandQueueWithProperties");
	gate = clCreateUserEvent(context, &error);
	CHECK(error, "clCreateUserEvent");
	DO(clEnqueueMarkerWithWaitList(own, 1, &gate, &event));
	device_commands++;
	DO(clReleaseCommandQueue(own));
	DO(clReleaseContext(context));
	DO(clSetUserEventStatus(gate, CL_COMPLETE));
	DO(clReleaseEvent(gate));
	if (waits)
		DO(clWaitForEvents(1, &event));
	DO(clReleaseEvent(event));
	for (int i = 0; i < 1000 && !atomic_load(&is_destroyed); i++)
		usleep(1000);
	printf("the context is %s\n", atomic_load(&is_destroyed) ? "destroyed" : "still there");
	return 0;
}

static int hanging(void)
{
	cl_kernel hang = device_kernel(&device, "hang");
	cl_event event;

	device_run(queue, empty, 0, NULL, NULL);
	DO(clFinish(queue));
	device_run(queue, hang, 0, NULL, NULL);
	device_run(queue, empty, 0, NULL, &event);
	DO(clFlush(queue));
	usleep(20000);
	return 4;
}

static int busy(void)
{
	cl_kernel sleeping = device_kernel_with(&device, "sleep", 300000000, sizeof(cl_ulong));
	cl_event event;

	device_run(queue, sleeping, 0, NULL, &event);
	DO(clFlush(queue));
	usleep(20000);
	return 5;
}

static atomic_uint ended;

static void CL_CALLBACK count_ended(cl_event event, cl_int status, void *unused)
{
	(void)event;
	(void)status;
	(void)unused;
	atomic_fetch_add(&ended, 1);
}

static int abrupt(void)
{
	cl_event events[2];

	for (int i = 0; i < 2; i++) {
		device_run(queue, empty, 0, NULL, &events[i]);
		DO(clSetEventCallback(events[i], CL_COMPLETE, count_ended, NULL));
	}
	DO(clFlush(queue));
	/* The driver says so, and no call waits. */
	while (atomic_load(&ended) < 2)
		usleep(1000);
	print_commands();
	_exit(6);
}

static void leave(int number)
{
	(void)number;
	exit(7);
}

static int interrupted(void)
{
	const struct itimerval soon = {.it_value.tv_usec = 50000};
	cl_kernel sleeping = device_kernel_with(&device, "sleep", 2000000000, sizeof(cl_ulong));

	device_run(queue, empty, 0, NULL, NULL);
	DO(clFinish(queue));
	device_run(queue, sleeping, 0, NULL, NULL);
	print_commands();
	signal(SIGALRM, leave);
	setitimer(ITIMER_REAL, &soon, NULL);
	DO(clFinish(queue));
	return 0;
}

static void CL_CALLBACK leave_callback(cl_mem buffer, void *unused)
{
	(void)buffer;
	(void)unused;
	exit(8);
}

static int within(void)
{
	cl_int error;
	cl_mem buffer = clCreateBuffer(device.app.context, CL_MEM_READ_WRITE, BYTES, NULL, &error);
	cl_event gate;

	CHECK(error, "clCreateBuffer");
	DO(clSetMemObjectDestructorCallback(buffer, leave_callback, NULL));
	gate = clCreateUserEvent(device.app.context, &error);
	CHECK(error, "clCreateUserEvent");
	for (int i = 0; i < 20; i++)
		device_run(queue, empty, 0, NULL, NULL);
	DO(clFinish(queue));
	device_run(queue, empty, 1, &gate, NULL);
	device_run(queue, empty, 1, &gate, NULL);
	print_commands();
	DO(clReleaseMemObject(buffer));
	return 0;
}

static uint64_t (*driver_count)(const char *function);

/* The child's copy of the driver has no threads. */
static int forked(void)
{
	cl_int error;
	cl_event gate = clCreateUserEvent(device.app.context, &error), event;
	int status = 0;

	CHECK(error, "clCreateUserEvent");
	device_run(queue, empty, 1, &gate, &event);
	device_run(queue, empty, 0, NULL, NULL);
	fflush(stdout);
	if (!fork())
		exit(0);
	wait(&status);
	DO(clSetUserEventStatus(gate, CL_COMPLETE));
	DO(clWaitForEvents(1, &event));
	DO(clFinish(queue));
	printf("the child: %d\n", status);
	return 0;
}

static pid_t parent;

static void say_if_child(void)
{
	if (getpid() == parent)
		return;
	printf("calls in the child: %llu\n", (unsigned long long)driver_count(NULL));
	fflush(stdout);
}

/* --- exit handlers */

static bool tells_calls;

/* The handler makes this many calls. */
#define HANDLERS_CALLS 4

static void call_in_handler(void)
{
	cl_event event;
	cl_int status;
	uint64_t before = driver_count(NULL);

	device_run(queue, empty, 0, NULL, &event);
	DO(clWaitForEvents(1, &event));
	DO(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
	DO(clReleaseEvent(event));
	printf("status %d\n", (int)status);
	if (tells_calls)
		printf("calls of others: %llu\n",
		       (unsigned long long)(driver_count(NULL) - before - HANDLERS_CALLS));
	print_commands();
}

static void look_at_trace(void)
{
	char line[4096], *seen = getenv("SEEN"), *output = getenv("TRACELAYER_OUTPUT");
	FILE *trace = output ? fopen(output, "r") : NULL, *to = seen ? fopen(seen, "w") : NULL;
	bool ended = false;

	while (trace && fgets(line, sizeof(line), trace))
		ended |= strstr(line, "tracelayer_end") != NULL;
	if (trace)
		fclose(trace);
	if (!to)
		return;
	fputs(ended ? "ended\n" : "not ended\n", to);
	fclose(to);
}

static cl_kernel sleeping;

static void submit_in_handler(void)
{
	device_run(queue, sleeping, 0, NULL, NULL);
	DO(clFlush(queue));
	print_commands();
}

static void do_nothing(void)
{
}

static void *be_driver(void *more)
{
	for (unsigned i = 0; i < *(const unsigned *)more; i++)
		atexit(do_nothing);
	atexit(look_at_trace);
	return NULL;
}

static int compiling(unsigned more)
{
	pthread_t thread;

	device_run(queue, empty, 0, NULL, NULL);
	if (pthread_create(&thread, NULL, be_driver, &more))
		return 1;
	pthread_join(thread, NULL);
	return 0;
}

/* The driver, which the loader has opened. */
static void find_driver(void)
{
	void *driver = dlopen(getenv("OCL_ICD_VENDORS"), RTLD_LAZY | RTLD_NOLOAD);

	*(void **)&driver_count = driver ? dlsym(driver, "test_icd_count") : NULL;
	if (!driver_count) {
		fprintf(stderr, "OCL_ICD_VENDORS is not the test driver\n");
		_exit(2);
	}
}

/* --- work that goes on */

static int steady(unsigned bytes)
{
	cl_event event;

	for (unsigned written = 0; !bytes || written < bytes; written++) {
		for (int i = 0; i < 100; i += 2) {
			device_run(queue, empty, 0, NULL, NULL);
			device_run(queue, empty, 0, NULL, &event);
			DO(clWaitForEvents(1, &event));
			DO(clReleaseEvent(event));
		}
		if (write(STDOUT_FILENO, ".", 1) != 1)
			return 1;
	}
	for (;;)
		pause();
}

static void run_some(unsigned count)
{
	while (count--) {
		device_run(queue, empty, 0, NULL, NULL);
		DO(clFinish(queue));
	}
}

/* Those of the library that traces it. */
static unsigned count_foreign_threads(void)
{
	unsigned count = 0;
	char path[300], name[32];
	DIR *tasks = opendir("/proc/self/task");

	for (const struct dirent *task; tasks && (task = readdir(tasks));) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", task->d_name);
		FILE *file = task->d_name[0] == '.' ? NULL : fopen(path, "r");
		count += file && fgets(name, sizeof(name), file) && !strcmp(name, "tracelayer\n");
		if (file)
			fclose(file);
	}
	if (tasks)
		closedir(tasks);
	return count;
}

/* Tracing has a thread that writes, or none yet; no other one stays. */
static int resting(void)
{
	cl_uint references;

	for (int i = 0; i < 5; i++) {
		run_some(1);
		DO(clGetContextInfo(device.app.context, CL_CONTEXT_REFERENCE_COUNT,
				    sizeof(references), &references, NULL));
		run_some(19);
		usleep(5000);
	}
	sleep(1);
	unsigned foreign = count_foreign_threads();
	run_some(100);
	printf("at most one more: %s\n", foreign <= 1 ? "yes" : "no");
	return 0;
}

static bool no_threads;

/* Also for who is in the process besides. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
		   void *argument)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	*(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
	return no_threads ? EAGAIN : real(thread, attributes, run, argument);
}

static int unthreaded(void)
{
	no_threads = true;
	run_some(500);
	return 0;
}

static int left(void)
{
	run_some(100);
	DO(clReleaseKernel(empty));
	DO(clReleaseCommandQueue(queue));
	print_commands();
	pthread_exit(NULL);
}

static _Atomic bool enough;
static _Atomic unsigned forks;

/*
 * At work whenever the process forks, and with fifty commands for each fork, however long that
 * takes.
 */
static void *run_on(void *nothing)
{
	for (unsigned rounds = 0; !enough;) {
		if (rounds < 5 * forks) {
			run_some(10);
			rounds++;
		} else {
			usleep(100);
		}
	}
	return nothing;
}

static int forking(void)
{
	pthread_t thread;
	unsigned well = 0;

	pthread_create(&thread, NULL, run_on, NULL);
	for (int i = 0; i < 200; i++) {
		forks++;
		pid_t child = fork();
		if (!child) {
			void *memory = malloc(100000);
			free(memory);
			_exit(memory ? 7 : 1);
		}
		int status = 0;
		waitpid(child, &status, 0);
		well += WIFEXITED(status) && WEXITSTATUS(status) == 7;
	}
	enough = true;
	pthread_join(thread, NULL);
	printf("children that ended well: %u\n", well);
	return 0;
}

static void pace_once(cl_command_queue unordered, cl_command_queue other, const cl_kernel *kernels)
{
	cl_event events[4];

	for (int i = 0; i < 4; i++)
		device_run(i < 3 ? unordered : queue, kernels[i % 3], 0, NULL, &events[i]);
	device_run(other, kernels[2], 1, &events[0], NULL);
	DO(clWaitForEvents(2, events + 2));
	DO(clFinish(unordered));
	usleep(300);
	DO(clFinish(other));
	DO(clWaitForEvents(2, events));
	for (int i = 0; i < 4; i++)
		DO(clReleaseEvent(events[i]));
}

static int paced(long rounds)
{
	static const cl_ulong lengths[3] = {2000000, 1000000, 200000};
	cl_command_queue unordered = device_queue(&device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
			 other = device_queue(&device, CL_QUEUE_PROFILING_ENABLE);
	cl_kernel kernels[3];

	for (int i = 0; i < 3; i++)
		kernels[i] =
			device.is_test_driver
				? device_kernel_with(&device, "sleep", lengths[i], sizeof(cl_ulong))
				: empty;
	while (rounds--)
		pace_once(unordered, other, kernels);
	DO(clReleaseCommandQueue(unordered));
	DO(clReleaseCommandQueue(other));
	return 0;
}

static int end(const char *way, const char *argument)
{
	if (!strcmp(way, "gated"))
		return gated();
	if (!strcmp(way, "crowded"))
		return crowded(argument ? app_number(argument) : 20000);
	if (!strcmp(way, "alone"))
		return alone();
	if (!strcmp(way, "reversed"))
		return reversed();
	if (!strcmp(way, "mixed"))
		return mixed();
	if (!strcmp(way, "released"))
		return released(true);
	if (!strcmp(way, "abandoned"))
		return released(false);
	if (!strcmp(way, "hanging"))
		return hanging();
	if (!strcmp(way, "busy"))
		return busy();
	if (!strcmp(way, "abrupt"))
		return abrupt();
	if (!strcmp(way, "interrupted"))
		return interrupted();
	if (!strcmp(way, "within"))
		return within();
	if (!strcmp(way, "compiling"))
		return compiling(argument ? app_number(argument) : 0);
	if (!strcmp(way, "forked"))
		return forked();
	if (!strcmp(way, "steady"))
		return steady(argument ? app_number(argument) : 0);
	if (!strcmp(way, "paced"))
		return paced(argument ? app_number(argument) : 100);
	if (!strcmp(way, "resting"))
		return resting();
	if (!strcmp(way, "unthreaded"))
		return unthreaded();
	if (!strcmp(way, "left"))
		return left();
	if (!strcmp(way, "forking"))
		return forking();
	return 0;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	bool compiles = !strcmp(way, "compiling"), builds = !strcmp(way, "building"),
	     handler = !strcmp(way, "early") || !strcmp(way, "later") || compiles || builds,
	     forks = !strcmp(way, "forked");

	parent = getpid();
	if (forks)
		atexit(say_if_child);
	tells_calls = !strcmp(way, "early");
	if (tells_calls)
		atexit(call_in_handler);
	if (builds) {
		cl_uint platforms;

		DO(clGetPlatformIDs(0, NULL, &platforms));
		atexit(call_in_handler);
	}
	device = device_open(0);
	queue = device_queue(&device, 0);
	empty = device_kernel(&device, "empty");
	if (handler || forks)
		find_driver();
	if (!strcmp(way, "later"))
		atexit(call_in_handler);
	if (compiles) {
		sleeping = device_kernel_with(&device, "sleep", 5000000, sizeof(cl_ulong));
		atexit(submit_in_handler);
	}
	int status = end(way, argc > 2 ? argv[2] : NULL);

	if (!handler)
		print_commands();
	return status;
}

/* SPDX-License-Identifier: MIT */
/*
 * cl_awaited WAY: commands that end before the program waits for them, or while it does. In between
 * there is a call that may show how many references the driver counts.
 *
 *	none		no such call
 *	other		makes and releases a context
 *	retain		retains and releases the commands' context
 *	context		asks how many references the context has
 *	devices		asks how many devices it has
 *	queue		asks how many references the queue has
 *	retain-queue	retains and releases the queue
 *	event		asks how many references a user event has
 *	own-event	asks the same of a command's event (in rounds without events, a user event's)
 *
 * First one thread makes all of these calls, one after the other, and prints the counts that it
 * reads. Then another thread makes such calls all the time. In each round the program waits by
 * another call: clFinish, clWaitForEvents for all events, for the last one's, a blocking command.
 * In every second of these turns the queue does not keep the order. Then the program waits by
 * clFinish, for all events, or for one after the other, with pauses, the last one first.
 *
 * Prints "commands N": each of them is waited for.
 */
#include "cl_ended.h"

#define COMMANDS 8 /* of a round */
#define ROUNDS	 8
/* microseconds */
#define COLLECTED 5000 /* for the layer to report what was waited for */

enum waiting { FINISH, ALL_EVENTS, LAST_EVENT, BLOCKING, ONE_BY_ONE };

static struct device device;
static cl_kernel empty;
static cl_mem buffer;
static const char *way;

static bool way_is(const char *name)
{
	return strcmp(way, name) == 0;
}

static void tell(bool says, const char *what, cl_uint count)
{
	if (says)
		printf("%s: %u\n", what, count);
}

static void ask_event(cl_event event, bool says)
{
	cl_uint count = 0;
	cl_int error;
	cl_event user = event ? NULL : clCreateUserEvent(device.app.context, &error);

	DO(clGetEventInfo(event ? event : user, CL_EVENT_REFERENCE_COUNT, sizeof(count), &count,
			  NULL));
	tell(says, "references of an event", count);
	if (user)
		DO(clReleaseEvent(user));
}

/* The call. `event`: of a command, or NULL. */
static void intrude(cl_command_queue queue, cl_event event, bool says)
{
	cl_uint count = 0;
	cl_int error;

	if (way_is("other")) {
		cl_context other = clCreateContext(NULL, 1, &device.app.device, NULL, NULL, &error);
		CHECK(error, "clCreateContext");
		DO(clReleaseContext(other));
	} else if (way_is("retain")) {
		DO(clRetainContext(device.app.context));
		DO(clReleaseContext(device.app.context));
	} else if (way_is("context")) {
		DO(clGetContextInfo(device.app.context, CL_CONTEXT_REFERENCE_COUNT, sizeof(count),
				    &count, NULL));
		tell(says, "references of the context", count);
	} else if (way_is("devices")) {
		DO(clGetContextInfo(device.app.context, CL_CONTEXT_NUM_DEVICES, sizeof(count),
				    &count, NULL));
		tell(says, "devices", count);
	} else if (way_is("queue")) {
		DO(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof(count), &count,
					 NULL));
		tell(says, "references of the queue", count);
	} else if (way_is("retain-queue")) {
		DO(clRetainCommandQueue(queue));
		DO(clReleaseCommandQueue(queue));
	} else if (way_is("event")) {
		ask_event(NULL, says);
	} else if (way_is("own-event")) {
		ask_event(event, says);
	}
}

static cl_command_queue turn_queue(unsigned turn)
{
	return device_queue(&device, turn % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
}

static enum waiting round_waiting(unsigned turn, unsigned round)
{
	static const enum waiting unordered[] = {FINISH, ALL_EVENTS, ONE_BY_ONE};

	return turn % 2 ? unordered[round % 3] : round % 4;
}

/* A command that ends after all before it. A driver's callback says so; no call waits for it. */
static cl_event enqueue_marker(cl_command_queue queue)
{
	cl_event event;

	device_commands++;
	DO(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
	ended_look_at(event);
	return event;
}

/*
 * Commands, with an event each unless the round needs none. `marked`: the last one is a marker.
 */
static void round_begin(cl_command_queue queue, enum waiting waiting, cl_event *events, bool marked)
{
	for (unsigned i = 0; i < COMMANDS; i++) {
		bool wanted = waiting == ALL_EVENTS || waiting == ONE_BY_ONE ||
			      (waiting == LAST_EVENT && i == COMMANDS - 1);
		events[i] = NULL;
		if (!marked || i < COMMANDS - 1) {
			device_run(queue, empty, 0, NULL, wanted ? &events[i] : NULL);
			continue;
		}
		events[i] = enqueue_marker(queue);
		if (wanted)
			continue;
		DO(clReleaseEvent(events[i]));
		events[i] = NULL;
	}
	DO(clFlush(queue));
}

static void round_end(cl_command_queue queue, enum waiting waiting, const cl_event *events)
{
	cl_uint value = 0;

	switch (waiting) {
	case FINISH:
		DO(clFinish(queue));
		break;
	case ALL_EVENTS:
		DO(clWaitForEvents(COMMANDS, events));
		break;
	case LAST_EVENT:
		DO(clWaitForEvents(1, &events[COMMANDS - 1]));
		break;
	case ONE_BY_ONE:
		for (unsigned i = COMMANDS; i-- > 0;) {
			DO(clWaitForEvents(1, &events[i]));
			usleep(COLLECTED);
		}
		break;
	case BLOCKING:
		device_commands++;
		DO(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof(value), &value, 0, NULL,
					NULL));
		break;
	}
	for (unsigned i = 0; i < COMMANDS; i++)
		if (events[i])
			DO(clReleaseEvent(events[i]));
}

static void turn_alone(unsigned turn)
{
	cl_command_queue queue = turn_queue(turn);
	cl_event events[COMMANDS];

	for (unsigned round = 0; round < ROUNDS / 2; round++) {
		enum waiting waiting = round_waiting(turn, round);
		round_begin(queue, waiting, events, true);
		ended_await();
		intrude(queue, events[COMMANDS - 1], true);
		round_end(queue, waiting, events);
	}
	DO(clReleaseCommandQueue(queue));
}

static cl_command_queue shared;
static atomic_bool over;

static void *intruder(void *unused)
{
	while (!over) {
		intrude(shared, NULL, false);
		usleep(PAUSE);
	}
	return unused;
}

static void turn_beside(unsigned turn)
{
	cl_event events[COMMANDS];
	pthread_t thread;

	shared = turn_queue(turn);
	over = false;
	pthread_create(&thread, NULL, intruder, NULL);
	for (unsigned round = 0; round < ROUNDS; round++) {
		enum waiting waiting = round_waiting(turn, round);
		round_begin(shared, waiting, events, false);
		if (round % 3 == 0)
			usleep(PAUSE);
		round_end(shared, waiting, events);
	}
	over = true;
	pthread_join(thread, NULL);
	DO(clReleaseCommandQueue(shared));
}

int main(int argc, char **argv)
{
	way = argc > 1 ? argv[1] : "none";
	device = device_open(0);
	empty = device_kernel(&device, "empty");
	buffer = device_buffer(&device);
	for (unsigned turn = 0; turn < 2; turn++)
		turn_alone(turn);
	for (unsigned turn = 0; turn < 4; turn++)
		turn_beside(turn);
	DO(clReleaseMemObject(buffer));
	DO(clReleaseKernel(empty));
	device_close(&device);
	/* The test driver's queues go with their threads, a little later. */
	usleep(ENDED);
	printf("commands %u\n", device_commands);
	return 0;
}

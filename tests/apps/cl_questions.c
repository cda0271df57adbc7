/* SPDX-License-Identifier: MIT */
/*
 * cl_questions WHAT: asks often how many references there are, while there are many commands that
 * have ended and that nothing has waited for. WHAT: the program has "held" their events, or has
 * "released" them; or, with "few", it has first many and then few.
 *
 * Prints each count once, as often as it changes, and "commands N".
 */
#include "cl_ended.h"

#define COMMANDS  500
#define FEW	  10
#define QUESTIONS 400

static struct device device;

static void tell(const char *what, cl_uint count, cl_uint *last)
{
	if (count != *last)
		printf("references of %s: %u\n", what, count);
	*last = count;
}

static void ask(cl_command_queue queue, cl_event event)
{
	cl_uint count, of_event = 0, of_queue = 0, of_context = 0;

	for (unsigned i = 0; i < QUESTIONS; i++) {
		DO(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(count), &count, NULL));
		tell("an event", count, &of_event);
		DO(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof(count), &count,
					 NULL));
		tell("the queue", count, &of_queue);
		DO(clGetContextInfo(device.app.context, CL_CONTEXT_REFERENCE_COUNT, sizeof(count),
				    &count, NULL));
		tell("the context", count, &of_context);
	}
}

/* Commands that have ended, and that nothing has waited for; then a question. */
static void ask_once(cl_command_queue queue, cl_kernel kernel, cl_event *events, unsigned count)
{
	cl_uint references;

	for (unsigned i = 0; i < count; i++)
		device_run(queue, kernel, 0, NULL, &events[i]);
	ended_look_at(events[count - 1]);
	DO(clFlush(queue));
	ended_await();
	DO(clGetContextInfo(device.app.context, CL_CONTEXT_REFERENCE_COUNT, sizeof(references),
			    &references, NULL));
	DO(clWaitForEvents(count, events));
	for (unsigned i = 0; i < count; i++)
		DO(clReleaseEvent(events[i]));
}

static void ask_few(cl_command_queue queue, cl_kernel kernel)
{
	static cl_event events[COMMANDS];

	ask_once(queue, kernel, events, COMMANDS);
	ask_once(queue, kernel, events, FEW);
}

static void ask_often(cl_command_queue queue, cl_kernel kernel, bool held)
{
	static cl_event events[COMMANDS];

	for (unsigned i = 0; i < COMMANDS; i++) {
		device_run(queue, kernel, 0, NULL, &events[i]);
		if (i == COMMANDS - 1)
			ended_look_at(events[i]);
		else if (!held)
			DO(clReleaseEvent(events[i]));
	}
	DO(clFlush(queue));
	ended_await();
	ask(queue, events[COMMANDS - 1]);
	/* Half of them go, and the layer's references with them. */
	for (unsigned i = 0; held && i < COMMANDS / 2; i++)
		DO(clReleaseEvent(events[i]));
	ask(queue, events[COMMANDS - 1]);
	for (unsigned i = held ? COMMANDS / 2 : COMMANDS - 1; i < COMMANDS; i++)
		DO(clReleaseEvent(events[i]));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "released";

	device = device_open(0);
	cl_kernel empty = device_kernel(&device, "empty");
	cl_command_queue queue = device_queue(&device, 0);
	if (!strcmp(what, "few"))
		ask_few(queue, empty);
	else
		ask_often(queue, empty, !strcmp(what, "held"));
	DO(clReleaseCommandQueue(queue));
	DO(clReleaseKernel(empty));
	device_close(&device);
	usleep(ENDED);
	printf("commands %u\n", device_commands);
	return 0;
}

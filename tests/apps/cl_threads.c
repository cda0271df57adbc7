/* SPDX-License-Identifier: MIT */
/*
 * cl_threads: many threads that do nothing but cheap calls, each on an event of its own.
 *
 *	-t N	threads (8)
 *	-i N	calls in each (100000), taken in turn from clRetainEvent, clGetEventInfo,
 *		clReleaseEvent, clGetEventInfo
 *
 * All threads start together. At the end it prints how many calls it made of each function in those
 * threads, and how many in all: what a trace must hold.
 */
#include <pthread.h>
#include <unistd.h>

#include "cl_app.h"

static struct app app;
static long threads = 8, calls = 100000;
static pthread_barrier_t together;

enum { CREATE, RETAIN, INFO, RELEASE, SET, KINDS };
static const char *const names[KINDS] = {
	"clCreateUserEvent", "clRetainEvent",	     "clGetEventInfo",
	"clReleaseEvent",    "clSetUserEventStatus",
};

struct worker {
	pthread_t thread;
	long made[KINDS];
};

static void *work(void *argument)
{
	struct worker *self = argument;
	cl_int error, status;
	cl_event event = clCreateUserEvent(app.context, &error);

	CHECK(error, "clCreateUserEvent");
	self->made[CREATE]++;
	pthread_barrier_wait(&together);
	for (long i = 0; i < calls; i++) {
		switch (i % 4) {
		case 0:
			DO(clRetainEvent(event));
			self->made[RETAIN]++;
			break;
		case 2:
			DO(clReleaseEvent(event));
			self->made[RELEASE]++;
			break;
		default:
			DO(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
					  &status, NULL));
			self->made[INFO]++;
			break;
		}
	}
	if (calls % 4 == 1 || calls % 4 == 2) {
		DO(clReleaseEvent(event));
		self->made[RELEASE]++;
	}
	DO(clSetUserEventStatus(event, CL_COMPLETE));
	self->made[SET]++;
	DO(clReleaseEvent(event));
	self->made[RELEASE]++;
	return NULL;
}

int main(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "t:i:")) != -1) {
		if (option == 't')
			threads = app_number(optarg);
		else if (option == 'i')
			calls = app_number(optarg);
		else
			return 2;
	}
	app = app_open();
	pthread_barrier_init(&together, NULL, (unsigned)threads);
	struct worker *workers = calloc((size_t)threads, sizeof(*workers));
	for (long i = 0; i < threads; i++)
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	for (long i = 0; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	app_close(&app);

	long total = 0;
	for (int kind = 0; kind < KINDS; kind++) {
		long made = 0;
		for (long i = 0; i < threads; i++)
			made += workers[i].made[kind];
		printf("%s %ld\n", names[kind], made);
		total += made;
	}
	printf("total %ld\n", total);
	free(workers);
	return 0;
}

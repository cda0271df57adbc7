/* SPDX-License-Identifier: MIT */
/*
 * stress_contexts.c: trace contexts used by many threads at once, for the seconds given. What must
 * be in them is known exactly, and is compared.
 *
 *	stress_contexts SECONDS
 *
 * Each worker handles requests: one context each, entered, logged to, handed to a second thread
 * that enters it, too, and at last merged into one that all have in common, as other workers do at
 * the same time; all of them log into another common one. Readers go through both, copy them, and
 * dump the latter, meanwhile. Every event says by its arguments what it must look like. Calls of a
 * toy function between are looked at by who takes the writer's place: each has the number of the
 * request it was made in, or none. Before that each of some threads that log to a context at once
 * looks whether it finds there what it has just logged. What is wrong is said in a line; then the
 * exit status is 1.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/base/environment.h"
#include "layer/resolve/recording.h"
#include "tests/lib/core_doubles.h"

#define TRACELAYER_LINKED
#include "tracelayer/trace_context.h"

#define WORKERS 8
#define LIMIT	100000u /* events of a common context */

static _Atomic bool over, broken;
static struct tl_context *merged, *shared;
static _Atomic uint64_t logged, shared_logged, calls, marked, seen_calls, seen_marked;

static void fail(const char *what, long detail)
{
	fprintf(stderr, "stress_contexts: %s (%ld)\n", what, detail);
	broken = true;
}

/*
 * An event that can be checked from itself: its argument repeats the name, as often as its duration
 * says.
 */
static void log_checked(struct tl_context *context, unsigned number)
{
	char name[16], value[512] = "", *at = value;
	struct tl_context_arg arg = {"again", value};
	struct tl_context_event event = {.name = name,
					 .type = 'X',
					 .level = TL_TRACE_RUNTIME,
					 .time = 1,
					 .duration = 1 + number % 40,
					 .nargs = 1,
					 .args = &arg};

	snprintf(name, sizeof(name), "%08x", number);
	for (uint64_t i = 0; i < event.duration; i++)
		at = stpcpy(at, name);
	tl_context_log_event(context, &event);
}

static int check_event(const struct tl_context_event *event, void *count)
{
	if (!strcmp(event->name, "request") || !strcmp(event->name, "part")) {
		if (!event->request)
			fail("an event without its request", 0);
		return 0;
	}
	size_t size = strlen(event->name);
	if (size != 8 || event->nargs != 1 || strcmp(event->args[0].key, "again") ||
	    strlen(event->args[0].value) != size * event->duration ||
	    strncmp(event->args[0].value, event->name, size))
		fail("a damaged event", (long)event->duration);
	++*(uint64_t *)count;
	return 0;
}

static void look(const struct seen *one)
{
	if (one->call.type != TL_RECORD_CALL)
		return;
	seen_calls++;
	if (!one->cause.request)
		return;
	seen_marked++;
	if (one->cause.request != (uint32_t)one->words[0])
		fail("a call in the wrong request", one->cause.request);
}

/* --- a second thread for each worker, that requests are handed to */

struct second {
	struct tl_context *context; /* NULL: no more */
	uint32_t request;
	sem_t given, done;
};

static void *help(void *with)
{
	struct second *second = with;

	for (;;) {
		sem_wait(&second->given);
		if (!second->context)
			return NULL;
		{
			TL_TRACE_REQUEST_SCOPE(second->context);
			TL_TRACE_SCOPE(second->context, TL_TRACE_RUNTIME, "part");
			toy_add((int)second->request, 1);
		}
		toy_add(0, 1);
		sem_post(&second->done);
	}
}

static void handle(struct second *second, uint32_t request)
{
	struct tl_context *context = tl_context_create(TL_TRACE_RUNTIME | TL_TRACE_REQUEST);

	if (!context) {
		fail("no context", 0);
		return;
	}
	tl_context_set_request(context, request);
	second->context = context;
	second->request = request;
	sem_post(&second->given);
	tl_context_enter(context);
	for (unsigned i = 0; i < request % 64; i++)
		log_checked(context, request + i);
	toy_add((int)request, 0);
	tl_context_name_thread(context, "worker");
	tl_context_leave(context);
	toy_add(0, 0);
	sem_wait(&second->done);
	/* Two slices, and what the other thread did. */
	if (tl_context_count(context) != request % 64 + 3)
		fail("events of a request are missing", (long)tl_context_count(context));
	if (tl_context_merge(merged, context) || tl_context_count(context))
		fail("a merge failed", 0);
	tl_context_destroy(context);
	logged += request % 64;
	calls += 4;
	marked += 2;
}

static void *work(void *number)
{
	struct second second = {.request = 0};
	uint32_t request = 1 + (uint32_t)(uintptr_t)number;
	pthread_t helper;

	sem_init(&second.given, 0, 0);
	sem_init(&second.done, 0, 0);
	pthread_create(&helper, NULL, help, &second);
	for (; !over; request += WORKERS) {
		handle(&second, request);
		if (shared_logged < LIMIT) {
			log_checked(shared, request);
			shared_logged++;
		}
	}
	second.context = NULL;
	sem_post(&second.given);
	pthread_join(helper, NULL);
	return NULL;
}

/* --- readers */

static void check_context(struct tl_context *context, uint64_t least)
{
	uint64_t count = 0;

	tl_context_each(context, check_event, &count);
	if (count < least)
		fail("events that were logged before are not there", (long)(least - count));
}

static void *read_along(void *unused)
{
	while (!over) {
		struct tl_context *copy = tl_context_create(TL_TRACE_NONE);
		check_context(shared, shared_logged > WORKERS ? shared_logged - WORKERS : 0);
		uint64_t least = tl_context_count(shared);
		if (tl_context_copy(copy, shared))
			fail("a copy failed", 0);
		check_context(copy, least);
		check_context(merged, 0);
		if (tl_context_dump(shared, "/dev/null", NULL))
			fail("a dump failed", 0);
		tl_context_destroy(copy);
	}
	return unused;
}

/* --- what a thread has logged it finds, wherever others are with theirs */

#define LOGGERS 4
#define ROUNDS	20000

static struct tl_context *small[ROUNDS];
static _Atomic unsigned met[ROUNDS];

struct own {
	char name[32];
	unsigned found;
};

static int is_own(const struct tl_context_event *event, void *user)
{
	struct own *own = user;

	own->found += !strcmp(event->name, own->name);
	return 0;
}

static void *log_and_find(void *number)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		atomic_fetch_add(&met[round], 1);
		for (unsigned i = 0; i < 2000 && met[round] < LOGGERS; i++)
			;
		for (unsigned i = 0; i < 6; i++) {
			struct own own = {.found = 0};
			snprintf(own.name, sizeof(own.name), "%lu.%u",
				 (unsigned long)(uintptr_t)number, i);
			tl_context_log(small[round], TL_TRACE_RUNTIME, 'I', own.name);
			tl_context_each(small[round], is_own, &own);
			if (own.found != 1)
				fail("a thread does not find what it has logged", (long)own.found);
		}
	}
	return NULL;
}

static void find_own(void)
{
	pthread_t loggers[LOGGERS];

	for (unsigned i = 0; i < ROUNDS; i++)
		small[i] = tl_context_create(TL_TRACE_STANDARD);
	for (uintptr_t i = 0; i < LOGGERS; i++)
		pthread_create(&loggers[i], NULL, log_and_find, (void *)i);
	for (unsigned i = 0; i < LOGGERS; i++)
		pthread_join(loggers[i], NULL);
	for (unsigned i = 0; i < ROUNDS; i++)
		tl_context_destroy(small[i]);
}

/* --- */

static void *take_calls(void *unused)
{
	for (; !over; usleep(1000))
		seen_each(false, look);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t workers[WORKERS], readers[2];

	if (argc != 2)
		return 2;
	find_own();
	tl_config.args = TL_ARGS_SCALARS;
	tl_recording_set(true);
	merged = tl_context_create(TL_TRACE_NONE);
	shared = tl_context_create(TL_TRACE_STANDARD);
	for (uintptr_t i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, work, (void *)i);
	pthread_create(&readers[0], NULL, read_along, NULL);
	pthread_create(&readers[1], NULL, take_calls, NULL);
	sleep((unsigned)atoi(argv[1]));
	over = true;
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	pthread_join(readers[0], NULL);
	pthread_join(readers[1], NULL);
	while (seen_each(true, look))
		continue;
	uint64_t in_merged = 0, in_shared = 0;
	tl_context_each(merged, check_event, &in_merged);
	tl_context_each(shared, check_event, &in_shared);
	printf("%lu events merged, %lu shared, %lu calls, %lu of them in requests\n",
	       (unsigned long)in_merged, (unsigned long)in_shared, (unsigned long)seen_calls,
	       (unsigned long)seen_marked);
	if (in_merged != logged || in_shared != shared_logged ||
	    tl_context_lost(merged) + tl_context_lost(shared))
		fail("events are missing", (long)(logged - in_merged));
	if (seen_calls != calls || seen_marked != marked || !marked)
		fail("calls are missing, or not marked", (long)(calls - seen_calls));
	tl_context_destroy(merged);
	tl_context_destroy(shared);
	return broken;
}

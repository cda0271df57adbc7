/* SPDX-License-Identifier: MIT */
/*
 * xpti_stress.c: threads that do everything at once with the XPTI dispatcher: register, notify,
 * unregister, look up, add metadata, delete, reset.
 *
 *	xpti_stress THREADS ROUNDS [forks]
 *
 * Each callback checks that it may be called: it has a thread that registers it, says so before,
 * and takes that back when unregister has returned. Others, on a stream of their own, belong to
 * nobody: they are registered, unregistered and notified by everybody, also by each other, and call
 * all that there is, even reset and the stream's end. With forks, children of the first thread do
 * the same in the midst of it.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracelayer/xpti.h"

enum { MOST = 64, TYPE = 10, WILD_TYPES = 4, WILD_DEPTH = 20 };

static uint8_t stream, wild_stream;
static int rounds;
static bool with_forks;
static _Atomic bool may_run[MOST];
static _Atomic int inside[MOST];
static _Atomic unsigned long calls, wild_calls, wrong, resets, children;

static void fail(const char *what)
{
	fprintf(stderr, "xpti_stress: %s\n", what);
	wrong++;
}

/* The event was found in this notification, so it and its metadata stay until the callback ends. */
static void look_at(const void *user_data)
{
	const xpti_event *event = xptiFindEvent(*(const uint64_t *)user_data);

	if (!event)
		return;
	const xpti_payload *payload = event->payload;
	if (!payload || strncmp(payload->name, "stress", 6) != 0)
		fail("an event's payload is another");
}

static void run(unsigned number, const void *user_data)
{
	inside[number]++;
	if (!may_run[number])
		fail("a callback began after it was unregistered");
	if (calls++ % 16 == 0)
		sched_yield();
	look_at(user_data);
	inside[number]--;
}

#define CALLBACK(n)                                                                                \
	static void callback_##n(uint16_t type, xpti_event *parent, xpti_event *object,            \
				 uint64_t instance, const void *user_data)                         \
	{                                                                                          \
		run(n, user_data);                                                                 \
	}
CALLBACK(0)
CALLBACK(1)
CALLBACK(2)
CALLBACK(3)
CALLBACK(4)
CALLBACK(5)
CALLBACK(6)
CALLBACK(7)

static const xpti_callback callbacks[] = {callback_0, callback_1, callback_2, callback_3,
					  callback_4, callback_5, callback_6, callback_7};

static void register_one(unsigned number)
{
	may_run[number] = true;
	xpti_result result = xptiRegisterCallback(stream, TYPE, callbacks[number]);
	if (result != XPTI_RESULT_SUCCESS && result != XPTI_RESULT_UNDELETE)
		fail("registering failed");
}

static void unregister_one(unsigned number)
{
	/*
	 * NOTFOUND: a reset was first, and may still be waiting for the callback, as this does
	 * then.
	 */
	xpti_result result = xptiUnregisterCallback(stream, TYPE, callbacks[number]);
	if (result != XPTI_RESULT_SUCCESS && result != XPTI_RESULT_NOTFOUND)
		fail("unregistering failed");
	may_run[number] = false;
	if (inside[number])
		fail("a callback runs though it was unregistered");
}

/* ---- callbacks that belong to nobody ---- */

static _Thread_local uint32_t seed;
static _Thread_local unsigned depth;

static uint32_t any(uint32_t count)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * count >> 32);
}

static void do_anything(void);

#define WILD(n)                                                                                    \
	static void wild_##n(uint16_t type, xpti_event *parent, xpti_event *object,                \
			     uint64_t instance, const void *user_data)                             \
	{                                                                                          \
		wild_calls++;                                                                      \
		depth++;                                                                           \
		do_anything();                                                                     \
		depth--;                                                                           \
	}
WILD(0)
WILD(1)
WILD(2)

static const xpti_callback wild[] = {wild_0, wild_1, wild_2};

static void do_anything(void)
{
	static _Thread_local xpti_event *own;
	uint16_t type = (uint16_t)(XPTI_TRACE_POINT_BEGIN(1) + any(WILD_TYPES));
	xpti_callback callback = wild[any(3)];
	xpti_payload payload = XPTI_PAYLOAD("stress wild", "stress.c", any(50), 0);
	uint64_t instance;
	char *text;

	switch (any(24)) {
	case 0 ... 3:
		xptiRegisterCallback(wild_stream, type, callback);
		break;
	case 4 ... 5:
		xptiUnregisterCallback(wild_stream, type, callback);
		break;
	case 6 ... 12:
		if (depth < WILD_DEPTH)
			xptiNotifySubscribers(wild_stream, type, NULL, (xpti_event *)1, 0, NULL);
		break;
	case 13:
		own = xptiMakeEvent("stress", &payload, 1, 1, &instance);
		break;
	case 14:
		xptiReleaseEvent(own);
		break;
	/* also to one that is gone, or another's */
	case 15:
		xptiAddMetadata(own, "stress", 1);
		break;
	case 16:
		xptiQueryMetadata(own);
		break;
	case 17:
		xptiRegisterString("stress wild", &text);
		break;
	case 18:
		xptiSetTracepointScopeData(
			xptiCreateTracepoint("stress wild", "stress.c", any(9), 0, NULL));
		break;
	case 19:
		xptiDeleteTracepoint((xpti_tracepoint_if *)xptiGetTracepointScopeData());
		break;
	case 20:
		xptiCheckTraceEnabled(wild_stream, any(2) ? type : 0);
		break;
	case 21:
		if (any(20) == 0)
			xptiFinalize("stress wild");
		break;
	case 22:
		if (any(200) == 0)
			xptiReset();
		break;
	case 23:
		xptiLookupObject((int32_t)any(10000));
		break;
	}
}

/*
 * A child of a process with other threads may only do what this library promises; and it must end.
 */
static void have_child(void)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		alarm(500);
		for (int i = 0; i < 200; i++)
			do_anything();
		_exit(0);
	}
	if (child > 0 && (waitpid(child, &status, 0) != child || status != 0))
		fail("a child has not ended well");
	children++;
}

static void make_and_notify(unsigned number, int round)
{
	char name[32];
	uint64_t instance;

	snprintf(name, sizeof(name), "stress %d", (int)number * 1000 + round % 500);
	xpti_payload payload = XPTI_PAYLOAD(name, "stress.c", round % 50, 0);
	xpti_event *event =
		xptiMakeEvent(name, &payload, xpti_event_graph, xpti_activity_active, &instance);
	if (!event) {
		fail("no event was made");
		return;
	}
	uint64_t uid = event->unique_id;
	xptiAddMetadata(event, name, (int)number);
	xptiAddMetadata(event, "stress", round);
	for (int i = 0; i < 4; i++)
		xptiNotifySubscribers(stream, TYPE, NULL, event, instance, &uid);
	if (round % 3)
		xptiReleaseEvent(event);
	if (round % 3 && xptiFindEvent(uid))
		fail("a released event was found");
}

static void strings_and_objects(unsigned number, int round)
{
	char name[32], *text;
	int value = round % 3000;

	snprintf(name, sizeof(name), "text %d", round % 3000);
	uint32_t id = xptiRegisterString(name, &text);
	if (id == XPTI_INVALID_STRING || strcmp(text, name) != 0)
		fail("a text is another");
	const char *found = xptiLookupString(id); /* a reset may have come in between */
	if (found && strlen(found) > 64)
		fail("a text is no text");
	int32_t object = xptiRegisterObject((char *)&value, sizeof(value), 0);
	xpti_object there = xptiLookupObject(object);
	if (there.size != sizeof(value) || memcmp(there.data, &value, sizeof(value)) != 0)
		fail("an object is another");
	xptiDeleteTracepoint(xptiCreateTracepoint(name, "stress.c", number, 0, NULL));
}

static void *work(void *number_)
{
	unsigned number = (unsigned)(uintptr_t)number_;

	seed = number;
	for (int round = 0; round < rounds; round++) {
		if (number < sizeof(callbacks) / sizeof(callbacks[0]) && round % 4 == 0)
			register_one(number);
		make_and_notify(number, round);
		strings_and_objects(number, round);
		if (number < sizeof(callbacks) / sizeof(callbacks[0]) && round % 4 == 2)
			unregister_one(number);
		xptiCheckTraceEnabled(stream, TYPE);
		for (int i = 0; i < 20; i++)
			do_anything();
		if (with_forks && number == 0 && round % 20 == 0)
			have_child();
		if (round % 100 == (int)number) {
			xptiReset();
			resets++;
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 8;
	pthread_t thread[MOST];

	rounds = argc > 2 ? atoi(argv[2]) : 10000;
	with_forks = argc > 3;
	stream = xptiRegisterStream("stress");
	wild_stream = xptiRegisterStream("stress wild");
	xptiForceSetTraceEnabled(true);
	for (int i = 0; i < threads && i < MOST; i++)
		pthread_create(&thread[i], NULL, work, (void *)(uintptr_t)i);
	for (int i = 0; i < threads && i < MOST; i++)
		pthread_join(thread[i], NULL);
	printf("%lu calls, %lu of nobody's, %lu resets, %lu children, %lu wrong\n", calls,
	       wild_calls, resets, children, wrong);
	return wrong || !calls || !wild_calls || !resets || with_forks != (children > 0);
}

/*
 * xpti_stress.c: threads that do everything at once with the XPTI dispatcher: register, notify, unregister, look up, add metadata, delete, reset.
 *
 *	xpti_stress THREADS ROUNDS
 *
 * Each callback checks that it may be called: it has a thread that registers it, says so before, and takes that back when unregister has returned.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelayer/xpti.h"

enum { MOST = 64, TYPE = 10 };

static uint8_t stream;
static int rounds;
static _Atomic bool may_run[MOST];
static _Atomic unsigned long calls, wrong, resets;

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
	calls++;
	if (!may_run[number])
		fail("a callback ran after it was unregistered");
	look_at(user_data);
}

#define CALLBACK(n) \
	static void callback_##n(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance, const void *user_data) \
	{ \
		run(n, user_data); \
	}
CALLBACK(0)
CALLBACK(1)
CALLBACK(2)
CALLBACK(3)
CALLBACK(4)
CALLBACK(5)
CALLBACK(6)
CALLBACK(7)

static const xpti_callback callbacks[] = { callback_0, callback_1, callback_2, callback_3, callback_4, callback_5, callback_6, callback_7 };

static void register_one(unsigned number)
{
	may_run[number] = true;
	xpti_result result = xptiRegisterCallback(stream, TYPE, callbacks[number]);
	if (result != XPTI_RESULT_SUCCESS && result != XPTI_RESULT_UNDELETE)
		fail("registering failed");
}

static void unregister_one(unsigned number)
{
	/* NOTFOUND: a reset was first, and may still be waiting for the callback. */
	if (xptiUnregisterCallback(stream, TYPE, callbacks[number]) == XPTI_RESULT_SUCCESS)
		may_run[number] = false;
}

static void make_and_notify(unsigned number, int round)
{
	char name[32];
	uint64_t instance;

	snprintf(name, sizeof(name), "stress %d", (int)number * 1000 + round % 500);
	xpti_payload payload = XPTI_PAYLOAD(name, "stress.c", round % 50, 0);
	xpti_event *event = xptiMakeEvent(name, &payload, xpti_event_graph, xpti_activity_active, &instance);
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
	const char *found = xptiLookupString(id);	/* a reset may have come in between */
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

	for (int round = 0; round < rounds; round++) {
		if (number < sizeof(callbacks) / sizeof(callbacks[0]) && round % 4 == 0)
			register_one(number);
		make_and_notify(number, round);
		strings_and_objects(number, round);
		if (number < sizeof(callbacks) / sizeof(callbacks[0]) && round % 4 == 2)
			unregister_one(number);
		xptiCheckTraceEnabled(stream, TYPE);
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
	stream = xptiRegisterStream("stress");
	xptiForceSetTraceEnabled(true);
	for (int i = 0; i < threads && i < MOST; i++)
		pthread_create(&thread[i], NULL, work, (void *)(uintptr_t)i);
	for (int i = 0; i < threads && i < MOST; i++)
		pthread_join(thread[i], NULL);
	printf("%lu calls, %lu resets, %lu wrong\n", calls, resets, wrong);
	return wrong || !calls || !resets;
}

/* SPDX-License-Identifier: MIT */
/*
 * xpti_corners_test.c: the XPTI dispatcher where it is not used as it is meant to be: forks of
 * forks, waiting while others go on, memory that is not events, memory that is short.
 * tests/xpti/dispatcher/corners.sh has the subscribers of this kind. Every test is a process of its own.
 */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/xpti/dispatcher/xpti_slow.h"
#include "tracelayer/xpti.h"

static uint8_t stream;

static void start(void)
{
	stream = xptiRegisterStream("test");
	xptiForceSetTraceEnabled(true);
}

static void notify(uint16_t type)
{
	xptiNotifySubscribers(stream, type, NULL, (xpti_event *)1, 0, NULL);
}

/* ---- fork ---- */

/* A child that does this ends with 7, as a child must that hasn't crashed or hung. */
static int status_of_child(int (*act)(void))
{
	int status;
	pid_t child = fork();

	if (!child) {
		alarm(20);
		_exit(act());
	}
	ck_assert_int_gt(child, 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int register_something(void)
{
	char *text;

	return xptiRegisterString("of a child", &text) != XPTI_INVALID_STRING &&
			       xptiRegisterStream("of a child") == stream + 1
		       ? 7
		       : 1;
}

static int fork_again(void)
{
	return status_of_child(register_something);
}

static int end_and_begin(void)
{
	xptiFrameworkInitialize();
	xptiFrameworkFinalize();
	return register_something();
}

START_TEST(a_childs_child_goes_on)
{
	start();
	ck_assert_int_eq(status_of_child(fork_again), 7);
}
END_TEST

START_TEST(a_child_ends_the_framework_and_begins_anew)
{
	start();
	ck_assert_int_eq(status_of_child(end_and_begin), 7);
}
END_TEST

static int status_in_callback;

static void forks(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
		  const void *user_data)
{
	status_in_callback = status_of_child(fork_again);
}

START_TEST(a_callback_forks)
{
	start();
	xptiRegisterCallback(stream, 10, forks);
	notify(10);
	ck_assert_int_eq(status_in_callback, 7);
}
END_TEST

/* ---- waiting ---- */

static void *notifies(void *unused)
{
	notify(10);
	return NULL;
}

static void *unregisters(void *unused)
{
	xptiUnregisterCallback(stream, 10, slow);
	return NULL;
}

START_TEST(who_unregisters_after_another_waits_as_well)
{
	pthread_t threads[3];

	start();
	xptiRegisterCallback(stream, 10, slow);
	pthread_create(&threads[0], NULL, notifies, NULL);
	while (!inside)
		usleep(1000);
	pthread_create(&threads[1], NULL, unregisters, NULL);
	while (xptiCheckTraceEnabled(stream, 10))
		usleep(1000);
	pthread_create(&threads[2], NULL, leaver, NULL);
	ck_assert_int_eq(xptiUnregisterCallback(stream, 10, slow), XPTI_RESULT_DUPLICATE);
	ck_assert_int_eq(inside, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}
END_TEST

/*
 * Two threads, of which one at least is in the callback at any time: each leaves it when the other
 * has entered.
 */
static _Atomic unsigned entered[2];
static _Atomic bool over;
static _Thread_local unsigned self;

static void relay(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
		  const void *user_data)
{
	unsigned seen = entered[!self];

	entered[self]++;
	while (entered[!self] == seen && !over)
		usleep(100);
}

static void *relays(void *number)
{
	self = (unsigned)(uintptr_t)number;
	while (!over) {
		xptiRegisterCallback(stream, 10, relay);
		notify(10);
	}
	return NULL;
}

START_TEST(nobody_waits_for_those_who_come_later)
{
	pthread_t threads[2];

	start();
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, relays, (void *)i);
	for (int round = 0; round < 20; round++) {
		unsigned now = entered[0] + entered[1];
		while (entered[0] + entered[1] < now + 4)
			usleep(100);
		if (_i == 0)
			xptiReset();
		else if (_i == 1)
			xptiUnregisterCallback(stream, 10, relay);
		else
			xptiFinalize("test");
	}
	over = true;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}
END_TEST

/* ---- what is no event ---- */

START_TEST(an_event_that_is_zero_but_for_its_payload_gets_metadata)
{
	xpti_payload payload = XPTI_PAYLOAD("f", "f.c", 1, 1);
	xpti_event own = {.payload = &payload};

	start();
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(xptiAddMetadata(&own, (char[]){(char)('0' + i), '\0'}, i),
				 XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(xptiAddMetadata(&own, "0", 7), XPTI_RESULT_DUPLICATE);
	ck_assert_uint_eq(xptiQueryMetadata(&own)->count, 100);
	/* What it took is the program's, by operator delete where there is one; here it stays. */
}
END_TEST

START_TEST(readable_memory_is_not_therefore_an_event)
{
	_Alignas(16) static char text[4 * sizeof(xpti_event)];
	static const int fillings[] = {0, 1, 'x', 0x7f, 0x80, 0xff};

	start();
	for (size_t i = 0; i < sizeof(fillings) / sizeof(fillings[0]); i++) {
		memset(text, fillings[i], sizeof(text));
		for (size_t at = 0; at < 64; at += 8) {
			ck_assert_ptr_null(xptiQueryMetadata((xpti_event *)(text + at)));
			ck_assert_ptr_null(xptiQueryPayload((xpti_event *)(text + at)));
			ck_assert_int_eq(xptiAddMetadata((xpti_event *)(text + at), "k", 1),
					 XPTI_RESULT_INVALIDARG);
			xptiReleaseEvent((xpti_event *)(text + at));
		}
	}
}
END_TEST

/* Every address in and around a trace point but those that are handed out. */
START_TEST(addresses_beside_a_trace_point_are_not_one)
{
	start();
	xpti_tracepoint_if *point = xptiCreateTracepoint("f", "f.c", 1, 1, NULL);
	xpti_event *event = point->vtbl->event_ref(point);
	for (intptr_t off = -600; off <= 600; off++) {
		/* Another page may be anything, also zero, which is an event. */
		if (((uintptr_t)event + (uintptr_t)off) / 4096 != (uintptr_t)event / 4096)
			continue;
		if (off)
			ck_assert_int_eq(
				xptiAddMetadata((xpti_event *)((char *)event + off), "k", 1),
				XPTI_RESULT_INVALIDARG);
		if (off)
			ck_assert_int_eq(
				xptiDeleteTracepoint((xpti_tracepoint_if *)((char *)point + off)),
				XPTI_RESULT_NOTFOUND);
		if (off)
			xptiReleaseEvent((xpti_event *)((char *)event + off));
	}
	ck_assert_ptr_eq(xptiFindEvent(event->unique_id), event);
	for (uint64_t uid = event->unique_id - 5000; uid < event->unique_id + 5000; uid++)
		ck_assert_int_eq(xptiFindEvent(uid) != NULL, uid == event->unique_id);
	ck_assert_int_eq(xptiDeleteTracepoint(point), XPTI_RESULT_SUCCESS);
}
END_TEST

START_TEST(metadata_that_is_gone_is_not_gone_through)
{
	char *key;
	int value;

	start();
	xpti_tracepoint_if *point = xptiCreateTracepoint("f", "f.c", 1, 1, NULL);
	xpti_metadata_if *metadata = point->vtbl->metadata(point);
	xptiAddMetadata(point->vtbl->event_ref(point), "a", 1);
	xptiAddMetadata(point->vtbl->event_ref(point), "b", 2);
	ck_assert_int_eq(metadata->vtbl->first_item(metadata, &key, &value), XPTI_RESULT_SUCCESS);
	xptiReset();
	ck_assert_int_eq(metadata->vtbl->next_item(metadata, &key, &value), XPTI_RESULT_FALSE);
	ck_assert_uint_eq(metadata->vtbl->count(metadata), 0);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__ /* its allocators can't be replaced */
/* ---- memory is short: this program's allocators are the ones that the dispatcher uses ---- */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local long left = -1; /* allocations that succeed; -1: all */

static bool runs_out(void)
{
	if (left < 0)
		return false;
	if (left == 0)
		return true;
	left--;
	return false;
}

void *malloc(size_t size)
{
	return runs_out() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return runs_out() ? NULL : __libc_calloc(count, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return runs_out() ? NULL : __libc_memalign(alignment, size);
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (runs_out()) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}

static int calls;

static void counts(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
		   const void *user_data)
{
	calls++;
}

static bool wrong;

/*
 * Everything once; texts and places that are new in each round, many enough that tables grow. True:
 * all worked. (Check's own assertions allocate.)
 */
static bool do_everything(int round)
{
	char name[32], *text;
	uint64_t instance;
	bool good = true;

	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "%d.%d", round, i);
		xpti_string_id id = xptiRegisterString(name, &text);
		good &= id != XPTI_INVALID_STRING;
		wrong |= !(id == XPTI_INVALID_STRING ? !text
						     : strcmp(xptiLookupString(id), name) == 0);
		xpti_object_id object = xptiRegisterObject(name, sizeof(name), 0);
		good &= object != XPTI_INVALID_OBJECT;
		wrong |= !(object == XPTI_INVALID_OBJECT ||
			   memcmp(xptiLookupObject(object).data, name, sizeof(name)) == 0);
		xpti_payload payload = XPTI_PAYLOAD(name, "f.c", i, 1);
		xpti_event *event = xptiMakeEvent(name, &payload, 1, 1, &instance);
		good &= event != NULL;
		wrong |= !(!event || xptiFindEvent(event->unique_id) == event);
		good &= !event || xptiAddMetadata(event, name, i) == XPTI_RESULT_SUCCESS;
		good &= xptiRegisterPayload(&payload) != XPTI_INVALID_UID;
		if (i % 2)
			xptiReleaseEvent(event);
	}
	uint8_t number = xptiRegisterStream(round % 2 ? name : "test");
	good &= number != XPTI_INVALID_STREAM;
	xpti_result registered =
		number == XPTI_INVALID_STREAM
			? XPTI_RESULT_FAIL
			: xptiRegisterCallback(number, (uint16_t)(round * 256 + 10), counts);
	calls = 0;
	xptiNotifySubscribers(number, (uint16_t)(round * 256 + 10), NULL, (xpti_event *)1, 0, NULL);
	wrong |= !(registered != XPTI_RESULT_FAIL || !calls);
	good &= calls == 1;
	xptiUnregisterCallback(number, (uint16_t)(round * 256 + 10), counts);
	wrong |= xptiCheckTraceEnabled(number, (uint16_t)(round * 256 + 10));
	return good;
}

START_TEST(without_memory_functions_fail_and_nothing_else)
{
	int failures = 0;

	start();
	for (int round = 0; round < 100; round++) {
		left = round;
		failures += !do_everything(round);
		left = -1;
		ck_assert(!wrong);
		/* and with memory they work again */
		ck_assert(do_everything(round + 100));
	}
	ck_assert(!wrong);
	ck_assert_int_gt(failures, 20);
	xptiReset();
}
END_TEST
#endif

static Suite *suite(void)
{
	Suite *all = suite_create("xpti corners");
	TCase *tests = tcase_create("all");

	suite_add_tcase(all, tests);
	tcase_set_timeout(tests, 60);
#define ADD(name) tcase_add_test(tests, name)
	ADD(a_childs_child_goes_on);
	ADD(a_child_ends_the_framework_and_begins_anew);
	ADD(a_callback_forks);
	ADD(who_unregisters_after_another_waits_as_well);
	tcase_add_loop_test(tests, nobody_waits_for_those_who_come_later, 0, 3);
	ADD(an_event_that_is_zero_but_for_its_payload_gets_metadata);
	ADD(readable_memory_is_not_therefore_an_event);
	ADD(addresses_beside_a_trace_point_are_not_one);
	ADD(metadata_that_is_gone_is_not_gone_through);
#ifndef __SANITIZE_ADDRESS__
	ADD(without_memory_functions_fail_and_nothing_else);
#endif
	return all;
}

int main(void)
{
	unsetenv("XPTI_SUBSCRIBERS");
	unsetenv("XPTI_TRACE_ENABLE");
	SRunner *runner = srunner_create(suite());
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * device_test.c: when device lanes begin and end (layer/device/device.h), with a part for the toy
 * API (core_doubles.h).
 */
#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "layer/buffers/clock.h"
#include "layer/base/environment.h"
#include "layer/device/device.h"
#include "layer/buffers/process_state.h"
#include "layer/resolve/recording.h"
#include "layer/calls/thread.h"
#include "tests/lib/core_doubles.h"
#include "tracelayer/tracer.h"

/* --- the toy's part */

static _Atomic unsigned befores, afters;
static unsigned ends, forks;
static bool had_ended;
static uint64_t end_deadline;
static void (*in_before)(void);

/* Of a child. */
static struct shared {
	unsigned ends, finishes; /* of the trace, before that of the lanes */
} * shared;

static void before(struct tl_call *call, void *state)
{
	befores++;
	if (in_before)
		in_before();
}

static void after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	afters++;
}

static const struct tl_hook hooks[] = {{"toy_name", before, after, TL_HOOK_PLAIN},
				       {"toy_run", before, after, TL_HOOK_PLAIN},
				       {NULL}};

static void end(uint64_t deadline)
{
	ends++;
	if (shared) {
		shared->ends++;
		shared->finishes = writer_finishes;
	}
	end_deadline = deadline;
	had_ended = tl_device_has_ended();
	/* Passes: it is ours. */
	toy_run(NULL, NULL);
}

static void after_fork(void)
{
	forks++;
}

static const struct tl_hook *const lists[] = {hooks, NULL};
static unsigned given_up;

static void give_up(uint64_t deadline)
{
	given_up++;
}

static const struct tl_device_api toy = {
	.prefix = "toy", .hooks = lists, .end = end, .give_up = give_up, .after_fork = after_fork};
const struct tl_device_api *const tl_device_apis[] = {&toy, NULL};

static void call(void)
{
	char copy[8];

	ck_assert_int_eq(toy_name("a", copy, sizeof(copy)), 0);
}

/* As the settings of a preloaded library would be. */
static void want(bool device, enum tl_level level)
{
	tl_config.device = device;
	tl_config.level = level;
	tl_config.output_set = true;
	tl_device_look();
}

/* --- the beginning */

START_TEST(lanes_begin_at_the_first_call_also_while_recording_is_paused)
{
	want(true, TL_LEVEL_ALL);
	ck_assert(tl_device_waits());
	ck_assert(!tl_process_is_recording());
	call();
	ck_assert(!tl_device_waits());
	ck_assert_uint_eq(befores, 1);
	ck_assert_uint_eq(afters, 1);
	seen_collect(true);
	ck_assert_uint_eq(nseen, 0);
	tl_recording_set(true);
	call();
	ck_assert_uint_eq(befores, 2);
	seen_collect(true);
	ck_assert_uint_eq(nseen, 1);
}
END_TEST

static const struct {
	bool device;
	enum tl_level level;
} unwanted[] = {
	{false, TL_LEVEL_ALL}, {true, TL_LEVEL_NONE}, {true, TL_LEVEL_ALL & ~TL_LEVEL_OPERATOR}};

START_TEST(lanes_that_are_not_wanted_do_not_begin)
{
	want(unwanted[_i].device, unwanted[_i].level);
	tl_recording_set(true);
	call();
	call();
	ck_assert_uint_eq(befores, 0);
	tl_device_end();
	ck_assert_uint_eq(ends, 0);
	ck_assert(!tl_device_awaits_end());
	/* Nobody watches: the calls go straight on. */
	tl_recording_set(false);
	ck_assert_ptr_nonnull(toy_shims[TOY_NAME].direct);
}
END_TEST

START_TEST(a_process_that_nobody_asked_to_record_has_none)
{
	call();
	ck_assert(!tl_device_waits());
	ck_assert_uint_eq(befores, 0);
	ck_assert_ptr_nonnull(toy_shims[TOY_NAME].direct);
	ck_assert_ptr_null(tl_self);
}
END_TEST

static enum tl_verdict prologue(const struct tl_view *view, void *user_data, void **instance_data)
{
	return TL_GO_ON;
}

/* The thread is known from then on. */
static void call_traced(void)
{
	const struct tl_tracer_desc desc = {.size = sizeof(desc)};
	struct tl_tracer *tracer;

	ck_assert_int_eq(tl_tracer_create(&desc, &tracer), 0);
	ck_assert_int_eq(tl_tracer_register_glob(tracer, NULL, "toy_name", prologue, NULL), 0);
	ck_assert_int_eq(tl_tracer_enable(tracer), 0);
	call();
	ck_assert_int_eq(tl_tracer_disable(tracer), 0);
	call();
	ck_assert_ptr_nonnull(tl_self);
	ck_assert_uint_eq(befores, 0);
}

START_TEST(recording_that_is_asked_for_later_has_lanes_of_threads_that_are_known_already)
{
	call_traced();
	tl_recording_set(true);
	call();
	call();
	ck_assert_uint_eq(befores, 2);
	/* Pausing and going on changes nothing. */
	tl_recording_set(false);
	tl_recording_set(true);
	call();
	ck_assert_uint_eq(befores, 3);
}
END_TEST

static void *calls(void *barrier)
{
	pthread_barrier_wait(barrier);
	call();
	return NULL;
}

START_TEST(many_first_calls_at_once_all_have_their_hooks)
{
	pthread_t threads[16];
	pthread_barrier_t barrier;

	want(true, TL_LEVEL_ALL);
	pthread_barrier_init(&barrier, NULL, 16);
	for (int i = 0; i < 16; i++)
		pthread_create(&threads[i], NULL, calls, &barrier);
	for (int i = 0; i < 16; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(befores, 16);
	ck_assert_uint_eq(afters, 16);
}
END_TEST

/* Hooks need memory of their own. The stack must not need more. */
START_TEST(lanes_that_get_no_memory_are_said_to_be_missing)
{
	struct rlimit limit = {1, RLIM_INFINITY};
	char stack[64 * 1024], line[400] = "";
	int said[2], stderr_kept = dup(2);

	memset(stack, 0, sizeof(stack));
	__asm__ volatile("" : : "r"(stack) : "memory");
	call_traced();
	ck_assert_int_eq(pipe2(said, O_NONBLOCK), 0);
	ck_assert_int_eq(dup2(said[1], 2), 2);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
	tl_recording_set(true);
	call();
	call();
	limit.rlim_cur = RLIM_INFINITY;
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
	ck_assert_int_eq(dup2(stderr_kept, 2), 2);
	ck_assert_int_gt(read(said[0], line, sizeof(line) - 1), 0);
	ck_assert_uint_eq(befores, 0);
	ck_assert(!tl_device_waits());
	ck_assert(!strncmp(line, "tracelayer: no memory for hooks ", 32));
	ck_assert_ptr_eq(strchr(line, '\n'), line + strlen(line) - 1);
}
END_TEST

/* --- the end */

START_TEST(lanes_end_once_within_their_time)
{
	want(true, TL_LEVEL_ALL);
	call();
	ck_assert(tl_device_awaits_end());
	ck_assert(!tl_device_has_ended());
	uint64_t now = tl_clock_gettime_ticks();
	tl_device_end();
	ck_assert_uint_eq(ends, 1);
	ck_assert_uint_eq(given_up, 0);
	ck_assert(had_ended);
	ck_assert_uint_ge(end_deadline, now);
	ck_assert_uint_le(end_deadline, tl_clock_gettime_ticks() + 200000000);
	ck_assert(!tl_device_awaits_end());
	tl_device_end();
	ck_assert_uint_eq(ends, 1);
	/* Its own call had no hook. The program's still have theirs. */
	ck_assert_uint_eq(befores, 1);
	call();
	ck_assert_uint_eq(befores, 2);
	ck_assert_uint_eq(afters, 2);
}
END_TEST

static void end_inside(void *unused)
{
	tl_device_end();
}

START_TEST(a_driver_that_the_thread_is_inside_of_is_asked_nothing)
{
	want(true, TL_LEVEL_ALL);
	toy_run(end_inside, NULL);
	ck_assert_uint_eq(ends, 0);
	ck_assert_uint_eq(given_up, 1);
	ck_assert(tl_device_has_ended());
}
END_TEST

static _Atomic bool inside, seen_ended;

static void linger(void)
{
	inside = true;
	while (!tl_device_has_ended())
		usleep(100);
	usleep(5000);
	seen_ended = true;
	inside = false;
}

static void hang(void)
{
	inside = true;
	pause();
}

static void *calls_name(void *unused)
{
	call();
	return NULL;
}

START_TEST(the_end_waits_for_hooks_of_other_threads)
{
	pthread_t thread;

	want(true, TL_LEVEL_ALL);
	call();
	in_before = linger;
	pthread_create(&thread, NULL, calls_name, NULL);
	while (!inside)
		usleep(100);
	in_before = NULL;
	tl_device_end();
	ck_assert(!inside);
	ck_assert(seen_ended);
	ck_assert_uint_eq(ends, 1);
	pthread_join(thread, NULL);
}
END_TEST

START_TEST(the_end_waits_no_longer_than_its_time)
{
	pthread_t thread;

	want(true, TL_LEVEL_ALL);
	call();
	in_before = hang;
	pthread_create(&thread, NULL, calls_name, NULL);
	while (!inside)
		usleep(100);
	uint64_t now = tl_clock_gettime_ticks();
	tl_device_end();
	ck_assert_uint_eq(ends, 1);
	ck_assert_uint_ge(tl_clock_gettime_ticks(), now + 190000000);
	/* It would wait for ever. What it takes longer than 200 ms is the machine's. */
	ck_assert_uint_le(tl_clock_gettime_ticks(), now + 20000000000);
}
END_TEST

START_TEST(exit_ends_them_before_the_trace)
{
	int status;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	pid_t child = fork();
	if (!child) {
		want(true, TL_LEVEL_ALL);
		tl_recording_set(true);
		call();
		exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(shared->ends, 1);
	ck_assert_uint_eq(shared->finishes, 0);
}
END_TEST

START_TEST(a_forked_child_forgets_and_goes_on)
{
	int status;

	want(true, TL_LEVEL_ALL);
	call();
	pid_t child = fork();
	if (!child) {
		bool right = forks == 1 && !tl_device_has_ended();
		call();
		right &= befores == 2;
		tl_device_end();
		_exit(right && ends == 1 ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(forks, 0);
}
END_TEST

START_TEST(a_child_that_is_not_followed_asks_its_driver_nothing)
{
	int status;

	want(true, TL_LEVEL_ALL);
	tl_config.follow = false;
	call();
	pid_t child = fork();
	if (!child) {
		call();
		tl_device_end();
		_exit(tl_device_has_ended() && !ends ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("device");
	TCase *tcase = tcase_create("device");
	SRunner *runner = srunner_create(suite);

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, lanes_begin_at_the_first_call_also_while_recording_is_paused);
	tcase_add_loop_test(tcase, lanes_that_are_not_wanted_do_not_begin, 0,
			    sizeof(unwanted) / sizeof(*unwanted));
	tcase_add_test(tcase, a_process_that_nobody_asked_to_record_has_none);
	tcase_add_test(
		tcase,
		recording_that_is_asked_for_later_has_lanes_of_threads_that_are_known_already);
	tcase_add_test(tcase, many_first_calls_at_once_all_have_their_hooks);
	tcase_add_test(tcase, lanes_that_get_no_memory_are_said_to_be_missing);
	tcase_add_test(tcase, lanes_end_once_within_their_time);
	tcase_add_test(tcase, a_driver_that_the_thread_is_inside_of_is_asked_nothing);
	tcase_add_test(tcase, the_end_waits_for_hooks_of_other_threads);
	tcase_add_test(tcase, the_end_waits_no_longer_than_its_time);
	tcase_add_test(tcase, exit_ends_them_before_the_trace);
	tcase_add_test(tcase, a_forked_child_forgets_and_goes_on);
	tcase_add_test(tcase, a_child_that_is_not_followed_asks_its_driver_nothing);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

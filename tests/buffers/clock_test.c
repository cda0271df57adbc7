/* SPDX-License-Identifier: MIT */
/*
 * clock_test.c: ticks to nanoseconds, against CLOCK_MONOTONIC itself.
 */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "layer/buffers/clock.h"
#include "tests/lib/assert_often.h"
#include "tracelayer/shim.h"

#define SAMPLES 400

struct sample {
	uint64_t before, ns, after;
};

/* What the true clock said between two readings of the counter. */
static struct sample sample(void)
{
	struct sample best = {0, 0, UINT64_MAX};

	for (int i = 0; i < 8; i++) {
		uint64_t before = tl_counter(), ns = tl_clock_gettime_ticks(), after = tl_counter();
		if (after - before < best.after - best.before)
			best = (struct sample){before, ns, after};
	}
	return best;
}

static uint64_t error_of(const struct sample *sample)
{
	uint64_t low = tl_clock_ns(sample->before), high = tl_clock_ns(sample->after);

	if (sample->ns < low)
		return low - sample->ns;
	return sample->ns > high ? sample->ns - high : 0;
}

static void pause_ms(int ms)
{
	struct timespec time = {ms / 1000, ms % 1000 * 1000000L};

	nanosleep(&time, NULL);
}

START_TEST(two_seconds_are_right_within_a_microsecond)
{
	static struct sample samples[SAMPLES];

	tl_clock_start_with(true);
	for (int i = 0; i < SAMPLES; i++) {
		samples[i] = sample();
		pause_ms(5);
		if (i % 40 == 39)
			tl_clock_pair();
	}
	tl_clock_pair();
	for (int i = 0; i < SAMPLES; i++)
		ck_assert_uint_lt(error_of(&samples[i]), 1000);
}
END_TEST

START_TEST(a_short_run_needs_the_last_pair_only)
{
	struct sample one;

	tl_clock_start_with(true);
	one = sample();
	pause_ms(20);
	struct sample two = sample();
	ck_assert_uint_lt(error_of(&one), 1000);
	ck_assert_uint_lt(error_of(&two), 1000);
}
END_TEST

START_TEST(ticks_before_the_start_are_converted_too)
{
	struct sample before = sample();

	pause_ms(10);
	tl_clock_start_with(true);
	pause_ms(100);
	tl_clock_pair();
	ck_assert_uint_lt(error_of(&before), 1000);
}
END_TEST

static _Atomic bool pairing;

static void *pair_on(void *unused)
{
	while (pairing) {
		tl_clock_pair();
		pause_ms(1);
	}
	return NULL;
}

START_TEST(time_never_goes_back_whatever_pairs_are_taken)
{
	uint64_t last_ticks = 0, last = 0;
	pthread_t thread;

	tl_clock_start_with(true);
	pairing = true;
	pthread_create(&thread, NULL, pair_on, NULL);
	for (int i = 0; i < 1000000; i++) {
		uint64_t ticks = tl_counter();
		/* Also a little into the future, as a record that is newer than the last pair. */
		if (i % 3 == 0)
			ticks += (uint64_t)(rand() % 1000);
		if (ticks < last_ticks)
			continue;
		uint64_t ns = tl_clock_ns(ticks);
		assert_often(ns >= last);
		last_ticks = ticks;
		last = ns;
	}
	pairing = false;
	pthread_join(thread, NULL);
}
END_TEST

START_TEST(thousands_of_pairs_keep_old_times_right)
{
	struct sample first, middle;

	tl_clock_start_with(true);
	pause_ms(1);
	first = sample();
	for (int i = 0; i < 20000; i++) {
		tl_clock_pair();
		if (i == 10000)
			middle = sample();
	}
	ck_assert_uint_lt(error_of(&first), 1000);
	ck_assert_uint_lt(error_of(&middle), 1000);
}
END_TEST

START_TEST(without_a_counter_ticks_are_nanoseconds)
{
	tl_clock_start_with(false);
	uint64_t now = tl_clock_gettime_ticks();
	tl_clock_pair();
	ck_assert_uint_eq(tl_clock_ns(now), now);
	ck_assert(!tl_clock_is_counter());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("clock");
	TCase *tcase = tcase_create("clock");
	SRunner *runner = srunner_create(suite);

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, two_seconds_are_right_within_a_microsecond);
	tcase_add_test(tcase, a_short_run_needs_the_last_pair_only);
	tcase_add_test(tcase, ticks_before_the_start_are_converted_too);
	tcase_add_test(tcase, time_never_goes_back_whatever_pairs_are_taken);
	tcase_add_test(tcase, thousands_of_pairs_keep_old_times_right);
	tcase_add_test(tcase, without_a_counter_ticks_are_nanoseconds);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

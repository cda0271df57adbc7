/* SPDX-License-Identifier: MIT */
/*
 * align_test.c: unit tests of cli/export/align_fit.c: bounds that made-up clocks give. The truth is
 * known, so the errors that the fit claims can be checked at any time.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/align_fit.h"
#include "tables/needed_memory.h"
#include "tests/lib/assert_often.h"
#include "tests/lib/random.h"

#define CALLS	2000 /* at most */
#define CHANGES 16   /* of the rate */
#define ROUNDS	500

void *need(void *allocated)
{
	ck_assert_ptr_nonnull(allocated);
	return allocated;
}

static double random_unit(void)
{
	return (double)(next_random() >> 11) / 9007199254740992.0;
}

static double random_between(double from, double to)
{
	return from + (to - from) * random_unit();
}

/* As many small numbers as large ones. */
static double random_log(double from, double to)
{
	return from * pow(to / from, random_unit());
}

/* A clock, by the true time in nanoseconds: it is ahead, and its rate changes now and then. */
struct clock {
	double ahead;
	size_t count;
	double from[CHANGES], rate[CHANGES], gained[CHANGES];
};

static void clock_set_rate(struct clock *clock, double from, double rate)
{
	size_t i = clock->count++;

	clock->from[i] = from;
	clock->rate[i] = rate;
	clock->gained[i] =
		i ? clock->gained[i - 1] + clock->rate[i - 1] * (from - clock->from[i - 1]) : 0;
}

/* How much it is ahead then. */
static double clock_gained(const struct clock *clock, double now)
{
	size_t i = clock->count - 1;

	while (i > 0 && clock->from[i] > now)
		i--;
	return clock->gained[i] + clock->rate[i] * (now - clock->from[i]);
}

static double clock_reads(const struct clock *clock, double now)
{
	return now + clock->ahead + clock_gained(clock, now);
}

/* What a job of two machines does. */
struct job {
	int calls;
	double apart;	/* from call to call: at most so many nanoseconds */
	double late;	/* one comes so much later than the other */
	double leaving; /* after the last has entered, the others may take so long */
	double idle;	/* a pause in the middle */
	uint64_t seed;
};

static double times[CALLS]; /* of calls, by the true time */

/* The second machine's clock is that one; the first one's is the true time. */
static void make_bounds(struct align_bound *bounds, const struct clock *clock,
			const struct job *job)
{
	double now = 0;

	random_state = job->seed;
	for (int k = 0; k < job->calls; k++) {
		double a = now + random_unit() * job->late, b = now + random_unit() * job->late;
		double last = a > b ? a : b;
		double a_exit = last + 100 + random_unit() * job->leaving;
		double b_exit = last + 100 + random_unit() * job->leaving;

		times[k] = last;
		bounds[k] = (struct align_bound){
			.at_most = (int64_t)clock_reads(clock, b),
			.most = (int64_t)a_exit - (int64_t)clock_reads(clock, b),
			.at_least = (int64_t)clock_reads(clock, b_exit),
			.least = (int64_t)a - (int64_t)clock_reads(clock, b_exit)};
		now = (a_exit > b_exit ? a_exit : b_exit) + random_unit() * job->apart +
		      (k == job->calls / 2 ? job->idle : 0);
	}
}

/* How far the fit is off, at most, at random times between two. */
static double worst_between(const struct align_fit *fit, const struct clock *clock, double from,
			    double to)
{
	double worst = 0;

	for (int i = 0; i < 400; i++) {
		double now = random_between(from, to);
		int64_t reads = (int64_t)clock_reads(clock, now);
		double off = (double)(reads + align_add(fit->points, fit->count, reads)) - now;

		worst = fabs(off) > worst ? fabs(off) : worst;
	}
	return worst;
}

static struct job job_random(void)
{
	return (struct job){.calls = 2 + (int)(random_unit() * random_unit() * (CALLS - 2)),
			    .apart = random_log(1e4, 3e9),
			    .late = random_log(1e2, 1e7),
			    .leaving = random_log(1e2, 1e5),
			    .idle = next_random() % 4 ? 0 : random_log(1e6, 6e10),
			    .seed = next_random()};
}

/* When the job's calls will be: the clock has no part in that. */
static void foresee_times(const struct job *job)
{
	static struct align_bound bounds[CALLS];
	struct clock clock = {.ahead = 0};

	clock_set_rate(&clock, 0, 0);
	make_bounds(bounds, &clock, job);
}

static void check_errors(const struct clock *clock, const struct job *job)
{
	static struct align_bound bounds[CALLS];

	make_bounds(bounds, clock, job);
	double beyond = random_log(1e3, 1e10), from = times[0] - beyond,
	       to = times[job->calls - 1] + beyond;
	struct align_fit fit =
		align_fit(bounds, (size_t)job->calls, (int64_t)clock_reads(clock, from),
			  (int64_t)clock_reads(clock, to));

	assert_often(fit.found);
	assert_often(fit.error <= fit.error_beyond);
	double inside = worst_between(&fit, clock, times[0], times[job->calls - 1]),
	       outside = worst_between(&fit, clock, from, to);
	assert_often_msg(inside <= (double)fit.error + 2 && outside <= (double)fit.error_beyond + 2,
			 "off by %.0f and %.0f ns, said to be %lld and %lld; %d calls, %.0f apart, "
			 "%.0f late, %.0f leaving, %.0f idle; %zu rates, %zu pieces",
			 inside, outside, (long long)fit.error, (long long)fit.error_beyond,
			 job->calls, job->apart, job->late, job->leaving, job->idle, clock->count,
			 fit.pieces);
	align_fit_free(&fit);
}

static double drift_random(void)
{
	double drift = random_between(20e-6, 200e-6);

	return next_random() % 2 ? drift : -drift;
}

START_TEST(the_error_holds_with_a_steady_drift)
{
	random_state += (uint64_t)_i;
	for (int round = 0; round < ROUNDS; round++) {
		struct clock clock = {.ahead = random_between(-1e12, 1e12)};
		struct job job = job_random();

		clock_set_rate(&clock, 0, next_random() % 8 ? drift_random() : 0);
		check_errors(&clock, &job);
	}
}
END_TEST

/* Each rate lasts for at least a twelfth of the calls, and for more than four seconds. */
START_TEST(the_error_holds_when_the_drift_changes)
{
	random_state += (uint64_t)_i;
	for (int round = 0; round < ROUNDS; round++) {
		struct clock clock = {.ahead = random_between(-1e12, 1e12)};
		struct job job = job_random();
		int changes = 1 + (int)(next_random() % 5);

		job.calls = job.calls < 60 ? 60 : job.calls;
		job.apart = random_log(10 * 6 * 4e9 / job.calls, 1e10);
		clock_set_rate(&clock, -1e12, drift_random());
		job.idle = 0;
		foresee_times(&job);
		for (int i = 1; i <= changes; i++) {
			double part = (i + random_between(-0.25, 0.25)) / (changes + 1);
			clock_set_rate(&clock, times[(int)(job.calls * part)], drift_random());
		}
		check_errors(&clock, &job);
	}
}
END_TEST

/* As an oscillator's does with its temperature: by some 0.1 ppm a step of four seconds or more. */
START_TEST(the_error_holds_when_the_drift_wanders)
{
	random_state += (uint64_t)_i;
	for (int round = 0; round < ROUNDS; round++) {
		struct clock clock = {.ahead = random_between(-1e12, 1e12)};
		struct job job = job_random();
		double rate = drift_random();

		job.calls = job.calls < 200 ? 200 : job.calls;
		job.apart = random_log(2 * CHANGES * 4e9 / job.calls, 1e10);
		clock_set_rate(&clock, -1e12, rate);
		job.idle = 0;
		foresee_times(&job);
		for (int i = 1; i < CHANGES; i++) {
			rate += random_between(-0.1e-6, 0.1e-6);
			clock_set_rate(&clock, times[job.calls * i / CHANGES], rate);
		}
		check_errors(&clock, &job);
	}
}
END_TEST

/* Calls a millisecond apart, for three seconds: the bound is that of the calls, not of the drift. */
START_TEST(the_error_is_small)
{
	static struct align_bound bounds[CALLS];
	struct job job = {.calls = CALLS, .apart = 3e6, .late = 1e4, .leaving = 3e3, .seed = 1};

	for (int round = 0; round < 20; round++) {
		struct clock clock = {.ahead = 1e12};
		double drift = drift_random();

		job.seed = next_random();
		clock_set_rate(&clock, -1e12, drift);
		make_bounds(bounds, &clock, &job);
		struct align_fit fit =
			align_fit(bounds, CALLS, bounds[0].at_most, bounds[CALLS - 1].at_least);

		ck_assert(fit.found);
		ck_assert_uint_eq(fit.pieces, 1);
		ck_assert_int_lt(fit.error, 2000);
		ck_assert(fabs(fit.drift + drift) < 1e-7 + 1e-3 * fabs(drift));
		ck_assert(fabs(fit.drift + drift) <= fit.drift_error + 1e-9);
		ck_assert(fit.drift_error < 1e-7 + 1e-3 * fabs(drift));
		align_fit_free(&fit);
	}
}
END_TEST

START_TEST(a_new_rate_is_a_new_piece)
{
	static struct align_bound bounds[CALLS];
	const struct job job = {
		.calls = CALLS, .apart = 1e8, .late = 1e5, .leaving = 1e4, .seed = 1};
	struct clock clock = {.ahead = 0};

	clock_set_rate(&clock, -1e12, 50e-6);
	clock_set_rate(&clock, CALLS * 0.3 * 0.5e8, -20e-6);
	clock_set_rate(&clock, CALLS * 0.7 * 0.5e8, 30e-6);
	make_bounds(bounds, &clock, &job);
	struct align_fit fit =
		align_fit(bounds, CALLS, bounds[0].at_most, bounds[CALLS - 1].at_least);

	ck_assert(fit.found);
	ck_assert_uint_eq(fit.pieces, 3);
	ck_assert_int_lt(fit.error, 40000);
	ck_assert(fabs(fit.drift + 50e-6) < 1e-6);
	align_fit_free(&fit);
}
END_TEST

START_TEST(corrected_times_never_go_backwards)
{
	static struct align_bound bounds[CALLS];
	const struct job job = {.calls = 100, .apart = 1e4, .late = 1e3, .leaving = 1e3, .seed = 1};
	struct clock clock = {.ahead = -5e9};

	clock_set_rate(&clock, -1e12, 1e-3);
	make_bounds(bounds, &clock, &job);
	int64_t from = bounds[0].at_most - 1000, to = bounds[99].at_least + 1000,
		before = INT64_MIN;
	struct align_fit fit = align_fit(bounds, 100, from, to);

	ck_assert(fit.found);
	for (int64_t at = from - 1000; at < to + 1000; at++) {
		int64_t now = at + align_add(fit.points, fit.count, at);
		assert_often_msg(now >= before, "at %" PRId64 " the time goes back by %" PRId64, at,
				 before - now);
		before = now;
	}
	align_fit_free(&fit);
}
END_TEST

START_TEST(what_contradicts_is_not_believed)
{
	static struct align_bound bounds[CALLS];
	const struct job job = {.calls = 500, .apart = 1e6, .late = 1e4, .leaving = 3e3, .seed = 1};
	struct clock clock = {.ahead = 5e6};

	clock_set_rate(&clock, 0, 0);
	make_bounds(bounds, &clock, &job);
	/* Further than any clock drifts from call to call, and back. */
	for (int k = 0; k < job.calls; k += 2) {
		bounds[k].least += 1000000;
		bounds[k].most += 1000000;
	}
	struct align_fit fit = align_fit(bounds, 500, bounds[0].at_most, bounds[499].at_least);
	ck_assert(!fit.found);
	ck_assert_ptr_null(fit.points);
	bounds[0].least = bounds[0].most + 1000;
	ck_assert(!align_fit(bounds, 1, 0, 0).found);
	ck_assert(!align_fit(bounds, 0, 0, 0).found);
	make_bounds(bounds, &clock, &job);
	bounds[7].at_most = bounds[8].at_most;
	ck_assert(!align_fit(bounds, 500, bounds[0].at_most, bounds[499].at_least).found);
}
END_TEST

START_TEST(one_call_is_enough)
{
	const struct align_bound bound = {
		.at_most = 1000, .most = 1500, .at_least = 1000, .least = -500};
	struct align_fit fit = align_fit(&bound, 1, 1000, 1001000);

	ck_assert(fit.found);
	ck_assert_int_eq(align_add(fit.points, fit.count, 1000), 500);
	ck_assert_int_ge(fit.error, 1000);
	ck_assert_int_le(fit.error, 1010);
	/* A millisecond later the clocks may have drifted by a microsecond. */
	ck_assert_int_ge(fit.error_beyond, 2000);
	ck_assert_int_le(fit.error_beyond, 2010);
	align_fit_free(&fit);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("align");
	TCase *tests = tcase_create("clocks");

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, the_error_holds_with_a_steady_drift, 0, 4);
	tcase_add_loop_test(tests, the_error_holds_when_the_drift_changes, 0, 4);
	tcase_add_loop_test(tests, the_error_holds_when_the_drift_wanders, 0, 4);
	tcase_add_test(tests, the_error_is_small);
	tcase_add_test(tests, a_new_rate_is_a_new_piece);
	tcase_add_test(tests, corrected_times_never_go_backwards);
	tcase_add_test(tests, what_contradicts_is_not_believed);
	tcase_add_test(tests, one_call_is_enough);
	suite_add_tcase(suite, tests);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

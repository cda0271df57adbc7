/* SPDX-License-Identifier: MIT */
/*
 * clock_slew_test.c: ten minutes of a clock that is slewed, simulated: what the conversion promises
 * (layer/buffers/clock.h) holds at every instant, in microseconds, for pairs taken as the writer
 * takes them.
 *
 * The clock itself is compiled in here, with a counter and a CLOCK_MONOTONIC of the test. Reading
 * either takes time, some brackets are interrupted, and the rate of CLOCK_MONOTONIC changes at
 * instants that the conversion does not know.
 */
#include <check.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tracelayer/shim.h"

static uint64_t simulated_counter(void);
static int simulated_gettime(struct timespec *time);
static long simulated_syscall(long number, ...);
#define tl_counter()		simulated_counter()
#define clock_gettime(id, time) simulated_gettime(time)
#define syscall			simulated_syscall
#include "layer/buffers/clock.c"
#undef tl_counter
#undef clock_gettime
#undef syscall

#define GHZ	2.6
#define SECOND	((uint64_t)(GHZ * 1e9))
#define RUN	(600 * SECOND)
#define CHANGES 4096

/* CLOCK_MONOTONIC as it truly is: from each change on it has a rate of its own. */
static struct {
	uint64_t ticks;
	double ns, slope;
} truth[CHANGES];
static int changes;
static uint64_t now;	       /* ticks */
static uint64_t tick_step = 1; /* of the counter */

static double at_tick(uint64_t ticks)
{
	static int i; /* nearly always the one of the last time */

	if (i >= changes || truth[i].ticks > ticks)
		i = 0;
	while (i + 1 < changes && truth[i + 1].ticks <= ticks)
		i++;
	return truth[i].ns + (double)(ticks - truth[i].ticks) * truth[i].slope;
}

static void change_rate(uint64_t ticks, double ppm)
{
	double ns = changes ? at_tick(ticks) : 5e12;

	ck_assert_int_lt(changes, CHANGES);
	truth[changes].ticks = ticks;
	truth[changes].ns = ns;
	truth[changes].slope = (1 + ppm / 1e6) / GHZ;
	changes++;
}

static uint64_t below(uint64_t limit)
{
	return ((uint64_t)rand() << 31 | (uint64_t)rand()) % limit;
}

/* Some nanoseconds; now and then somebody else has the processor. */
static void spend(void)
{
	now += 20 + below(30);
	if (below(300) == 0)
		now += below(SECOND / 1000);
}

static uint64_t simulated_counter(void)
{
	spend();
	return now - now % tick_step;
}

static int simulated_gettime(struct timespec *time)
{
	spend();
	uint64_t ns = (uint64_t)at_tick(now);
	time->tv_sec = (time_t)(ns / 1000000000);
	time->tv_nsec = (long)(ns % 1000000000);
	spend();
	return 0;
}

/* Of those that the clock makes, the one that takes time. */
static long simulated_syscall(long number, ...)
{
	va_list arguments;

	if (number != SYS_nanosleep)
		return 0;
	va_start(arguments, number);
	const struct timespec *time = va_arg(arguments, const struct timespec *);
	now += (uint64_t)((double)time->tv_nsec * GHZ) + below(SECOND / 5000);
	va_end(arguments);
	return 0;
}

static double worst;
static uint64_t last_ticks, last_ns;

/* Convert, as the writer does: one thread's records in their order. */
static void check(uint64_t ticks)
{
	uint64_t ns = tl_clock_ns(ticks - ticks % tick_step);
	double error = (double)ns - at_tick(ticks);

	error = error < 0 ? -error : error;
	worst = error > worst ? error : worst;
	ck_assert(ticks < last_ticks || ns >= last_ns);
	last_ticks = ticks;
	last_ns = ns;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int seed;

static void start(int number)
{
	tl_clock_after_fork();
	seed = number;
	srand((unsigned)number + 1);
	changes = 0;
	tick_step = 1;
	now = 77 * SECOND;
	worst = 0;
	last_ticks = last_ns = 0;
}

/*
 * How pairs are taken: wakes at most `idle` apart, with phases in which chunks come much faster;
 * records converted at each, or all at the end.
 */
struct way {
	double idle; /* seconds */
	bool live;
};

#define RECORDS 16 /* an interval */
#define KEPT	40000

static uint64_t kept[KEPT];
static size_t kept_count;
static uint64_t kept_seen;

/* Instants of an interval, those at which the rate changed among them: there chords are worst. */
static size_t record(uint64_t *ticks, uint64_t from, uint64_t to)
{
	size_t count = 0;

	for (int i = changes - 1; i >= 0 && count < RECORDS / 2; i--)
		if (truth[i].ticks > from && truth[i].ticks <= to)
			ticks[count++] = truth[i].ticks;
	while (count < RECORDS)
		ticks[count++] = from + 1 + below(to - from);
	qsort(ticks, RECORDS, sizeof(*ticks), by_value);
	return count;
}

/* A sample of all there were. */
static void keep(uint64_t ticks)
{
	uint64_t at = kept_count < KEPT ? kept_count++ : below(kept_seen);

	kept_seen++;
	if (at < KEPT)
		kept[at] = ticks;
}

static uint64_t next_wake(const struct way *way)
{
	bool busy = now / SECOND / 5 % 7 == 1;
	double seconds = busy ? 0.0002 + 0.005 * (double)below(1000) / 1000
			      : way->idle * (0.9 + (double)below(100) / 1000);

	return now + (uint64_t)(seconds * (double)SECOND);
}

static void run(const struct way *way)
{
	uint64_t ticks[RECORDS], end = now + RUN;

	kept_count = kept_seen = 0;
	tl_clock_start_with(true);
	while (now < end) {
		uint64_t from = now, wake = next_wake(way);
		size_t count = record(ticks, from, wake);
		now = wake;
		tl_clock_settle();
		for (size_t i = 0; way->live && i < count; i++)
			check(ticks[i]);
		/*
		 * What was recorded while the writer was at it may be converted in the same go, if
		 * the last pair is fresh.
		 */
		now += below(SECOND / 1000000 * (FRESH / 1000));
		if (way->live)
			check(now);
		for (size_t i = 0; i < count; i++)
			keep(ticks[i]);
	}
	tl_clock_settle();
}

/* What a spool, a ring or a recovery converts: all of it when nothing is added any more. */
static void check_kept(void)
{
	qsort(kept, kept_count, sizeof(*kept), by_value);
	for (size_t i = 0; i < kept_count; i++)
		check(kept[i]);
}

static void expect_below(double limit)
{
	printf("# seed %d: %.0f ns\n", seed, worst);
	ck_assert_double_lt(worst, limit);
}

static const struct way ways[] = {{0.2, true}, {1, true}, {0.2, false}, {1, false}};
#define WAYS (int)(sizeof(ways) / sizeof(ways[0]))

START_TEST(ten_minutes_at_any_constant_rate_are_right_within_a_microsecond)
{
	static const double rates[] = {0, 500, -500, 37.5};

	start(_i);
	change_rate(0, rates[_i % 4]);
	run(&ways[_i / 4]);
	check_kept();
	expect_below(500);
}
END_TEST

/* At random instants, two never so close that they can fall between two pairs. */
static void change_often(double apart, double ppm)
{
	change_rate(0, 0);
	for (uint64_t at = now; at < now + RUN + SECOND;) {
		at += (uint64_t)((apart + (double)below(10000) / 1000) * (double)SECOND);
		change_rate(at, ppm * ((double)below(2001) / 1000 - 1));
	}
}

START_TEST(ten_minutes_of_slews_by_500_ppm_are_right_within_a_microsecond)
{
	start(_i / WAYS);
	change_often(1.5, 500);
	run(&ways[_i % WAYS]);
	check_kept();
	expect_below(1000);
}
END_TEST

/* As adjtime(3) slews: at 500 ppm, or not at all, and back. */
START_TEST(ten_minutes_of_slewing_on_and_off_are_right_within_a_microsecond)
{
	start(_i / WAYS);
	change_rate(0, 12);
	for (int i = 1; i < 400; i++)
		change_rate(now + (uint64_t)((1.6 * i + 0.3) * (double)SECOND), i % 2 ? 512 : 12);
	run(&ways[_i % WAYS]);
	check_kept();
	expect_below(1000);
}
END_TEST

/*
 * At 25 MHz, as on many processors of arm64, at 8 MHz, and at 1 MHz, as under qemu. A call's arrows
 * keep the step and 100 ns away from its ends (layer/device/command_slice.c).
 */
START_TEST(a_counter_is_as_exact_as_its_step)
{
	static const double steps[] = {40, 125, 1000};

	start(_i / WAYS);
	tick_step = (uint64_t)(steps[_i / WAYS % 3] * GHZ);
	change_rate(0, 37.5);
	tl_clock_start();
	run(&ways[_i % WAYS]);
	check_kept();
	expect_below(steps[_i / WAYS % 3] + 50);
}
END_TEST

/* Whatever interrupts the readings. */
START_TEST(the_step_of_a_counter_is_found_at_each_start)
{
	static const double steps[] = {1 / GHZ, 40, 125, 1000};
	bool trusted = counter_is_invariant() && kernel_trusts_counter();

	for (int seeds = 0; seeds < 200; seeds++) {
		start(seeds);
		change_rate(0, 37.5);
		tick_step = (uint64_t)(steps[_i] * GHZ);
		tl_clock_start();
		double expected = trusted && steps[_i] > 100 ? steps[_i] : 0;
		ck_assert_double_ge(tl_clock_step_ns(), 0.9 * expected);
		ck_assert_double_le(tl_clock_step_ns(), 1.1 * expected);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("slew");
	TCase *tcase = tcase_create("slew");
	SRunner *runner = srunner_create(suite);

	int seeds = getenv("STRESS") ? 30 : 2;

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, ten_minutes_at_any_constant_rate_are_right_within_a_microsecond,
			    0, 4 * WAYS);
	tcase_add_loop_test(tcase, ten_minutes_of_slews_by_500_ppm_are_right_within_a_microsecond,
			    0, seeds * WAYS);
	tcase_add_loop_test(tcase, ten_minutes_of_slewing_on_and_off_are_right_within_a_microsecond,
			    0, seeds * WAYS);
	tcase_add_loop_test(tcase, a_counter_is_as_exact_as_its_step, 0, 3 * WAYS);
	tcase_add_loop_test(tcase, the_step_of_a_counter_is_found_at_each_start, 0, 4);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * clock_fit_test.c: device clocks of all kinds, simulated; what the fit makes of their stamps
 * against when they were taken.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layer/device/clock_fit.h"
#include "tests/lib/assert_often.h"
#include "tests/lib/random.h"

#define US     1000u
#define MS     1000000u
#define SECOND 1000000000u
#define BEGIN  (12345u * (uint64_t)SECOND) /* of the host's clock */

/*
 * A clock of `hz`, whose rate swings by `ppm` with a period of `swing` seconds, and which steps
 * once.
 */
struct device {
	uint64_t hz;
	unsigned bits;
	uint64_t epoch;
	double ppm, swing;
	uint64_t steps_at; /* host's time; 0: never */
	int64_t step;	   /* ticks */
};

static uint64_t dice(uint64_t below)
{
	return next_random() % below;
}

/* Unwrapped. */
static uint64_t ticks_of(const struct device *device, uint64_t ns)
{
	double passed = (double)(int64_t)(ns - BEGIN), turn = 2 * M_PI / (device->swing * SECOND);
	double drifted = device->ppm ? device->ppm / 1e6 * (1 - cos(passed * turn)) / turn : 0;
	double ticks = (passed + drifted) * ((double)device->hz / SECOND);
	int64_t stepped = device->steps_at && ns >= device->steps_at ? device->step : 0;

	return device->epoch + (uint64_t)(int64_t)floor(ticks) + (uint64_t)stepped;
}

static uint64_t reading(const struct device *device, uint64_t ns, unsigned bits)
{
	return ticks_of(device, ns) & tl_clock_fit_mask(bits);
}

/* The device is read at any instant of the bracket. */
static enum tl_clock_fit_result pair_at(struct tl_clock_fit *fit, const struct device *device,
					uint64_t ns, uint64_t width)
{
	uint64_t at = dice(width + 1);

	return tl_clock_fit_pair(fit, reading(device, ns + at, device->bits), ns, ns + width);
}

static int64_t wrong_by(uint64_t ns, uint64_t truth)
{
	return (int64_t)(ns - truth);
}

struct stamp {
	uint64_t ticks, ns;
};

static int by_ticks(const void *left, const void *right)
{
	const struct stamp *a = left, *b = right;

	return a->ticks < b->ticks ? -1 : a->ticks > b->ticks;
}

/* How the pairs and the stamps of a run come. */
struct run {
	uint64_t lasts, width;
	/* one pair in so many has a bracket of up to a millisecond; 0: none */
	unsigned outliers;
	unsigned stamp_bits;
	uint64_t late; /* stamps are converted up to so much later */
	uint64_t idle; /* nothing happens in the middle for so long */
	int64_t most;  /* nanoseconds that a stamp may be wrong by */
};

#define STAMPS 20000u

static struct stamp stamps[STAMPS];

/*
 * Stamps of a run are right, and keep their order. Returns the number that is said to be in doubt;
 * those are not looked at.
 */
static unsigned run(const struct device *device, const struct run *run)
{
	struct tl_clock_fit fit;
	uint64_t now = BEGIN + SECOND, each = run->lasts / STAMPS;
	unsigned doubtful = 0, kept = 0;

	tl_clock_fit_start(&fit, device->hz, device->bits);
	for (unsigned i = 0; i < STAMPS; i++) {
		now += each / 2 + dice(each);
		if (i == STAMPS / 2)
			now += run->idle;
		if (tl_clock_fit_due(&fit, now))
			pair_at(&fit, device, now,
				run->outliers && !dice(run->outliers) ? dice(MS) + 20 * US
								      : run->width);
		uint64_t taken = now - dice(run->late), about = taken - dice(MS);
		if (taken < BEGIN + SECOND)
			continue;
		struct tl_clock_fit_time time = tl_clock_fit_convert(
			&fit, reading(device, taken, run->stamp_bits), run->stamp_bits, about);
		if (tl_clock_fit_is_impossible(&time, about, now)) {
			pair_at(&fit, device, now, run->width);
			time = tl_clock_fit_convert(&fit, reading(device, taken, run->stamp_bits),
						    run->stamp_bits, about);
		}
		if (time.doubtful) {
			doubtful++;
			continue;
		}
		/* The first pairs may be wide ones, and nobody knows. */
		int64_t most = run->outliers && fit.paired < 20 ? run->most + (int64_t)time.error
								: run->most;
		assert_often_msg(llabs(wrong_by(time.ns, taken)) <= most,
				 "stamp %u at %lld ns is wrong by %lld ns (hz %llu, bits %u)", i,
				 (long long)(taken - BEGIN), (long long)wrong_by(time.ns, taken),
				 (unsigned long long)device->hz, device->bits);
		stamps[kept++] = (struct stamp){ticks_of(device, taken) - device->epoch, time.ns};
	}
	if (!device->steps_at) {
		qsort(stamps, kept, sizeof(*stamps), by_ticks);
		for (unsigned i = 1; i < kept; i++)
			assert_often_msg(
				stamps[i].ticks == stamps[i - 1].ticks
					? stamps[i].ns == stamps[i - 1].ns
					: stamps[i].ns >= stamps[i - 1].ns,
				"stamps %llu ticks apart are %lld ns apart",
				(unsigned long long)(stamps[i].ticks - stamps[i - 1].ticks),
				(long long)(stamps[i].ns - stamps[i - 1].ns));
		ck_assert_uint_eq(fit.segments, 1);
	}
	return doubtful;
}

static const uint64_t rates[] = {1000000, 12500000, 19200000, 38400000, 1000000000, 3000000000};
static const unsigned widths[] = {32, 36, 64};

/* What one tick takes: a stamp cannot be better, and neither can a pair. */
static int64_t tick_of(uint64_t hz)
{
	return (int64_t)(SECOND / hz + 1);
}

START_TEST(any_rate_and_width_is_right_within_a_microsecond)
{
	for (unsigned i = 0; i < sizeof(rates) / sizeof(*rates); i++)
		for (unsigned j = 0; j < sizeof(widths) / sizeof(*widths); j++) {
			struct device device = {
				.hz = rates[i], .bits = widths[j], .epoch = dice(UINT64_MAX)};
			ck_assert_uint_eq(
				run(&device, &(struct run){.lasts = 100ull * SECOND,
							   .width = US,
							   .stamp_bits = widths[j],
							   .late = MS,
							   .most = US + 2 * tick_of(rates[i])}),
				0);
		}
}
END_TEST

START_TEST(drift_that_changes_is_followed)
{
	for (int ppm = -100; ppm <= 100; ppm += 50)
		for (unsigned j = 0; j < sizeof(widths) / sizeof(*widths); j++) {
			struct device device = {.hz = 12500000,
						.bits = widths[j],
						.epoch = UINT64_MAX - 5,
						.ppm = ppm,
						.swing = 60};
			run(&device, &(struct run){.lasts = 100ull * SECOND,
						   .width = US,
						   .stamp_bits = widths[j],
						   .late = MS,
						   .most = US + 160});
		}
}
END_TEST

START_TEST(wide_brackets_among_narrow_ones_do_no_harm)
{
	struct device device = {.hz = 19200000, .bits = 36, .epoch = 77, .ppm = 20, .swing = 300};

	run(&device, &(struct run){.lasts = 100ull * SECOND,
				   .width = US,
				   .outliers = 10,
				   .stamp_bits = 36,
				   .late = MS,
				   .most = US + 200});
}
END_TEST

START_TEST(where_all_brackets_are_wide_they_are_used)
{
	struct device device = {.hz = 19200000, .bits = 64, .epoch = 77};

	run(&device, &(struct run){.lasts = 20ull * SECOND,
				   .width = 300 * US,
				   .stamp_bits = 64,
				   .late = MS,
				   .most = 310 * US});
}
END_TEST

START_TEST(stamps_may_have_fewer_bits_than_the_clock)
{
	struct device device = {
		.hz = 1000000000, .bits = 64, .epoch = dice(UINT64_MAX), .ppm = 50, .swing = 100};

	run(&device, &(struct run){.lasts = 100ull * SECOND,
				   .width = US,
				   .stamp_bits = 32,
				   .late = 50 * MS,
				   .most = US + 10});
}
END_TEST

START_TEST(stamps_from_before_the_last_pairs_are_as_right)
{
	struct device device = {.hz = 12500000, .bits = 36, .epoch = 3, .ppm = 10, .swing = 200};

	run(&device, &(struct run){.lasts = 60ull * SECOND,
				   .width = US,
				   .stamp_bits = 36,
				   .late = 2 * (uint64_t)SECOND,
				   .most = US + 160});
}
END_TEST

START_TEST(a_program_may_do_nothing_for_many_wraps)
{
	struct device device = {
		.hz = 1000000000, .bits = 32, .epoch = 99, .ppm = 5, .swing = 10000};

	run(&device, &(struct run){.lasts = 20ull * SECOND,
				   .width = US,
				   .stamp_bits = 32,
				   .late = MS,
				   .idle = 1000ull * SECOND,
				   .most = 2 * US});
}
END_TEST

/*
 * Only stamps between the two pairs around it are in doubt; it is seen by the first pair after it.
 */
START_TEST(a_step_is_seen_and_doubt_ends_with_it)
{
	static const int64_t steps[] = {1000000, -1000000, 5000000000, -5000000000, 100000};

	for (unsigned i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct device device = {.hz = 12500000,
					.bits = 64,
					.epoch = 1ull << 60,
					.ppm = 20,
					.swing = 100,
					.steps_at = BEGIN + 20ull * SECOND + 37 * MS,
					.step = steps[i]};
		unsigned doubtful = run(&device, &(struct run){.lasts = 40ull * SECOND,
							       .width = US,
							       .stamp_bits = 64,
							       .late = MS,
							       .most = 10 * MS});
		/* A stamp every 2 ms, and 100 ms between two pairs. */
		ck_assert_uint_le(doubtful, 60);
	}
}
END_TEST

/* One that is known to lie before or behind is right, and so is what comes later. */
START_TEST(stamps_on_both_sides_of_a_step_are_right)
{
	struct device device = {.hz = 12500000,
				.bits = 64,
				.epoch = 1ull << 60,
				.steps_at = BEGIN + 10ull * SECOND + 50 * MS,
				.step = 7000000};
	struct tl_clock_fit fit;
	unsigned stepped = 0;

	tl_clock_fit_start(&fit, device.hz, device.bits);
	for (unsigned i = 0; i < 200; i++)
		stepped +=
			pair_at(&fit, &device, BEGIN + i * 100ull * MS, US) == TL_CLOCK_FIT_STEPPED;
	ck_assert_uint_eq(stepped, 1);
	ck_assert_uint_eq(fit.segments, 2);
	for (unsigned i = 0; i < 150; i++) {
		uint64_t at = BEGIN + 8ull * SECOND + i * 33ull * MS + 1;
		struct tl_clock_fit_time time =
			tl_clock_fit_convert(&fit, reading(&device, at, 64), 64, at - 100);
		bool between =
			at > BEGIN + 10ull * SECOND && at < BEGIN + 10ull * SECOND + 100 * MS;
		ck_assert_int_eq(time.doubtful, between);
		if (!between)
			ck_assert_int_le(llabs(wrong_by(time.ns, at)), (long long)US + 160);
	}
}
END_TEST

START_TEST(a_nominal_rate_that_is_plainly_wrong_is_learnt)
{
	struct device device = {.hz = 13000000, .bits = 64, .epoch = 5};
	struct tl_clock_fit fit;

	tl_clock_fit_start(&fit, 12500000, 64);
	for (unsigned i = 0; i < 10; i++)
		pair_at(&fit, &device, BEGIN + i * 100ull * MS, US);
	ck_assert_uint_eq(fit.segments, 1);
	uint64_t at = BEGIN + 950 * MS;
	ck_assert_int_le(
		llabs(wrong_by(tl_clock_fit_convert(&fit, reading(&device, at, 64), 64, at).ns,
			       at)),
		(long long)US + 160);
}
END_TEST

/* Drivers report them, as for commands that never ran. */
START_TEST(stamps_that_are_nonsense_spoil_nothing)
{
	struct device device = {.hz = 1000000000, .bits = 64, .epoch = 1ull << 40};
	struct tl_clock_fit fit;

	tl_clock_fit_start(&fit, device.hz, device.bits);
	for (unsigned i = 0; i < 100; i++) {
		uint64_t now = BEGIN + i * 100ull * MS;
		pair_at(&fit, &device, now, US);
		tl_clock_fit_convert(&fit,
				     i % 2   ? reading(&device, now, 64) + 3600ull * SECOND
				     : i % 3 ? UINT64_MAX
					     : 0,
				     64, now);
		uint64_t at = now + 50 * MS;
		ck_assert_int_le(
			llabs(wrong_by(
				tl_clock_fit_convert(&fit, reading(&device, at, 64), 64, at).ns,
				at)),
			(long long)US * 4);
	}
	ck_assert_uint_eq(fit.segments, 1);
}
END_TEST

START_TEST(one_pair_gives_the_nominal_rate)
{
	struct device device = {.hz = 1000000000, .bits = 64, .epoch = 1ull << 62};
	struct tl_clock_fit fit;

	tl_clock_fit_start(&fit, device.hz, device.bits);
	tl_clock_fit_offset(&fit, reading(&device, BEGIN, 64), BEGIN);
	for (uint64_t at = BEGIN - SECOND; at < BEGIN + SECOND; at += 99 * MS)
		ck_assert_int_le(
			llabs(wrong_by(
				tl_clock_fit_convert(&fit, reading(&device, at, 64), 64, at).ns,
				at)),
			1);
}
END_TEST

START_TEST(without_pairs_the_tightest_commands_count)
{
	struct device device = {
		.hz = 19200000, .bits = 36, .epoch = (1ull << 36) - 9999, .ppm = 30, .swing = 100};
	struct tl_clock_fit fit;
	uint64_t now = BEGIN;

	tl_clock_fit_start(&fit, device.hz, device.bits);
	ck_assert_uint_eq(tl_clock_fit_convert(&fit, 12, 36, now).ns, now);
	ck_assert_uint_eq(tl_clock_fit_convert(&fit, 12, 36, now).error, UINT64_MAX);
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t submitted = now += dice(4 * MS),
			 start = submitted + 2 * US + dice(50 * US), end = start + dice(MS);
		uint64_t complete = end + 2 * US + dice(50 * US);
		tl_clock_fit_bracket(&fit, reading(&device, start, 36), reading(&device, end, 36),
				     submitted, complete);
		struct tl_clock_fit_time time =
			tl_clock_fit_convert(&fit, reading(&device, start, 36), 36, submitted);
		int64_t wrong = llabs(wrong_by(time.ns, start));
		assert_often(wrong <= (int64_t)time.error + 200);
		if (i > 100)
			assert_often(wrong <= 15ll * US);
		now = complete;
	}
	ck_assert_uint_eq(fit.segments, 1);
	/* The clock runs on after the last command, 30 ppm too fast. */
	for (uint64_t at = now; at < now + 10ull * SECOND; at += SECOND) {
		struct tl_clock_fit_time time =
			tl_clock_fit_convert(&fit, reading(&device, at, 36), 36, at);
		ck_assert_int_le(llabs(wrong_by(time.ns, at)), (int64_t)time.error + 200);
	}
}
END_TEST

START_TEST(without_pairs_a_step_is_seen_too)
{
	struct device device = {.hz = 1000000000,
				.bits = 64,
				.epoch = 42,
				.steps_at = BEGIN + 10ull * SECOND,
				.step = -300000000};
	struct tl_clock_fit fit;

	tl_clock_fit_start(&fit, device.hz, device.bits);
	for (uint64_t at = BEGIN; at < BEGIN + 20ull * SECOND; at += 10 * MS) {
		tl_clock_fit_bracket(&fit, reading(&device, at, 64), reading(&device, at + US, 64),
				     at - 5 * US, at + 8 * US);
		ck_assert_int_le(
			llabs(wrong_by(
				tl_clock_fit_convert(&fit, reading(&device, at, 64), 64, at).ns,
				at)),
			8ll * US);
	}
	ck_assert_uint_eq(fit.segments, 2);
}
END_TEST

START_TEST(pairs_are_wanted_early_and_then_now_and_then)
{
	struct device device = {.hz = 1000000000, .bits = 64, .epoch = 0};
	struct tl_clock_fit fit;
	unsigned pairs = 0;

	tl_clock_fit_start(&fit, device.hz, device.bits);
	ck_assert(tl_clock_fit_due(&fit, BEGIN));
	for (uint64_t at = BEGIN; at < BEGIN + SECOND; at += 100 * US)
		if (tl_clock_fit_due(&fit, at)) {
			pair_at(&fit, &device, at, US);
			pairs++;
		}
	ck_assert_uint_ge(pairs, 12);
	ck_assert_uint_le(pairs, 20);
	/* A clock that wraps after 67 ms has pairs eight times a wrap. */
	tl_clock_fit_start(&fit, 1000000000, 26);
	device.bits = 26;
	for (unsigned i = 0; i <= 100; i++)
		pair_at(&fit, &device, BEGIN + i * 8 * MS, 0);
	ck_assert_uint_eq(fit.segments, 1);
	ck_assert(!tl_clock_fit_due(&fit, BEGIN + 808 * MS));
	ck_assert(tl_clock_fit_due(&fit, BEGIN + 809 * MS));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("device clocks");
	TCase *tests = tcase_create("fit");

	tcase_add_test(tests, any_rate_and_width_is_right_within_a_microsecond);
	tcase_add_test(tests, drift_that_changes_is_followed);
	tcase_add_test(tests, wide_brackets_among_narrow_ones_do_no_harm);
	tcase_add_test(tests, where_all_brackets_are_wide_they_are_used);
	tcase_add_test(tests, stamps_may_have_fewer_bits_than_the_clock);
	tcase_add_test(tests, stamps_from_before_the_last_pairs_are_as_right);
	tcase_add_test(tests, a_program_may_do_nothing_for_many_wraps);
	tcase_add_test(tests, a_step_is_seen_and_doubt_ends_with_it);
	tcase_add_test(tests, stamps_on_both_sides_of_a_step_are_right);
	tcase_add_test(tests, a_nominal_rate_that_is_plainly_wrong_is_learnt);
	tcase_add_test(tests, stamps_that_are_nonsense_spoil_nothing);
	tcase_add_test(tests, one_pair_gives_the_nominal_rate);
	tcase_add_test(tests, without_pairs_the_tightest_commands_count);
	tcase_add_test(tests, without_pairs_a_step_is_seen_too);
	tcase_add_test(tests, pairs_are_wanted_early_and_then_now_and_then);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

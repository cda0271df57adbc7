/* SPDX-License-Identifier: MIT */
/*
 * align_test.c: unit tests of cli/export/align_fit.c: bounds that made-up clocks give.
 */
#include <check.h>
#include <stdlib.h>

#include "cli/export/align_fit.h"
#include "tests/lib/random.h"

#define CALLS 500

/*
 * Two ranks meet in calls a millisecond apart. The second clock is ahead by `ahead`, and drifts. Who
 * comes last, and how long it takes the others to leave, differs from call to call.
 */
static void make_bounds(struct align_bound *bounds, int64_t ahead, double drift, int64_t latest)
{
	for (int k = 0; k < CALLS; k++) {
		int64_t now = k * INT64_C(1000000);
		int64_t a = now + (int64_t)(next_random() % (uint64_t)latest);
		int64_t b = now + (int64_t)(next_random() % (uint64_t)latest);
		int64_t last = a > b ? a : b;
		int64_t a_exit = last + 100 + (int64_t)(next_random() % 3000);
		int64_t b_exit = last + 100 + (int64_t)(next_random() % 3000);
		int64_t off_enter = ahead + (int64_t)(drift * (double)b);
		int64_t off_exit = ahead + (int64_t)(drift * (double)b_exit);

		/* What to add to the second clock: minus what it is ahead. */
		bounds[k] = (struct align_bound){.at = a_exit,
						 .least = a - (b_exit + off_exit),
						 .most = a_exit - (b + off_enter)};
	}
}

START_TEST(the_shift_is_within_the_error)
{
	struct align_bound bounds[CALLS];

	for (int round = 0; round < 20; round++) {
		int64_t ahead = (int64_t)(next_random() % 2000000000000u) - 1000000000000;
		double drift = ((double)(next_random() % 201) - 100) * 1e-6;

		make_bounds(bounds, ahead, _i % 2 ? drift : 0, 10000);
		struct align_fit fit = align_fit(bounds, CALLS);
		int64_t middle = (bounds[0].at + bounds[CALLS - 1].at) / 2;

		ck_assert(fit.found);
		for (int k = 0; k < CALLS; k++) {
			int64_t truth =
				-ahead - (int64_t)((_i % 2 ? drift : 0) * (double)bounds[k].at);
			ck_assert_int_le(llabs(truth - fit.middle), fit.error + 2);
		}
		if (_i % 2)
			ck_assert(fit.drift + drift < 5e-6 && fit.drift + drift > -5e-6);
		else
			ck_assert_int_lt(fit.error, 3000);
		ck_assert_int_gt(middle, 0);
	}
}
END_TEST

START_TEST(what_contradicts_is_not_believed)
{
	struct align_bound bounds[CALLS];

	make_bounds(bounds, 5000000, 0, 10000);
	for (int k = 0; k < CALLS; k += 2) {
		bounds[k].least += 1000000;
		bounds[k].most += 1000000;
	}
	ck_assert(!align_fit(bounds, CALLS).found);
	ck_assert(!align_fit(bounds, 0).found);
}
END_TEST

START_TEST(one_call_is_enough)
{
	const struct align_bound bound = {.at = 1000, .least = -500, .most = 1500};
	struct align_fit fit = align_fit(&bound, 1);

	ck_assert(fit.found);
	ck_assert_int_eq(fit.middle, 500);
	ck_assert_int_ge(fit.error, 1000);
	ck_assert_int_le(fit.error, 1002);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("align");
	TCase *tests = tcase_create("clocks");

	tcase_add_loop_test(tests, the_shift_is_within_the_error, 0, 6);
	tcase_add_test(tests, what_contradicts_is_not_believed);
	tcase_add_test(tests, one_call_is_enough);
	suite_add_tcase(suite, tests);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

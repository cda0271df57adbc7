/* SPDX-License-Identifier: MIT */
/*
 * tally_test.c: histograms are exact where they promise it and within 1.6 % elsewhere; merged ones
 * are as if all had been added to one; so are tallies.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tally/tally.h"
#include "tests/lib/random.h"

void *need(void *allocated)
{
	if (!allocated)
		abort();
	return allocated;
}

#define MANY 20000

static int by_size(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

/* Numbers of all sizes, as many of each. */
static int64_t any_size(void)
{
	return (int64_t)(next_random() >> (1 + next_random() % 63));
}

/* Narrow: most calls of one function take about as long. */
static int64_t like_a_call(void)
{
	return (int64_t)(1000 + next_random() % 3000);
}

static int64_t (*const kinds[])(void) = {any_size, like_a_call};

START_TEST(percentiles_are_near_the_nearest_rank)
{
	static int64_t list[MANY];
	struct histogram histogram = {0};

	for (int i = 0; i < MANY; i++) {
		list[i] = kinds[_i]();
		histogram_add(&histogram, list[i]);
	}
	qsort(list, MANY, sizeof(*list), by_size);
	ck_assert_int_eq(histogram.count, MANY);
	ck_assert_int_eq(histogram.min, list[0]);
	ck_assert_int_eq(histogram.max, list[MANY - 1]);
	for (unsigned percent = 1; percent <= 100; percent++) {
		int64_t exact = list[(MANY * percent + 99) / 100 - 1],
			got = histogram_percentile(&histogram, percent);
		double off = (double)got - (double)exact;

		ck_assert_msg((off < 0 ? -off : off) <= (double)exact / 64, "%u %%: %lld, not %lld",
			      percent, (long long)got, (long long)exact);
	}
	histogram_clear(&histogram);
}
END_TEST

START_TEST(numbers_below_64_are_exact)
{
	for (int64_t number = 0; number < 64; number++) {
		struct histogram histogram = {0};

		histogram_add(&histogram, 0);
		histogram_add(&histogram, number);
		histogram_add(&histogram, 100);
		ck_assert_int_eq(histogram_percentile(&histogram, 50), number);
		histogram_clear(&histogram);
	}
}
END_TEST

START_TEST(sums_do_not_overflow)
{
	struct histogram histogram = {0};

	for (int i = 0; i < 3; i++)
		histogram_add(&histogram, INT64_MAX);
	histogram_add(&histogram, -5);
	ck_assert_int_eq(histogram.sum, INT64_MAX);
	ck_assert_int_eq(histogram.min, 0);
	ck_assert_int_eq(histogram_percentile(&histogram, 99), INT64_MAX);
	histogram_clear(&histogram);
	ck_assert_int_eq(histogram_percentile(&histogram, 50), 0);
}
END_TEST

static void histograms_are_equal(const struct histogram *a, const struct histogram *b)
{
	ck_assert_int_eq(a->count, b->count);
	ck_assert_int_eq(a->sum, b->sum);
	ck_assert_int_eq(a->min, b->min);
	ck_assert_int_eq(a->max, b->max);
	for (unsigned percent = 1; percent <= 100; percent++)
		ck_assert_int_eq(histogram_percentile(a, percent),
				 histogram_percentile(b, percent));
}

static void tally_one(struct tally *tally, uint32_t group, uint32_t name, int64_t time)
{
	struct tally_row *row = tally_row(tally, TALLY_TRANSFERS, group, name);

	row->failed += time & 1;
	row->bytes += time;
	row->best = (double)time > row->best ? (double)time : row->best;
	histogram_add(&row->times, time);
}

/* The parts number their names from behind. */
START_TEST(merged_tallies_are_as_one)
{
	struct tally parts[3] = {0}, whole = {0}, merged = {0};
	const uint32_t names[] = {4, 3, 2, 1, 0}, groups[] = {0, 1};

	for (int i = 0; i < MANY; i++) {
		uint32_t name = (uint32_t)(next_random() % 5),
			 group = (uint32_t)(next_random() % 2);
		int64_t time = like_a_call();

		tally_one(&whole, group, name, time);
		tally_one(&parts[next_random() % 3], group, 4 - name, time);
	}
	for (int i = 0; i < 3; i++)
		tally_merge(&merged, &parts[i], groups, names);
	ck_assert_uint_eq(merged.nrows, 10);
	for (uint32_t i = 0; i < whole.nrows; i++) {
		const struct tally_row *row = &whole.rows[i],
				       *same = tally_row(&merged, row->kind, row->group, row->name);

		ck_assert_int_eq(row->failed, same->failed);
		ck_assert_int_eq(row->bytes, same->bytes);
		ck_assert(row->best >= same->best && row->best <= same->best);
		histograms_are_equal(&row->times, &same->times);
	}
	ck_assert_uint_eq(merged.nrows, 10);
	for (int i = 0; i < 3; i++)
		tally_free(&parts[i]);
	tally_free(&whole);
	tally_free(&merged);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tally");
	TCase *tcase = tcase_create("tally");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tcase, percentiles_are_near_the_nearest_rank, 0, 2);
	tcase_add_test(tcase, numbers_below_64_are_exact);
	tcase_add_test(tcase, sums_do_not_overflow);
	tcase_add_test(tcase, merged_tallies_are_as_one);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

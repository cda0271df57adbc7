/* SPDX-License-Identifier: MIT */
/*
 * rank_test.c: see rank_test.h. Durations in one place of the histograms count as equal.
 */
#include "config.h"

#include <math.h>

#include "cli/diff/rank_test.h"

static double count_at(const struct histogram *histogram, unsigned row, unsigned place)
{
	return histogram->rows[row] ? (double)histogram->rows[row][place] : 0;
}

struct rank_test rank_test_of(const struct histogram *a, const struct histogram *b)
{
	double na = 0, nb = 0, wins = 0, ties = 0;

	for (unsigned row = 0; row < HISTOGRAM_ROWS; row++)
		for (unsigned place = 0; (a->rows[row] || b->rows[row]) && place < HISTOGRAM_PLACES;
		     place++) {
			double here_a = count_at(a, row, place), here_b = count_at(b, row, place);
			double equal = here_a + here_b;

			wins += here_b * (na + here_a / 2);
			ties += equal * equal * equal - equal;
			na += here_a;
			nb += here_b;
		}
	double n = na + nb;
	/* The variance of the wins if both were of one distribution. */
	double variance = n > 1 ? na * nb / 12 * (n + 1 - ties / (n * (n - 1))) : 0;

	return (struct rank_test){
		.longer = na && nb ? wins / (na * nb) : 0.5,
		.z = variance > 0 ? (wins - na * nb / 2) / sqrt(variance) : 0,
	};
}

int rank_test_verdict(const struct rank_test *test)
{
	if (fabs(test->z) < RANK_TEST_Z || fabs(test->longer - 0.5) < RANK_TEST_EFFECT)
		return 0;
	return test->longer > 0.5 ? 1 : -1;
}

/* SPDX-License-Identifier: MIT */
/*
 * rank_test.h: whether the durations of one histogram are longer or shorter than those of another,
 * by more than they vary anyway.
 *
 * The test is that of Mann and Whitney, with ties: it compares ranks, so that a few very long
 * durations do not matter, and no distribution is assumed. With many durations the test finds the
 * smallest difference. So the difference must also be large beside the variation (Vargha and
 * Delaney's A).
 */
#ifndef TL_CLI_DIFF_RANK_TEST_H
#define TL_CLI_DIFF_RANK_TEST_H

#include "tables/histogram.h"

#define RANK_TEST_Z	 2.576 /* of a normal distribution: 1 in 100 by chance */
#define RANK_TEST_EFFECT 0.14  /* how far from one half A must be */

struct rank_test {
	/* A: how probable it is that one duration of b is longer than one of a; 0.5: they are alike */
	double longer;
	double z; /* standard deviations from what chance would give; positive: b is longer */
};

/* Both have numbers in them. */
struct rank_test rank_test_of(const struct histogram *a, const struct histogram *b);

/* 1: b is longer by more than the variation; -1: shorter; 0: neither. */
int rank_test_verdict(const struct rank_test *test);

#endif

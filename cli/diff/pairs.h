/* SPDX-License-Identifier: MIT */
/*
 * pairs.h: the rows of two sums, side by side: each function, event, kernel or transfer of either.
 */
#ifndef TL_CLI_DIFF_PAIRS_H
#define TL_CLI_DIFF_PAIRS_H

#include <stddef.h>

#include "cli/diff/rank_test.h"
#include "cli/tally/tally.h"

enum pair_verdict {
	PAIR_ALIKE, /* what differs is not more than the variation */
	PAIR_SLOWER,
	PAIR_FASTER,
	PAIR_NEW,  /* only the second trace has it */
	PAIR_GONE, /* only the first */
	PAIR_VERDICTS
};

struct pair {
	enum tally_kind kind;
	const char *name;
	const struct tally_row *a, *b; /* of the first and the second trace; NULL: it has none */
	struct rank_test test;	       /* where both have it */
	enum pair_verdict verdict;
};

struct pairs {
	struct pair *list; /* by kind; within a kind the largest difference of the totals first */
	size_t count;
};

/* Numbers of a row; 0 without one. Times are nanoseconds. */
int64_t row_calls(const struct tally_row *row);
int64_t row_total(const struct tally_row *row);
int64_t row_mean(const struct tally_row *row);
int64_t row_percentile(const struct tally_row *row, unsigned percent);

/* The total of the second less that of the first. */
int64_t pair_difference(const struct pair *pair);

/* Rows whose names `globs` match (NULL: all). The sums must stay. pairs_free frees the list. */
void pairs_of(struct pairs *pairs, const struct rank_sum *a, const struct rank_sum *b,
	      const char *globs);
void pairs_free(struct pairs *pairs);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * tally_rows.h: calls and device commands, summed up by name. A tally takes memory for each row,
 * none for a call, and two tallies merge by addition.
 *
 * A row is known by what it counts (enum tally_kind), a group and a name. Group and name are numbers
 * that the tally's user gives: of a function's name in a list of texts, of a thread. Tallies of
 * several threads, files or ranks are merged with tables that say which number of the one is which
 * of the other.
 *
 * One thread at a time uses a tally.
 */
#ifndef TL_CLI_TALLY_TALLY_ROWS_H
#define TL_CLI_TALLY_TALLY_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "cli/basics/basics.h"
#include "tables/histogram.h"

enum tally_kind {
	TALLY_CALLS,	 /* host calls, by function */
	TALLY_EVENTS,	 /* the program's own events */
	TALLY_KERNELS,	 /* device commands: kernels, by name */
	TALLY_TRANSFERS, /* by kind and direction */
	TALLY_OTHERS,
	TALLY_KINDS
};

struct tally_row {
	enum tally_kind kind;
	uint32_t group, name;
	int64_t failed;
	int64_t bytes, bytes_time; /* of commands that report their bytes */
	double best;		   /* bytes in a nanosecond */
	struct histogram times;	   /* durations in nanoseconds, with their count and sum */
};

/* Zeroed at first. Rows are in the order in which they came. */
struct tally {
	struct tally_row *rows;
	uint32_t nrows, room;
	struct numbers keys; /* of the rows */
};

/* Sums stop at the largest number. Neither is negative. */
static inline int64_t tally_add(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

#define TALLY_GROUPS (UINT32_C(1) << 31) /* groups and names are below these */
#define TALLY_NAMES  (UINT32_C(1) << 30)

/* The row, which is made if there is none. It may move when another one is made. */
struct tally_row *tally_row(struct tally *tally, enum tally_kind kind, uint32_t group,
			    uint32_t name);

/* Add all of one row to another; of one tally to another. */
void tally_row_merge(struct tally_row *to, const struct tally_row *from);

/*
 * `groups` and `names` have, by the numbers of the second tally, those of the first; NULL: they are
 * the same.
 */
void tally_merge(struct tally *to, const struct tally *from, const uint32_t *groups,
		 const uint32_t *names);

void tally_free(struct tally *tally);

#endif

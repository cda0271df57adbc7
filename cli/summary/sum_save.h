/* SPDX-License-Identifier: MIT */
/*
 * sum_save.h: `tracelayer summary --save=FILE`.
 */
#ifndef TL_CLI_SUMMARY_SUM_SAVE_H
#define TL_CLI_SUMMARY_SUM_SAVE_H

#include <stdbool.h>

struct rank_sum;

struct save {
	const char *path; /* NULL: nothing is saved */
	bool force;	  /* replace what is there */
};

/* Writes the sum where it is wanted. False after a message: it could not be written. */
bool sum_save(const struct save *save, const struct rank_sum *sum);

#endif

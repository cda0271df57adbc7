/* SPDX-License-Identifier: MIT */
/*
 * conditions.h: what --fail-if names: 'clEnqueueNDRangeKernel.median > +5%'.
 *
 * A condition is globs of names, a dot, what is compared, a comparison (<, <=, >, >=) and how much it
 * may change from the first trace to the second: a share (+5%), a time (+100us), or a number
 * (+10). Lists of calls, failures and times are as in the tables.
 */
#ifndef TL_CLI_DIFF_CONDITIONS_H
#define TL_CLI_DIFF_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/diff/pairs.h"

enum condition_unit { CONDITION_PERCENT, CONDITION_TIME, CONDITION_NUMBER };

struct condition {
	const char *text; /* as given */
	char *globs;
	int metric; /* number in the list of metrics */
	bool greater, equal;
	enum condition_unit unit;
	double amount; /* percent, nanoseconds, or a number */
};

/* False: `why` says what is wrong with the text. condition_clear frees it. */
bool condition_parse(struct condition *condition, const char *text, char *why, size_t room);
void condition_clear(struct condition *condition);

/*
 * Prints a line for each pair for which the condition holds. `noise`: only where the difference is
 * more than the variation. Returns how many there are; -1 after a message: no name matches.
 */
long condition_look(const struct condition *condition, const struct pairs *pairs, bool noise);

#endif

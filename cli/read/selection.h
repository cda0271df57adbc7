/* SPDX-License-Identifier: MIT */
/*
 * selection.h: which part of a trace the user wants: ranks and processes, and of these the threads,
 * the names and the time.
 */
#ifndef TL_CLI_READ_SELECTION_H
#define TL_CLI_READ_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/rank_set.h"

/* Begins as zeros: everything. Lists are globs with commas between them; NULL: all. */
struct selection {
	const char *ranks; /* a set; NULL: all */
	char *process, *thread, *name;
	bool has_time;
	uint64_t from, to; /* nanoseconds since the start of the trace */
};

/* Adds globs to a list. */
void selection_add(char **list, const char *globs);

/* Takes "FROM-TO" or "FROM:TO", in seconds; either may be missing. False: it is no such text. */
bool selection_take_time(struct selection *selection, const char *text);

/* Takes a duration: a number and ns, us, ms or s. False: it is none, or longer than 30 years. */
bool duration_take(int64_t *ns, const char *text);

/* The list names this text, or this number. */
bool selection_has(const char *list, const char *text, uint64_t number);

/* Something is left out of processes that are selected. */
bool selection_is_within(const struct selection *selection);

void selection_free(struct selection *selection);

#endif

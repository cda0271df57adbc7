/* SPDX-License-Identifier: MIT */
/*
 * filter.h: the calls and device commands that `tracelayer summary` counts: those that the user
 * selects.
 */
#ifndef TL_CLI_SUMMARY_FILTER_H
#define TL_CLI_SUMMARY_FILTER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/read/selection.h"
#include "cli/summary/history.h"

/* Begins as zeros: everything. */
struct filter {
	struct selection selection; /* .ranks is not used */
	int64_t from, to;	    /* with .selection.has_time: filter_start sets them */
};

bool filter_is_any(const struct filter *filter);

/* The trace begins at this time. */
void filter_start(struct filter *filter, int64_t start);

/* When a whole history begins. */
int64_t filter_start_of(const struct history *history);

/*
 * What was found of names, threads, queues and requests, by their numbers in a history: globs are
 * matched once for each. Begins as zeros; a thread has its own.
 */
struct filter_memory {
	struct verdicts {
		unsigned char *list;
		uint32_t room;
	} names, lanes, queues, requests;
};
void filter_memory_free(struct filter_memory *memory);

/* `lock`: held while the history is read; NULL: nobody else changes it. */
bool filter_takes_call(const struct filter *filter, struct filter_memory *memory,
		       const struct history *history, pthread_mutex_t *lock,
		       const struct host_call *call);
bool filter_takes_command(const struct filter *filter, struct filter_memory *memory,
			  const struct history *history, const struct device_command *command);

/* Removes all other calls (to .nothers) and commands from a whole history. */
void filter_history(struct filter *filter, struct history *history);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * waits.h: when the queues of a history were busy and idle, and what they waited for
 * (tables/queue_time.h).
 *
 * While a queue waits and its submitting thread has not begun to submit, the cause is
 * at each moment the innermost call that this thread was in.
 */
#ifndef TL_CLI_SUMMARY_WAITS_H
#define TL_CLI_SUMMARY_WAITS_H

#include "cli/summary/history.h"

/* Idle time of a queue with one cause, for commands of one group. */
struct wait {
	uint32_t group, queue, cause; /* .cause: a number in the history's names */
	int64_t gaps, total, longest;
	size_t gap;	/* that it was seen in last, */
	int64_t in_gap; /* and for how long in that one */
};

struct waits {
	struct wait *list;
	struct names keys; /* of the list */
	struct queue_time *queues;
};

/* The group that a command's waiting counts for, besides queue and cause. */
typedef uint32_t (*wait_group)(const void *context, const struct device_command *command);

/* Sorts the calls and commands of the history anew. */
void waits_of(struct waits *waits, struct history *history, wait_group group, const void *context);
void waits_free(struct waits *waits);

#endif

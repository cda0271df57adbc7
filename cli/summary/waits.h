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

/*
 * A gap without the device's part: up to `host` the thread did something else, and up to `call` it
 * was in the call that submitted.
 */
struct part {
	int64_t from, host, call;
	uint32_t thread, submit, group, queue;
	size_t gap;
};

/* Waits that are being found. */
struct wait_search {
	struct waits *waits;
	struct history *history;
	struct part *parts;
	size_t nparts, room, ngaps;
	uint32_t nqueues;		   /* of .waits->queues */
	uint32_t program, device, unknown; /* the causes that are no calls */
};

/*
 * Step by step: for files that are too large to be kept. The commands come in portions, each with
 * those that start in the next stretch of time, as the history's .commands; wait_search_commands
 * finds the gaps that end in it, and what of them needs the calls of threads: .parts. Then
 * wait_search_calls gets the history's .calls that overlap these parts between two times; it comes
 * once for each further stretch of time, up to the last part's end. Then .nparts is set to 0.
 */
void wait_search_begin(struct wait_search *search, struct waits *waits, struct history *history);
void wait_search_commands(struct wait_search *search, wait_group group, const void *context);
void wait_search_calls(struct wait_search *search, int64_t from, int64_t until);

/* Sorts the calls and commands of the history anew. */
void waits_of(struct waits *waits, struct history *history, wait_group group, const void *context);
void waits_free(struct waits *waits);

#endif

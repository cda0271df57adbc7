/* SPDX-License-Identifier: MIT */
/*
 * flat_work.h: the state of summing files up (flat.h), and what its parts call of each other: flat_calls.c
 * sums up calls, flat_commands.c device commands, flat_search.c searches files for either, flat_waits.c
 * finds what threads did while queues waited, flat_events.c reads files that are not in the record
 * format. Of no use to others.
 *
 * Functions with a flat_worker run in its thread; the others run while there are no other threads.
 */
#ifndef TL_CLI_SUMMARY_FLAT_WORK_H
#define TL_CLI_SUMMARY_FLAT_WORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/basics/basics.h"
#include "cli/summary/flat.h"
#include "cli/summary/history_reader.h"
#include "cli/summary/kept_times.h"
#include "cli/summary/queue_map.h"
#include "cli/summary/record_scan.h"
#include "cli/summary/self_times.h"

/* Tests make them small. */
#ifndef COMMANDS_AT_ONCE
#define COMMANDS_AT_ONCE (64u << 10)
#define CALLS_AT_ONCE	 (192u << 10)
#endif

/*
 * So many durations are kept; of files that are not in the record format, so many events. Of these, a
 * smaller number is read at once later.
 */
#ifndef EVENTS_KEPT
#define EVENTS_KEPT    (1u << 20)
#define EVENTS_AT_ONCE (64u << 10)
#endif

#define NEAR 256u

/* A time in which a thread's calls matter. */
struct flat_stay {
	uint32_t thread;
	int64_t from, to;
};

/* What the workers look for in a scan. */
struct flat_search {
	int64_t from, until;
	struct numbers submitted; /* process << 32 | correlation */
	uint32_t least, most;	  /* correlations */
	struct flat_stay *stays;  /* sorted, and apart */
	size_t nstays;
	_Atomic size_t found;
	size_t most_found;
	atomic_bool stop; /* more were found */
};

struct flat_worker {
	struct flat *flat;
	struct tally tally;
	uint32_t near[NEAR]; /* rows that were found lately, by their names */
	struct group_sum *groups;
	uint32_t ngroups;
	struct filter_memory filtered;
	bool *selected; /* by thread: the filter takes calls of it */
	uint32_t nselected;
	struct kept_times times;
	struct self_calls self; /* where they are wanted */
	uint64_t place;		/* of the next call */
	struct host_call *calls;
	struct scan_command *commands;
	size_t ncalls, calls_room, ncommands, commands_room;
};

struct flat {
	struct flat_sums *sums;
	struct history *history;
	struct record_scan *scan;
	enum grouping by;
	const struct filter *filter;   /* NULL: all counts */
	struct filter_memory filtered; /* commands */
	struct flat_worker *workers;
	void **users;
	unsigned nworkers;
	struct flat_search search;
	struct wait_search waits;
	int64_t step; /* of the last search for calls */
	struct queue_map queues;
	struct kept_times times;
	_Atomic size_t ntimes; /* of all workers */
	atomic_bool rough;     /* there are too many */
	/* of files that are not in the record format */
	struct history_reader reader;
	struct event_runs *events;
	bool poured;	       /* there were more events than are kept */
	bool packs, packs_all; /* calls are packed; from the first one on */
	int64_t unpacked_end;  /* of the last call that was not */
};

void flat_begin(struct flat *flat);
void flat_end(struct flat *flat);

/* ---- flat_calls.c ---- */

/* The sum of a group, which is new where its number is. */
struct group_sum *flat_group_sum(struct group_sum **groups, uint32_t *count, uint32_t group);

/* Keeps the duration of a call or command of the row, unless there are too many. Safe in several threads, for different lists. */
void flat_keep_time(struct flat *flat, struct kept_times *times, const struct tally_row *row,
		    int64_t duration);

/* Whether the filter takes the call. */
bool flat_worker_counts(struct flat_worker *worker, const struct host_call *call);

/* Sums a call up: `user` is the worker. The second takes the filter's verdict and the group as given. */
void flat_worker_sum(void *user, const struct host_call *call);
void flat_worker_sum_in(struct flat_worker *worker, const struct host_call *call, uint32_t group);

/* What the workers summed up goes into the sums. */
void flat_merge(struct flat *flat);

/* Sums up all calls that the runs have. */
void flat_sum_calls(struct flat *flat);

/* ---- flat_search.c ---- */

/* Begins a search: between two times, for `most` at the most. */
void flat_search_begin(struct flat *flat, int64_t from, int64_t until, size_t most);

/* Another one was found. False: there were too many before. */
bool flat_search_count(struct flat_search *search);

/* Keeps a call that the search found. */
void flat_worker_keep(struct flat_worker *worker, const struct host_call *call);

/* All calls that the workers kept become the history's. */
void flat_take_calls(struct flat *flat);

/* ---- flat_commands.c ---- */

/* Sums up all device commands; then, by queue, the calls that submitted them. */
void flat_sum_commands(struct flat *flat);
void flat_sum_submissions(struct flat *flat);

/* ---- flat_waits.c ---- */

/* Finds the calls of threads whose queues waited, and adds them to the waits. */
void flat_find_calls(struct flat *flat);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * record_scan.h: goes through .tlt files record by record, in several threads, and calls back with
 * each call and each device command; or through events of JSON that have been packed (event_runs.h). It makes no JSON and keeps nothing of a call, so that files may
 * be gone through several times instead of being kept in memory.
 *
 * What a call or a command is, and by which numbers of the history its name, thread and request are
 * known, is as in history.h: the numbers come from there.
 */
#ifndef TL_CLI_SUMMARY_RECORD_SCAN_H
#define TL_CLI_SUMMARY_RECORD_SCAN_H

#include <pthread.h>
#include <stdatomic.h>

#include "cli/summary/history.h"
#include "format/file/record_reader.h"

/* What is known of a run after the first scan. Times are nanoseconds. */
struct scan_run {
	uint32_t file;
	uint32_t run; /* its number in the file's trace; the last one's + 1: calls that are open */
	int64_t first, last; /* of calls, and events that are no commands; none: .first is later */
	int64_t first_command; /* when the first one, */
	int64_t last_command;  /* and the last one, started */
	uint32_t ncommands;
	bool marks;	      /* events B or E */
	uint32_t least, most; /* correlations of calls; 0: none */
};

void scan_run_note_call(struct scan_run *run, const struct host_call *call);
void scan_run_note_command(struct scan_run *run, int64_t start);

struct scan_command {
	uint64_t place;	     /* address of the record, or place in the runs of events */
	uint32_t file, lane; /* number of the lane in the history */
	int64_t start, end;
};

struct record_scan;

/*
 * What to do in a scan. Functions get the worker's own user pointer; those that are NULL are not
 * called. Calls of a mark (B and E) come only in record_scan_marks.
 */
#define SCAN_WORKERS 8u /* at most */

struct scan_visitor {
	/* whether to go through a run */
	bool (*wants)(const void *user, const struct scan_run *run);
	/* before a run: its number, in the order of the files and, of a lane, of its calls */
	void (*run)(void *user, size_t number);
	void (*call)(void *user, const struct host_call *call);
	void (*command)(void *user, const struct scan_command *command);
};

/* Opens the files and notes what they say of processes and threads. An exit code. */
int record_scan_open(struct record_scan **scan, struct history *history, char **paths, int count);

struct event_runs;

/*
 * Goes through runs of events that have been read (event_runs.h), which become the scan's. No first
 * scan is needed.
 */
void record_scan_events(struct record_scan **scan, struct history *history,
			struct event_runs *events);

/* Prints what was not sound; `where` as for record_file_judge. An exit code; for after the first scan. */
int record_scan_judge(const struct record_scan *scan, char **paths, const char *where);

/* Protects the history during a scan. */
pthread_mutex_t *record_scan_lock(struct record_scan *scan);

/*
 * Goes through all runs that are wanted. `users` has a pointer for each worker. The first scan
 * must want all runs: it finds out what each has. Stops early once *stop is set (NULL: never).
 */
void record_scan_all(struct record_scan *scan, const struct scan_visitor *visitor, void **users,
		     const atomic_bool *stop);

/* Whether there are marks that begin and end: events B and E. For after the first scan. */
bool record_scan_has_marks(const struct record_scan *scan);

/* Goes through all marks, in the order of the files, and calls back with those that ended. */
void record_scan_marks(struct record_scan *scan, const struct scan_visitor *visitor, void *user);

/* All of a device command, with a new queue where its is new. Not in a scan. */
struct device_command record_scan_command(struct record_scan *scan,
					  const struct scan_command *command);

/* Commands of all runs, and when the first and the last started. */
uint64_t record_scan_commands(const struct record_scan *scan, int64_t *first, int64_t *last);

void record_scan_close(struct record_scan *scan);

#endif

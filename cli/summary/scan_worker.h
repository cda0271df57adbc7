/* SPDX-License-Identifier: MIT */
/*
 * scan_worker.h: the state of a scan (record_scan.h) and of its workers, and what its parts call of each
 * other: scan_known.c has what a worker knows, scan_marks.c goes through marks, scan_commands.c makes
 * device commands whole, scan_files.c opens and judges the files. Of no use to others.
 */
#ifndef TL_CLI_SUMMARY_SCAN_WORKER_H
#define TL_CLI_SUMMARY_SCAN_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/basics/basics.h"
#include "cli/summary/event_runs.h"
#include "cli/summary/record_scan.h"
#include "format/encode/encode.h"

#define TEXT_ROOM 4096u

struct scan_file {
	struct tl_trace *trace;
	char process[16]; /* its number */
	uint64_t unknown; /* records */
	bool unsound;	  /* a run could not be read to its end */
	bool gaps;	  /* records are missing */
};

struct scan_worker;

struct record_scan {
	struct history *history;
	struct scan_file *files;
	struct scan_run *runs;
	size_t nruns;
	uint32_t nfiles;
	unsigned workers;
	bool indexed; /* .runs is filled: the first scan is done */
	bool marks;
	pthread_mutex_t lock;	   /* of the history, while workers run */
	struct scan_worker *maker; /* of device commands; NULL: none was made yet */
	struct event_runs *events; /* NULL: the runs are those of .files */
	bool unread;		   /* a run of events could not be read */
	struct {		   /* the run of events that was unpacked last */
		size_t run;
		struct device_command *commands;
		size_t count, room;
	} unpacked;
};

/* ---- scan_known.c: what a worker knows ---- */

enum known_kind {
	KNOWN_FUNCTION,
	KNOWN_NAME,
	KNOWN_CATEGORY,
	KNOWN_KEY,
	KNOWN_LANE,
	KNOWN_REQUEST,
	KNOWN_STACK
};

/* Keys of a device command's arguments. */
enum known_key {
	KEY_OTHER,
	KEY_KIND,
	KEY_QUEUE,
	KEY_CORRELATION,
	KEY_REQUEST,
	KEY_PEER,
	KEY_DEVICE,
	KEY_BYTES,
	KEY_UNFINISHED,
	KEY_PCI,
	KEY_UUID,
	KEY_GLOBAL,
	KEY_LOCAL,
	KEY_KERNEL, /* the first of those of event_kernel.h */
	KEYS = KEY_KERNEL + KERNEL_FACTS
};
struct known {
	uint32_t number; /* in the history, or enum known_key */
	bool sound;	 /* a function, which the file describes */
	bool zero_failed, has_result, takes_correlation, takes_request; /* functions */
	bool own, failed, device, context;				/* by the category */
	bool no_thread, has_calls, has_events;				/* lanes */
	const struct tl_function *function;
};

struct scan_worker {
	pthread_t thread;
	struct record_scan *scan;
	const struct scan_visitor *visitor;
	void *user;
	const atomic_bool *stop;
	_Atomic size_t *next; /* run */
	bool tells;	      /* how far all of them are: the caller's thread */
	struct scan_file *file;
	uint32_t nfile;
	struct tl_encoder encoder; /* asks the file; encodes nothing */
	struct numbers keys;
	struct known *known;
	uint32_t room;
	struct {
		uint64_t unknown; /* records */
		bool unsound, gaps;
	} * files;
	unsigned long long bytes;
	bool marks;
	struct tl_trace_passed passed;
	struct event_cursor cursor; /* in runs of events */
	bool unread;
};

/* Fills in .known[place], which is new, under the history's lock. */
void scan_known_fill(struct scan_worker *worker, uint32_t place, enum known_kind kind,
		     uint32_t number);

/* Its place in .known. */
static inline uint32_t scan_known_place(struct scan_worker *worker, enum known_kind kind,
					uint32_t number)
{
	uint64_t file = kind == KNOWN_REQUEST ? 0 : worker->nfile;
	uint32_t count = worker->keys.count,
		 place = numbers_add(&worker->keys, file << 40 | (uint64_t)kind << 32 | number);

	if (place == count)
		scan_known_fill(worker, place, kind, number);
	return place;
}

/* Holds until a new one is asked for. */
static inline struct known *scan_known(struct scan_worker *worker, enum known_kind kind,
				       uint32_t number)
{
	uint32_t place = scan_known_place(worker, kind, number);

	return &worker->known[place];
}

/* The text's bytes as a JSON reader would give them, up to a NUL. NULL: there is no such text. */
const char *scan_text(const struct scan_worker *worker, uint32_t number, char room[TEXT_ROOM]);

/* ---- record_scan.c ---- */

static inline int64_t scan_time(uint64_t ns)
{
	return ns < (uint64_t)LATEST ? (int64_t)ns : LATEST;
}

void scan_worker_start(struct scan_worker *worker, struct record_scan *scan,
		       const struct scan_visitor *visitor, void *user);
void scan_worker_free(struct scan_worker *worker);

/* The worker reads from this file from now on. */
void scan_worker_take_file(struct scan_worker *worker, uint32_t file);

/* Gives the call to the visitor. `index`: what is noted of the run; NULL: nothing. */
void scan_worker_call(struct scan_worker *worker, struct scan_run *index,
		      const struct host_call *call);

/* A number as JSON would have it: large ones are texts there. False: it is none. */
bool scan_arg_is_number(const struct tl_event_arg *arg, double *number);

/* The same of 32 bits. 0: there is none. `arg` may be NULL. */
uint32_t scan_arg_number(const struct tl_event_arg *arg);

/* The event's arguments that matter, by their keys. Of several with one key the last counts. */
void scan_args_find(struct scan_worker *worker, const struct tl_event_record *event,
		    const struct tl_event_arg *args[KEYS]);

/* The request that an event names, and a request's number in the history. 0: none. */
uint32_t scan_event_request(const struct tl_event_record *event,
			    const struct tl_event_arg *const args[KEYS]);
uint32_t scan_request(struct scan_worker *worker, uint32_t id);

#endif

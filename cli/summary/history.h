/* SPDX-License-Identifier: MIT */
/*
 * history.h: what trace files say happened, as far as `tracelayer summary` needs it: every host
 * call and every device command, in few bytes each, with its thread, process, queue and request.
 *
 * The history is kept whole, but for those who take calls and commands out again (flat.h). What a queue waited for is known only from all of its commands and
 * all calls of the threads that filled it, and files have them thread by thread, not by time.
 * Files of one process, as --split makes them, are one history.
 */
#ifndef TL_CLI_SUMMARY_HISTORY_H
#define TL_CLI_SUMMARY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tables/call_tables.h"
#include "cli/basics/basics.h"
#include "cli/read/read.h"

#define NOBODY UINT32_MAX /* no thread, no queue */

struct symbols;
struct self_sums;
struct tl_stack_library;
struct tl_trace;
struct tl_text;

struct host_call {
	int64_t start, duration;
	uint32_t thread;
	uint32_t name : 30;
	bool failed : 1;
	bool own : 1;	  /* no call: an event of the program's own */
	uint32_t request; /* number in .requests; 0: none; or of a stack: see .stack_groups */
	/* with what it submitted; 0: nothing. After history_resolve: 1 + the queue's number */
	uint32_t correlation;
};

struct device_command {
	int64_t start, end, bytes;
	/* of the call that submitted it; its name is .submit, NOBODY: not known */
	int64_t submit_start, submit_end;
	uint32_t queue, row; /* numbers; of its table's row in .names */
	uint32_t correlation, request, thread, submit;
	uint32_t size; /* number in .sizes; 0: none */
	uint8_t kind;
	bool has_bytes, unfinished;
};

/* A call that submitted work: what its commands need of it. */
struct submission {
	int64_t start, end;
	uint32_t process, correlation, thread, name, request, queue;
};

/* An event that has begun. */
struct begun {
	int64_t start;
	uint32_t name, request;
	bool failed, own;
};

/* A thread, or a lane that is none. */
struct lane {
	uint32_t process;
	char *name; /* NULL: none */
	char *number;
	bool calls;    /* it has some */
	bool selected; /* the filter takes some of them */
	bool no_thread; /* not a thread's lane, but, for example, that of a device that the program reports */
	struct begun *stack;
	size_t depth, room;
};

struct process {
	char *name, *labels, *number;
	bool events;
};

struct queue {
	uint32_t process, number;
	uint32_t lane;
	char *device;	/* NULL: not said */
	char *hardware; /* the device's address on the bus, or its UUID; NULL: not said */
};

struct history {
	struct host_call *calls;
	size_t ncalls, calls_room;
	size_t nothers; /* calls behind these that a filter left out: queues may have waited for them */
	struct device_command *commands;
	size_t ncommands, commands_room;
	struct submission *submissions;
	size_t nsubmissions, submissions_room;
	struct lane *lanes;
	struct process *processes;
	struct queue *queues;
	uint32_t nlanes, nprocesses, nqueues;
	bool filtered; /* of lanes, .selected counts */
	/*
	 * Functions, rows; and by their keys: lanes, processes (with and without their file),
	 * queues, requests (0 is none). With .symbols, there are stacks in place of requests.
	 */
	struct lane_keys lane_keys;
	struct names names, queue_keys, requests, identities;
	/*
	 * of kernels: "64x64 in 8x8", global in local; 0 is none. Only kept where they are wanted
	 */
	struct names sizes;
	bool wants_sizes;
	/* Self times of calls, by the rows of the tables (self_times.h); NULL: not wanted */
	struct self_sums *self;
	struct event_kernel *kernels; /* likewise, by number in .names */
	uint32_t nkernels;
	struct symbols *symbols; /* of functions on stacks, for --by=stack; else NULL */
	/* symbols_name, which not all programs with a history link with */
	void (*frame_name)(void *symbols, struct tl_text *text,
			   const struct tl_stack_library *library, uint64_t address);
	/*
	 * trace_stacks_tell, for .tlt files whose events are read; NULL: their stacks have no names
	 */
	void (*tell_stacks)(struct event_stacks *stacks, int file, const struct tl_trace *trace,
			    struct symbols *symbols);
	unsigned frames; /* the innermost of a stack that count */
	/*
	 * With .symbols, the stacks that events have (stack_groups.h). By their numbers, which
	 * calls have in place of requests, numbers in .requests; NULL: not known yet, or calls have
	 * these.
	 */
	struct event_stacks stacks;
	uint32_t *stack_groups;
	uint32_t *process_of;  /* by number in .lane_keys */
	uint32_t *identity_of; /* process, by number in .identities */
	/* device commands without an end; marks that were ended where events are missing */
	size_t unfinished, cut;
	unsigned long long bytes; /* of events that are not calls, as the traces' ends say */
	unsigned long long lost;  /* events that the traces say they lack */
	int64_t start; /* when the first of the traces began, as they say; 0: they don't */
};

/* An event X, B or E, whatever it was read from. Texts are NULL where there are none. */
struct slice {
	char phase;
	uint32_t lane;
	int64_t start, duration;
	const char *name;
	uint32_t name_number; /* of .name in .names */
	struct event_category category;
	uint32_t request, correlation, queue, stack; /* 0: none */
	const char *kind, *device, *peer, *pci, *uuid, *global, *local;
	double bytes;
	struct event_kernel kernel;
	bool has_bytes, unfinished, cut;
};

void history_slice(struct history *history, const struct slice *slice);

/* An event of a file, which is known by its number. */
void history_event(struct history *history, const json_t *event, int file);

/* Times as a history has them, of what a file says. */
int64_t history_time(long long ns);
int64_t history_duration(long long ns);

/* Numbers by what names them in the files: a lane of a process, a queue, a request's id. */
uint32_t history_lane(struct history *history, int file, const char *process, const char *lane);
uint32_t history_queue(struct history *history, uint32_t lane, uint32_t number, const char *device);
/* Where the queue's device is. Either may be NULL; only the first value counts. */
void history_queue_hardware(struct history *history, uint32_t queue, const char *pci,
			    const char *uuid);
uint32_t history_request(struct history *history, uint32_t id);
uint32_t history_process(struct history *history, int file, const char *process);

/*
 * What tells that an earlier file is of the same process, which then goes on. In a trace of tracelayer it
 * comes before the events. NULL: not known.
 */
struct process_identity {
	const char *host, *rank, *executable;
};
void history_identify(struct history *history, int file, const char *process,
		      const struct process_identity *of);

/* Takes over a name or labels, unless there is none. */
void history_text(char **text, const char *value);

/* A trace began then, nanoseconds; 0: not known. */
void history_note_start(struct history *history, int64_t start);

/* The number of a kernel's work size. Either may be NULL. */
uint32_t history_size(struct history *history, const char *global, const char *local);

/* Notes what a command says of its kernel. Of kernels of one name the first counts. */
void history_kernel(struct history *history, uint32_t row, const struct event_kernel *kernel);

/* No clock has come further, and sums of smaller times can't overflow. */
#define LATEST	(INT64_C(1) << 59)
#define LONGEST (INT64_C(1) << 53) /* a hundred days */

/* Fills in what the call that submitted the command knows about it. */
void history_resolve_command(const struct history *history, struct device_command *command);

/* All events are in: match commands with the calls that submitted them. */
void history_resolve(struct history *history);

/* A history without events, which is to be read as this one. This one is freed. */
void history_restart(struct history *history);

/* B events without an E. */
size_t history_unended(const struct history *history);

void history_free(struct history *history);

#endif

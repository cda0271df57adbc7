/* SPDX-License-Identifier: MIT */
/*
 * live_records.h: what a traced process records, as it does so: the calls that returned and the device
 * commands that ended since the last look, and the calls that are open.
 *
 * The process writes its chunks out and uses them again, so a fast program overwrites records
 * between two looks. How many is known from the chunks' numbers: `missed` below.
 *
 * Times are nanoseconds of the process's CLOCK_MONOTONIC.
 */
#ifndef TL_CLI_LIVE_LIVE_RECORDS_H
#define TL_CLI_LIVE_LIVE_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/file/trace_file.h"

struct live_records;

/* A call that returned. */
struct live_call {
	uint32_t lane; /* its thread's, in the process */
	uint32_t function;
	uint64_t start, end;
	bool failed;
};

/* A command that a device's queue has executed. */
struct live_command {
	uint32_t lane;	/* of a queue; it has several where commands overlap */
	uint32_t queue; /* its number in the process; 0: unknown */
	uint32_t from;	/* the lane of the thread that recorded it */
	uint64_t start, end;
	uint64_t submitted; /* 0: unknown */
};

struct live_open {
	uint32_t function;
	uint64_t start;
};

struct live_visitor {
	void *user;
	void (*call)(void *user, const struct live_call *call);
	void (*command)(void *user, const struct live_command *command);
};

/* NULL: there is no such file, or it is not (yet) a buffers file. */
struct live_records *live_records_open(const char *path);
void live_records_close(struct live_records *records);

const struct tl_file_header *live_records_header(const struct live_records *records);
const char *live_records_path(const struct live_records *records);

/* The program's name; "?" until it is known. Stays until the records are closed. */
const char *live_records_program(struct live_records *records);
bool live_records_has_program(const struct live_records *records);

/* The process's CLOCK_MONOTONIC now. */
uint64_t live_records_now(const struct live_records *records);

/*
 * Visits what was recorded since the last look. False: the process has ended. The first look has
 * visitor NULL: what was recorded before is passed over.
 */
bool live_records_look(struct live_records *records, const struct live_visitor *visitor);

/* How many bytes of the lane's records the looks since the last question have read, and have missed. */
void live_records_missed(struct live_records *records, uint32_t lane, uint64_t *read,
			 uint64_t *missed);

/* The threads: their lanes, one after another. `place` starts at 0. False: no more. */
struct live_thread {
	uint32_t lane, tid;
	char name[16]; /* ended by a NUL */
};
bool live_records_thread(struct live_records *records, size_t *place, struct live_thread *thread);

/* The calls that the thread given last has open, the outermost first, at most `most`. */
uint32_t live_records_opens(const struct live_records *records, struct live_open *opens,
			    uint32_t most);

/* Names stay until the records are closed. NULL: not known (yet). */
const char *live_records_function(struct live_records *records, uint32_t function);
const char *live_records_queue(struct live_records *records, uint32_t lane);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * record_reader.h: reads files in the record format (trace_file.h): buffers that a process left
 * behind, and .tlt files.
 *
 * For the command and the tests; the layer has no part of it. Nothing in a file is trusted: damaged
 * parts are left out, and .problems describes them. The rest lies in the struct below, sorted by
 * lane, and stays until tl_trace_close.
 *
 * 	struct tl_trace *trace = tl_trace_open(path, why, sizeof(why));
 * 	for (size_t i = 0; i < trace->nruns; i++) {
 * 		struct tl_trace_place place = {0};
 * 		const struct tl_call_record *record;
 * 		while ((record = tl_trace_next(&trace->runs[i], &place)))
 * 			encoder.format->record(&encoder, &text,
 * 			trace->lanes[trace->runs[i].lane].shown, record, place.left);
 * 	}
 */
#ifndef TL_FORMAT_FILE_RECORD_READER_H
#define TL_FORMAT_FILE_RECORD_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/file/record.h"
#include "format/file/trace_file.h"

/* A thread's lane. */
struct tl_trace_lane {
	uint32_t lane;	     /* number */
	uint32_t tid, shown; /* the kernel's, and the one to be shown */
	char name[16];	     /* ended by a NUL */
	uint64_t lost, lost_said;
	struct tl_unfinished *opens; /* outermost first; in spools only of processes that died */
	size_t nopens;
	size_t first_run, nruns; /* its part of .runs */
};

/* A lane that is no thread's: events name it by its number, whichever thread recorded them. */
struct tl_trace_named_lane {
	uint32_t lane; /* number */
	uint32_t shown;
	uint32_t name; /* number of a text: tl_trace_string */
	int32_t sort;
};

/* Records of one lane that the output lacks (buffers), or that are in the file (spool). */
struct tl_trace_run {
	size_t lane; /* index in .lanes */
	const char *records;
	uint64_t size;	 /* bytes */
	uint64_t offset; /* of .records in the file, for messages */
};

/* How much of the output file is written, if its process had one (buffers only). */
struct tl_trace_output {
	bool made; /* what follows is set */
	enum tl_output_format format;
	bool gzip;
	uint32_t number;
	uint64_t device, inode;
	char path[4096], pattern[2048];
	uint64_t block;
	struct tl_output_slot slot; /* that of the block */
	uint64_t at;		    /* of its piece in the buffers file, in bytes */
};

struct tl_trace {
	struct tl_file_header header; /* a copy; its strings are ended */
	bool has_facts;
	/* strings ended; .members sound JSON. Without facts: the header's pid */
	struct tl_facts facts;
	bool has_output;
	struct tl_trace_output output;
	struct tl_trace_lane *lanes; /* by number */
	size_t nlanes;
	struct tl_trace_run *runs; /* by lane, and in each in the order of recording */
	size_t nruns;
	struct tl_trace_named_lane *named; /* by number */
	size_t nnamed;
	bool ended; /* spool: its END piece is there */
	/* what END says. Buffers: .lost is the sum of the lanes' */
	uint64_t events, lost;
	uint64_t overwritten;		 /* what END says. Buffers: the threads' sum */
	struct tl_clock_pair end_clocks; /* what END says; zeros: unknown */
	struct tl_time_of_day end_time;	 /* the same */
	uint32_t resumed;		 /* the same. Buffers: what the header says */
	uint32_t stackless;		 /* what END says */
	/* records are missing in it: a ring overwrote them, or they were lost */
	bool gaps;
	/* the latest tick in the file: unfinished calls end there */
	uint64_t last;
	/* spool: it was cut before its first clock, and its records' times are ticks; not in .problems */
	bool clockless;
	char **problems; /* lines: what was damaged, and where */
	size_t nproblems;
};

/*
 * Open a file; "-" is standard input. NULL where it can't be read or has another format, and why in
 * `why`, without the path. The same for an open descriptor, which stays the caller's, and for bytes
 * in memory, aligned to 8, that stay where they are.
 */
struct tl_trace *tl_trace_open(const char *path, char *why, size_t room);
struct tl_trace *tl_trace_open_fd(int fd, char *why, size_t room);
struct tl_trace *tl_trace_open_bytes(const void *bytes, size_t size, char *why, size_t room);
void tl_trace_close(struct tl_trace *trace);

/*
 * From now on, functions of the trace have the names that `shown` returns for those that the file has. It
 * keeps them as long as the trace is open. None has control characters.
 */
void tl_trace_show_names(struct tl_trace *trace, const char *(*shown)(const char *name));

/*
 * A further problem, found while the trace is used. Lines beyond the first hundred are only
 * counted.
 */
void tl_trace_problem(struct tl_trace *trace, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A text among the members of a process's facts, cut where it is longer. False: there is none, and
 * `to` is empty.
 */
bool tl_facts_text(const struct tl_facts *facts, const char *key, char *to, size_t room);

/*
 * The next finished record of a run; NULL where there are no more. `place` starts zeroed. Reading
 * stops at a record that can't be stepped over: .unsound is then 1 + its place. Safe in several
 * threads, each with a place of its own.
 */
struct tl_trace_place {
	uint64_t at; /* bytes of the run behind the record that was given last */
	/* bytes from that record to the run's end, for encoders */
	uint64_t left;
	uint64_t unsound;
	uint64_t unfinished; /* records that were being made, stepped over */
	uint64_t told;	     /* bytes of the run: tl_trace_left */
};
/*
 * Records of type TL_RECORD_PAD are gaps (tl_record_is_gap), of 8 bytes. Records of type
 * TL_RECORD_EVENT are struct tl_event_record, with all of their args.
 */
const struct tl_call_record *tl_trace_next(const struct tl_trace_run *run,
					   struct tl_trace_place *place);

/*
 * What was read and is still in memory, zeroed at first. tl_trace_passed tells it after each record
 * how far a run was read, tl_trace_left at the run's end. Each megabyte of a mapped file is taken
 * out of the process's memory again; it comes back when it is read once more. Safe in several
 * threads, each with a struct of its own.
 */
struct tl_trace_passed {
	uint64_t from, until; /* bytes of the file */
	uint64_t bytes;	      /* how many of them were read */
};
#define TL_TRACE_RELEASED (UINT64_C(1) << 20)
void tl_trace_left(const struct tl_trace *trace, const struct tl_trace_run *run,
		   struct tl_trace_place *place, struct tl_trace_passed *passed);
static inline void tl_trace_passed(const struct tl_trace *trace, const struct tl_trace_run *run,
				   struct tl_trace_place *place, struct tl_trace_passed *passed)
{
	if (place->at - place->told >= TL_TRACE_RELEASED)
		tl_trace_left(trace, run, place, passed);
}

/*
 * For buffers whose output is gone: also return the records that were written to it, as far as the
 * buffers still have them.
 */
void tl_trace_written_too(struct tl_trace *trace);

/*
 * What an encoder asks of the trace; struct tl_encoder says what each returns. Several threads may
 * ask at once, unless one changes the trace's clock.
 */
uint64_t tl_trace_ns(const struct tl_trace *trace, uint64_t ticks);
const struct tl_function *tl_trace_function(const struct tl_trace *trace, uint32_t id);
const char *tl_trace_string(const struct tl_trace *trace, uint32_t number, size_t *size);
uint32_t tl_trace_shown_lane(const struct tl_trace *trace, uint32_t number);
bool tl_trace_has_call(const struct tl_trace *trace, uint32_t tid, uint64_t ns);

/*
 * The texts, one after another; `place` starts zeroed. NULL: no more. Returns the whole entry as it
 * lies in a strings piece, including its first unit: *size bytes, whole units.
 */
struct tl_trace_text_place {
	size_t piece;
	uint64_t unit;
};
const void *tl_trace_next_text(const struct tl_trace *trace, struct tl_trace_text_place *place,
			       uint32_t *number, size_t *size);

/* API by number; NULL: none. */
const struct tl_api *tl_trace_api(const struct tl_trace *trace, uint32_t number);

/*
 * Points of the clock. A counter with fewer than two points can't be converted: its ticks count as
 * nanoseconds.
 */
uint32_t tl_trace_clock_points(const struct tl_trace *trace);

/* All points, as a file has them (of more than those have room for, the first). */
void tl_trace_clock_copy(const struct tl_trace *trace, struct tl_clock_table *to);

/*
 * Add a pair (ticks, nanoseconds of CLOCK_MONOTONIC) behind the last point. Times that were
 * converted before stay valid. False: the pair lies before that point, or the file's ticks are
 * nanoseconds.
 */
bool tl_trace_clock_add(struct tl_trace *trace, uint64_t ticks, uint64_t ns);

/* Add the pair of this moment, if the file was made by this machine since it was started. */
bool tl_trace_clock_now(struct tl_trace *trace);

#endif

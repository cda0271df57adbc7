/* SPDX-License-Identifier: MIT */
/*
 * timeline_records.h: the records of a process, as they go into a file that has other processes, too:
 * selected, with other numbers.
 *
 * 	timeline_records_open(&records, process, &numbers, &selection, start);
 * 	while (timeline_records_next(&records))
 * 		…the records of records.batch, of the thread records.tid…
 * 	timeline_records_close(&records);
 *
 * A batch is a copy. Times in it are the process's own ticks and nanoseconds, except that events with
 * TL_EVENT_NS have the output's. Memory is that of a batch. If events are selected by more than
 * their process, it is also 24 bytes for each slice that is selected.
 */
#ifndef TL_CLI_EXPORT_TIMELINE_RECORDS_H
#define TL_CLI_EXPORT_TIMELINE_RECORDS_H

#include "cli/basics/lane_spans.h"
#include "cli/read/selection.h"
#include "cli/export/timeline_inputs.h"
#include "cli/export/timeline_numbers.h"
#include "format/file/record_reader.h"

/* An event B that has had no E so far. */
struct timeline_mark {
	uint64_t start;
	bool wanted, put;
	char *record; /* of one that is not put yet: its E decides */
};

struct timeline_marks {
	struct timeline_mark *list;
	size_t depth, room;
};

/* Where a flow of the program's own begins. */
struct timeline_flow {
	uint64_t number, ns;
	uint32_t shown;
};

struct timeline_records {
	const struct timeline_process *process;
	const struct selection *selection;
	struct timeline_numbers *numbers; /* NULL: they stay as they are */
	uint64_t from, to;		  /* the time that is selected, by the process's clock */
	bool selects;

	struct tl_trace **traces; /* of its files */
	const char **paths;
	size_t ntraces, at; /* .at: the one that is being read */
	const struct tl_trace *trace;
	size_t run;
	struct tl_trace_place place;

	/* The batch. */
	struct tl_trace_run batch;
	uint32_t tid; /* the thread's number in the output */
	char *bytes;
	size_t size, room;

	/* What is selected. */
	struct numbers left_out; /* lanes of this file */
	struct numbers queues;	 /* its lanes with device commands, if that matters */
	uint64_t *queue_numbers; /* of each of these */
	struct numbers marked;	 /* lanes with marks */
	struct timeline_marks *marks;
	bool lists;		     /* slices go to this list, and records nowhere */
	struct lane_spans slices;    /* those that are selected, in the process's own numbers */
	struct timeline_flow *begun; /* while slices are listed */
	size_t nbegun, begun_room;
	struct numbers flows; /* those that begin in a slice that is selected */

	uint32_t correlation; /* the number of this word; 0: not known yet */
};

/*
 * The files of a process. `start`: of the trace, by the output's clock. False, after a message: no
 * file can be read. The process and the others stay where they are.
 */
bool timeline_records_open(struct timeline_records *records, const struct timeline_process *process,
			   struct timeline_numbers *numbers, const struct selection *selection,
			   uint64_t start);

/* The next batch; records->trace is the file that it is from. False: there is none. */
bool timeline_records_next(struct timeline_records *records);

/* Whether a lane of the file that is being read is selected, by the number that it is shown by. */
bool timeline_records_has_lane(const struct timeline_records *records, uint32_t shown);

/* Whether a call that has not returned is selected. */
bool timeline_records_has_open(const struct timeline_records *records,
			       const struct tl_trace_lane *lane, const struct tl_unfinished *open);

/* How many events are selected. */
uint64_t timeline_records_count(const struct timeline_process *process,
				const struct selection *selection, uint64_t start);

void timeline_records_close(struct timeline_records *records);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * export_timeline.h: one output of many .tlt files: the processes of a job on one clock.
 *
 * One process's files are open at a time. An event has the numbers of timeline_numbers.h, and times
 * by the clock of the machine that was started first.
 */
#ifndef TL_CLI_EXPORT_EXPORT_TIMELINE_H
#define TL_CLI_EXPORT_EXPORT_TIMELINE_H

#include "cli/export/mpi_messages.h"
#include "cli/read/selection.h"
#include "cli/symbols/symbols.h"
#include "cli/export/timeline_inputs.h"
#include "cli/export/timeline_numbers.h"
#include "cli/export/timeline_stream.h"
#include "cli/outputs/outputs.h"
#include "cli/outputs/trace_encoder.h"
#include "format/encode/formats.h"

struct timeline {
	struct timeline_inputs inputs;
	struct selection selection;
	const struct tl_format *format;
	bool gzip;
	enum gpu_tracks gpu_tracks;
	struct symbols *symbols; /* names of stacks' frames; NULL: places in files */
	struct timeline_numbers numbers;
	struct mpi_messages messages; /* shown as arrows */
	uint64_t events;
	bool incomplete; /* a part of the input is not sound; a line said what */
};

/* What each kind of output does with the processes. False: errno says why. */

/* All processes to one file of timeline->format. */
bool timeline_write(struct timeline *timeline, int fd, const char *where);

/* Processes [first, last) to a stream, as a whole file. */
bool timeline_write_some(struct timeline *timeline, struct timeline_stream *stream, size_t first,
			 size_t last, const char *where);

/* A .pftrace for each rank, in an archive with Perfetto's manifest. Whether this tracelayer can: false, after a message about the path. */
bool timeline_tar_is_there(const char *path);
bool timeline_write_tar(struct timeline *timeline, int fd, const char *where);

/*
 * An archive of OTF2: PATH, and beside it what its name says. An exit code, after a message where it
 * is not EXIT_DONE.
 */
int timeline_write_otf2(struct timeline *timeline, const char *path, bool force);

/* The process's files have been read: says what was not sound in them. */
struct timeline_records;
void timeline_judge(struct timeline *timeline, const struct timeline_records *records,
		    uint64_t unknown, const char *where);

/* Says so if the output has more events than viewers open. */
void timeline_warn(const struct timeline *timeline, const char *output);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * timeline_clock.h: how the clocks of several trace files relate to each other.
 *
 * Times in a file are readings of its process's CLOCK_MONOTONIC. All processes of a machine that was
 * started once share that clock, unless they are in different time namespaces.
 */
#ifndef TL_CLI_EXPORT_TIMELINE_CLOCK_H
#define TL_CLI_EXPORT_TIMELINE_CLOCK_H

#include <stddef.h>

#include "format/file/record_reader.h"

/* A clock that several files have. */
struct timeline_clock {
	char boot[sizeof(((struct tl_file_header *)NULL)->boot)];
	int64_t offset;
};

/* Begins as zeros. */
struct timeline_clocks {
	struct timeline_clock *list;
	size_t count;
};

/* Nanoseconds that the time of day is ahead of the file's clock, by what the file says itself. */
int64_t timeline_offset(const struct tl_trace *trace);

/*
 * The same for a file of this boot, but equal for files of one clock: the offset of the file of that
 * clock that was asked for first.
 */
int64_t timeline_clocks_offset(struct timeline_clocks *clocks, const char *boot, int64_t offset);

void timeline_clocks_free(struct timeline_clocks *clocks);

#endif

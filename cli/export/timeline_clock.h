/* SPDX-License-Identifier: MIT */
/*
 * timeline_clock.h: how the clocks of several trace files relate to each other.
 *
 * Times in a file are readings of its process's CLOCK_MONOTONIC. All processes of a machine that was
 * started once share that clock, unless they are in time namespaces of other offsets. The file says
 * in which one its process was. If it does not, since it is older, clocks that are far apart are two.
 *
 * Each process read its clock together with the time of day, when it began and when it ended. The
 * time of day minus the clock does not drift: NTP steers both alike. It changes when somebody sets
 * the time of day.
 */
#ifndef TL_CLI_EXPORT_TIMELINE_CLOCK_H
#define TL_CLI_EXPORT_TIMELINE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/export/align_fit.h"
#include "format/file/record_reader.h"

/* Both clocks at one instant. */
struct timeline_pair {
	int64_t offset;	   /* what the time of day is ahead of the clock */
	uint64_t error_ns; /* of the reading */
	struct tl_time_of_day time;
};

/* Which clock a file has. */
struct timeline_clock_name {
	char boot[sizeof(((struct tl_file_header *)NULL)->boot)];
	bool has_namespace;
	int64_t ahead; /* of the machine's clock, by its time namespace */
};

/* A clock that several files have. */
struct timeline_clock {
	struct timeline_clock_name name;
	char host[sizeof(((struct tl_facts *)NULL)->host)];
	int64_t offset; /* the time of day minus it; aligned by MPI: so that it agrees with the others */
	bool is_aligned;
	/* What is to be added, beside a constant, at its own times: its drift. */
	struct align_point *points;
	size_t count;

	int64_t least, most;	   /* offsets that were read */
	struct timeline_pair best; /* the one that is known to be most right, else the first */
};

/* Begins as zeros. */
struct timeline_clocks {
	struct timeline_clock *list;
	size_t count;
};

struct timeline_clock_name timeline_clock_name(const struct tl_trace *trace);

/* What a file says itself: of its beginning, and of its end. */
struct timeline_pair timeline_pair_begun(const struct tl_trace *trace);
struct timeline_pair timeline_pair_ended(const struct tl_trace *trace);

/* The number of the clock of that name. A new one has that offset: the first file's. */
size_t timeline_clocks_add(struct timeline_clocks *clocks, const struct timeline_clock_name *name,
			   const char *host, int64_t offset);

void timeline_clock_read(struct timeline_clock *clock, const struct timeline_pair *pair);

/*
 * After all pairs were read: if the time of day was set meanwhile, the clocks are where the best pair
 * says.
 */
void timeline_clocks_settle(struct timeline_clocks *clocks);

/* One line about clocks that the time of day sets: how right it is on each machine. */
void timeline_clocks_say(const struct timeline_clocks *clocks);

void timeline_clocks_free(struct timeline_clocks *clocks);

#endif

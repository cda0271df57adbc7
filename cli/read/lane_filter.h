/* SPDX-License-Identifier: MIT */
/*
 * lane_filter.h: the processes, threads and queues that the events of trace files are of, and which of
 * them the user selects. A first reading of the files gives their names and devices.
 */
#ifndef TL_CLI_READ_LANE_FILTER_H
#define TL_CLI_READ_LANE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/read/json.h"
#include "cli/read/lane_keys.h"
#include "cli/read/selection.h"

struct event_process;
struct event_lane;

/* Begins as zeros, apart from .selection. */
struct lane_filter {
	const struct selection *selection;
	size_t file; /* the file that is read */
	struct lane_keys keys;
	struct event_process *processes;
	struct event_lane *lanes;
	bool has_start;
	int64_t first_event;
	int64_t start; /* of the trace: as it says itself, or the first event's */
	int64_t date;  /* the time of day then, nanoseconds since 1970; 0: not known */
	/* what was asked for last */
	struct {
		bool is_known;
		size_t file;
		uint32_t process, thread, lane;
	} last;
};

/* The first reading. An exit code: EXIT_BROKEN comes after a message. */
int lane_filter_read(struct lane_filter *filter, char *const *paths, size_t count);

/* The number of an event's process or lane, in the file that is read. */
uint32_t lane_filter_process(struct lane_filter *filter, const json_t *event);
uint32_t lane_filter_lane(struct lane_filter *filter, const json_t *event);
uint32_t lane_filter_numbered(struct lane_filter *filter, uint32_t process, uint32_t thread);

/* Whether the user selects it. For after the first reading. */
bool lane_filter_has_process(struct lane_filter *filter, uint32_t process);
bool lane_filter_has_lane(struct lane_filter *filter, uint32_t lane);
/* The thread of these numbers, of the first file. */
bool lane_filter_has_thread(struct lane_filter *filter, const char *pid, const char *tid);

void lane_filter_free(struct lane_filter *filter);

#endif

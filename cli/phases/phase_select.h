/* SPDX-License-Identifier: MIT */
/*
 * phase_select.h: the part of a trace that the user selects: threads, names of marks, how long
 * marks are, and a time. A mark counts if it is of a thread that is selected, is long enough, and
 * has a name that is selected or lies in one that has. Of what lies only partly in the time, that
 * part counts, so that times still add up.
 *
 * Traces of tracelayer say when they began, and what their processes and threads are called. In a
 * systrace threads have the names of their tasks, a process has that of its first thread, and the
 * beginning is the first row.
 */
#ifndef TL_CLI_PHASES_PHASE_SELECT_H
#define TL_CLI_PHASES_PHASE_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/phases/phase_run.h"
#include "cli/phases/phase_threads.h"
#include "cli/read/lane_filter.h"
#include "cli/read/selection.h"
#include "cli/systrace/systrace.h"

/* Begins as zeros, with what the options say in .selection: everything. */
struct phase_select {
	struct selection selection;
	struct lane_filter lanes; /* of a trace of tracelayer */
	bool has_lanes;
	struct mark_limits limits;
};

/*
 * Call it after the first pass. `path` is that of a trace of tracelayer; NULL: it is a systrace. An
 * exit code, after a message.
 */
int phase_select_begin(struct phase_select *select, struct systrace_text *text, const char *path);

/* Whether this one of the tracked threads is selected. */
bool phase_select_has_thread(struct phase_select *select, const struct threads *threads,
			     uint32_t tracked);

/* Whether the name of a mark is selected. `mark`: all of the row's, from B on. */
bool phase_select_has_name(const struct phase_select *select, const char *mark, size_t size);

void phase_select_free(struct phase_select *select);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * phase_run.h: one run of an NNAPI program while it is read. phase_times.h adds it up.
 *
 * A run ends where the next mark [NN_LA_PO] begins. The memory of one run is used again for the
 * next.
 */
#ifndef TL_CLI_PHASES_PHASE_RUN_H
#define TL_CLI_PHASES_PHASE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/systrace/systrace.h"
#include "cli/phases/phase_tree.h"

/* Why a run is not valid. */
enum run_fault {
	RUN_SOUND,
	RUN_TAG,	 /* a mark's brackets do not hold a layer and a phase */
	RUN_OTHER,	 /* neither client nor server */
	RUN_END,	 /* an end where nothing was begun */
	RUN_SWITCH,	 /* a switch where nothing was begun */
	RUN_DEEP,	 /* too many marks, each within the other */
	RUN_PHASE,	 /* the phase may not stand below that of the mark above */
	RUN_LAYER,	 /* the layer of the mark above does not call this layer */
	RUN_UNSPECIFIED, /* no phase, and no mark above that has one */
	RUN_WAITS,	 /* an execution was started and not waited for */
	RUN_NOTIFIES,	 /* drivers began executions, and did not notify of the same number */
};

struct span {
	double start, end; /* ms */
	bool is_named;
};

struct spans {
	struct span *list;
	size_t count, room;
};

struct tracker {
	uint64_t thread;
	bool is_driver;
	bool is_left_out;    /* its thread is not selected */
	uint32_t root, open; /* the innermost mark that has not ended; the root if all have */
	unsigned depth;
	uint64_t application_executions[OVERALLS];
	struct spans calls[OVERALLS][TIMED_FUNCTIONS];
	struct tree_sums sums, own; /* by the contract; by the call tree */
};

struct run {
	struct tracker *trackers; /* in the order in which threads were found to be of interest */
	size_t ntrackers;
	struct pool pool;
	enum overall overall;
	const struct mark_limits *limits; /* what is selected; NULL: everything */
	/*
	 * The trace is tracelayer's: drivers are in the process, and the runtime calls them. If the
	 * trace has no NNAPI calls, the trees say what execution took.
	 */
	bool is_ours;
	char *starting_mark;
	size_t starting_size;

	/* The mark that a fault is about. */
	struct {
		const struct tracker *tracker;
		uint64_t offset; /* of the row */
		uint32_t node;	 /* in a tree; NO_NODE: the offset is all there is */
		enum overall overall;
		size_t begun, ended; /* how many, where numbers differ */
	} fault;
};

/*
 * A mark of this thread begins or ends. `text` may be written to. `is_named`: its name is selected,
 * and so is all that lies in it.
 */
enum run_fault run_begin(struct run *run, struct tracker *tracker, double time, uint64_t offset,
			 char *text, size_t size, bool is_named);
enum run_fault run_end(struct run *run, struct tracker *tracker, double time, uint64_t offset);

/* A tracker that counts and whose marks have not all ended, or NULL. */
const struct tracker *run_open(const struct run *run);

/* Notes the mark that the fault is about. Returns `why`. */
enum run_fault run_set_fault(struct run *run, enum run_fault why, const struct tracker *tracker,
			     uint64_t offset, uint32_t node);

void spans_add(struct spans *spans, struct span span);

/* Whether anything counts. For after run_add_up (phase_times.h). */
bool run_has_marks(const struct run *run);

/* Forgets the marks of a thread. */
void tracker_clear(struct tracker *tracker);

/* Begins another run. */
void run_clear(struct run *run);
void run_free(struct run *run);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * phase_run.h: one run of an NNAPI program while it is read, and what its layers spent in its
 * phases.
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

/* Why a run is no run. */
enum run_fault {
	RUN_SOUND,
	RUN_TAG,	 /* a mark's brackets do not hold a layer and a phase */
	RUN_OTHER,	 /* neither client nor server */
	RUN_END,	 /* an end where nothing was begun */
	RUN_SWITCH,	 /* a switch where nothing was begun */
	RUN_DEEP,	 /* too many marks, each within the other */
	RUN_PHASE,	 /* the phase may not stand below that of the mark above */
	RUN_LAYER,	 /* the layer is not called by that of the mark above */
	RUN_UNSPECIFIED, /* no phase, and no mark above that has one */
	RUN_WAITS,	 /* an execution was started and not waited for */
	RUN_NOTIFIES,	 /* drivers began executions, and did not notify of the same number */
};

struct span {
	double start, end; /* ms */
};

struct spans {
	struct span *list;
	size_t count, room;
};

struct tracker {
	uint64_t thread;
	bool is_driver;
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
	/*
	 * A trace of ours: drivers are in the process, and called by the runtime; execution is what
	 * the trees say, where NNAPI's single calls are not there.
	 */
	bool is_ours;
	char *starting_mark;
	size_t starting_size;

	/* What a fault is about. */
	struct {
		const struct tracker *tracker;
		uint64_t offset; /* of the row */
		uint32_t node;	 /* in a tree; NO_NODE: the offset is all there is */
		enum overall overall;
		size_t begun, ended; /* how many, where numbers differ */
	} fault;
};

/* By phase and layer, ms; NN_LAYER_LT is the longest. NAN where nothing is known. */
struct phase_table {
	double of[NN_PHASES][NN_LAYERS + 1];
};

/* Tables of the whole, and by what the program was doing overall (PO is the whole). */
struct phase_times {
	struct phase_table total[OVERALLS], self[OVERALLS];
	/* what each spends itself, by the call tree: each moment once; totals are sums */
	struct phase_table tree[OVERALLS];
	uint64_t executions[OVERALLS];
	bool is_benchmark; /* warmed up and measured: there are tables of both */
	bool is_half;	   /* only one of these: it is in the whole */
};

/* A mark of this thread's that begins, or ends, something. `text` may be written to. */
enum run_fault run_begin(struct run *run, struct tracker *tracker, double time, uint64_t offset,
			 char *text, size_t size);
enum run_fault run_end(struct run *run, struct tracker *tracker, double time, uint64_t offset);

/* The tracker whose marks have not all ended, or NULL. */
const struct tracker *run_open(const struct run *run);

enum run_fault run_add_up(struct run *run, struct phase_times *times);

/* Another one begins. */
void run_clear(struct run *run);
void run_free(struct run *run);

#endif

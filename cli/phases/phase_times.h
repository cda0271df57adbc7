/* SPDX-License-Identifier: MIT */
/*
 * phase_times.h: what NNAPI's layers spent in its phases, in a run that has been read.
 */
#ifndef TL_CLI_PHASES_PHASE_TIMES_H
#define TL_CLI_PHASES_PHASE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/phases/phase_run.h"

/* By phase and layer, ms; NN_LAYER_LT is the longest. NAN where nothing is known. */
struct phase_table {
	double of[NN_PHASES][NN_LAYERS + 1];
};

/* Tables of the whole, and by what the program was doing overall (PO is the whole). */
struct phase_times {
	struct phase_table total[OVERALLS], self[OVERALLS];
	/* own times by the call tree: each moment counts once; totals are sums */
	struct phase_table tree[OVERALLS];
	uint64_t executions[OVERALLS];
	bool is_benchmark; /* warmed up and measured: there are tables of both */
	bool is_half;	   /* only one of these: it is in the whole */
};

/* Arranges the run's trees and fills `times`. On a fault, run->fault says what it is about. */
enum run_fault run_add_up(struct run *run, struct phase_times *times);

#endif

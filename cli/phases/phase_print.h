/* SPDX-License-Identifier: MIT */
/*
 * phase_print.h: prints what a run spent, as Android's tool does: two tables for people, and JSON.
 */
#ifndef TL_CLI_PHASES_PHASE_PRINT_H
#define TL_CLI_PHASES_PHASE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/phases/phase_times.h"

struct phase_style {
	bool total_times;   /* times include what a layer calls; otherwise each layer's own time */
	bool call_tree;	    /* each layer's own time by the call tree, instead of by columns */
	bool per_execution; /* only execution, divided by the number of executions */
};

/* `starting_mark` is the mark at the beginning of the run; it may be empty. */
void phase_print_text(FILE *to, const struct phase_style *style, const struct phase_times *times,
		      const char *starting_mark, size_t size);
/* Prints an object. The caller prints the array around it. */
void phase_print_json(FILE *to, const struct phase_style *style, const struct phase_times *times,
		      const char *starting_mark, size_t size);

#endif

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
	bool total_times;   /* of layers with all that they call; else what each spends itself */
	bool call_tree;	    /* what each spends itself by the call tree, instead of by columns */
	bool per_execution; /* execution alone, divided by how many there were */
};

/* `starting_mark` is the mark that the run began with, which may be empty. */
void phase_print_text(FILE *to, const struct phase_style *style, const struct phase_times *times,
		      const char *starting_mark, size_t size);
/* An object; what stands around it in an array is the caller's. */
void phase_print_json(FILE *to, const struct phase_style *style, const struct phase_times *times,
		      const char *starting_mark, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * timeline_numbers.h: numbers that processes gave by themselves, made different for one file.
 *
 * A process, a thread or a lane keeps its number if no other process of the file has it. Otherwise
 * it gets a new one, which no kernel gives. Flows and correlations get new numbers if the file has
 * several processes.
 */
#ifndef TL_CLI_EXPORT_TIMELINE_NUMBERS_H
#define TL_CLI_EXPORT_TIMELINE_NUMBERS_H

#include "cli/basics/basics.h"

/* Begins as zeros. */
struct timeline_numbers {
	struct numbers taken; /* of processes, threads and lanes */
	uint32_t fresh;	      /* the last one that was given in place of another */
	struct numbers flows; /* upper parts of flows' numbers, with the process they are of */
	uint32_t process;     /* counts processes, from 1 */
	uint32_t correlations_below, correlations; /* of the processes before; of all */

	/* The process that is being written. */
	struct numbers own;
	uint32_t *shown; /* by place in .own */
	size_t room;
};

/* Another process's numbers follow. */
void timeline_numbers_next(struct timeline_numbers *numbers);

/* The number of a process, a thread or a lane. 0 stays 0. */
uint32_t timeline_number(struct timeline_numbers *numbers, uint32_t own);

uint64_t timeline_number_of_flow(struct timeline_numbers *numbers, uint64_t own);
uint32_t timeline_number_of_correlation(struct timeline_numbers *numbers, uint32_t own);

void timeline_numbers_free(struct timeline_numbers *numbers);

#endif

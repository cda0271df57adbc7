/* SPDX-License-Identifier: MIT */
/*
 * mpi_comms.h: the communicators of a job, and which of each process's own they are.
 */
#ifndef TL_CLI_EXPORT_MPI_COMMS_H
#define TL_CLI_EXPORT_MPI_COMMS_H

#include <stddef.h>

#include "cli/export/mpi_messages.h"
#include "cli/export/mpi_process.h"

struct mpi_job {
	struct mpi_messages *messages;
	const struct timeline_inputs *inputs;
	struct mpi_process *list; /* those that use MPI, by rank */
	size_t count;
	size_t ranks; /* of all communicators */
};

/* Fills in the job's communicators, and .comm and .rank of those that its processes made. */
void mpi_comms_find(struct mpi_job *job);

#endif

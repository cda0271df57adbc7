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
	uint32_t world; /* its number among the communicators */
	size_t ranks;	/* of all communicators, also of other jobs */
};

/* Of all communicators. With more, further communicators are not known: a file may claim any number. */
#define MPI_ALL_RANKS_MOST ((size_t)2 * MPI_RANKS_MOST)

/* NULL: the rank's trace is not there. */
struct mpi_process *mpi_process_of_rank(const struct mpi_job *job, int64_t rank);

/* What the process's place-th call made of one of the job's communicators. NULL: it is not known. */
struct mpi_own_comm *mpi_own_made(const struct mpi_process *process, uint32_t parent,
				  uint32_t place);

/* The number of a new communicator, whose ranks are to be filled in. */
uint32_t mpi_comm_add(struct mpi_job *job, size_t count, uint32_t parent, bool is_whole);

/* Fills in the job's communicators, and .comm and .rank of those that its processes made. */
void mpi_comms_find(struct mpi_job *job);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * mpi_intercomms.h: communicators between two groups. Each group calls MPI_Intercomm_create with its own
 * communicator. Its leader names the other leader, by the rank in a communicator that has both, and a tag.
 */
#ifndef TL_CLI_EXPORT_MPI_INTERCOMMS_H
#define TL_CLI_EXPORT_MPI_INTERCOMMS_H

#include "cli/export/mpi_comms.h"

/* What one group's call made. */
struct mpi_half {
	uint32_t local, place; /* the place-th call of that communicator */
	const struct mpi_process *leader;
	const struct mpi_own_comm *made; /* by the leader */

	/* While halves are joined. */
	bool is_joined;	   /* with the other one */
	uint32_t peer;	   /* the job's communicator of both leaders; NO_COMM: not known */
	int64_t low, high; /* the ranks of both leaders */
};

/* Begins as zeros. */
struct mpi_halves {
	struct mpi_half *list;
	size_t count, room;
	unsigned rounds;
};

void mpi_half_add(struct mpi_halves *halves, struct mpi_half half);

/*
 * Adds the communicators of which both halves are known. False: there is none. What is made of the
 * new ones may be what further halves need.
 */
bool mpi_halves_join(struct mpi_job *job, struct mpi_halves *halves);

#endif

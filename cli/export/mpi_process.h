/* SPDX-License-Identifier: MIT */
/*
 * mpi_process.h: the ends of messages in one process, and the communicators that it made.
 */
#ifndef TL_CLI_EXPORT_MPI_PROCESS_H
#define TL_CLI_EXPORT_MPI_PROCESS_H

#include "cli/export/mpi_calls.h"
#include "cli/export/mpi_grids.h"
#include "cli/export/mpi_groups.h"
#include "cli/export/mpi_messages.h"

#define MPI_ANY	 (-1) /* in an mpi_end, whichever library it is */
#define NO_COMM	 UINT32_MAX
#define NO_PLACE UINT32_MAX
#define NO_HOST	 (-1)

/* A communicator as the process knows it. Number 0 is the world. */
struct mpi_own_comm {
	uint32_t parent; /* among the process's own; NO_COMM: not known, of MPI_ROLE_INTERCOMM */
	uint32_t
		place; /* counts the parent's creations by all of its ranks, from 0; else NO_PLACE */
	uint32_t made; /* creations on this one so far */
	enum mpi_role role;
	int color, key;	 /* of a split; of a merge, key is 1 for the upper group */
	bool by_host;	 /* of MPI_ROLE_COMM_SPLIT_TYPE: color 0 is all ranks of the same host */
	int64_t members; /* of a grid or a graph: the first so many ranks; -1: not known which */
	struct mpi_grid grid;
	struct mpi_remaining remaining; /* of the parent's grid: MPI_ROLE_COMM_CART_SUB */
	/* Of MPI_ROLE_INTERCOMM. What is remote is known of the leader, a rank of the parent. */
	int leader, remote_leader;
	uint32_t peer;	/* own number of the communicator that has both leaders */
	uint32_t group; /* of which it was made; NO_GROUP: of none that is known */
	/* of MPI_ROLE_COMM_CREATE_GROUP, MPI_ROLE_INTERCOMM; of MPI_ROLE_COMM_FROM_GROUP its text's hash */
	uint32_t tag;

	uint32_t comm; /* what it is in the job; NO_COMM: not known */
	int rank;      /* in it */
};

struct mpi_process {
	size_t process; /* in timeline_inputs.list */
	int64_t rank, size;
	int64_t local_rank, local_size; /* on its host, as the launcher told; -1: not known */
	int host;			/* a number; NO_HOST: not known */
	bool lost;	     /* calls are missing, or failed: its messages are not known */
	size_t inters_known; /* while intercommunicators are looked for: those before are known */
	bool finalized;	     /* it was not killed: its last messages are known */
	struct mpi_own_comm *comms;
	size_t ncomms;
	struct mpi_groups groups;
	/* .comm is one of the process's own; the own rank is not set yet */
	struct mpi_end *ends;
	size_t count, room;
};

void mpi_process_read(struct mpi_process *process, const struct timeline_inputs *inputs,
		      size_t number, const struct selection *selection);
void mpi_process_free(struct mpi_process *process);

#endif

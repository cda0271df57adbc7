/* SPDX-License-Identifier: MIT */
/*
 * mpi_groups.h: groups of ranks, as a process made them. Which ranks of the world these are is known once
 * the communicators are that they come from.
 */
#ifndef TL_CLI_EXPORT_MPI_GROUPS_H
#define TL_CLI_EXPORT_MPI_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_GROUP UINT32_MAX
/* More than a job has. A file may claim any number, and memory is taken for each rank. */
#define MPI_RANKS_MOST (1 << 24)

enum mpi_group_way {
	MPI_GROUP_COMM,		/* a communicator's */
	MPI_GROUP_INCL,		/* ranks of another group */
	MPI_GROUP_EXCL,		/* another group without these ranks */
	MPI_GROUP_UNION,	/* of two groups: first those of the left one */
	MPI_GROUP_INTERSECTION, /* in the left one's order */
	MPI_GROUP_DIFFERENCE,
	MPI_GROUP_NONE, /* MPI_GROUP_EMPTY: without ranks */
};

/* As calls name ranks: from first to last, both of them included. */
struct mpi_range {
	int first, last, stride;
};

struct mpi_group {
	enum mpi_group_way way;
	uint32_t comm;		  /* MPI_GROUP_COMM: one of the process's own */
	uint32_t left, right;	  /* groups that were made before */
	struct mpi_range *ranges; /* ranks of the left one: MPI_GROUP_INCL, MPI_GROUP_EXCL */
	size_t count;
};

/* Begins as zeros. */
struct mpi_groups {
	struct mpi_group *list;
	uint32_t count;
};

/* Takes the group's ranges. Returns its number. */
uint32_t mpi_group_add(struct mpi_groups *groups, struct mpi_group group);
void mpi_groups_free(struct mpi_groups *groups);

/* Ranks of the world, in a group's order. */
struct mpi_ranks {
	int64_t *list;
	size_t count;
	bool is_known;
};

/* The ranks of one of the process's communicators. False: they are not known. */
typedef bool mpi_comm_ranks(const void *context, uint32_t comm, const int64_t **list,
			    size_t *count);

/* A group's ranks, to be freed. */
struct mpi_ranks mpi_group_ranks(const struct mpi_groups *groups, uint32_t group,
				 mpi_comm_ranks *comm_ranks, const void *context);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * mpi_grids.h: Cartesian communicators: their dimensions, and the parts into which MPI_Cart_sub divides them.
 * By MPI's standard, 4.0, chapter 8: the ranks of a grid, and of each part of it, are in row-major order.
 */
#ifndef TL_CLI_EXPORT_MPI_GRIDS_H
#define TL_CLI_EXPORT_MPI_GRIDS_H

#include <stdbool.h>
#include <stdint.h>

/* As many of MPI_Cart_sub's numbers as a record has: the call does not say how many there are. */
#define MPI_DIMS_MOST 8

/* Begins as zeros: no grid, or not known which. */
struct mpi_grid {
	bool is_known;
	int count, dims[MPI_DIMS_MOST];
};

/* Which dimensions of a grid a part of it has. */
struct mpi_remaining {
	bool is_known;
	uint32_t bits; /* bit 0 is the first dimension's */
};

/* The ranks of a grid of any number of dimensions, ints at any address. -1: more than a job can have, or none. */
int64_t mpi_dims_ranks(const void *dims, int count);
bool mpi_grids_are_equal(const struct mpi_grid *a, const struct mpi_grid *b);

/* The grid that each part is. */
struct mpi_grid mpi_grid_part(const struct mpi_grid *grid, struct mpi_remaining remaining);

/* In which part a rank of the grid is, and which rank it is there. */
void mpi_grid_divide(const struct mpi_grid *grid, struct mpi_remaining remaining, int rank,
		     int *part, int *place);

#endif

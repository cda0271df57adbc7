/* SPDX-License-Identifier: MIT */
/*
 * mpi_grids.c: see mpi_grids.h.
 */
#include "config.h"

#include "cli/export/mpi_grids.h"

#include <string.h>

int64_t mpi_dims_ranks(const void *dims, int count)
{
	int64_t ranks = 1;
	int each;

	for (int i = 0; i < count; i++) {
		memcpy(&each, (const char *)dims + (size_t)i * sizeof(each), sizeof(each));
		if (each < 1 || (ranks *= each) > INT32_MAX)
			return -1;
	}
	return ranks;
}

bool mpi_grids_are_equal(const struct mpi_grid *a, const struct mpi_grid *b)
{
	return a->is_known == b->is_known && a->count == b->count &&
	       !memcmp(a->dims, b->dims, (size_t)a->count * sizeof(*a->dims));
}

static bool dimension_remains(struct mpi_remaining remaining, int dimension)
{
	return remaining.bits >> dimension & 1;
}

struct mpi_grid mpi_grid_part(const struct mpi_grid *grid, struct mpi_remaining remaining)
{
	struct mpi_grid part = {.is_known = grid->is_known && remaining.is_known};

	for (int i = 0; i < grid->count && part.is_known; i++)
		if (dimension_remains(remaining, i))
			part.dims[part.count++] = grid->dims[i];
	return part;
}

void mpi_grid_divide(const struct mpi_grid *grid, struct mpi_remaining remaining, int rank,
		     int *part, int *place)
{
	int parts = 1, places = 1;

	*part = *place = 0;
	/* The last dimension's coordinate is the one that goes up first. */
	for (int i = grid->count - 1; i >= 0; i--) {
		bool remains = dimension_remains(remaining, i);
		int *number = remains ? place : part, *weight = remains ? &places : &parts;

		*number += rank % grid->dims[i] * *weight;
		*weight *= grid->dims[i];
		rank /= grid->dims[i];
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * mpi_comm_world.c: see mpi_comm_world.h.
 */
#include "config.h"

#include "cli/export/mpi_comm_world.h"

#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/mpi_calls.h"

#define ABI_COMM_SELF 0x102u

/* MPI_Comm_free has its address. A group may be that of any communicator. */
int mpi_world_parameter(const struct tl_function *function)
{
	if (strncmp(function->name, "MPI_", 4) || function->words != function->count ||
	    !strcmp(function->name, "MPI_Comm_group"))
		return -1;
	int place = mpi_parameter(function, "comm");

	return place < 0 || strcmp(function->params[place].type->name, "MPI_Comm") ? -1 : place;
}

void mpi_world_read(struct mpi_world *world, const struct tl_trace *trace)
{
	uint64_t told = (uint64_t)trace_fact_number(&trace->facts, ",\"mpi_world\":", 0);

	if (told)
		world->told = told;
}

void mpi_world_see(struct mpi_world *world, uint64_t comm, uint64_t start)
{
	world->is_abi |= comm == ABI_COMM_WORLD || comm == ABI_COMM_SELF;
	if (world->is_used && start >= world->start)
		return;
	world->first = comm;
	world->start = start;
	world->is_used = true;
}

/* MPICH's communicators have a kind, which is not 0, in their two highest bits, and then 1 in four. */
static bool is_mpichs(uint64_t comm)
{
	uint64_t above = comm >> 32;

	return (above == 0 || above == UINT32_MAX) && (uint32_t)comm >> 30 &&
	       ((uint32_t)comm >> 26 & 0xf) == 1;
}

uint64_t mpi_world_handle(const struct mpi_world *world)
{
	if (world->is_abi)
		return ABI_COMM_WORLD;
	/* Its addresses may look like MPICH's handles. */
	if (world->told)
		return world->told;
	return is_mpichs(world->first) ? MPICH_COMM_WORLD : world->first;
}

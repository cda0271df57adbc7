/* SPDX-License-Identifier: MIT */
/*
 * mpi_comm_world.h: which of a process's communicators is MPI_COMM_WORLD.
 *
 * MPICH and the standard ABI have a number for it. Open MPI has an address, which the trace tells. If it does
 * not (the program opened MPI's library later, or the trace is older), the world is taken to be the first
 * communicator that was used: all others are made from it or from MPI_COMM_SELF.
 */
#ifndef TL_CLI_EXPORT_MPI_COMM_WORLD_H
#define TL_CLI_EXPORT_MPI_COMM_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "format/file/record_reader.h"

#define MPICH_COMM_WORLD 0x44000000u
#define ABI_COMM_WORLD	 0x101u

/* Begins as zeros. */
struct mpi_world {
	uint64_t first, start; /* the communicator that was used first, and when */
	bool is_used;	       /* there is one */
	bool is_abi;	       /* the program uses the standard ABI */
	uint64_t told;	       /* by the trace; 0: nothing */
};

/* The parameter that is a call's communicator. -1: none. */
int mpi_world_parameter(const struct tl_function *function);

void mpi_world_read(struct mpi_world *world, const struct tl_trace *trace);
/* A call's communicator, and when it began. */
void mpi_world_see(struct mpi_world *world, uint64_t comm, uint64_t start);
uint64_t mpi_world_handle(const struct mpi_world *world);

/* The word of a call's communicator. MPICH's handles have 4 bytes of it. */
static inline bool mpi_is_world(uint64_t word, uint64_t world)
{
	return word == world || (world == MPICH_COMM_WORLD && (uint32_t)word == world);
}

#endif

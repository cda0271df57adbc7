/* SPDX-License-Identifier: MIT */
/*
 * mpi_comm_world.h: which handle is MPI_COMM_WORLD. MPICH and the standard ABI have numbers for it. Open MPI has
 * an address, which the trace tells; of a trace that does not (of a program that opened MPI's library later,
 * or an older trace), it is taken to be the first communicator that was used: all are made from it.
 */
#ifndef TL_CLI_EXPORT_MPI_COMM_WORLD_H
#define TL_CLI_EXPORT_MPI_COMM_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "format/file/record_reader.h"

/* MPI_COMM_SELF has the next number. */
#define MPICH_COMM_WORLD 0x44000000u
#define ABI_COMM_WORLD	 0x101u

/* What the trace tells; 0: nothing. */
uint64_t mpi_world_told(const struct tl_trace *trace);

/* `first`: the communicator that was used first. */
uint64_t mpi_world(uint64_t first, uint64_t told);

/* The word of a call's communicator. MPICH's handles have 4 bytes of it. */
static inline bool mpi_is_world(uint64_t word, uint64_t world)
{
	return word == world || (world == MPICH_COMM_WORLD && (uint32_t)word == world);
}

#endif

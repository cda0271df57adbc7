/* SPDX-License-Identifier: MIT */
/*
 * mpi_world.h: MPI_COMM_WORLD and MPI_GROUP_EMPTY of Open MPI: addresses of variables of its library, which
 * the program may have copies of.
 */
#ifndef TL_LAYER_RESOLVE_MPI_WORLD_H
#define TL_LAYER_RESOLVE_MPI_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "format/args/args.h"
#include "layer/base/libc/elf_image.h"

bool tl_api_is_mpi(const struct tl_api *api);

/* The library is Open MPI's: it has this variable. */
bool tl_mpi_is_openmpi(const struct tl_elf *elf);

/* 0: no such library is loaded. */
struct tl_mpi_handles {
	uint64_t world, group_empty;
};
struct tl_mpi_handles tl_mpi_handles(void);

#endif

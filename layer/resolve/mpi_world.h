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

bool tl_api_is_mpi(const struct tl_api *api);

/* 0: no such library is loaded. */
uint64_t tl_mpi_world(void);
uint64_t tl_mpi_group_empty(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * mpi_world.h: MPI_COMM_WORLD of Open MPI: the address of a variable of its library, which the program may
 * have a copy of.
 */
#ifndef TL_LAYER_RESOLVE_MPI_WORLD_H
#define TL_LAYER_RESOLVE_MPI_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "format/args/args.h"

bool tl_api_is_mpi(const struct tl_api *api);

/* 0: no such library is loaded. */
uint64_t tl_mpi_world(void);

#endif

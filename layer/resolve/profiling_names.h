/* SPDX-License-Identifier: MIT */
/*
 * profiling_names.h: MPI's calls from Fortran.
 *
 * MPI has each function under two names: MPI_Send, which a tool defines to see the calls, and
 * PMPI_Send, by which the tool calls the real function. Open MPI's libraries for Fortran make their
 * calls by the second name, so a shim of the first does not get them.
 *
 * When shims of MPI are added, the slots of such libraries that lead to PMPI_Send get the shim of
 * MPI_Send; and so for all functions. Only libraries that the program started with are looked at.
 */
#ifndef TL_LAYER_RESOLVE_PROFILING_NAMES_H
#define TL_LAYER_RESOLVE_PROFILING_NAMES_H

#include <stdbool.h>

#include "format/args/args.h"

/* The API is MPI, and there is a library for Fortran: the API's shims are to be added at once. */
bool tl_profiling_names_are_used(const struct tl_api *api);

/* Shims of the API were added. Does nothing if it is not MPI. Takes no lock of its own. */
void tl_profiling_names_bind(const struct tl_api *api);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * mpi_tables.h: the tables by which the calls of `tracelayer run --mpi` are shown and captured.
 *
 * Its shims (libtracelayer-mpi.so) pass on each argument as a word, whichever MPI it is. What a
 * handle and a status are differs: MPICH's handles are numbers of 4 bytes, and each MPI has a status
 * of its own. So there are tables for MPICH, for Open MPI, and for the standard ABI, which the shims
 * begin with. The library of the first function that is found decides.
 */
#ifndef TL_LAYER_RESOLVE_MPI_TABLES_H
#define TL_LAYER_RESOLVE_MPI_TABLES_H

#include "common/interposer_library.h"
#include "tracelayer/shim.h"

/* The library's other tables, which are made of late words. Called before the library registers. */
struct tl_mpi_tables {
	struct tl_shim_library *library;
	const struct tl_api *mpich, *openmpi;
	struct tl_late_words late;
};
TL_EXPORT void tl_mpi_tables_give(const struct tl_mpi_tables *tables);

/*
 * The shim's function was found at `real`, and is not published yet: the shim's API gets the tables
 * for the library that has it. NULL, or no MPI's: for the first MPI that is loaded. Not within
 * tl_loaded_with.
 */
void tl_mpi_tables_choose(const struct tl_shim *shim, const void *real);

#endif

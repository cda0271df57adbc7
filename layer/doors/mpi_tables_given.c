/* SPDX-License-Identifier: MIT */
/*
 * mpi_tables_given.c: the part of libtracelayer-mpi.so that tracegen does not make: it gives the
 * runtime the tables for MPICH and for Open MPI.
 */
#include "layer/resolve/mpi_tables.h"

extern TL_HIDDEN struct tl_shim_library tl_library_mpi_words;
extern TL_HIDDEN const struct tl_api tl_api_mpi_mpich, tl_api_mpi_openmpi;

/* As in layer/resolve/late_relocation.c: what gen/late_relocation.awk made of both tables. */
extern TL_HIDDEN const int32_t __start_tl_late_words[], __stop_tl_late_words[];
extern TL_HIDDEN char __start_tl_late[], __stop_tl_late[];

/* Before the constructor of the shims, which registers them. */
static __attribute__((constructor(101))) void tables_give(void)
{
	static const struct tl_mpi_tables tables = {.library = &tl_library_mpi_words,
						    .mpich = &tl_api_mpi_mpich,
						    .openmpi = &tl_api_mpi_openmpi,
						    .late = {__start_tl_late_words,
							     __stop_tl_late_words, __start_tl_late,
							     __stop_tl_late}};

	tl_mpi_tables_give(&tables);
}

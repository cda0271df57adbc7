/* SPDX-License-Identifier: MIT */
/*
 * mpi_comm_world.c: see mpi_comm_world.h.
 */
#include "config.h"

#include "cli/export/mpi_comm_world.h"

#include <stdlib.h>
#include <string.h>

uint64_t mpi_world_told(const struct tl_trace *trace)
{
	static const char key[] = "\"mpi_world\":";
	const char *at = strstr(trace->facts.members, key);

	return at ? strtoull(at + sizeof(key) - 1, NULL, 10) : 0;
}

uint64_t mpi_world(uint64_t first, uint64_t told)
{
	if ((uint32_t)first - MPICH_COMM_WORLD < 2)
		return MPICH_COMM_WORLD;
	if (first - ABI_COMM_WORLD < 2)
		return ABI_COMM_WORLD;
	return told ? told : first;
}

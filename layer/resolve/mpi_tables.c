/* SPDX-License-Identifier: MIT */
/*
 * mpi_tables.c: see mpi_tables.h.
 */
#include "layer/resolve/mpi_tables.h"

#include "layer/resolve/api_table.h"
#include "layer/resolve/late_relocation.h"
#include "layer/resolve/library_roles.h"
#include "layer/resolve/mpi_world.h"

/* Release when it is stored, acquire when it is read: the tables are set, and `first`. */
static _Atomic(const struct tl_mpi_tables *) given;
static const struct tl_api *first; /* what the library begins with */

void tl_mpi_tables_give(const struct tl_mpi_tables *tables)
{
	first = tables->library->api;
	atomic_store_explicit(&given, tables, memory_order_release);
}

/* NULL: the standard ABI's. The name libmpi.so.12 is also that of Open MPI 1.10. */
static const struct tl_api *tables_for(const struct tl_mpi_tables *tables, const struct tl_elf *elf)
{
	if (tl_mpi_is_openmpi(elf))
		return tables->openmpi;
	if (tl_elf_is_named(elf, "libmpich.so.12") || tl_elf_is_named(elf, "libmpi.so.12"))
		return tables->mpich;
	return NULL;
}

/* The MPI that has the function; another tool's library may have it, and call an MPI. */
static const struct tl_known_library *implementation_of(const struct tl_api *api, const void *real)
{
	const struct tl_known_library *there = real ? tl_roles_at(real) : NULL;

	if (there && tl_roles_is_named_by(&there->elf, api))
		return there;
	for (unsigned i = 0; (there = tl_roles_nth(i)) != NULL; i++)
		if (!atomic_load_explicit(&there->gone, memory_order_relaxed) &&
		    tl_roles_is_named_by(&there->elf, api))
			return there;
	return NULL;
}

void tl_mpi_tables_choose(const struct tl_shim *shim, const void *real)
{
	const struct tl_mpi_tables *tables = atomic_load_explicit(&given, memory_order_acquire);

	/* Acquire, as the load of .api is: who sees the other API sees the shims' functions. */
	if (!tables || tables->library->api != first ||
	    tl_api_library(shim->id >> 16) != tables->library)
		return;
	const struct tl_known_library *there = implementation_of(first, real);
	const struct tl_api *api = there ? tables_for(tables, &there->elf) : NULL;

	if (!api)
		return;
	tl_late_relocate_words(&tables->late);
	tl_api_exchange(tables->library, api);
}

/* SPDX-License-Identifier: MIT */
/*
 * mpi_world.c: see mpi_world.h.
 */
#include "layer/resolve/mpi_world.h"

#include "layer/base/loaded_libraries.h"

bool tl_api_is_mpi(const struct tl_api *api)
{
	for (const char *const *soname = api->sonames; soname && *soname; soname++)
		if (tl_elf_begins(*soname, "libmpi"))
			return true;
	return false;
}

static const char world_name[] = "ompi_mpi_comm_world";

/* The variable of that name which the library defines. 0: none. */
static uint64_t variable_of(const struct tl_elf *elf, const char *name)
{
	const uint32_t count = tl_elf_may_have(elf, tl_elf_hash(name)) ? tl_elf_symbols(elf) : 0;

	for (uint32_t i = 0; i < count; i++) {
		const ElfW(Sym) *symbol = &elf->symbols[i];

		if (symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT &&
		    tl_elf_same(elf->strings + symbol->st_name, name))
			return elf->base + symbol->st_value;
	}
	return 0;
}

/* The first definition is the one that all use: the program's copy, if it has one. */
static void handles_find(const struct tl_loaded *loaded, void *closure)
{
	struct tl_mpi_handles *handles = closure;

	for (unsigned i = 0; i < loaded->count; i++) {
		if (!handles->world)
			handles->world = variable_of(&loaded->elf[i], world_name);
		if (!handles->group_empty)
			handles->group_empty = variable_of(&loaded->elf[i], "ompi_mpi_group_empty");
	}
}

bool tl_mpi_is_openmpi(const struct tl_elf *elf)
{
	return variable_of(elf, world_name) != 0;
}

struct tl_mpi_handles tl_mpi_handles(void)
{
	struct tl_mpi_handles handles = {0, 0};

	tl_loaded_with(handles_find, &handles);
	return handles;
}

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

struct wanted {
	const char *name;
	uint64_t address; /* 0: not found yet */
};

/* The first definition is the one that all use: the program's copy, if it has one. */
static void variable_find(const struct tl_loaded *loaded, void *closure)
{
	struct wanted *wanted = closure;

	for (unsigned i = 0; i < loaded->count && !wanted->address; i++)
		wanted->address = variable_of(&loaded->elf[i], wanted->name);
}

bool tl_mpi_is_openmpi(const struct tl_elf *elf)
{
	return variable_of(elf, world_name) != 0;
}

uint64_t tl_mpi_world(void)
{
	struct wanted world = {world_name, 0};

	tl_loaded_with(variable_find, &world);
	return world.address;
}

uint64_t tl_mpi_group_empty(void)
{
	struct wanted group = {"ompi_mpi_group_empty", 0};

	tl_loaded_with(variable_find, &group);
	return group.address;
}

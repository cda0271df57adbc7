/* SPDX-License-Identifier: MIT */
/*
 * profiling_names.c: see profiling_names.h.
 *
 * A slot is changed only if both names are one function, in the library that the program would call
 * without us. If another tool defines MPI_Send, too, the shim would pass Fortran's calls on to that
 * tool, which does not expect them: then the slot stays.
 */
#include "layer/resolve/profiling_names.h"

#include "layer/resolve/library_roles.h"
#include "layer/resolve/mpi_world.h"
#include "layer/resolve/own_references.h"
#include "layer/resolve/shim_names.h"

/* The beginnings of their names: Open MPI's, and those of MPICH and of what is made from it. */
static bool library_is_fortrans(const struct tl_elf *elf)
{
	static const char *const names[] = {"libmpi_mpifh.so", "libmpi_usempi", "libmpifort.so",
					    "libmpichfort.so"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (elf->soname && tl_elf_begins(elf->soname, names[i]))
			return elf->symbols && elf->strings;
	return false;
}

/* The library has one function under both names. */
static bool library_has_both(const struct tl_elf *library, const char *second)
{
	const ElfW(Sym) *one = tl_elf_lookup(library, second + 1, tl_elf_hash(second + 1), NULL);
	const ElfW(Sym) *other = tl_elf_lookup(library, second, tl_elf_hash(second), NULL);

	return one && other && one->st_value == other->st_value;
}

static void slot_bind(struct tl_own_references *references, const ElfW(Rela) *relocation)
{
	const struct tl_elf *elf = references->elf;
	uint32_t index = ELF64_R_SYM(relocation->r_info);
	const char *name = elf->strings + elf->symbols[index].st_name;
	uintptr_t slot = elf->base + relocation->r_offset;

	if (ELF64_R_TYPE(relocation->r_info) != TL_ELF_JUMP_SLOT || slot % sizeof(slot) ||
	    !tl_elf_begins(name, "PMPI_"))
		return;
	const struct tl_shim *shim = tl_shim_names_find(name + 1);
	const struct tl_elf *first =
		shim ? tl_roles_first_at_start(references->loaded, NULL, name + 1) : NULL;

	if (first && library_has_both(first, name))
		tl_own_reference_store(references, slot, (uintptr_t)shim->entry);
}

static void slots_bind(const struct tl_loaded *loaded, void *closure)
{
	(void)closure;
	tl_own_references_forget();
	for (unsigned i = 1; i < loaded->startup; i++) {
		const struct tl_elf *elf = &loaded->elf[i];
		struct tl_own_references references;

		if (!library_is_fortrans(elf))
			continue;
		tl_own_references_begin(&references, loaded, elf);
		for (uint32_t at = 0; at < elf->njumps; at++)
			slot_bind(&references, &elf->jumps[at]);
		tl_own_references_end(&references);
	}
}

static void fortrans_find(const struct tl_loaded *loaded, void *closure)
{
	bool *found = closure;

	for (unsigned i = 1; i < loaded->startup && !*found; i++)
		*found = library_is_fortrans(&loaded->elf[i]);
}

bool tl_profiling_names_are_used(const struct tl_api *api)
{
	bool found = false;

	if (tl_api_is_mpi(api))
		tl_loaded_with(fortrans_find, &found);
	return found;
}

void tl_profiling_names_bind(const struct tl_api *api)
{
	if (!tl_profiling_names_are_used(api))
		return;
	/* Which libraries are ours is known from the first look on. */
	tl_roles_look();
	tl_loaded_with(slots_bind, NULL);
}

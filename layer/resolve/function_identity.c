/* SPDX-License-Identifier: MIT */
/*
 * function_identity.c: see function_identity.h.
 *
 * A slot that holds a shim's entry is one that the dynamic linker has written, and it writes each of
 * these slots once. Of a library that it is still working on, later slots are missed.
 */
#include "layer/resolve/function_identity.h"

#include <stdatomic.h>

#include "layer/resolve/library_roles.h"
#include "layer/resolve/own_references.h"
#include "layer/resolve/shim_names.h"

#if defined(__x86_64__)
#define RELOCATION_GOT	R_X86_64_GLOB_DAT
#define RELOCATION_WORD R_X86_64_64
#elif defined(__aarch64__)
#define RELOCATION_GOT	R_AARCH64_GLOB_DAT
#define RELOCATION_WORD R_AARCH64_ABS64
#endif

/*
 * The libraries of the list before this one are done, as long as none was unloaded and no
 * interposer has come. Used within tl_loaded_with, whose lock allows one thread at a time.
 */
static struct {
	unsigned count;
	unsigned interposers;
	unsigned long long removed;
} done;

void tl_identity_look(void)
{
	if (tl_shim_names_compared())
		tl_roles_look();
}

static bool library_is_of(const struct tl_elf *elf, const struct tl_api *api)
{
	for (const char *const *soname = api->sonames; soname && *soname; soname++)
		if (tl_elf_is_named(elf, *soname))
			return true;
	return false;
}

/* The function's own address, if pointers lead there without us; or 0. */
static uintptr_t address_without_us(const struct tl_loaded *loaded, const struct tl_shim *shim)
{
	const char *name = shim->function->name;
	uint32_t hash = tl_elf_hash(name);

	for (unsigned i = 1; i < loaded->count; i++) {
		const struct tl_elf *elf = &loaded->elf[i];
		const ElfW(Sym) *symbol = NULL;

		if (library_is_of(elf, shim->function->api))
			symbol = tl_elf_lookup(elf, name, hash, NULL);
		if (!symbol)
			continue;
		struct tl_own_references library = {.loaded = loaded, .elf = elf};

		return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
				       tl_own_references_come_first(&library, name)
			       ? elf->base + symbol->st_value
			       : 0;
	}
	return 0;
}

/* True: the dynamic linker is still working on the library. */
static bool library_restore(const struct tl_loaded *loaded, const struct tl_elf *elf)
{
	struct tl_own_references references;

	tl_own_references_begin(&references, loaded, elf);
	for (uint32_t i = 0; i < elf->nrelocations; i++) {
		unsigned type = ELF64_R_TYPE(elf->relocations[i].r_info);
		uintptr_t slot = elf->base + elf->relocations[i].r_offset;

		if ((type != RELOCATION_GOT && type != RELOCATION_WORD) || slot % sizeof(uintptr_t))
			continue;
		const struct tl_shim *shim = tl_shim_names_at(*(void *const *)slot);
		uintptr_t address = shim && shim->function->flags & TL_FUNCTION_COMPARED
					    ? address_without_us(loaded, shim)
					    : 0;

		if (address)
			tl_own_reference_store(&references, slot, address);
	}
	tl_own_references_end(&references);
	return references.later;
}

bool tl_identity_restore(const struct tl_loaded *loaded)
{
	bool later = false;
	unsigned from, interposers = tl_shim_names_compared();

	if (done.interposers != interposers || done.removed != loaded->generation.removed)
		done.count = 0;
	done.interposers = interposers;
	done.removed = loaded->generation.removed;
	from = done.count;
	for (unsigned i = from; interposers && i < loaded->count; i++) {
		later |= library_restore(loaded, &loaded->elf[i]);
		if (!later)
			done.count = i + 1;
	}
	return later;
}

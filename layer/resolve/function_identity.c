/* SPDX-License-Identifier: MIT */
/*
 * function_identity.c: see function_identity.h.
 *
 * A slot that holds a shim's entry is one that the dynamic linker has written, and it writes each of
 * these slots once. Of a library that it is still working on, later slots are missed.
 */
#include "layer/resolve/function_identity.h"

#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "layer/buffers/process_state.h"
#include "layer/resolve/call_slots.h"
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

/*
 * The function's own address, if pointers lead there without us; or 0. `count`: how many of the
 * libraries may have it.
 */
static uintptr_t address_without_us(const struct tl_loaded *loaded, unsigned count,
				    const struct tl_shim *shim)
{
	const char *name = shim->function->name;
	uint32_t hash = tl_elf_hash(name);

	for (unsigned i = 1; i < count; i++) {
		const struct tl_elf *elf = &loaded->elf[i];
		const ElfW(Sym) *symbol = NULL;

		if (tl_roles_is_named_by(elf, shim->function->api))
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

/*
 * A library with a JUMP_SLOT for a function of an API calls through such slots. Its GLOB_DAT slots are
 * there since it takes the functions' addresses.
 */
static bool library_calls_by_jump_slots(const struct tl_elf *elf)
{
	for (uint32_t i = 0; i < elf->njumps; i++) {
		const ElfW(Sym) *symbol = &elf->symbols[ELF64_R_SYM(elf->jumps[i].r_info)];

		if (symbol->st_shndx == SHN_UNDEF &&
		    tl_shim_names_find(elf->strings + symbol->st_name))
			return true;
	}
	return false;
}

static void call_slots_read(const struct tl_elf *elf)
{
	uintptr_t from = UINTPTR_MAX;

	for (uint32_t i = 0; i < elf->nrelocations; i++) {
		uintptr_t slot = elf->base + elf->relocations[i].r_offset;

		if (ELF64_R_TYPE(elf->relocations[i].r_info) == RELOCATION_GOT && slot < from)
			from = slot;
	}
	tl_call_slots_read(elf, from);
}

/* How a library calls an API's functions. It is found out for libraries with pointers to compared ones. */
enum calls { CALLS_UNKNOWN, CALLS_BY_JUMP_SLOTS, CALLS_BY_ALL_SLOTS };

/* The library uses the slot of another one's function for calls only: nobody sees the address. */
static bool slot_is_for_calls(const struct tl_elf *elf, const ElfW(Rela) *relocation,
			      enum calls *calls)
{
	if (ELF64_R_TYPE(relocation->r_info) != RELOCATION_GOT || !elf->symbols || !elf->strings ||
	    elf->symbols[ELF64_R_SYM(relocation->r_info)].st_shndx != SHN_UNDEF)
		return false;
	if (*calls == CALLS_UNKNOWN) {
		*calls =
			library_calls_by_jump_slots(elf) ? CALLS_BY_JUMP_SLOTS : CALLS_BY_ALL_SLOTS;
		if (*calls == CALLS_BY_ALL_SLOTS)
			call_slots_read(elf);
	}
	return *calls == CALLS_BY_ALL_SLOTS && tl_call_slots_has(elf->base + relocation->r_offset);
}

/* True: the dynamic linker is still working on the library. */
static bool library_restore(const struct tl_loaded *loaded, const struct tl_elf *elf)
{
	struct tl_own_references references;
	enum calls calls = CALLS_UNKNOWN;

	tl_own_references_begin(&references, loaded, elf);
	for (uint32_t i = 0; i < elf->nrelocations; i++) {
		unsigned type = ELF64_R_TYPE(elf->relocations[i].r_info);
		uintptr_t slot = elf->base + elf->relocations[i].r_offset;

		if ((type != RELOCATION_GOT && type != RELOCATION_WORD) || slot % sizeof(uintptr_t))
			continue;
		const struct tl_shim *shim = tl_shim_names_at(*(void *const *)slot);
		uintptr_t address = shim && shim->function->flags & TL_FUNCTION_COMPARED
					    ? address_without_us(loaded, loaded->count, shim)
					    : 0;

		if (address && tl_own_reference_is_writable(&references, slot) &&
		    !slot_is_for_calls(elf, &elf->relocations[i], &calls))
			tl_own_reference_store(&references, slot, address);
	}
	tl_own_references_end(&references);
	return references.later;
}

/* --- libraries that are opened later */

/* The symbol for pointers that an interposer has beside the symbol behind it, or NULL. */
static ElfW(Sym) *pointer_symbol(const struct tl_elf *elf, uint32_t index)
{
	const ElfW(Sym) *symbol = &elf->symbols[index];

	return symbol->st_shndx == SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
			       symbol[1].st_name == symbol->st_name &&
			       symbol[1].st_shndx != SHN_UNDEF
		       ? (ElfW(Sym) *)symbol
		       : NULL;
}

static bool pages_protect(const void *first, const void *end, int protection)
{
	uintptr_t page = getauxval(AT_PAGESZ), from = (uintptr_t)first & ~(page - 1);

	return page && !mprotect((void *)from, (uintptr_t)end - from, protection);
}

/* The pages with the library's symbols and their versions become writable or read-only. */
static bool symbols_protect(const struct tl_elf *elf, uint32_t count, int protection)
{
	return pages_protect(elf->symbols, elf->symbols + count, protection) &&
	       (!elf->versions || pages_protect(elf->versions, elf->versions + count, protection));
}

/*
 * The dynamic linker reads the symbol without our lock, for another thread's dlopen. It leaves the
 * symbol out until it has a value. From glibc 2.43 on it also has to have the version that is asked
 * for: that of the symbol behind it. In the file it has none, since linkers would refuse the file.
 */
static void pointer_symbol_set(const struct tl_elf *elf, ElfW(Sym) *symbol, uintptr_t address)
{
	size_t index = (size_t)(symbol - elf->symbols);

	if (elf->versions)
		atomic_store_explicit((_Atomic ElfW(Half) *)&elf->versions[index],
				      elf->versions[index + 1], memory_order_relaxed);
	atomic_store_explicit((_Atomic(ElfW(Addr)) *)&symbol->st_value, address - elf->base,
			      memory_order_release);
}

/*
 * From now on the dynamic linker itself gives pointers the functions' own addresses. Only those of
 * libraries that were there from the start: they stay.
 */
static void interposer_set_pointers(const struct tl_loaded *loaded, const struct tl_elf *elf)
{
	uint32_t count = elf->symbols && elf->strings ? tl_elf_symbols(elf) : 0;
	bool writable = false;

	for (uint32_t i = 1; i + 1 < count; i++) {
		ElfW(Sym) *symbol = pointer_symbol(elf, i);
		const struct tl_shim *shim =
			symbol ? tl_shim_names_at((void *)(elf->base + symbol[1].st_value)) : NULL;
		uintptr_t address = shim && shim->function->flags & TL_FUNCTION_COMPARED
					    ? address_without_us(loaded, loaded->startup, shim)
					    : 0;

		if (!address)
			continue;
		if (!writable)
			writable = symbols_protect(elf, count, PROT_READ | PROT_WRITE);
		if (!writable)
			return;
		pointer_symbol_set(elf, symbol, address);
	}
	if (writable)
		symbols_protect(elf, count, PROT_READ);
}

/* All of this is done once, and again when an interposer has come. */
static void interposers_set_pointers(const struct tl_loaded *loaded, unsigned interposers)
{
	static unsigned done_for;

	if (done_for == interposers || tl_process_is_confined())
		return;
	done_for = interposers;
	for (unsigned i = 0; i < loaded->startup && i < loaded->count; i++)
		if (tl_roles_of(&loaded->elf[i]) == TL_ROLE_OWN)
			interposer_set_pointers(loaded, &loaded->elf[i]);
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
	interposers_set_pointers(loaded, interposers);
	for (unsigned i = from; interposers && i < loaded->count; i++) {
		later |= library_restore(loaded, &loaded->elf[i]);
		if (!later)
			done.count = i + 1;
	}
	return later;
}

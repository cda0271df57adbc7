/* SPDX-License-Identifier: MIT */
/*
 * asked_versions.c: see asked_versions.h.
 *
 * Answers are kept by shim and place of the call, since finding one walks the loaded libraries. A
 * kept answer is never changed or freed. Once a library has been unloaded, answers from before that
 * are not used any more.
 */
#include "layer/resolve/asked_versions.h"

#include <errno.h>
#include <stdlib.h>
#include <stdio.h>

#include "layer/buffers/process_state.h"
#include "layer/resolve/library_roles.h"
#include "layer/resolve/shim_names.h"

#define ANSWERS 256

struct answer {
	const struct tl_shim *shim;
	const void *place;
	void *real;
	unsigned long long removed;
};

static const struct answer *_Atomic answers[ANSWERS];
static _Atomic bool some_ask; /* at least one shim was noted */

/*
 * What was found by looking: calls of the shim from that library mean that function. Only ever
 * grows; `nwants` is stored behind a row, and loaded before one is read.
 */
#define WANTS 64
static struct want {
	const struct tl_shim *shim;
	uintptr_t start, end;
	void *real;
} wants[WANTS];
static _Atomic unsigned nwants;

/* --- looking */

/* Within tl_loaded_with, so one thread at a time. */
static void want_note(const struct tl_shim *shim, const struct tl_elf *elf, void *real)
{
	unsigned count = atomic_load_explicit(&nwants, memory_order_relaxed);

	for (unsigned i = 0; i < count; i++)
		if (wants[i].shim == shim && wants[i].start == elf->start && wants[i].real == real)
			return;
	if (count == WANTS)
		return;
	wants[count] = (struct want){shim, elf->start, elf->end, real};
	atomic_store_explicit(&nwants, count + 1, memory_order_release);
}

/*
 * The function of that version, if a loader has it and it is not the default one; NULL: none has.
 */
static void *version_older(const struct tl_loaded *loaded, const char *name, const char *version)
{
	uint32_t hash = tl_elf_hash(name);

	for (unsigned i = 1; i < loaded->count; i++) {
		const struct tl_elf *elf = &loaded->elf[i];

		if (!elf->definitions || tl_roles_of(elf) != TL_ROLE_LOADER)
			continue;
		const ElfW(Sym) *asked = tl_elf_lookup(elf, name, hash, version);

		if (asked && asked != tl_elf_lookup(elf, name, hash, NULL))
			return tl_elf_address(elf, asked);
	}
	return NULL;
}

/* Whether an interposer has a shim of its own for that version. */
static bool version_has_shim(const char *name, const char *version)
{
	char text[512];

	return snprintf(text, sizeof(text), "%s@%s", name, version) < (int)sizeof(text) &&
	       tl_shim_names_find(text) != NULL;
}

static bool loader_is_named(const char *soname)
{
	const struct tl_known_library *it;

	for (unsigned n = 0; (it = tl_roles_nth(n)) != NULL; n++)
		if (it->role == TL_ROLE_LOADER &&
		    !atomic_load_explicit(&it->gone, memory_order_relaxed) &&
		    tl_elf_is_named(&it->elf, soname))
			return true;
	return false;
}

static bool library_asks_loaders(const struct tl_elf *elf)
{
	const ElfW(Verneed) *file = elf->needs;

	while (file) {
		if (loader_is_named(elf->strings + file->vn_file))
			return true;
		file = file->vn_next ? (const ElfW(Verneed) *)((const char *)file + file->vn_next)
				     : NULL;
	}
	return false;
}

/* The version that a library's reference to that name asks for, or NULL. */
static const char *relocations_asked_version(const struct tl_elf *elf,
					     const ElfW(Rela) *relocations, uint32_t count,
					     const char *name)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t index = ELF64_R_SYM(relocations[i].r_info);

		if (index && elf->symbols[index].st_shndx == SHN_UNDEF &&
		    tl_elf_same(elf->strings + elf->symbols[index].st_name, name))
			return tl_elf_needed_version(elf, index);
	}
	return NULL;
}

static void relocations_look(const struct tl_loaded *loaded, const struct tl_elf *elf,
			     const ElfW(Rela) *relocations, uint32_t count,
			     void (*note)(struct tl_shim *shim, void *closure), void *closure)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t index = ELF64_R_SYM(relocations[i].r_info);
		const char *version = index && elf->symbols[index].st_shndx == SHN_UNDEF
					      ? tl_elf_needed_version(elf, index)
					      : NULL;
		const char *name = elf->strings + elf->symbols[index].st_name;
		struct tl_shim *shim = version ? tl_shim_names_find(name) : NULL;

		void *real = shim ? version_older(loaded, name, version) : NULL;

		if (!real || version_has_shim(name, version))
			continue;
		want_note(shim, elf, real);
		atomic_store_explicit(&some_ask, true, memory_order_relaxed);
		note(shim, closure);
	}
}

void tl_asked_versions_look(const struct tl_loaded *loaded, const struct tl_elf *elf,
			    void (*note)(struct tl_shim *shim, void *closure), void *closure)
{
	enum tl_role role = tl_roles_of(elf);

	if (!elf->symbols || !elf->strings || role == TL_ROLE_OWN || role == TL_ROLE_LOADER ||
	    !library_asks_loaders(elf))
		return;
	relocations_look(loaded, elf, elf->jumps, elf->njumps, note, closure);
	relocations_look(loaded, elf, elf->relocations, elf->nrelocations, note, closure);
}

/* --- answering */

struct asked {
	const char *name;
	const void *place, *real;
	struct tl_elf elf; /* the library that has the real function */
	const ElfW(Sym) *symbol;
};

static void loaded_find_asked(const struct tl_loaded *loaded, void *closure)
{
	struct asked *asked = closure;
	const struct tl_elf *caller = tl_loaded_at(loaded, asked->place);
	const struct tl_elf *elf = tl_loaded_at(loaded, asked->real);

	if (!caller || !elf || !caller->symbols || !caller->strings || !caller->needs)
		return;
	const char *version =
		relocations_asked_version(caller, caller->jumps, caller->njumps, asked->name);

	if (!version)
		version = relocations_asked_version(caller, caller->relocations,
						    caller->nrelocations, asked->name);
	if (!version)
		return;
	asked->elf = *elf;
	asked->symbol = tl_elf_lookup(elf, asked->name, tl_elf_hash(asked->name), version);
}

static void answer_keep(const struct answer *_Atomic *slot, struct answer answer)
{
	const struct answer *none = NULL;
	struct answer *kept = malloc(sizeof(*kept));

	if (!kept)
		return;
	*kept = answer;
	if (!atomic_compare_exchange_strong_explicit(slot, &none, kept, memory_order_release,
						     memory_order_relaxed))
		free(kept);
}

void *tl_asked_version(const struct tl_call *call, void *real)
{
	if (!atomic_load_explicit(&some_ask, memory_order_relaxed) || !real)
		return real;
	int saved = errno;
	const void *place = call->caller.address;
	const struct answer *_Atomic *slot =
		&answers[((uintptr_t)place ^ (uintptr_t)call->shim / sizeof(*call->shim)) %
			 ANSWERS];
	const struct answer *known = atomic_load_explicit(slot, memory_order_acquire);
	unsigned long long removed = tl_loaded_generation().removed;

	if (known && known->shim == call->shim && known->place == place &&
	    known->removed == removed) {
		errno = saved;
		return known->real;
	}
	struct asked asked = {.name = call->shim->function->name, .place = place, .real = real};

	tl_loaded_with(loaded_find_asked, &asked);
	if (asked.symbol)
		real = tl_elf_address(&asked.elf, asked.symbol);
	if (!known)
		answer_keep(slot, (struct answer){call->shim, place, real, removed});
	errno = saved;
	return real;
}

void *tl_asked_version_known(const struct tl_call *call, void *real)
{
	unsigned count = atomic_load_explicit(&nwants, memory_order_acquire);
	uintptr_t place = (uintptr_t)call->caller.address;

	for (unsigned i = 0; i < count; i++)
		if (wants[i].shim == call->shim && place >= wants[i].start && place < wants[i].end)
			return wants[i].real;
	return real;
}

bool tl_asked_version_is_known(const struct tl_shim *shim)
{
	unsigned count = atomic_load_explicit(&nwants, memory_order_acquire);

	for (unsigned i = 0; i < count; i++)
		if (wants[i].shim == shim)
			return true;
	return false;
}

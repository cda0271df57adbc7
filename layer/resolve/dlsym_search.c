/* SPDX-License-Identifier: MIT */
/*
 * dlsym_search.c: what a lookup would find if our functions were not there. See dlsym_lookup.h.
 */
#include "layer/resolve/dlsym_lookup.h"

#include "layer/base/loaded_libraries.h"
#include "layer/resolve/library_roles.h"

enum finding { FOUND_NOT, FOUND_LOADER, FOUND_OTHER };

struct search {
	const struct tl_question *question;
	const struct tl_shim *shim;
	const void *caller;
	uint32_t hash;
	bool caller_defines; /* the caller's library defines the name itself */
	/* the caller stands before us in the global scope, and no library between us defines it */
	bool we_are_next;
	struct tl_elf elf; /* the library that has it */
	const ElfW(Sym) *symbol;
	enum finding finding;
};

static bool search_match(const struct tl_elf *elf, void *closure)
{
	struct search *search = closure;
	enum tl_role role = tl_roles_of(elf);

	if (role == TL_ROLE_OWN)
		return false;
	search->symbol =
		tl_elf_lookup(elf, search->question->name, search->hash, search->question->version);
	if (!search->symbol)
		return false;
	search->elf = *elf;
	search->finding = role == TL_ROLE_LOADER ? FOUND_LOADER : FOUND_OTHER;
	return true;
}

static bool elf_is(const struct tl_elf *elf, void *closure)
{
	return elf == closure;
}

/*
 * The scope that a library opened by dlopen has of its own: the libraries that it needs, and those
 * needed by the libraries that brought it in.
 */
static bool search_local(const struct tl_loaded *loaded, const struct tl_elf *root,
			 struct search *search)
{
	if (!root)
		return false;
	if (tl_loaded_scope(loaded, root, search_match, search))
		return true;
	for (unsigned i = loaded->startup; i < loaded->count; i++)
		if (&loaded->elf[i] != root &&
		    tl_loaded_scope(loaded, &loaded->elf[i], elf_is, (void *)root) &&
		    tl_loaded_scope(loaded, &loaded->elf[i], search_match, search))
			return true;
	return false;
}

static bool search_defines(const struct search *search, const struct tl_elf *elf)
{
	return tl_elf_lookup(elf, search->question->name, search->hash,
			     search->question->version) != NULL;
}

static bool search_are_next(const struct tl_loaded *loaded, const struct search *search,
			    const struct tl_elf *caller)
{
	const struct tl_elf *own = tl_loaded_at(loaded, search->shim->entry);

	if (!own || !search_defines(search, own) || own >= loaded->elf + loaded->startup)
		return false;
	for (const struct tl_elf *elf = caller + 1; elf < own; elf++)
		if (search_defines(search, elf))
			return false;
	return caller < own;
}

static void search_default_scope(const struct tl_loaded *loaded, void *closure)
{
	struct search *search = closure;

	search_local(loaded, tl_loaded_at(loaded, search->caller), search);
}

static void search_behind_caller(const struct tl_loaded *loaded, void *closure)
{
	struct search *search = closure;
	const struct tl_elf *caller = tl_loaded_at(loaded, search->caller);

	if (!caller)
		return;
	search->caller_defines = search_defines(search, caller);
	search->we_are_next = search_are_next(loaded, search, caller);
	if (search->caller_defines || search->we_are_next)
		return;
	for (const struct tl_elf *elf = caller + 1; elf < loaded->elf + loaded->startup; elf++)
		if (search_match(elf, search))
			return;
	if (caller >= loaded->elf + loaded->startup)
		tl_loaded_scope(loaded, caller, search_match, search);
}

static void search_all(const struct tl_loaded *loaded, void *closure)
{
	struct search *search = closure;

	for (unsigned i = 0; i < loaded->count; i++)
		if (search_match(&loaded->elf[i], search))
			return;
}

struct handle_search {
	struct search search;
	const ElfW(Dyn) *dynamic; /* of the library behind the handle */
};

static void search_of_handle(const struct tl_loaded *loaded, void *closure)
{
	struct handle_search *handle = closure;

	for (unsigned i = 0; i < loaded->count; i++)
		if (loaded->elf[i].dynamic == handle->dynamic)
			tl_loaded_scope(loaded, &loaded->elf[i], search_match, &handle->search);
}

static void *search_result(const struct search *search)
{
	return search->finding ? tl_elf_address(&search->elf, search->symbol) : NULL;
}

static struct search search_of(const struct tl_lookup *lookup)
{
	return (struct search){.question = lookup->question,
			       .shim = lookup->shim,
			       .caller = lookup->caller,
			       .hash = tl_elf_hash(lookup->question->name)};
}

void *tl_lookup_in_scope(const struct tl_lookup *lookup)
{
	struct search search = search_of(lookup);

	tl_loaded_with(search_default_scope, &search);
	return search_result(&search);
}

bool tl_lookup_in_any(const struct tl_lookup *lookup)
{
	struct search search = search_of(lookup);

	tl_loaded_with(search_all, &search);
	return search.finding != FOUND_NOT;
}

bool tl_lookup_behind_caller(const struct tl_lookup *lookup, void **in_loader)
{
	struct search search = search_of(lookup);

	tl_loaded_with(search_behind_caller, &search);
	*in_loader = search.finding == FOUND_LOADER ? search_result(&search) : NULL;
	return search.we_are_next;
}

void *tl_lookup_in_library(const struct tl_lookup *lookup, const ElfW(Dyn) *dynamic)
{
	struct handle_search handle = {.search = search_of(lookup), .dynamic = dynamic};

	tl_loaded_with(search_of_handle, &handle);
	return search_result(&handle.search);
}

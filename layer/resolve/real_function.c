/* SPDX-License-Identifier: MIT */
/*
 * real_function.c: see real_function.h.
 *
 * Lookups read symbol tables (layer/base/loaded_libraries.h) and don't call dlsym, which would
 * change the program's dlerror. layer/resolve/library_roles.h finds each library's role.
 */
#include "layer/resolve/real_function.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "common/signature.h"
#include "layer/resolve/api_table.h"
#include "layer/resolve/closure.h"
#include "format/args/args.h"
#include "layer/resolve/dlsym.h"
#include "layer/resolve/function_tables.h"
#include "layer/base/loaded_libraries.h"
#include "layer/resolve/library_roles.h"
#include "layer/resolve/mpi_tables.h"
#include "layer/resolve/shim_names.h"

void tl_resolve_add(struct tl_shim_library *library)
{
	tl_shim_names_add(library);
}

/* --- names with versions */

/* longer than any name with a version that is looked up */
#define NAME_ROOM 512

/*
 * An interposer (gen/interposer.c) has a shim for each version of a function; those that new
 * programs don't get are called name@version.
 */
struct versioned {
	const char *name, *version; /* version: NULL: the default one */
	uint32_t hash;
	char plain[NAME_ROOM];
};

static void versioned_split(struct versioned *versioned, const char *name)
{
	size_t length = 0;

	while (name[length] && name[length] != '@')
		length++;
	versioned->name = name;
	versioned->version = NULL;
	if (name[length] && length < NAME_ROOM) {
		memcpy(versioned->plain, name, length);
		versioned->plain[length] = '\0';
		versioned->name = versioned->plain;
		versioned->version = name + length + 1;
	}
	versioned->hash = tl_elf_hash(versioned->name);
}

static const ElfW(Sym) *versioned_lookup(const struct tl_elf *elf,
					 const struct versioned *versioned)
{
	return tl_elf_lookup(elf, versioned->name, versioned->hash, versioned->version);
}

static void *versioned_dlsym(void *handle, const struct versioned *versioned)
{
	return versioned->version ? tl_dl()->dlvsym(handle, versioned->name, versioned->version)
				  : tl_dl()->dlsym(handle, versioned->name);
}

/* --- the real function */

struct search {
	const struct tl_shim *shim;
	const void *caller;
	struct versioned name;
	struct tl_elf elf; /* the library that has it */
	const ElfW(Sym) *symbol;
	bool stays; /* the library was loaded at the start: it is never unloaded */
	/* a library that was opened later, and is neither loader nor driver, defines it */
	bool others;
	bool is_callers; /* the library that has it makes the call; it is not the program */
};

static void search_begin(struct search *search, const struct tl_shim *shim, const void *caller)
{
	search->shim = shim;
	search->caller = caller;
	search->symbol = NULL;
	search->stays = search->others = search->is_callers = false;
	versioned_split(&search->name, shim->function->name);
}

static bool library_defines(const struct tl_elf *elf, void *closure)
{
	struct search *search = closure;

	if (!tl_elf_may_have(elf, search->name.hash) || tl_roles_of(elf) == TL_ROLE_OWN)
		return false;
	search->symbol = versioned_lookup(elf, &search->name);
	if (search->symbol)
		search->elf = *elf;
	return search->symbol != NULL;
}

static bool library_defines_as_loader(const struct tl_elf *elf, void *closure)
{
	struct search *search = closure;

	if (!tl_elf_may_have(elf, search->name.hash))
		return false;
	for (const char *const *soname = search->shim->function->api->sonames; soname && *soname;
	     soname++)
		if (tl_elf_is_named(elf, *soname))
			return library_defines(elf, closure);
	return false;
}

/* For an API whose loader is not known by name: a library that was found to be its loader. */
static bool library_defines_as_known_loader(const struct tl_elf *elf, struct search *search)
{
	return tl_roles_of(elf) == TL_ROLE_LOADER && library_defines(elf, search);
}

/*
 * Searches behind us in the global scope: the loader that the program is linked to, or a later
 * interposer.
 */
static bool search_behind(const struct tl_loaded *loaded, struct search *search)
{
	const struct tl_elf *own = tl_loaded_at(loaded, search->shim->entry);

	if (!own)
		own = tl_loaded_at(loaded, search->shim);
	for (const struct tl_elf *elf = own ? own + 1 : NULL;
	     elf && elf < loaded->elf + loaded->startup; elf++)
		if (library_defines(elf, search))
			return true;
	return false;
}

/*
 * Searches the loader that the caller's library needs, then the first loader that is loaded, then
 * the rest of that library's scope, then a library that counts as a loader.
 */
static bool search_loaders(const struct tl_loaded *loaded, struct search *search)
{
	const struct tl_elf *caller = search->caller ? tl_loaded_at(loaded, search->caller) : NULL;

	if (caller && tl_loaded_scope(loaded, caller, library_defines_as_loader, search))
		return true;
	for (unsigned i = 1; i < loaded->count; i++)
		if (library_defines_as_loader(&loaded->elf[i], search))
			return true;
	if (caller && tl_loaded_scope(loaded, caller, library_defines, search))
		return true;
	for (unsigned i = 1; i < loaded->count; i++)
		if (library_defines_as_known_loader(&loaded->elf[i], search))
			return true;
	return false;
}

static void search_loaded(const struct tl_loaded *loaded, void *closure)
{
	struct search *search = closure;

	if (search_behind(loaded, search) || search_loaders(loaded, search)) {
		for (unsigned i = 0; i < loaded->startup; i++)
			search->stays |= loaded->elf[i].dynamic == search->elf.dynamic;
		const struct tl_elf *caller =
			search->caller ? tl_loaded_at(loaded, search->caller) : NULL;
		search->is_callers =
			caller && caller != loaded->elf && caller->dynamic == search->elf.dynamic;
		return;
	}
	for (unsigned i = loaded->startup; i < loaded->count && !search->others; i++)
		search->others = (tl_roles_of(&loaded->elf[i]) == TL_ROLE_NONE ||
				  tl_roles_of(&loaded->elf[i]) == TL_ROLE_LINKED) &&
				 library_defines(&loaded->elf[i], search);
	search->symbol = NULL;
}

bool tl_resolve_hold(const char *path)
{
	int saved = errno;
	bool held = tl_dl()->dlopen &&
		    tl_dl()->dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != NULL;

	errno = saved;
	return held;
}

static void library_hold(const struct search *search)
{
	if (!search->stays)
		tl_resolve_hold(search->elf.path);
}

/* --- loaders that are not known by name */

struct api_search {
	const struct tl_api *api;
	const void *address;
	bool loaded, implements;
};

static void loaded_has_api(const struct tl_loaded *loaded, void *closure)
{
	struct api_search *search = closure;

	for (const char *const *soname = search->api->sonames; soname && *soname; soname++)
		for (unsigned i = 1; i < loaded->count; i++)
			search->loaded |= tl_elf_is_named(&loaded->elf[i], *soname);
}

/*
 * This part of an API's functions makes a library its loader. A library may have one or two
 * functions of the same names by chance, or because it interposes them.
 */
#define GOOD_PART 4

static bool library_implements(const struct tl_elf *elf, const struct tl_api *api)
{
	uint32_t exported = 0, defined = 0;

	for (uint32_t i = 0; i < api->count; i++) {
		const char *name = api->functions[i].name;

		if (!(api->functions[i].flags & TL_FUNCTION_EXPORTED))
			continue;
		exported++;
		defined += tl_elf_lookup(elf, name, tl_elf_hash(name), NULL) != NULL;
	}
	return defined && defined >= exported / GOOD_PART;
}

/*
 * A real function was found in a library, and no library of the API's names is loaded. Then that
 * library is the API's loader: its own calls are told apart, and the other functions are looked up
 * there, whoever calls them. But if it is the caller, and the API has a loader's name, then the
 * loader is linked into it (LightGBM has OpenCL's), and its calls are the program's.
 */
static void loader_notice(const struct search *search)
{
	const struct tl_api *api = search->shim->function->api;

	if (tl_roles_of(&search->elf) != TL_ROLE_NONE || tl_resolve_is_loaded(api) ||
	    !library_implements(&search->elf, api))
		return;
	if (search->is_callers && api->sonames && *api->sonames)
		tl_roles_note_linked(search->elf.dynamic, api);
	else
		tl_roles_note_loader(search->elf.dynamic);
}

static void loaded_implements(const struct tl_loaded *loaded, void *closure)
{
	struct api_search *search = closure;
	const struct tl_elf *elf = tl_loaded_at(loaded, search->address);

	search->implements = elf && elf != loaded->elf && library_implements(elf, search->api);
}

bool tl_resolve_is_loaders(const struct tl_shim *shim, const void *pointer)
{
	struct api_search search = {.api = shim->function->api, .address = pointer};

	if (tl_roles_at(pointer) || (search.api->sonames && *search.api->sonames))
		return tl_roles_is_loader_at(pointer);
	tl_loaded_with(loaded_implements, &search);
	if (search.implements)
		tl_roles_note_loader(pointer);
	return search.implements;
}

/* --- the real function, wherever it is */

static void *real_find_loaded(const struct tl_shim *shim, const void *caller)
{
	struct search search;

	search_begin(&search, shim, caller);
	tl_loaded_with(search_loaded, &search);
	if (search.symbol) {
		library_hold(&search);
		loader_notice(&search);
		return tl_elf_address(&search.elf, search.symbol);
	}
	if (!search.others || !tl_dl()->dlsym)
		return NULL;
	/*
	 * Of libraries opened later only those with RTLD_GLOBAL count, and only the dynamic linker
	 * knows which these are.
	 */
	void *next = versioned_dlsym(RTLD_NEXT, &search.name);

	__asm__ volatile("" : "+r"(next));
	/* The next library may be the one with the shims. */
	return tl_roles_is_own_at(next) ? NULL : next;
}

/*
 * No library of this API is loaded, and yet one of its functions is called: the program was linked
 * to us alone.
 */
static void *real_find_by_soname(const struct tl_function *function)
{
	struct versioned name;
	void *real = NULL;

	if (!(function->flags & TL_FUNCTION_EXPORTED) || !tl_dl()->dlsym)
		return NULL;
	versioned_split(&name, function->name);
	for (const char *const *soname = function->api->sonames; soname && *soname && !real;
	     soname++) {
		void *handle = dlopen(*soname, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);

		real = handle ? versioned_dlsym(handle, &name) : NULL;
	}
	return real;
}

/*
 * If the caller jumped here, its return address does not show in which scope it found us. The first
 * library that defines the function is better than none.
 */
static void search_anywhere(const struct tl_loaded *loaded, void *closure)
{
	struct search *search = closure;

	for (unsigned i = loaded->startup; i < loaded->count; i++)
		if (tl_roles_of(&loaded->elf[i]) != TL_ROLE_DRIVER &&
		    library_defines(&loaded->elf[i], search))
			return;
}

static void *real_find_anywhere(const struct tl_shim *shim)
{
	struct search search;

	if (shim->function->api->sonames && *shim->function->api->sonames)
		return NULL;
	search_begin(&search, shim, NULL);
	tl_loaded_with(search_anywhere, &search);
	if (!search.symbol)
		return NULL;
	library_hold(&search);
	loader_notice(&search);
	return tl_elf_address(&search.elf, search.symbol);
}

/* --- several APIs with functions of the same names: MPI, as each of its libraries has it */

static struct tl_shim *library_shim_named(struct tl_shim_library *library, const char *name)
{
	for (uint32_t i = 0; i < library->api->count; i++)
		if (!strcmp(library->api->functions[i].name, name))
			return &library->shims[i];
	return NULL;
}

/*
 * All of their interposers may be loaded, since nobody knows beforehand which library a launcher's
 * programs will load. The program's calls get to the first interposer. If the real function turns
 * out to be another one's, the shim joins that one's.
 */
static void shim_join_its_api(struct tl_shim *shim, const void *real)
{
	const struct tl_function *function = shim->function;
	const struct tl_known_library *there = tl_roles_at(real);
	struct tl_shim_library *library;

	if (!there || there->role != TL_ROLE_LOADER ||
	    tl_roles_is_named_by(&there->elf, function->api))
		return;
	for (unsigned n = 0; (library = tl_shim_names_nth(n)) != NULL; n++) {
		if (library->abi != TL_GENERIC_ABI ||
		    !tl_roles_is_named_by(&there->elf, library->api))
			continue;
		struct tl_shim *of = library_shim_named(library, function->name);

		if (of && of->function->words == function->words && tl_shim_names_is_generic(shim))
			tl_api_join(shim, of);
	}
}

/*
 * The first thread to find a real function decides for all. Release: pairs with the acquire of all
 * who load shim->real; its library is held.
 */
static void *real_settle(struct tl_shim *shim, void *real)
{
	void *there = NULL;

	if (!real)
		return NULL;
	if (atomic_compare_exchange_strong_explicit(&shim->real, &there, real, memory_order_acq_rel,
						    memory_order_acquire))
		return real;
	return there;
}

/* Before others see that the function is there, its API has the right tables. */
static void *real_publish(struct tl_shim *shim, void *real)
{
	if (real)
		tl_mpi_tables_choose(shim, real);
	return real_settle(shim, real);
}

void *tl_resolve_real(struct tl_shim *shim, void *caller)
{
	int saved = errno;

	tl_roles_look();
	void *real = atomic_load_explicit(&shim->real, memory_order_acquire);

	if (!real)
		real = real_publish(shim, real_find_loaded(shim, caller));
	if (!real)
		real = real_publish(shim, real_find_by_soname(shim->function));
	if (!real)
		real = real_publish(shim, real_find_anywhere(shim));
	if (real)
		shim_join_its_api(shim, real);
	errno = saved;
	return real;
}

/* --- the real functions of a whole API */

/* So many functions are searched for in one walk: the dynamic linker waits, signals are blocked. */
#define BATCH 256

struct batch {
	struct tl_shim *shims;
	uint32_t count;
	const ElfW(Dyn) *held; /* of a library that is kept loaded, or NULL */
};

/* Sets the real functions that need nothing of the dynamic linker but its list. */
static void search_batch(const struct tl_loaded *loaded, void *closure)
{
	const struct batch *batch = closure;

	for (uint32_t i = 0; i < batch->count; i++) {
		struct tl_shim *shim = &batch->shims[i];
		struct search search;

		if (atomic_load_explicit(&shim->real, memory_order_relaxed))
			continue;
		search_begin(&search, shim, NULL);
		search_loaded(loaded, &search);
		/* The library's own code would choose which function it is. */
		if (!search.symbol || ELF64_ST_TYPE(search.symbol->st_info) == STT_GNU_IFUNC)
			continue;
		if (search.stays || search.elf.dynamic == batch->held)
			real_settle(shim, tl_elf_address(&search.elf, search.symbol));
	}
}

static void search_batches(struct tl_shim *shims, uint32_t count, const ElfW(Dyn) *held)
{
	for (uint32_t from = 0; from < count; from += BATCH) {
		struct batch batch = {shims + from, count - from, held};

		if (batch.count > BATCH)
			batch.count = BATCH;
		tl_loaded_with(search_batch, &batch);
	}
}

void tl_resolve_real_all(struct tl_shim *shims, uint32_t count)
{
	const ElfW(Dyn) *held = NULL;
	int saved = errno;

	tl_roles_look();
	if (count)
		tl_mpi_tables_choose(shims, NULL);
	search_batches(shims, count, NULL);
	for (uint32_t i = 0; i < count; i++) {
		void *real = atomic_load_explicit(&shims[i].real, memory_order_acquire);
		const struct tl_known_library *there;

		if (real) {
			shim_join_its_api(&shims[i], real);
			continue;
		}
		/* It keeps the library loaded, so this is known for the others. */
		there = tl_roles_at(tl_resolve_real(&shims[i], NULL));
		if (!there || there->elf.dynamic == held)
			continue;
		held = there->elf.dynamic;
		search_batches(shims + i, count - i, held);
	}
	errno = saved;
}

/* --- pointers that get-proc functions give out */

static void pointer_wrap(struct tl_shim *shim, void **place)
{
	if (shim && *place && tl_loaded_is_code(*place))
		*place = tl_resolve_closure(shim, *place);
}

/* It is a closure's, and not the one of its name. */
static bool shim_is_further(const struct tl_shim *shim)
{
	const struct tl_function *function = shim->function;
	const struct tl_shim_library *library = tl_shim_names_library(function->api);

	return library && shim != &library->shims[function->index];
}

/*
 * A get-proc function of a driver that the program uses without the loader, which may be opened
 * later. Its closure gives out closures: what the loader exports must stay free for the loader's
 * functions, since whoever is linked with the loader gets to them by name.
 */
static void pointer_wrap_further(struct tl_shim *shim, void **place)
{
	if (!shim || !(shim->function->flags & TL_FUNCTION_EXPORTED) ||
	    tl_resolve_real_if_loaded(shim))
		pointer_wrap(shim, place);
	else if (*place && tl_loaded_is_code(*place) && !tl_roles_is_own_at(*place))
		*place = tl_closure_for(shim, *place);
}

static struct tl_shim *shim_named(const struct tl_api *api, uint64_t name)
{
	struct tl_shim *shim = name ? tl_shim_names_find((const char *)(uintptr_t)name) : NULL;

	return shim && shim->function->api == api ? shim : NULL;
}

/*
 * The shim of the function that a get-proc function stores for a name. With versions, that is the
 * latest function of the name that is not newer than the version asked for. NULL: no shim has the
 * parameters of that function.
 */
static struct tl_shim *shim_stored(const struct tl_api *api, const struct tl_getproc *getproc,
				   uint64_t name, uint32_t version)
{
	struct tl_shim_library *library = tl_shim_names_library(api);
	const struct tl_versioned_name *latest = NULL;

	for (uint32_t i = 0; name && i < getproc->count; i++) {
		const struct tl_versioned_name *one = &getproc->names[i];

		if (one->since <= version && (!latest || one->since >= latest->since) &&
		    !strcmp(one->name, (const char *)(uintptr_t)name))
			latest = one;
	}
	if (!latest)
		return shim_named(api, name);
	return library && latest->function < api->count ? &library->shims[latest->function] : NULL;
}

/*
 * A version that is later than all that the descriptor knows may have a later function of the name,
 * with other parameters. Then the pointer is wrapped only if the library exports it by that name.
 */
static void stored_wrap(const struct tl_api *api, const struct tl_getproc *getproc, uint64_t name,
			uint32_t version, void **place)
{
	struct tl_shim *shim = shim_stored(api, getproc, name, version);

	if (!shim || !*place ||
	    (getproc->until && version > getproc->until &&
	     tl_resolve_real_if_loaded(shim) != *place))
		return;
	pointer_wrap(shim, place);
}

static void table_wrap(const struct tl_api *api, const struct tl_getproc *getproc, uint32_t version,
		       char *table)
{
	struct tl_shim_library *library = tl_shim_names_library(api);

	for (uint32_t i = 0; library && table && i < getproc->count; i++) {
		const struct tl_table_entry *entry = &getproc->entries[i];

		/* The caller's table has only the members of its version. */
		if (entry->since <= version)
			pointer_wrap(&library->shims[entry->function],
				     (void **)(table + entry->offset));
	}
}

/* The object is the result, or stands where a parameter points. */
static void object_wrap(const struct tl_function *function, const struct tl_getproc *getproc,
			const uint64_t *words, const void *result)
{
	const void *place = result;
	void *object = NULL;

	if (getproc->where != TL_GETPROC_RESULT)
		place = (const void *)(uintptr_t)words[function->params[getproc->where].offset];
	if (place && tl_checked_copy(&object, place, sizeof(object)) == sizeof(object))
		tl_function_tables_swap(function->api, getproc, object);
}

void tl_resolve_wrap(struct tl_shim *shim, const uint64_t *words, void *result)
{
	const struct tl_function *function = shim->function;
	int saved = errno;

	for (uint32_t i = 0; i < function->api->ngetprocs; i++) {
		const struct tl_getproc *getproc = &function->api->getprocs[i];

		if (getproc->function != function->index)
			continue;
		if (getproc->kind == TL_GETPROC_OBJECT)
			object_wrap(function, getproc, words, result);
		if (getproc->kind >= TL_GETPROC_OBJECT)
			continue;
		uint64_t name = words[function->params[getproc->name].offset];
		uint64_t where = words[function->params[getproc->where].offset];
		uint64_t version = words[function->params[getproc->version].offset];

		if (getproc->kind == TL_GETPROC_RETURNED && shim_is_further(shim))
			pointer_wrap_further(shim_named(function->api, name), result);
		else if (getproc->kind == TL_GETPROC_RETURNED)
			pointer_wrap(shim_named(function->api, name), result);
		else if (getproc->kind == TL_GETPROC_STORED && where)
			stored_wrap(function->api, getproc, name, (uint32_t)version,
				    (void **)(uintptr_t)where);
		else if (getproc->kind == TL_GETPROC_TABLE)
			table_wrap(function->api, getproc, (uint32_t)version,
				   (char *)(uintptr_t)where);
	}
	errno = saved;
}

/* --- questions about libraries */

bool tl_resolve_is_loaded(const struct tl_api *api)
{
	struct api_search search = {.api = api};
	int saved = errno;

	tl_loaded_with(loaded_has_api, &search);
	errno = saved;
	return search.loaded;
}

/* --- one pointer */

void *tl_resolve_real_if_loaded(struct tl_shim *shim)
{
	void *real = atomic_load_explicit(&shim->real, memory_order_acquire);

	if (!real && shim->function->flags & TL_FUNCTION_EXPORTED)
		real = real_publish(shim, real_find_loaded(shim, NULL));
	return real;
}

void *tl_resolve_closure(struct tl_shim *shim, void *real)
{
	const struct tl_known_library *there;
	int saved = errno;

	if (!real || real == shim->entry)
		return real;
	tl_roles_look();
	there = tl_roles_at(real);
	if (there && there->role == TL_ROLE_OWN)
		return real;
	/* The loader's own export leads to our layer by itself. */
	if (there && there->role == TL_ROLE_LOADER && tl_roles_is_layered(shim->function->api))
		return real;
	void *known = tl_resolve_real_if_loaded(shim);

	if (!known)
		known = real_publish(shim, real);
	if (known == real)
		shim_join_its_api(shim, real);
	void *given = known == real ? shim->entry : tl_closure_for(shim, real);

	errno = saved;
	return given;
}

struct tl_shim *tl_resolve_named(const char *name)
{
	return tl_shim_names_find(name);
}

/* SPDX-License-Identifier: MIT */
/*
 * loader_tables.c: see loader_tables.h.
 *
 * A shim that is put into a table calls the function that the loader offered. It never looks the
 * function up by name: that would find the loader's own export, which would come back to the shim
 * through the very table that we changed.
 */
#include "layer/resolve/loader_tables.h"

#include <string.h>

#include "layer/resolve/closure.h"
#include "layer/base/environment.h"
#include "layer/base/loaded_libraries.h"
#include "layer/resolve/library_roles.h"
#include "layer/resolve/shim_names.h"
#include "layer/resolve/call_origin.h"
#include "layer/resolve/real_function.h"
#include "layer/buffers/process_state.h"
#include "layer/resolve/api_table.h"

/* --- whether to take a loader's functions */

struct place {
	const struct tl_shim *shim;
	bool first; /* our function comes first in the global scope */
};

static void shim_look_who_is_first(const struct tl_loaded *loaded, void *closure)
{
	struct place *place = closure;
	const char *name = place->shim->function->name;
	const struct tl_elf *own = tl_loaded_at(loaded, place->shim->entry);

	if (!own || own >= loaded->elf + loaded->startup)
		return;
	for (const struct tl_elf *elf = loaded->elf; elf < own; elf++)
		if (tl_elf_lookup(elf, name, tl_elf_hash(name), NULL))
			return;
	place->first = true;
}

static bool shim_stands_before_loader(const struct tl_shim *shim)
{
	struct place place = {.shim = shim};

	tl_loaded_with(shim_look_who_is_first, &place);
	return place.first;
}

bool tl_door_opens(const char *function)
{
	tl_process_start();
	const struct tl_shim *shim = tl_config.secure ? NULL : tl_shim_names_find(function);

	if (!shim)
		return false;
	if (tl_roles_is_layered(shim->function->api))
		return true;
	if (shim_stands_before_loader(shim))
		return false;
	tl_roles_note_layered(shim->function->api);
	return true;
}

/* --- Level Zero's loaders that check drivers */

static _Atomic int loader_checks;

/* A table in use was offered, and not only a copy on the stack. */
static _Atomic bool in_use;

void tl_door_loader(enum tl_door_check check)
{
	atomic_store_explicit(&loader_checks, check, memory_order_relaxed);
}

static bool function_checks_by_its_table(const struct tl_function *function)
{
	return function->flags & TL_FUNCTION_INITIALISES &&
	       atomic_load_explicit(&loader_checks, memory_order_relaxed) ==
		       TL_DOOR_CHECKS_BY_ITS_TABLE;
}

/* All checks are made within the program's first call, before that call reaches the drivers. */
bool tl_door_is_check(const struct tl_call *call)
{
	static struct tl_first_places first;

	return function_checks_by_its_table(call->shim->function) &&
	       atomic_load_explicit(&in_use, memory_order_relaxed) &&
	       tl_resolve_comes_first(&first, call);
}

struct symbol_search {
	const void *address;
	const char *name;
	void *symbol;
};

static void loaded_find_symbol(const struct tl_loaded *loaded, void *closure)
{
	struct symbol_search *search = closure;
	const struct tl_elf *elf = tl_loaded_at(loaded, search->address);
	const ElfW(Sym) *symbol =
		elf ? tl_elf_lookup(elf, search->name, tl_elf_hash(search->name), NULL) : NULL;

	search->symbol = symbol ? tl_elf_address(elf, symbol) : NULL;
}

void *tl_door_symbol(const void *address, const char *name)
{
	struct symbol_search search = {.address = address, .name = name};

	tl_loaded_with(loaded_find_symbol, &search);
	return search.symbol;
}

/* --- pointers */

/* The first pointer becomes the shim's own real function; each other pointer gets a closure. */
static void pointer_put_shim(struct tl_shim *shim, void **place)
{
	void *none = NULL, *real = *place;

	if (!real || real == shim->entry)
		return;
	if (!atomic_compare_exchange_strong_explicit(&shim->real, &none, real, memory_order_acq_rel,
						     memory_order_acquire) &&
	    none != real) {
		*place = tl_closure_for(shim, real);
		return;
	}
	/*
	 * The loader's own calls don't come through here, so callers need not be told apart, except
	 * for the calls by which it checks drivers.
	 */
	if (function_checks_by_its_table(shim->function))
		tl_api_by_caller(&shim, 1);
	else
		tl_api_set_mode(shim, 0, TL_MODE_CALLER);
	tl_api_resolved(shim);
	*place = shim->entry;
}

void tl_door_pointer(const char *function, void **place)
{
	struct tl_shim *shim = tl_shim_names_find(function);

	if (shim)
		pointer_put_shim(shim, place);
}

/* --- Level Zero's tables */

/* Whether the table is close above one of this function's variables. */
static bool table_is_on_stack(const void *address)
{
	char here;

	return (uintptr_t)address - (uintptr_t)&here < 64 * 1024;
}

/*
 * Loaders up to 1.17.27 ask each driver for the table with zeInit once more, in a table on the
 * stack, to see if the driver is alive. Those calls are the loader's, not the program's; and with
 * several drivers the functions are the drivers', while the program's zeInit has to reach all
 * drivers. Loaders from 1.15 on first ask for a copy on the stack, and then for the table in use.
 */
static bool table_is_for_loader_itself(const struct tl_shim *shim, void *table, void *offered)
{
	const void *real = atomic_load_explicit(&shim->real, memory_order_acquire);

	if (!(shim->function->flags & TL_FUNCTION_INITIALISES))
		return false;
	if (!table_is_on_stack(table)) {
		atomic_store_explicit(&in_use, true, memory_order_relaxed);
		return false;
	}
	return atomic_load_explicit(&loader_checks, memory_order_relaxed) ==
		       TL_DOOR_CHECKS_BY_OTHER_TABLES &&
	       (atomic_load_explicit(&in_use, memory_order_relaxed) ||
		(real && offered && offered != real && offered != shim->entry));
}

static const struct tl_getproc *getter_getproc(const struct tl_function *getter)
{
	for (uint32_t i = 0; i < getter->api->ngetprocs; i++) {
		const struct tl_getproc *getproc = &getter->api->getprocs[i];
		if (getproc->function == getter->index && getproc->kind == TL_GETPROC_TABLE)
			return getproc;
	}
	return NULL;
}

void tl_door_table(const char *getter, uint32_t version, void *table)
{
	const struct tl_shim *asked = tl_shim_names_find(getter);
	const struct tl_getproc *getproc = asked ? getter_getproc(asked->function) : NULL;
	struct tl_shim_library *library =
		getproc ? tl_shim_names_library(asked->function->api) : NULL;

	for (uint32_t i = 0; library && i < getproc->count; i++) {
		const struct tl_table_entry *entry = &getproc->entries[i];
		void **place = (void **)((char *)table + entry->offset);
		if (entry->since > version)
			continue; /* the loader's table ends before it */
		if (table_is_for_loader_itself(&library->shims[entry->function], table, *place))
			return;
		pointer_put_shim(&library->shims[entry->function], place);
	}
}
